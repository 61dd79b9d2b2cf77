package pass

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Rows]
//
// An array of arrays is one buffer, in which its rows follow one another: m[i][j] is the element i
// k + j, where k is the length of a row. A target that is given the rows one by one can read
// element j of row i instead, and need not copy them to a buffer. Both are the same element if 0 ≤
// j < k. An index that a program has computed itself, as in (flatten m)[n], may be beyond the end
// of a row, and then the rows are copied.
//
// Whether all indices are as they should be is asked of Checks: Rows puts checks in front of the
// reads, in a copy of the function. All of them must turn out to hold, or to repeat a check that
// the function makes before.

// Cell is where an element of an array of arrays is.
type Cell struct{ Row, Column loop.Atom }

// Rows gives the cells of all elements that are read from a buffer, a parameter that consists of
// rows of a length, another parameter. It gives nil if the buffer is used otherwise, or a cell may
// be outside of its row: Note [Rows].
func Rows(f *loop.Func, buf, length *loop.Var) map[*loop.Load]Cell {
	lets, cells, only := map[*loop.Var]*loop.Let{}, map[*loop.Load]Cell{}, true
	other := func(a loop.Atom) { only = only && a != loop.Atom(buf) }
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Let:
			lets[s.Var] = s
		case *loop.Length:
		case *loop.Load:
			if s.Buf == buf {
				cells[s] = cellOf(s.At, length, lets)
			}
		default:
			loop.Uses(s, other)
		}
		loop.Blocks(s, func(b *loop.Block) { yielded(b, other) })
	})
	yielded(f.Body, other)
	if !only || !within(f, length, cells) {
		return nil
	}
	return cells
}

func yielded(b *loop.Block, f func(loop.Atom)) {
	for _, a := range b.Yield {
		f(a)
	}
}

// cellOf is the cell of an index, as far as its operations tell. The index of an element of the
// first row is that of its column.
func cellOf(at loop.Atom, length *loop.Var, lets map[*loop.Var]*loop.Let) Cell {
	operation := func(a loop.Atom) *loop.Let { v, _ := a.(*loop.Var); return lets[v] }
	row := func(a loop.Atom) loop.Atom { // nil if it is not the index at which a row begins
		if a == loop.Atom(length) {
			return loop.Int(1)
		}
		if x := operation(a); x != nil && x.Op == loop.MulI {
			for k := range x.Args {
				if x.Args[k] == loop.Atom(length) {
					return x.Args[1-k]
				}
			}
		}
		return nil
	}
	if r := row(at); r != nil {
		return Cell{r, loop.Int(0)}
	}
	if x := operation(at); x != nil && x.Op == loop.AddI {
		for k := range x.Args {
			if r := row(x.Args[k]); r != nil {
				return Cell{r, x.Args[1-k]}
			}
		}
	}
	return Cell{loop.Int(0), at}
}

// within tells whether the columns of all cells are less than a length, and not negative.
func within(f *loop.Func, length *loop.Var, cells map[*loop.Load]Cell) bool {
	mark := diag.Span{File: &diag.File{}} // tells the checks apart from those of the function
	var block func(b *loop.Block) *loop.Block
	block = func(b *loop.Block) *loop.Block {
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			if load, ok := s.(*loop.Load); ok {
				if p, ok := cells[load]; ok {
					out.Check(out.Let("within", loop.LeI, loop.Int(0), p.Column), mark)
					out.Check(out.Let("within", loop.LtI, p.Column, length), mark)
				}
			}
			out.Add(loop.MapBlocks(s, block))
		}
		return out.Rebuilt(b, b.Yield)
	}
	plain, tried := *f, *f
	tried.Body = block(f.Body)
	checks := func(f *loop.Func) (all, marked int) {
		for range 2 { // so that checks that have left loops are found to be the same
			Options{}.run(f, cleaning)
		}
		loop.Walk(f.Body, func(s loop.Stmt) {
			if c, ok := s.(*loop.Check); ok {
				if all++; c.At == mark {
					marked++
				}
			}
		})
		return all, marked
	}
	before, _ := checks(&plain)
	after, left := checks(&tried)
	return left == 0 && after <= before // which counts those of turns, that the others may rest on
}
