package diff

import (
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// emitter builds a block and simplifies as it goes. What it may not do is to
// take 0 · x for 0: x may be infinite. Zeros that are known to be zeros are
// never emitted in the first place; see Note [Structural zeros].
type emitter struct {
	core.Builder
	at   diag.Span // the source that is being differentiated
	defs map[*core.Var]core.Op
}

// nested is an emitter for a block inside this one.
func (e *emitter) nested() *emitter { return &emitter{at: e.at, defs: e.defs} }

// bind appends a binding and remembers it.
func (e *emitter) bind(v *core.Var, op core.Op) {
	e.defs[v] = op
	e.Bind(v, op, e.at)
}

func (e *emitter) let(name string, op core.Op) *core.Var {
	v := core.NewVar(name, unsized(core.TypeOf(op)))
	e.bind(v, op)
	return v
}

// unsized forgets the size of an array, which may be a variable of a row.
func unsized(t types.Type) types.Type {
	if a, ok := types.Resolve(t).(*types.Array); ok {
		return arrayOf(a.Elem)
	}
	return t
}

// def is the operation that an atom is the result of, or nil.
func (e *emitter) def(a core.Atom) core.Op {
	if v, ok := a.(*core.Var); ok {
		return e.defs[v]
	}
	return nil
}

// primDef is def for the result of the given primitive at Real or Int.
func (e *emitter) primDef(a core.Atom, row prim.ID) *core.Prim {
	if p, ok := e.def(a).(*core.Prim); ok && p.Prim.ID == row {
		return p
	}
	return nil
}

// ---- literals

func realLit(n int64) *core.Lit { return core.RealLit(big.NewRat(n, 1)) }

func isLit(a core.Atom) bool {
	_, ok := a.(*core.Lit)
	return ok
}

func isReal(a core.Atom, n int64) bool {
	l, ok := a.(*core.Lit)
	return ok && l.Ty == types.Type(types.Real) && l.Real.IsInt() && l.Real.Num().IsInt64() && l.Real.Num().Int64() == n
}

func isInt(a core.Atom, n int64) bool {
	l, ok := a.(*core.Lit)
	return ok && l.Ty == types.Type(types.Int) && l.Int == n
}

// sameAtom tells whether two atoms are plainly one value.
func sameAtom(a, b core.Atom) bool {
	if x, ok := a.(*core.Lit); ok {
		y, ok := b.(*core.Lit)
		return ok && core.SameLit(x, y)
	}
	return a == b
}

// ---- primitives

var (
	atReal = []types.Type{types.Real}
	atInt  = []types.Type{types.Int}
)

func (e *emitter) row(id prim.ID, inst []types.Type, args ...core.Atom) core.Atom {
	return e.let("t", &core.Prim{Prim: id.Row(), Inst: inst, Args: args})
}

// prim appends a primitive, or what it comes to.
func (e *emitter) prim(op *core.Prim) core.Atom {
	if len(op.Inst) == 1 && op.Inst[0] == types.Type(types.Int) {
		return e.intPrim(op)
	}
	if a := core.Unchanged(op.Prim, op.Args...); a != nil {
		return a
	}
	switch args := op.Args; op.Prim.ID {
	case prim.Add:
		return e.add(args[0], args[1])
	case prim.Sub:
		return e.sub(args[0], args[1])
	case prim.Mul:
		return e.mul(args[0], args[1])
	case prim.Neg:
		return e.neg(args[0])
	case prim.PowInt:
		if isInt(args[1], 0) {
			return realLit(1)
		}
	case prim.Real:
		if l, ok := args[0].(*core.Lit); ok {
			return realLit(l.Int)
		}
	}
	return e.let("t", op)
}

// intPrim computes with literals, as the exponents of rules are.
func (e *emitter) intPrim(op *core.Prim) core.Atom {
	if len(op.Args) == 2 {
		x, ok := op.Args[0].(*core.Lit)
		y, ok2 := op.Args[1].(*core.Lit)
		switch f := op.Prim.Int.(type) {
		case prim.Int2:
			if ok && ok2 {
				if n, code := f(x.Int, y.Int); code == "" {
					return core.IntLit(n)
				}
			}
			if a := core.Unchanged(op.Prim, op.Args...); a != nil {
				return a
			}
		case prim.IntCompare:
			if ok && ok2 {
				return core.BoolLit(f(x.Int, y.Int))
			}
		}
	}
	return e.let("t", op)
}

func (e *emitter) add(x, y core.Atom) core.Atom {
	if a := core.Unchanged(prim.Add.Row(), x, y); a != nil {
		return a
	}
	if p := e.primDef(y, prim.Neg); p != nil {
		return e.sub(x, p.Args[0])
	}
	if p := e.primDef(x, prim.Neg); p != nil {
		return e.sub(y, p.Args[0])
	}
	return e.row(prim.Add, atReal, x, y)
}

func (e *emitter) sub(x, y core.Atom) core.Atom {
	if a := core.Unchanged(prim.Sub.Row(), x, y); a != nil {
		return a
	}
	if isReal(x, 0) {
		return e.neg(y)
	}
	if p := e.primDef(y, prim.Neg); p != nil {
		return e.add(x, p.Args[0])
	}
	return e.row(prim.Sub, atReal, x, y)
}

func (e *emitter) neg(x core.Atom) core.Atom {
	if l, ok := x.(*core.Lit); ok {
		return core.RealLit(new(big.Rat).Neg(l.Real))
	}
	if p := e.primDef(x, prim.Neg); p != nil {
		return p.Args[0]
	}
	return e.row(prim.Neg, atReal, x)
}

func (e *emitter) mul(x, y core.Atom) core.Atom {
	if a := core.Unchanged(prim.Mul.Row(), x, y); a != nil {
		return a
	}
	switch {
	case isReal(x, -1):
		return e.neg(y)
	case isReal(y, -1):
		return e.neg(x)
	}
	if p := e.primDef(y, prim.Neg); p != nil {
		return e.neg(e.mul(x, p.Args[0]))
	}
	if p := e.primDef(x, prim.Neg); p != nil {
		return e.neg(e.mul(p.Args[0], y))
	}
	// x · (1 / y) is x / y, with one rounding less.
	if p := e.primDef(y, prim.Quo); p != nil && isReal(p.Args[0], 1) {
		return e.row(prim.Quo, atReal, x, p.Args[1])
	}
	return e.row(prim.Mul, atReal, x, y)
}

func (e *emitter) addInt(x, y core.Atom) core.Atom {
	return e.intPrim(&core.Prim{Prim: prim.Add.Row(), Inst: atInt, Args: []core.Atom{x, y}})
}

func (e *emitter) subInt(x, y core.Atom) core.Atom {
	return e.intPrim(&core.Prim{Prim: prim.Sub.Row(), Inst: atInt, Args: []core.Atom{x, y}})
}

// ---- values with parts

func elemType(t types.Type) types.Type { return types.Resolve(t).(*types.Array).Elem }

func arrayOf(t types.Type) *types.Array { return &types.Array{Size: types.AnySize, Elem: t} }

func (e *emitter) length(xs core.Atom) core.Atom {
	switch op := e.def(xs).(type) {
	case *core.Array:
		return core.IntLit(int64(len(op.Elems)))
	case *core.Build:
		return op.Size
	case *core.Map:
		return e.length(op.Arrays[0])
	}
	return e.row(prim.Length, []types.Type{elemType(xs.Type())}, xs)
}

func (e *emitter) index(xs, at core.Atom) core.Atom { return e.let("x", &core.Index{Of: xs, At: at}) }

// component takes part i of a tuple or record.
func (e *emitter) component(of core.Atom, i int) core.Atom {
	switch op := e.def(of).(type) {
	case *core.Tuple:
		return op.Elems[i]
	case *core.Record:
		return op.Elems[i]
	}
	if _, ok := types.Resolve(of.Type()).(*types.Record); ok {
		return e.let("c", &core.Field{Of: of, Index: i})
	}
	return e.let("c", &core.Proj{Of: of, Index: i})
}

// assemble puts a tuple or record of type t together.
func (e *emitter) assemble(t types.Type, parts []core.Atom) core.Atom {
	if r, ok := types.Resolve(t).(*types.Record); ok {
		return e.let("c", &core.Record{Ty: r, Elems: parts})
	}
	return e.tuple(parts)
}

// tuple is a tuple of any number of atoms; of one it is the atom itself.
func (e *emitter) tuple(parts []core.Atom) core.Atom {
	switch len(parts) {
	case 0:
		return core.UnitLit()
	case 1:
		return parts[0]
	}
	return e.let("c", &core.Tuple{Elems: parts})
}

// mapOne is [body x for x in xs].
func (e *emitter) mapOne(xs core.Atom, body func(e *emitter, x core.Atom) core.Atom) core.Atom {
	return e.mapAll([]core.Atom{xs}, func(e *emitter, x []core.Atom) core.Atom { return body(e, x[0]) })
}

// mapAll is [body x… for x… in arrays…].
func (e *emitter) mapAll(arrays []core.Atom, body func(e *emitter, x []core.Atom) core.Atom) core.Atom {
	params := make([]*core.Var, len(arrays))
	atoms := make([]core.Atom, len(arrays))
	for i, a := range arrays {
		params[i] = core.NewVar("x", elemType(a.Type()))
		atoms[i] = params[i]
	}
	inner := e.nested()
	result := body(inner, atoms)
	if len(params) == 1 && result == atoms[0] {
		return arrays[0]
	}
	return e.mapOf(params, arrays, inner.Block(result))
}

// mapOf is a Map of the arrays whose elements its body uses; of the first one
// if it uses none.
func (e *emitter) mapOf(params []*core.Var, arrays []core.Atom, body *core.Block) core.Atom {
	body.Stmts = live(body.Stmts, body.Result)
	used := map[core.Atom]bool{}
	core.Atoms(body, func(a core.Atom) { used[a] = true })
	op := &core.Map{Body: body}
	for i, p := range params {
		if used[p] {
			op.Params, op.Arrays = append(op.Params, p), append(op.Arrays, arrays[i])
		}
	}
	if len(op.Params) == 0 {
		op.Params, op.Arrays = params[:1], arrays[:1]
	}
	return e.let("xs", op)
}

// repeated is the atom that every element of an array is, if the array was
// made so; else nil.
func (e *emitter) repeated(array core.Atom) core.Atom {
	var body *core.Block
	switch op := e.def(array).(type) {
	case *core.Map:
		if body = op.Body; slices.ContainsFunc(op.Params, func(p *core.Var) bool { return body.Result == core.Atom(p) }) {
			return nil
		}
	case *core.Build:
		if body = op.Body; body.Result == core.Atom(op.Index) {
			return nil
		}
	}
	if body == nil || len(body.Stmts) > 0 {
		return nil
	}
	return body.Result
}

// build is [body i for i < n].
func (e *emitter) build(n core.Atom, body func(e *emitter, i core.Atom) core.Atom) core.Atom {
	i := core.NewVar("i", types.Int)
	inner := e.nested()
	result := body(inner, i)
	return e.let("xs", &core.Build{Size: n, Index: i, Body: inner.Block(result)})
}

func (e *emitter) iota(n core.Atom) core.Atom {
	return e.build(n, func(_ *emitter, i core.Atom) core.Atom { return i })
}

// flatten is the row of the table.
func (e *emitter) flatten(rows core.Atom) core.Atom {
	return e.row(prim.Flatten, []types.Type{elemType(elemType(rows.Type()))}, rows)
}

// ---- copies

// copyBlock appends the statements of a block, with fresh variables, and
// gives its result. What its literals decide is decided.
func (e *emitter) copyBlock(b *core.Block, subst map[*core.Var]core.Atom) core.Atom {
	c := core.NewCopier(subst)
	c.At = func(diag.Span) diag.Span { return e.at } // what fails in a rule does so where the row is applied
	e.copyStmts(b.Stmts, c)
	return c.Atom(b.Result)
}

func (e *emitter) copyStmts(stmts []core.Stmt, c *core.Copier) {
	for _, s := range stmts {
		let, ok := s.(*core.Let)
		if !ok {
			panic(notCovered{e.at, "a local recursive function"})
		}
		switch op := let.Op.(type) {
		case *core.Prim:
			args := make([]core.Atom, len(op.Args))
			for i, a := range op.Args {
				args[i] = c.Atom(a)
			}
			c.Subst[let.Var] = e.prim(&core.Prim{Prim: op.Prim, Inst: op.Inst, Args: args})
		case *core.If:
			if cond, ok := c.Atom(op.Cond).(*core.Lit); ok {
				taken := op.Else
				if cond.Bool {
					taken = op.Then
				}
				e.copyStmts(taken.Stmts, c)
				c.Subst[let.Var] = c.Atom(taken.Result)
				continue
			}
			e.bind(c.Bind(let.Var), c.Op(op))
		default:
			op = c.Op(op)
			e.bind(c.Bind(let.Var), op)
		}
	}
}

// inline appends a rule of the table.
func (e *emitter) inline(rule *core.Lambda, args ...core.Atom) core.Atom {
	return e.copyBlock(rule.Body, e.arguments(rule, args))
}

func (e *emitter) arguments(rule *core.Lambda, args []core.Atom) map[*core.Var]core.Atom {
	subst := make(map[*core.Var]core.Atom, len(args))
	for i, p := range rule.Params {
		subst[p] = args[i]
	}
	return subst
}
