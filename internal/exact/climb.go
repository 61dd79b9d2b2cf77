package exact

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/task"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// outcome is what one rung came to, for one part.
type outcome struct {
	tree    value.Value // nil if there is none
	width   jet.Mag     // of the widest real in it
	unknown bool        // some real is
	err     error
	tie     *decision0 // a kink or comparison that was not decided
	trouble trouble
	calls   int64 // of functions by searches
	fresh   int64 // those of them that no other part had made before
}

// decision0 holds what a diagnostic says of a decision.
type decision0 struct {
	at    diag.Span
	jump  bool
	diff  string  // the enclosure of the difference
	width jet.Mag // of it
}

// climber is a part on its way up the ladder.
type climber struct {
	*part
	best  value.Value // what all rungs together know; nil if that is nothing
	last  outcome     // of the last rung
	next  int         // the position of the next effort
	cost  int64       // the calls of all efforts
	calls int64       // and those of the rungs
	idle  int         // rungs in a row that gained nothing
	state state
}

// state is how far a part has come.
type state int

const (
	climbing state = iota
	reached        // every real is narrow enough
	halted         // more precision cannot help: see stuck
	spent          // nor more effort, as it seems
)

// climb runs the parts, each rung after rung, until they are narrow. Those that have cost least go
// next: the time may not suffice for the others.
func (r *runner) climb() (value.Value, *diag.Diagnostic) {
	climbers := r.climbers()
	ladder := rungs(r.options.Eps)
	if r.options.Patient {
		for k := range ladder[:mostPatient] {
			ladder[k].patient, ladder[k].calls = true, math.MaxInt64
		}
	}
	efforts := append(r.previews(), ladder...)
	for active := slices.Clone(climbers); len(active) > 0; {
		slices.SortStableFunc(active, func(a, b *climber) int { return cmp.Compare(a.cost, b.cost) })
		bound := 2*active[0].cost + 100
		var p Progress
		var failure *diag.Diagnostic
		for _, c := range active {
			if c.cost > bound {
				break
			}
			e := &efforts[c.next]
			o := r.promptly(e, c.part)
			p.Bits, p.Rung, p.Calls = e.bits, e.rung, p.Calls+o.fresh
			if errors.As(o.err, &failure) {
				break
			}
			r.advance(c, e, o, ladder[len(ladder)-1].rung+1)
			if c.next < len(efforts) && efforts[c.next].finer && !r.near(o) {
				c.next++
			}
			if c.next == len(efforts) && c.state == climbing {
				c.state = spent
			}
		}
		if r.options.Watch != nil {
			p.Value = r.known(climbers)
			r.options.Watch(p)
		}
		if failure != nil {
			return r.failed(climbers, failure)
		}
		active = slices.DeleteFunc(active, func(c *climber) bool { return c.state != climbing })
		r.forget(efforts, active)
	}
	for _, c := range climbers {
		switch c.state {
		case halted:
			return r.known(climbers), notNarrowed(c)
		case spent:
			return r.known(climbers), r.gaveUp(c, &ladder[0])
		}
	}
	return r.known(climbers), nil
}

// mostPatient is how many of the first rungs are patient: what neither doubles nor the precision after
// them decide is seldom a matter of time.
const mostPatient = 3

// climbers is the parts, before their first rung.
func (r *runner) climbers() []*climber {
	climbers := make([]*climber, len(r.parts))
	for k, p := range r.parts {
		climbers[k] = &climber{part: p}
	}
	return climbers
}

// failed is the end of a run that hit a bound, or whose program fails: then it has no value.
func (r *runner) failed(climbers []*climber, d *diag.Diagnostic) (value.Value, *diag.Diagnostic) {
	if !d.Span.Known() { // in a derivative of the table
		d.Span = r.program.Main.At
	}
	if d.Code.Limit() {
		return r.known(climbers), d
	}
	return nil, d
}

