package jet

import "slices"

// Note [Forms]
//
// Problem: forward mode runs a function once for each of its n inputs. Reverse mode runs it once,
// and needs the derivatives by all inputs in one coefficient.
//
// Idea: a reverse variable ρ has degree 1, and its coefficient is not a number but a linear form in
// the inputs: x_i is the jet x_i + (input i) ρ. Forms need little of the algebra, for ρ² is
// dropped: sums, products with jets in older variables, hulls. None of them is
// computed when it is met. A form is a term of
//
//	form ::= input i | by · a + b        (a and b are forms, by is a jet in older variables)
//
// shared by pointers; it is Delta of "Provably correct, asymptotically efficient, higher-order
// reverse-mode AD", over sets. Pullback evaluates a term from its root to the inputs, at a cost
// proportional to the number of its nodes. Everything else, recurrences, lifting, variables
// that are newer or older than ρ, works by the rules for coefficients.
//
// Representation: a form is a jet in a variable of its own, of degree 0, which is opened just
// before ρ. Its tail has no coefficients but refers to the term. Its constant coefficient, the
// guide, is the value of the form in one direction, ±1 for each input: what forward mode would
// give there. Searches refine by the widths of coefficients, and see the guide. Nothing that must
// hold is concluded from it: see Vanishes.
//
// An operation that has no rule for forms keeps the guide and loses the term. Sums and products
// with such a coefficient lose it as well, so that Pullback sees at the root that the form is not
// known and says so. It is never silently 0.
//
// Kinks: the hull of two forms a and b is b + θ (a - b), with one θ in [0, 1] for all inputs. A
// sweep is affine in each θ as long as the others are fixed, for no path through the term passes
// a node twice. So the hull of the sweeps at all vertices, every θ being 0 or 1, contains all
// gradients; each component is then the hull that forward mode has. Beyond mostChoices hulls the
// sweep takes each θ for the set [0, 1].

// form is a node of a term.
type form struct {
	layer  tail  // of the jet that was made with it
	by     Jet   // unless sum
	a, b   *form // nil for an input; b may be nil, for 0
	input  int32
	uses   int32 // by nodes that a sweep has not come to
	slot   int32 // of the adjoint, while a sweep is running
	sum    bool  // a + b
	choice bool  // by is the θ of a hull
	null   bool  // it is 0 for all inputs
}

// mostChoices is how many hulls of two forms are followed both ways.
const mostChoices = 3

// Input is the form that is input i. It belongs to the variable after layer, which has the degree
// 0.
func (a *Algebra) Input(layer Tag, i int) Jet {
	guide := a.One()
	if uint32(i)*0x9E3779B9>>31 == 1 {
		guide = guide.WithVal(a.neg(guide.Val()))
	}
	return a.attach(layer, guide, &form{input: int32(i)})
}

// attach makes a jet of a new form and its guide.
func (a *Algebra) attach(layer Tag, guide Jet, f *form) Jet {
	f.layer = tail{tag: layer, low: guide.tail, form: f}
	guide.tail = &f.layer
	return guide
}

// term is the form of a coefficient, nil if it is none.
func (x Jet) term() *form {
	if x.tail == nil {
		return nil
	}
	return x.tail.form
}

// guide is x without its term.
func (x Jet) guide() Jet {
	if x.term() != nil {
		return x.constant()
	}
	return x
}

// guided is the form of x, if it is one, with another guide.
func guided(guide, x Jet) Jet {
	if f := x.term(); f != nil {
		guide.tail = &tail{tag: x.tail.tag, low: guide.tail, form: f}
	}
	return guide
}

// Vanishes tells whether every known coefficient of x is 0; of a form, for all inputs.
func (a *Algebra) Vanishes(x Jet) bool {
	if f := x.term(); f != nil && !f.null {
		return false
	}
	return a.Each(x, func(_ int, c Set, known bool) bool { return known && a.N.Mag(c).IsZero() })
}

// timesForm is x y, where x is a form.
func (a *Algebra) timesForm(x, y Jet) Jet {
	return a.linear(x, a.Mul(x.guide(), y), y)
}

// linear is the form x times by, given its guide.
func (a *Algebra) linear(x, guide, by Jet) Jet {
	f := x.term()
	return a.attach(x.tail.tag, guide, &form{by: by, a: f, null: f.null || a.Vanishes(by)})
}

