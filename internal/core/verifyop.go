package core

import (
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// checkOp checks one operation: its atoms are in scope and its parts fit together.
func (v *verifier) checkOp(op Op) {
	switch op := op.(type) {
	case *Prim:
		v.prim(op)
	case *Lambda:
		if v.level == FirstOrder {
			v.reportf("a function value at the first-order level")
		}
		v.lambda(op)
	case *Apply:
		v.apply(op)
	case *Tuple:
		v.atoms(op.Elems)
		if len(op.Elems) < 2 {
			v.reportf("a tuple of %d elements", len(op.Elems))
		}
	case *Proj:
		v.atom(op.Of)
		if t, ok := op.Of.Type().(*types.Tuple); !ok {
			v.reportf("proj of %s, which is no tuple", typeText(op.Of.Type()))
		} else if op.Index < 0 || op.Index >= len(t.Elems) {
			v.reportf("a tuple of %d has no component %d", len(t.Elems), op.Index)
		}
	case *Record:
		v.record(op)
	case *Field:
		v.atom(op.Of)
		if t, ok := op.Of.Type().(*types.Record); !ok {
			v.reportf("field of %s, which is no record", typeText(op.Of.Type()))
		} else if op.Index < 0 || op.Index >= len(t.Fields) {
			v.reportf("a record of %d has no field %d", len(t.Fields), op.Index)
		}
	case *Construct:
		v.construct(op)
	case *Case:
		v.caseOf(op)
	case *If:
		v.atom(op.Cond)
		v.expect("the condition", op.Cond.Type(), types.Bool)
		v.block(op.Then)
		v.block(op.Else)
		v.expect("the else branch", op.Else.Result.Type(), op.Then.Result.Type())
	case *Array:
		v.atoms(op.Elems)
		v.wellFormed(op.Elem, v.level < FirstOrder)
		for _, e := range op.Elems {
			v.expect("an element", e.Type(), op.Elem)
		}
	case *Build:
		v.atom(op.Size)
		v.expect("the size", op.Size.Type(), types.Int)
		v.expect("the index variable", op.Index.Ty, types.Int)
		v.body(op.Body, nil, op.Index)
	case *Map:
		v.mapOp(op)
	case *Index:
		v.atom(op.Of)
		v.atom(op.At)
		v.array(op.Of)
		v.expect("the index", op.At.Type(), types.Int)
	case *Slice:
		v.atoms([]Atom{op.Of, op.Lo, op.Hi})
		v.array(op.Of)
		v.expect("the lower bound", op.Lo.Type(), types.Int)
		v.expect("the upper bound", op.Hi.Type(), types.Int)
	case *Reduce:
		v.fold(op.Acc, op.Elem, op.Init, op.Array, op.Body)
	case *Scan:
		v.fold(op.Acc, op.Elem, op.Init, op.Array, op.Body)
	case *Loop:
		v.loop(op)
	case *CheckSize:
		v.atoms([]Atom{op.Got, op.Want})
		v.expect("the size", op.Got.Type(), types.Int)
		v.expect("the wanted size", op.Want.Type(), types.Int)
	default:
		v.reportf("unknown operation %T", op)
	}
}

// overloaded holds the classes whose primitives Mono expands: after it they are applied only to
// basic types. Trajectories are not expanded, because their states may have any type.
const overloaded = types.Scalar | types.Num | types.Vec | types.Add | types.Eq |
	types.Ord | types.Cmp

func (v *verifier) prim(op *Prim) {
	v.atoms(op.Args)
	row := op.Prim
	if len(op.Inst) != len(row.Scheme.Params) {
		v.reportf("%s has %d type arguments and needs %d", row.Name, len(op.Inst),
			len(row.Scheme.Params))
		return
	}
	if len(op.Args) != row.Arity() {
		v.reportf("%s has %d arguments and needs %d", row.Name, len(op.Args), row.Arity())
		return
	}
	for i, t := range op.Inst {
		v.wellFormed(t, true)
		if v.level > Poly && row.Kind != prim.Trajectory &&
			row.Scheme.Params[i].Classes&overloaded != 0 {
			if _, ok := t.(*types.Basic); !ok {
				v.reportf("%s at %s after monomorphisation", row.Name, typeText(t))
			}
		}
	}
	params, _ := types.Splay(types.Subst(row.Scheme.Type, row.Scheme.Params, op.Inst), len(op.Args))
	if len(params) < len(op.Args) {
		v.reportf("%s takes %d arguments by its type and %d by its row", row.Name, len(params),
			row.Arity())
		return
	}
	for i, a := range op.Args {
		v.expect(ordinal(i)+" argument", a.Type(), params[i])
	}
}

func ordinal(i int) string {
	names := [...]string{"the first", "the second", "the third", "the fourth", "the fifth"}
	if i < len(names) {
		return names[i]
	}
	return "a later"
}

func (v *verifier) lambda(fun *Lambda) {
	if len(fun.Params) == 0 {
		v.reportf("a function without parameters")
	}
	v.body(fun.Body, nil, fun.Params...)
}

func (v *verifier) apply(op *Apply) {
	v.atoms(op.Args)
	if len(op.Args) == 0 {
		v.reportf("a call without arguments")
	}
	if g, ok := op.Fun.(*Global); ok {
		v.global(g)
	} else {
		v.atom(op.Fun)
	}
	params, _ := types.Splay(op.Fun.Type(), len(op.Args))
	if len(params) < len(op.Args) {
		v.reportf("%d arguments for a function of type %s", len(op.Args), typeText(op.Fun.Type()))
		return
	}
	for i, a := range op.Args {
		v.expect(ordinal(i)+" argument", a.Type(), params[i])
	}
	if v.level == FirstOrder {
		v.firstOrderCall(op)
	}
}

func (v *verifier) firstOrderCall(op *Apply) {
	g, ok := op.Fun.(*Global)
	if !ok {
		v.reportf("a call of an unknown function at the first-order level")
		return
	}
	d := v.defs[g.Name]
	if d == nil && v.extern != nil {
		d = v.extern(g.Name)
	}
	if d == nil {
		return // reported by global
	}
	if fun := d.Function(); fun == nil || len(fun.Params) != len(op.Args) {
		v.reportf("a call of %s that is not saturated, at the first-order level", g.Name)
	}
}

func (v *verifier) record(op *Record) {
	v.atoms(op.Elems)
	v.wellFormed(op.Ty, v.level < FirstOrder)
	if len(op.Elems) != len(op.Ty.Fields) {
		v.reportf("%d values for %d fields", len(op.Elems), len(op.Ty.Fields))
		return
	}
	for i, e := range op.Elems {
		v.expect("field "+op.Ty.Fields[i].Name, e.Type(), op.Ty.Fields[i].Type)
	}
}

func (v *verifier) construct(op *Construct) {
	v.atoms(op.Args)
	v.wellFormed(op.Ty, v.level < FirstOrder)
	if op.Con.Data != op.Ty.Decl {
		v.reportf("%s is no constructor of %s", op.Con.Name, op.Ty.Decl.QName())
		return
	}
	if len(op.Args) != len(op.Con.Fields) {
		v.reportf("%s has %d arguments and needs %d", op.Con.Name, len(op.Args), len(op.Con.Fields))
		return
	}
	if len(op.Ty.Args) != len(op.Ty.Decl.Params) {
		return // reported by wellFormed
	}
	for i, t := range op.Con.FieldTypes(op.Ty) {
		v.expect(ordinal(i)+" argument of "+op.Con.Name, op.Args[i].Type(), t)
	}
}

func (v *verifier) caseOf(op *Case) {
	v.atom(op.Of)
	of, ok := op.Of.Type().(*types.Data)
	if !ok {
		v.reportf("case of %s, which is no data type", typeText(op.Of.Type()))
		return
	}
	stmt := v.stmt
	var want types.Type
	branch := func(name string, body *Block) {
		if want == nil {
			want = body.Result.Type()
		}
		v.expect("the branch of "+name, body.Result.Type(), want)
	}
	seen := map[*types.Con]bool{}
	for _, arm := range op.Arms {
		v.stmt = stmt
		if arm.Con.Data != of.Decl {
			v.reportf("%s is no constructor of %s", arm.Con.Name, of.Decl.QName())
			continue
		}
		if seen[arm.Con] {
			v.reportf("two arms for %s", arm.Con.Name)
		}
		seen[arm.Con] = true
		v.arm(arm, of)
		branch(arm.Con.Name, arm.Body)
	}
	v.stmt = stmt
	if op.Default != nil {
		v.block(op.Default)
		branch("_", op.Default)
		return
	}
	for _, c := range of.Decl.Cons {
		if !seen[c] {
			v.reportf("no arm for %s", c.Name)
		}
	}
}

func (v *verifier) arm(arm Arm, of *types.Data) {
	if len(arm.Vars) != len(arm.Con.Fields) {
		v.reportf("the arm of %s binds %d variables and needs %d", arm.Con.Name, len(arm.Vars),
			len(arm.Con.Fields))
	} else if len(of.Args) == len(of.Decl.Params) {
		for i, t := range arm.Con.FieldTypes(of) {
			v.expect("variable "+arm.Vars[i].Name, arm.Vars[i].Ty, t)
		}
	}
	v.body(arm.Body, nil, arm.Vars...)
}

func (v *verifier) mapOp(op *Map) {
	v.atoms(op.Arrays)
	if len(op.Params) != len(op.Arrays) || len(op.Params) == 0 {
		v.reportf("%d variables for %d arrays", len(op.Params), len(op.Arrays))
		return
	}
	for i, a := range op.Arrays {
		if elem := v.array(a); elem != nil {
			v.expect("variable "+op.Params[i].Name, op.Params[i].Ty, elem)
		}
	}
	v.body(op.Body, nil, op.Params...)
}

// fold checks a Reduce or a Scan. The element and the accumulator may have
// different types: see Note [Fused reductions] in package opt.
func (v *verifier) fold(acc, elem *Var, init, array Atom, body *Block) {
	v.atoms([]Atom{init, array})
	v.expect("the initial value", init.Type(), acc.Ty)
	if t := v.array(array); t != nil {
		v.expect("variable "+elem.Name, elem.Ty, t)
	}
	v.body(body, acc.Ty, acc, elem)
}

func (v *verifier) loop(op *Loop) {
	v.atom(op.Init)
	v.expect("the initial state", op.Init.Type(), op.State.Ty)
	bound := []*Var{op.State}
	switch head := op.Head.(type) {
	case *Range:
		v.atom(head.Bound)
		v.expect("the bound", head.Bound.Type(), types.Int)
		v.expect("the index variable", head.Index.Ty, types.Int)
		bound = append(bound, head.Index)
	case *Each:
		v.atom(head.Array)
		if t := v.array(head.Array); t != nil {
			v.expect("variable "+head.Elem.Name, head.Elem.Ty, t)
		}
		bound = append(bound, head.Elem)
	case *While:
		for _, x := range bound {
			v.bind(x)
		}
		v.block(head.Cond)
		v.expect("the condition", head.Cond.Result.Type(), types.Bool)
		v.block(op.Body)
		v.expect("the body", op.Body.Result.Type(), op.State.Ty)
		v.unbind(bound...)
		return
	default:
		v.reportf("unknown loop head %T", head)
	}
	v.body(op.Body, op.State.Ty, bound...)
}

// body checks a block that sees vars. want is its type if that is known, or nil.
func (v *verifier) body(b *Block, want types.Type, vars ...*Var) {
	for _, x := range vars {
		v.bind(x)
	}
	v.block(b)
	if want != nil {
		v.expect("the body", b.Result.Type(), want)
	}
	v.unbind(vars...)
}

// array returns the element type of an array. If the atom is not an array, it reports that and
// returns nil.
func (v *verifier) array(a Atom) types.Type {
	t, ok := a.Type().(*types.Array)
	if !ok {
		v.reportf("%s is no array", typeText(a.Type()))
		return nil
	}
	return t.Elem
}
