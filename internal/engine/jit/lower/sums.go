package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Sums of lanes]
//
// A loop inside of lanes may add to elements that all lanes share:
//
//	for i lanes { … for j < n { c[j] += x } }
//
// Each turn of the inner loop adds the elements of a vector to one element. That takes a shuffle
// and an addition for each halving of the vector. Accumulators of a whole vector for each element
// of c take none, but they take as much of the cache as w buffers like c, and all of it is read and
// written for every few points. If turns add to neighbouring elements, the sums of w vectors are
// found together, by half of a transposition, and one addition of vectors takes them to memory:
//
//	a₀ a₁ a₂ a₃   b₀ b₁ b₂ b₃   →   a₀+a₁ b₀+b₁ a₂+a₃ b₂+b₃
//	c₀ c₁ c₂ c₃   d₀ d₁ d₂ d₃   →   c₀+c₁ d₀+d₁ c₂+c₃ d₂+d₃   →   Σa Σb Σc Σd
//
// So the turns of such a loop run w at a time, if they do nothing else; those that are left run by
// themselves. Its buffers need no accumulators.

// together tells whether turns of a loop inside of lanes are lowered side by side:
// Note [Sums of lanes].
func (ln *lanes) together(l *lowering, s *loop.For) bool {
	const mostStatements = 48 // of the vectors of a turn
	if !s.Parallel || len(s.Reds) > 0 || len(s.Body.Stmts)*ln.u > mostStatements || !l.m.Transposes {
		return false
	}
	if n, ok := small(s.Count); ok && n < int64(ln.w) {
		return false
	}
	defs := map[*loop.Var]*loop.Let{}
	found := false
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			defs[x.Var] = x
		case *loop.Load:
			defs[x.Var] = nil
		case *loop.Accum:
			if stride, ok := strideOf(x.At, s.Index, defs); !ok || stride != 1 || !ln.shares(x) {
				return false
			}
			found = true
		default:
			return false
		}
	}
	return found
}

// shares tells whether all lanes add to one element.
func (ln *lanes) shares(s *loop.Accum) bool { return ln.outer(s.Buf) && !ln.is(s.At) }

// strideOf is how far an integer moves with an index, if that is the same at each turn. defs are
// the definitions of the loop's body, nil for what is not an operation.
func strideOf(a loop.Atom, index *loop.Var, defs map[*loop.Var]*loop.Let) (stride int64, ok bool) {
	v, isVar := a.(*loop.Var)
	if !isVar {
		return 0, true
	}
	if v == index {
		return 1, true
	}
	def, inside := defs[v]
	switch {
	case !inside:
		return 0, true
	case def == nil || def.Op != loop.AddI && def.Op != loop.SubI:
		return 0, false
	}
	x, ok := strideOf(def.Args[0], index, defs)
	y, ok2 := strideOf(def.Args[1], index, defs)
	if def.Op == loop.SubI {
		y = -y
	}
	return x + y, ok && ok2
}

// addends are the vectors that turns side by side add to neighbouring elements, and where the first
// of them is.
type addends struct {
	s       *loop.Accum
	to      ir.Mem
	vectors []ir.Reg
}

// turnsTogether lowers a loop whose turns run side by side: w of them, then half as many, then one
// by one.
func (ln *lanes) turnsTogether(l *lowering, s *loop.For, n ir.Reg, turn func(i ir.Reg)) {
	i := l.move(ir.NoReg, l.constant(ir.GPR, 8, 0))
	turns, size := int64(ln.w), strip(s.Body, ln.u)
	l.countedFrom(i, l.imm(ir.OpSub, n, turns-1), turns, max(1, size/turns), func(i ir.Reg) {
		ln.several(l, s, i, int64(ln.w), turn)
	})
	if turns /= 2; turns > 2 {
		end := l.label()
		l.cmp(i, l.imm(ir.OpSub, n, turns-1))
		l.jcc(ir.CCGE, end)
		ln.several(l, s, i, turns, turn)
		l.inc(i, turns)
		l.mark(end)
	}
	l.countedFrom(i, n, 1, size, turn)
}

// several lowers so many turns from i on.
func (ln *lanes) several(l *lowering, s *loop.For, i ir.Reg, turns int64, turn func(i ir.Reg)) {
	ln.sums = []*addends{}
	ln.sideBySide(l, s, i, turns, turn)
	sums := ln.sums
	ln.sums = nil
	w := uint8(8 * turns)
	for _, a := range sums {
		load, store := ir.Bare(ir.OpVLoad), ir.Bare(ir.OpVStore)
		load.W, load.D, load.IsMem, load.M = w, l.newReg(ir.Vec, w), true, a.to
		l.emit(load)
		sum := l.vop(ir.OpVAdd, w, load.D, ln.transposedSum(l, a.vectors))
		store.W, store.A, store.IsMem, store.M = w, sum, true, a.to
		l.emit(store)
	}
}

// sideBySide lowers so many turns from i on, whose places differ by literals.
func (ln *lanes) sideBySide(l *lowering, s *loop.For, i ir.Reg, turns int64, turn func(i ir.Reg)) {
	first := loop.NewVar(s.Index.Name, loop.I64)
	l.bind(first, i)
	l.scaled = map[hoistKey]ir.Reg{}
	for t := range turns {
		at := []loop.Atom{first, loop.Int(t)}
		l.defs.Set(s.Index, &loop.Let{Var: s.Index, Op: loop.AddI, Args: at})
		turn(l.imm(ir.OpAdd, i, t))
	}
	l.scaled = nil
	l.defs.Set(s.Index, nil)
}

// collect notes what a turn adds to an element, for several to add.
func (ln *lanes) collect(l *lowering, s *loop.Accum, buf *value) {
	x := ln.sumOfVectors(l, s)
	for _, a := range ln.sums {
		if a.s == s {
			a.vectors = append(a.vectors, x)
			return
		}
	}
	ln.sums = append(ln.sums, &addends{s: s, to: l.uniform(buf, s.At), vectors: []ir.Reg{x}})
}

// transposedSum is a vector of the sums of the elements of vectors.
func (ln *lanes) transposedSum(l *lowering, xs []ir.Reg) ir.Reg {
	w := l.m.Width()
	var out []ir.Reg
	for i := 0; i < len(xs); i += 2 {
		low, high := l.vop(ir.OpVUnpackLow, w, xs[i], xs[i+1]), l.vop(ir.OpVUnpack, w, xs[i], xs[i+1])
		out = append(out, l.vop(ir.OpVAdd, w, low, high))
	}
	// Now the pairs of elements of a vector belong to the same two sums.
	op, even, odd := ir.OpVPairs, int64(0x88), int64(0xdd)
	if w == 32 {
		op, even, odd = ir.OpVHalves, 0x20, 0x31
	}
	for pairs := w / 16; pairs > 1; pairs /= 2 {
		var next []ir.Reg
		for i := 0; i < len(out); i += 2 {
			a, b := out[i], out[min(i+1, len(out)-1)]
			x, y := l.vimm(op, w, a, b, even), l.vimm(op, w, a, b, odd)
			next = append(next, l.vop(ir.OpVAdd, w, x, y))
		}
		out = next
	}
	return out[0]
}
