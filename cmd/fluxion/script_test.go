package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("FLUXION_ENGINE") == "" {
		os.Setenv("FLUXION_ENGINE", "interp") // whose digits are the same everywhere
	}
	testscript.Main(m, map[string]func(){"fluxion": main, "measured": measured})
}

// TestScripts drives the command as a user does: arguments, files, output and
// exit statuses.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FLUXION_HISTORY", env.WorkDir+"/history")
			env.Setenv("FLUXION_ENGINE", "interp") // whose digits are the same everywhere
			return nil
		},
	})
}
