package tape

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Row is a row of the table of primitives as the tape needs it: applied
// to reals that may be boxed, and differentiated by the rules of the table.
type Row struct {
	prim   *prim.Prim
	Number uint16
	args   rowArgs
	kink   prim.KinkKind
	One    prim.Real1 // the evaluator, by what it takes
	Two    prim.Real2

	once     sync.Once
	partials [2]rule // with respect to the real arguments, in their order
}

// rowArgs says what a row of reals takes.
type rowArgs uint8

const (
	notReal rowArgs = iota // no row of reals
	oneReal
	twoReals
	realAndInt
	intAndReal
)

// The numbers of nodes that no row makes.
const (
	LeafNode   uint16 = iota // a variable of a derivative; the parent is what it stands for outside
	CustomNode               // a node with a rule of its own, in tape.customs
	WholeNode                // the same, of an array as a whole, which has no cotangent of its own
	firstRow
)

// allRows are the rows by their numbers, and the numbers of the rows.
var allRows = sync.OnceValue(func() []*Row {
	rows := make([]*Row, firstRow)
	for _, p := range prim.All() {
		r := &Row{prim: p, Number: uint16(len(rows)), kink: p.KinkKind}
		switch f := p.Float.(type) {
		case prim.Real1:
			r.args, r.One = oneReal, f
		case prim.Real2:
			r.args, r.Two = twoReals, f
		case prim.RealInt:
			r.args = realAndInt
		case prim.IntReal:
			r.args = intAndReal
		default:
			continue
		}
		rows = append(rows, r)
	}
	return rows
})

// rowsByID are the rows by their identities; nil for those that are not of reals.
var rowsByID = sync.OnceValue(func() *[prim.Count]*Row {
	var rows [prim.Count]*Row
	for _, r := range allRows()[firstRow:] {
		rows[r.prim.ID] = r
	}
	return &rows
})

// RowOf finds a row.
func RowOf(id prim.ID) *Row { return rowsByID()[id] }

// value is the row at plain reals.
func (r *Row) value(x, y float64, n int64) float64 {
	switch r.args {
	case oneReal:
		return r.One(x)
	case twoReals:
		return r.Two(x, y)
	case realAndInt:
		return r.prim.Float.(prim.RealInt)(x, n)
	}
	return r.prim.Float.(prim.IntReal)(n, x)
}

// partial is the rule of the n-th real argument.
func (r *Row) partial(n int) *rule {
	r.once.Do(func() {
		arg := 0
		if r.args == intAndReal {
			arg = 1
		}
		for k := range r.prim.Partials {
			r.partials[k] = compileRule(rules.Partial(r.prim, arg+k), r.args)
		}
	})
	return &r.partials[n]
}

// rule is a partial derivative from the table: a constant, one of the
// arguments or the result, or a little program.
type rule struct {
	kind  ruleKind
	value float64 // ruleConstant
	from  int     // ruleOperand: which real
	body  ruleBlock
	reals int // how many places the program needs
	ints  int
}

type ruleKind uint8

const (
	ruleConstant ruleKind = iota
	ruleOperand
	ruleProgram
)

// Rules compute in numbered places. The first reals are x, y and the result,
// the first integer is n.
const (
	placeX = iota
	placeY
	placeResult
	firstPlace
)

type (
	ruleBlock struct {
		steps  []ruleStep
		result rulePlace

		// What follows is of a block that ends a rule.
		sides    *ruleStep // the choice that it ends with, or nil
		quotient bool      // the result is ± result / over: see rules.Quotient
		over     rulePlace
		negative bool
	}
	ruleStep struct {
		row       *Row // of reals
		op        *core.Prim
		choice    *core.If
		cond      rulePlace
		then, els ruleBlock
		to        rulePlace
		a, b      rulePlace
		compare   prim.Order
		ofInts    bool // integers are compared
	}
	// rulePlace is where a value is, or the value.
	rulePlace struct {
		isInt   bool
		isConst bool
		at      int
		f       float64
		i       int64
	}
)

// maxRulePlaces bounds the places of a rule; that the rules of the table keep
// to it is tested.
const maxRulePlaces = 24

