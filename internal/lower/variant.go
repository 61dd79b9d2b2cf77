package lower

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Variants]
//
// A value of a data type with several constructors is a product: its tag, and then the fields of
// all constructors, one after the other. The fields of the constructors that it does not have are
// zeros and arrays without elements; nothing reads them, since a Case looks at the tag first. So
// such values can be chosen by a branch, be states of loops and elements of arrays like any
// product.
//
// Such a value is differentiated like any product, too. What a function does not read has a
// cotangent of zero, and the tangents of zeros are zeros. But the reals of a value are those of the
// constructor that it has. What asks for them looks at the tag: how many there are (count), where
// the reals behind them are (starts), whether all are finite. A caller in another language may
// leave anything in the other fields, so that nothing that such a field holds may matter, not even
// the length of an array (fitted).
//
// The tags of a tangent, or of a cotangent, must be those of the value that it belongs to, as the
// interpreter says.

// withoutNodes gives up if a type contains recursive data.
func (l *lowerer) withoutNodes(t types.Type) {
	if s := DataShapeOf(t); s != nil && s.hasNodes() {
		l.failWith(RecursiveHint, "the reals of a value of type %s", types.Show(t))
	}
}

// fields are those of a constructor of a variant, by its tag.
func (p *product) fields(tag int) *product {
	end := len(p.parts)
	if tag+1 < len(p.cons) {
		end = p.cons[tag+1]
	}
	return &product{parts: p.parts[p.cons[tag]:end]}
}

// has tells whether a variant has a constructor.
func (l *lowerer) has(p *product, tag int) loop.Atom {
	return l.let("is", loop.EqI, l.plain(p.parts[0]), loop.Int(int64(tag)))
}

// withFields is a variant with the fields of the constructor that it has replaced. Those of
// constructors of which change says so are looked at.
func (l *lowerer) withFields(p *product, changes func(fields value) bool,
	f func(tag int, fields *product) value) value {
	out := p.fresh()
	copy(out.parts, p.parts)
	for tag, first := range p.cons {
		fields := p.fields(tag)
		if changes(fields) {
			changed := l.choice(l.has(p, tag), func() value { return f(tag, fields) },
				func() value { return fields }, open, open)
			copy(out.parts[first:], changed.(*product).parts)
		}
	}
	return out
}

// eachField does something to the fields of the constructor that a variant has, if it may have one
// of which matters says so.
func (l *lowerer) eachField(p *product, matters func(fields value) bool,
	f func(tag int, fields *product)) {
	l.withFields(p, matters, func(tag int, fields *product) value {
		f(tag, fields)
		return fields
	})
}

// contains tells whether there is a variant in a value, or an array, as the case may be.
func contains(v value, is func(value) bool) bool {
	if is(v) {
		return true
	}
	switch v := v.(type) {
	case *product:
		return slices.ContainsFunc(v.parts, func(part value) bool { return contains(part, is) })
	case *array:
		return contains(v.elem, is)
	}
	return false
}

// hasVariant tells whether there is a variant in a value, hasArray whether there is an array.
func hasVariant(v value) bool {
	return contains(v, func(v value) bool {
		p, ok := v.(*product)
		return ok && p.cons != nil
	})
}

func hasArray(v value) bool {
	return contains(v, func(v value) bool {
		_, ok := v.(*array)
		return ok
	})
}

// construct makes a value of a data type.
func (l *lowerer) construct(op *core.Construct, env *env) value {
	switch {
	case makesNode(op):
		l.failWith(RecursiveHint, "a new value of the recursive type %s", types.Show(op.Ty))
	case isNode(op.Ty):
		return &product{parts: []value{&scalar{loop.Int(int64(fixed(op.Ty, op.Con)))}},
			table: nowhere}
	case isEnumeration(op.Ty):
		return &scalar{loop.Int(int64(op.Con.Tag))}
	case !isVariant(op.Ty):
		return &product{parts: l.atoms(op.Args, env)}
	}
	p := &product{parts: []value{&scalar{loop.Int(int64(op.Con.Tag))}}}
	for _, con := range op.Ty.Decl.Cons {
		p.cons = append(p.cons, len(p.parts))
		if con.Tag == op.Con.Tag {
			p.parts = append(p.parts, l.atoms(op.Args, env)...)
			continue
		}
		for _, t := range con.FieldTypes(op.Ty) {
			if DataShapeOf(t) == nil { // a function, say: the other side of a branch may have one
				p.parts = append(p.parts, &bottom{t})
				continue
			}
			p.parts = append(p.parts, idleField(l.defined(&bottom{t})))
		}
	}
	return p
}

