package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// matching turns the plan of one match into code.
type matching struct {
	e    *elaborator
	x    *syntax.Match
	ty   types.Type // of the result
	w    want
	arms [][]alternative
	// shared holds the local functions of arms that are reached from several places, by number.
	// guards holds those of their conditions.
	shared, guards map[int]*core.Var
}

// match elaborates a match; see Note [Compiling match].
func (e *elaborator) match(b *core.Builder, x *syntax.Match, w want) core.Atom {
	m := &matching{e: e, x: x, ty: e.typeOf(x), w: w, shared: map[int]*core.Var{},
		guards: map[int]*core.Var{}}
	size := 0
	for _, arm := range x.Arms {
		all := e.info.alternatives(arm.Pat)
		m.arms = append(m.arms, all)
		for _, alt := range all {
			size += alt.pat.size()
		}
	}
	plan, reached := planMatch(e.ty, m.rows(b), e.treeFactor*(size+16))
	for i := range x.Arms {
		if reached[i] <= 1 {
			continue
		}
		if !e.cheap(x.Arms[i].Body) {
			m.shared[i] = m.share(b, "arm", i, x.Arms[i].Body, m.w.result)
		}
		if guard := x.Arms[i].Guard; guard != nil && !e.cheap(guard) {
			m.guards[i] = m.share(b, "guard", i, guard, nil)
		}
	}
	return m.emit(b, w.name, plan, m.unreachable)
}

// rows evaluates the matched value and makes the rows that test it. A tuple expression that is
// only matched is never built.
func (m *matching) rows(b *core.Builder) []*matchRow {
	var rows []*matchRow
	for i, arm := range m.arms {
		for _, alt := range arm {
			rows = append(rows, &matchRow{arm: i, pat: alt.pat, guarded: m.x.Arms[i].Guard != nil})
		}
	}
	if tuple, ok := unparen(m.x.X).(*syntax.Tuple); ok && len(tuple.Elems) > 1 && m.onlyParts() {
		parts := make([]*place, len(tuple.Elems))
		for i, elem := range tuple.Elems {
			value := m.e.expr(b, elem, want{})
			parts[i] = &place{ty: value.Type(), name: "t", atom: value}
		}
		for i, row := range rows {
			if row.pat.head.kind == tupleHead {
				rows[i] = row.with(testsOf(parts, row.pat.args)...)
			}
		}
		return rows
	}
	value := m.e.expr(b, m.x.X, want{})
	whole := &place{ty: value.Type(), name: "t", atom: value}
	for i, row := range rows {
		rows[i] = row.with(test{whole, row.pat})
	}
	return rows
}

// onlyParts reports whether no pattern binds the whole value.
func (m *matching) onlyParts() bool {
	for _, arm := range m.arms {
		for _, alt := range arm {
			if len(alt.pat.binds) > 0 {
				return false
			}
		}
	}
	return true
}

// cheap reports whether an arm is no larger than a call of a function would be.
func (e *elaborator) cheap(x syntax.Expr) bool {
	switch x := unparen(x).(type) {
	case *syntax.Var, *syntax.Number, *syntax.String, *syntax.Bool:
		return true
	case *syntax.Con:
		constructor, ok := e.info.Uses[x.ID].Object.(*Constructor)
		return ok && len(constructor.Con.Fields) == 0
	case *syntax.Tuple:
		return len(x.Elems) == 0
	}
	return false
}

// share turns the body or the condition of an arm into a local function of the variables that its
// pattern binds.
func (m *matching) share(b *core.Builder, name string, arm int, x syntax.Expr,
	result *result) *core.Var {
	var params []*core.Var
	body := m.e.block(func(b *core.Builder) core.Atom {
		for _, binder := range m.params(arm) {
			v := core.NewVar("p", m.binderType(binder))
			if binder.node != nil {
				v.Name = binder.node.Name
			}
			params = append(params, v)
			m.e.binder(b, binder, v)
		}
		return m.e.expr(b, x, want{result: result})
	})
	return join(b, name, params, body, x.Span())
}

