package delta

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// monad is 𝒟←, the translation of Delta Fig. 9 into the state monad of
// Fig. 10,
//
//	type M a = DeltaState -> (a, DeltaState)
//
// In A-normal form `do {x ← e1; e2}` is a let of e1 in which the state goes
// on: state is the one in which the next operation runs. An operation that
// lets no delta leaves it alone.
type monad struct {
	dual
	modules *modules
	calls   map[string]bool // the definitions that the current one uses
	// derive applies a derivative form; only levels has it.
	derive func(name string, p *core.Prim, args []core.Atom, at diag.Span) core.Atom
	vars   map[*core.Var]core.Atom
	state  core.Atom
}

// deltaState returns the state of the monad, and computation is M a.
func deltaState() types.Type { return tuple(types.Int, data("DeltaBinds")) }

func (t *dual) computation(a types.Type) types.Type {
	return &types.Fun{Param: t.effect, Result: tuple(a, t.effect)}
}

// newMonad makes the translation. A real is paired with a Delta, and it is an
// invariant that this is Zero or a Var, so that it can be copied.
//
//	𝒟{r} = pure (r, Zero)
//	𝒟{×} = pure λ((x, u1), (y, u2)). do
//	         {u3 ← deltaLet (Add (Scale y u1) (Scale x u2)); pure (x × y, Var u3)}
func newMonad(p *core.Program, modules *modules) *monad {
	delta := data("Delta")
	t := &monad{modules: modules, calls: map[string]bool{}, vars: map[*core.Var]core.Atom{}}
	t.effect = deltaState()
	t.init(p, delta, modules.shapes)
	t.zero = func() core.Atom { return construct(t.out, delta, "Zero") }
	t.combine = t.sum(
		func(c, u core.Atom) core.Atom { return construct(t.out, delta, "Scale", c, u) },
		func(x, y core.Atom) core.Atom { return construct(t.out, delta, "Add", x, y) })
	t.share = func(u core.Atom) core.Atom {
		id := t.run("id", lib("deltaLet").Use(), u)
		return construct(t.out, delta, "Var", id)
	}
	t.build, t.invoke, t.inState = t.buildArray, t.call, t.within
	t.plus = func(ty types.Type, x, y core.Atom) (z core.Atom) {
		z, t.state = t.apply(t.out, t.plusOp(), ty, []core.Atom{x, y}, nil, t.state)
		return z
	}
	return t
}

// run emits x ← f args, for a function that returns a computation.
func (t *monad) run(name string, f core.Atom, args ...core.Atom) core.Atom {
	p := call(t.out, "p", f, append(args, t.state)...)
	return t.open(name, p)
}

// open takes a pair of a result and a state apart, and continues in that state.
func (t *monad) open(name string, p core.Atom) core.Atom {
	x := proj(t.out, name, p, 0)
	t.state = proj(t.out, "s", p, 1)
	return x
}

// within makes f emit in a state, and returns the state after it.
func (t *monad) within(state core.Atom, f func() core.Atom) (out, after core.Atom) {
	outer := t.state
	defer func() { t.state = outer }()
	t.state = state
	out = f()
	return out, t.state
}

// ---- definitions

// def translates a definition and all that it reaches.
func (t *monad) def(d *core.Def) *core.Def {
	made := t.global(d)
	for len(t.queue) > 0 {
		next := t.queue[0]
		t.queue = t.queue[1:]
		made := t.made[next.Name]
		t.mentioned, t.calls = map[*types.DataDecl]bool{}, map[string]bool{}
		if t.reuse(next) {
			continue
		}
		switch {
		case next.Function() != nil:
			made.Body = t.nested(func() core.Atom { return t.lambda(next.Function(), next.At) })
		case hasFun(next.Type):
			made.Body = t.nested(func() core.Atom {
				s := core.NewVar("s", t.effect)
				body := t.part(s, next.Body).threaded()
				return t.out.Emit("m", &core.Lambda{Params: []*core.Var{s}, Body: body}, next.At)
			})
		case t.derive != nil: // it may take derivatives itself
			made.Body = t.nested(func() core.Atom {
				t.state = construct(t.out, data("Levels"), "Outside")
				return t.inline(next.Body)
			})
		default:
			made.Body = t.nested(func() core.Atom {
				out, _ := t.apply(t.out, t.initZeros(), next.Type, []core.Atom{next.Use()}, nil,
					nil)
				return out
			})
		}
		t.keep(next, made)
	}
	return made
}

