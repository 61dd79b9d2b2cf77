package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// strips are the vector registers of a machine: slices that a kernel points
// at buffers, or at columns of arrays.
type strips struct {
	f, bufF [][]float64
	i, bufI [][]int64
	ties    bool // a tie is a failure: see Note [Wholes]
}

// reserve makes sure that there are so many registers, each with a buffer.
func (s *strips) reserve(regs [2]int) {
	for len(s.bufF) < regs[kF] {
		s.bufF = append(s.bufF, make([]float64, stripSize))
		s.f = append(s.f, nil)
	}
	for len(s.bufI) < regs[kI] {
		s.bufI = append(s.bufI, make([]int64, stripSize))
		s.i = append(s.i, nil)
	}
}

// vector runs a kernel from the loop's index on as far as it goes, and leaves
// the index there. See Note [Vector code].
func (m *Machine) vector(k *kernel, f *windowF, i *windowI, p []ref) *diag.Diagnostic {
	if int(i[k.bound]-i[k.index]) < k.least {
		return nil
	}
	if m.tape != nil && m.tape.Depth > 0 && k.boxed(f, p) {
		m.vectorWhole(k, f, i, p)
		return m.tape.Failed()
	}
	return m.runKernel(k, f, i, p)
}

// runKernel is vector on reals that are not boxed.
func (m *Machine) runKernel(k *kernel, f *windowF, i *windowI, p []ref) *diag.Diagnostic {
	at, n := int(i[k.index]), int(i[k.bound])
	s := &m.strips
	s.reserve(k.regs)
	width := min(k.strip, n-at)
	for r := range k.regs[kF] {
		s.f[r] = s.bufF[r][:width]
	}
	for r := range k.regs[kI] {
		s.i[r] = s.bufI[r][:width]
	}
	for _, sp := range k.splats {
		if sp.kind == kF {
			x := sp.value.f
			if !sp.value.isConst {
				x = f[sp.value.reg]
			}
			fill(s.f[sp.to], x)
		} else {
			x := sp.value.i
			if !sp.value.isConst {
				x = i[sp.value.reg]
			}
			fill(s.i[sp.to], x)
		}
	}
	cost := int64(len(k.code)+len(k.folds)+1) * int64(k.strip) >> 5
	for ; at < n; at += width {
		if n-at < width {
			width = n - at
			for r := range k.regs[kF] {
				s.f[r] = s.f[r][:width]
			}
			for r := range k.regs[kI] {
				s.i[r] = s.i[r][:width]
			}
		}
		if m.fuel -= cost; m.fuel < 0 {
			if d := m.tick(); d != nil {
				return d
			}
		}
		if !s.bind(k, at, width, p) || !m.strip(k, p) || s.ties && s.foldTies(k, f, at) || !s.fold(k, f, i) {
			break
		}
		m.stats.Prims += k.prims * int64(width)
	}
	i[k.index] = int64(at)
	s.unbind(k)
	return nil
}

func fill[T any](xs []T, x T) {
	for k := range xs {
		xs[k] = x
	}
}

// bind points registers at the part of the columns that a strip is about; it
// tells whether they are long enough.
func (s *strips) bind(k *kernel, at, width int, p []ref) bool {
	for _, cols := range [...][]column{k.columns, k.outs} {
		for _, c := range cols {
			if arrayLen(p[c.array]) < at+width {
				return false
			}
			if c.kind == kF {
				s.f[c.reg] = columnF(p[c.array], c.col)[at : at+width]
			} else {
				s.i[c.reg] = columnI(p[c.array], c.col)[at : at+width]
			}
		}
	}
	if r := k.iota[kI]; r >= 0 {
		for j, strip := 0, s.i[r]; j < len(strip); j++ {
			strip[j] = int64(at + j)
		}
	}
	if r := k.iota[kF]; r >= 0 {
		for j, strip := 0, s.f[r]; j < len(strip); j++ {
			strip[j] = float64(at + j)
		}
	}
	return true
}

