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

// sym is what symbolic evaluation knows of a value: the closed value, in which
// functions are *closure[sym], and a trace value for its real part.
type sym struct {
	val  value.Value
	term Term
}

func newSymbolic(m *machine) *symbolic {
	return &symbolic{machine: m, known: map[*Var]value.Value{}}
}

// emit emits the let of Fig. 5:
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

// scoped runs f in a new block and returns the term of the block. The result must not contain
// functions, which would lead out of the block.
func (s *symbolic) scoped(f func() sym) sym {
	outer := s.lets
	s.lets = nil
	r := f()
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

// nested returns a block, with a result of type ty, that goes on in this one. If
// the result has functions in it, what they capture must stay in scope: the
// lets of the block become lets of this one.
func (s *symbolic) nested(name string, ty types.Type, at diag.Span, f func() sym) sym {
	if types.Member(ty, types.Diff) != nil {
		return f()
	}
	r := s.scoped(f)
	if isUnit(typeOf(r.term)) {
		r.term = star // discrete: nothing of it is left to differentiate
	}
	if s.isValue(r.term, at) {
		return r
	}
	return s.emit(name, r.term, r.val, at)
}

// isValue reports the same as the function isValue, and counts the work, because it may have to
// look at all of a large array.
func (s *symbolic) isValue(c Term, at diag.Span) bool {
	if t, ok := c.(*Tuple); ok {
		s.work(len(t.Elems), at)
		return !slices.ContainsFunc(t.Elems, func(e Term) bool { return !s.isValue(e, at) })
	}
	return isValue(c)
}

// lift returns a closed value as a symbolic one.
func (s *symbolic) lift(v value.Value) sym {
	checkNesting(v, diag.Span{})
	part, err := realPart(v, shape(v))
	if err != nil {
		panic("trace: " + err.Error())
	}
	return sym{val: s.liftFunctions(v), term: quote(part)}
}

// liftFunctions lifts the functions within a value. What a function captures
// is lifted when the function asks for it: an environment may contain itself.
func (s *symbolic) liftFunctions(v value.Value) value.Value {
	if f, ok := v.(*closure[value.Value]); ok {
		captured := &env[sym]{vars: map[*core.Var]sym{}, outer: func(x *core.Var) sym {
			return s.lift(f.env.get(x))
		}}
		return &closure[sym]{fun: f.fun, env: captured, given: f.given}
	}
	return mapChildren(v, func(_ int, c value.Value) value.Value { return s.liftFunctions(c) })
}

// atom computes φ | ρ ⊢ V ⇝ V.
func (s *symbolic) atom(a core.Atom, rho *env[sym]) sym {
	switch a := a.(type) {
	case *core.Var:
		return rho.get(a)
	case *core.Global:
		if fun := s.defs[a.Name].Function(); fun != nil {
			return function(&closure[sym]{fun: fun})
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

// block applies Fig. 5 to each statement. If the result is a function, it is applied to rest
// inside the block, where what it captures is in scope.
func (s *symbolic) block(b *core.Block, rho *env[sym], rest []sym, at diag.Span) sym {
	s.enter(at)
	defer s.leave()
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *core.Let:
			s.step(stmt.At)
			if s.notes != nil && noted(stmt) {
				rho.vars[stmt.Var] = s.noteRedex(stmt, rho)
			} else {
				rho.vars[stmt.Var] = s.op(stmt, rho)
			}
		case *core.LetRec:
			for i, v := range stmt.Vars {
				rho.vars[v] = function(&closure[sym]{fun: stmt.Funs[i], env: rho})
			}
		}
	}
	result := s.atom(b.Result, rho)
	if len(rest) > 0 {
		return s.apply("r", result.function(), rest, at)
	}
	return result
}

func (s *symbolic) with(b *core.Block, rho *env[sym], at diag.Span, vars []*core.Var,
	vals ...sym) sym {
	inner := rho.inner()
	for i, v := range vars {
		inner.vars[v] = vals[i]
	}
	return s.block(b, inner, nil, at)
}

// function returns a function as a value, which has no real part.
func function(f *closure[sym]) sym { return sym{val: f, term: star} }

// function returns the value as the function that is called.
func (f sym) function() *closure[sym] { return f.val.(*closure[sym]) }

// op implements Fig. 4: φ | ρ ⊢ R ⇝ C.
func (s *symbolic) op(let *core.Let, rho *env[sym]) sym {
	name, at := let.Var.Name, let.At
	inner := func(b *core.Block, vars []*core.Var, vals ...sym) sym {
		return s.nested(name, b.Result.Type(), at, func() sym {
			return s.with(b, rho, at, vars, vals...)
		})
	}
	switch op := let.Op.(type) {
	case *core.Prim:
		args := s.atoms(op.Args, rho)
		if isDerivative(op.Prim) {
			return s.derivative(op.Prim, args, at)
		}
		if op.Prim.ID == papers.Pullbacks {
			return s.ruled(name, op, args, at)
		}
		return s.prim(name, op, args, at)
	case *core.Lambda:
		return function(&closure[sym]{fun: op, env: rho})
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
		return arrayOf(elems)
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
		return arrayOf(elems)
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
		return arrayOf(elems)
	case *core.Loop:
		return s.loop(op, at, rho, inner)
	}
	return constructSym(let.Op, s.atoms(operands(let.Op), rho), at)
}

// loop unrolls: a loop is short for a recursive function.
func (s *symbolic) loop(op *core.Loop, at diag.Span, rho *env[sym],
	inner func(*core.Block, []*core.Var, ...sym) sym) sym {
	state := s.atom(op.Init, rho)
	switch head := op.Head.(type) {
	case *core.Range:
		for i := range s.atom(head.Bound, rho).val.(value.Int) {
			state = inner(op.Body, []*core.Var{op.State, head.Index}, state, s.lift(i))
		}
	case *core.Each:
		for _, x := range s.atom(head.Array, rho).components() {
			state = inner(op.Body, []*core.Var{op.State, head.Elem}, state, x)
		}
	case *core.While:
		for bool(inner(head.Cond, []*core.Var{op.State}, state).val.(value.Bool)) {
			state = inner(op.Body, []*core.Var{op.State}, state)
		}
	}
	return state
}

// apply applies the rule
//
//	φ | ρ ⊢ V ⇒ V′    φ′[φ(f)/f] | {x ↦ V′} ⊢ M ⇝ C
//	───────────────────────────────────────────────
//	      φ | ρ ⊢ f(V) ⇝ let x:T = V in C
//
// with V in place of x.
func (s *symbolic) apply(name string, f *closure[sym], args []sym, at diag.Span) sym {
	n := f.missing()
	if len(args) < n {
		return function(f.partial(args))
	}
	_, ty := types.Splay(f.fun.Body.Result.Type(), len(args)-n)
	s.call(at)
	defer s.machine.done()
	return s.nested(name, ty, at, func() sym {
		return s.block(f.fun.Body, f.bind(args[:n]), args[n:], at)
	})
}

// isDerivative reports whether a row of the table is one of A–P's derivatives: reverse f x w is
// (f x, w.rd_x(f)), forward f x v is (f x, v.fd_x(f)), and jacobian f x has the row e.rd_x(f) for
// each unit vector e.
func isDerivative(row *prim.Prim) bool { return row.Kind == prim.Derivation }

// derivative applies the rule
//
//	φ | ρ ⊢ V ⇒ V′    φ | ρ[V′/x] ⊢ N ⇝ C
//	────────────────────────────────────────
//	φ | ρ ⊢ W.rd_V(x:T. N) ⇝ W.R_V(x:T. C)
//
// and for forward mode eq. (6): W.fd_V(x. N) is W.rd_0(w. w.rd_V(x. N)). From one real to one
// real, where the Jacobian is its own transpose and deriv is the paper's grad (§2), W.fd_V is
// W.rd_V. The value of the function is beside it as let x = V in C, which is dropped if nothing
// projects to it.
func (s *symbolic) derivative(row *prim.Prim, args []sym, at diag.Span) sym {
	f, v := args[0].function(), args[1]
	n := s.noteDifferential(row, args)
	x := &Var{Name: "x", Type: typeOf(v.term), moves: true}
	if name := f.fun.Params[f.given].Name; name != "" {
		x.Name = name
	}
	s.known[x] = v.val
	n.tracing(x, v.val)
	body := s.scoped(func() sym {
		return s.apply("y", f, []sym{{val: v.val, term: value0(x)}}, at)
	})
	n.traced(body.term)
	of := typeOf(body.term)
	if row.ID == prim.Jacobian {
		rows := make([]sym, len(children(body.val)))
		for i := range rows {
			unit := zeroVal(of).(Vals)
			unit[i] = 1.0
			rows[i] = s.valued(n.reversed(quote(unit), v.term, x, body.term), v.val, at, n)
		}
		n.done()
		return arrayOf(rows)
	}
	var d sym
	switch w, scalar := args[2], Equal(x.Type, Real) && Equal(of, Real); {
	case row.ID == prim.Reverse && !Equal(typeOf(w.term), of):
		refuse(at, "the cotangent has not the shape of the result")
	case row.ID == prim.Forward && !Equal(typeOf(w.term), x.Type):
		refuse(at, "the tangent has not the shape of the argument")
	case row.ID == prim.Reverse || scalar:
		d = s.valued(n.reversed(w.term, v.term, x, body.term), v.val, at, n)
	default:
		b := &Var{Name: "w", Type: of, moves: true}
		inner := n.reversed(value0(b), v.term, x, body.term)
		d = s.valued(n.reversed(w.term, quote(zeroVal(of)), b, inner), body.val, at, n)
	}
	n.done()
	y := sym{val: body.val, term: &Let{x, v.term, body.term}}
	if isUnit(of) {
		y.term = star
	}
	return constructSym(&core.Tuple{}, []sym{y, d}, at)
}

// valued returns a derivative C with its value, which is like another one:
// φ | ρ ⊢ C ⇒ X.
func (s *symbolic) valued(c Term, like value.Value, at diag.Span, n *differential) sym {
	d := sym{val: withReals(like, s.eval(c, s.values(c))), term: c}
	n.evaluated(d)
	if isValue(c) {
		return d
	}
	return s.emit("d", c, d.val, at)
}

// values returns ρ at the free variables of a term.
func (s *symbolic) values(c Term) map[*Var]Val {
	rho := map[*Var]Val{}
	visit(c, func(c Term) {
		x, ok := c.(*Var)
		if v, known := s.known[x]; ok && known && rho[x] == nil {
			part, err := realPart(v, x.Type)
			if err != nil {
				panic("trace: " + err.Error())
			}
			rho[x] = part
		}
	})
	return rho
}