// compileRule translates a rule of the table. The texts are ours, so that one
// that does not fit is a bug, which a test over the table would find.
func compileRule(fun *core.Lambda, args rowArgs) rule {
	c := ruleCompiler{rule: fun, env: map[*core.Var]rulePlace{}, reals: firstPlace, ints: 1}
	real := func(n int) rulePlace { return rulePlace{at: n} }
	var places []rulePlace
	switch args {
	case oneReal:
		places = []rulePlace{real(placeX)}
	case twoReals:
		places = []rulePlace{real(placeX), real(placeY)}
	case realAndInt:
		places = []rulePlace{real(placeX), {isInt: true}}
	case intAndReal:
		places = []rulePlace{{isInt: true}, real(placeX)}
	}
	for n, p := range append(places, real(placeResult)) {
		c.env[fun.Params[n]] = p
	}
	body := c.tail(fun.Body)
	r := rule{kind: ruleProgram, body: body, reals: c.reals, ints: c.ints}
	if len(body.steps) == 0 && body.sides == nil && !body.quotient {
		if body.result.isConst {
			r.kind, r.value = ruleConstant, body.result.f
		} else {
			r.kind, r.from = ruleOperand, body.result.at
		}
	}
	return r
}

type ruleCompiler struct {
	rule        *core.Lambda
	env         map[*core.Var]rulePlace
	reals, ints int
}

func (c *ruleCompiler) block(b *core.Block) ruleBlock {
	return ruleBlock{steps: c.steps(b.Stmts), result: c.atom(b.Result)}
}

func (c *ruleCompiler) steps(stmts []core.Stmt) (steps []ruleStep) {
	for _, s := range stmts {
		let := s.(*core.Let)
		step := c.step(let)
		c.env[let.Var] = step.to
		steps = append(steps, step)
	}
	return steps
}

// tail is a block that ends the rule.
func (c *ruleCompiler) tail(b *core.Block) (out ruleBlock) {
	if n := len(b.Stmts); n > 0 {
		last := b.Stmts[n-1].(*core.Let)
		if choice, ok := last.Op.(*core.If); ok && b.Result == core.Atom(last.Var) {
			out.steps = c.steps(b.Stmts[:n-1])
			out.sides = &ruleStep{choice: choice, cond: c.atom(choice.Cond)}
			out.sides.then, out.sides.els = c.tail(choice.Then), c.tail(choice.Else)
			return out
		}
	}
	rest, over, by, negative, ok := rules.Quotient(c.rule, b)
	if !ok {
		return c.block(b)
	}
	out = ruleBlock{steps: c.steps(rest), quotient: true, negative: negative}
	out.over, out.result = c.atom(over), c.atom(by)
	return out
}

func (c *ruleCompiler) fresh(t types.Type) rulePlace {
	n, real := &c.ints, types.Resolve(t) == types.Real
	if real {
		n = &c.reals
	}
	*n++
	if *n > maxRulePlaces {
		panic("tape: a rule of the table of primitives is too long")
	}
	return rulePlace{isInt: !real, at: *n - 1}
}

func (c *ruleCompiler) atom(a core.Atom) rulePlace {
	switch a := a.(type) {
	case *core.Var:
		return c.env[a]
	case *core.Lit:
		switch types.Resolve(a.Ty) {
		case types.Real:
			x, _ := a.Real.Float64()
			return rulePlace{isConst: true, f: x}
		case types.Int:
			return rulePlace{isInt: true, isConst: true, i: a.Int}
		case types.Bool:
			return rulePlace{isInt: true, isConst: true, i: truth(a.Bool)}
		}
	}
	panic("tape: a rule of the table of primitives is not closed")
}

func (c *ruleCompiler) step(let *core.Let) ruleStep {
	switch op := let.Op.(type) {
	case *core.If:
		step := ruleStep{choice: op, cond: c.atom(op.Cond)}
		step.then, step.els = c.block(op.Then), c.block(op.Else)
		step.to = c.fresh(let.Var.Ty)
		return step
	case *core.Prim:
		step := ruleStep{op: op}
		if x, ok := op.Prim.Float.(prim.Constant); ok {
			step.a = rulePlace{isConst: true, f: x}
			step.to = c.fresh(let.Var.Ty)
			return step
		}
		step.a = c.atom(op.Args[0])
		if len(op.Args) > 1 {
			step.b = c.atom(op.Args[1])
		}
		if order := op.Prim.Order; order != 0 {
			step.compare, step.ofInts = order, step.a.isInt
		} else if types.Resolve(let.Var.Ty) == types.Real && op.Prim.ID != prim.Real {
			step.row = RowOf(op.Prim.ID)
			if step.row.args == intAndReal {
				step.a, step.b = step.b, step.a
			}
		}
		step.to = c.fresh(let.Var.Ty)
		return step
	}
	panic("tape: a rule of the table of primitives has an operation that no tape can run")
}

