package bind

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Signatures]
//
// The Go type of a function has this form, where ctx, dst and error may be missing:
//
//	func(ctx context.Context, dst…, arguments…) (results…, error)
//
// An answer has one or more parts. A gradient has one part for each parameter it is by; a value
// and gradient has one more. A value has one part, or as many as its tuple has components. The Go
// function returns the first parts, and the others go to the destinations, in order. So
//
//	func(grad, x []float64)          has a gradient by one parameter, into grad
//	func(grad, x []float64) float64  returns a value, and puts its gradient into grad
//	func(x, y float64) (dx, dy float64)
//
// If no parameters are named, a gradient is by as many of the first parameters as the Go type has
// parts for.

// plan says how a Go function type fits a definition.
type plan struct {
	name    string
	context bool // the first parameter is a context
	fails   bool // the last result is an error
	params  []reflect.Type
	results []reflect.Type

	inputs  []slot // the arguments
	outputs []slot // the parts of the result
	by      []int  // the numbers of the parameters that a derivative is by
}

// slot says where an argument or a part of the result is: the number of a parameter or a result
// of the Go type.
type slot struct {
	number   int
	returned bool
	pointed  bool // whether it is a destination that points to the codec's type
	codec    *codec
	parts    int // how many arguments of the loop form it has
}

var (
	typeContext = reflect.TypeFor[context.Context]()
	typeError   = reflect.TypeFor[error]()
)

// newPlan analyses a Go function type.
func newPlan(name string, fun reflect.Type) (*plan, *diag.Diagnostic) {
	if fun == nil || fun.Kind() != reflect.Func || fun.IsVariadic() {
		return nil, misfit("`%s` is bound to %v, which is not the type of a function", name, fun).
			WithHint("write Bind[func(x float64) float64](program, %q)", name)
	}
	p := &plan{name: name}
	for i := range fun.NumIn() {
		p.params = append(p.params, fun.In(i))
	}
	for i := range fun.NumOut() {
		p.results = append(p.results, fun.Out(i))
	}
	p.context = len(p.params) > 0 && p.params[0] == typeContext
	if n := len(p.results); n > 0 && p.results[n-1] == typeError {
		p.fails = true
		p.results = p.results[:n-1]
	}
	if p.context {
		p.params = p.params[1:]
	}
	return p, nil
}

// arrange decides what each parameter of the Go type is: see Note [Signatures].
func (p *plan) arrange(t *target, ask Ask, by []int) (dsts int, d *diag.Diagnostic) {
	n, r := len(t.params), len(p.results)
	extra := len(p.params) - n
	if ask == Value {
		p.by = nil
		if extra < 0 || r+extra == 0 && n > 0 {
			return 0, p.wrongCount(t, ask, n)
		}
		return extra, nil
	}
	k := len(by)
	if k == 0 {
		switch ask {
		case Gradient:
			k = r + extra
		case ValueGradient:
			k = r + extra - 1
		case Pullback:
			k = r + extra - 1 // one of the extra ones is the cotangent
		case Pushforward:
			k = extra - (1 - r)
		case HessianVector:
			k = (extra + r) / 2
		default:
			k = 1
		}
		for i := range min(max(k, 0), n) {
			by = append(by, i)
		}
	}
	p.by = by
	dsts = extra - ask.more(k)
	if k < 1 || k > n || dsts < 0 || r+dsts != ask.parts(k) {
		return 0, p.wrongCount(t, ask, n+ask.more(max(k, 1)))
	}
	return dsts, nil
}