// unbind forgets the columns, which should not live on for a machine's sake.
func (s *strips) unbind(k *kernel) {
	for _, cols := range [...][]column{k.columns, k.outs} {
		for _, c := range cols {
			if c.kind == kF {
				s.f[c.reg] = nil
			} else {
				s.i[c.reg] = nil
			}
		}
	}
}

// fold folds a strip into the accumulators, all of them or none.
func (s *strips) fold(k *kernel, f *windowF, i *windowI) bool {
	// Only those of integers can fail: first see that they do not.
	for _, fd := range k.folds {
		if fd.kind == kI {
			if _, ok := foldI(fd.op, i[fd.acc], s.i[fd.reg]); !ok {
				return false
			}
		}
	}
	for _, fd := range k.folds {
		if fd.kind == kI {
			i[fd.acc], _ = foldI(fd.op, i[fd.acc], s.i[fd.reg])
		} else {
			f[fd.acc] = foldF(fd.op, f[fd.acc], s.f[fd.reg], s.f[fd.another])
		}
	}
	return true
}

func foldF(op vop, acc float64, xs, ys []float64) float64 {
	switch op {
	case vMulAddF:
		ys = ys[:len(xs)]
		for j, x := range xs {
			acc += float64(x * ys[j])
		}
	case vAddF:
		for _, x := range xs {
			acc += x
		}
	case vSubF:
		for _, x := range xs {
			acc -= x
		}
	case vMulF:
		for _, x := range xs {
			acc *= x
		}
	case vMaxF:
		for _, x := range xs {
			acc = maxReal(acc, x)
		}
	case vMinF:
		for _, x := range xs {
			acc = minReal(acc, x)
		}
	}
	return acc
}

// maxReal and minReal are Go's max and min with the common case, two different
// numbers, first.
func maxReal(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	}
	return max(x, y)
}

func minReal(x, y float64) float64 {
	switch {
	case x < y:
		return x
	case y < x:
		return y
	}
	return min(x, y)
}

func foldI(op vop, acc int64, xs []int64) (int64, bool) {
	ok := true
	switch op {
	case vAddI:
		for _, x := range xs {
			s := acc + x
			if (s^acc)&(s^x) < 0 {
				return 0, false
			}
			acc = s
		}
	case vSubI:
		for _, x := range xs {
			d := acc - x
			if (acc^x)&(d^acc) < 0 {
				return 0, false
			}
			acc = d
		}
	case vMulI:
		for _, x := range xs {
			if acc, ok = mulInt(acc, x); !ok {
				return 0, false
			}
		}
	}
	return acc, true
}

