package curry

import (
	"fmt"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// translator computes J⟦Δ ⊨ e : τ⟧ of Curry Fig. 1, for one definition.
type translator struct {
	names  map[*core.Var]string
	used   map[string]int
	inline map[*core.Var]*core.Let // Note [Operands]
}

func newTranslator() *translator {
	return &translator{names: map[*core.Var]string{}, used: map[string]int{},
		inline: map[*core.Var]*core.Let{}}
}

// translateFun returns the body of a closed function, over the product of its
// parameters.
func translateFun(fun *core.Lambda) *Curry { return newTranslator().lambda(nil, fun) }

// translateBlock returns a closed expression, over the empty product.
func translateBlock(b *core.Block) Term { return newTranslator().block(nil, b) }

// name returns a name for a variable that no other of the definition has.
func (t *translator) name(v *core.Var) string {
	name, ok := t.names[v]
	if !ok {
		base := v.Name
		if base == "" {
			base = "_"
		}
		name = base
		for n := t.used[base] + 1; t.used[name] > 0; n++ {
			name = fmt.Sprintf("%s%d", base, n)
		}
		t.used[base]++
		if name != base {
			t.used[name]++
		}
		t.names[v] = name
	}
	return name
}

func (t *translator) nameAll(vars []*core.Var) []string {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = t.name(v)
	}
	return names
}

// block translates a sequence of bindings over the environment env. Each
// binding extends the environment by its variable, ⟨Δ, x = e⟩, and drops the
// variables that are used no more.
func (t *translator) block(env []*core.Var, b *core.Block) Term {
	t.findOperands(b)
	last := t.lastUses(b)
	var steps []Term
	for i, stmt := range b.Stmts {
		if let, ok := stmt.(*core.Let); ok && t.inline[let.Var] != nil {
			continue
		}
		var keep []*core.Var
		for _, v := range env {
			if last[v] > i {
				keep = append(keep, v)
			}
		}
		switch stmt := stmt.(type) {
		case *core.Let:
			e := t.op(env, stmt)
			if i == len(b.Stmts)-1 && b.Result == core.Atom(stmt.Var) {
				return comp(append(steps, e)...)
			}
			steps = append(steps, t.extend(env, keep, []string{t.name(stmt.Var)}, e))
			env = append(keep, stmt.Var)
		case *core.LetRec:
			// The functions come as one product, which then joins the environment.
			steps = append(steps, t.extend(env, keep, []string{"rec"}, t.letRec(env, stmt)))
			group := &Proj{len(keep), "rec"}
			funs := make([]Term, len(stmt.Vars))
			for k, v := range stmt.Vars {
				funs[k] = comp(group, &Proj{k, t.name(v)})
			}
			steps = append(steps, t.extend(keep, keep, t.nameAll(stmt.Vars), funs...))
			env = append(keep, stmt.Vars...)
		}
	}
	return comp(append(steps, t.atom(env, b.Result))...)
}

// lastUses returns where each variable of a block is last used: the index of the statement, or,
// for the result, the number of statements. Unused variables have no entry, which reads as
// statement 0 and is never kept.
func (t *translator) lastUses(b *core.Block) map[*core.Var]int {
	last := map[*core.Var]int{}
	for i, stmt := range b.Stmts {
		if let, ok := stmt.(*core.Let); !ok || t.inline[let.Var] == nil {
			t.eachFree(stmt, func(v *core.Var) { last[v] = i })
		}
	}
	if v, ok := b.Result.(*core.Var); ok {
		last[v] = len(b.Stmts)
	}
	return last
}

// eachFree visits the variables that a statement takes from the environment.
func (t *translator) eachFree(stmt core.Stmt, f func(*core.Var)) {
	switch stmt := stmt.(type) {
	case *core.Let:
		for _, v := range core.OpFreeVars(stmt.Op) {
			if operand := t.inline[v]; operand != nil {
				t.eachFree(operand, f)
			} else {
				f(v)
			}
		}
	case *core.LetRec:
		for _, fun := range stmt.Funs {
			for _, v := range core.OpFreeVars(fun) {
				if !slices.Contains(stmt.Vars, v) {
					f(v)
				}
			}
		}
	}
}

