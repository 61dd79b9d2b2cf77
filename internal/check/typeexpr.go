package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Type variables of annotations]
//
// A type variable in an annotation belongs to the innermost enclosing binding of a name. If a
// binding further out already has a variable of that name, it means that variable instead. Within
// its binding it is rigid: the definition must work for every type it may stand for. Its classes
// are inferred, unless the binding states constraints; then these must suffice. Where nothing can
// be generalised (a pattern binding, the final expression of a module) a type variable is an
// ordinary unknown.

// typeVar is a type variable (t set) or a size variable in scope.
type typeVar struct {
	name string
	t    types.Type
	size *types.Size
}

// bindingMark holds the state to restore after a binding.
type bindingMark struct {
	vars            int
	given, flexible bool
}

// enterBinding starts the scope of the type variables of a binding.
func (c *checker) enterBinding(b *syntax.Binding) bindingMark {
	mark := bindingMark{len(c.vars), c.given, c.flexible}
	c.given, c.flexible = statesConstraints(b), false
	return mark
}

// leaveBinding ends that scope and returns the rigid variables that it introduced.
func (c *checker) leaveBinding(mark bindingMark) (own []*types.Param) {
	for _, v := range c.vars[mark.vars:] {
		if p, ok := v.t.(*types.Param); ok {
			own = append(own, p)
		}
	}
	c.vars = c.vars[:mark.vars]
	c.given, c.flexible = mark.given, mark.flexible
	return own
}

func statesConstraints(b *syntax.Binding) bool {
	if b.Result != nil && len(b.Result.Context) > 0 {
		return true
	}
	for _, p := range b.Params {
		for {
			paren, ok := p.(*syntax.PParen)
			if !ok {
				break
			}
			p = paren.X
		}
		if a, ok := p.(*syntax.PAnnot); ok && len(a.Type.Context) > 0 {
			return true
		}
	}
	return false
}

// signature returns the type that an annotation denotes.
func (c *checker) signature(s *syntax.Signature) types.Type {
	if t, ok := c.info.Signatures[s]; ok {
		return t
	}
	for _, k := range s.Context {
		class, ok := types.ClassByName(k.Class.Name)
		if !ok {
			c.unknownClass(k.Class)
			continue
		}
		t := c.typeVariable(k.Var.Name)
		if p, ok := t.(*types.Param); ok && p.Level == c.u.Level {
			p.Classes |= class
		} else if lack := types.Require(t, class, s); lack != nil {
			c.noInstance(k.Class.At.To(k.Var.At), lack, nil)
		}
	}
	t := c.boundedType(s.Type)
	c.info.Signatures[s] = t
	return t
}

// typeVariable returns a type variable in scope, or introduces it.
func (c *checker) typeVariable(name string) types.Type {
	for i := len(c.vars) - 1; i >= 0; i-- {
		if v := &c.vars[i]; v.name == name && v.t != nil {
			return v.t
		}
	}
	var t types.Type
	if c.flexible {
		t = c.u.Fresh()
	} else {
		t = &types.Param{Name: name, Level: c.u.Level, Given: c.given}
	}
	c.vars = append(c.vars, typeVar{name: name, t: t})
	return t
}

// sizeVariable returns a size variable in scope, or introduces it.
func (c *checker) sizeVariable(name syntax.Ident) *types.Size {
	for i := len(c.vars) - 1; i >= 0; i-- {
		if v := &c.vars[i]; v.name == name.Name && v.size != nil {
			return v.size
		}
	}
	s := &types.Size{Kind: types.SizeParam, Name: name.Name, Level: c.u.Level,
		Origin: sizeOrigin{name.At, true}}
	c.vars = append(c.vars, typeVar{name: name.Name, size: s})
	return s
}

// boundedType returns the type that a whole type expression denotes, and reports it if it is too
// large. Abbreviations and powers can make it so.
func (c *checker) boundedType(e syntax.TypeExpr) types.Type {
	t := c.typeExpr(e)
	if types.Exceeds(t) {
		c.typeTooLarge(e)
		return c.bad()
	}
	return t
}

// typeExpr returns the type that a type expression denotes.
func (c *checker) typeExpr(t syntax.TypeExpr) types.Type {
	switch t := t.(type) {
	case *syntax.TName:
		return c.namedType(t)
	case *syntax.TVar:
		if c.decl != nil {
			return c.decl.variable(c, t)
		}
		c.lintTypeVariable(t)
		return c.typeVariable(t.Name)
	case *syntax.TFun:
		return &types.Fun{Param: c.typeExpr(t.Param), Result: c.typeExpr(t.Result)}
	case *syntax.TTuple:
		if len(t.Elems) == 0 {
			return types.Unit
		}
		return &types.Tuple{Elems: c.typeExprs(t.Elems)}
	case *syntax.TProduct:
		return &types.Tuple{Elems: c.typeExprs(t.Elems)}
	case *syntax.TPower:
		return c.power(t)
	case *syntax.TRecord:
		fields := make([]types.Field, 0, len(t.Fields))
		for _, f := range t.Fields {
			fields = append(fields, types.Field{Name: f.Name.Name, Type: c.typeExpr(f.Type)})
		}
		sortFields(fields)
		for i := 1; i < len(fields); i++ {
			if fields[i].Name == fields[i-1].Name {
				c.report(diag.Errorf(diag.DuplicateBinding, t.At,
					"this record type has two fields called `%s`", fields[i].Name))
				return c.bad()
			}
		}
		return &types.Record{Fields: fields}
	case *syntax.TArray:
		elem := c.typeExpr(t.Elem)
		return &types.Array{Size: c.sizeExpr(t.Size), Elem: elem}
	case *syntax.TParen:
		return c.typeExpr(t.X)
	}
	return c.bad()
}