// rulePlaces is what a rule computes in.
type rulePlaces struct {
	f [maxRulePlaces]float64
	i [maxRulePlaces]int64
}

func (p *rulePlaces) real(at rulePlace) float64 {
	if at.isConst {
		return at.f
	}
	return p.f[at.at]
}

func (p *rulePlaces) int(at rulePlace) int64 {
	if at.isConst {
		return at.i
	}
	return p.i[at.at]
}

// value evaluates a block, whose result is a real or a truth value, 0 or 1. With a tape the reals
// may be boxed, and the operations are recorded.
func (p *rulePlaces) value(b *ruleBlock, t *Tape) float64 {
	p.run(b.steps, t)
	if b.result.isInt {
		return float64(p.int(b.result))
	}
	return p.real(b.result)
}

// scaled is w times the result of a block that ends a rule; false means that it is the real 0 by
// its form.
func (p *rulePlaces) scaled(b *ruleBlock, s *Sweep, w float64) (float64, bool) {
	var t *Tape
	if s.Record {
		t = s.Tape
	}
	p.run(b.steps, t)
	if b.sides != nil {
		return p.scaled(p.side(b.sides), s, w)
	}
	if b.quotient {
		w = s.quotient(w, p.real(b.over))
	} else if b.result.isConst && b.result.f == 0 {
		return 0, false
	}
	if w = s.Product(w, p.real(b.result)); b.negative {
		w = s.Product(w, -1)
	}
	return w, true
}

// side is the block that a choice takes.
func (p *rulePlaces) side(s *ruleStep) *ruleBlock {
	if p.int(s.cond) != 0 {
		return &s.then
	}
	return &s.els
}

// run executes steps.
func (p *rulePlaces) run(steps []ruleStep, t *Tape) {
	for n := range steps {
		s := &steps[n]
		switch {
		case s.choice != nil:
			x := p.value(p.side(s), t)
			if s.to.isInt { // of a condition with || or &&
				p.i[s.to.at] = int64(x)
			} else {
				p.f[s.to.at] = x
			}
		case s.row != nil:
			x, y, n := p.real(s.a), 0.0, int64(0)
			switch s.row.args {
			case twoReals:
				y = p.real(s.b)
			case realAndInt, intAndReal:
				n = p.int(s.b)
			}
			if t != nil {
				p.f[s.to.at] = t.Apply(s.row, x, y, n)
			} else {
				p.f[s.to.at] = s.row.value(x, y, n)
			}
		case s.compare != 0:
			p.i[s.to.at] = truth(p.compare(s, t))
		case len(s.op.Args) == 0:
			p.f[s.to.at] = s.a.f
		case s.op.Prim.ID == prim.Real:
			p.f[s.to.at] = float64(p.int(s.a))
		default:
			f := s.op.Prim.Int.(prim.Int2)
			p.i[s.to.at], _ = f(p.int(s.a), p.int(s.b))
		}
	}
}

// compare decides a condition of a rule by values: where a rule has cases, it
// says itself what holds at a tie.
func (p *rulePlaces) compare(s *ruleStep, t *Tape) bool {
	c := 0
	if !s.ofInts {
		x, y := p.real(s.a), p.real(s.b)
		if t != nil {
			x, y = t.Value(x), t.Value(y)
		}
		switch {
		case x < y:
			c = -1
		case x > y:
			c = 1
		case x != y:
			return s.compare == prim.Less|prim.Greater // NaN
		}
	} else if x, y := p.int(s.a), p.int(s.b); x < y {
		c = -1
	} else if x > y {
		c = 1
	}
	return s.compare.Holds(c)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