// addForms is x + y, where one of them is a form.
func (a *Algebra) addForms(x, y Jet) Jet {
	f, g := x.term(), y.term()
	switch {
	case y.IsZero():
		return x
	case x.IsZero():
		return y
	case f == nil || g == nil:
		return a.Add(x.guide(), y.guide())
	}
	sum := &form{a: f, b: g, sum: true, null: f.null && g.null}
	switch { // a product is evaluated along with the sum
	case g.a != nil && g.b == nil:
		sum.by, sum.a, sum.b, sum.sum = g.by, g.a, f, false
	case f.a != nil && f.b == nil:
		sum.by, sum.a, sum.b, sum.sum = f.by, f.a, g, false
	}
	return a.attach(x.tail.tag, a.Add(x.guide(), y.guide()), sum)
}

// subForms is x - y, where one of them is a form.
func (a *Algebra) subForms(x, y Jet) Jet {
	if f, g := x.term(), y.term(); f != nil && g != nil {
		d := &form{by: a.Float(-1), a: g, b: f, null: f.null && g.null}
		return a.attach(x.tail.tag, a.Sub(x.guide(), y.guide()), d)
	}
	return a.addForms(x, a.Neg(y))
}

// hullForms is the hull of x and y, where one of them is a form: y + θ (x - y), with θ that lies in
// [0, 1] and may vary with older variables.
func (a *Algebra) hullForms(x, y, theta Jet) Jet {
	guide := a.Hull(x.guide(), y.guide())
	switch {
	case y.IsZero():
		return guided(guide, a.timesForm(x, theta))
	case x.IsZero():
		return guided(guide, a.timesForm(y, theta))
	case x.term() == nil || y.term() == nil:
		return guide
	case x.term() == y.term():
		return guided(guide, x)
	}
	d := a.subForms(x, y).term()
	return a.attach(x.tail.tag, guide, &form{by: theta, a: d, b: y.term(), choice: true})
}

// unit is [0, 1].
func (a *Algebra) unit() Set { return a.N.Hull(a.zero, a.one) }

// intersectForms is what two enclosures of a coefficient, of which one is a form, have in common:
// the narrower one, as far as the guides tell.
func (a *Algebra) intersectForms(x, y Jet) (z Jet, ok bool) {
	switch {
	case x.IsZero():
		return x, true
	case y.IsZero():
		return y, true
	}
	guide, ok := a.Intersect(x.guide(), y.guide())
	if x.term() == nil || y.term() != nil && a.Width(y.guide()).Less(a.Width(x.guide())) {
		x = y
	}
	return guided(guide, x), ok
}

// Slopes is the sum of all coefficients of tag, a variable of degree 1, in jets: of forms, one that
// depends on all inputs that they depend on.
func (a *Algebra) Slopes(tag Tag, xs ...Jet) Jet {
	sum := a.Zero()
	for _, x := range xs {
		if x.kind() == unknown && x.tail == nil {
			return x
		}
		for t := a.live(x).tail; t != nil && t.tag >= tag; t = t.low {
			if t.tag == tag {
				sum = a.Add(sum, t.c[0])
			} else {
				sum = a.Add(sum, a.Slopes(tag, t.c...))
			}
		}
	}
	return sum
}

// Split is x as a sum: of the terms without and of those with one of some variables of degree 1.
func (a *Algebra) Split(x Jet, some func(Tag) bool) (without, with Jet) {
	x = a.live(x)
	switch {
	case x.kind() == unknown:
		return x, x
	case x.tail == nil:
		return x, a.Zero()
	}
	tag, deg := x.tail.tag, int(x.tail.deg)
	without, with = a.Split(x.constant(), some)
	if some(tag) {
		return without, a.Series(tag, deg, []Jet{with, x.tail.c[0]})
	}
	if x.term() != nil {
		return x, with
	}
	c, d := []Jet{without}, []Jet{with}
	for _, ci := range x.tail.c {
		without, with = a.Split(ci, some)
		c, d = append(c, without), append(d, with)
	}
	return a.Series(tag, deg, c), a.Series(tag, deg, d)
}

// ---- evaluation