// forget drops what was computed on the rungs below all parts.
func (r *runner) forget(efforts []effort, active []*climber) {
	lowest := len(efforts)
	for _, c := range active {
		lowest = min(lowest, c.next)
	}
	for k := range efforts[:lowest] {
		delete(r.machine.rungs, &efforts[k])
	}
}

// advance takes the outcome of a rung, or of a preview. The ladder has so many rungs.
func (r *runner) advance(c *climber, e *effort, o outcome, ladder int) {
	c.next++
	c.cost += o.calls
	if o.tree != nil {
		c.best = narrower(c.best, o.tree)
		if narrow(c.best) {
			c.state = reached
			return
		}
	}
	if e.preview || e.finer {
		return
	}
	before := c.last
	c.last = o
	c.calls += o.calls
	if c.idle++; !outOfReach(before, o, ladder-e.rung-1, e.tol) {
		c.idle = 0
	}
	hopeless := o.tree != nil && o.unknown && e.bits >= max(unknownBits, 4*firstMultiBits(r.options.Eps))
	switch {
	case stuck(before, o):
		c.state = halted
	case hopeless, c.idle >= maxIdle, c.calls > maxCalls:
		c.state = spent
	}
}

// near tells whether searches made the outcome of doubles too wide, but not by much.
func (r *runner) near(o outcome) bool {
	return o.tree != nil && !o.unknown && o.calls > 0 && o.width.Less(magOf(r.options.Eps).MulFloat(nearby))
}

// known is what is known of the result; nil if that is nothing.
func (r *runner) known(climbers []*climber) value.Value {
	best := map[*part]value.Value{}
	shown, some := 0, 0
	for _, c := range climbers {
		if c.def != nil {
			shown++
			if c.best != nil {
				some++
				best[c.part] = c.best
			}
		}
	}
	if some == 0 && shown > 0 {
		return nil
	}
	return r.tree.assemble(func(p *part) value.Value {
		if v := best[p]; v != nil {
			return v
		}
		return value.Unknown{}
	})
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
// behind (Note [Work left behind] of package task); nothing that it works on is used again.
func (r *runner) promptly(e *effort, p *part) outcome {
	b := &r.machine.budget
	if b.ctx.Done() == nil && b.deadline.IsZero() {
		return r.attempt(e, p)
	}
	ctx := b.ctx
	if !b.deadline.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, b.deadline)
		defer stop()
	}
	beside, d := task.Begin(ctx, func() outcome { return r.attempt(e, p) })
	if d != nil {
		d.Span = r.program.Main.At
		return outcome{err: d}
	}
	select {
	case <-beside.Finished():
		return beside.Result()
	case <-ctx.Done():
	}
	select {
	case <-beside.Finished(): // which has seen the same and says it with more detail
		return beside.Result()
	case <-time.After(grace):
	}
	beside.Leave()
	late := newBudget(b.ctx, b.limits)
	return outcome{err: late.check(r.program.Main.At)}
}

// grace is how long after the end of its time an evaluation may notice that itself.
const grace = 20 * time.Millisecond

// explain evaluates a part once more, to find out why something is unknown.
func (r *runner) explain(e *effort, p *part) trouble {
	again := *e // not the effort that definitions were computed with
	r.machine.explaining = true
	return r.attempt(&again, p).trouble
}

// attempt computes a part on one rung, and what it needs if no other part has needed that there.
func (r *runner) attempt(e *effort, p *part) outcome {
	if r.powers == nil {
		return r.evaluatePart(e, p, nil)
	}
	return r.evaluatePart(e, p, func(v slots) (slots, types.Type, error) {
		return r.machine.tower(p.def.Type, v, r.powers)
	})
}

