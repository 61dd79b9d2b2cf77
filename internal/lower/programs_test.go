package lower_test

import (
	"embed"
	"fmt"
	"regexp"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// testdata has programs. Those in engines are rather for engines in the process: targets of export
// refuse some of them, such as those with rows of different lengths.
//
//go:embed testdata
var testdata embed.FS

// agreeOnAll compares the functions of a real in a file of testdata, by every engine: what is asked
// has the name of the function in it.
func agreeOnAll(t *testing.T, file, ask string) {
	t.Helper()
	with := everyEngine(t, &regions{})
	programs, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^let (\w+) \(s : Real\) : Real`).FindAllSubmatch(programs, -1) {
		text := fmt.Sprintf("%s\n"+ask+"\n", programs, m[1])
		compare(t, fmt.Sprintf("%s: %s: %s", file, m[1], ask), with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
	}
}

// TestProgramsAgree: functions as people write them give the same by every engine, with their
// derivatives of orders 1 and 2.
func TestProgramsAgree(t *testing.T) {
	for _, file := range []string{"programs.flx", "engines/stepping.flx", "engines/tables.flx", "engines/choices.flx", "engines/science.flx", "engines/rows.flx"} {
		agreeOnAll(t, file, "(%[2]s 0.7, grad %[2]s 0.7, deriv %[2]s 0.7, deriv (grad %[2]s) 0.7)")
	}
}

// TestFailuresAgree: functions that fail do so in the same way at the same place by every engine,
// and those that would fail in another branch do not.
func TestFailuresAgree(t *testing.T) {
	for _, ask := range []string{"%[2]s 0.2", "grad %[2]s 0.7"} {
		agreeOnAll(t, "engines/failing.flx", ask)
	}
}
