package pass

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// TestDeadCodeIsReachability: the walk backwards keeps what the results and checks depend on, by
// following dependencies one by one, and nothing else.
func TestDeadCodeIsReachability(t *testing.T) {
	for seed := range looptest.Checks(200) {
		f, _ := looptest.Random(rand.New(rand.NewPCG(seed, 9)), looptest.Options{Updates: seed%2 == 0, Whiles: true, Size: 5})
		if len(f.Body.Yield) > 1 { // more is dead then
			f.Body.Yield = f.Body.Yield[:1]
		}
		before := f.String()
		d := newLiveness(f.Body)
		for _, a := range f.Body.Yield {
			d.use(a)
		}
		d.follow()
		var want, got loop.VarSet
		all := func(to *loop.VarSet, is func(*loop.Var) bool) func(loop.Stmt) {
			return func(s loop.Stmt) {
				loop.Defs(s, func(v *loop.Var) {
					if is(v) {
						to.Add(v)
					}
				})
			}
		}
		old := f.Body
		kept := 0
		for _, n := range d.nodes {
			if n.live {
				kept++
			}
		}
		DeadCode(f)
		loop.Walk(old, all(&want, d.vars.Has))
		loop.Walk(f.Body, all(&got, func(*loop.Var) bool { return true }))
		loop.Walk(old, func(s loop.Stmt) {
			loop.Defs(s, func(v *loop.Var) {
				// A loop has one variable for a state in its body and one for its result, and both
				// stay if one does.
				if got.Has(v) != want.Has(v) && !d.carried(s, v) {
					t.Errorf("seed %d: %s stays: %v\n%s\nfrom\n%s", seed, v.Name, got.Has(v), f, before)
				}
			})
		})
		if now := size(f.Body); now != kept {
			t.Errorf("seed %d: %d statements stay, and %d are live\n%s\nfrom\n%s", seed, now, kept, f, before)
		}
		d.release()
		once := f.Body
		if DeadCode(f); f.Body != once {
			t.Errorf("seed %d: a second run finds more\n%s", seed, f)
		}
	}
}

// carried tells whether a variable is the result of a state that is live.
func (d *liveness) carried(s loop.Stmt, v *loop.Var) bool {
	var states []loop.State
	switch s := s.(type) {
	case *loop.For:
		states = s.States
	case *loop.While:
		states = s.States
	}
	for _, st := range states {
		if st.Result == v {
			return d.vars.Has(st.Var)
		}
	}
	return false
}
