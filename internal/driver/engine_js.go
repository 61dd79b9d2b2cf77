//go:build js

package driver

import (
	"github.com/fluxion-lang/fluxion/internal/engine/wasm"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// When Fluxion itself runs as WebAssembly, compiled parts are WebAssembly modules of their own.
// engine_native.go documents these variables.

var engineNames = []string{"interp", "wasm"}

var engines = map[string]func(p *loop.Program, s Settings) (loop.Code, error){
	"interp": nil,
	"wasm":   func(p *loop.Program, _ Settings) (loop.Code, error) { return compiled(p, false) },
}

var deterministic = map[string]interp.Engine{"interp": exactly, "wasm": exactly}

func exactly(p *loop.Program) (loop.Code, error) { return compiled(p, true) }

func compiled(p *loop.Program, deterministic bool) (loop.Code, error) {
	code, err := wasm.Compile(p, deterministic)
	if err != nil {
		return nil, err
	}
	return code, nil
}