// evaluatePart is attempt for what is made of the part's value, if that is not nil.
func (r *runner) evaluatePart(
	e *effort, p *part, make func(v slots) (slots, types.Type, error),
) (o outcome) {
	m := r.machine
	m.turnTo(e)
	n := m.N
	m.mode, m.term = r.options.Mode, nil
	m.useRules, m.proof = r.options.Rules, r.options.Proof
	m.trustRules, m.ruleCompared = r.options.TrustRules, r.options.RuleCompared
	m.boxWatch = r.options.Boxes
	enclosure := func(x jet.Jet) Enclosure {
		if !x.Known() {
			return unbounded(r.options.Eps)
		}
		lo, hi := Ends(x.Val())
		return Enclosure{lo, hi, r.options.Eps}
	}
	if m.enclose = nil; r.options.Inspect != nil {
		m.record, m.enclose = &r.shown, func(x jet.Jet) value.Value { return enclosure(x) }
	}
	if r.options.Term != nil {
		m.term = func(form jet.Jet) { r.options.Term(nodes(m.Term(form), enclosure)) }
	}
	defer func() { m.stack = stack{} }() // what it refers to may be large
	see := func(d outside, fresh bool) error {
		o.calls += d.calls
		if fresh {
			o.fresh += d.calls
		}
		if o.tie == nil && d.first.met {
			o.tie = &decision0{d.first.at, d.first.jump, n.String(d.first.diff.Val()), n.Width(d.first.diff.Val())}
		}
		if o.trouble.code == "" {
			o.trouble = d.trouble
		}
		return d.err
	}
	for _, name := range p.needs {
		if o.err = see(m.define(m.values[name])); o.err != nil {
			return o
		}
	}
	if p.def == nil {
		o.tree = value.Tuple{}
		return o
	}
	ty, result := p.def.Type, m.constants(m.values[p.def.Name].at)
	if make != nil {
		d := m.outside(func() (err error) {
			result, ty, err = make(result)
			return err
		})
		if o.err = see(d, true); o.err != nil {
			return o
		}
	}
	o.tree = m.export(ty, result, func(x jet.Jet) value.Value {
		o.unknown = o.unknown || !x.Known()
		o.width = o.width.Max(n.Width(x.Val()))
		return enclosure(x)
	})
	return o
}

// ---- what to say at the end

func notNarrowed(c *climber) *diag.Diagnostic {
	o := c.last
	d := diag.Errorf(diag.NotNarrowed, o.tie.at, "the enclosure cannot be narrowed: it is %s, whatever the effort", value.ShowAtMost(c.best, 10))
	if o.trouble.code != "" && o.trouble.at == o.tie.at {
		return d.WithLabel("%s", o.trouble.what)
	}
	return d.WithLabel("both sides are equal here, and have different derivatives").
		WithHint("the derivative at a kink is the interval of all slopes beside it")
}

// gaveUp explains why the last rung was not enough.
func (r *runner) gaveUp(c *climber, first *effort) *diag.Diagnostic {
	last := c.last
	if last.unknown && last.trouble.code == "" {
		last.trouble = r.explain(first, c.part)
	}
	var d *diag.Diagnostic
	var digits *unknownDigits
	switch {
	case errors.As(last.err, &digits):
		d = diag.Errorf(diag.NoText, digits.at, "this real may lie between two numbers of so many digits").
			WithLabel("it is in %s", digits.in).
			WithHint("ask for another number of digits")
	case errors.Is(last.err, errUndecided) && last.tie != nil:
		d = diag.Errorf(diag.Undecided, last.tie.at, "these reals may be equal, and then this has no value").
			WithLabel("the difference is in %s", last.tie.diff).
			WithHint("`max`, `min` and `abs` are defined at ties, comparisons are not")
	case last.trouble.code != "":
		d = diag.Errorf(last.trouble.code, last.trouble.at, "%s", last.trouble.what)
		d.Hints = last.trouble.hints
	case last.tie != nil && !last.tie.jump:
		d = diag.Errorf(diag.EffortSpent, last.tie.at, "the effort ran out before the enclosure was narrow enough").
			WithLabel("the two sides may be equal here")
	default:
		d = diag.Errorf(diag.EffortSpent, r.program.Main.At, "the effort ran out before the enclosure was narrow enough")
	}
	return d
}
