package exact

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Ladder]. Effort grows on a fixed ladder: doubles first, unless the tolerance is out
// of their reach, then balls whose precision doubles from rung to rung,
// starting from what the tolerance needs. Before it there are previews, so that soon something is known that
// can be shown, and handed out if the run is interrupted. Each rung evaluates the whole program
// again; since the cost of a rung is at least twice that of the one before, all
// of them together cost little more than the last. The climb ends
//
//   - when every real of the result is narrow enough;
//   - when the program fails, whatever the precision: an index out of range;
//   - when the result stays as wide as it is because of a kink that sits exactly where a
//     derivative was asked for (E0901);
//   - when searches are involved and the last maxIdle rungs have gained so little that
//     at that rate the rest of the ladder does not lead there, or when there
//     were maxCalls: a program without searches may need any precision and is cheap to
//     run again, but a search whose subdivision is exhausted only gets slower;
//   - when something is unknown, rather than wide, with unknownBits: that is not for want of
//     precision, and special functions take minutes beyond;
//   - on the last rung.

const (
	maxBits    = 1 << 16 // of the last rung, if the tolerance does not ask for more
	doubleBits = 53
	guardBits  = 30

	beyondDoubles = 60 // bits behind the point that a tolerance may need to be within their reach

	unknownBits = 1 << 12
	maxIdle     = 2
	maxCalls    = 1 << 21 // of functions by searches, beyond which no further rung is begun
)

// previews are the efforts that come before the ladder, unless the tolerance is wide, or wider
// ones came before it. They are cheap: they use doubles, and cut little.
func (r *runner) previews() []effort {
	need := -magOf(r.options.Eps).Exp()
	if r.options.Stream || need < 20 {
		return nil
	}
	all := []effort{{bits: doubleBits, tol: jet.Exp2(-10), cells: 8, calls: 1 << 16, preview: true}}
	if need >= beyondDoubles {
		all = append(all, effort{bits: doubleBits, tol: jet.Exp2(-30), cells: 1 << 10, calls: 1 << 17, preview: true})
	}
	return all
}

// firstMultiBits is the precision of the first rung above doubles.
func firstMultiBits(eps *big.Rat) uint {
	need := max(0, eps.Denom().BitLen()-eps.Num().BitLen()) + 1 + guardBits
	return uint(max(128, (need+63)/64*64))
}

// rungs is the ladder for a tolerance.
func rungs(eps *big.Rat) []effort {
	tol := magOf(eps)
	var ladder []effort
	add := func(bits uint, tol jet.Mag) {
		n := len(ladder)
		calls := int64(1) << min(18+n, 40)
		if bits == doubleBits {
			calls = 1 << 20 // they are ten times faster, at least
		}
		ladder = append(ladder, effort{rung: n, bits: bits, tol: tol, cells: 1 << min(12+n, 20), calls: calls})
	}
	quarter := tol.MulFloat(0.25)
	if tol.Exp() > -beyondDoubles {
		add(doubleBits, quarter)
	}
	first := firstMultiBits(eps)
	for bits := first; bits <= max(maxBits, 8*first); bits *= 2 {
		add(bits, quarter)
		quarter = quarter.MulFloat(1.0 / 64)
	}
	return ladder
}

// magOf is a rational as a magnitude, rounded down by at most a factor of two.
func magOf(q *big.Rat) jet.Mag {
	f, _ := new(big.Float).SetPrec(53).SetRat(q).Float64()
	if f > 1e-300 && f < 1e300 {
		return jet.MagOf(f).MulFloat(0.999)
	}
	return jet.Exp2(int64(q.Num().BitLen() - q.Denom().BitLen() - 1))
}

// outcome is what one rung came to.
type outcome struct {
	tree    value.Value // nil if there is none
	narrow  bool        // every real in it
	width   jet.Mag     // of the widest
	unknown bool        // some real is
	err     error
	tie     *decision0 // a kink or comparison that was not decided
	trouble trouble
	calls   int64
	panic   any // a bug
}

// decision0 is a decision without its number type.
type decision0 struct {
	at    diag.Span
	jump  bool
	diff  string  // the enclosure of the difference
	width jet.Mag // of it
}

