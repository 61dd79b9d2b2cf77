package coretest

import (
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Approximant returns the n-th approximant of a program (A–P §6.2, Fig. 8): every
// recursive definition becomes one that is unfolded at most n times,
//
//	letrec f x = M in N    becomes    letrecₙ f x = M in N.
//
// It is a program of core again, so that every evaluator runs it. A closure
// clo_k of Fig. 8 is the partial application g k of
//
//	letrec g k x = if k <= 0 then fail "⊥" else let f = g (k - 1) in M
//
// and f is g n in N. Calling clo_0 ends in an error that IsBottom recognises.
// Loops are left as they are.
func Approximant(p *core.Program, n int) *core.Program {
	l := &limiter{n: int64(n), vars: map[*core.Var]core.Atom{}, defs: map[string]core.Atom{}}
	l.m = core.Mapper{Atom: l.atom, Bind: l.bind, Block: l.block}
	limited := &core.Program{Datas: p.Datas}
	for _, group := range recursionGroups(p) {
		limited.Defs = append(limited.Defs, l.group(group)...)
	}
	if p.Main != nil {
		limited.Main = l.def(p.Main)
	}
	return limited
}

const bottom = "⊥"

// IsBottom reports whether an evaluation ended because an approximant had no more
// unfoldings.
func IsBottom(d *diag.Diagnostic) bool {
	return d != nil && d.Code == diag.Failure && strings.Contains(d.Message, bottom)
}

// limiter copies a program and limits its recursion.
type limiter struct {
	n    int64
	vars map[*core.Var]core.Atom
	defs map[string]core.Atom // what uses of the group become in its bodies
	m    core.Mapper
}

func (l *limiter) atom(a core.Atom) core.Atom {
	switch a := a.(type) {
	case *core.Var:
		if by := l.vars[a]; by != nil {
			return by
		}
	case *core.Global:
		if by := l.defs[a.Name]; by != nil {
			return by
		}
	}
	return a
}

func (l *limiter) bind(v *core.Var) *core.Var {
	fresh := core.NewVar(v.Name, v.Ty)
	l.vars[v] = fresh
	return fresh
}

func (l *limiter) block(b *core.Block) *core.Block {
	var out core.Builder
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *core.Let:
			op := l.m.Op(s.Op)
			out.Bind(l.bind(s.Var), op, s.At)
		case *core.LetRec:
			l.letRec(&out, s)
		}
	}
	return out.Block(l.atom(b.Result))
}

func (l *limiter) letRec(out *core.Builder, s *core.LetRec) {
	limited := make([]*core.Var, len(s.Vars))
	for i, v := range s.Vars {
		limited[i] = core.NewVar(v.Name+"_limited", types.Funs(v.Ty, types.Int))
	}
	unfolded := func(out *core.Builder, k core.Atom) {
		for i, v := range s.Vars {
			out.Bind(l.bind(v), &core.Apply{Fun: limited[i], Args: []core.Atom{k}}, s.At)
		}
	}
	funs := make([]*core.Lambda, len(s.Funs))
	for i, fun := range s.Funs {
		funs[i] = l.limit(fun, s.At, unfolded)
	}
	out.LetRec(limited, funs, s.At)
	unfolded(out, core.IntLit(l.n))
}

// group limits definitions that are recursive together.
func (l *limiter) group(group []*core.Def) []*core.Def {
	if !isRecursive(group) {
		return []*core.Def{l.def(group[0])}
	}
	limited := make([]*core.Def, len(group))
	for i, d := range group {
		limited[i] = &core.Def{Name: d.Name + "_limited", Type: types.Funs(d.Type, types.Int),
			At: d.At}
	}
	unfolded := func(out *core.Builder, k core.Atom) {
		for i, d := range group {
			l.defs[d.Name] = out.Let(d.Name, d.Type,
				&core.Apply{Fun: limited[i].Use(), Args: []core.Atom{k}}, d.At)
		}
	}
	var whole []*core.Def
	for i, d := range group {
		var body core.Builder
		limited[i].Body = body.Block(
			body.Let("f", limited[i].Type, l.limit(d.Function(), d.At, unfolded), d.At))
		whole = append(whole, l.whole(d, limited[i]))
	}
	for _, d := range group {
		delete(l.defs, d.Name)
	}
	return append(limited, whole...)
}