// global returns the translation of a definition, perhaps without its body yet. It is a value for
// a function and for a constant without functions, and otherwise a computation. See the package
// comment.
func (t *monad) global(d *core.Def) *core.Def {
	t.calls[d.Name] = true
	made := t.made[d.Name]
	if made == nil {
		ty := t.ty(d.Type)
		if d.Function() == nil && hasFun(d.Type) {
			ty = t.computation(ty)
		}
		made = &core.Def{Name: t.name(t.prefix + "{" + d.Name + "}"), Type: ty, At: d.At}
		t.made[d.Name] = made
		t.defs = append(t.defs, made)
		t.queue = append(t.queue, d)
	}
	return made
}

// lambda emits 𝒟{λx. e} = pure λx. 𝒟{e}. Several parameters become nested functions.
func (t *monad) lambda(fun *core.Lambda, at diag.Span) core.Atom {
	return t.out.Emit("f", t.curried(fun.Params, fun.Body, at), at)
}

func (t *monad) curried(params []*core.Var, body *core.Block, at diag.Span) *core.Lambda {
	x, s := t.bind(params[0]), core.NewVar("s", t.effect)
	if len(params) == 1 {
		return &core.Lambda{Params: []*core.Var{x, s}, Body: t.part(s, body).threaded()}
	}
	rest := t.nested(func() core.Atom {
		f := t.out.Emit("f", t.curried(params[1:], body, at), at)
		return pair(t.out, "p", f, s)
	})
	return &core.Lambda{Params: []*core.Var{x, s}, Body: rest}
}

// ---- blocks

// part is a translated block before it is known whether a state goes through it.
type part struct {
	block *core.Block
	// The state in which it starts and that in which it ends; the same if the
	// block lets nothing.
	before, after core.Atom
}

// part translates a block that starts in the given state.
func (t *monad) part(state core.Atom, b *core.Block) *part {
	return t.partOf(state, func() core.Atom { return t.inline(b) })
}

// inline emits a block, and returns its result.
func (t *monad) inline(b *core.Block) core.Atom {
	for _, s := range b.Stmts {
		t.watch.Step()
		t.stmt(s)
	}
	return t.atom(b.Result)
}

// partOf returns a part with what f emits.
func (t *monad) partOf(state core.Atom, f func() core.Atom) *part {
	outer := t.state
	defer func() { t.state = outer }()
	t.state = state
	block := t.nested(f)
	return &part{block, state, t.state}
}

// lets reports whether a state goes through the block.
func (p *part) lets() bool { return p.before != p.after }

// threaded returns the block with the pair of its result and its state as its result. If its last
// operation already returns that pair, the pair is not taken apart, so that a call in tail
// position stays one.
func (p *part) threaded() *core.Block {
	stmts := p.block.Stmts
	if n := len(stmts); n >= 3 {
		last, isLet := stmts[n-3].(*core.Let)
		if isLet && isProj(stmts[n-2], last.Var, 0, p.block.Result) && isProj(stmts[n-1], last.Var,
			1, p.after) {
			return &core.Block{Stmts: stmts[:n-2], Result: last.Var}
		}
	}
	var b core.Builder
	b.Add(stmts...)
	return b.Block(pair(&b, "p", p.block.Result, p.after))
}

func isProj(s core.Stmt, of *core.Var, index int, as core.Atom) bool {
	let, ok := s.(*core.Let)
	if !ok || core.Atom(let.Var) != as {
		return false
	}
	op, ok := let.Op.(*core.Proj)
	return ok && op.Of == core.Atom(of) && op.Index == index
}

func (t *monad) bind(v *core.Var) *core.Var {
	fresh := core.NewVar(v.Name, t.ty(v.Ty))
	t.vars[v] = fresh
	return fresh
}

func (t *monad) binds(vs []*core.Var) []*core.Var {
	fresh := make([]*core.Var, len(vs))
	for i, v := range vs {
		fresh[i] = t.bind(v)
	}
	return fresh
}

// atom returns 𝒟{x} = pure x, and 𝒟{k}.
func (t *monad) atom(a core.Atom) core.Atom {
	switch a := a.(type) {
	case *core.Var:
		return t.vars[a]
	case *core.Lit:
		return t.literal(a)
	case *core.Global:
		d := t.source[a.Name]
		made := t.global(d)
		if d.Function() == nil && hasFun(d.Type) {
			return t.run("x", made.Use())
		}
		return made.Use()
	}
	panic("delta: unknown atom")
}

func (t *monad) atoms(as []core.Atom) []core.Atom {
	out := make([]core.Atom, len(as))
	for i, a := range as {
		out[i] = t.atom(a)
	}
	return out
}