// number returns a number of things in words.
func number(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// wrongCount returns the diagnostic for a Go type whose numbers of parameters and results do not
// fit.
func (p *plan) wrongCount(t *target, ask Ask, inputs int) *diag.Diagnostic {
	d := misfit("the Go type has %s and %s, which does not fit `%s`",
		number(len(p.params), "parameter"),
		number(len(p.results), "result"), t.name)
	d.WithHint("`%s : %s` has %s", t.name, types.Show(types.Funs(t.result, t.params...)),
		number(len(t.params), "parameter"))
	if ask != Value {
		d.WithHint("a derivative takes %d arguments, and has a destination or a result for each "+
			"of its parts", inputs)
	}
	return d
}

// annotations returns the types that the Go type decides, for a polymorphic definition.
func (p *plan) annotations(t *target, dsts int) []string {
	if !t.open {
		return nil
	}
	out := make([]string, len(t.params))
	for i, ty := range t.params {
		if len(types.Params(ty)) > 0 {
			out[i] = written(p.params[dsts+i])
		}
	}
	return out
}

// match finds the codecs for the type of the definition that computes the answer.
func (p *plan) match(m *matcher, ty types.Type, dsts int) *diag.Diagnostic {
	params, result := types.Splay(ty, len(p.params)-dsts)
	if len(params) != len(p.params)-dsts {
		return misfit("`%s` takes %d arguments, and the Go type has %d", p.name, len(params),
			len(p.params)-dsts)
	}
	for i, t := range params {
		c, d := m.match(p.params[dsts+i], t)
		if d != nil {
			return d.WithHint("this is argument %d of `%s`", i+1, p.name)
		}
		p.inputs = append(p.inputs, slot{number: dsts + i, codec: c, parts: partsOf(t)})
	}
	if m.reals == rationals {
		m.reals = intervals
	}
	parts := []types.Type{result}
	if count := len(p.results) + dsts; count != 1 {
		tuple, ok := types.Resolve(result).(*types.Tuple)
		if !ok || len(tuple.Elems) != count {
			d := misfit("`%s` gives %s, and the Go type has %s for it", p.name, types.Show(result),
				number(count, "result"))
			if dsts == 1 {
				d.WithHint("the first parameter of the Go type is a destination")
			} else if dsts > 1 {
				d.WithHint("the first %d parameters of the Go type are destinations", dsts)
			}
			return d
		}
		parts = tuple.Elems
	}
	for i, t := range parts {
		s := slot{parts: partsOf(t)}
		var in reflect.Type
		if i < len(p.results) {
			s.number, s.returned = i, true
			in = p.results[i]
		} else {
			s.number = i - len(p.results)
			in = p.params[s.number]
		}
		d := s.destination(m, in, t)
		if d != nil {
			return d.WithHint("this is the result of `%s`", p.name)
		}
		p.outputs = append(p.outputs, s)
	}
	return nil
}

// destination finds the codec of a part of the result.
func (s *slot) destination(m *matcher, in reflect.Type, t types.Type) (d *diag.Diagnostic) {
	isMat := slices.Contains([]reflect.Type{typeDense, typeSym, typeVec}, in)
	switch {
	case s.returned || isMat || in.Kind() == reflect.Slice:
	case in.Kind() == reflect.Pointer:
		s.pointed = true
		in = in.Elem()
	default:
		return misfit("a destination of type %s cannot be written to", in).
			WithHint("a destination is a slice, a pointer or a matrix")
	}
	s.codec, d = m.match(in, t)
	return d
}

// partsOf returns how many arguments of the loop form a type has, or 0 if the loop form does not
// have the type.
func partsOf(t types.Type) int {
	if s := lower.ShapeOf(t); s != nil {
		return countParts(s)
	}
	return 0
}

func countParts(s *lower.Shape) int {
	n := 0
	switch s.Kind {
	case lower.ProductShape:
	case lower.ArrayShape:
		n = 1
	default:
		return 1
	}
	for _, part := range s.Parts {
		n += countParts(part)
	}
	return n
}

// answer loads the definition that computes the answer.
func answer(w *driver.World, t *target, ask Ask, p *plan, dsts int) (*driver.Unit, *diag.List) {
	var own diag.List
	text := t.wrapped(ask, answerName, p.by, p.annotations(t, dsts))
	unit := w.LoadText("<bind "+t.name+">", text, []*driver.Unit{t.unit}, &own)
	w.Discard(unit)
	if own.Failed() {
		return nil, &own
	}
	if global := unit.Info.Interface.Value(answerName); len(global.Scheme.Params) > 0 {
		own.Add(misfit("`%s` has the type %s, with types that are open", t.name,
			(&types.Printer{Sizes: true}).Scheme(global.Scheme)).
			WithHint("give its parameters types, as in `let %s (x : Real) = …`", t.name))
		return nil, &own
	}
	return unit, nil
}

// answerName is the name of that definition.
const answerName = "_answer"
