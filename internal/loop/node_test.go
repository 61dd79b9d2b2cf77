package loop_test

import (
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestNodes: variables that several goroutines make at once are different, and what each is made
// with stays.
func TestNodes(t *testing.T) {
	const goroutines, each = 8, 2000
	made := make([][]*loop.Let, goroutines)
	var wait sync.WaitGroup
	for g := range made {
		wait.Go(func() {
			x := loop.NewVar("x", loop.F64)
			for len(made[g]) < each {
				y := loop.FreshLoad("y", loop.NewVar("ys", loop.F64s), loop.Int(int64(g))).Var
				add := loop.FreshLet("sum", loop.AddF, x, y)
				made[g] = append(made[g], add, loop.FreshLet("all", loop.Fma, x, y, add.Var), loop.NewLet(y, loop.NegF, add.Var))
				x = add.Var
			}
		})
	}
	wait.Wait()
	var of loop.VarMap[*loop.Let]
	for _, lets := range made {
		var x *loop.Var
		for k := 0; k < len(lets); k += 3 {
			add, all, neg := lets[k], lets[k+1], lets[k+2]
			for _, s := range lets[k : k+3] {
				if other := of.Get(s.Var); other != nil {
					t.Fatalf("%v and %v have the same number", s, other)
				}
				of.Set(s.Var, s)
			}
			y := add.Args[1]
			if x != nil && add.Args[0] != x || add.Op != loop.AddF || len(all.Args) != 3 || all.Args[1] != y ||
				all.Args[2] != loop.Atom(add.Var) || neg.Var != y || len(neg.Args) != 1 {
				t.Fatalf("the statements are %v, %v and %v", add, all, neg)
			}
			x = add.Var
		}
	}
}