// Pullback is the gradient of Σ weights_k slopes_k by n inputs, where the slopes are coefficients
// of a reverse variable; ok is false if one of them is not known as a form.
func (a *Algebra) Pullback(n int, slopes, weights []Jet) (gradient []Jet, ok bool) {
	p := pullback{a: a}
	for k, s := range slopes {
		switch f := s.term(); {
		case s.IsZero():
		case f == nil:
			return nil, false
		default:
			p.roots, p.weights = append(p.roots, f), append(p.weights, weights[k])
		}
	}
	p.number()
	choices := p.choices
	if len(choices) > mostChoices {
		return p.gradient(n), true
	}
	thetas := make([]Jet, len(choices))
	for k, f := range choices {
		thetas[k] = f.by
	}
	for vertex := range 1 << len(choices) {
		for k, f := range choices {
			f.by = thetas[k].WithVal([]Set{a.zero, a.one}[vertex>>k&1])
		}
		if vertex == 0 {
			gradient = p.gradient(n)
			continue
		}
		p.number()
		for i, x := range p.gradient(n) {
			gradient[i] = a.Hull(gradient[i], x)
		}
	}
	for k, f := range choices {
		f.by = thetas[k]
	}
	return gradient, true
}

// Term is a node of the term of a form: By · A + B, or A + B, or an input.
type Term struct {
	Input   int // -1 for none
	By      Jet
	A, B    int // positions of earlier nodes, -1 for none
	Sum     bool
	Kink    bool // By is the θ of a hull
	Adjoint Jet  // for the weight 1 of the form
}

// Term lists the nodes of a form, each after those that it refers to; nil if it has no term.
func (a *Algebra) Term(x Jet) []Term {
	if x.term() == nil {
		return nil
	}
	p := pullback{a: a, roots: []*form{x.term()}, weights: []Jet{a.One()}}
	p.number()
	var order []*form // from the root on
	p.sweep(func(f *form, _ Jet) { order = append(order, f) })
	slices.Reverse(order)
	position := map[*form]int{nil: -1}
	terms := make([]Term, len(order))
	for k, f := range order {
		position[f] = k
		terms[k] = Term{
			Input: -1, By: f.by, A: position[f.a], B: position[f.b], Sum: f.sum, Kink: f.choice,
			Adjoint: p.adjoints[f.slot],
		}
		if f.a == nil {
			terms[k].Input = int(f.input)
		}
	}
	return terms
}

// pullback evaluates terms.
type pullback struct {
	a        *Algebra
	roots    []*form
	weights  []Jet // of the roots
	adjoints []Jet // by slot
	choices  []*form
	ready    []*form // to be visited
}

// number counts the uses of each node that is reached from the roots, and gives it an adjoint.
func (p *pullback) number() {
	p.adjoints, p.choices = p.adjoints[:0], nil
	use := func(f *form) {
		if f == nil {
			return
		}
		if f.uses++; f.uses > 1 {
			return
		}
		f.slot = int32(len(p.adjoints))
		p.adjoints = append(p.adjoints, p.a.Zero())
		if p.ready = append(p.ready, f); f.choice {
			p.choices = append(p.choices, f)
		}
	}
	for _, f := range p.roots {
		use(f)
	}
	for len(p.ready) > 0 {
		f := p.next()
		use(f.a)
		use(f.b)
	}
}

// sweep calls visit with each node and its adjoint. A node is visited when all its uses have been,
// which takes the counts back to 0.
func (p *pullback) sweep(visit func(f *form, adjoint Jet)) {
	a := p.a
	pass := func(f *form, x Jet) {
		p.adjoints[f.slot] = a.Add(p.adjoints[f.slot], x)
		if f.uses--; f.uses == 0 {
			p.ready = append(p.ready, f)
		}
	}
	for k, f := range p.roots {
		pass(f, p.weights[k])
	}
	for len(p.ready) > 0 {
		f := p.next()
		x := p.adjoints[f.slot]
		visit(f, x)
		switch {
		case f.a == nil:
		case f.sum:
			pass(f.a, x)
		default:
			pass(f.a, a.Mul(x, f.by))
		}
		if f.b != nil {
			pass(f.b, x)
		}
	}
}

// gradient is that of the roots by n inputs.
func (p *pullback) gradient(n int) []Jet {
	gradient := slices.Repeat([]Jet{p.a.Float(0)}, n)
	p.sweep(func(f *form, adjoint Jet) {
		if f.a == nil {
			gradient[f.input] = p.a.Plain(adjoint)
		}
	})
	return gradient
}

// next takes a node that is ready.
func (p *pullback) next() *form {
	last := len(p.ready) - 1
	f := p.ready[last]
	p.ready = p.ready[:last]
	return f
}
