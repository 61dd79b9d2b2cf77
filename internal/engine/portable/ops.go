package portable

import (
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// fxChoose is a selection in the definitions of math.go.
func fxChoose[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

// word reads a scalar register as a word.
func (fr *frame) word(p place) uint64 {
	if p.kind == loop.F64 {
		return math.Float64bits(fr.f[p.reg])
	}
	return uint64(fr.i[p.reg])
}

// setWord writes a word to a scalar register.
func (fr *frame) setWord(p place, w uint64) {
	if p.kind == loop.F64 {
		fr.f[p.reg] = math.Float64frombits(w)
	} else {
		fr.i[p.reg] = int64(w)
	}
}

// wordAt returns a function that reads the word of an operand in a lane.
func wordAt(p place) func(fr *frame, l int) uint64 {
	switch {
	case p.form == strips && p.kind == loop.F64:
		return func(fr *frame, l int) uint64 { return math.Float64bits(fr.vf[p.reg][l]) }
	case p.kind == loop.F64:
		return func(fr *frame, l int) uint64 { return math.Float64bits(fr.f[p.reg]) }
	}
	get := wordAtInt(p)
	return func(fr *frame, l int) uint64 { return uint64(get(fr, l)) }
}

// scalarWords returns an operation on two words.
func scalarWords(op *loop.Op) func(a, b uint64) uint64 {
	if f := math2[op.Name]; f != nil {
		return func(a, b uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
		}
	}
	if f := int2[op]; f != nil {
		return func(a, b uint64) uint64 { return uint64(f(int64(a), int64(b))) }
	}
	return func(a, b uint64) uint64 { return op.Eval([]uint64{a, b}) }
}

// The operations that math.go does not have, by the types of their arguments: real2 takes two
// doubles, int1 one integer, and so on. toInt turns a double into an integer, and test2 compares
// two doubles.
var (
	int1 = map[*loop.Op]func(int64) int64{
		loop.Not:    func(a int64) int64 { return a ^ 1 },
		loop.NegI:   func(a int64) int64 { return -a },
		loop.ToWord: func(a int64) int64 { return a },
	}
	toInt = map[*loop.Op]func(float64) int64{
		loop.Bits:  func(x float64) int64 { return int64(math.Float64bits(x)) },
		loop.ToInt: func(x float64) int64 { return int64(x) },
	}
	real1 = map[*loop.Op]func(float64) float64{
		loop.NegF:   func(x float64) float64 { return -x },
		loop.AbsF:   math.Abs,
		loop.Sqrt:   math.Sqrt,
		loop.FloorF: math.Floor,
		loop.CeilF:  math.Ceil,
		loop.TruncF: math.Trunc,
		loop.RoundF: math.RoundToEven,
	}
	real2 = map[*loop.Op]func(x, y float64) float64{
		loop.AddF: func(x, y float64) float64 { return x + y },
		loop.SubF: func(x, y float64) float64 { return x - y },
		loop.MulF: func(x, y float64) float64 { return x * y },
		loop.DivF: func(x, y float64) float64 { return x / y },
	}
	int2 = map[*loop.Op]func(a, b int64) int64{
		loop.AddI:    func(a, b int64) int64 { return a + b },
		loop.SubI:    func(a, b int64) int64 { return a - b },
		loop.MulI:    func(a, b int64) int64 { return a * b },
		loop.AndI:    func(a, b int64) int64 { return a & b },
		loop.OrI:     func(a, b int64) int64 { return a | b },
		loop.XorI:    func(a, b int64) int64 { return a ^ b },
		loop.EqI:     func(a, b int64) int64 { return truth(a == b) },
		loop.NeI:     func(a, b int64) int64 { return truth(a != b) },
		loop.LtI:     func(a, b int64) int64 { return truth(a < b) },
		loop.LeI:     func(a, b int64) int64 { return truth(a <= b) },
		loop.And:     func(a, b int64) int64 { return a & b },
		loop.Or:      func(a, b int64) int64 { return a | b },
		loop.MaxI:    func(a, b int64) int64 { return max(a, b) },
		loop.MinI:    func(a, b int64) int64 { return min(a, b) },
		loop.DivI:    loop.FloorDiv,
		loop.ModI:    mod,
		loop.ShlI:    func(a, b int64) int64 { return a << (uint(b) & 63) },
		loop.ShrI:    func(a, b int64) int64 { return a >> (uint(b) & 63) },
		loop.ShrU:    func(a, b int64) int64 { return int64(uint64(a) >> (uint(b) & 63)) },
		loop.AddOver: func(a, b int64) int64 { return truth(addOver(a, b)) },
		loop.SubOver: func(a, b int64) int64 { return truth(subOver(a, b)) },
		loop.MulOver: func(a, b int64) int64 { return truth(mulOver(a, b)) },
	}
	test2 = map[*loop.Op]func(x, y float64) int64{
		loop.EqF: func(x, y float64) int64 { return truth(x == y) },
		loop.NeF: func(x, y float64) int64 { return truth(x != y) },
		loop.LtF: func(x, y float64) int64 { return truth(x < y) },
		loop.LeF: func(x, y float64) int64 { return truth(x <= y) },
	}
)

func mod(a, b int64) int64 { return a - b*loop.FloorDiv(a, b) }

// addOver reports whether a sum does not fit 64 bits; subOver and mulOver do so for a difference
// and a product.
func addOver(a, b int64) bool { s := a + b; return (s^a)&(s^b) < 0 }
func subOver(a, b int64) bool { d := a - b; return (a^b)&(d^a) < 0 }

func mulOver(a, b int64) bool {
	if a == int64(int32(a)) && b == int64(int32(b)) {
		return false
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return int64(hi) != int64(lo)>>63 // the high half of the signed product is not just its sign
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func unaryOf(op *loop.Op) func(float64) float64 {
	if f := math1[op.Name]; f != nil {
		return f
	}
	return real1[op]
}

func binaryOf(op *loop.Op) func(x, y float64) float64 {
	if f := math2[op.Name]; f != nil {
		return f
	}
	return real2[op]
}

// scalarOp returns a step that computes an operation on scalars.
func scalarOp(op *loop.Op, args []place, to place) step {
	var r [3]int
	for i, p := range args {
		r[i] = p.reg
	}
	a, b, c, d := r[0], r[1], r[2], to.reg
	switch op {
	case loop.AddF:
		return func(fr *frame) bool { fr.f[d] = fr.f[a] + fr.f[b]; return true }
	case loop.SubF:
		return func(fr *frame) bool { fr.f[d] = fr.f[a] - fr.f[b]; return true }
	case loop.MulF:
		return func(fr *frame) bool { fr.f[d] = fr.f[a] * fr.f[b]; return true }
	case loop.DivF:
		return func(fr *frame) bool { fr.f[d] = fr.f[a] / fr.f[b]; return true }
	case loop.Fma:
		return func(fr *frame) bool { fr.f[d] = math.FMA(fr.f[a], fr.f[b], fr.f[c]); return true }
	case loop.AddI:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] + fr.i[b]; return true }
	case loop.SubI:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] - fr.i[b]; return true }
	case loop.MulI:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] * fr.i[b]; return true }
	case loop.LtF:
		return func(fr *frame) bool { fr.i[d] = truth(fr.f[a] < fr.f[b]); return true }
	case loop.LtI:
		return func(fr *frame) bool { fr.i[d] = truth(fr.i[a] < fr.i[b]); return true }
	case loop.LeI:
		return func(fr *frame) bool { fr.i[d] = truth(fr.i[a] <= fr.i[b]); return true }
	case loop.LeF:
		return func(fr *frame) bool { fr.i[d] = truth(fr.f[a] <= fr.f[b]); return true }
	case loop.EqI:
		return func(fr *frame) bool { fr.i[d] = truth(fr.i[a] == fr.i[b]); return true }
	case loop.ModI:
		return func(fr *frame) bool { fr.i[d] = mod(fr.i[a], fr.i[b]); return true }
	case loop.AddOver:
		return func(fr *frame) bool { fr.i[d] = truth(addOver(fr.i[a], fr.i[b])); return true }
	case loop.SubOver:
		return func(fr *frame) bool { fr.i[d] = truth(subOver(fr.i[a], fr.i[b])); return true }
	case loop.And:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] & fr.i[b]; return true }
	case loop.Or:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] | fr.i[b]; return true }
	case loop.Not:
		return func(fr *frame) bool { fr.i[d] = fr.i[a] ^ 1; return true }
	case loop.SelF:
		return func(fr *frame) bool {
			fr.f[d] = fxChoose(fr.i[a] != 0, fr.f[b], fr.f[c])
			return true
		}
	case loop.SelI, loop.SelB:
		return func(fr *frame) bool {
			fr.i[d] = fxChoose(fr.i[a] != 0, fr.i[b], fr.i[c])
			return true
		}
	case loop.ToReal:
		return func(fr *frame) bool { fr.f[d] = float64(fr.i[a]); return true }
	}
	if f := unaryOf(op); f != nil {
		return func(fr *frame) bool { fr.f[d] = f(fr.f[a]); return true }
	}
	if f := binaryOf(op); f != nil {
		return func(fr *frame) bool { fr.f[d] = f(fr.f[a], fr.f[b]); return true }
	}
	if f := int1[op]; f != nil {
		return func(fr *frame) bool { fr.i[d] = f(fr.i[a]); return true }
	}
	if f := toInt[op]; f != nil {
		return func(fr *frame) bool { fr.i[d] = f(fr.f[a]); return true }
	}
	if f := int2[op]; f != nil {
		return func(fr *frame) bool { fr.i[d] = f(fr.i[a], fr.i[b]); return true }
	}
	if f := test2[op]; f != nil {
		return func(fr *frame) bool { fr.i[d] = f(fr.f[a], fr.f[b]); return true }
	}
	if f := mathInt[op.Name]; f != nil {
		return func(fr *frame) bool { fr.f[d] = f(fr.f[a], fr.i[b]); return true }
	}
	n := len(args)
	return func(fr *frame) bool {
		for i, p := range args {
			fr.words[i] = fr.word(p)
		}
		fr.setWord(to, op.Eval(fr.words[:n]))
		return true
	}
}

