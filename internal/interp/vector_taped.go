package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// tied tells whether a strip has a tie at an instruction.
func (s *strips) tied(in *vinstr) bool {
	switch in.op {
	case vMaxF, vMinF, vLtF, vLeF:
		x, y := s.f[in.b], s.f[in.c]
		for j := range x {
			if x[j] == y[j] {
				return true
			}
		}
	case vAbsF:
		for _, x := range s.f[in.b] {
			if x == 0 {
				return true
			}
		}
	case vRound, vReal1, vReal2:
		return in.kinked && s.nearKink(in)
	}
	return false
}

// nearKink looks for a kink of the rows that are functions: hypot and sign at
// 0, the roundings at halves.
func (s *strips) nearKink(in *vinstr) bool {
	for j, x := range s.f[in.b] {
		if in.op == vReal2 && s.f[in.c][j] != 0 {
			continue
		}
		if x == 0 || in.op == vRound && 2*x == math.Trunc(2*x) {
			return true
		}
	}
	return false
}

// foldTies tells whether a running maximum or minimum meets its own value
// again. The first element may: it is what the fold starts from.
func (s *strips) foldTies(k *kernel, f *windowF, at int) bool {
	for _, fd := range k.folds {
		if fd.op != vMaxF && fd.op != vMinF || fd.kind != kF {
			continue
		}
		acc := f[fd.acc]
		for j, x := range s.f[fd.reg] {
			if x == acc && at+j > 0 {
				return true
			}
			if fd.op == vMaxF {
				acc = maxReal(acc, x)
			} else {
				acc = minReal(acc, x)
			}
		}
	}
	return false
}

// boxed tells whether a real that a kernel reads may be a box.
func (k *kernel) boxed(f *windowF, p []ref) bool {
	for _, s := range k.splats {
		if s.kind == kF && !s.value.isConst && tape.IsBox(f[s.value.reg]) {
			return true
		}
	}
	for _, fd := range k.folds {
		if fd.kind == kF && tape.IsBox(f[fd.acc]) {
			return true
		}
	}
	for _, c := range k.columns {
		if c.kind == kF && tape.AnyBox(columnF(p[c.array], c.col)) {
			return true
		}
	}
	for n := range k.code {
		if in := &k.code[n]; in.op == vAtF && tape.AnyBox(columnF(p[in.array], int(in.k))) {
			return true
		}
	}
	return false
}
