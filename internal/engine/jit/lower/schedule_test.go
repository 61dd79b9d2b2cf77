package lower

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/x86"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// turnsOf is a loop in lanes around one whose turns compute two functions of their state, store and
// check.
const turnsOf = `func f(n : i64, turns : i64, xs : f64s) {
  ys = alloc f64s n
  zs = alloc f64s n zero
  for i < n parallel lanes {
    x = xs[i]
    for t < turns, s : f64 = x {
      a = sigmoid s
      b = tanh s
      c = mul.f a b
      d = add.f c s
      ok = lt.i t 1000
      check ok
      zs[i] += a
      zs[i] += d
      yield d
    } gives last : f64
    ys[i] = last
  }
  yield ys zs
}`

// TestSchedule: the two functions of a turn take turns, every statement comes after those that it
// needs, and the program that is compiled stays as it is (Note [Schedule]).
func TestSchedule(t *testing.T) {
	p, err := loop.Parse(turnsOf)
	if err != nil {
		t.Fatal(err)
	}
	m := x86.NewTarget("avx512", ir.Processor{}, false)
	f := *p.Funcs[0]
	Inline(&f, true)
	before := f.String()
	old := f.Body
	schedule(&f, m, Options{})
	if now := (&loop.Func{Name: f.Name, Params: f.Params, Body: old}).String(); now != before {
		t.Errorf("the old body has changed:\n%s", now)
	}
	if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{&f}}); err != nil {
		t.Fatal(err)
	}
	turn := func(b *loop.Block) (out []loop.Stmt) {
		loop.Walk(b, func(s loop.Stmt) {
			if s, ok := s.(*loop.For); ok && len(s.States) > 0 {
				out = s.Body.Stmts
			}
		})
		return out
	}
	at := map[loop.Stmt]int{}
	for i, s := range turn(f.Body) {
		at[s] = i
	}
	var accums []int // where they are now, in the old order
	check, divides, other := -1, -1, -1
	for _, s := range turn(old) {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op == loop.DivF && divides < 0 {
				divides = at[s]
			}
			if s.Op == loop.AbsF { // the first operation of tanh
				other = at[s]
			}
		case *loop.Check:
			check = at[s]
		case *loop.Accum:
			accums = append(accums, at[s])
		}
	}
	if len(at) != len(turn(old)) || len(accums) != 2 || accums[0] > accums[1] || check > accums[0] {
		t.Errorf("%d statements are %d, the check is at %d, additions are at %v", len(turn(old)), len(at), check, accums)
	}
	if other < 0 || other > divides {
		t.Errorf("the functions do not take turns: sigmoid divides at %d, tanh begins at %d:\n%s", divides, other, f.String())
	}
}
