package loop

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Op is a scalar operation: a row of the table below. Operations cannot fail. Outside of its
// domain an operation returns what IEEE or two's complement says.
type Op struct {
	Name   string
	Args   []Kind
	Result Kind

	// Eval evaluates the operation on words: a double's bits, an integer, 0 or 1.
	Eval func(args []uint64) uint64

	// Prim is the row of the language's table whose action on reals the operation is, and whose
	// derivatives it has. It is nil for operations without reals and for those that only code
	// generation uses.
	Prim *prim.Prim

	// Cost is roughly the number of additions that take the same time.
	Cost int

	// Number is the operation's place in the table.
	Number int

	// Commutes says that the two arguments may be exchanged.
	Commutes bool

	// OfReals says that all arguments are doubles.
	OfReals bool
}

// The operations that packages name. Functions of one or two reals have the name of their row in
// the language's table: Lookup("exp").
var (
	AddF, SubF, MulF, DivF, NegF, AbsF, MaxF, MinF *Op
	Sqrt, Fma, FloorF, CeilF, TruncF, RoundF       *Op // round is to even
	PowI                                           *Op // x^n for an integer n
	// the slope of sigmoid: exp(-|x|)/(1 + exp(-|x|))²
	Logistic *Op
	Sech2    *Op // the slope of tanh: 4 exp(-2|x|)/(1 + exp(-2|x|))²
	Ldexp    *Op // x·2^n for a whole double n: see ldexp

	AddI, SubI, MulI, NegI, MaxI, MinI     *Op
	DivI, ModI                             *Op // floored; a by 0 gives 0 and a
	AndI, OrI, XorI, ShlI, ShrI, ShrU      *Op // ShrI keeps the sign
	AddOver, SubOver, MulOver              *Op // whether the operation leaves 64 bits
	EqF, NeF, LtF, LeF, EqI, NeI, LtI, LeI *Op
	And, Or, Not                           *Op
	SelF, SelI, SelB                       *Op // condition, then, else
	// ToInt truncates what fits; Bits and FromBits keep the bits; ToWord is 0 or 1
	ToReal, ToInt, Bits, FromBits, ToWord *Op

	// Toward is the tangent of its argument along the direction in which ties are resolved
	// (package grad) where that is known, and 0 elsewhere. Package lower uses it in functions
	// that are to be differentiated. No target has it.
	Toward *Op

	// Deviation is e²/(a² + w²) for an error e. In differentiated code it is the largest of this
	// and of the same for tangents of e and w: Note [Watched errors] of package grad. Package
	// lower expands it at the end, so no target has it.
	Deviation *Op
)

var (
	table  = map[string]*Op{}
	byPrim = map[*prim.Prim]*Op{}
)

// Lookup returns an operation by its name, or nil.
func Lookup(name string) *Op { return table[name] }

func row(name string, result Kind, cost int, eval func(a []uint64) uint64, args ...Kind) *Op {
	o := &Op{Name: name, Args: args, Result: result, Cost: cost, Eval: eval, Number: len(table) + 1}
	o.OfReals = !slices.ContainsFunc(args, func(k Kind) bool { return k != F64 })
	if table[name] != nil {
		panic("loop: two operations are called " + name)
	}
	table[name] = o
	return o
}

func real1(name string, cost int, f func(x float64) float64) *Op {
	return row(name, F64, cost, func(a []uint64) uint64 { return word(f(double(a[0]))) }, F64)
}

func real2(name string, cost int, f func(x, y float64) float64) *Op {
	return row(name, F64, cost, func(a []uint64) uint64 {
		return word(f(double(a[0]), double(a[1])))
	}, F64, F64)
}

func int1(name string, cost int, f func(a int64) int64) *Op {
	return row(name, I64, cost, func(a []uint64) uint64 { return uint64(f(int64(a[0]))) }, I64)
}

func int2(name string, cost int, f func(a, b int64) int64) *Op {
	return row(name, I64, cost, func(a []uint64) uint64 {
		return uint64(f(int64(a[0]), int64(a[1])))
	}, I64, I64)
}

