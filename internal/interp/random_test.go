package interp

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Random programs give what the reference evaluator gives, or fail with the
// same code at the same place.
func TestRandomPrograms(t *testing.T) {
	n := int64(property.Rounds(500))
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
		code, d := Compile(p)
		if d != nil {
			t.Fatal(d)
		}
		got := ""
		if v, d := code.Run(context.Background(), DefaultLimits()); d != nil {
			got = fmt.Sprint(d.Code, " ", d.Span.Start)
		} else {
			got = value.Show(v)
		}
		if got != want {
			t.Fatalf("seed %d: got %s, want %s\n%s\n%s", seed, got, want, core.Print(p), code.Disassemble())
		}
	}
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

// Under tight limits a program gives what it gives, or a limit's error.
func TestRandomLimits(t *testing.T) {
	for seed := range int64(150) {
		p := coretest.Generate(rand.New(rand.NewSource(seed)))
		code, d := Compile(p)
		if d != nil {
			t.Fatal(d)
		}
		run := func(lim Limits) string {
			v, d := code.Run(context.Background(), lim)
			if d != nil {
				return string(d.Code)
			}
			return value.Show(v)
		}
		want := run(Limits{})
		for _, lim := range []Limits{{Memory: 300}, {Memory: 3000}, {Depth: 2}, {Depth: 5}} {
			if got := run(lim); got != want && got != string(diag.MemoryLimit) && got != string(diag.DepthLimit) {
				t.Fatalf("seed %d, %+v: got %s, want %s", seed, lim, got, want)
			}
		}
	}
}
