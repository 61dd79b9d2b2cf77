package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
)

// Note [Vector code]
//
// The body of a Map, Build, Reduce or Loop that is straight-line arithmetic on
// numbers is compiled twice: as a scalar loop, and as a kernel whose
// instructions each work on a strip of elements, small enough for the
// operands to stay in the first-level cache. The kernel runs first and leaves
// the index where it got to; the scalar loop goes on from there. So
//
//   - a strip in which any operation fails (an overflow, an index out of
//     range) is simply not done by the kernel: the scalar loop runs into the
//     failure again, at the right element and operation;
//   - arrays too short to be worth it are left to the scalar loop;
//   - there is one definition of what the operations mean, and tests compare
//     the two.
//
// Reductions are folded from the left, one element after the other, exactly as
// the scalar loop does: the result does not depend on the strip size. A chain
// of additions is as fast in plain Go as the latency of one addition, so that
// splitting it would be the only way to be faster than Go; determinism is
// worth more.
//
// An If becomes a selection, for which both sides are computed: only where
// neither can fail and both are cheap.

// minVector is the length below which a kernel does not pay.
const minVector = 12

// kernel is the vector code of a body, with what its registers are in the frame.
type kernel struct {
	vector.Code
	splats  []splat
	columns []column // of arrays that are read at the loop's index
	outs    []column // of the array that is built
	tables  []column // of arrays that are read at other indices; their registers are their numbers
	accs    []uint16 // the accumulators of the folds
	index   uint16   // of the loop
	bound   uint16
	strip   int      // elements a strip
	least   int      // elements that are worth running it
	prims   int64    // primitive operations an element; 0 unless they are counted
	whole   *wholeOp // for the tape: see Note [Wholes]
}

// splat fills a vector register with a scalar.
type splat struct {
	kind  layout.Kind
	to    int
	value slot
}

// column is a column of an array bound to a vector register.
type column struct {
	kind  layout.Kind
	reg   int
	array uint16 // P register of the frame
	col   int
}

// assign gives the values of the kernel their registers.
func (k *kernel) assign(values [2]int, fixed [2]map[int]bool) {
	place := k.Assign(values, fixed)
	for n := range k.splats {
		k.splats[n].to = place[k.splats[n].kind][k.splats[n].to]
	}
	for _, cols := range [][]column{k.columns, k.outs} {
		for n := range cols {
			cols[n].reg = place[cols[n].kind][cols[n].reg]
		}
	}
}

// vector runs a kernel from the loop's index on as far as it goes, and leaves
// the index there. See Note [Vector code].
func (m *Machine) vector(k *kernel, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	if int(i[k.bound]-i[k.index]) < k.least {
		return nil
	}
	if m.tape != nil && m.tape.Depth > 0 && k.boxed(f, p) {
		m.vectorWhole(k, f, i, p)
		return m.tape.Failed()
	}
	return m.runKernel(k, f, i, p, false)
}

// runKernel is vector on reals that are not boxed. If ties are failures, it stops before a strip
// that has one.
func (m *Machine) runKernel(k *kernel, f *windowF, i *windowI, p []object.Ref, ties bool) *diag.Diagnostic {
	at, n := int(i[k.index]), int(i[k.bound])
	s, width := &m.strips, min(k.strip, n-at)
	s.Reserve(&k.Code, width)
	k.begin(s, f, i, p)
	cost := int64(len(k.Instrs)+len(k.Folds)+1) * int64(k.strip) >> 5
	for ; at < n; at += width {
		if n-at < width {
			width = n - at
			s.Narrow(&k.Code, width)
		}
		if m.fuel -= cost; m.fuel < 0 {
			if d := m.tick(); d != nil {
				return d
			}
		}
		if !k.bind(s, at, width, p) || !s.Run(&k.Code, ties) || ties && s.FoldTies(&k.Code, at) || !s.Fold(&k.Code) {
			break
		}
		m.stats.Prims += k.prims * int64(width)
	}
	i[k.index] = int64(at)
	k.end(s, f, i)
	return nil
}

// begin gives the strips what does not change in the loop, and the accumulators.
func (k *kernel) begin(s *vector.Strips, f *windowF, i *windowI, p []object.Ref) {
	for _, sp := range k.splats {
		if sp.kind == layout.F {
			x := sp.value.f
			if !sp.value.isConst {
				x = f[sp.value.reg]
			}
			fill(s.F[sp.to], x)
		} else {
			x := sp.value.i
			if !sp.value.isConst {
				x = i[sp.value.reg]
			}
			fill(s.I[sp.to], x)
		}
	}
	for _, c := range k.tables {
		if c.kind == layout.F {
			s.TableF = append(s.TableF, object.ColumnF(p[c.array], c.col))
		} else {
			s.TableI = append(s.TableI, object.ColumnI(p[c.array], c.col))
		}
	}
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			s.Sums = append(s.Sums, vector.Sum{F: f[k.accs[n]]})
		} else {
			s.Sums = append(s.Sums, vector.Sum{I: i[k.accs[n]]})
		}
	}
}

func fill[T any](xs []T, x T) {
	for k := range xs {
		xs[k] = x
	}
}

// bind points registers at the part of the columns that a strip is about; it
// tells whether they are long enough.
func (k *kernel) bind(s *vector.Strips, at, width int, p []object.Ref) bool {
	for _, cols := range [...][]column{k.columns, k.outs} {
		for _, c := range cols {
			if object.Len(p[c.array]) < at+width {
				return false
			}
			if c.kind == layout.F {
				s.F[c.reg] = object.ColumnF(p[c.array], c.col)[at : at+width]
			} else {
				s.I[c.reg] = object.ColumnI(p[c.array], c.col)[at : at+width]
			}
		}
	}
	s.Count(&k.Code, at)
	return true
}

// end takes the accumulators back and forgets the columns, which should not live on for a machine's
// sake.
func (k *kernel) end(s *vector.Strips, f *windowF, i *windowI) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			f[k.accs[n]] = s.Sums[n].F
		} else {
			i[k.accs[n]] = s.Sums[n].I
		}
	}
	for _, cols := range [...][]column{k.columns, k.outs} {
		for _, c := range cols {
			if c.kind == layout.F {
				s.F[c.reg] = nil
			} else {
				s.I[c.reg] = nil
			}
		}
	}
	s.Forget()
}

// boxed tells whether a real that a kernel reads may be a box.
func (k *kernel) boxed(f *windowF, p []object.Ref) bool {
	for _, s := range k.splats {
		if s.kind == layout.F && !s.value.isConst && tape.IsBox(f[s.value.reg]) {
			return true
		}
	}
	for n, fd := range k.Folds {
		if fd.Kind == vector.F && tape.IsBox(f[k.accs[n]]) {
			return true
		}
	}
	for _, cols := range [...][]column{k.columns, k.tables} {
		for _, c := range cols {
			if c.kind == layout.F && tape.AnyBox(object.ColumnF(p[c.array], c.col)) {
				return true
			}
		}
	}
	return false
}
