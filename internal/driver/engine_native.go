//go:build !js

package driver

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// engineNames lists the names of the engines, the slowest first.
var engineNames = []string{"interp", "portable", "jit"}

// engines maps the name of an engine to its compiler. The interpreter has none.
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

// deterministic lists engines that agree to the last bit, for any number of threads. They run the
// same loop form in the order of the program. The interpreter is one of them.
var deterministic = map[string]interp.Engine{
	"interp": ordered, "portable": ordered, "jit": func(p *loop.Program) (loop.Code, error) {
		code, err := jit.Compile(p, jit.Options{Deterministic: true})
		if err != nil {
			return ordered(p)
		}
		return code, nil
	},
}

func ordered(p *loop.Program) (loop.Code, error) { return portable.CompileOrdered(p.Funcs[0]), nil }
