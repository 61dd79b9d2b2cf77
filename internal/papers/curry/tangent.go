package curry

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Tangent is an element of the tangent space of a value: Curry Fig. 6, with
// all spaces in one Go type. That is the erased version that §5 proves safe;
// where two tangents meet, the meeting checks that they are of one space.
//
//	T[Real]    = float64, or *Node inside a derivative
//	T[(τ, σ)]  = Tangents, as for environments, tuples, records and arrays,
//	             or a *Sum, which stands for one
//	T[C v…]    = *DataTangent: the tangents of the fields, under the same C
//	T[τ ⇝ σ]   = *Calls (Fig. 3) or *EnvTangent (Fig. 5)
//	T[Int]     = Unit, and so for Bool and String: only Zero
type Tangent any

// Zero is the zero of every space. A zero at products is Zero and not a
// product of zeros, so that a pullback does not have to know how wide the rest
// of its environment is; nor does adding it cost anything.
type Zero struct{}

// Tangents is the tangent of a product.
type Tangents []Tangent

// DataTangent is the tangent of a data value.
type DataTangent struct {
	Con    *types.Con
	Fields Tangents
}

func isZero(t Tangent) bool { _, zero := t.(Zero); return zero }

// tangents returns the tangent of a product with the given components.
func tangents(ts Tangents) Tangent {
	for _, t := range ts {
		if !isZero(t) {
			return ts
		}
	}
	return Zero{}
}

// zeros returns a product of n zeros, to be filled in.
func zeros(n int) Tangents {
	ts := make(Tangents, n)
	for i := range ts {
		ts[i] = Zero{}
	}
	return ts
}

// components returns the n components of the tangent of a product.
func (m *machine) components(t Tangent, n int) Tangents {
	if isZero(t) {
		return zeros(n)
	}
	ts, ok := t.(Tangents)
	if !ok {
		ts = m.flatten(t.(*Sum))
	}
	if len(ts) != n {
		panic(fmt.Sprintf("curry: a tangent of a product of %d where one of %d is expected",
			len(ts), n))
	}
	return ts
}

// split returns the tangent of (a, b) as those of a and b, where a and b are
// products and a has n components of all.
func (m *machine) split(t Tangent, n, all int) (a, b Tangents) {
	ts := m.components(t, all)
	return ts[:n:n], ts[n:]
}

// oneHot returns the tangent of a product that is t at i and zero elsewhere.
func oneHot(n, i int, t Tangent) Tangent {
	if isZero(t) {
		return t
	}
	ts := zeros(n)
	ts[i] = t
	return ts
}

// add returns the sum of two tangents of one space: Curry Fig. 6. Only sums of
// reals are operations that count.
func (m *machine) add(a, b Tangent) Tangent {
	if isZero(a) {
		return b
	}
	if isZero(b) {
		return a
	}
	switch a := a.(type) {
	case float64, *Node:
		return m.arithmetic(prim.Add, a, b)
	case Tangents:
		if b, ok := b.(*Sum); ok {
			return &Sum{width: len(a), left: &Sum{width: len(a), whole: a}, right: b}
		}
		return m.addAll(a, b.(Tangents))
	case *Sum:
		return a.plus(b)
	case *DataTangent:
		d := b.(*DataTangent)
		if a.Con != d.Con {
			panic("curry: tangents of different constructors are added")
		}
		return &DataTangent{a.Con, m.addAll(a.Fields, d.Fields)}
	case *Calls:
		return &Calls{left: a, right: b.(*Calls)}
	case *EnvTangent:
		e := b.(*EnvTangent)
		if a.Code != e.Code {
			panic("curry: tangents of different environments are added")
		}
		return &EnvTangent{a.Code, m.addAll(a.Env, e.Env)}
	}
	panic(fmt.Sprintf("curry: %T is no tangent", a))
}

func (m *machine) addAll(a, b Tangents) Tangents {
	if len(a) != len(b) {
		panic("curry: tangents of different products are added")
	}
	sum := make(Tangents, len(a))
	for i := range a {
		sum[i] = m.add(a[i], b[i])
	}
	return sum
}

// Note [Sums of sparse tangents]
//
// The pullback of xs[i] gives (…, 0, g, 0, …). A loop over an array sums one of
// those for each element, and to write them out would make its pullback
// quadratic. So the tangent of an array may also be a Sum that is not done yet;
// it is when its components are asked for, once.

// Sum is a tangent of a product: either left + right, or whole, or one that is
// at in component index and zero elsewhere.
type Sum struct {
	width       int
	left, right *Sum
	whole       Tangents
	index       int
	at          Tangent

	done Tangents // once it is known
}