func (t *monad) stmt(s core.Stmt) {
	switch s := s.(type) {
	case *core.Let:
		t.vars[s.Var] = t.op(s.Var.Name, s.Op, s.At)
	case *core.LetRec:
		vars := t.binds(s.Vars)
		funs := make([]*core.Lambda, len(s.Funs))
		for i, fun := range s.Funs {
			funs[i] = t.curried(fun.Params, fun.Body, s.At)
		}
		t.out.LetRec(vars, funs, s.At)
	}
}

// op translates an operation and returns its result. The operations on arrays are in
// monad_array.go.
func (t *monad) op(name string, op core.Op, at diag.Span) core.Atom {
	emit := func(op core.Op) core.Atom { return t.out.Emit(name, op, at) }
	switch op := op.(type) {
	case *core.Prim:
		args := t.atoms(op.Args)
		if isAccumulate(op) {
			return t.call(name, t.global(t.source[accumulate]).Use(), args, at)
		}
		if op.Prim.Kind == prim.Derivation {
			return t.derive(name, op, args, at)
		}
		return t.prim(name, op, args, at)
	case *core.Lambda:
		return emit(t.curried(op.Params, op.Body, at))
	case *core.Apply:
		return t.call(name, t.atom(op.Fun), t.atoms(op.Args), at)
	case *core.Tuple:
		return emit(&core.Tuple{Elems: t.atoms(op.Elems)})
	case *core.Proj:
		return emit(&core.Proj{Of: t.atom(op.Of), Index: op.Index})
	case *core.Record:
		return emit(&core.Record{Ty: t.ty(op.Ty).(*types.Record), Elems: t.atoms(op.Elems)})
	case *core.Field:
		return emit(&core.Field{Of: t.atom(op.Of), Index: op.Index})
	case *core.Construct:
		ty := t.ty(op.Ty).(*types.Data)
		return emit(&core.Construct{Con: ty.Decl.Cons[op.Con.Tag], Ty: ty, Args: t.atoms(op.Args)})
	case *core.If:
		cond := t.atom(op.Cond)
		blocks, lets := t.branches(t.part(t.state, op.Then), t.part(t.state, op.Else))
		return t.joined(name, &core.If{Cond: cond, Then: blocks[0], Else: blocks[1]}, lets, at)
	case *core.Case:
		return t.caseOf(name, op, at)
	case *core.CheckSize:
		return emit(&core.CheckSize{Name: op.Name, Of: op.Of, Got: t.atom(op.Got),
			Want: t.atom(op.Want), WantAt: op.WantAt})
	}
	return t.arrayOp(name, op, at)
}

// call emits 𝒟{e1 e2} = do {f ← 𝒟{e1}; x ← 𝒟{e2}; f x}.
func (t *monad) call(name string, f core.Atom, args []core.Atom, at diag.Span) core.Atom {
	for _, a := range args {
		p := t.out.Emit("p", &core.Apply{Fun: f, Args: []core.Atom{a, t.state}}, at)
		f = t.open(name, p)
	}
	return f
}

func (t *monad) caseOf(name string, op *core.Case, at diag.Span) core.Atom {
	out := &core.Case{Of: t.atom(op.Of)}
	var parts []*part
	for _, arm := range op.Arms {
		con := t.data(arm.Con.Data).Cons[arm.Con.Tag]
		out.Arms = append(out.Arms, core.Arm{Con: con, Vars: t.binds(arm.Vars)})
		parts = append(parts, t.part(t.state, arm.Body))
	}
	if op.Default != nil {
		parts = append(parts, t.part(t.state, op.Default))
	}
	blocks, lets := t.branches(parts...)
	for i := range out.Arms {
		out.Arms[i].Body = blocks[i]
	}
	if op.Default != nil {
		out.Default = blocks[len(blocks)-1]
	}
	return t.joined(name, out, lets, at)
}

// branches returns blocks of which one runs. If one of them lets something, all return their
// state.
func (t *monad) branches(parts ...*part) (blocks []*core.Block, lets bool) {
	for _, p := range parts {
		lets = lets || p.lets()
	}
	for _, p := range parts {
		if lets {
			blocks = append(blocks, p.threaded())
		} else {
			blocks = append(blocks, p.block)
		}
	}
	return blocks, lets
}

// joined emits an operation, which returns a pair with the state if it lets something.
func (t *monad) joined(name string, op core.Op, lets bool, at diag.Span) core.Atom {
	if !lets {
		return t.out.Emit(name, op, at)
	}
	return t.open(name, t.out.Emit("p", op, at))
}
