package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Engines lists the engines that run programs on doubles on this machine, the slowest first.
var Engines = sync.OnceValue(func() []string {
	names := []string{"interp"}
	for _, name := range engineNames[1:] {
		if _, err := engines[name](trivial(), Settings{}); err == nil {
			names = append(names, name)
		}
	}
	return names
})

// BestEngine returns the fastest engine of this machine: the one that makes machine code, where
// there is one.
func BestEngine() string {
	names := Engines()
	return names[len(names)-1]
}

// CheckEngine returns an error if no engine has the given name.
func CheckEngine(name string) error {
	names := Engines()
	if slices.Contains(names, name) {
		return nil
	}
	if _, ok := engines[name]; ok {
		return fmt.Errorf("the engine `%s` does not run on this machine; there are %s", name,
			strings.Join(names, ", "))
	}
	return fmt.Errorf("there is no engine `%s`; there are %s", name, strings.Join(names, ", "))
}

// Options returns the options with which the interpreter compiles a program.
func (s Settings) Options() interp.Options {
	opts := s.Compile
	engine := engines[s.Engine]
	switch {
	case opts.Engine != nil:
	case s.Deterministic:
		opts.Engine = deterministic[s.Engine]
	case engine != nil:
		opts.Engine = func(p *loop.Program) (loop.Code, error) { return engine(p, s) }
	}
	opts.Watched = s.Watch != nil
	return opts
}

// trivial returns a program that every engine runs.
func trivial() *loop.Program {
	x := loop.NewVar("x", loop.F64)
	f := &loop.Func{Name: "identity", Params: []*loop.Var{x},
		Body: &loop.Block{Yield: []loop.Atom{x}}}
	return &loop.Program{Funcs: []*loop.Func{f}}
}
