package curry

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// normal returns the normal form of a tangent with lists of calls in it, under the
// equivalence of §4.1: calls with the same argument are added up ("Summing
// Results"), calls with the tangent 0 are left out ("Forgetting Results"), and
// the order, which addition does not see, is that of the arguments. Two
// tangents are equivalent if their normal forms are the same.
func normal(m *machine, t Tangent) Tangent {
	switch t := t.(type) {
	case float64:
		if t == 0 {
			return Zero{}
		}
	case Tangents:
		out := make(Tangents, len(t))
		for i, part := range t {
			out[i] = normal(m, part)
		}
		return tangents(out)
	case *Sum:
		return normal(m, m.flatten(t))
	case *DataTangent:
		return dataTangent(t.Con, normalFields(m, t.Fields))
	case *Calls:
		return normalCalls(m, t)
	}
	return t
}

func normalFields(m *machine, fields Tangents) Tangents {
	out := make(Tangents, len(fields))
	for i, f := range fields {
		out[i] = normal(m, f)
	}
	return out
}

func normalCalls(m *machine, list *Calls) Tangent {
	type entry struct {
		key string
		call
	}
	var entries []entry
	list.each(func(c call) {
		key := callKey(c.args)
		for i := range entries {
			if entries[i].key == key {
				entries[i].result = m.add(entries[i].result, c.result)
				return
			}
		}
		entries = append(entries, entry{key, c})
	})
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	var out Tangent = Zero{}
	for _, e := range entries {
		if g := normal(m, e.result); !isZero(g) {
			out = m.add(out, &Calls{call: call{args: e.args, result: g}})
		}
	}
	return out
}

// callKey tells the arguments of calls apart; functions by what they are in
// memory.
func callKey(args Product) string {
	words := make([]string, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Product:
			words[i] = "(" + callKey(a) + ")"
		case *Data:
			words[i] = fmt.Sprintf("%p(%s)", a.Con, callKey(a.Fields))
		case *Fun:
			words[i] = fmt.Sprintf("%p", a)
		case float64:
			words[i] = fmt.Sprintf("%x", math.Float64bits(a))
		default:
			words[i] = fmt.Sprintf("%T %v", a, a)
		}
	}
	return strings.Join(words, " ")
}

// equivalent reports whether two tangents are so up to rounding: their
// difference has the normal form 0, or nearly.
func equivalent(m *machine, a, b Tangent) bool {
	difference := normal(m, m.add(a, scaled(b, -1)))
	size := 0.0
	eachReal(difference, func(x float64) { size = max(size, math.Abs(x)) })
	scale := 1.0
	eachReal(a, func(x float64) { scale = max(scale, math.Abs(x)) })
	return size <= 1e-9*scale
}

// scaled returns a tangent times a number; the tangents of functions are linear in
// what is asked of the results.
func scaled(t Tangent, c float64) Tangent {
	switch t := t.(type) {
	case float64:
		return c * t
	case Tangents:
		out := make(Tangents, len(t))
		for i, part := range t {
			out[i] = scaled(part, c)
		}
		return out
	case *Calls:
		var out Tangent = Zero{}
		t.each(func(called call) {
			one := &Calls{call: call{args: called.args, result: scaled(called.result, c)}}
			if isZero(out) {
				out = one
			} else {
				out = &Calls{left: out.(*Calls), right: one}
			}
		})
		return out
	}
	return t
}

func eachReal(t Tangent, f func(float64)) {
	switch t := t.(type) {
	case float64:
		f(t)
	case Tangents:
		for _, part := range t {
			eachReal(part, f)
		}
	case *Calls:
		t.each(func(c call) { eachReal(c.result, f) })
	}
}

// nearly compares reals up to rounding.
func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
}

