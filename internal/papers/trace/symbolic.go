package trace

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// symbolic is φ | ρ ⊢ M ⇝ C (A–P Figs. 4–5). The rules need the ordinary value
// of what they trace, by φ | ρ ⊢ C ⇒ V. It is computed together with C: to
// evaluate C afterwards would do nested terms again at each level.
type symbolic struct {
	*machine
	lets  []binding            // of the block at hand
	known map[*Var]value.Value // ρ
	nodes int
}

// binding is a let whose body is still to come.
type binding struct {
	v *Var
	c Term
}

// sym is what symbolic evaluation knows of a value: the closed value, and a
// trace value for its real part. A function has only fun.
type sym struct {
	val  value.Value
	term Term
	fun  *closure[sym]
}

func newSymbolic(m *machine) *symbolic {
	return &symbolic{machine: m, known: map[*Var]value.Value{}}
}

// data is a value that may be put into data: no function.
func (s *symbolic) data(v sym, at diag.Span) sym {
	if v.fun != nil {
		refuse(at, "the first-order language has no functions within data")
	}
	return v
}

// emit is the let of Fig. 5:
//
//	φ | ρ ⊢ R ⇝ C    φ | ρ ⊢ C ⇒ V    φ | ρ[V/x] ⊢ E[x] ⇝ D
//	────────────────────────────────────────────────────────
//	           φ | ρ ⊢ E[R] ⇝ let x:T_V = C in D
func (s *symbolic) emit(name string, c Term, v value.Value, at diag.Span) sym {
	if s.nodes++; int64(s.nodes) > min(s.maxOps, maxNodes) {
		fail(papers.OverBudget(at, "trace", s.maxOps))
	}
	x := &Var{Name: name, Type: typeOf(c), moves: moves(c)}
	s.lets = append(s.lets, binding{x, c})
	s.known[x] = v
	return sym{val: v, term: x}
}

// scoped runs f in a block of its own and gives the term of the block.
func (s *symbolic) scoped(at diag.Span, f func() sym) sym {
	outer := s.lets
	s.lets = nil
	r := s.data(f(), at)
	lets := s.lets
	s.lets = outer
	// let x = C in x is C.
	if n := len(lets); n > 0 && r.term == Term(lets[n-1].v) {
		r.term = lets[n-1].c
		lets = lets[:n-1]
	}
	for _, b := range slices.Backward(lets) {
		r.term = &Let{b.v, b.c, r.term}
	}
	return r
}

// nested is a block, with a result of type ty, that goes on in this one. If
// the result is a function, there is nothing to name, and what the function
// captures stays in scope: the lets of the block become lets of this one.
func (s *symbolic) nested(name string, ty types.Type, at diag.Span, f func() sym) sym {
	if _, ok := types.Resolve(ty).(*types.Fun); ok {
		return f()
	}
	r := s.scoped(at, f)
	if isUnit(typeOf(r.term)) {
		r.term = star // discrete: nothing of it is left to differentiate
	}
	if isValue(r.term) {
		return r
	}
	return s.emit(name, r.term, r.val, at)
}

// lift is a closed value as a symbolic one.
func (s *symbolic) lift(v value.Value) sym {
	if f, ok := v.(*closure[value.Value]); ok {
		lifted := &closure[sym]{fun: f.fun, env: s.liftEnv(f.env, map[*env[value.Value]]*env[sym]{})}
		for _, a := range f.args {
			lifted.args = append(lifted.args, s.lift(a))
		}
		return sym{fun: lifted}
	}
	part, err := realPart(v, shape(v))
	if err != nil {
		panic("trace: " + err.Error())
	}
	return sym{val: v, term: quote(part)}
}

// liftEnv is an environment of closed values; it may contain itself, through
// local functions.
func (s *symbolic) liftEnv(e *env[value.Value], seen map[*env[value.Value]]*env[sym]) *env[sym] {
	if e == nil || seen[e] != nil {
		return seen[e]
	}
	lifted := &env[sym]{vars: map[*core.Var]sym{}}
	seen[e] = lifted
	lifted.up = s.liftEnv(e.up, seen)
	for x, v := range e.vars {
		if f, ok := v.(*closure[value.Value]); ok && len(f.args) == 0 {
			lifted.vars[x] = sym{fun: &closure[sym]{fun: f.fun, env: s.liftEnv(f.env, seen)}}
			continue
		}
		lifted.vars[x] = s.lift(v)
	}
	return lifted
}

// atom is φ | ρ ⊢ V ⇝ V.
func (s *symbolic) atom(a core.Atom, rho *env[sym]) sym {
	switch a := a.(type) {
	case *core.Var:
		return rho.get(a)
	case *core.Global:
		if fun := s.defs[a.Name].Function(); fun != nil {
			return sym{fun: &closure[sym]{fun: fun}}
		}
		return s.lift(ordinary{s.machine}.global(a)) // closed, so a constant
	}
	return s.lift(literal(a.(*core.Lit)))
}

