package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Variants]
//
// A value of a data type with several constructors is a product: its tag, and then the fields of all constructors, one
// after the other. The fields of the constructors that it does not have are zeros and arrays without elements; nothing
// reads them, since a Case looks at the tag first. So such values can be chosen by a branch, be states of loops and
// elements of arrays like any product. What asks for the reals of a value must know which ones there are, and is not
// covered; nor do such values come from outside of a function or leave it.

// isVariant tells whether values of a data type are a tag and fields.
func isVariant(t *types.Data) bool { return len(t.Decl.Cons) > 1 && !isEnumeration(t) }

// allFields are the types of the fields of all constructors.
func allFields(t *types.Data) []types.Type {
	var all []types.Type
	for _, con := range t.Decl.Cons {
		all = append(all, con.FieldTypes(t)...)
	}
	return all
}

// hasVariants tells whether a type contains data with a tag and fields.
func hasVariants(t types.Type) bool {
	return types.Contains(t, func(t types.Type) bool {
		d, ok := t.(*types.Data)
		return ok && isVariant(d)
	})
}

// withoutVariants gives up if a type contains data with a tag and fields.
func (l *lowerer) withoutVariants(t types.Type) {
	if hasVariants(t) {
		l.fail("the reals of a value of type %s", types.Show(t))
	}
}

// construct makes a value of a data type.
func (l *lowerer) construct(op *core.Construct, env *env) value {
	switch {
	case isEnumeration(op.Ty):
		return &scalar{loop.Int(int64(op.Con.Tag))}
	case !isVariant(op.Ty):
		return &product{l.atoms(op.Args, env)}
	}
	parts := []value{&scalar{loop.Int(int64(op.Con.Tag))}}
	for _, con := range op.Ty.Decl.Cons {
		if con.Tag == op.Con.Tag {
			parts = append(parts, l.atoms(op.Args, env)...)
			continue
		}
		for _, t := range con.FieldTypes(op.Ty) {
			if innerShape(t) == nil { // a function, say: the other side of a branch may have one
				parts = append(parts, &bottom{t})
				continue
			}
			parts = append(parts, l.defined(&bottom{t}))
		}
	}
	return &product{parts}
}

// caseOf chooses by the constructor of a value.
func (l *lowerer) caseOf(op *core.Case, ty types.Type, env *env) value {
	data := types.Resolve(op.Of.Type()).(*types.Data)
	v := l.use(op.Of, env)
	arm := func(a core.Arm) value {
		inner := newEnv(env)
		fields := l.fields(v, data, a.Con)
		for i, x := range a.Vars {
			inner.bind(x, fields[i])
		}
		return l.block(a.Body, inner)
	}
	tag := loop.Atom(loop.Int(0))
	switch {
	case isEnumeration(data):
		tag = l.plain(v)
	case isVariant(data):
		tag = l.plain(l.productOf(v, data).parts[0])
	}
	var from func(k int) value
	from = func(k int) value {
		last := k == len(op.Arms)-1 && op.Default == nil
		switch {
		case last:
			return arm(op.Arms[k])
		case k == len(op.Arms):
			return l.inner(op.Default, env)
		}
		is := l.let("is", loop.EqI, tag, loop.Int(int64(op.Arms[k].Con.Tag)))
		return l.choice(is, ty, func() value { return arm(op.Arms[k]) }, func() value { return from(k + 1) },
			onlyFails(op.Arms[k].Body), false)
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
	at := 0
	if isVariant(t) {
		at = 1
		for _, before := range t.Decl.Cons[:con.Tag] {
			at += len(before.Fields)
		}
	}
	return l.productOf(v, t).parts[at : at+len(con.Fields)]
}