// extend returns ⟨keep…, names = parts…⟩.
func (t *translator) extend(env, keep []*core.Var, names []string, parts ...Term) Term {
	p := &Prod{Parts: t.projections(env, keep), Names: t.nameAll(keep)}
	p.Parts = append(p.Parts, parts...)
	p.Names = append(p.Names, names...)
	return p
}

// projections implements BDVar of Fig. 1: the i-th variable is proj_i.
func (t *translator) projections(env, vars []*core.Var) []Term {
	parts := make([]Term, len(vars))
	for i, v := range vars {
		parts[i] = &Proj{slices.Index(env, v), t.name(v)}
	}
	return parts
}

func (t *translator) atom(env []*core.Var, a core.Atom) Term {
	switch a := a.(type) {
	case *core.Var:
		if operand := t.inline[a]; operand != nil {
			return t.op(env, operand)
		}
		return &Proj{slices.Index(env, a), t.name(a)}
	case *core.Lit:
		return &Const{literal(a)}
	case *core.Global:
		return &Global{a.Name}
	}
	panic("curry: no such atom")
}

func literal(l *core.Lit) Value {
	switch types.Resolve(l.Ty) {
	case types.Type(types.Real):
		x, _ := l.Real.Float64()
		return x
	case types.Type(types.Int):
		return l.Int
	case types.Type(types.Bool):
		return l.Bool
	case types.Type(types.String):
		return l.Str
	}
	return Product{}
}

// prod implements BDProd of Fig. 1.
func (t *translator) prod(env []*core.Var, atoms ...core.Atom) Term {
	p := &Prod{}
	for _, a := range atoms {
		p.Parts = append(p.Parts, t.atom(env, a))
	}
	return p
}

// within returns ⟨Δ, operands…⟩ for a combinator whose bodies run in the context Δ.
func (t *translator) within(env, context []*core.Var, operands ...core.Atom) Term {
	if len(operands) == 0 && slices.Equal(env, context) {
		return Id{}
	}
	p := &Prod{Parts: t.projections(env, context)}
	for _, a := range operands {
		p.Parts = append(p.Parts, t.atom(env, a))
	}
	return p
}

// scope lists the variables of env that blocks use.
func scope(env []*core.Var, blocks ...*core.Block) []*core.Var {
	used := map[*core.Var]bool{}
	for _, b := range blocks {
		for _, v := range core.FreeVars(b) {
			used[v] = true
		}
	}
	var delta []*core.Var
	for _, v := range env {
		if used[v] {
			delta = append(delta, v)
		}
	}
	return delta
}

// under returns an environment extended by what a body binds.
func under(delta []*core.Var, bound ...*core.Var) []*core.Var {
	return append(slices.Clip(delta), bound...)
}

// lambda returns the Curry whose body runs in delta.
func (t *translator) lambda(delta []*core.Var, fun *core.Lambda) *Curry {
	names := t.nameAll(fun.Params)
	return &Curry{Params: names, Body: t.block(under(delta, fun.Params...), fun.Body)}
}

// letRec returns Δ ⇝ (F…) for a group of functions.
func (t *translator) letRec(env []*core.Var, group *core.LetRec) Term {
	bodies := make([]*core.Block, len(group.Funs))
	for i, fun := range group.Funs {
		bodies[i] = fun.Body
	}
	delta := scope(env, bodies...)
	fix := &Fix{Names: t.nameAll(group.Vars)}
	for _, fun := range group.Funs {
		fix.Curry = append(fix.Curry, t.lambda(under(delta, group.Vars...), fun))
	}
	return comp(t.within(env, delta), fix)
}

