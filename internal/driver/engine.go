package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/portable"
)

// engines run compiled parts of programs; the interpreter alone is none.
var engines = map[string]func(p *loop.Program, s Settings) (loop.Code, error){
	"interp": nil,
	"portable": func(p *loop.Program, _ Settings) (loop.Code, error) {
		return portable.Compile(p.Funcs[0]), nil
	},
	"jit": func(p *loop.Program, s Settings) (loop.Code, error) {
		code, err := jit.Compile(p, jit.Options{Flush: s.Flush})
		if err != nil {
			return nil, err
		}
		return code, nil
	},
}

// deterministic are engines that agree to the last bit, whatever the number of threads: they run the same loop form in
// the order of the program, the interpreter's one too.
var deterministic = map[string]interp.Engine{"interp": ordered, "portable": ordered, "jit": func(p *loop.Program) (loop.Code, error) {
	code, err := jit.Compile(p, jit.Options{Deterministic: true})
	if err != nil {
		return ordered(p)
	}
	return code, nil
}}

func ordered(p *loop.Program) (loop.Code, error) { return portable.CompileOrdered(p.Funcs[0]), nil }

// Engines lists what runs programs on doubles on this machine, the slowest first.
var Engines = sync.OnceValue(func() []string {
	names := []string{"interp"}
	for _, name := range []string{"portable", "jit"} {
		if _, err := engines[name](trivial(), Settings{}); err == nil {
			names = append(names, name)
		}
	}
	return names
})

// BestEngine is machine code where that can be made, and the interpreter elsewhere.
func BestEngine() string {
	if slices.Contains(Engines(), "jit") {
		return "jit"
	}
	return "interp"
}

// FastestEngine is what runs a function that is compiled as a whole: machine code where that can be
// made.
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

// compile is how the interpreter compiles a program with these settings.
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

// trivial is a program that every engine runs.
func trivial() *loop.Program {
	x := loop.NewVar("x", loop.F64)
	f := &loop.Func{Name: "identity", Params: []*loop.Var{x}, Body: &loop.Block{Yield: []loop.Atom{x}}}
	return &loop.Program{Funcs: []*loop.Func{f}}
}
