package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Accumulators makes stores of accumulations where each element is added to by one turn of one
// loop only: the turn adds what it has to add and stores it. The sign of a zero is that of the
// sum, not that of the sum and the zero which the buffer held.
func Accumulators(f *loop.Func) { f.Body = accumulatorsBlock(f.Body) }

func accumulatorsBlock(b *loop.Block) *loop.Block {
	alone, full := storing(b)
	out := loop.Rebuild(b)
	if len(alone) == 0 {
		for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
			out.Add(loop.MapBlocks(b.Stmts[i], accumulatorsBlock))
		}
		return out.Rebuilt(b, b.Yield)
	}
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.Alloc); ok && full[x.Var] {
			out.Add(&loop.Alloc{Var: x.Var, Len: x.Len})
			continue
		}
		y := loop.MapBlocks(s, accumulatorsBlock)
		if bufs := alone[s]; bufs != nil {
			x := *y.(*loop.For)
			x.Body = stores(x.Body, bufs)
			y = &x
		}
		out.Add(y)
	}
	return out.Rebuilt(b, b.Yield)
}

// storing gives, by the loops of a block, the buffers that only such a loop adds to, each turn to
// an element of its own, and which of them it adds to all elements of.
func storing(b *loop.Block) (alone map[loop.Stmt]map[*loop.Var]bool, full map[*loop.Var]bool) {
	if !slices.ContainsFunc(b.Stmts, isZeroes) {
		return nil, nil
	}
	allocs := map[*loop.Var]*loop.Alloc{}
	writers := map[*loop.Var][]loop.Stmt{}
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.Alloc); ok && x.Zero {
			allocs[x.Var] = x
		}
		if len(allocs) == 0 {
			continue // the buffers that are written come from further outside
		}
		for _, v := range outer(s) {
			writers[v] = append(writers[v], s)
		}
	}
	alone, full = map[loop.Stmt]map[*loop.Var]bool{}, map[*loop.Var]bool{}
	for v, x := range allocs {
		if len(writers[v]) != 1 {
			continue
		}
		s, ok := writers[v][0].(*loop.For)
		if !ok || !ownElement(s, v) {
			continue
		}
		if alone[s] == nil {
			alone[s] = map[*loop.Var]bool{}
		}
		alone[s][v] = true
		full[v] = same(x.Len, s.Count)
	}
	return alone, full
}

// isZeroes tells whether a statement makes a buffer of zeroes.
func isZeroes(s loop.Stmt) bool {
	x, ok := s.(*loop.Alloc)
	return ok && x.Zero
}

// ownElement tells whether a loop writes to a buffer only by accumulations at its index, in each
// turn.
func ownElement(s *loop.For, buf *loop.Var) bool {
	direct, all := 0, 0
	for _, x := range s.Body.Stmts {
		if x, ok := x.(*loop.Accum); ok && x.Buf == buf && x.At == loop.Atom(s.Index) {
			direct++
		}
		written(x, func(v *loop.Var) {
			if v == buf {
				all++
			}
		})
	}
	return direct == all
}

// stores makes stores of the accumulations to some buffers.
func stores(b *loop.Block, bufs map[*loop.Var]bool) *loop.Block {
	left := map[*loop.Var]int{}
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.Accum); ok && bufs[x.Buf] {
			left[x.Buf]++
		}
	}
	sums := map[*loop.Var]loop.Atom{}
	out := &loop.Builder{}
	for _, s := range b.Stmts {
		x, ok := s.(*loop.Accum)
		if !ok || !bufs[x.Buf] {
			out.Add(s)
			continue
		}
		sum := x.Value
		if sums[x.Buf] != nil {
			sum = out.Let("sum", loop.AddF, sums[x.Buf], x.Value)
		}
		sums[x.Buf] = sum
		if left[x.Buf]--; left[x.Buf] == 0 {
			out.Store(x.Buf, x.At, sum)
		}
	}
	return out.Block(b.Yield...)
}
