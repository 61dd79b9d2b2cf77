package loop

import (
	"slices"
	"testing"
)

// TestNested: a block of which the statements with blocks are kept, replaced or dropped has the
// others in their places, and is the same block if all are kept.
func TestNested(t *testing.T) {
	const kept, replaced, dropped = 0, 1, 2
	x := NewVar("x", F64)
	simple := func() Stmt { return FreshLet("y", AddF, x, x) }
	nested := func() Stmt { return &If{Cond: Truth(true), Then: &Block{}, Else: &Block{}} }
	for shape := range 32 {
		for what := range 3 * 3 * 3 {
			b := &Block{}
			for i := range 5 {
				if shape>>i&1 == 0 {
					b.Stmts = append(b.Stmts, simple())
				} else {
					b.Stmts = append(b.Stmts, nested())
				}
			}
			old := slices.Clone(b.Stmts)
			var want []Stmt
			out, all, left := Rebuild(b), true, what
			for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
				switch left % 3 {
				case kept:
					out.Add(b.Stmts[i])
				case replaced:
					out.Add(simple(), simple())
					all = false
				case dropped:
					all = false
				}
				left /= 3
			}
			left = what
			at := 0
			for _, s := range old {
				way := kept
				if Compound(s) {
					way, left = left%3, left/3
				}
				switch way {
				case kept:
					want = append(want, s)
					at++
				case replaced:
					want = append(want, out.Stmts[at:at+2]...)
					at += 2
				}
			}
			got := out.Rebuilt(b, b.Yield)
			if !slices.Equal(got.Stmts, want) || (got == b) != all || !slices.Equal(b.Stmts, old) {
				t.Fatalf("shape %b, what %d: %v, want %v", shape, what, got.Stmts, want)
			}
		}
	}
}