func (s *symbolic) atoms(as []core.Atom, rho *env[sym]) []sym {
	vs := make([]sym, len(as))
	for i, a := range as {
		vs[i] = s.atom(a, rho)
	}
	return vs
}

// block is Fig. 5 for each statement. If the result is a function, it is
// applied to rest within the block, where what it captures is in scope.
func (s *symbolic) block(b *core.Block, rho *env[sym], rest []sym, at diag.Span) sym {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *core.Let:
			s.step(stmt.At)
			rho.vars[stmt.Var] = s.op(stmt, rho)
		case *core.LetRec:
			for i, v := range stmt.Vars {
				rho.vars[v] = sym{fun: &closure[sym]{fun: stmt.Funs[i], env: rho}}
			}
		}
	}
	result := s.atom(b.Result, rho)
	if len(rest) > 0 {
		return s.apply("r", result.function(), rest, at)
	}
	return result
}

func (s *symbolic) with(b *core.Block, rho *env[sym], vars []*core.Var, vals ...sym) sym {
	inner := rho.inner()
	for i, v := range vars {
		inner.vars[v] = vals[i]
	}
	return s.block(b, inner, nil, diag.Span{})
}

// function is a value that is called.
func (f sym) function() *closure[sym] {
	if f.fun == nil {
		panic("trace: a call of no function")
	}
	return f.fun
}

// op is Fig. 4: φ | ρ ⊢ R ⇝ C.
func (s *symbolic) op(let *core.Let, rho *env[sym]) sym {
	name, at := let.Var.Name, let.At
	inner := func(b *core.Block, vars []*core.Var, vals ...sym) sym {
		return s.nested(name, b.Result.Type(), at, func() sym { return s.with(b, rho, vars, vals...) })
	}
	switch op := let.Op.(type) {
	case *core.Prim:
		args := s.atoms(op.Args, rho)
		if isDerivative(op.Prim) {
			return s.derivative(op.Prim, args, at)
		}
		return s.prim(name, op, args, at)
	case *core.Lambda:
		return sym{fun: &closure[sym]{fun: op, env: rho}}
	case *core.Apply:
		return s.apply(name, s.atom(op.Fun, rho).function(), s.atoms(op.Args, rho), at)
	case *core.If:
		if bool(s.atom(op.Cond, rho).val.(value.Bool)) {
			return inner(op.Then, nil)
		}
		return inner(op.Else, nil)
	case *core.Case:
		of := s.atom(op.Of, rho)
		con := of.val.(value.Con)
		vars, body := choose(op, con)
		fields := make([]sym, len(con.Args))
		for i := range fields {
			fields[i] = of.component(i)
		}
		return inner(body, vars, fields...)
	case *core.Build:
		n := s.atom(op.Size, rho).val.(value.Int)
		checkLength(n, at)
		elems := make([]sym, n)
		for i := range elems {
			elems[i] = inner(op.Body, []*core.Var{op.Index}, s.lift(value.Int(i)))
		}
		return s.array(elems, at)
	case *core.Map:
		arrays := s.atoms(op.Arrays, rho)
		elems := make([]sym, commonLength(vals(arrays), at))
		for i := range elems {
			row := make([]sym, len(arrays))
			for k, a := range arrays {
				row[k] = a.component(i)
			}
			elems[i] = inner(op.Body, op.Params, row...)
		}
		return s.array(elems, at)
	case *core.Reduce:
		acc := s.atom(op.Init, rho)
		for _, x := range s.atom(op.Array, rho).components() {
			acc = inner(op.Body, []*core.Var{op.Acc, op.Elem}, acc, x)
		}
		return acc
	case *core.Scan:
		acc := s.atom(op.Init, rho)
		var elems []sym
		for _, x := range s.atom(op.Array, rho).components() {
			acc = inner(op.Body, []*core.Var{op.Acc, op.Elem}, acc, x)
			elems = append(elems, acc)
		}
		return s.array(elems, at)
	case *core.Loop:
		return s.loop(op, at, rho, inner)
	}
	return s.construct(let.Op, s.atoms(operands(let.Op), rho), at)
}

