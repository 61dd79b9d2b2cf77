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
	higherSize = 120 // where an argument is a known function, which the copy may then call directly
	onceSize   = 400 // where no other use remains; the call saved is nothing beside a larger body

	// maxGrown bounds what one definition takes in: very large functions are
	// slow to compile, and back ends bound the values alive in one.
	maxGrown = 2_000
)

// apply rewrites a call; f and args have been rewritten.
func (s *simplifier) apply(out *core.Builder, v *core.Var, f core.Atom, args []core.Atom, at diag.Span) {
	f, args = s.saturate(f, args)
	fun := s.function(f)
	if fun == nil || len(args) < len(fun.Params) || !s.worthInlining(f, fun, args) {
		op := &core.Apply{Fun: f, Args: args}
		out.Bind(v, op, at)
		if len(args) < s.arityOf(f) {
			s.known.Set(v, op) // a partial application: see saturate
		}
		return
	}
	n := len(fun.Params)
	result := s.inline(out, f, fun, args[:n], at)
	if n == len(args) {
		s.become(v, result)
		return
	}
	s.count(result)
	s.apply(out, v, result, args[n:], at)
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

// etaExpand makes a lambda of a partial application that a primitive is given:
// what a primitive differentiates is best known as a whole.
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
	s.let(out, v, fun, at)
	*arg = s.atom(v)
}

// function is the lambda that a call enters, if it is known and not recursive.
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

// worthInlining decides about one call, and pays for it.
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

// sizeOf is the size of the function that a call enters.
func (s *simplifier) sizeOf(f core.Atom, fun *core.Lambda) int {
	if g, ok := f.(*core.Global); ok {
		return s.defs[g.Name].size
	}
	return fun.Body.Size()
}

// usedOnce tells whether a call is the only use of its function, which is
// then gone after inlining.
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

// inline copies the body of a function for a call with exactly its arguments,
// and gives the result. What comes from the standard library takes the place of
// the call: where it fails, people look for their own line.
func (s *simplifier) inline(out *core.Builder, f core.Atom, fun *core.Lambda, args []core.Atom, at diag.Span) core.Atom {
	s.recount(f, -1)
	subst := make(map[*core.Var]core.Atom, len(args))
	for i, p := range fun.Params {
		s.recount(args[i], -1)
		subst[p] = args[i]
	}
	copier := core.NewCopier(subst)
	copier.At = func(inner diag.Span) diag.Span {
		if at.Known() && inner.Known() && inner.File.Library && !at.File.Library {
			return at
		}
		return inner
	}
	body := copier.Block(fun.Body)
	core.Atoms(body, s.count)
	s.depth++
	result := s.splice(body, out)
	s.depth--
	return result
}
