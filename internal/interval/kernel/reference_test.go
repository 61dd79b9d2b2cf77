package kernel

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every kernel by the name that the reference data use.
var unary = map[string]func(float64) Val{
	"exp": ExpVal, "expm1": Expm1Val, "exp2": Exp2Val, "exp10": Exp10Val,
	"log": LogVal, "log1p": Log1pVal, "log2": Log2Val, "log10": Log10Val,
	"sin": SinVal, "cos": CosVal, "tan": TanVal,
	"asin": AsinVal, "acos": AcosVal, "atan": AtanVal,
	"sinh": SinhVal, "cosh": CoshVal, "tanh": TanhVal,
	"asinh": AsinhVal, "acosh": AcoshVal, "atanh": AtanhVal,
	"cbrt": CbrtVal, "erf": ErfVal, "erfc": ErfcVal,
	"lgamma": LgammaVal, "digamma": DigammaVal,
	"sigmoid": SigmoidVal, "softplus": SoftplusVal,
	"polygamma1": func(x float64) Val { return PolygammaVal(1, x) },
	"polygamma2": func(x float64) Val { return PolygammaVal(2, x) },
	"polygamma5": func(x float64) Val { return PolygammaVal(5, x) },
}

var binary = map[string]func(x, y float64) Val{
	"atan2": Atan2Val, "hypot": HypotVal, "pow": PowVal, "logaddexp": LogAddExpVal,
}

const wide = 400

func bigf(x float64) *big.Float { return new(big.Float).SetPrec(wide).SetFloat64(x) }

// misses returns |H+L-want/2^K| over E, and |H+L-want/2^K| over |H|.
func misses(v Val, want *big.Float) (overE, rel float64) {
	w := new(big.Float).SetMantExp(want, -v.K)
	d := bigf(v.H)
	d.Add(d, bigf(v.L)).Sub(d, w).Abs(d)
	if d.Sign() == 0 {
		return 0, 0
	}
	f, _ := d.Float64()
	r := new(big.Float).Quo(d, new(big.Float).Abs(bigf(v.H)))
	rel, _ = r.Float64()
	if v.E == 0 {
		return math.Inf(1), rel
	}
	return f / v.E, rel
}

// TestReference holds every kernel to its error budget at the points of
// ../testdata/reference.txt.
func TestReference(t *testing.T) {
	f, err := os.Open("../testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var name string
	var args, points int
	worst, worstRel, worstUlp := 0.0, 0.0, 0.0
	report := func() {
		if name != "" {
			t.Logf("%-11s %4d points, error ≤ %.3f of E, ≤ 2^%.1f relative, nearest ≤ %.4f ulp", name, points, worst, math.Log2(worstRel), worstUlp)
		}
		points, worst, worstRel, worstUlp = 0, 0, 0, 0
	}
	sc := bufio.NewScanner(f)
	failures := 0
	for sc.Scan() {
		w := strings.Fields(sc.Text())
		if w[0] == "#" {
			report()
			name = w[1]
			args, _ = strconv.Atoi(w[2])
			continue
		}
		var xs [2]float64
		for i := range args {
			b, err := strconv.ParseUint(w[i], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			xs[i] = math.Float64frombits(b)
		}
		m, ok := new(big.Int).SetString(w[args], 16)
		e, err := strconv.Atoi(w[args+1])
		if !ok || err != nil {
			t.Fatalf("bad line %q", sc.Text())
		}
		want := new(big.Float).SetPrec(wide).SetInt(m)
		want.SetMantExp(want, e)
		var v Val
		if args == 1 {
			v = unary[name](xs[0])
		} else {
			v = binary[name](xs[0], xs[1])
		}
		points++
		if v.K > 1100 || v.K < -1100 { // beyond the range of doubles
			if g, _ := want.Float64(); g != v.Nearest() {
				t.Errorf("%s(%v) = %v, want %v", name, xs[:args], v.Nearest(), g)
			}
			continue
		}
		overE, rel := misses(v, want)
		limit := 0.5
		if v.L+v.E == 0 || v.L-v.E == 0 {
			limit = 1
		}
		if overE > limit {
			failures++
			if failures < 40 {
				t.Errorf("%s(%v) = %v: %.3g of E, 2^%.1f relative, want %.20g", name, xs[:args], v, overE, math.Log2(rel), want)
			}
			continue
		}
		worst, worstRel = max(worst, overE), max(worstRel, rel)
		if u := ulps(v.Nearest(), want); u > worstUlp {
			worstUlp = u
			if u > 1 {
				t.Errorf("%s(%v) = %v is %.3f ulp off", name, xs[:args], v.Nearest(), u)
			}
		}
	}
	report()
}

// ulps returns the distance of got from want in units of the last place of got.
func ulps(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) {
		if g, _ := want.Float64(); g == got {
			return 0
		}
		return math.Inf(1)
	}
	ulp := math.Nextafter(math.Abs(got), math.Inf(1)) - math.Abs(got)
	d := bigf(got)
	d.Sub(d, want).Quo(d.Abs(d), bigf(ulp))
	f, _ := d.Float64()
	return f
}
