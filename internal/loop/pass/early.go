package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Early checks]
//
// Where an array is read at places that come from another array, each turn checks its own place,
// and a check that varies stands in the way of lanes:
//
//	for i < n { k = ks[i]; check (lt.i k m); x = xs[k]; … }
//
// A failed check discards the run, whatever the turns before it have done. So all turns may be
// checked first, by a loop that has nothing but the checks and what their conditions are made of;
// the loop that follows has none:
//
//	for i < n { k = ks[i]; check (lt.i k m) }
//	for i < n { k = ks[i]; x = xs[k]; … }
//
// The conditions must not need a loop, nor what the loop writes. If none of them needs what is read
// after another check, all can be tested before one fails, and the first loop has lanes too:
//
//	for i < n lanes, and from true { k = ks[i]; yield (lt.i k m) } gives ok
//	check ok

// early splits the checks off a parallel loop. It gives nil if there are none, or if they need more
// than operations and reads.
func early(s *loop.For) (checks []loop.Stmt, rest *loop.For) {
	e := &checkSlice{needs: map[*loop.Var]bool{}, ok: true}
	written(s, func(v *loop.Var) { e.writes = append(e.writes, v) })
	body := e.slice(s.Body)
	if !e.ok || !e.found {
		return nil, nil
	}
	c := loop.NewCopier()
	first := &loop.For{Index: c.Bind(s.Index), Count: s.Count, Parallel: true}
	first.Body = c.Block(body)
	y := *s
	y.Body = unchecked(s.Body)
	return together(first), &y
}

// together returns a loop of checks with one check after it, or the loop itself if a check protects
// what follows it.
func together(s *loop.For) []loop.Stmt {
	var body loop.Builder
	var all loop.Atom
	var last *loop.Check
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Check:
			if last = x; all == nil {
				all = x.Cond
			} else {
				all = body.Let("ok", loop.And, all, x.Cond)
			}
			continue
		case *loop.Let, *loop.Length:
		case *loop.Load:
			if last != nil {
				return []loop.Stmt{s}
			}
		default:
			return []loop.Stmt{s}
		}
		body.Add(x)
	}
	ok := loop.NewVar("ok", loop.Bool)
	s.Reds = []loop.Red{{Op: loop.And, Init: loop.Truth(true), Result: ok}}
	s.Body = body.Block(all)
	s.Lanes = worthLanes(s)
	return []loop.Stmt{s, &loop.Check{Cond: ok, At: last.At}}
}

// checkSlice finds what the checks of a block need.
type checkSlice struct {
	needs     map[*loop.Var]bool
	writes    []*loop.Var
	ok, found bool
}

// slice is the checks of a block, and what they need.
func (e *checkSlice) slice(b *loop.Block) *loop.Block {
	var kept []loop.Stmt
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			e.needs[v] = true
		}
	}
	for _, s := range slices.Backward(b.Stmts) {
		needed := false
		loop.Defs(s, func(v *loop.Var) { needed = needed || e.needs[v] })
		switch x := s.(type) {
		case *loop.Check:
			needed, e.found = true, true
		case *loop.If:
			y := &loop.If{Cond: x.Cond, Then: e.slice(x.Then), Else: e.slice(x.Else)}
			e.ok = e.ok && !needed
			if needed = len(y.Then.Stmts)+len(y.Else.Stmts) > 0; needed {
				s = y
			}
		case *loop.Load:
			e.ok = e.ok && !(needed && slices.Contains(e.writes, x.Buf))
		case *loop.Let, *loop.Length:
		default:
			e.ok = e.ok && !needed && !checked(s)
		}
		if needed {
			loop.Uses(s, use)
			kept = append(kept, s)
		}
	}
	slices.Reverse(kept)
	return &loop.Block{Stmts: kept}
}

// checked tells whether a statement has checks in it.
func checked(s loop.Stmt) bool { return loop.AnyWithin(s, isCheck) }

// unchecked is a block without the checks outside of its loops.
func unchecked(b *loop.Block) *loop.Block {
	out := &loop.Block{Yield: b.Yield}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *loop.Check:
			continue
		case *loop.If:
			y := *x
			y.Then, y.Else = unchecked(x.Then), unchecked(x.Else)
			s = &y
		}
		out.Stmts = append(out.Stmts, s)
	}
	return out
}
