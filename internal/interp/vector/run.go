package vector

import (
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Strips are registers: slices that point at buffers, or at columns of arrays, with the tables that
// gathers read and the accumulators of folds.
type Strips struct {
	F, bufF [][]float64
	I, bufI [][]int64
	TableF  [][]float64
	TableI  [][]int64
	Sums    []Sum
}

// Sum is an accumulator, of the kind of its fold.
type Sum struct {
	F float64
	I int64
}

// Reserve points as many registers as the code has at buffers of so many elements.
func (s *Strips) Reserve(c *Code, width int) {
	for len(s.bufF) < c.Regs[F] {
		s.bufF = append(s.bufF, make([]float64, StripSize))
		s.F = append(s.F, nil)
	}
	for len(s.bufI) < c.Regs[I] {
		s.bufI = append(s.bufI, make([]int64, StripSize))
		s.I = append(s.I, nil)
	}
	for r := range c.Regs[F] {
		s.F[r] = s.bufF[r][:width]
	}
	for r := range c.Regs[I] {
		s.I[r] = s.bufI[r][:width]
	}
	s.TableF, s.TableI, s.Sums = s.TableF[:0], s.TableI[:0], s.Sums[:0]
}

// Narrow shortens the strips, for the last elements of an array.
func (s *Strips) Narrow(c *Code, width int) {
	for r := range c.Regs[F] {
		s.F[r] = s.F[r][:width]
	}
	for r := range c.Regs[I] {
		s.I[r] = s.I[r][:width]
	}
}

// Count puts the indices from at on into the registers that hold them.
func (s *Strips) Count(c *Code, at int) {
	if r := c.Iota[I]; r >= 0 {
		for j, strip := 0, s.I[r]; j < len(strip); j++ {
			strip[j] = int64(at + j)
		}
	}
	if r := c.Iota[F]; r >= 0 {
		for j, strip := 0, s.F[r]; j < len(strip); j++ {
			strip[j] = float64(at + j)
		}
	}
}

// Forget drops the tables, which should not live on for a machine's sake.
func (s *Strips) Forget() {
	clear(s.TableF)
	clear(s.TableI)
}

// Fold folds the strips into the accumulators, all of them or none.
func (s *Strips) Fold(c *Code) bool {
	// Only those of integers can fail: first see that they do not.
	for n, fd := range c.Folds {
		if fd.Kind == I {
			if _, ok := foldI(fd.Op, s.Sums[n].I, s.I[fd.Reg]); !ok {
				return false
			}
		}
	}
	for n, fd := range c.Folds {
		if sum := &s.Sums[n]; fd.Kind == I {
			sum.I, _ = foldI(fd.Op, sum.I, s.I[fd.Reg])
		} else {
			sum.F = foldF(fd.Op, sum.F, s.F[fd.Reg], s.F[fd.Another])
		}
	}
	return true
}

func foldF(op Op, acc float64, xs, ys []float64) float64 {
	switch op {
	case MulAddF:
		ys = ys[:len(xs)]
		for j, x := range xs {
			acc += float64(x * ys[j])
		}
	case AddF:
		for _, x := range xs {
			acc += x
		}
	case SubF:
		for _, x := range xs {
			acc -= x
		}
	case MulF:
		for _, x := range xs {
			acc *= x
		}
	case MaxF:
		for _, x := range xs {
			acc = Max(acc, x)
		}
	case MinF:
		for _, x := range xs {
			acc = Min(acc, x)
		}
	}
	return acc
}

// Max and Min are Go's max and min with the common case, two different
// numbers, first.
func Max(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	}
	return max(x, y)
}

func Min(x, y float64) float64 {
	switch {
	case x < y:
		return x
	case y < x:
		return y
	}
	return min(x, y)
}

func foldI(op Op, acc int64, xs []int64) (int64, bool) {
	ok := true
	switch op {
	case AddI:
		for _, x := range xs {
			s := acc + x
			if (s^acc)&(s^x) < 0 {
				return 0, false
			}
			acc = s
		}
	case SubI:
		for _, x := range xs {
			d := acc - x
			if (acc^x)&(d^acc) < 0 {
				return 0, false
			}
			acc = d
		}
	case MulI:
		for _, x := range xs {
			if acc, ok = MulInt(acc, x); !ok {
				return 0, false
			}
		}
	}
	return acc, true
}

