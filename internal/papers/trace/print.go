package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ShowType returns a type as A–P write it: real × (real × unit).
func ShowType(t Type) string {
	p, ok := t.(*Product)
	switch {
	case !ok:
		return "real"
	case len(p.Elems) == 0:
		return "unit"
	}
	// realⁿ for long ones
	if n := len(p.Elems); n > 3 {
		same := true
		for _, u := range p.Elems[1:] {
			same = same && Equal(u, p.Elems[0])
		}
		if same {
			return factor(p.Elems[0]) + "^" + fmt.Sprint(n)
		}
	}
	words := make([]string, len(p.Elems))
	for i, u := range p.Elems {
		words[i] = factor(u)
	}
	if len(words) == 1 {
		return "⟨" + words[0] + "⟩"
	}
	return strings.Join(words, " × ")
}

func factor(t Type) string {
	if p, ok := t.(*Product); ok && len(p.Elems) > 1 {
		return "(" + ShowType(t) + ")"
	}
	return ShowType(t)
}

// Show returns a term as text, a line for each let, with M.op_r(L) for op_r(⟨L, M⟩)
// as A–P write it, x.0 for fst(x), 0 for 0_T and C + D for C +_T D. Names that
// are used again get a number.
func Show(c Term) string { return (&printer{}).show(c, "") }

// printer keeps the names given to variables; those of one printer are all
// different.
type printer struct {
	names map[*Var]string
	used  map[string]int
}