// idleField marks the arrays of a field that nothing reads.
func idleField(v value) value {
	switch v := v.(type) {
	case *product:
		for _, part := range v.parts {
			idleField(part)
		}
	case *array:
		v.idle = true
	}
	return v
}

// level gives arrays of values that nothing reads the lengths of those in the other values, so that
// all are elements of one array.
func (l *lowerer) level(vs []value) []value {
	var read *array // one of those that are read
	idle := false
	switch vs[0].(type) {
	case *product:
		parts := make([]value, len(vs))
		out := make([]value, len(vs))
		for i, v := range vs {
			out[i] = v.(*product).fresh()
		}
		for k := range out[0].(*product).parts {
			for i, v := range vs {
				parts[i] = v.(*product).parts[k]
			}
			for i, part := range l.level(parts) {
				out[i].(*product).parts[k] = part
			}
		}
		return out
	case *array:
		for _, v := range vs {
			if a := v.(*array); a.idle {
				idle = true
			} else if read == nil {
				read = a
			}
		}
	}
	if read == nil || !idle {
		return vs
	}
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = v
		if v.(*array).idle {
			out[i] = l.idle(read, math.MaxInt)
		}
	}
	return out
}

// caseOf chooses by the constructor of a value; body lowers an arm, of which reached tells what is
// known.
func (l *lowerer) caseOf(op *core.Case, env *env, body func(b *core.Block, env *envT) value,
	reached func(*core.Block) reach) value {
	data := types.Resolve(op.Of.Type()).(*types.Data)
	v := l.use(op.Of, env)
	tag := loop.Atom(loop.Int(0))
	switch {
	case isNode(data):
		row := l.row(l.productOf(v, data))
		v, tag = row, l.tag(row)
	case isEnumeration(data):
		tag = l.plain(v)
	case isVariant(data):
		tag = l.plain(l.productOf(v, data).parts[0])
	}
	arm := func(a core.Arm) value {
		inner := newEnv(env)
		fields := l.fields(v, data, a.Con)
		for i, x := range a.Vars {
			field := fields[i]
			if isNode(data) {
				field = l.loaded(field)
			}
			inner.bind(x, field)
		}
		return body(a.Body, inner)
	}
	others := func(k int) reach { // of the arms from the k-th on, and the default
		for _, a := range op.Arms[k:] {
			if reached(a.Body) != never {
				return open
			}
		}
		if op.Default != nil && reached(op.Default) != never {
			return open
		}
		return never
	}
	var from func(k int) value
	from = func(k int) value {
		last := k == len(op.Arms)-1 && op.Default == nil
		switch {
		case last:
			return arm(op.Arms[k])
		case k == len(op.Arms):
			return body(op.Default, newEnv(env))
		}
		is := l.let("is", loop.EqI, tag, loop.Int(int64(op.Arms[k].Con.Tag)))
		return l.choice(is, func() value { return arm(op.Arms[k]) }, func() value {
			return from(k + 1)
		},
			reached(op.Arms[k].Body), others(k+1))
	}
	return from(0)
}

func (l *lowerer) productOf(v value, t *types.Data) *product {
	p, ok := v.(*product)
	if !ok {
		l.fail("the data type %s", t.Decl.Name)
	}
	return p
}

// fields are those of a constructor.
func (l *lowerer) fields(v value, t *types.Data, con *types.Con) []value {
	if len(con.Fields) == 0 {
		return nil
	}
	p := l.productOf(v, t)
	if p.cons != nil {
		p = p.fields(con.Tag)
	}
	return p.parts
}
