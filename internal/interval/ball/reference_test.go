package ball

import (
	"bufio"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// testFunc is a function as tests see it, with any number of arguments.
type testFunc func(z *Ball, x []*Ball, prec uint) *Ball

func unary(f pointFunc) testFunc {
	return func(z *Ball, x []*Ball, prec uint) *Ball { return f(z, x[0], prec) }
}

func binary(f func(z, x, y *Ball, prec uint) *Ball) testFunc {
	return func(z *Ball, x []*Ball, prec uint) *Ball { return f(z, x[0], x[1], prec) }
}

func nullary(f func(z *Ball, prec uint) *Ball) testFunc {
	return func(z *Ball, x []*Ball, prec uint) *Ball { return f(z, prec) }
}

var testFuncs = map[string]testFunc{
	"sqrt": unary((*Ball).Sqrt), "cbrt": unary((*Ball).Cbrt), "recip": unary((*Ball).Recip), "sqr": unary((*Ball).Sqr),
	"exp": unary((*Ball).Exp), "expm1": unary((*Ball).Expm1), "exp2": unary((*Ball).Exp2), "exp10": unary((*Ball).Exp10),
	"log": unary((*Ball).Log), "log1p": unary((*Ball).Log1p), "log2": unary((*Ball).Log2), "log10": unary((*Ball).Log10),
	"sin": unary((*Ball).Sin), "cos": unary((*Ball).Cos), "tan": unary((*Ball).Tan),
	"asin": unary((*Ball).Asin), "acos": unary((*Ball).Acos), "atan": unary((*Ball).Atan),
	"sinh": unary((*Ball).Sinh), "cosh": unary((*Ball).Cosh), "tanh": unary((*Ball).Tanh),
	"asinh": unary((*Ball).Asinh), "acosh": unary((*Ball).Acosh), "atanh": unary((*Ball).Atanh),
	"erf": unary((*Ball).Erf), "erfc": unary((*Ball).Erfc),
	"lgamma": unary((*Ball).Lgamma), "digamma": unary((*Ball).Digamma),
	"sigmoid": unary((*Ball).Sigmoid), "softplus": unary((*Ball).Softplus),
	"atan2": binary((*Ball).Atan2), "pow": binary((*Ball).Pow), "hypot": binary((*Ball).Hypot), "logaddexp": binary((*Ball).LogAddExp),
	"add": binary((*Ball).Add), "sub": binary((*Ball).Sub), "mul": binary((*Ball).Mul), "quo": binary((*Ball).Quo),
	"max": binary((*Ball).Max), "min": binary((*Ball).Min),
	"polygamma": func(z *Ball, x []*Ball, prec uint) *Ball { return z.Polygamma(floorInt(x[0]).Int64(), x[1], prec) },
	"pi":        nullary((*Ball).Pi), "e": nullary((*Ball).E), "ln2": nullary((*Ball).Ln2), "ln10": nullary((*Ball).Ln10),
	"gamma":      nullary((*Ball).EulerGamma),
	"trigamma":   unary(func(z, x *Ball, prec uint) *Ball { return z.Polygamma(1, x, prec) }),
	"tetragamma": unary(func(z, x *Ball, prec uint) *Ball { return z.Polygamma(2, x, prec) }),
	"cube":       unary(func(z, x *Ball, prec uint) *Ball { return z.PowInt(x, 3, prec) }),
	"fourth":     unary(func(z, x *Ball, prec uint) *Ball { return z.PowInt(x, 4, prec) }),
	"cube⁻¹":     unary(func(z, x *Ball, prec uint) *Ball { return z.PowInt(x, -3, prec) }),
	"floor":      unary((*Ball).Floor), "round": unary((*Ball).Round),
	"abs": unary(func(z, x *Ball, _ uint) *Ball { return z.Abs(x) }),
}

type refCase struct {
	line string
	name string
	args []*Ball
	exp  int64
	man  []*big.Int
}

func readReference(t *testing.T, path string) []refCase {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []refCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	hex := func(s string) *big.Int {
		n, ok := new(big.Int).SetString(s, 16)
		if !ok {
			t.Fatalf("bad number %q", s)
		}
		return n
	}
	for sc.Scan() {
		left, right, _ := strings.Cut(sc.Text(), " : ")
		l, r := strings.Fields(left), strings.Fields(right)
		c := refCase{line: left, name: l[0]}
		for _, a := range l[1:] {
			m, e, _ := strings.Cut(a, ":")
			x, err := strconv.ParseInt(e, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			c.args = append(c.args, new(Ball).SetDyadic(hex(m), x))
		}
		e, err := strconv.ParseInt(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		c.exp = e
		for _, m := range r[1:] {
			c.man = append(c.man, hex(m))
		}
		cases = append(cases, c)
	}
	return cases
}

func shorten(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}

// TestReference200: at exact points, the ball contains the value that an independent
// implementation found, and is tight. The reference has 64 bits more than the ball, so an error
// in the last bits shows.
func TestReference200(t *testing.T) {
	count := 0
	for _, c := range readReference(t, "testdata/ref200.txt") {
		f := testFuncs[c.name]
		if f == nil {
			t.Fatalf("no function %s", c.name)
		}
		var ref Ball
		ref.SetDyadic(c.man[0], c.exp)
		for _, p := range []uint{24, 53, 113, 200, 232} {
			var z, d Ball
			f(&z, c.args, p)
			if !z.IsFinite() {
				t.Errorf("%s at %d bits: %v", shorten(c.line), p, &z)
				continue
			}
			if z.Partial() {
				t.Errorf("%s at %d bits is partial", shorten(c.line), p)
			}
			// |mid − ref| ≤ rad + 1 unit of the reference
			d.Sub(d.Mid(&z), &ref, 64)
			limit := z.rad.add(magPow2(c.exp))
			if magIntLow(&d.man, d.exp).subLow(d.rad).cmp(limit) > 0 {
				t.Errorf("%s at %d bits: %.70v misses %.70v", shorten(c.line), p, &z, &ref)
			}
			if g := z.RelBits(1 << 20); g < int64(p)-4 {
				t.Errorf("%s at %d bits: only %d good", shorten(c.line), p, g)
			}
			count++
		}
	}
	t.Logf("%d values", count)
}

// TestReference3000: the leading 64 and the trailing 128 of 3,064 bits agree.
func TestReference3000(t *testing.T) {
	const p, total = 3000, 3064
	count := 0
	for _, c := range readReference(t, "testdata/ref3000.txt") {
		var z Ball
		testFuncs[c.name](&z, c.args, p)
		if !z.IsFinite() || z.RelBits(1<<20) < p-4 {
			t.Errorf("%s: %d good bits", shorten(c.line), z.RelBits(1<<20))
			continue
		}
		// The midpoint in units of the reference's last place; the difference modulo
		// 2^128 must be at most the radius, which is about 2^66 units.
		var m, head, diff big.Int
		fixed(&m, &z, -c.exp)
		neg := m.Sign() < 0
		m.Abs(&m)
		if neg != (c.man[0].Sign() < 0) {
			t.Errorf("%s: sign", shorten(c.line))
			continue
		}
		head.Rsh(&m, total-64)
		head.Sub(&head, new(big.Int).Abs(c.man[0]))
		if head.CmpAbs(intOne) > 0 {
			t.Errorf("%s: leading bits differ", shorten(c.line))
			continue
		}
		mod := new(big.Int).Lsh(intOne, 128)
		diff.Sub(&m, c.man[1])
		diff.Mod(&diff, mod)
		if diff.Bit(127) != 0 {
			diff.Sub(&diff, mod)
		}
		limit := z.rad.shl(-c.exp).add(magPow2(1))
		if magIntLow(&diff, 0).cmp(limit) > 0 {
			t.Errorf("%s: trailing bits differ by %v units, radius %v", shorten(c.line), &diff, limit)
		}
		count++
	}
	t.Logf("%d values", count)
}