// TestFig4Equivalence: the lists that §4.1 wants to be equivalent have one
// normal form, and lists that differ in more do not.
func TestFig4Equivalence(t *testing.T) {
	m := disciplines()["curry-list"]
	double := m.closed(1, "double", m.rep(op("*", pr(0), num(2))))
	for _, c := range columns {
		_, first := c.foo1.run(m, Product{double, double, 0.5})
		_, second := c.foo2.run(m, Product{double, double, 0.5})
		a, b := normal(m, first(1.0)), normal(m, second(1.0))
		if showTangent(a) != showTangent(b) {
			t.Errorf("%s: the normal forms are %s and %s", c.name, showTangent(a), showTangent(b))
		}
		if equivalent(m, first(1.0), second(2.0)) {
			t.Errorf("%s: 1 and 2 pull back to the same", c.name)
		}
	}
	list := func(calls ...call) Tangent {
		var all Tangent = Zero{}
		for _, c := range calls {
			all = m.add(all, &Calls{call: c})
		}
		return all
	}
	at := func(x, g float64) call { return call{args: Product{x}, result: g} }
	for _, test := range []struct {
		a, b Tangent
		same bool
	}{
		{list(at(1, 0)), Zero{}, true},
		{list(at(1, 2), at(1, 3)), list(at(1, 5)), true},
		{list(at(1, 2), at(2, 3)), list(at(2, 3), at(1, 2)), true},
		{list(at(1, 2), at(1, -2)), Zero{}, true},
		{list(at(1, 2)), list(at(2, 2)), false},
		{list(at(1, 2)), list(at(1, 3)), false},
		{list(at(1, 2)), Zero{}, false},
	} {
		if got := equivalent(m, test.a, test.b); got != test.same {
			t.Errorf("%s and %s: equivalent is %v", showTangent(test.a), showTangent(test.b), got)
		}
	}
}

// TestLawsOfFunctions: the laws of §4.1 for arrows from functions. The calls
// that the two sides record differ as lists, and are equivalent.
func TestLawsOfFunctions(t *testing.T) {
	m := disciplines()["curry-list"]
	r := rand.New(rand.NewPCG(9, 10))
	different := 0
	for range 500 {
		code := random(r, 1, 8)
		x := Product{m.closed(1, "f", m.rep(code)), r.Float64(), r.Float64()}
		// h is an arrow from (f, a, b) that calls f; g another.
		h, g := caller(r, 3, 12), caller(r, 3, 12)
		both := nested(fork(pr(0), g, pr(2)), h)
		for _, law := range []struct {
			name string
			a, b Term
		}{
			{"⟨h, g⟩ ; π₁ = h", nested(fork(h, g), pr(0)), h},
			{"let y = h in y + y = h + h", nested(fork(h), op("+", pr(0), pr(0))), op("+", h, h)},
			{"β", eval(nested(fork(pr(0), g), curried(1, h)), pr(2)), both},
			{"η", eval(nested(fork(pr(0)), curried(1, eval(pr(0), pr(1)))), g), eval(pr(0), g)},
		} {
			y, first := law.a.run(m, x)
			z, second := law.b.run(m, x)
			a, b := first(1.0), second(1.0)
			if !nearly(leaves(y), leaves(z)) || !equivalent(m, a, b) {
				t.Fatalf("%s: %v and %v, %s and %s", law.name, y, z, showTangent(normal(m, a)), showTangent(normal(m, b)))
			}
			if showTangent(a) != showTangent(b) {
				different++
			}
		}
	}
	if different < 100 {
		t.Errorf("only %d of the lists differ", different)
	}
}

// caller returns an arrow from (f, reals…) of n components to a real.
func caller(r *rand.Rand, n, size int) Term {
	if size <= 1 {
		return pr(1 + r.IntN(n-1))
	}
	sub := func() Term { return caller(r, n, size/2) }
	switch r.IntN(4) {
	case 0:
		return op("*", sub(), sub())
	case 1:
		return op("+", sub(), sub())
	case 2:
		return op("sin", sub())
	}
	return eval(pr(0), sub())
}