// params returns the binders whose values are passed to a shared arm. For a single pattern these
// are all binders; for several alternatives they are the variables.
func (m *matching) params(arm int) []binder {
	all := m.arms[arm][0].pat.binders(nil)
	if len(m.arms[arm]) == 1 {
		return all
	}
	return slices.DeleteFunc(all, func(b binder) bool { return b.node == nil })
}

// join turns a block that is reached from several places into a local function. If it has no
// parameters, it takes unit.
func join(b *core.Builder, name string, params []*core.Var, body *core.Block,
	at diag.Span) *core.Var {
	if len(params) == 0 {
		params = []*core.Var{core.NewVar("u", types.Unit)}
	}
	return b.Emit(name, &core.Lambda{Params: params, Body: body}, at)
}

func (m *matching) binderType(bd binder) types.Type {
	if bd.node != nil {
		return m.e.typeOf(bd.node)
	}
	return m.e.ty(m.e.info.Signatures[bd.sig])
}

// unreachable returns code for a place that no value reaches. Only plans that backtrack have such
// places.
func (m *matching) unreachable(b *core.Builder) core.Atom {
	fail := &core.Prim{Prim: prim.Fail.Row(), Inst: []types.Type{m.ty},
		Args: []core.Atom{core.StringLit("no pattern matches")}}
	return b.Let("t", m.ty, fail, m.x.At)
}

// emit emits code for a plan and returns its value. stuckAt emits the code for places where no
// row is left.
func (m *matching) emit(b *core.Builder, name string, p plan,
	stuckAt func(*core.Builder) core.Atom) core.Atom {
	at := m.x.At
	sub := func(p plan) *core.Block {
		return m.e.block(func(b *core.Builder) core.Atom { return m.emit(b, "", p, stuckAt) })
	}
	switch p := p.(type) {
	case *reach:
		if m.shared[p.arm] == nil || len(m.arms[p.arm]) > 1 {
			m.bind(b, p)
		}
		return m.reach(b, p, name)
	case *guarded:
		return m.guarded(b, name, p, sub)
	case *stuck:
		return stuckAt(b)
	case *attempt:
		switch stuckCount(p.first) {
		case 0:
			return m.emit(b, name, p.first, stuckAt)
		case 1:
			return m.emit(b, name, p.first, func(b *core.Builder) core.Atom {
				return m.emit(b, "", p.rest, stuckAt)
			})
		}
		rest := join(b, "rest", nil, sub(p.rest), at)
		return m.emit(b, name, p.first, func(b *core.Builder) core.Atom {
			return b.Let("t", m.ty, &core.Apply{Fun: rest, Args: []core.Atom{core.UnitLit()}}, at)
		})
	case *open:
		for i, part := range p.parts {
			if part != nil {
				part.atom = m.e.take(b, p.head, p.of.atom, i, part.name, at)
			}
		}
		return m.emit(b, name, p.then, stuckAt)
	case *choice:
		return m.choice(b, name, p, sub)
	}
	panic("check: bug in Fluxion: unknown plan")
}

// stuckCount counts the places where a plan is stuck. An attempt is stuck only where its rest is.
func stuckCount(p plan) int {
	switch p := p.(type) {
	case *stuck:
		return 1
	case *attempt:
		return stuckCount(p.rest)
	case *open:
		return stuckCount(p.then)
	case *guarded:
		return stuckCount(p.otherwise)
	case *choice:
		n := 0
		for _, b := range p.branches {
			n += stuckCount(b.then)
		}
		if p.otherwise != nil {
			n += stuckCount(p.otherwise)
		}
		return n
	}
	return 0
}