// strip executes the code of a kernel on one strip; false means that an
// operation failed.
func (m *Machine) strip(k *kernel, p []ref) bool {
	f, i := m.strips.f, m.strips.i
	for n := range k.code {
		in := &k.code[n]
		if m.strips.ties && m.strips.tied(in) {
			return false
		}
		switch in.op {
		case vAddF:
			addF(f[in.a], f[in.b], f[in.c])
		case vSubF:
			subF(f[in.a], f[in.b], f[in.c])
		case vMulF:
			mulF(f[in.a], f[in.b], f[in.c])
		case vDivF:
			divF(f[in.a], f[in.b], f[in.c])
		case vMulAddF:
			mulAddF(f[in.a], f[in.b], f[in.c], f[in.d])
		case vMulSubF:
			mulSubF(f[in.a], f[in.b], f[in.c], f[in.d])
		case vSubMulF:
			subMulF(f[in.a], f[in.b], f[in.c], f[in.d])
		case vMaxF:
			z, x, y := f[in.a], f[in.b], f[in.c]
			for j := range z {
				z[j] = maxReal(x[j], y[j])
			}
		case vMinF:
			z, x, y := f[in.a], f[in.b], f[in.c]
			for j := range z {
				z[j] = minReal(x[j], y[j])
			}
		case vNegF:
			z, x := f[in.a], f[in.b]
			for j := range z {
				z[j] = -x[j]
			}
		case vAbsF:
			z, x := f[in.a], f[in.b]
			for j := range z {
				z[j] = math.Abs(x[j])
			}
		case vSqrtF:
			z, x := f[in.a], f[in.b]
			for j := range z {
				z[j] = math.Sqrt(x[j])
			}
		case vReal1:
			z, x, g := f[in.a], f[in.b], m.lib.real1[in.k]
			for j := range z {
				z[j] = g(x[j])
			}
		case vReal2:
			z, x, y, g := f[in.a], f[in.b], f[in.c], m.lib.real2[in.k]
			for j := range z {
				z[j] = g(x[j], y[j])
			}
		case vRealInt:
			z, x, y, g := f[in.a], f[in.b], i[in.c], m.lib.realInt[in.k]
			for j := range z {
				z[j] = g(x[j], y[j])
			}
		case vFromInt:
			z, x := f[in.a], i[in.b]
			for j := range z {
				z[j] = float64(x[j])
			}
		case vLtF:
			z, x, y := i[in.a], f[in.b], f[in.c]
			for j := range z {
				z[j] = truth(x[j] < y[j])
			}
		case vLeF:
			z, x, y := i[in.a], f[in.b], f[in.c]
			for j := range z {
				z[j] = truth(x[j] <= y[j])
			}
		case vSelF:
			selectF(f[in.a], f[in.b], f[in.c], i[in.d])
		case vCopyF:
			copy(f[in.a], f[in.b])
		case vAtF:
			if !gather(f[in.a], columnF(p[in.array], int(in.k)), i[in.b]) {
				return false
			}
		default:
			if !m.stripI(in, p) {
				return false
			}
		}
	}
	return true
}

// stripI executes the instructions on integers.
func (m *Machine) stripI(in *vinstr, p []ref) bool {
	f, i := m.strips.f, m.strips.i
	z := i[in.a]
	if in.op == vRound {
		for j, x := range f[in.b] {
			r, code := m.lib.rounds[in.k](x)
			if code != "" {
				return false
			}
			z[j] = r
		}
		return true
	}
	x := i[in.b]
	y := x
	if len(vopKinds[in.op]) > 2 {
		y = i[in.c]
	}
	x, y = x[:len(z)], y[:len(z)]
	switch in.op {
	case vAddI:
		// One test for the strip: the sign bit of bad gathers every overflow.
		bad := int64(0)
		for j := range z {
			a, b := x[j], y[j]
			s := a + b
			bad |= (s ^ a) & (s ^ b)
			z[j] = s
		}
		return bad >= 0
	case vSubI:
		bad := int64(0)
		for j := range z {
			a, b := x[j], y[j]
			d := a - b
			bad |= (a ^ b) & (d ^ a)
			z[j] = d
		}
		return bad >= 0
	case vMulI:
		for j := range z {
			r, ok := mulInt(x[j], y[j])
			if !ok {
				return false
			}
			z[j] = r
		}
	case vNot:
		for j := range z {
			z[j] = 1 - x[j]
		}
	case vInt1:
		for j := range z {
			r, code := m.lib.int1[in.k](x[j])
			if code != "" {
				return false
			}
			z[j] = r
		}
	case vInt2:
		for j := range z {
			r, code := m.lib.int2[in.k](x[j], y[j])
			if code != "" {
				return false
			}
			z[j] = r
		}
	case vLtI:
		for j := range z {
			z[j] = truth(x[j] < y[j])
		}
	case vLeI:
		for j := range z {
			z[j] = truth(x[j] <= y[j])
		}
	case vEqI:
		for j := range z {
			z[j] = truth(x[j] == y[j])
		}
	case vNeI:
		for j := range z {
			z[j] = truth(x[j] != y[j])
		}
	case vSelI:
		mask := i[in.d][:len(z)]
		for j := range z {
			// -mask is all ones or all zeros.
			z[j] = y[j] ^ (x[j]^y[j])&-mask[j]
		}
	case vAtI:
		return gather(z, columnI(p[in.array], int(in.k)), x)
	case vCopyI:
		copy(z, x)
	default:
		panic("interp: no such vector instruction")
	}
	return true
}
