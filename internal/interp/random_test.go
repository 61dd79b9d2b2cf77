package interp

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Random programs give what the reference evaluator gives, or fail with the
// same code at the same place, in every way of compiling them.
func TestRandomPrograms(t *testing.T) {
	n := int64(2000)
	if testing.Short() {
		n = 300
	}
	kernels := 0
	for seed := range n {
		p := coretest.Generate(rand.New(rand.NewSource(seed)))
		numberPlaces(p)
		v, d := coretest.Eval(p)
		var want string
		if d != nil {
			want = fmt.Sprint(d.Code, " ", d.Span.Start)
		} else {
			want = value.Show(coretest.Export(v, p.Main.Type))
		}
		for _, opts := range []Options{{strip: 2}, {NoVector: true}} {
			code, d := CompileWith(p, opts)
			if d != nil {
				t.Fatal(d)
			}
			kernels += len(code.lib.kernels)
			got := ""
			if v, d := code.Run(context.Background(), DefaultLimits()); d != nil {
				got = fmt.Sprint(d.Code, " ", d.Span.Start)
			} else {
				got = value.Show(v)
			}
			if got != want {
				t.Fatalf("seed %d, %+v: got %s, want %s\n%s\n%s", seed, opts, got, want, core.Print(p), code.Disassemble())
			}
		}
	}
	t.Logf("%d bodies were vector code", kernels)
}

// numberPlaces gives every statement a place of its own.
func numberPlaces(p *core.Program) {
	file := diag.NewFile("generated", "")
	place := int32(0)
	p.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				place++
				let.At = diag.Span{File: file, Start: place, End: place}
			}
		})
	})
}