// Run executes code on the strips that the registers point at; false means that an operation
// failed, or that it is at a tie where ties are failures.
func (s *Strips) Run(c *Code, ties bool) bool {
	f, i := s.F, s.I
	for n := range c.Instrs {
		in := &c.Instrs[n]
		if ties && s.tied(in) {
			return false
		}
		switch in.Op {
		case AddF:
			addF(f[in.A], f[in.B], f[in.C])
		case SubF:
			subF(f[in.A], f[in.B], f[in.C])
		case MulF:
			mulF(f[in.A], f[in.B], f[in.C])
		case DivF:
			divF(f[in.A], f[in.B], f[in.C])
		case MulAddF:
			mulAddF(f[in.A], f[in.B], f[in.C], f[in.D])
		case MulSubF:
			mulSubF(f[in.A], f[in.B], f[in.C], f[in.D])
		case SubMulF:
			subMulF(f[in.A], f[in.B], f[in.C], f[in.D])
		case MaxF:
			z, x, y := f[in.A], f[in.B], f[in.C]
			for j := range z {
				z[j] = Max(x[j], y[j])
			}
		case MinF:
			z, x, y := f[in.A], f[in.B], f[in.C]
			for j := range z {
				z[j] = Min(x[j], y[j])
			}
		case NegF:
			z, x := f[in.A], f[in.B]
			for j := range z {
				z[j] = -x[j]
			}
		case AbsF:
			z, x := f[in.A], f[in.B]
			for j := range z {
				z[j] = math.Abs(x[j])
			}
		case SqrtF:
			z, x := f[in.A], f[in.B]
			for j := range z {
				z[j] = math.Sqrt(x[j])
			}
		case Real1:
			z, x, g := f[in.A], f[in.B], in.Fun.(prim.Real1)
			for j := range z {
				z[j] = g(x[j])
			}
		case Real2:
			z, x, y, g := f[in.A], f[in.B], f[in.C], in.Fun.(prim.Real2)
			for j := range z {
				z[j] = g(x[j], y[j])
			}
		case RealInt:
			z, x, y, g := f[in.A], f[in.B], i[in.C], in.Fun.(prim.RealInt)
			for j := range z {
				z[j] = g(x[j], y[j])
			}
		case FromInt:
			z, x := f[in.A], i[in.B]
			for j := range z {
				z[j] = float64(x[j])
			}
		case LtF:
			z, x, y := i[in.A], f[in.B], f[in.C]
			for j := range z {
				z[j] = truth(x[j] < y[j])
			}
		case LeF:
			z, x, y := i[in.A], f[in.B], f[in.C]
			for j := range z {
				z[j] = truth(x[j] <= y[j])
			}
		case SelF:
			selectF(f[in.A], f[in.B], f[in.C], i[in.D])
		case CopyF:
			copy(f[in.A], f[in.B])
		case AtF:
			if !gather(f[in.A], s.TableF[in.Table], i[in.B]) {
				return false
			}
		default:
			if !s.runInts(in) {
				return false
			}
		}
	}
	return true
}

// runInts executes an instruction that gives integers.
func (s *Strips) runInts(in *Instr) bool {
	f, i := s.F, s.I
	z := i[in.A]
	if in.Op == Round {
		round := in.Fun.(prim.ToInt)
		for j, x := range f[in.B] {
			r, code := round(x)
			if code != "" {
				return false
			}
			z[j] = r
		}
		return true
	}
	x := i[in.B]
	y := x
	if len(opKinds[in.Op]) > 2 {
		y = i[in.C]
	}
	x, y = x[:len(z)], y[:len(z)]
	switch in.Op {
	case AddI:
		// One test for the strip: the sign bit of bad gathers every overflow.
		bad := int64(0)
		for j := range z {
			a, b := x[j], y[j]
			s := a + b
			bad |= (s ^ a) & (s ^ b)
			z[j] = s
		}
		return bad >= 0
	case SubI:
		bad := int64(0)
		for j := range z {
			a, b := x[j], y[j]
			d := a - b
			bad |= (a ^ b) & (d ^ a)
			z[j] = d
		}
		return bad >= 0
	case MulI:
		for j := range z {
			r, ok := MulInt(x[j], y[j])
			if !ok {
				return false
			}
			z[j] = r
		}
	case Not:
		for j := range z {
			z[j] = 1 - x[j]
		}
	case Int1:
		g := in.Fun.(prim.Int1)
		for j := range z {
			r, code := g(x[j])
			if code != "" {
				return false
			}
			z[j] = r
		}
	case Int2:
		g := in.Fun.(prim.Int2)
		for j := range z {
			r, code := g(x[j], y[j])
			if code != "" {
				return false
			}
			z[j] = r
		}
	case LtI:
		for j := range z {
			z[j] = truth(x[j] < y[j])
		}
	case LeI:
		for j := range z {
			z[j] = truth(x[j] <= y[j])
		}
	case EqI:
		for j := range z {
			z[j] = truth(x[j] == y[j])
		}
	case NeI:
		for j := range z {
			z[j] = truth(x[j] != y[j])
		}
	case SelI:
		mask := i[in.D][:len(z)]
		for j := range z {
			// -mask is all ones or all zeros.
			z[j] = y[j] ^ (x[j]^y[j])&-mask[j]
		}
	case AtI:
		return gather(z, s.TableI[in.Table], x)
	case CopyI:
		copy(z, x)
	default:
		panic("vector: no such vector instruction")
	}
	return true
}

// MulInt is the product; false if it is not an Int.
func MulInt(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Of the unsigned product to the signed one.
	hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	return int64(lo), int64(hi) == int64(lo)>>63
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