// name returns the name of a variable: that of a cotangent is x' for x.
func (p *printer) name(v *Var) string {
	if p.names == nil {
		p.names, p.used = map[*Var]string{}, map[string]int{}
	}
	if name, ok := p.names[v]; ok {
		return name
	}
	base := v.Name
	if base == "" || !isLetter(base[0]) {
		base = "y"
	}
	if v.of != nil {
		base = p.name(v.of) + "'"
	}
	name := base
	for p.used[name] > 0 {
		name = fmt.Sprint(base, p.used[base])
		p.used[base]++
	}
	p.used[name]++
	p.names[v] = name
	return name
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// show lays a term out; every line but the first begins with indent.
func (p *printer) show(c Term, indent string) string {
	var b strings.Builder
	for {
		let, ok := c.(*Let)
		if !ok {
			break
		}
		if _, _, sum := asSum(let); sum && let.Var.sum {
			break
		}
		bound := " " + p.name(let.Var) + " : " + ShowType(let.Var.Type) + " ="
		if isFlat(let.Bound) {
			bound += " " + p.flat(let.Bound, 0, indent) + " "
		} else {
			bound += "\n" + indent + "  " + p.show(let.Bound, indent+"  ") + "\n" + indent
		}
		b.WriteString("let" + bound + "in\n" + indent)
		c = let.Body
	}
	if isFlat(c) {
		b.WriteString(p.flat(c, 0, indent))
	} else {
		b.WriteString(p.sum(c, indent))
	}
	return b.String()
}

// sum lays out a sum whose terms have lets in them: one below the other.
func (p *printer) sum(c Term, indent string) string {
	var terms []Term
	for !isFlat(c) {
		l, r, ok := asSum(c)
		if !ok {
			break
		}
		terms, c = append(terms, r), l
	}
	if len(terms) == 0 {
		return p.flat(c, 0, indent)
	}
	terms = append(terms, c)
	var b strings.Builder
	for i, t := range slices.Backward(terms) {
		if i == len(terms)-1 {
			b.WriteString("  ")
		} else {
			b.WriteString("\n" + indent + "+ ")
		}
		if isFlat(t) {
			b.WriteString(p.flat(t, sumStrength, indent))
		} else {
			b.WriteString("(" + p.show(t, indent+"   ") + ")")
		}
	}
	return b.String()
}

// asSum recognises C +_T D, for which §2 is short:
//
//	let a:T = C in let b:T = D in ⟨a.0 + b.0, …⟩
//
// where values need no let.
func asSum(c Term) (l, r Term, ok bool) {
	bound := map[Term]Term{}
	for {
		let, isLet := c.(*Let)
		if !isLet || !let.Var.sum {
			break
		}
		bound[let.Var] = let.Bound
		c = let.Body
	}
	if l, r, ok = split(c); !ok {
		return nil, nil, false
	}
	used := 0
	for _, side := range []*Term{&l, &r} {
		if t := bound[*side]; t != nil {
			*side = t
			used++
		}
	}
	return l, r, used == len(bound)
}

// split takes a sum at T apart, with ⟨a.0, …⟩ as a.
func split(c Term) (l, r Term, ok bool) {
	switch c := c.(type) {
	case *Add:
		return c.L, c.R, true
	case *Tuple:
		ls, rs := make([]Term, len(c.Elems)), make([]Term, len(c.Elems))
		for i, e := range c.Elems {
			if ls[i], rs[i], ok = split(e); !ok {
				return nil, nil, false
			}
		}
		return whole(ls, c.Type), whole(rs, c.Type), true
	}
	return nil, nil, false
}

// whole returns the tuple, or the term of which it has all components.
func whole(elems []Term, t *Product) Term {
	var of Term
	for i, e := range elems {
		p, ok := e.(*Proj)
		if !ok && isUnit(t.Elems[i]) {
			continue
		}
		if !ok || p.Index != i || of != nil && !samePath(of, p.Of) ||
			len(p.Type.Elems) != len(elems) {
			return &Tuple{elems, t}
		}
		of = p.Of
	}
	if of == nil {
		return &Tuple{elems, t}
	}
	return of
}

func samePath(c, d Term) bool {
	p, ok := c.(*Proj)
	q, ok2 := d.(*Proj)
	if ok && ok2 {
		return p.Index == q.Index && samePath(p.Of, q.Of)
	}
	return c == d && !ok
}

// isFlat reports whether a term has no let inside.
func isFlat(c Term) bool {
	switch c := c.(type) {
	case *Let:
		return false
	case *Add:
		return isFlat(c.L) && isFlat(c.R)
	case *Apply:
		return isFlat(c.Arg)
	case *Tuple:
		return !slices.ContainsFunc(c.Elems, func(e Term) bool { return !isFlat(e) })
	case *Proj:
		return isFlat(c.Of)
	}
	return true
}

// The strengths of binding.
const (
	sumStrength     = 1
	productStrength = 2
	atomStrength    = 3
)

func (p *printer) flat(c Term, strength int, indent string) string {
	switch c := c.(type) {
	case *Var:
		return p.name(c)
	case Const:
		text := value.Decimal(float64(c))
		if strings.HasPrefix(text, "-") && strength > 0 {
			return "(" + text + ")"
		}
		return text
	case *Add:
		return paren(strength > sumStrength, p.flat(c.L, sumStrength, indent)+" + "+p.flat(
			c.R, sumStrength+1, indent))
	case *Apply:
		return p.apply(c, strength, indent)
	case *Let:
		return "(" + p.show(c, indent+" ") + ")"
	case *Tuple:
		switch l, r, sum := split(c); {
		case len(c.Elems) == 0:
			return "∗"
		case isZero(c):
			return "0"
		case sum:
			return paren(strength > sumStrength, p.flat(l, sumStrength, indent)+" + "+p.flat(
				r, sumStrength+1, indent))
		}
		words := make([]string, len(c.Elems))
		for i, e := range c.Elems {
			words[i] = p.flat(e, 0, indent)
		}
		return "⟨" + strings.Join(words, ", ") + "⟩"
	case *Proj:
		return fmt.Sprintf("%s.%d", p.flat(c.Of, atomStrength, indent), c.Index)
	}
	panic("trace: unknown term")
}

// strengths are those of the operations that are written between their arguments.
var strengths = [prim.Count]int{prim.Sub: sumStrength, prim.Mul: productStrength,
	prim.Quo: productStrength}

func (p *printer) apply(c *Apply, strength int, indent string) string {
	arg, pair := c.Arg.(*Tuple)
	if c.Op.of != nil && pair && len(arg.Elems) == 2 {
		return p.flat(arg.Elems[1], atomStrength, indent) + "." + symbol(c.Op.Name) + p.argument(
			arg.Elems[0], indent)
	}
	if infix := strengths[c.Op.symbol()]; infix > 0 && pair {
		return paren(strength > infix, p.flat(arg.Elems[0], infix, indent)+" "+c.Op.Name+" "+p.flat(
			arg.Elems[1], infix+1, indent))
	}
	return symbol(c.Op.Name) + p.argument(c.Arg, indent)
}

// symbol returns the name of an operation in front of its argument.
func symbol(name string) string {
	if isLetter(name[0]) {
		return name
	}
	base, rest := name, ""
	if i := strings.Index(name, "_"); i > 0 {
		base, rest = name[:i], name[i:]
	}
	return "(" + base + ")" + rest
}

func (p *printer) argument(c Term, indent string) string {
	if t, ok := c.(*Tuple); ok && len(t.Elems) > 0 {
		return p.flat(c, 0, indent)
	}
	return "(" + p.flat(c, 0, indent) + ")"
}

func paren(needed bool, s string) string {
	if needed {
		return "(" + s + ")"
	}
	return s
}