// loop unrolls: a loop is short for a recursive function.
func (s *symbolic) loop(op *core.Loop, at diag.Span, rho *env[sym], inner func(*core.Block, []*core.Var, ...sym) sym) sym {
	state := s.atom(op.Init, rho)
	switch head := op.Head.(type) {
	case *core.Range:
		for i := range s.atom(head.Bound, rho).val.(value.Int) {
			s.step(at)
			state = inner(op.Body, []*core.Var{op.State, head.Index}, state, s.lift(i))
		}
	case *core.Each:
		for _, x := range s.atom(head.Array, rho).components() {
			s.step(at)
			state = inner(op.Body, []*core.Var{op.State, head.Elem}, state, x)
		}
	case *core.While:
		for bool(inner(head.Cond, []*core.Var{op.State}, state).val.(value.Bool)) {
			s.step(at)
			state = inner(op.Body, []*core.Var{op.State}, state)
		}
	}
	return state
}

// apply is
//
//	φ | ρ ⊢ V ⇒ V′    φ′[φ(f)/f] | {x ↦ V′} ⊢ M ⇝ C
//	───────────────────────────────────────────────
//	      φ | ρ ⊢ f(V) ⇝ let x:T = V in C
//
// with V in place of x.
func (s *symbolic) apply(name string, f *closure[sym], args []sym, at diag.Span) sym {
	args = append(append([]sym(nil), f.args...), args...)
	n := len(f.fun.Params)
	if len(args) < n {
		return sym{fun: &closure[sym]{fun: f.fun, env: f.env, args: args}}
	}
	_, ty := types.Splay(f.fun.Body.Result.Type(), len(args)-n)
	var result sym
	s.call(at, func() {
		result = s.nested(name, ty, at, func() sym { return s.block(f.fun.Body, f.bind(args[:n]), args[n:], at) })
	})
	return result
}

// isDerivative tells the rows of the table that are A–P's derivatives:
// reverse f x w is (f x, w.rd_x(f)) and forward f x v is (f x, v.fd_x(f)).
func isDerivative(row *prim.Prim) bool { return row.Name == "reverse" || row.Name == "forward" }

// derivative is
//
//	φ | ρ ⊢ V ⇒ V′    φ | ρ[V′/x] ⊢ N ⇝ C
//	────────────────────────────────────────
//	φ | ρ ⊢ W.rd_V(x:T. N) ⇝ W.R_V(x:T. C)
//
// and for forward mode eq. (6): W.fd_V(x. N) is W.rd_0(w. w.rd_V(x. N)); but
// from one real to one real, where the Jacobian is its own transpose and deriv
// is the paper's grad (§2), W.fd_V is W.rd_V. The value of the function stands
// beside it as let x = V in C, which is dropped where nobody projects to it.
func (s *symbolic) derivative(row *prim.Prim, args []sym, at diag.Span) sym {
	f, v, w := args[0].function(), s.data(args[1], at), s.data(args[2], at)
	x := &Var{Name: "x", Type: typeOf(v.term), moves: true}
	s.known[x] = v.val
	body := s.scoped(at, func() sym { return s.apply("y", f, []sym{{val: v.val, term: value0(x)}}, at) })
	of, like := typeOf(body.term), v
	var c Term
	switch scalar := Equal(x.Type, Real) && Equal(of, Real); {
	case row.Name == "reverse":
		if !Equal(typeOf(w.term), of) {
			refuse(at, "the cotangent has not the shape of the result")
		}
		c = s.reverse(w.term, v.term, x, body.term)
	case !Equal(typeOf(w.term), x.Type):
		refuse(at, "the tangent has not the shape of the argument")
	case scalar:
		c = s.reverse(w.term, v.term, x, body.term)
	default:
		b := &Var{Name: "w", Type: of, moves: true}
		c = s.reverse(w.term, quote(zeroVal(of)), b, s.reverse(value0(b), v.term, x, body.term))
		like = body
	}
	// φ | ρ ⊢ C ⇒ X
	d := sym{val: withReals(like.val, s.eval(c, s.values(c))), term: c}
	if !isValue(c) {
		d = s.emit("d", c, d.val, at)
	}
	y := sym{val: body.val, term: &Let{x, v.term, body.term}}
	if isUnit(of) {
		y.term = star
	}
	return s.construct(&core.Tuple{}, []sym{y, d}, at)
}

// values is ρ at the free variables of a term.
func (s *symbolic) values(c Term) map[*Var]Val {
	rho := map[*Var]Val{}
	var walk func(Term)
	walk = func(c Term) {
		switch c := c.(type) {
		case *Var:
			if v, ok := s.known[c]; ok && rho[c] == nil {
				part, err := realPart(v, c.Type)
				if err != nil {
					panic("trace: " + err.Error())
				}
				rho[c] = part
			}
		case *Add:
			walk(c.L)
			walk(c.R)
		case *Apply:
			walk(c.Arg)
		case *Let:
			walk(c.Bound)
			walk(c.Body)
		case *Tuple:
			for _, e := range c.Elems {
				walk(e)
			}
		case *Proj:
			walk(c.Of)
		}
	}
	walk(c)
	return rho
}