func (c *checker) typeExprs(ts []syntax.TypeExpr) []types.Type {
	all := make([]types.Type, len(ts))
	for i, t := range ts {
		all[i] = c.typeExpr(t)
	}
	return all
}

// power returns the type of Real^3. One factor is the type itself, and none is unit.
func (c *checker) power(t *syntax.TPower) types.Type {
	elem := c.typeExpr(t.Elem)
	switch {
	case t.N <= 0:
		return types.Unit
	case t.N == 1:
		return elem
	case t.N > types.MaxTypeSize:
		c.typeTooLarge(t)
		return c.bad()
	}
	elems := make([]types.Type, t.N)
	for i := range elems {
		elems[i] = elem
	}
	return &types.Tuple{Elems: elems}
}

// sizeExpr returns the size that a size expression denotes.
func (c *checker) sizeExpr(e syntax.SizeExpr) *types.Size {
	size := types.AnySize
	switch e := e.(type) {
	case *syntax.SizeAtom:
		return c.sizeAtom(e)
	case *syntax.SizeOp:
		l, r := c.sizeExpr(e.L), c.sizeExpr(e.R)
		if l.Kind == types.SizeUnknown || r.Kind == types.SizeUnknown {
			break
		}
		switch e.Op {
		case syntax.OpAdd:
			size = types.AddSizes(l, r)
		case syntax.OpSub:
			size = types.SubSizes(l, r)
		case syntax.OpMul:
			size = types.MulSizes(l, r)
		}
		switch size.Kind {
		case types.SizeUnknown:
			c.report(diag.Errorf(diag.BadNumber, e.At,
				"no array has this size: it is negative or too large"))
		case types.SizeConst, types.SizeSum:
			size.Origin = sizeOrigin{e.At, true}
		}
	}
	return size
}

func (c *checker) sizeAtom(e *syntax.SizeAtom) *types.Size {
	switch {
	case e.Name == "_":
		return types.AnySize
	case e.Name[0] >= '0' && e.Name[0] <= '9':
		n, ok := syntax.Integer(e.Name)
		if !ok {
			c.report(diag.Errorf(diag.BadNumber, e.At, "this size is too large"))
			return types.AnySize
		}
		s := types.ConstSize(n)
		s.Origin = sizeOrigin{e.At, true}
		return s
	case c.decl != nil:
		d := diag.Errorf(diag.UnboundTypeVariable, e.At,
			"a declaration has no size variables, and this mentions `%s`", e.Name)
		c.report(d.WithHint("write `[]` for an array of any size").WithEdit("Write `[]`", e.At, ""))
		return types.AnySize
	}
	return c.sizeVariable(syntax.Ident{Name: e.Name, At: e.At})
}

// namedType returns a basic or declared type applied to its arguments.
func (c *checker) namedType(t *syntax.TName) types.Type {
	args := c.typeExprs(t.Args)
	if t.Module.Name == "" {
		if basic := basicType(t.Name.Name); basic != nil {
			if len(args) > 0 {
				c.typeArity(t, t.Name.Name, nil, 0)
			}
			return basic
		}
	}
	decl := c.lookupType(t)
	if decl == nil {
		return c.bad()
	}
	var params []*types.Param
	if decl.Data != nil {
		params = decl.Data.Params
	} else {
		params = c.aliasOf(decl).Params
	}
	if len(args) != len(params) {
		c.typeArity(t, decl.Name, params, len(params))
		return c.bad()
	}
	if decl.Data != nil {
		return &types.Data{Decl: decl.Data, Args: args}
	}
	return types.Subst(c.aliasOf(decl).Type, params, args)
}

// IsBasic reports whether a name is that of a basic type.
func IsBasic(name string) bool { return basicType(name) != nil }

func basicType(name string) types.Type {
	switch name {
	case "Real":
		return types.Real
	case "Int":
		return types.Int
	case "Bool":
		return types.Bool
	case "String":
		return types.String
	}
	return nil
}

// lookupType returns the declaration that a type name refers to, or reports that there is none.
func (c *checker) lookupType(t *syntax.TName) *TypeName {
	if t.Module.Name == "" {
		found := c.findType(t.Name.Name)
		if found == nil {
			c.unknownType(t)
		}
		return found
	}
	m := c.modules[t.Module.Name]
	if m == nil {
		c.unknownModule(t.Module)
		return nil
	}
	m.used = true
	if m.face == nil {
		return nil
	}
	found := m.face.Types[t.Name.Name]
	if found == nil {
		c.unknownMember(m, t.Name)
	}
	return found
}
