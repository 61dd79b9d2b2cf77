package wasm

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Fused]
//
// x·y + z, rounded once, from operations that round each time (Boldo and Melquiond, "Emulation of
// FMA and correctly rounded sums", 2008): x·y = p + q exactly, by Dekker's product; then z + q = t
// + u and p + t = v + w exactly, and the result is v + (u + w), where u + w is rounded to odd: if
// it is inexact, its last bit is made 1, so that rounding again does no harm. Where the product is
// too large or small for Dekker's, x·y + z is rounded twice; vmath has no such products where it
// matters.

// fma is the function, in the loop form.
func fma() *loop.Func {
	x, y, z := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64), loop.NewVar("z", loop.F64)
	var b loop.Builder
	op := func(o *loop.Op, args ...loop.Atom) loop.Atom { return b.Let("t", o, args...) }
	sum := func(x, y loop.Atom) (s, e loop.Atom) {
		s = op(loop.AddF, x, y)
		d := op(loop.SubF, s, x)
		return s, op(loop.AddF, op(loop.SubF, x, op(loop.SubF, s, d)), op(loop.SubF, y, d))
	}
	split := func(x loop.Atom) (h, l loop.Atom) {
		c := op(loop.MulF, x, loop.Real(1<<27+1))
		h = op(loop.SubF, c, op(loop.SubF, c, x))
		return h, op(loop.SubF, x, h)
	}
	p := op(loop.MulF, x, y)
	xh, xl := split(x)
	yh, yl := split(y)
	q := op(loop.SubF, op(loop.MulF, xh, yh), p)
	q = op(loop.AddF, op(loop.AddF, q, op(loop.MulF, xh, yl)), op(loop.MulF, xl, yh))
	q = op(loop.AddF, q, op(loop.MulF, xl, yl))
	t, u := sum(z, q)
	v, w := sum(p, t)
	s, e := sum(u, w)
	// Rounded to odd: a step towards what was lost, if the last bit is 0.
	bits := op(loop.Bits, s)
	even := op(loop.EqI, op(loop.AndI, bits, loop.Int(1)), loop.Int(0))
	lost := op(loop.NeF, e, loop.Real(0))
	away := op(loop.EqI, op(loop.ShrU, op(loop.XorI, bits, op(loop.Bits, e)), loop.Int(63)),
		loop.Int(0))
	odd := op(loop.AddI, bits, op(loop.SelI, away, loop.Int(1), loop.Int(-1)))
	s = op(loop.FromBits, op(loop.SelI, op(loop.And, even, lost), odd, bits))
	fused := op(loop.AddF, v, s)

	within := func(x loop.Atom, lo, hi float64) loop.Atom {
		a := op(loop.AbsF, x)
		return op(loop.And, op(loop.LtF, loop.Real(lo), a), op(loop.LtF, a, loop.Real(hi)))
	}
	safe := op(loop.And, within(p, 0x1p-900, 0x1p900),
		op(loop.And, within(x, 0, 0x1p990), within(y, 0, 0x1p990)))
	safe = op(loop.And, safe, op(loop.LtF, op(loop.AbsF, z), loop.Real(0x1p1000)))
	result := op(loop.SelF, safe, fused, op(loop.AddF, p, z))
	return &loop.Func{Name: "fma", Params: []*loop.Var{x, y, z}, Body: b.Block(result)}
}