// stripOp returns a step that computes an operation on strips.
func (c *compiler) stripOp(op *loop.Op, args []place, to place) step {
	d := to.reg
	into := func(fr *frame) []float64 {
		fr.vf[d] = fr.of[d][:fr.lanes]
		return fr.vf[d]
	}
	intoWords := func(fr *frame) []int64 {
		fr.vi[d] = fr.oi[d][:fr.lanes]
		return fr.vi[d]
	}
	switch op {
	case loop.AddF, loop.SubF, loop.MulF:
		return c.arithmetic(op, args, into)
	case loop.DivF:
		x, y := c.reals(args[0]), c.reals(args[1])
		return func(fr *frame) bool { div(into(fr), x(fr), y(fr)); return true }
	case loop.Fma:
		x, y, z := c.reals(args[0]), c.reals(args[1]), c.reals(args[2])
		return func(fr *frame) bool {
			a, b, s := x(fr), y(fr), z(fr)
			for l, d := 0, into(fr); l < len(d); l++ {
				d[l] = math.FMA(a[l], b[l], s[l])
			}
			return true
		}
	case loop.SelF:
		k, x, y := c.words(args[0]), c.reals(args[1]), c.reals(args[2])
		return func(fr *frame) bool { choose(into(fr), k(fr), x(fr), y(fr)); return true }
	case loop.SelI, loop.SelB:
		k, x, y := c.words(args[0]), c.words(args[1]), c.words(args[2])
		return func(fr *frame) bool { choose(intoWords(fr), k(fr), x(fr), y(fr)); return true }
	case loop.ToReal:
		x := c.words(args[0])
		return func(fr *frame) bool {
			d := into(fr)
			for l, n := range x(fr) {
				d[l] = float64(n)
			}
			return true
		}
	}
	if f := unaryOf(op); f != nil {
		x := c.reals(args[0])
		return func(fr *frame) bool { map1(into(fr), x(fr), f); return true }
	}
	if f := binaryOf(op); f != nil {
		x, y := c.reals(args[0]), c.reals(args[1])
		return func(fr *frame) bool { map2(into(fr), x(fr), y(fr), f); return true }
	}
	if f := int1[op]; f != nil {
		x := c.words(args[0])
		return func(fr *frame) bool { map1(intoWords(fr), x(fr), f); return true }
	}
	if f := toInt[op]; f != nil {
		x := c.reals(args[0])
		return func(fr *frame) bool { map1(intoWords(fr), x(fr), f); return true }
	}
	if f := int2[op]; f != nil {
		x, y := c.words(args[0]), c.words(args[1])
		return func(fr *frame) bool { map2(intoWords(fr), x(fr), y(fr), f); return true }
	}
	if f := test2[op]; f != nil {
		x, y := c.reals(args[0]), c.reals(args[1])
		return func(fr *frame) bool { map2(intoWords(fr), x(fr), y(fr), f); return true }
	}
	get := make([]func(fr *frame, l int) uint64, len(args))
	for i, p := range args {
		get[i] = wordAt(p)
	}
	power := mathInt[op.Name]
	return func(fr *frame) bool {
		for l := range fr.lanes {
			for i, g := range get {
				fr.words[i] = g(fr, l)
			}
			var w uint64
			if power != nil {
				w = math.Float64bits(power(math.Float64frombits(fr.words[0]), int64(fr.words[1])))
			} else {
				w = op.Eval(fr.words[:len(get)])
			}
			if to.kind == loop.F64 {
				fr.of[d][l] = math.Float64frombits(w)
			} else {
				fr.oi[d][l] = int64(w)
			}
		}
		if to.kind == loop.F64 {
			into(fr)
		} else {
			intoWords(fr)
		}
		return true
	}
}