// op translates the right-hand side of a binding.
func (t *translator) op(env []*core.Var, let *core.Let) Term {
	at := let.At
	switch op := let.Op.(type) {
	case *core.Prim:
		args := make([]types.Type, len(op.Args))
		for i, a := range op.Args {
			args[i] = a.Type()
		}
		return comp(t.prod(env, op.Args...), &Prim{op.Prim, op.Inst, args, at})
	case *core.Lambda: // BDLam
		delta := scope(env, op.Body)
		return comp(t.within(env, delta), t.lambda(delta, op))
	case *core.Apply: // BDApp
		return comp(t.prod(env, append([]core.Atom{op.Fun}, op.Args...)...), &Eval{at})
	case *core.Tuple:
		return t.prod(env, op.Elems...)
	case *core.Proj:
		return comp(t.atom(env, op.Of), &Proj{op.Index, ""})
	case *core.Record:
		p := t.prod(env, op.Elems...).(*Prod)
		for _, f := range op.Ty.Fields {
			p.Names = append(p.Names, f.Name)
		}
		return p
	case *core.Field:
		record := types.Resolve(op.Of.Type()).(*types.Record)
		return comp(t.atom(env, op.Of), &Proj{op.Index, record.Fields[op.Index].Name})
	case *core.Construct:
		return comp(t.prod(env, op.Args...), &Inject{op.Con})
	case *core.Case:
		return t.caseOf(env, op)
	case *core.If:
		delta := scope(env, op.Then, op.Else)
		return comp(t.within(env, delta, op.Cond),
			&If{t.block(delta, op.Then), t.block(delta, op.Else)})
	}
	return t.arrayOp(env, let.Op, at)
}

func (t *translator) caseOf(env []*core.Var, op *core.Case) Term {
	var blocks []*core.Block
	for _, arm := range op.Arms {
		blocks = append(blocks, arm.Body)
	}
	if op.Default != nil {
		blocks = append(blocks, op.Default)
	}
	delta := scope(env, blocks...)
	c := &Case{}
	for _, arm := range op.Arms {
		c.Arms = append(c.Arms, Arm{arm.Con, t.nameAll(arm.Vars),
			t.block(under(delta, arm.Vars...), arm.Body)})
	}
	if op.Default != nil {
		c.Default = t.block(delta, op.Default)
	}
	return comp(t.within(env, delta, op.Of), c)
}

// arrayOp translates the operations on arrays, and loops.
func (t *translator) arrayOp(env []*core.Var, op core.Op, at diag.Span) Term {
	switch op := op.(type) {
	case *core.Array:
		return t.prod(env, op.Elems...)
	case *core.Build:
		delta := scope(env, op.Body)
		body := &Build{Index: t.name(op.Index), At: at}
		body.Body = t.block(under(delta, op.Index), op.Body)
		return comp(t.within(env, delta, op.Size), body)
	case *core.Map:
		delta := scope(env, op.Body)
		body := &Map{Params: t.nameAll(op.Params), At: at}
		body.Body = t.block(under(delta, op.Params...), op.Body)
		return comp(t.within(env, delta, op.Arrays...), body)
	case *core.Index:
		return comp(t.prod(env, op.Of, op.At), &Index{at})
	case *core.Slice:
		return comp(t.prod(env, op.Of, op.Lo, op.Hi), &Slice{at})
	case *core.Reduce:
		return t.fold(env, op.Acc, op.Elem, op.Init, op.Array, op.Body, false)
	case *core.Scan:
		return t.fold(env, op.Acc, op.Elem, op.Init, op.Array, op.Body, true)
	case *core.Loop:
		return t.loop(env, op)
	case *core.CheckSize:
		return comp(t.prod(env, op.Got, op.Want), &CheckSize{op, at})
	}
	panic(fmt.Sprintf("curry: no translation of %T", op))
}

func (t *translator) fold(env []*core.Var, acc, elem *core.Var, init, array core.Atom,
	body *core.Block, all bool) Term {
	delta := scope(env, body)
	f := &Fold{Acc: t.name(acc), Elem: t.name(elem), All: all}
	f.Body = t.block(under(delta, acc, elem), body)
	return comp(t.within(env, delta, init, array), f)
}

func (t *translator) loop(env []*core.Var, op *core.Loop) Term {
	switch head := op.Head.(type) {
	case *core.Range:
		delta := scope(env, op.Body)
		f := &For{State: t.name(op.State), Index: t.name(head.Index)}
		f.Body = t.block(under(delta, op.State, head.Index), op.Body)
		return comp(t.within(env, delta, op.Init, head.Bound), f)
	case *core.Each:
		return t.fold(env, op.State, head.Elem, op.Init, head.Array, op.Body, false)
	case *core.While:
		delta := scope(env, head.Cond, op.Body)
		f := &While{State: t.name(op.State)}
		f.Cond = t.block(under(delta, op.State), head.Cond)
		f.Body = t.block(under(delta, op.State), op.Body)
		return comp(t.within(env, delta, op.Init), f)
	}
	panic("curry: no such loop")
}
