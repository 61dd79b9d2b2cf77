package pass

import (
	"math"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// prove is Checks, and gives what has been found out about the integers of the new body.
func prove(f *loop.Func, k *known) *prover {
	p := provers.Get().(*prover)
	p.vars, p.terms = append(p.vars, variable{}), append(p.terms, facts.Term{})
	for _, v := range f.Params {
		p.bind(v)
	}
	if k != nil {
		for _, v := range k.lengths {
			p.variable(v).Span = facts.Span{Lo: 0, Hi: k.longest}
		}
	}
	f.Body = p.block(f.Body)
	return p
}

var provers = sync.Pool{New: func() any {
	p := &prover{vars: make([]variable, 0, 1024), terms: make([]facts.Term, 0, 1024), bound: make(facts.Poly, 0, 1), literals: [2]facts.Poly{make(facts.Poly, 0, 1), make(facts.Poly, 0, 1)}}
	for _, room := range []*facts.Poly{&p.rooms[0], &p.rooms[1], &p.rooms[2], &p.product, &p.sums[0], &p.sums[1], &p.sums[2]} {
		*room = make(facts.Poly, 0, 2*facts.MostTerms)
	}
	p.m, p.binds = loop.Mapper{Use: p.atom, Block: p.block, Share: true}, p.bind
	return p
}}

// release gives the memory back, for others.
func (p *prover) release() {
	clear(p.vars)
	clear(p.ors)
	p.vars, p.facts, p.ors, p.trail, p.terms = p.vars[:0], p.facts[:0], p.ors[:0], p.trail[:0], p.terms[:0]
	p.order.Clear()
	provers.Put(p)
}

// longest bounds the lengths of buffers, and mostTurns the counts of loops with checks: a loop
// that has more turns fails, so that the product of two indices does not wrap around.
const (
	longest   = 1 << 48
	mostTurns = 1 << 31
)

type prover struct {
	m     loop.Mapper        // of statements of which nothing is known
	binds func(*loop.Var)    // bind
	order loop.VarMap[int32] // the numbers of the variables
	vars  []variable         // by their numbers, in the order in which they are bound; the first is none
	facts []fact             // that hold
	ors   []disjunction      // that hold
	trail []found            // what holds in a part of the program only
	terms []facts.Term       // memory for polynomials that stay; the first is none
	near  []facts.Poly       // memory for facts that are relevant
	rooms [3]facts.Poly      // memory for polynomials that are asked about
	// Memory for literals as polynomials.
	literals [2]facts.Poly
	// Memory for what direct makes of them: the bound of a variable, a term times that, and sums.
	bound, product facts.Poly
	sums           [3]facts.Poly
}

// variable is what is known of an integer, a truth value or a buffer.
type variable struct {
	v          *loop.Var
	let        *loop.Let // which gives it, if one does
	to         loop.Atom // what takes its place, or nil
	facts.Span           // of an integer
	poly       ref       // what an integer is, if that is known
	upper      ref       // what an integer is at most, if that is known
}

// fact is a polynomial that is not negative, and the variables that it has.
type fact struct {
	ref
	vars facts.Variables
}

// disjunction is an operation that gives one, and the variables that its sides are operations on.
type disjunction struct {
	*loop.Let
	vars facts.Variables
}

// found is something that was found out: the truth value of a variable, a narrower enclosure
// instead of the one that it had, or without a variable a fact or a disjunction.
type found struct {
	number    int32
	truth, or bool
	was       facts.Span
}

// bind puts a variable at the end of the order, unless it is a double, of which nothing is known.
func (p *prover) bind(v *loop.Var) {
	if v.Kind != loop.F64 {
		p.add(v)
	}
}

// add puts a variable at the end of the order. What is known of it may be written to until the next
// one is added.
func (p *prover) add(v *loop.Var) *variable {
	n := len(p.vars)
	p.order.Set(v, int32(n))
	p.vars = append(p.vars, variable{v: v, Span: facts.Anywhere})
	return &p.vars[n]
}

// number is the place in the order of a variable, which is not a double.
func (p *prover) number(v *loop.Var) int32 {
	n := p.order.Get(v)
	if n == 0 {
		panic("pass: a variable is used before it is bound")
	}
	return n
}

// variable is what is known of a variable that is bound, until the next one is bound.
func (p *prover) variable(v *loop.Var) *variable { return &p.vars[p.number(v)] }

// atom is what an atom has become.
func (p *prover) atom(a loop.Atom) loop.Atom {
	if to := p.instead(a); to != nil {
		return to
	}
	return a
}

// instead is what takes the place of an atom, or nil if the atom stays.
func (p *prover) instead(a loop.Atom) (to loop.Atom) {
	for {
		v, ok := a.(*loop.Var)
		if !ok || v.Kind == loop.F64 {
			return to
		}
		if a = p.vars[p.order.Get(v)].to; a == nil {
			return to
		}
		to = a
	}
}

// atoms is what atoms have become; if none has changed, the same slice.
func (p *prover) atoms(as []loop.Atom) []loop.Atom {
	for i, a := range as {
		if p.instead(a) == nil {
			continue
		}
		out := slices.Clone(as)
		for k := i; k < len(out); k++ {
			out[k] = p.atom(out[k])
		}
		return out
	}
	return as
}

func (p *prover) span(a loop.Atom) facts.Span {
	switch a := a.(type) {
	case *loop.Const:
		return facts.Span{Lo: a.I, Hi: a.I}
	case *loop.Var:
		return p.variable(a).Span
	}
	return facts.Anywhere
}

// ref is what an integer is, as a polynomial that stays.
func (p *prover) ref(a loop.Atom) ref {
	if v, ok := a.(*loop.Var); ok {
		return p.itself(p.number(v))
	}
	return p.keep(facts.Const(p.literals[0][:0], a.(*loop.Const).I))
}

// itself is ref for a variable. One that is nothing else is a polynomial of one term.
func (p *prover) itself(number int32) ref {
	v := &p.vars[number]
	if v.poly == (ref{}) && number <= facts.MostNumber {
		v.poly = p.keep(append(p.bound[:0], facts.Term{M: facts.OfVariable(number), C: 1}))
	}
	return v.poly
}

// poly is what an integer is.
func (p *prover) poly(a loop.Atom) facts.Poly { return p.of(p.ref(a)) }

// operand is what is known of an integer. A literal becomes a polynomial in the memory of another
// one that is empty.
func (p *prover) operand(out facts.Poly, a loop.Atom) (facts.Span, facts.Poly) {
	if v, ok := a.(*loop.Var); ok {
		n := p.number(v)
		return p.vars[n].Span, p.of(p.itself(n))
	}
	k := a.(*loop.Const)
	return facts.Span{Lo: k.I, Hi: k.I}, facts.Const(out, k.I)
}

// undo takes back what was found out since the trail had a length.
func (p *prover) undo(mark int) {
	for len(p.trail) > mark {
		switch t := p.trail[len(p.trail)-1]; {
		case t.or:
			p.ors = p.ors[:len(p.ors)-1]
		case t.number == 0:
			p.facts = p.facts[:len(p.facts)-1]
		case t.truth:
			p.vars[t.number].to = nil
		default:
			p.vars[t.number].Span = t.was
		}
		p.trail = p.trail[:len(p.trail)-1]
	}
}

// narrow makes the enclosure of a variable smaller.
func (p *prover) narrow(number int32, s facts.Span) {
	v := &p.vars[number]
	s = facts.Span{Lo: max(v.Lo, s.Lo), Hi: min(v.Hi, s.Hi)}
	if s == v.Span || s.Lo > s.Hi {
		return
	}
	p.trail = append(p.trail, found{number: number, was: v.Span})
	v.Span = s
}

// fact takes note that a polynomial is not negative.
func (p *prover) fact(e facts.Poly) {
	if len(e) == 0 {
		return
	}
	p.facts = append(p.facts, fact{p.keep(e), e.Variables()})
	p.trail = append(p.trail, found{})
	c := e.Constant()
	if len(e) > 2 || len(e) == 2 && c == 0 || e[0].M == 0 || e[0].M.Rest() != 0 {
		return
	}
	switch v := e[0].M.Last(); e[0].C {
	case 1:
		p.narrow(v, facts.Span{Lo: -c, Hi: math.MaxInt64})
	case -1:
		p.narrow(v, facts.Span{Lo: math.MinInt64, Hi: c})
	}
}

var yes, no = loop.Truth(true), loop.Truth(false)

// truth is a literal.
func truth(holds bool) *loop.Const {
	if holds {
		return yes
	}
	return no
}

// assume takes note that a condition holds, or does not.
func (p *prover) assume(cond loop.Atom, holds bool) {
	v, ok := cond.(*loop.Var)
	if !ok {
		return
	}
	number := p.number(v)
	p.vars[number].to = truth(holds)
	p.trail = append(p.trail, found{number: number, truth: true})
	let := p.vars[number].let
	if let == nil {
		return
	}
	a := let.Args
	less := func(x, y loop.Atom, by int64) {
		p.fact(p.difference(y, x).Along(p.rooms[1][:0], 1, -by))
	}
	switch {
	case let.Op == loop.Not:
		p.assume(a[0], !holds)
	case let.Op == loop.And && holds, let.Op == loop.Or && !holds:
		p.assume(a[0], holds)
		p.assume(a[1], holds)
	case let.Op == loop.Or:
		p.ors = append(p.ors, disjunction{let, p.operands(a[0]) | p.operands(a[1])})
		p.trail = append(p.trail, found{or: true})
	case let.Op == loop.LtI && holds:
		less(a[0], a[1], 1)
	case let.Op == loop.LtI:
		less(a[1], a[0], 0)
	case let.Op == loop.LeI && holds:
		less(a[0], a[1], 0)
	case let.Op == loop.LeI:
		less(a[1], a[0], 1)
	case let.Op == loop.EqI && holds, let.Op == loop.NeI && !holds:
		less(a[0], a[1], 0)
		less(a[1], a[0], 0)
	case let.Op == loop.EqI, let.Op == loop.NeI:
		p.apart(a[0], a[1])
		p.apart(a[1], a[0])
	}
}

// decide takes note of the sides of disjunctions whose other sides do not hold where the count of a
// loop is positive. A check that has left a loop is a disjunction, and inside of the loop one side
// of it holds.
func (p *prover) decide(count *loop.Var) {
	known, n := len(p.ors), facts.SetOf(p.number(count))
	for i := max(0, known-32); i < len(p.ors); i++ { // assuming one adds those that are its sides
		if i < known && p.ors[i].vars&n == 0 {
			continue
		}
		a := p.ors[i].Args
		for k := range a {
			if i < known {
				if let := p.let(a[k]); let == nil || !takes(let, count) {
					continue
				}
			}
			if !isTrue(p.atom(a[1-k])) && p.fails(a[k]) {
				p.assume(a[1-k], true)
			}
		}
	}
}

// operands are the variables that a truth value is an operation on.
func (p *prover) operands(a loop.Atom) facts.Variables {
	out := facts.Variables(0)
	if let := p.let(a); let != nil {
		for _, x := range let.Args {
			if v, ok := x.(*loop.Var); ok {
				out |= facts.SetOf(p.order.Get(v))
			}
		}
	}
	return out
}

// takes tells whether a variable is an argument of an operation.
func takes(s *loop.Let, v *loop.Var) bool {
	for _, a := range s.Args {
		if a, ok := a.(*loop.Var); ok && a == v {
			return true
		}
	}
	return false
}

// holds tells whether a condition is known to hold. It may have been computed further outside,
// where less is known.
func (p *prover) holds(cond loop.Atom) bool {
	let := p.let(cond)
	if let == nil {
		return isTrue(cond)
	}
	a := let.Args
	switch let.Op {
	case loop.LtI:
		return p.atLeast(a[1], a[0], 1)
	case loop.LeI:
		return p.atLeast(a[1], a[0], 0)
	case loop.And:
		return p.holds(p.atom(a[0])) && p.holds(p.atom(a[1]))
	case loop.Not:
		return p.fails(a[0])
	}
	return false
}

// fails tells whether a condition is known not to hold.
func (p *prover) fails(cond loop.Atom) bool {
	cond = p.atom(cond)
	if c, ok := cond.(*loop.Const); ok {
		return c.I == 0
	}
	let := p.let(cond)
	if let == nil {
		return false
	}
	a := let.Args
	switch let.Op { // it is enough to ask for the opposite
	case loop.LtI:
		return p.atLeast(a[0], a[1], 0)
	case loop.LeI:
		return p.atLeast(a[0], a[1], 1)
	}
	value, known := p.truth(let.Op, a)
	return known && !value
}

// apart takes note that an integer is not another one, which may be the end of its enclosure.
func (p *prover) apart(a, b loop.Atom) {
	v, ok := a.(*loop.Var)
	k, ok2 := b.(*loop.Const)
	if !ok || !ok2 {
		return
	}
	n := p.number(v)
	switch s := p.vars[n].Span; k.I {
	case s.Lo:
		p.narrow(n, facts.Span{Lo: s.Lo + 1, Hi: s.Hi})
	case s.Hi:
		p.narrow(n, facts.Span{Lo: s.Lo, Hi: s.Hi - 1})
	}
}

func (p *prover) let(a loop.Atom) *loop.Let {
	if v, ok := a.(*loop.Var); ok {
		return p.vars[p.order.Get(v)].let
	}
	return nil
}

// difference is x - y, until the next one is asked for.
func (p *prover) difference(x, y loop.Atom) facts.Poly {
	_, e := p.operand(p.literals[0][:0], x)
	_, f := p.operand(p.literals[1][:0], y)
	return e.Plus(p.rooms[0][:0], f, -1)
}

// atLeast tells whether x is known to be at least y + by, where by is 0 or 1.
func (p *prover) atLeast(x, y loop.Atom, by int64) bool {
	return p.notNegative(p.difference(x, y).Along(p.rooms[1][:0], 1, -by))
}

// truth is the value of an operation that gives a truth value: known tells whether it is known.
func (p *prover) truth(op *loop.Op, a []loop.Atom) (value, known bool) {
	switch op {
	case loop.LtI:
		holds, fails := p.sign(p.difference(a[1], a[0]), 1, 0)
		return holds, holds || fails
	case loop.LeI:
		holds, fails := p.sign(p.difference(a[1], a[0]), 0, -1)
		return holds, holds || fails
	case loop.EqI, loop.NeI:
		above, below := p.sign(p.difference(a[0], a[1]), 1, -1)
		return op == loop.NeI, above || below
	case loop.AddOver, loop.SubOver, loop.MulOver:
		_, fits := facts.Exact(wraps(op), p.span(a[0]), p.span(a[1]))
		return false, fits
	}
	return false, false
}

// wraps returns the operation that a test of wrapping around is about.
func wraps(over *loop.Op) *loop.Op {
	switch over {
	case loop.AddOver:
		return loop.AddI
	case loop.SubOver:
		return loop.SubI
	}
	return loop.MulI
}