// arithmetic returns a step for a sum, a difference or a product, in which one operand may be a
// scalar.
func (c *compiler) arithmetic(op *loop.Op, args []place, into func(fr *frame) []float64) step {
	p, q := args[0], args[1]
	if op != loop.SubF && p.form != strips {
		p, q = q, p
	}
	x := c.reals(p)
	if q.form != strips {
		s := q.reg
		switch op {
		case loop.AddF:
			return func(fr *frame) bool { addScalar(into(fr), x(fr), fr.f[s]); return true }
		case loop.SubF:
			return func(fr *frame) bool { addScalar(into(fr), x(fr), -fr.f[s]); return true }
		}
		return func(fr *frame) bool { mulScalar(into(fr), x(fr), fr.f[s]); return true }
	}
	y := c.reals(q)
	switch op {
	case loop.AddF:
		return func(fr *frame) bool { add(into(fr), x(fr), y(fr)); return true }
	case loop.SubF:
		return func(fr *frame) bool { sub(into(fr), x(fr), y(fr)); return true }
	}
	return func(fr *frame) bool { mul(into(fr), x(fr), y(fr)); return true }
}

func add(d, x, y []float64) {
	x, y = x[:len(d)], y[:len(d)]
	for l := range d {
		d[l] = x[l] + y[l]
	}
}