// whole defines fun x => limited n x.
func (l *limiter) whole(d, limited *core.Def) *core.Def {
	args := []core.Atom{core.IntLit(l.n)}
	var params []*core.Var
	for _, p := range d.Function().Params {
		v := core.NewVar(p.Name, p.Ty)
		params, args = append(params, v), append(args, v)
	}
	var b core.Builder
	result := b.Emit("r", &core.Apply{Fun: limited.Use(), Args: args}, d.At)
	return core.FunDef(d.Name, nil, &core.Lambda{Params: params, Body: b.Block(result)}, d.At)
}

// limit makes fun k x => if k <= 0 then fail "⊥" else … from fun x => …, where
// unfolded binds the functions of the group that have k - 1 unfoldings left.
func (l *limiter) limit(fun *core.Lambda, at diag.Span,
	unfolded func(out *core.Builder, k core.Atom)) *core.Lambda {
	k := core.NewVar("k", types.Int)
	params := []*core.Var{k}
	for _, p := range fun.Params {
		params = append(params, l.bind(p))
	}
	result := fun.Body.Result.Type()
	var body, none, some core.Builder
	primitive := func(name string, inst types.Type, args ...core.Atom) core.Op {
		return &core.Prim{Prim: prim.Lookup(name), Inst: []types.Type{inst}, Args: args}
	}
	end := body.Let("end", types.Bool, primitive("<=", types.Int, k, core.IntLit(0)), at)
	failed := none.Let("r", result, primitive("fail", result, core.StringLit(bottom)), at)
	unfolded(&some, some.Let("less", types.Int, primitive("-", types.Int, k, core.IntLit(1)), at))
	value := some.Splice(l.block(fun.Body))
	r := body.Let("r", result, &core.If{Cond: end, Then: none.Block(failed),
		Else: some.Block(value)}, at)
	return &core.Lambda{Params: params, Body: body.Block(r)}
}

func (l *limiter) def(d *core.Def) *core.Def {
	return &core.Def{Name: d.Name, Params: d.Params, Type: d.Type, Body: l.block(d.Body), At: d.At}
}

// recursionGroups divides the definitions of a program into those that reach
// one another, in their order.
func recursionGroups(p *core.Program) [][]*core.Def {
	uses := map[string][]string{}
	for _, d := range p.Defs {
		uses[d.Name] = used(d)
	}
	reached := map[string]map[string]bool{}
	for _, d := range p.Defs {
		all := map[string]bool{}
		var reach func(name string)
		reach = func(name string) {
			for _, u := range uses[name] {
				if !all[u] {
					all[u] = true
					reach(u)
				}
			}
		}
		reach(d.Name)
		reached[d.Name] = all
	}
	var groups [][]*core.Def
	for _, d := range p.Defs {
		if n := len(groups); n > 0 {
			if first := groups[n-1][0].Name; reached[first][d.Name] && reached[d.Name][first] {
				groups[n-1] = append(groups[n-1], d)
				continue
			}
		}
		groups = append(groups, []*core.Def{d})
	}
	return groups
}

// used lists the definitions that one mentions.
func used(d *core.Def) []string {
	var names []string
	core.Atoms(d.Body, func(a core.Atom) {
		if g, ok := a.(*core.Global); ok {
			names = append(names, g.Name)
		}
	})
	return names
}

// isRecursive reports whether a member of a group mentions the group.
func isRecursive(group []*core.Def) bool {
	return len(group) > 1 || slices.Contains(used(group[0]), group[0].Name)
}
