package jit

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestRefused: an operation without machine code is an error, also in a branch that gives a buffer.
func TestRefused(t *testing.T) {
	x, c, out := loop.NewVar("x", loop.F64), loop.NewVar("c", loop.Bool), loop.NewVar("out", loop.F64s)
	row := func(op *loop.Op) *loop.Block {
		var b loop.Builder
		y := b.Let("y", op, x)
		xs := loop.NewVar("xs", loop.F64s)
		b.Add(&loop.Alloc{Var: xs, Len: loop.Int(1)})
		b.Store(xs, loop.Int(0), y)
		return b.Block(xs)
	}
	var b loop.Builder
	b.Add(&loop.If{Results: []*loop.Var{out}, Cond: c, Then: row(loop.Toward), Else: row(loop.NegF)})
	f := &loop.Func{Name: "f", Params: []*loop.Var{x, c}, Body: b.Block(out)}
	if _, err := Compile(&loop.Program{Funcs: []*loop.Func{f}}, Options{}); err == nil {
		t.Error("compiled")
	}
}
