package coretest

import (
	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
)

// Programs generates programs for property tests; rapid shrinks them.
func Programs() *rapid.Generator[*core.Program] {
	return rapid.Custom(func(t *rapid.T) *core.Program { return Generate(rapidSource{t}) })
}

// ProgramsWithDerivatives generates programs with derivatives inside.
func ProgramsWithDerivatives() *rapid.Generator[*core.Program] {
	return rapid.Custom(func(t *rapid.T) *core.Program {
		return GenerateDerivatives(rapidSource{t})
	})
}

type rapidSource struct{ t *rapid.T }

func (s rapidSource) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "choice") }
