package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// engines run compiled parts of programs; the interpreter alone is none.
var engines = map[string]interp.Engine{
	"interp": nil,
	"jit": func(p *loop.Program) (loop.Code, error) {
		code, err := jit.Compile(p, jit.Options{})
		if err != nil {
			return nil, err
		}
		return code, nil
	},
}

// EngineNames are the engines that there are, for people.
func EngineNames() []string {
	var names []string
	for name := range engines {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Engine gives the engine of a name. The name "" stands for the best that this machine has.
func Engine(name string) (interp.Engine, error) {
	if name == "" {
		return bestEngine(), nil
	}
	e, ok := engines[name]
	if !ok {
		return nil, fmt.Errorf("there is no engine `%s`; write one of %s", name, strings.Join(EngineNames(), ", "))
	}
	if e != nil {
		if _, err := e(trivial()); err != nil {
			return nil, fmt.Errorf("the engine %s does not run here: %w", name, err)
		}
	}
	return e, nil
}

// bestEngine is machine code where it can be made, and else the interpreter alone.
var bestEngine = sync.OnceValue(func() interp.Engine {
	if _, err := engines["jit"](trivial()); err != nil {
		return nil
	}
	return engines["jit"]
})

// trivial is a program that every engine runs.
func trivial() *loop.Program {
	x := loop.NewVar("x", loop.F64)
	f := &loop.Func{Name: "identity", Params: []*loop.Var{x}, Body: &loop.Block{Yield: []loop.Atom{x}}}
	return &loop.Program{Funcs: []*loop.Func{f}}
}
