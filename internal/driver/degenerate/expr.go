package degenerate

import (
	"fmt"
	"math/big"
	"strings"
)

// An Expr is a real expression of Fluxion: a number, a variable, or an operation.
type Expr struct {
	op   string
	q    *big.Rat // of a number
	name string   // of a variable, or the one that a search binds
	n    int      // the exponent of a power
	args []*Expr  // of a search: its bounds, and the body of its function last
}

func num(q *big.Rat) *Expr { return &Expr{op: "num", q: q} }

func rat(n, d int64) *Expr { return num(big.NewRat(n, d)) }

func ref(name string) *Expr { return &Expr{op: "var", name: name} }

func call(op string, args ...*Expr) *Expr { return &Expr{op: op, args: args} }

func add(a, b *Expr) *Expr { return call("+", a, b) }
func sub(a, b *Expr) *Expr { return call("-", a, b) }
func mul(a, b *Expr) *Expr { return call("*", a, b) }
func neg(a *Expr) *Expr    { return call("neg", a) }

func pow(a *Expr, n int) *Expr { return &Expr{op: "^", n: n, args: []*Expr{a}} }

// ifLess is `if a < b then x else y`.
func ifLess(a, b, x, y *Expr) *Expr { return call("if", a, b, x, y) }

// search is `op lo hi (fun name => body)`, without bounds for what has none.
func search(op, name string, body *Expr, bounds ...*Expr) *Expr {
	return &Expr{op: op, name: name, args: append(bounds, body)}
}

// weighted is `integral low high (fun name => body * exp (k * name))`.
func weighted(k int, name string, body, low, high *Expr) *Expr {
	return &Expr{op: "weighted", name: name, n: k, args: []*Expr{low, high, body}}
}

// derivative is `deriv (fun name => body) at`.
func derivative(name string, body, at *Expr) *Expr {
	return &Expr{op: "deriv", name: name, args: []*Expr{at, body}}
}

// mentions reports whether a variable occurs.
func (e *Expr) mentions(name string) bool {
	found := e.op == "var" && e.name == name
	for _, arg := range e.args {
		found = found || arg.mentions(name)
	}
	return found
}

// rounded returns the expression with the nearest double for each number.
func (e *Expr) rounded() *Expr {
	r := *e
	if e.op == "num" {
		r.q = roundedRat(e.q)
	}
	r.args = make([]*Expr, len(e.args))
	for k, arg := range e.args {
		r.args[k] = arg.rounded()
	}
	return &r
}

func roundedRat(q *big.Rat) *big.Rat {
	x, _ := q.Float64()
	return new(big.Rat).SetFloat64(x)
}

// String writes the expression as Fluxion, in parentheses where it is not an atom.
func (e *Expr) String() string {
	var b strings.Builder
	switch e.op {
	case "num":
		text := decimal(e.q)
		if e.q.Sign() < 0 {
			return "(" + text + ")"
		}
		return text
	case "var":
		return e.name
	case "+", "-", "*":
		fmt.Fprintf(&b, "%s %s %s", e.args[0], e.op, e.args[1])
	case "/":
		fmt.Fprintf(&b, "%s / %s", e.args[0], e.args[1])
	case "neg":
		fmt.Fprintf(&b, "-%s", e.args[0])
	case "^":
		fmt.Fprintf(&b, "%s^%d", e.args[0], e.n)
	case "if":
		fmt.Fprintf(&b, "if %s < %s then %s else %s", e.args[0], e.args[1], e.args[2], e.args[3])
	case "weighted":
		fmt.Fprintf(&b, "integral %s %s (fun %s => %s * exp (%d * %s))",
			e.args[0], e.args[1], e.name, e.args[2], e.n, e.name)
	case "deriv":
		fmt.Fprintf(&b, "deriv (fun %s => %s) %s", e.name, e.args[1], e.args[0])
	case "hit":
		fmt.Fprintf(&b, "withDefault %s (hit (fun %s => %s))", e.args[0], e.name, e.args[1])
	case "floor", "ceil", "round":
		fmt.Fprintf(&b, "real (%s %s)", e.op, e.args[0])
	default:
		b.WriteString(e.op)
		for i, arg := range e.args {
			if e.name != "" && i == len(e.args)-1 {
				fmt.Fprintf(&b, " (fun %s => %s)", e.name, arg)
			} else {
				fmt.Fprintf(&b, " %s", arg)
			}
		}
	}
	return "(" + b.String() + ")"
}

