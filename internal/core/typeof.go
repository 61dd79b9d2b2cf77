package core

import "github.com/fluxion-lang/fluxion/internal/types"

// TypeOf returns the type of an operation's value, derived from its parts. It does not check the
// parts (Verify does), and returns nil if they fit so badly that there is no type. Arrays get the
// sizes that are evident, which types.Equal ignores.
func TypeOf(op Op) types.Type {
	switch op := op.(type) {
	case *Prim:
		return primType(op)
	case *Lambda:
		params := make([]types.Type, len(op.Params))
		for i, p := range op.Params {
			params[i] = p.Ty
		}
		return types.Funs(op.Body.Result.Type(), params...)
	case *Apply:
		params, result := types.Splay(op.Fun.Type(), len(op.Args))
		if len(params) < len(op.Args) {
			return nil
		}
		return result
	case *Tuple:
		return &types.Tuple{Elems: atomTypes(op.Elems)}
	case *Proj:
		if t, ok := types.Resolve(op.Of.Type()).(*types.Tuple); ok && 0 <= op.Index &&
			op.Index < len(t.Elems) {
			return t.Elems[op.Index]
		}
		return nil
	case *Record:
		return op.Ty
	case *Field:
		if t, ok := types.Resolve(op.Of.Type()).(*types.Record); ok && 0 <= op.Index &&
			op.Index < len(t.Fields) {
			return t.Fields[op.Index].Type
		}
		return nil
	case *Construct:
		return op.Ty
	case *Case:
		if len(op.Arms) > 0 {
			return op.Arms[0].Body.Result.Type()
		}
		if op.Default != nil {
			return op.Default.Result.Type()
		}
		return nil
	case *If:
		return op.Then.Result.Type()
	case *Array:
		return &types.Array{Size: types.ConstSize(int64(len(op.Elems))), Elem: op.Elem}
	case *Build:
		size := types.AnySize
		if n, ok := op.Size.(*Lit); ok && n.Int >= 0 {
			size = types.ConstSize(n.Int)
		}
		return &types.Array{Size: size, Elem: op.Body.Result.Type()}
	case *Map:
		return &types.Array{Size: sizeOf(op.Arrays[0]), Elem: op.Body.Result.Type()}
	case *Index:
		if t, ok := types.Resolve(op.Of.Type()).(*types.Array); ok {
			return t.Elem
		}
		return nil
	case *Slice:
		if t, ok := types.Resolve(op.Of.Type()).(*types.Array); ok {
			return &types.Array{Size: types.AnySize, Elem: t.Elem}
		}
		return nil
	case *Reduce:
		return op.Acc.Ty
	case *Scan:
		return &types.Array{Size: sizeOf(op.Array), Elem: op.Acc.Ty}
	case *Loop:
		return op.State.Ty
	case *CheckSize:
		return types.Unit
	}
	panic("core: unknown operation")
}

func primType(op *Prim) types.Type {
	if len(op.Inst) != len(op.Prim.Scheme.Params) {
		return nil
	}
	t := types.Subst(op.Prim.Scheme.Type, op.Prim.Scheme.Params, op.Inst)
	params, result := types.Splay(t, len(op.Args))
	if len(params) < len(op.Args) {
		return nil
	}
	return withoutSums(result)
}

// withoutSums returns a type in which arrays whose size is a sum have an unknown size, because
// core has no arithmetic on sizes.
func withoutSums(t types.Type) types.Type {
	if a, ok := t.(*types.Array); ok && a.Size.Kind == types.SizeSum {
		t = &types.Array{Size: types.AnySize, Elem: a.Elem}
	}
	return types.Map(t, withoutSums)
}

func atomTypes(atoms []Atom) []types.Type {
	ts := make([]types.Type, len(atoms))
	for i, a := range atoms {
		ts[i] = a.Type()
	}
	return ts
}

func sizeOf(array Atom) *types.Size {
	if t, ok := types.Resolve(array.Type()).(*types.Array); ok {
		return t.Size
	}
	return types.AnySize
}
