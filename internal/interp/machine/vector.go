package machine

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

// MinVector is the length below which a kernel does not pay.
const MinVector = 12

// Kernel is the vector code of a body, with what its registers are in the frame.
type Kernel struct {
	vector.Code
	Splats  []Splat
	Columns []Column // of arrays that are read at the loop's index
	Outs    []Column // of the array that is built
	Tables  []Column // of arrays that are read at other indices; their registers are their numbers
	Accs    []uint16 // the accumulators of the folds
	Index   uint16   // of the loop
	Bound   uint16
	Strip   int    // elements a strip
	Least   int    // elements that are worth running it
	Prims   int64  // primitive operations an element; 0 unless they are counted
	Whole   *Whole // for the tape: see Note [Wholes]
}

// Splat fills a vector register with a scalar.
type Splat struct {
	Kind  layout.Kind
	To    int
	Value Slot
}

// Column is a column of an array bound to a vector register.
type Column struct {
	Kind  layout.Kind
	Reg   int
	Array uint16 // P register of the frame
	Col   int
}

// AssignRegisters gives the values of the kernel their registers.
func (k *Kernel) AssignRegisters(values [2]int, fixed [2]map[int]bool) {
	place := k.Assign(values, fixed)
	for n := range k.Splats {
		k.Splats[n].To = place[k.Splats[n].Kind][k.Splats[n].To]
	}
	for _, cols := range [][]Column{k.Columns, k.Outs} {
		for n := range cols {
			cols[n].Reg = place[cols[n].Kind][cols[n].Reg]
		}
	}
}

// vector runs a kernel from the loop's index on as far as it goes, and leaves
// the index there. See Note [Vector code].
func (m *Machine) vector(k *Kernel, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	if int(i[k.Bound]-i[k.Index]) < k.Least {
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
func (m *Machine) runKernel(k *Kernel, f *windowF, i *windowI, p []object.Ref, ties bool) *diag.Diagnostic {
	at, n := int(i[k.Index]), int(i[k.Bound])
	s, width := &m.strips, min(k.Strip, n-at)
	s.Reserve(&k.Code, width)
	k.begin(s, f, i, p)
	cost := int64(len(k.Instrs)+len(k.Folds)+1) * int64(k.Strip) >> 5
	for ; at < n; at += width {
		if n-at < width {
			width = n - at
			s.Narrow(&k.Code, width)
		}
		if m.fuel -= cost; m.fuel < 0 {
			if d := m.Tick(); d != nil {
				return d
			}
		}
		if !k.bind(s, at, width, p) || !s.Run(&k.Code, ties) || ties && s.FoldTies(&k.Code, at) || !s.Fold(&k.Code) {
			break
		}
		m.stats.Prims += k.Prims * int64(width)
	}
	i[k.Index] = int64(at)
	k.end(s, f, i)
	return nil
}

// begin gives the strips what does not change in the loop, and the accumulators.
func (k *Kernel) begin(s *vector.Strips, f *windowF, i *windowI, p []object.Ref) {
	for _, sp := range k.Splats {
		if sp.Kind == layout.F {
			x := sp.Value.F
			if !sp.Value.IsConst {
				x = f[sp.Value.Reg]
			}
			fill(s.F[sp.To], x)
		} else {
			x := sp.Value.I
			if !sp.Value.IsConst {
				x = i[sp.Value.Reg]
			}
			fill(s.I[sp.To], x)
		}
	}
	for _, c := range k.Tables {
		if c.Kind == layout.F {
			s.TableF = append(s.TableF, object.ColumnF(p[c.Array], c.Col))
		} else {
			s.TableI = append(s.TableI, object.ColumnI(p[c.Array], c.Col))
		}
	}
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			s.Sums = append(s.Sums, vector.Sum{F: f[k.Accs[n]]})
		} else {
			s.Sums = append(s.Sums, vector.Sum{I: i[k.Accs[n]]})
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
func (k *Kernel) bind(s *vector.Strips, at, width int, p []object.Ref) bool {
	for _, cols := range [...][]Column{k.Columns, k.Outs} {
		for _, c := range cols {
			if object.Len(p[c.Array]) < at+width {
				return false
			}
			if c.Kind == layout.F {
				s.F[c.Reg] = object.ColumnF(p[c.Array], c.Col)[at : at+width]
			} else {
				s.I[c.Reg] = object.ColumnI(p[c.Array], c.Col)[at : at+width]
			}
		}
	}
	s.Count(&k.Code, at)
	return true
}

// end takes the accumulators back and forgets the columns, which should not live on for a machine's
// sake.
func (k *Kernel) end(s *vector.Strips, f *windowF, i *windowI) {
	for n, fd := range k.Folds {
		if fd.Kind == vector.F {
			f[k.Accs[n]] = s.Sums[n].F
		} else {
			i[k.Accs[n]] = s.Sums[n].I
		}
	}
	for _, cols := range [...][]Column{k.Columns, k.Outs} {
		for _, c := range cols {
			if c.Kind == layout.F {
				s.F[c.Reg] = nil
			} else {
				s.I[c.Reg] = nil
			}
		}
	}
	s.Forget()
}

// boxed tells whether a real that a kernel reads may be a box.
func (k *Kernel) boxed(f *windowF, p []object.Ref) bool {
	for _, s := range k.Splats {
		if s.Kind == layout.F && !s.Value.IsConst && tape.IsBox(f[s.Value.Reg]) {
			return true
		}
	}
	for n, fd := range k.Folds {
		if fd.Kind == vector.F && tape.IsBox(f[k.Accs[n]]) {
			return true
		}
	}
	for _, cols := range [...][]Column{k.Columns, k.Tables} {
		for _, c := range cols {
			if c.Kind == layout.F && tape.AnyBox(object.ColumnF(p[c.Array], c.Col)) {
				return true
			}
		}
	}
	return false
}
