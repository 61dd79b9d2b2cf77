package opt

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The sizes, in operations, up to which a function is copied to its calls.
const (
	smallSize  = 12  // always
	higherSize = 120 // if an argument is a known function, which the copy may then call directly
	onceSize   = 400 // if this is the only use; in a larger body the saved call does not matter

	// maxGrown bounds the code that one definition absorbs. Very large functions are slow to
	// compile, and back ends bound the number of live values.
	maxGrown = 2_000
)

// apply rewrites a call. Its parts have been rewritten.
func (s *simplifier) apply(out *core.Builder, let *core.Let, op *core.Apply) {
	f, args := s.saturate(op.Fun, op.Args)
	fun := s.function(f)
	if fun == nil || len(args) < len(fun.Params) || !s.worthInlining(f, fun, args) {
		op.Fun, op.Args = f, args
		out.Add(let)
		if len(args) < s.arityOf(f) {
			s.known.Set(let.Var, op) // a partial application: see saturate
		}
		return
	}
	n := len(fun.Params)
	result := s.inline(out, f, fun, args[:n], let.At)
	if n == len(args) {
		s.become(let.Var, result)
		return
	}
	s.count(result)
	op.Fun, op.Args = result, args[n:]
	s.apply(out, let, op)
}

// saturate turns the call of a partial application into a call of the
// function with all arguments.
func (s *simplifier) saturate(f core.Atom, args []core.Atom) (core.Atom, []core.Atom) {
	for {
		partial, ok := s.bound(f).(*core.Apply)
		if !ok {
			return f, args
		}
		s.changed = true
		s.recount(f, -1)
		s.count(partial.Fun)
		for _, a := range partial.Args {
			s.count(a)
		}
		f, args = partial.Fun, append(partial.Args[:len(partial.Args):len(partial.Args)], args...)
	}
}

// etaExpand turns a partial application that is an argument of a primitive into a lambda, because
// primitives differentiate whole functions best.
func (s *simplifier) etaExpand(out *core.Builder, arg *core.Atom, at diag.Span) {
	partial, ok := s.bound(*arg).(*core.Apply)
	if !ok {
		return
	}
	missing := s.arityOf(partial.Fun) - len(partial.Args)
	ts, result := types.Splay((*arg).Type(), missing)
	fun := &core.Lambda{Params: make([]*core.Var, missing)}
	call := &core.Apply{Fun: partial.Fun, Args: slices.Clone(partial.Args)}
	for i, t := range ts {
		fun.Params[i] = core.NewVar("x", t)
		call.Args = append(call.Args, fun.Params[i])
	}
	var b core.Builder
	fun.Body = b.Block(b.Let("r", result, call, at))
	core.Atoms(fun.Body, s.count)
	v := core.NewVar("f", (*arg).Type())
	s.recount(*arg, -1)
	s.count(v)
	s.changed = true
	s.let(out, &core.Let{Var: v, Op: fun, At: at})
	*arg = s.atom(v)
}

// function returns the lambda that a call enters, if it is known and not recursive, or nil.
func (s *simplifier) function(f core.Atom) *core.Lambda {
	switch f := f.(type) {
	case *core.Var:
		fun, _ := s.known.Get(f).(*core.Lambda)
		return fun
	case *core.Global:
		if d := s.defs[f.Name]; d != nil && !d.recursive {
			return d.fun
		}
	}
	return nil
}

// worthInlining decides whether to inline a call. If so, it charges the budget.
func (s *simplifier) worthInlining(f core.Atom, fun *core.Lambda, args []core.Atom) bool {
	if s.depth >= maxDepth {
		return false
	}
	size := s.sizeOf(f, fun) + 1
	if size > onceSize || size > s.work || s.grown+size > maxGrown {
		return false
	}
	if !s.usedOnce(f) {
		if size > s.growth || size > smallSize && (size > higherSize || !s.anyFunction(args)) {
			return false
		}
		s.growth -= size
	}
	s.work -= size
	s.grown += size
	return true
}

// sizeOf returns the size of the function that a call enters.
func (s *simplifier) sizeOf(f core.Atom, fun *core.Lambda) int {
	if g, ok := f.(*core.Global); ok {
		return s.defs[g.Name].size
	}
	return fun.Body.Size()
}

// usedOnce reports whether a call is the only use of its function, which then disappears after
// inlining.
func (s *simplifier) usedOnce(f core.Atom) bool {
	switch f := f.(type) {
	case *core.Var:
		return s.occ.Get(f) == 1
	case *core.Global:
		d := s.defs[f.Name]
		return d.uses == 1 && !d.root
	}
	return false
}

func (s *simplifier) anyFunction(args []core.Atom) bool {
	for _, a := range args {
		if s.arityOf(a) > 0 {
			return true
		}
		if _, ok := s.bound(a).(*core.Apply); ok {
			return true
		}
	}
	return false
}

// inline copies the body of a function for a call with exactly its arguments, and returns the
// result.
func (s *simplifier) inline(out *core.Builder, f core.Atom, fun *core.Lambda, args []core.Atom,
	at diag.Span) core.Atom {
	s.recount(f, -1)
	c := &s.copier
	c.subst.Clear()
	for i, p := range fun.Params {
		s.recount(args[i], -1)
		c.subst.Set(p, args[i])
	}
	c.at = at
	body := c.block(fun.Body)
	s.depth++
	result := s.splice(body, out)
	s.depth--
	return result
}

// copier copies the body of a function for a call, with fresh variables, and counts the uses in
// the copy. Code from the standard library gets the place of the call, because people look for
// errors in their own lines.
type copier struct {
	count func(core.Atom)
	subst core.VarMap[core.Atom]
	at    diag.Span // of the call
	parts core.Mapper
}

func (c *copier) atom(a core.Atom) core.Atom {
	if v, ok := a.(*core.Var); ok {
		if by := c.subst.Get(v); by != nil {
			a = by
		}
	}
	c.count(a)
	return a
}

func (c *copier) bind(v *core.Var) *core.Var {
	fresh := core.NewVar(v.Name, v.Ty)
	c.subst.Set(v, fresh)
	return fresh
}

func (c *copier) block(b *core.Block) *core.Block {
	stmts := make([]core.Stmt, len(b.Stmts))
	for i, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *core.Let:
			op := c.parts.Op(stmt.Op)
			let := core.FreshLet(stmt.Var.Name, stmt.Var.Ty, op, c.place(stmt.At))
			c.subst.Set(stmt.Var, let.Var)
			stmts[i] = let
		case *core.LetRec:
			rec := &core.LetRec{Vars: make([]*core.Var, len(stmt.Vars)),
				Funs: make([]*core.Lambda, len(stmt.Funs)), At: c.place(stmt.At)}
			for k, v := range stmt.Vars {
				rec.Vars[k] = c.bind(v)
			}
			for k, fun := range stmt.Funs {
				rec.Funs[k] = c.parts.Lambda(fun)
			}
			stmts[i] = rec
		}
	}
	return &core.Block{Stmts: stmts, Result: c.atom(b.Result)}
}

func (c *copier) place(at diag.Span) diag.Span {
	if c.at.Known() && at.Known() && at.File.Library && !c.at.File.Library {
		return c.at
	}
	return at
}