// choice tests a place: by a case for data, and by an if for each literal.
func (m *matching) choice(b *core.Builder, name string, c *choice,
	sub func(plan) *core.Block) core.Atom {
	at, w := m.x.At, want{name: name}
	switch c.branches[0].head.kind {
	case dataHead:
		op := &core.Case{Of: c.of.atom}
		for _, br := range c.branches {
			arm := core.Arm{Con: br.head.con}
			for _, part := range br.parts {
				v := core.NewVar(part.name, part.ty)
				part.atom = v
				arm.Vars = append(arm.Vars, v)
			}
			arm.Body = sub(br.then)
			op.Arms = append(op.Arms, arm)
		}
		if c.otherwise != nil {
			op.Default = sub(c.otherwise)
		}
		return m.e.emit(b, w, m.ty, op, at)
	case boolHead:
		ways := [2]plan{c.otherwise, c.otherwise}
		for _, br := range c.branches {
			ways[br.head.n] = br.then
		}
		return m.e.emit(b, w, m.ty, &core.If{Cond: c.of.atom, Then: sub(ways[1]),
			Else: sub(ways[0])}, at)
	case arrayHead:
		ways := [2]plan{c.otherwise, c.otherwise}
		for _, br := range c.branches {
			ways[br.head.n] = br.then
		}
		length := m.e.length(b, c.of.atom, 0, at)
		cond := b.Let("t", types.Bool, intPrim(prim.Eq, length, core.IntLit(0)), at)
		return m.e.emit(b, w, m.ty, &core.If{Cond: cond, Then: sub(ways[0]), Else: sub(ways[1])},
			at)
	}
	return m.literals(b, w, c, c.branches, sub)
}

// literals tests one literal after the other.
func (m *matching) literals(b *core.Builder, w want, c *choice, branches []*branch,
	sub func(plan) *core.Block) core.Atom {
	h := branches[0].head
	lit := &core.Lit{Ty: c.of.ty, Int: h.n, Str: h.s}
	equal := &core.Prim{Prim: prim.Eq.Row(), Inst: []types.Type{c.of.ty},
		Args: []core.Atom{c.of.atom, lit}}
	op := &core.If{Cond: b.Let("t", types.Bool, equal, m.x.At), Then: sub(branches[0].then)}
	if len(branches) == 1 {
		op.Else = sub(c.otherwise)
	} else {
		op.Else = m.e.block(func(b *core.Builder) core.Atom {
			return m.literals(b, want{}, c, branches[1:], sub)
		})
	}
	return m.e.emit(b, w, m.ty, op, m.x.At)
}

// reach continues with an arm. If the arm is not shared, it binds the arm's variables.
func (m *matching) reach(b *core.Builder, r *reach, name string) core.Atom {
	body := m.x.Arms[r.arm].Body
	if fun := m.shared[r.arm]; fun != nil {
		return m.call(b, fun, r, want{name: name}, m.ty, body.Span())
	}
	return m.e.expr(b, body, want{name: name, result: m.w.result})
}

// bind gives the variables of an arm their values.
func (m *matching) bind(b *core.Builder, r *reach) {
	for _, binder := range r.pat.binders(nil) {
		m.e.binder(b, binder, r.at[binder].atom)
	}
}

// call calls the function of a shared arm or of its condition.
func (m *matching) call(b *core.Builder, fun *core.Var, r *reach, w want, ty types.Type,
	at diag.Span) core.Atom {
	var args []core.Atom
	for _, param := range m.params(r.arm) {
		args = append(args, r.at[r.binder(m, param)].atom)
	}
	if len(args) == 0 {
		args = []core.Atom{core.UnitLit()}
	}
	return m.e.emit(b, w, ty, &core.Apply{Fun: fun, Args: args}, at)
}

// binder returns the binder of the alternative that matched, for a binder of the first
// alternative.
func (r *reach) binder(m *matching, param binder) binder {
	if r.pat == m.arms[r.arm][0].pat {
		return param
	}
	for _, b := range r.pat.binders(nil) {
		if b.node != nil && b.node.Name == param.node.Name {
			return b
		}
	}
	panic("check: bug in Fluxion: alternatives bind different names")
}

// guarded continues with an arm if its condition holds.
func (m *matching) guarded(b *core.Builder, name string, g *guarded,
	sub func(plan) *core.Block) core.Atom {
	guard := m.x.Arms[g.arm].Guard
	m.bind(b, &g.reach)
	var cond core.Atom
	if fun := m.guards[g.arm]; fun != nil {
		cond = m.call(b, fun, &g.reach, want{}, types.Bool, guard.Span())
	} else {
		cond = m.e.expr(b, guard, want{})
	}
	then := m.e.block(func(b *core.Builder) core.Atom { return m.reach(b, &g.reach, "") })
	op := &core.If{Cond: cond, Then: then, Else: sub(g.otherwise)}
	return m.e.emit(b, want{name: name}, m.ty, op, guard.Span())
}
