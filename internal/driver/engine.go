package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Engines lists what runs programs on doubles on this machine, the slowest first.
var Engines = sync.OnceValue(func() []string {
	names := []string{"interp"}
	for _, name := range engineNames[1:] {
		if _, err := engines[name](trivial(), Settings{}); err == nil {
			names = append(names, name)
		}
	}
	return names
})

// BestEngine makes machine code where that can be made, and is the interpreter elsewhere.
func BestEngine() string {
	if best := FastestEngine(); best != "portable" {
		return best
	}
	return "interp"
}

// FastestEngine returns what runs a function that is compiled as a whole: machine code where that
// can be made.
func FastestEngine() string {
	names := Engines()
	return names[len(names)-1]
}

// CheckEngine tells why there is no engine of a name, or gives nil.
func CheckEngine(name string) error {
	names := Engines()
	if slices.Contains(names, name) {
		return nil
	}
	if _, ok := engines[name]; ok {
		return fmt.Errorf("the engine `%s` does not run on this machine; there are %s", name, strings.Join(names, ", "))
	}
	return fmt.Errorf("there is no engine `%s`; there are %s", name, strings.Join(names, ", "))
}

// compile returns how the interpreter compiles a program with these settings.
func (s Settings) compile() interp.Options {
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
	f := &loop.Func{Name: "identity", Params: []*loop.Var{x}, Body: &loop.Block{Yield: []loop.Atom{x}}}
	return &loop.Program{Funcs: []*loop.Func{f}}
}
