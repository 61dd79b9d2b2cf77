package trace

import (
	"context"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// reverser is W.R_V(x:T. C), A–P Fig. 6: the reverse derivative of x:T ↦ C at
// V, applied to W, as a trace term. V and W are values.
//
// The figure begins several rules by `let x:T = V in`, one within the other. We
// begin once:
//
//	W.R_V(x:T. C) = let x:T = V in W.R_x(x:T. C)
//
// where the let is left out if V is x. Within, V is always the variable itself.
//
// The rule for let differentiates the body twice, once for x and once for y.
// That is what makes the derivative of n nested lets 2ⁿ times as large.
// Pruned is not in the paper: it knows that C does not depend on x if x does
// not occur in C, and that 0 + C is C. That saves most chains, but not those
// in which each let uses the two before it.
type reverser struct {
	machine      *machine
	nodes, limit int64
	nesting      int   // of lets
	looks        int64 // of occurs
}

// Reverse returns W.R_V(x:T. C), or nil if it would have more than limit nodes. Its bound
// variables are all different.
func Reverse(w, v Term, x *Var, c Term, limit int64) Term {
	return reverse(w, v, x, c, limit, false)
}

// ReversePruned returns the same as Reverse without the parts that are zero because x does not
// occur in them.
func ReversePruned(w, v Term, x *Var, c Term, limit int64) Term {
	return reverse(w, v, x, c, limit, true)
}

func reverse(w, v Term, x *Var, c Term, limit int64, pruned bool) (d Term) {
	m := newMachine(context.Background(), nil, limit)
	m.pruned = pruned
	if guard(func() { d = m.reverse(w, v, x, c) }) != nil {
		return nil
	}
	return d
}

func (m *machine) reverse(w, v Term, x *Var, c Term) Term {
	r := &reverser{machine: m, limit: min(m.maxOps, maxNodes)}
	d := r.term(w, x, c)
	if v != Term(x) {
		d = r.let(x, v, d)
	}
	r.nodes = 0
	return r.fresh(d, map[*Var]*Var{})
}

// made counts n new nodes.
func (r *reverser) made(n int) {
	if r.nodes += int64(n); r.nodes > r.limit {
		r.tooLarge()
	}
	r.machine.work(n, diag.Span{})
}

func (r *reverser) tooLarge() {
	d := diag.Errorf(diag.StrategyBudget, diag.Span{},
		"the derivative of the trace has more than %d nodes", r.limit).
		WithHint("A–P Fig. 6 differentiates the body of each let twice")
	if !r.machine.pruned {
		d = d.WithHint("--strategy trace-pruned leaves out the parts of it that are zero")
	}
	fail(d)
}

// term returns W.R_x(x:T. C), rule by rule.
func (r *reverser) term(w Term, x *Var, c Term) Term {
	t := x.Type
	if r.machine.pruned && !r.occurs(x, c) {
		return r.zero(t)
	}
	switch c := c.(type) {
	case *Var: // W.R_x(x:T. y)
		if c == x {
			return w
		}
		return r.zero(t)

	case Const: // W.R_x(x:T. r)
		return r.zero(t)

	case *Add: // W.R_x(x:T. D + E)
		return r.plus(t, r.term(w, x, c.L), r.term(w, x, c.R))

	case *Apply: // W.R_x(x:T. op(D))
		y := r.variable("d", c.Op.Dom)
		r.made(2)
		arg := &Tuple{[]Term{c.Arg, w}, product(c.Op.Dom, c.Op.Cod)}
		return r.let(y, &Apply{c.Op.Reverse(), arg},
			r.term(y, x, c.Arg))

	case *Let: // W.R_x(x:T. let y:S = D in E)
		if r.nesting++; r.nesting > maxNesting {
			tooDeep(diag.Span{})
		}
		defer func() { r.nesting-- }()
		y := c.Var
		ybar := r.variable(y.Name, y.Type)
		ybar.of = y
		return r.let(y, c.Bound,
			r.plus(t,
				r.term(w, x, c.Body),
				r.let(ybar, r.term(w, y, c.Body),
					r.term(ybar, x, c.Bound))))

	case *Tuple: // W.R_x(x:T. ∗) and W.R_x(x:T. ⟨D, E⟩)
		if len(c.Elems) == 0 {
			return r.zero(t)
		}
		// let ⟨y, z⟩ = W in y.R_x(x:T. D) + z.R_x(x:T. E), where W is a value
		sum := r.term(component(w, 0), x, c.Elems[0])
		for i, e := range c.Elems[1:] {
			sum = r.plus(t, sum, r.term(component(w, i+1), x, e))
		}
		return sum

	case *Proj: // W.R_x(x:T. fst(D)) and W.R_x(x:T. snd(D))
		elems := make([]Term, len(c.Type.Elems))
		r.made(1)
		for i, u := range c.Type.Elems {
			elems[i] = w
			if i != c.Index {
				elems[i] = r.zero(u)
			}
		}
		d := r.term(&Tuple{elems, c.Type}, x, c.Of)
		if isValue(c.Of) {
			return d // that D is defined needs no let
		}
		return r.let(r.variable("y", c.Type), c.Of, d)
	}
	panic("trace: unknown term")
}

func (r *reverser) let(x *Var, c, d Term) Term {
	if d == Term(x) {
		return c
	}
	if r.machine.pruned && isZero(d) {
		return d
	}
	r.made(1)
	return &Let{x, c, d}
}

func (r *reverser) variable(name string, t Type) *Var {
	r.made(1)
	return &Var{Name: name, Type: t, moves: true}
}

// operand returns a variable for plus.
func (r *reverser) operand(name string, t Type) *Var {
	x := r.variable(name, t)
	x.sum = true
	return x
}

// zero returns 0_T (§2).
func (r *reverser) zero(t Type) Term {
	p, ok := t.(*Product)
	r.made(1)
	if !ok {
		return Const(0)
	}
	elems := make([]Term, len(p.Elems))
	for i, u := range p.Elems {
		elems[i] = r.zero(u)
	}
	return &Tuple{elems, p}
}

// plus returns C +_T D (§2).
func (r *reverser) plus(t Type, c, d Term) Term {
	if r.machine.pruned {
		if isZero(c) {
			return d
		}
		if isZero(d) {
			return c
		}
	}
	p, ok := t.(*Product)
	if !ok {
		r.made(1)
		return &Add{c, d}
	}
	// let ⟨x1, x2⟩ = C in let ⟨y1, y2⟩ = D in ⟨x1 + y1, x2 + y2⟩, where values
	// need no let.
	x, y := c, d
	if !isValue(c) {
		x = r.operand("a", t)
	}
	if !isValue(d) {
		y = r.operand("b", t)
	}
	elems := make([]Term, len(p.Elems))
	for i, u := range p.Elems {
		elems[i] = r.plus(u, component(x, i), component(y, i))
	}
	r.made(1)
	var sum Term = &Tuple{elems, p}
	if y != d {
		sum = r.let(y.(*Var), d, sum)
	}
	if x != c {
		sum = r.let(x.(*Var), c, sum)
	}
	return sum
}

// isZero recognises 0_T.
func isZero(c Term) bool {
	switch c := c.(type) {
	case Const:
		return c == 0
	case *Tuple:
		for _, e := range c.Elems {
			if !isZero(e) {
				return false
			}
		}
		return true
	}
	return false
}

// fresh renames the bound variables of a term, so that all are different: A–P
// assume it "as is common", and Fig. 6 relies on it when it differentiates
// what it has made.
func (r *reverser) fresh(c Term, names map[*Var]*Var) Term {
	r.made(1)
	switch c := c.(type) {
	case *Var:
		if v := names[c]; v != nil {
			return v
		}
	case *Add:
		return &Add{r.fresh(c.L, names), r.fresh(c.R, names)}
	case *Apply:
		return &Apply{c.Op, r.fresh(c.Arg, names)}
	case *Let:
		bound := r.fresh(c.Bound, names)
		v, outer := *c.Var, names[c.Var]
		if y := names[v.of]; y != nil {
			v.of = y
		}
		names[c.Var] = &v
		body := r.fresh(c.Body, names)
		names[c.Var] = outer
		return &Let{&v, bound, body}
	case *Tuple:
		if len(c.Elems) == 0 {
			return c
		}
		elems := make([]Term, len(c.Elems))
		for i, e := range c.Elems {
			elems[i] = r.fresh(e, names)
		}
		return &Tuple{elems, c.Type}
	case *Proj:
		return &Proj{r.fresh(c.Of, names), c.Index, c.Type}
	}
	return c
}

// occurs reports whether x ∈ FV(C); bound variables are different from x.
func (r *reverser) occurs(x *Var, c Term) bool {
	for {
		if r.looks++; r.looks > 32*r.limit {
			r.tooLarge()
		}
		switch t := c.(type) {
		case *Var:
			return t == x
		case *Add:
			if r.occurs(x, t.L) {
				return true
			}
			c = t.R
			continue
		case *Apply:
			c = t.Arg
			continue
		case *Let:
			if r.occurs(x, t.Bound) {
				return true
			}
			c = t.Body
			continue
		case *Tuple:
			return slices.ContainsFunc(t.Elems, func(e Term) bool { return r.occurs(x, e) })
		case *Proj:
			c = t.Of
			continue
		}
		return false
	}
}