func test(name string, k Kind, f func(a, b uint64) bool) *Op {
	return row(name, Bool, 1, func(a []uint64) uint64 { return truth(f(a[0], a[1])) }, k, k)
}

func double(w uint64) float64 { return math.Float64frombits(w) }
func word(x float64) uint64   { return math.Float64bits(x) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// of sets which row of the language's table an operation is.
func (o *Op) of(row prim.ID) *Op {
	o.Prim = row.Row()
	return o
}

func init() {
	f := func(row prim.ID) func(x, y float64) float64 { return row.Row().Float.(prim.Real2) }
	AddF = real2("add.f", 1, func(x, y float64) float64 { return x + y }).of(prim.Add)
	SubF = real2("sub.f", 1, func(x, y float64) float64 { return x - y }).of(prim.Sub)
	MulF = real2("mul.f", 1, func(x, y float64) float64 { return x * y }).of(prim.Mul)
	DivF = real2("div.f", 8, func(x, y float64) float64 { return x / y }).of(prim.Quo)
	NegF = real1("neg.f", 1, func(x float64) float64 { return -x }).of(prim.Neg)
	AbsF = real1("abs.f", 1, math.Abs).of(prim.Abs)
	MaxF = real2("max.f", 1, f(prim.Max)).of(prim.Max)
	MinF = real2("min.f", 1, f(prim.Min)).of(prim.Min)
	Sqrt = real1("sqrt", 10, math.Sqrt).of(prim.Sqrt)
	Fma = row("fma", F64, 1, func(a []uint64) uint64 {
		return word(math.FMA(double(a[0]), double(a[1]), double(a[2])))
	}, F64, F64, F64)
	FloorF = real1("floor.f", 1, math.Floor)
	CeilF = real1("ceil.f", 1, math.Ceil)
	TruncF = real1("trunc.f", 1, math.Trunc)
	RoundF = real1("round.f", 1, math.RoundToEven)
	powInt := prim.PowInt.Row().Float.(prim.RealInt)
	PowI = row("pow.i", F64, 10, func(a []uint64) uint64 {
		return word(powInt(double(a[0]), int64(a[1])))
	}, F64, I64).of(prim.PowInt)

	Ldexp = real2("ldexp", 8, ldexp)
	logistic := func(x float64) float64 {
		e := math.Exp(-math.Abs(x))
		return e / ((1 + e) * (1 + e))
	}
	Logistic = real1("logistic", 20, logistic)
	Sech2 = real1("sech2", 20, func(x float64) float64 { return 4 * logistic(2*x) })

	AddI = int2("add.i", 1, func(a, b int64) int64 { return a + b })
	SubI = int2("sub.i", 1, func(a, b int64) int64 { return a - b })
	MulI = int2("mul.i", 1, func(a, b int64) int64 { return a * b })
	NegI = int1("neg.i", 1, func(a int64) int64 { return -a })
	MaxI = int2("max.i", 1, func(a, b int64) int64 { return max(a, b) })
	MinI = int2("min.i", 1, func(a, b int64) int64 { return min(a, b) })
	DivI = int2("div.i", 20, FloorDiv)
	ModI = int2("mod.i", 20, func(a, b int64) int64 { return a - b*FloorDiv(a, b) })
	AndI = int2("and.i", 1, func(a, b int64) int64 { return a & b })
	OrI = int2("or.i", 1, func(a, b int64) int64 { return a | b })
	XorI = int2("xor.i", 1, func(a, b int64) int64 { return a ^ b })
	ShlI = int2("shl.i", 1, func(a, b int64) int64 { return a << (uint(b) & 63) })
	ShrI = int2("shr.i", 1, func(a, b int64) int64 { return a >> (uint(b) & 63) })
	ShrU = int2("shr.u", 1, func(a, b int64) int64 { return int64(uint64(a) >> (uint(b) & 63)) })
	overflows := func(name string, row prim.ID) *Op {
		g := row.Row().Int.(prim.Int2)
		return test(name, I64, func(a, b uint64) bool {
			_, code := g(int64(a), int64(b))
			return code != ""
		})
	}
	AddOver, SubOver, MulOver = overflows("over.add", prim.Add), overflows("over.sub", prim.Sub),
		overflows("over.mul", prim.Mul)

	EqF = test("eq.f", F64, func(a, b uint64) bool { return double(a) == double(b) })
	NeF = test("ne.f", F64, func(a, b uint64) bool { return double(a) != double(b) })
	LtF = test("lt.f", F64, func(a, b uint64) bool { return double(a) < double(b) })
	LeF = test("le.f", F64, func(a, b uint64) bool { return double(a) <= double(b) })
	EqI = test("eq.i", I64, func(a, b uint64) bool { return a == b })
	NeI = test("ne.i", I64, func(a, b uint64) bool { return a != b })
	LtI = test("lt.i", I64, func(a, b uint64) bool { return int64(a) < int64(b) })
	LeI = test("le.i", I64, func(a, b uint64) bool { return int64(a) <= int64(b) })
	And = test("and", Bool, func(a, b uint64) bool { return a != 0 && b != 0 })
	Or = test("or", Bool, func(a, b uint64) bool { return a != 0 || b != 0 })
	Not = row("not", Bool, 1, func(a []uint64) uint64 { return a[0] ^ 1 }, Bool)
	choose := func(a []uint64) uint64 {
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	}
	SelF = row("select.f", F64, 1, choose, Bool, F64, F64)
	SelI = row("select.i", I64, 1, choose, Bool, I64, I64)
	SelB = row("select.b", Bool, 1, choose, Bool, Bool, Bool)
	ToReal = row("real", F64, 1, func(a []uint64) uint64 { return word(float64(int64(a[0]))) }, I64)
	ToInt = row("int", I64, 1, func(a []uint64) uint64 { return uint64(int64(double(a[0]))) }, F64)
	Bits = row("bits", I64, 1, func(a []uint64) uint64 { return a[0] }, F64)
	FromBits = row("frombits", F64, 1, func(a []uint64) uint64 { return a[0] }, I64)
	ToWord = row("word", I64, 1, func(a []uint64) uint64 { return a[0] }, Bool)
	for _, o := range []*Op{AddF, MulF, AddI, MulI, AndI, OrI, XorI, MaxI, MinI, And, Or, EqF, NeF,
		EqI, NeI} {
		o.Commutes = true
	}

	real2("pow", 60, f(prim.Pow)).of(prim.Pow)
	named := map[*prim.Prim]bool{}
	for _, o := range table {
		named[o.Prim] = true
	}
	// Every other function of one or two reals.
	for _, p := range prim.All() {
		if p.Hidden || named[p] {
			continue
		}
		switch g := p.Float.(type) {
		case prim.Real1:
			real1(p.Name, 20, g).Prim = p
		case prim.Real2:
			real2(p.Name, 40, g).Prim = p
		}
	}
	for _, o := range table {
		if o.Prim != nil {
			byPrim[o.Prim] = o
		}
	}
	Toward = real1("toward", 1, func(float64) float64 { return 0 })
	Deviation = row("deviation", F64, 12, func(a []uint64) uint64 {
		e, by, w := double(a[0]), double(a[1]), double(a[2])
		return word(e * e / (by*by + w*w))
	}, F64, F64, F64)
	delete(table, Toward.Name)
	delete(table, Deviation.Name)
}

// ldexp returns x·2^⌊n/2⌋·2^(n-⌊n/2⌋) for a whole n, |n| ≤ 2044. It is x·2^n, rounded once, if
// |x| is within 2^±400 and |n| is at most 1200, which holds in package vmath, its only user. Then
// an instruction that scales by a power of two may replace it. For another n the result is
// arbitrary, unless a target says more.
func ldexp(x, n float64) float64 {
	m := math.Float64bits(n+(magic+2046)) - math.Float64bits(magic)
	return x * math.Float64frombits(m>>1<<52) * math.Float64frombits((m-m>>1)<<52)
}

// magic added to a small whole double leaves it in the low bits.
const magic = 0x1.8p52

// FloorDiv returns the result of DivI.
func FloorDiv(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	if b == -1 {
		return -a
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// OfPrim returns the operation that is a row's action on reals, or nil.
func OfPrim(p *prim.Prim) *Op { return byPrim[p] }

// String returns the operation's name.
func (o *Op) String() string { return o.Name }