// sparse returns the same as oneHot, for wide products.
func sparse(n, i int, t Tangent) Tangent {
	if isZero(t) {
		return t
	}
	return &Sum{width: n, index: i, at: t}
}

func (s *Sum) plus(t Tangent) Tangent {
	other, ok := t.(*Sum)
	if !ok {
		other = &Sum{width: len(t.(Tangents)), whole: t.(Tangents)}
	}
	if s.width != other.width {
		panic("curry: tangents of different products are added")
	}
	return &Sum{width: s.width, left: s, right: other}
}

// flatten does the additions of a sum.
func (m *machine) flatten(s *Sum) Tangents {
	if s.done != nil {
		return s.done
	}
	total := zeros(s.width)
	stack := []*Sum{s}
	for len(stack) > 0 {
		part := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case part.done != nil:
			total = m.addAll(total, part.done)
		case part.left != nil:
			stack = append(stack, part.right, part.left)
		case part.whole != nil:
			total = m.addAll(total, part.whole)
		default:
			total[part.index] = m.add(total[part.index], part.at)
		}
	}
	s.done = total
	return total
}

// ---- from and to the outside

// fromCotangent returns a cotangent of type ty, which has no functions in it.
func fromCotangent(v value.Value, ty types.Type) Tangent {
	ty = types.Resolve(ty)
	switch v := v.(type) {
	case value.Real:
		return float64(v)
	case value.Int, value.Ints, value.Bool, value.String:
		return Zero{}
	case value.Con:
		data := ty.(*types.Data)
		con := conOf(data, v.Name)
		fields := con.FieldTypes(data)
		ts := make(Tangents, len(v.Args))
		for i, a := range v.Args {
			ts[i] = fromCotangent(a, fields[i])
		}
		return dataTangent(con, ts)
	}
	elem, n := parts(v, ty)
	ts := make(Tangents, n)
	for i := range ts {
		part, t := elem(i)
		ts[i] = fromCotangent(part, t)
	}
	return tangents(ts)
}

func dataTangent(con *types.Con, fields Tangents) Tangent {
	if isZero(tangents(fields)) {
		return Zero{}
	}
	return &DataTangent{con, fields}
}

// toGradient returns a tangent of a value of type ty, for the outside. What has
// only Unit for tangents is shown as 0, false and the empty text.
func (m *machine) toGradient(t Tangent, of Value, ty types.Type) value.Value {
	return export(m.spread(t, of), ty, func(v Value) value.Value {
		switch v := v.(type) {
		case float64:
			return value.Real(v)
		case int64:
			return value.Int(0)
		case bool:
			return value.Bool(false)
		}
		return value.String("")
	})
}

// spread returns a value of the shape of another, with the tangents for its reals.
func (m *machine) spread(t Tangent, of Value) Value {
	switch of := of.(type) {
	case float64, *Node:
		if isZero(t) {
			return 0.0
		}
		return t
	case Product:
		ts := m.components(t, len(of))
		return productOf(len(of), func(i int) Value { return m.spread(ts[i], of[i]) })
	case *Data:
		if isZero(t) {
			return &Data{of.Con, m.spread(t, of.Fields).(Product)}
		}
		d := t.(*DataTangent)
		if d.Con != of.Con {
			panic("curry: the tangent of another constructor")
		}
		return &Data{of.Con, m.spread(d.Fields, of.Fields).(Product)}
	}
	return of
}

// showTangent writes a tangent as explanations do.
func showTangent(t Tangent) string {
	switch t := t.(type) {
	case Zero:
		return "0"
	case float64, *Node:
		return value.Show(value.Real(plain(t).(float64)))
	case Tangents:
		return "(" + joinTangents(t) + ")"
	case *Sum:
		return showTangent((&machine{}).flatten(t))
	case *DataTangent:
		return t.Con.Name + "(" + joinTangents(t.Fields) + ")"
	case *EnvTangent:
		return "env(" + joinTangents(t.Env) + ")"
	case *Calls:
		var calls []string
		t.each(func(c call) {
			if c.owed != nil {
				calls = append(calls, "env("+joinTangents(c.owed)+")")
				return
			}
			calls = append(calls, "("+showArgs(c.args)+", "+showTangent(c.result)+")")
		})
		return "[" + strings.Join(calls, ", ") + "]"
	}
	return fmt.Sprint(t)
}

func joinTangents(ts Tangents) string {
	words := make([]string, len(ts))
	for i, t := range ts {
		words[i] = showTangent(t)
	}
	return strings.Join(words, ", ")
}
