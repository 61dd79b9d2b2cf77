package delta

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// dual holds what the translations share: types, data types, definitions by their names, and the
// primitives. The tangents are left open.
type dual struct {
	*shapes
	watch   *stop.Watch // ends the translation by a panic
	source  map[string]*core.Def
	made    map[string]*core.Def // translations, by the names of the sources
	defs    []*core.Def          // all that was made
	queue   []*core.Def          // sources whose translations have no body yet
	taken   map[string]bool      // names of definitions
	tangent types.Type
	number  types.Type // 𝒟{ℝ}: (ℝ, tangent), but see levels
	effect  types.Type // the state of the monad; nil if there is none
	prefix  string     // of the names of translations
	err     *diag.Diagnostic

	known     map[*types.DataDecl]bool // the data types of the program
	mentioned map[*types.DataDecl]bool // those of the current definition

	// out collects the statements of the current block.
	out *core.Builder
	// constant makes a number of a real that depends on nothing, and value returns the real of a
	// number. lift, if not nil, applies a primitive that returns reals in a way of its own. They
	// emit to out.
	constant func(x core.Atom) core.Atom
	value    func(x core.Atom) core.Atom
	lift     func(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom
	// invoke applies a translated function to translated arguments, and withRule a function with
	// a rule of the program's own. inState runs f in a state of the monad, if there is one, and
	// returns the state after it. plus adds corresponding reals of two translated values.
	invoke   func(name string, f core.Atom, args []core.Atom, at diag.Span) core.Atom
	withRule func(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom
	inState  func(state core.Atom, f func() core.Atom) (out, after core.Atom)
	plus     func(ty types.Type, x, y core.Atom) core.Atom
	// zero makes the tangent of a constant, combine that of a result, Σ partial × tangent, and
	// share stands for a tangent that is used many times. build is [f i for i < n]. They emit to
	// out.
	zero    func() core.Atom
	combine func(terms []term) core.Atom
	share   func(core.Atom) core.Atom
	build   func(name string, n core.Atom, f func(i core.Atom) core.Atom) core.Atom
}

// shapes holds what a translation has made for types.
type shapes struct {
	datas     map[*types.DataDecl]*types.DataDecl
	decls     []*types.DataDecl // the new ones among datas
	instances []*polyDef        // of the polytypic operations

	zeros, firsts, sums *poly // initZeros, primal and plus, once they are used
}

func newShapes() *shapes { return &shapes{datas: map[*types.DataDecl]*types.DataDecl{}} }

// term is one summand of the tangent of a result.
type term struct{ partial, tangent core.Atom }

// init prepares the translation of a program's definitions.
func (t *dual) init(p *core.Program, tangent types.Type, shapes *shapes) {
	t.source, t.made, t.taken = map[string]*core.Def{}, map[string]*core.Def{}, map[string]bool{}
	t.shapes, t.tangent, t.number, t.prefix = shapes, tangent, tuple(types.Real, tangent), "𝒟"
	t.constant = func(x core.Atom) core.Atom { return pair(t.out, "k", x, t.zero()) }
	t.value = func(x core.Atom) core.Atom { return proj(t.out, "x", x, 0) }
	t.withRule = t.ruled
	t.known, t.mentioned = map[*types.DataDecl]bool{}, map[*types.DataDecl]bool{}
	for _, datas := range [][]*types.DataDecl{p.Datas, library().Datas} {
		for _, d := range datas {
			t.known[d] = true
		}
	}
	for _, instance := range t.instances {
		t.defs = append(t.defs, instance.as)
		t.source[instance.as.Name] = instance.as
	}
	for _, d := range sources() {
		t.source[d.Name] = d
	}
	for _, d := range p.Defs {
		t.source[d.Name] = d
	}
	for name := range t.source {
		t.taken[name] = true
	}
}

// refuse records what a translation does not cover. Only the first place counts.
func (t *dual) refuse(at diag.Span, format string, args ...any) {
	if t.err == nil {
		t.err = papers.NotCovered(at, format, args...)
	}
}

// name returns a new name for a definition.
func (t *dual) name(name string) string {
	for t.taken[name] {
		name += "'"
	}
	t.taken[name] = true
	return name
}

// add makes a definition that is a function.
func (t *dual) add(name string, fun *core.Lambda, at diag.Span) *core.Def {
	d := core.FunDef(t.name(name), nil, fun, at)
	t.defs = append(t.defs, d)
	return d
}

// program returns everything that was made, with the sources and the library. What is not needed
// is dropped later.
func (t *dual) program(p *core.Program) *core.Program {
	out := &core.Program{}
	seenData := map[*types.DataDecl]bool{}
	for _, decls := range [][]*types.DataDecl{p.Datas, library().Datas, t.decls} {
		for _, d := range decls {
			if !seenData[d] {
				seenData[d] = true
				out.Datas = append(out.Datas, d)
			}
		}
	}
	seen := map[string]bool{}
	for _, defs := range [][]*core.Def{p.Defs, sources(), library().Defs, t.defs} {
		for _, d := range defs {
			if !seen[d.Name] {
				seen[d.Name] = true
				out.Defs = append(out.Defs, d)
			}
		}
	}
	return out
}

// ---- types

// ty returns 𝒟{A}. It is homomorphic except for reals and, in the monadic translation, functions.
// Delta Figs. 3 and 9.
func (t *dual) ty(a types.Type) types.Type {
	switch a := types.Resolve(a).(type) {
	case *types.Basic:
		if a == types.Real {
			return t.number
		}
		return a
	case *types.Fun:
		if t.effect != nil { // 𝒟{A -> B} = 𝒟{A} -> M 𝒟{B}
			return types.Funs(t.computation(t.ty(a.Result)), t.ty(a.Param))
		}
		return types.Map(a, t.ty)
	case *types.Data:
		mapped := types.Map(a, t.ty).(*types.Data)
		return &types.Data{Decl: t.data(a.Decl), Args: mapped.Args}
	default:
		return types.Map(a, t.ty)
	}
}

// data returns 𝒟 of a declaration, which is the declaration itself if nothing in its fields
// changes.
func (t *dual) data(decl *types.DataDecl) *types.DataDecl {
	t.mentioned[decl] = true
	if d := t.datas[decl]; d != nil {
		return d
	}
	if !decl.Contains(func(part types.Type) bool {
		_, isFun := part.(*types.Fun)
		return part == types.Type(types.Real) || isFun && t.effect != nil
	}) {
		t.datas[decl] = decl
		return decl
	}
	d := &types.DataDecl{Module: decl.Module, Name: decl.Name + "'", Params: decl.Params}
	t.datas[decl] = d
	t.decls = append(t.decls, d)
	for _, con := range decl.Cons {
		fields := make([]types.Type, len(con.Fields))
		for i, f := range con.Fields {
			fields[i] = t.ty(f)
		}
		d.Cons = append(d.Cons, &types.Con{Data: d, Name: con.Name, Tag: con.Tag, Fields: fields})
	}
	types.CompleteData([]*types.DataDecl{d})
	return d
}

func hasFun(ty types.Type) bool {
	return types.Contains(ty, func(part types.Type) bool { _, is := part.(*types.Fun); return is })
}

// ---- primitives

// literal returns 𝒟{k}: (r, zero) for a real.
func (t *dual) literal(l *core.Lit) core.Atom {
	if l.Ty != types.Type(types.Real) {
		return l
	}
	return t.constant(l)
}

// prim returns 𝒟 of a primitive applied to args, which are translated. name is the name of the
// result.
func (t *dual) prim(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	row := p.Prim
	switch {
	case row.ID == ruled:
		return t.withRule(name, p, args, at)
	case row.Pullback != nil && t.lift != nil:
		return t.lift(name, p, args, at)
	case row.Pullback != nil:
		return t.overArray(name, row, args, at)
	case row.ID == prim.Show:
		if !types.Equal(t.ty(p.Inst[0]), p.Inst[0]) {
			if hasFun(p.Inst[0]) { // shows its type, which is another here
				t.refuse(at, "show of functions")
				return core.StringLit("")
			}
			args = []core.Atom{t.primal(t.out, p.Inst[0], args[0])}
		}
		return t.out.Let(name, types.String, &core.Prim{Prim: row, Inst: p.Inst, Args: args}, at)
	case row.ID == prim.SortIndices:
		if p.Inst[0] == types.Type(types.Real) {
			args = []core.Atom{t.primals(args[0])}
		}
		return t.out.Emit(name, &core.Prim{Prim: row, Inst: p.Inst, Args: args}, at)
	case len(row.Scheme.Params) > 0 && row.Scheme.Params[0].Classes == 0, row.ID == prim.Accumulate:
		inst := make([]types.Type, len(p.Inst)) // length, append, fail, …: at any type
		for i, ty := range p.Inst {
			inst[i] = t.ty(ty)
		}
		return t.out.Emit(name, &core.Prim{Prim: row, Inst: inst, Args: args}, at)
	}
	return t.scalar(name, p, args, at)
}

// scalar returns 𝒟 of a primitive on numbers and truth values. Delta Figs. 3, 14.
func (t *dual) scalar(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom {
	row := p.Prim
	params, result := signatureOf(p)
	if result == types.Type(types.Real) && t.lift != nil {
		return t.lift(name, p, args, at)
	}
	primals := make([]core.Atom, len(args))
	for i, a := range args {
		primals[i] = a
		if params[i] == types.Type(types.Real) {
			primals[i] = t.value(a)
		}
	}
	r := t.out.Let("r", result, &core.Prim{Prim: row, Inst: p.Inst, Args: primals}, at)
	if result != types.Type(types.Real) {
		return r
	}
	var terms []term
	for i, a := range args {
		if params[i] != types.Type(types.Real) {
			continue
		}
		rule := rules.Partial(row, i)
		if rule == nil {
			t.refuse(at, "the primitive %s has no partial derivative", row.Name)
			return r
		}
		partial := rules.Inline(t.out, rule, append(append([]core.Atom{}, primals...), r)...)
		if isReal(partial, 0) {
			continue
		}
		terms = append(terms, term{partial, proj(t.out, "dx", a, 1)})
	}
	if len(terms) == 0 {
		return pair(t.out, name, r, t.zero())
	}
	return pair(t.out, name, r, t.share(t.combine(terms)))
}

// signatureOf returns the types of a primitive's arguments and of its result.
func signatureOf(p *core.Prim) (params []types.Type, result types.Type) {
	return types.Splay(types.Subst(p.Prim.Scheme.Type, p.Prim.Scheme.Params, p.Inst), len(p.Args))
}

// overArray returns 𝒟 of a primitive from ℝⁿ to ℝᵐ, as Delta Fig. 14 has it: for each result the
// sum of the partial derivatives times the tangents. The partial derivatives of one result are
// what its unit cotangent pulls back to.
func (t *dual) overArray(name string, row *prim.Prim, args []core.Atom, at diag.Span) core.Atom {
	xs := t.primals(args[0])
	tangents := t.mapArray("dxs", args[0], func(x core.Atom) core.Atom {
		return proj(t.out, "dx", x, 1)
	})
	r := t.out.Emit("r", &core.Prim{Prim: row, Args: []core.Atom{xs}}, at)
	if t.tangent == types.Type(types.Real) { // the sums are one pushforward
		dr := rules.Inline(t.out, rules.RowPushforward(row, 0), xs, r, tangents)
		if r.Ty == types.Type(types.Real) {
			return pair(t.out, name, r, dr)
		}
		return t.zip(r, dr)
	}
	pull := rules.RowPullback(row, 0)
	if r.Ty == types.Type(types.Real) { // m = 1
		partials := rules.Inline(t.out, pull, xs, r, realLit(1))
		return pair(t.out, name, r, t.share(t.inner(partials, tangents)))
	}
	m := t.out.Emit("m", length(r), at)
	return t.build(name, m, func(i core.Atom) core.Atom {
		unit := call(t.out, "unit", lib("onehot").Use(), m, i)
		partials := rules.Inline(t.out, pull, xs, r, unit)
		y := t.out.Emit("y", &core.Index{Of: r, At: i}, at)
		return pair(t.out, "y", y, t.share(t.inner(partials, tangents)))
	})
}

// inner returns Σ partialᵢ × tangentᵢ over two arrays.
func (t *dual) inner(partials, tangents core.Atom) core.Atom {
	start := t.zero()
	acc, i := core.NewVar("acc", t.tangent), core.NewVar("i", types.Int)
	n := t.out.Emit("n", length(partials), diag.Span{})
	body := t.nested(func() core.Atom {
		c := t.out.Emit("c", &core.Index{Of: partials, At: i}, diag.Span{})
		dx := t.out.Emit("dx", &core.Index{Of: tangents, At: i}, diag.Span{})
		return t.combine([]term{{realLit(1), acc}, {c, dx}})
	})
	return t.out.Emit("dy", &core.Loop{State: acc, Init: start,
		Head: &core.Range{Index: i, Bound: n}, Body: body}, diag.Span{})
}

func length(xs core.Atom) *core.Prim {
	elem := types.Resolve(xs.Type()).(*types.Array).Elem
	return &core.Prim{Prim: prim.Length.Row(), Inst: []types.Type{elem}, Args: []core.Atom{xs}}
}

// nested returns a block of what f emits.
func (t *dual) nested(f func() core.Atom) *core.Block {
	var b core.Builder
	return b.Block(t.into(&b, f))
}

// into makes f emit to b.
func (t *dual) into(b *core.Builder, f func() core.Atom) core.Atom {
	outer := t.out
	defer func() { t.out = outer }()
	t.out = b
	return f()
}

// zip returns the array of pairs.
func (t *dual) zip(xs, ys core.Atom) core.Atom {
	x := core.NewVar("x", types.Resolve(xs.Type()).(*types.Array).Elem)
	y := core.NewVar("y", types.Resolve(ys.Type()).(*types.Array).Elem)
	body := t.nested(func() core.Atom { return pair(t.out, "p", x, y) })
	return t.out.Emit("ps", &core.Map{Params: []*core.Var{x, y}, Arrays: []core.Atom{xs, ys},
		Body: body}, diag.Span{})
}

// primals returns the array of the first components.
func (t *dual) primals(xs core.Atom) core.Atom {
	return t.mapArray("xs", xs, t.value)
}

// mapArray returns [f x for x in xs] for an f that lets nothing.
func (t *dual) mapArray(name string, xs core.Atom, f func(core.Atom) core.Atom) core.Atom {
	x := core.NewVar("x", types.Resolve(xs.Type()).(*types.Array).Elem)
	body := t.nested(func() core.Atom { return f(x) })
	return t.out.Emit(name, &core.Map{Params: []*core.Var{x}, Arrays: []core.Atom{xs}, Body: body},
		diag.Span{})
}

func realLit(x int64) *core.Lit { return core.RealLit(big.NewRat(x, 1)) }

// isReal reports whether an atom is a given real literal.
func isReal(a core.Atom, x int64) bool {
	l, ok := a.(*core.Lit)
	return ok && l.Ty == types.Type(types.Real) && l.Real.Cmp(big.NewRat(x, 1)) == 0
}