// decimal writes a rational whose denominator divides a power of 10.
func decimal(q *big.Rat) string {
	digits, exact := q.FloatPrec()
	if !exact {
		panic(fmt.Sprintf("%s is not a decimal fraction", q))
	}
	return q.FloatString(digits)
}

// eval returns the value of an expression on germs.
func (o *oracle) eval(e *Expr) germ {
	if o.work--; o.work < 0 {
		panic(errUnsupported)
	}
	body := func() *Expr { return e.args[len(e.args)-1] }
	arg := func(i int) germ { return o.eval(e.args[i]) }
	switch e.op {
	case "num":
		return number(e.q)
	case "var":
		return o.env[e.name]
	case "+":
		return arg(0).plus(1, arg(1))
	case "-":
		return arg(0).plus(-1, arg(1))
	case "*":
		return arg(0).times(arg(1))
	case "/":
		return arg(0).over(arg(1))
	case "neg":
		return arg(0).negated()
	case "^":
		v, power := arg(0), integer(1)
		for range e.n {
			power = power.times(v)
		}
		return power
	case "sign":
		return integer(int64(o.sign(arg(0))))
	case "abs":
		if v := arg(0); o.sign(v) >= 0 {
			return v
		} else {
			return v.negated()
		}
	case "max", "min":
		v, w := arg(0), arg(1)
		if o.less(v, w) == (e.op == "max") {
			return w
		}
		return v
	case "if":
		if o.less(arg(0), arg(1)) {
			return arg(2)
		}
		return arg(3)
	case "floor":
		return o.floor(arg(0))
	case "ceil":
		return o.floor(arg(0).negated()).negated()
	case "round":
		return o.floor(arg(0).plus(1, number(big.NewRat(1, 2))))
	case "integralFrom":
		return o.integralFrom(arg(0), e.name, body())
	case "integral":
		return o.integral(arg(0), arg(1), e.name, body())
	case "maxOver":
		_, v, _ := o.maximum(arg(0), arg(1), e.name, body())
		return v
	case "minOver":
		_, v, _ := o.maximum(arg(0), arg(1), e.name, neg(body()))
		return v.negated()
	case "argmaxOver", "argminOver":
		f := body()
		if e.op == "argminOver" {
			f = neg(f)
		}
		x, _, unique := o.maximum(arg(0), arg(1), e.name, f)
		if !unique {
			panic(errUndefined)
		}
		return x
	case "root":
		return o.root(arg(0), arg(1), e.name, body())
	case "deriv":
		return o.slope(arg(0), e.name, body())
	case "cutRoot":
		return o.root(integer(-far), integer(far), e.name, body())
	case "firstRoot", "hit":
		x, found := o.firstRoot(integer(0), integer(1), e.name, body())
		switch {
		case found:
			return x
		case e.op == "hit":
			return arg(0)
		}
		panic(errUndefined)
	case "weighted":
		panic(errUnsupported) // but as a summand: see terms
	}
	panic("unknown operation " + e.op)
}

// floor rounds down. The piece ends where the next integer is reached, or where this one is left.
func (o *oracle) floor(a germ) germ {
	q := a.standard()
	n := integer(new(big.Int).Div(q.Num(), q.Denom()).Int64())
	if o.sign(a.plus(-1, n)) < 0 {
		n = n.plus(-1, integer(1))
		o.sign(a.plus(-1, n))
	} else {
		o.sign(a.plus(-1, n.plus(1, integer(1))))
	}
	return n
}
