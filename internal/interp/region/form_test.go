package region

import (
	"errors"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

const threeFunctions = `def f : []Real -> Real =
  let f : []Real -> Real = fun (xs : []Real) ->
    let t : Real = reduce (acc : Real) (x : Real) from 0.0 in xs ->
      let t.1 : Real = %max[Real] 0.0 x
      let t.2 : Real = %+[Real] acc t.1
      ret t.2
    ret t
  ret f
def g : []Real -> []Real =
  let g : []Real -> []Real = fun (xs : []Real) ->
    let t : (Real, []Real) = %reverse[[]Real, Real] @f xs 1.0
    let t.1 : []Real = proj 1 t
    ret t.1
  ret g
def k : Real -> Real =
  let k : Real -> Real = fun (x : Real) ->
    let t : Real = %gammaP 2.0 x
    let t.1 : []Real = [t]
    let t.2 : Real = reduce (acc : Real) (x : Real) from 0.0 in t.1 ->
      let t.3 : Real = %+[Real] acc x
      ret t.3
    ret t.2
  ret k
`

// regionOf finds the region that is the whole of a definition, or tells why there is none.
func regionOf(t *testing.T, name string, engine machine.Engine) (r *Region, state string) {
	t.Helper()
	program, d := core.Parse("test", threeFunctions)
	if d != nil {
		t.Fatal(d)
	}
	var parts []machine.Part
	c := New(program, &machine.Options{Engine: engine, Parts: func(p machine.Part) {
		parts = append(parts, p)
	}})
	r = c.writer(name, false).planned(c.source.FunctionOf(name).Body).region
	if r == nil && len(parts) > 0 {
		state = parts[0].State()
	}
	return r, state
}

func byPortable(p *loop.Program) (loop.Code, error) { return portable.Compile(p.Funcs[0]), nil }

// TestStatesOfForms: a form is compiled once. It is fresh again where the time was up, and is
// refused with the reason of whoever could not make it.
func TestStatesOfForms(t *testing.T) {
	calls := 0
	var failure error
	ended := false
	r, _ := regionOf(t, "g", func(p *loop.Program) (loop.Code, error) {
		calls++
		if ended {
			panic(&stop.Reached{})
		}
		if failure != nil {
			return nil, failure
		}
		return byPortable(p)
	})
	if r.first() != nil || r.isCompiling() || r.forms[plain].refusal() != nil {
		t.Error("a region is not fresh")
	}
	ended = true
	func() {
		defer func() {
			if _, stopped := recover().(*stop.Reached); !stopped {
				t.Error("the end of the time is lost")
			}
		}()
		r.take(nil)
	}()
	if calls != 1 || r.first() != nil || r.isCompiling() || r.demand.stage.Load() != cold {
		t.Error("a region that was not compiled in time is not fresh")
	}
	ended = false
	for turn := range 2 {
		if first, now := r.take(nil); first == nil || first.kind != plain || now != (turn == 0) {
			t.Errorf("turn %d: %v, %t", turn, first, now)
		}
	}
	if calls != 2 || r.forms[comparing].refusal() != errNotCompared {
		t.Errorf("compiled %d times; rules: %v", calls, r.forms[comparing].refusal())
	}
	failure = errors.New("the engine is out of order")
	for range 2 {
		if r.settle(resolved, nil) != nil {
			t.Error("a form is ready that the engine refused")
		}
	}
	if calls != 3 || r.forms[resolved].refusal() != failure || r.first() == nil {
		t.Errorf("compiled %d times; refused for %v", calls, r.forms[resolved].refusal())
	}
	if got := r.explain(); got != "compiled" {
		t.Errorf("it is said to be %s", got)
	}
}

// TestRefusals: what is not compiled has a reason that can be shown.
func TestRefusals(t *testing.T) {
	if r, state := regionOf(t, "k", byPortable); r != nil || !strings.Contains(state, "gammaP") {
		t.Errorf("%v, %q", r, state)
	}
	r, _ := regionOf(t, "f", func(*loop.Program) (loop.Code, error) {
		return nil, errors.New("the engine is out of order")
	})
	if got := r.explain(); !strings.Contains(got, "not reached") {
		t.Errorf("before it is reached: %s", got)
	}
	if first, _ := r.take(nil); first != nil {
		t.Error("it is ready")
	}
	if got := r.explain(); got != "not compiled: the engine is out of order" {
		t.Errorf("where it is refused: %s", got)
	}
	kept := errors.New("a check failed")
	ready, _ := regionOf(t, "f", byPortable)
	ready.take(nil)
	for range maxGivenUp {
		ready.demand.gaveUp(kept)
	}
	if got := ready.explain(); !strings.Contains(got, "given up 3 times in a row: a check failed") {
		t.Errorf("where it rests: %s", got)
	}
	if !ready.demand.tired() {
		t.Error("it does not rest")
	}
}
