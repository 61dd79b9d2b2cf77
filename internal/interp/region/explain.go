package region

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// String names what a region stands for.
func (r role) String() string {
	return [...]string{"an operation", "as a whole", "the turns left of a loop", "a derivative"}[r]
}

// found tells of a region that was put in the program.
func (w *writer) found(r *Region) {
	w.tell(r.role, r.block, r.explain)
}

// refused tells of a block that is not a region, and why.
func (w *writer) refused(as role, b *core.Block, why func() error) {
	w.tell(as, b, func() string { return "not compiled: " + reason(why()) })
}

func (w *writer) tell(as role, b *core.Block, state func() string) {
	if w.c.parts != nil {
		w.c.parts(machine.Part{Definition: w.name, At: placeOf(b), What: as.String(), State: state})
	}
}

// placeOf returns the first place in a block, outside of the local functions that it begins with.
func placeOf(b *core.Block) (at diag.Span) {
	for _, s := range slices.Backward(b.Stmts) {
		if let, ok := s.(*core.Let); ok && let.At.Known() {
			if _, function := let.Op.(*core.Lambda); !function || !at.Known() {
				at = let.At
			}
		}
	}
	return at
}

func errTaken(v *core.Var) error {
	return fmt.Errorf("it is given `%s`, which has functions in it", v.Name)
}

// refusal returns why a block that was to be a region is refused.
func (r *Region) refusal() error {
	switch {
	case r.value == nil:
		return fmt.Errorf("its result is of type %s", types.Show(r.Result()))
	case !r.loops:
		return errNoLoops
	}
	_, err := r.lower(plain, nil)
	return err
}

// reason says why a form was refused.
func reason(err error) string {
	var missing *lower.NotCovered
	switch {
	case err == nil:
		return "a definition that it uses is not covered"
	case !errors.As(err, &missing):
		return err.Error()
	case !missing.At.Known():
		return missing.What
	}
	return missing.What + " at " + missing.At.String()
}

// explain tells the state of a region, and of its derivatives if it is an entry of the tape.
func (r *Region) explain() string {
	r.demand.mu.Lock()
	reached, failed, cause := r.demand.reached, r.demand.failed, r.demand.cause
	r.demand.mu.Unlock()
	var out strings.Builder
	switch refused := r.forms[plain].refusal(); {
	case r.first() != nil:
		out.WriteString("compiled")
		if r.forms[resolved].ready() != nil {
			out.WriteString(", with kinks resolved")
		}
		if failed > 0 {
			fmt.Fprintf(&out, "; given up %d times in a row: %s", failed, cause)
		}
	case refused != nil:
		out.WriteString("not compiled: " + reason(refused))
	case reached == 0:
		out.WriteString("not compiled: it was not reached, or only with few elements")
	default:
		fmt.Fprintf(&out, "not compiled: it was reached %d times, with too little work", reached)
	}
	r.derived.mu.Lock()
	defer r.derived.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.derived.by)) {
		state := "not covered"
		if d := r.derived.by[key]; d != nil {
			state = d.explain()
		}
		fmt.Fprintf(&out, "; its %s on the tape: %s", derivativeNames[key[0]], state)
	}
	return out.String()
}