func sub(d, x, y []float64) {
	x, y = x[:len(d)], y[:len(d)]
	for l := range d {
		d[l] = x[l] - y[l]
	}
}

func mul(d, x, y []float64) {
	x, y = x[:len(d)], y[:len(d)]
	for l := range d {
		d[l] = x[l] * y[l]
	}
}

func div(d, x, y []float64) {
	x, y = x[:len(d)], y[:len(d)]
	for l := range d {
		d[l] = x[l] / y[l]
	}
}

func addScalar(d, x []float64, s float64) {
	x = x[:len(d)]
	for l := range d {
		d[l] = x[l] + s
	}
}

func mulScalar(d, x []float64, s float64) {
	x = x[:len(d)]
	for l := range d {
		d[l] = x[l] * s
	}
}

func choose[T any](d []T, k []int64, x, y []T) {
	x, y, k = x[:len(d)], y[:len(d)], k[:len(d)]
	for l := range d {
		d[l] = y[l]
		if k[l] != 0 {
			d[l] = x[l]
		}
	}
}

func map1[T, U any](d []T, x []U, f func(U) T) {
	x = x[:len(d)]
	for l := range d {
		d[l] = f(x[l])
	}
}

func map2[T, U any](d []T, x, y []U, f func(x, y U) T) {
	x, y = x[:len(d)], y[:len(d)]
	for l := range d {
		d[l] = f(x[l], y[l])
	}
}