// climb runs rung after rung.
func (r *runner) climb() (value.Value, *diag.Diagnostic) {
	var best, before outcome
	best.width = jet.InfMag()
	idle := 0 // rungs in a row that gained nothing
	calls := int64(0)
	ladder := rungs(r.options.Eps)
	for _, e := range append(r.previews(), ladder...) {
		o := r.promptly(e)
		if o.tree != nil && !best.width.Less(o.width) {
			best = o
		}
		if r.options.Watch != nil {
			r.options.Watch(Progress{Value: best.tree, Bits: e.bits, Rung: e.rung, Calls: o.calls})
		}
		if o.narrow {
			return o.tree, nil
		}
		var d *diag.Diagnostic
		if errors.As(o.err, &d) { // a bound was hit, or the program fails
			if !d.Span.Known() { // in a derivative of the table
				d.Span = r.program.Main.At
			}
			return best.tree, d
		}
		if e.preview {
			continue
		}
		if stuck(before, o) {
			return best.tree, notNarrowed(o)
		}
		calls += o.calls
		if idle++; !outOfReach(before, o, len(ladder)-e.rung-1, e.tol) {
			idle = 0
		}
		before = o
		if idle >= maxIdle || calls > maxCalls {
			break
		}
		if o.tree != nil && o.unknown && e.bits >= max(unknownBits, 4*firstMultiBits(r.options.Eps)) {
			break
		}
	}
	if before.unknown && before.trouble.code == "" {
		before.trouble = r.explain(ladder[0])
	}
	return best.tree, r.gaveUp(before)
}

// stuck tells whether more precision cannot help: there is a kink whose two sides
// are equal as far as the precision goes, and the result is as wide as it was on the rung before,
// but not because something is undefined.
func stuck(before, now outcome) bool {
	if now.tie == nil || now.tie.jump || before.tie == nil || before.tree == nil || now.tree == nil || now.err != nil || now.trouble.code == diag.Undefined {
		return false
	}
	shrunk := now.tie.width.IsZero() || now.tie.width.Less(before.tie.width.MulFloat(0x1p-20))
	same := now.unknown == before.unknown && !now.width.Less(before.width.MulFloat(0.9))
	return shrunk && same
}

// outOfReach tells, of a program with searches, that as many more rungs as are left, each of
// which gains what the last one did, do not lead to the tolerance.
func outOfReach(before, now outcome, left int, tol jet.Mag) bool {
	if now.calls == 0 || before.tree == nil && now.tree != nil || before.unknown && !now.unknown {
		return false
	}
	if now.tree == nil || now.unknown {
		return true // as before
	}
	gain := now.width.Exp() - before.width.Exp() // a logarithm, negative if there is one
	return now.width.Exp()+int64(left)*min(0, gain) > tol.Exp()
}

// promptly is attempt, but ends in time: one operation with many thousand bits may
// outlast the deadline, or what is left of the user's patience. Then it is left
// alone to finish; nothing that it works on is used again.
func (r *runner) promptly(e effort) outcome {
	b := &r.budget
	if b.ctx.Done() == nil && b.deadline.IsZero() {
		return r.attempt(e)
	}
	ctx := b.ctx
	if !b.deadline.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, b.deadline.Add(grace))
		defer stop()
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panic = recover() // for the caller, who says what to do
			done <- o
		}()
		o = r.attempt(e)
	}()
	select {
	case o := <-done:
		return o.orPanic()
	case <-ctx.Done():
	}
	select {
	case o := <-done: // which has seen the same and says it with more detail
		return o.orPanic()
	case <-time.After(grace):
	}
	late := newBudget(b.ctx, b.limits)
	late.deadline = b.deadline
	return outcome{err: late.check(r.program.Main.At)}
}

func (o outcome) orPanic() outcome {
	if o.panic != nil {
		panic(o.panic)
	}
	return o
}

// grace is how long after the end of its time an evaluation may notice that itself.
const grace = 50 * time.Millisecond

// attempt evaluates on one rung.
func (r *runner) attempt(e effort) outcome {
	if e.bits == doubleBits {
		if r.double == nil {
			r.double = newMachine(jet.Number[double](jet.Double{}), r.budget, r.program)
		}
		return evaluate(r.double, jet.Double{}, e, r)
	}
	n := jet.NewMulti(e.bits)
	if r.multi == nil {
		r.multi = newMachine(jet.Number[multi](n), r.budget, r.program)
	}
	return evaluate(r.multi, n, e, r)
}

// explain runs the program once more, to find out why something is unknown.
func (r *runner) explain(e effort) trouble {
	if e.bits == doubleBits {
		r.double.explaining = true
	} else {
		r.multi.explaining = true
	}
	return r.attempt(e).trouble
}

// evaluate runs the program once.
func evaluate[T any](m *machine[T], n jet.Number[T], e effort, r *runner) (o outcome) {
	m.Reset(n)
	m.restart(e)
	defer func() { m.stack = stack[T]{} }() // the next rung may be for the other machine
	o.err = m.prepare()
	result := makeSlots[T](m.main.result)
	if o.err == nil {
		o.err = m.evaluateMain(result)
	}
	ty := r.program.Main.Type
	if o.err == nil && r.powers != nil {
		result, ty, o.err = m.tower(ty, result, r.powers)
	}
	o.calls = m.calls
	first := m.frame.first
	if !first.met {
		first = m.frame.tie
	}
	if first.met {
		o.tie = &decision0{first.at, first.jump, n.String(first.diff.Val()), n.Width(first.diff.Val())}
	}
	o.trouble = m.frame.trouble
	if o.err != nil {
		return o
	}
	o.narrow = true
	o.tree = m.export(ty, result, func(x jet.Jet[T]) value.Value {
		lo, hi := ends(x.Val())
		enclosure := Enclosure{lo, hi, r.options.Eps}
		o.narrow = o.narrow && x.Known() && enclosure.narrow()
		o.unknown = o.unknown || !x.Known()
		o.width = o.width.Max(n.Width(x.Val()))
		return enclosure
	})
	return o
}

// ---- running

// restart prepares a machine for a rung.
func (m *machine[T]) restart(e effort) {
	m.effort, m.tol = e, e.tol
	m.Floor, m.degrees, m.ranging, m.calls = 0, m.degrees[:0], m.ranging[:0], 0
	m.frame = &frame[T]{watch: -1}
	m.depth, m.used = 0, 0
}

// prepare computes the constants of the program.
func (m *machine[T]) prepare() error {
	for _, f := range m.fill {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// evaluateMain computes the program's value.
func (m *machine[T]) evaluateMain(into slots[T]) error {
	f, err := m.enter(m.main, slots[T]{})
	if err != nil {
		return err
	}
	return m.evaluate(m.main, f, into)
}

// ---- what to say at the end

func notNarrowed(o outcome) *diag.Diagnostic {
	d := diag.Errorf(diag.NotNarrowed, o.tie.at, "the enclosure cannot be narrowed: it is %s, whatever the effort", value.ShowAtMost(o.tree, 10))
	if o.trouble.code != "" && o.trouble.at == o.tie.at {
		return d.WithLabel("%s", o.trouble.what)
	}
	return d.WithLabel("both sides are equal here, and have different derivatives").
		WithHint("the derivative at a kink is the interval of all slopes beside it")
}

// gaveUp explains why the last rung was not enough.
func (r *runner) gaveUp(last outcome) *diag.Diagnostic {
	var d *diag.Diagnostic
	switch {
	case errors.Is(last.err, errUndecided) && last.tie != nil:
		d = diag.Errorf(diag.Undecided, last.tie.at, "these reals may be equal, and then this has no value").
			WithLabel("the difference is in %s", last.tie.diff).
			WithHint("`max`, `min` and `abs` are defined at ties, comparisons are not")
	case last.trouble.code != "":
		d = diag.Errorf(last.trouble.code, last.trouble.at, "%s", last.trouble.what)
	case last.tie != nil && !last.tie.jump:
		d = diag.Errorf(diag.EffortSpent, last.tie.at, "the effort ran out before the enclosure was narrow enough").
			WithLabel("the two sides may be equal here")
	default:
		d = diag.Errorf(diag.EffortSpent, r.program.Main.At, "the effort ran out before the enclosure was narrow enough")
	}
	return d
}
