package exact_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var library = driver.NewWorld(nil)

// evaluate runs a text exactly.
func evaluate(t testing.TB, text, eps string) (value.Value, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := library.LoadText("test.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", text, list.Sorted()[0])
	}
	tolerance, ok := new(big.Rat).SetString(eps)
	if !ok {
		t.Fatalf("no tolerance: %s", eps)
	}
	settings := driver.Settings{Limits: interp.Limits{Memory: 1 << 30}}
	ctx, done := stop.Within(context.Background(), time.Minute)
	defer done()
	result, d := driver.RunExact(ctx, unit, settings, driver.Exactly{Eps: tolerance})
	return result.Value, d
}

// reals are the enclosures in a value, from left to right.
func reals(v value.Value) []exact.Enclosure {
	var all []exact.Enclosure
	var walk func(value.Value)
	walk = func(v value.Value) {
		switch v := v.(type) {
		case exact.Enclosure:
			all = append(all, v)
		case value.Tuple:
			for _, x := range v {
				walk(x)
			}
		case value.Array:
			for _, x := range v {
				walk(x)
			}
		case value.Record:
			for _, f := range v {
				walk(f.Value)
			}
		case value.Con:
			for _, x := range v.Args {
				walk(x)
			}
		}
	}
	walk(v)
	return all
}

// check evaluates a text and holds the reals of its value to decimals, each a
// true value rounded to the digits that are written, or an interval [lo, hi] that the
// enclosure must contain and not exceed by more than eps.
func check(t testing.TB, text, eps string, want ...string) {
	t.Helper()
	v, d := evaluate(t, text, eps)
	if d != nil && d.Code != diag.NotNarrowed {
		t.Errorf("%s: %v", text, d)
		return
	}
	got := reals(v)
	if len(got) != len(want) {
		t.Errorf("%s is %s", text, value.Show(v))
		return
	}
	tolerance, _ := new(big.Rat).SetString(eps)
	for i, w := range want {
		lo, hi := between(w)
		e := got[i]
		a, _ := e.Lo.Rat(nil)
		b, _ := e.Hi.Rat(nil)
		if a == nil || b == nil || a.Cmp(hi) > 0 || b.Cmp(lo) < 0 {
			t.Errorf("%s: %s does not contain %s", text, e.Fluxion(), w)
			continue
		}
		if strings.HasPrefix(w, "[") {
			if a.Cmp(lo) > 0 || b.Cmp(hi) < 0 {
				t.Errorf("%s: %s does not contain all of %s", text, e.Fluxion(), w)
			}
			lo.Sub(lo, tolerance)
			hi.Add(hi, tolerance)
			if a.Cmp(lo) < 0 || b.Cmp(hi) > 0 {
				t.Errorf("%s: %s is wider than %s", text, e.Fluxion(), w)
			}
			continue
		}
		if e.Width().Cmp(tolerance) > 0 {
			t.Errorf("%s: %s is wider than %s", text, e.Fluxion(), eps)
		}
		printedLo, printedHi := e.Decimals()
		p, _ := new(big.Rat).SetString(printedLo)
		q, _ := new(big.Rat).SetString(printedHi)
		if p.Cmp(a) > 0 || q.Cmp(b) < 0 || new(big.Rat).Sub(q, p).Cmp(tolerance) > 0 {
			t.Errorf("%s prints as %s: rounded inward, or too wide", text, e.Fluxion())
		}
	}
}

// between is the interval of reals that a decimal stands for: half a unit of its last digit to
// either side, or none if it is written with a trailing `!`.
func between(text string) (lo, hi *big.Rat) {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		a, b, _ := strings.Cut(strings.TrimSuffix(inner, "]"), ", ")
		lo, _ = new(big.Rat).SetString(a)
		hi, _ = new(big.Rat).SetString(b)
		return lo, hi
	}
	exact := strings.HasSuffix(text, "!")
	text = strings.TrimSuffix(text, "!")
	x, _ := new(big.Rat).SetString(text)
	half := new(big.Rat)
	if _, fraction, ok := strings.Cut(text, "."); ok && !exact {
		half.SetString(fmt.Sprintf("6e-%d", len(fraction)+1))
	}
	return new(big.Rat).Sub(x, half), new(big.Rat).Add(x, half)
}

// TestValues checks values and derivatives whose digits are known.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"1/3", []string{"0.3333333333333333333333333333333333333333333333333333333333"}},
		{"0.1 + 0.2", []string{"0.3!"}},
		{"1/5 + 2/5", []string{"0.6!"}},
		{"real (floor (0.3 / 0.1))", []string{"3!"}},
		{"real (floor (sqrt 2 * sqrt 2))", []string{"2!"}},
		{"(sqrt 2)^2", []string{"2!"}},
		{"sqrt 2", []string{"1.41421356237309504880168872420969807856967187537694807317668"}},
		{"exp 1", []string{"2.71828182845904523536028747135266249775724709369995957496697"}},
		{"4 * atan 1", []string{"3.14159265358979323846264338327950288419716939937510582097494"}},
		{"2 ** 0.5", []string{"1.41421356237309504880168872420969807856967187537694807317668"}},
		{"deriv sin 1", []string{"0.54030230586813971740093660744297660373231042061792222767010"}},
		{"deriv (fun x => x ** x) 2", []string{"6.77258872223978123766892848583270627230200053744102101648272"}},
		{"deriv (deriv (deriv (fun x => x^5))) 2", []string{"240!"}},
		{"deriv lgamma 1", []string{"-0.57721566490153286060651209008240243104215933593992359880577"}},
		{"deriv (deriv lgamma) 1", []string{"1.64493406684822643647241516664602518921894990120679843773556"}},
		// rows that are their own derivatives at another order, several times over: the values
		// of polygamma by mpmath
		{"deriv (deriv (deriv (deriv digamma))) 1", []string{"-24.8862661234408782319527716749688200333699420680459074873806"}},
		{"deriv (deriv (deriv (deriv (deriv (polygamma 1))))) 0.5", []string{"-92203.4579238030232862310879582654156978115239780854273147964"}},
		{"deriv (deriv (deriv (deriv (deriv lgamma)))) (-2.5)", []string{"-0.0679959995067313633754280968729272073077102822626382816388585"}},
		{"deriv (deriv (fun x => polygamma 1 x)) 1 - pi^4 / 15", []string{"0!"}},
		{"deriv (deriv (deriv (fun x => polygamma 1 x))) 1 - polygamma 4 1", []string{"0!"}},
		{"grad (fun (x, y) => x * y + sin x) (1, 2)", []string{"2.54030230586813971740093660744297660373231042061792222767010", "1!"}},
		{"hessian (fun xs => xs[0]^2 * xs[1]) [1, 2]", []string{"4!", "2!", "2!", "0!"}},
		{"jacobian (fun xs => [xs[0] * xs[1], xs[0]]) [2, 3]", []string{"3!", "2!", "1!", "0!"}},
		{"valueAndGrad (fun p => p.x * p.y) {x = 2, y = 3}", []string{"6!", "3!", "2!"}},
		{"jvp (fun (x, y) => (x * y, x)) (2, 3) (1, 10)", []string{"23!", "1!"}},
		{"vjp (fun (x, y) => (x * y, x)) (2, 3) (1, 10)", []string{"13!", "2!"}},
		// tangents at every type, functions included
		{"tangentReal.to (tangent sin (tangentReal.from (0, 2)))", []string{"0!", "2!"}},
		{"(tangentFun.to (tangent (fun f => fun x => (f x)^2) (tangentFun.from (fun x => x, fun x => 1))))[1] 3", []string{"6!"}},
		// no confusion of perturbations
		{"deriv (fun x => x * deriv (fun y => x + y) 1) 1", []string{"1!"}},
		{"deriv (fun x => x * deriv (fun y => x * y) 2) 3", []string{"6!"}},
		{"(deriv (fun x => deriv (fun y => x * y * y) x) 2)", []string{"8!"}},
		{"let d g x = deriv g x\nd (fun x => d (fun y => x * x * y) 5 * x) 2", []string{"12!"}},
		// structural zeros and computed ones
		{"deriv (fun x => max (sqrt x) 1e-9) 0", []string{"0!"}},
		{"deriv (fun x => if x < 1 then 3 else log (x - 2)) 0", []string{"0!"}},
		// data, recursion, loops
		{"let rec f (n : Int) (x : Real) : Real = if n == 0 then 1 else x * f (n - 1) x\nderiv (f 10) 1", []string{"10!"}},
		{"deriv (fun x => loop y = x for i < 3 do y * y) 1", []string{"8!"}},
		{"import list\ngrad (fun xs => list.fold (fun a x => a * x) 1 xs) (list.fromArray [2, 3, 4])", []string{"12!", "8!", "6!"}},
		{"sum [1 / real (i + 1) for i < 10]", []string{"2.92896825396825396825396825396825396825396825396825396825397"}},
		{"logsumexp [1000, 1000]", []string{"1000.693147180559945309417232121458176568075500134360255254120680"}},
		{"grad logsumexp [0, 0]", []string{"0.5!", "0.5!"}},
		{"grad norm [3, 4]", []string{"0.6!", "0.8!"}},
		{"deriv (fun x => inner (softmax [x, 0]) [1, 0]) 0", []string{"0.25!"}},
		{"deriv (fun x => erf x) 0", []string{"1.12837916709551257389615890312154517168810125865799771368817"}},
		{"deriv (deriv (fun x => atan2 x 1)) 1", []string{"-0.5!"}},
		{"(floor 2.5, round 2.6, ceil 2.1, trunc (-2.5))", nil},
		// rounding of what moves, beside every kind of jump
		{"[fst (valueAndGrad (fun x => real (floor x)) x) for x in [-1.5, -0.5, 0.5, 1.5]]", []string{"-2!", "-1!", "0!", "1!"}},
		{"[fst (valueAndGrad (fun x => real (ceil x)) x) for x in [-1.5, -0.5, 0.5, 1.5]]", []string{"-1!", "0!", "1!", "2!"}},
		{"[fst (valueAndGrad (fun x => real (trunc x)) x) for x in [-1.5, -0.5, 0.5, 1.5]]", []string{"-1!", "0!", "0!", "1!"}},
		{"[fst (valueAndGrad (fun x => real (round x)) x) for x in [-0.7, -0.3, 0.3, 0.7]]", []string{"-1!", "0!", "0!", "1!"}},
		{"integral01 (fun x => real (trunc (3 * x - 1.5)))", []string{"0!"}},
		{"integral01 (fun x => real (trunc (5.5 * x - 1.5)))", []string{"1.0!"}},
	} {
		for _, eps := range []string{"1e-3", "1e-12", "1e-50"} {
			check(t, c.text, eps, c.want...)
		}
	}
}

// TestClarke checks λS §4: the derivative at a kink is the interval of all
// slopes beside it, and where the function is smooth after all, the sum of such
// intervals contains its slope.
func TestClarke(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"deriv relu 0", "[0, 1]"},
		{"deriv abs 0", "[-1, 1]"},
		{"deriv (fun x => min x (2 * x)) 0", "[1, 2]"},
		{"deriv (fun x => relu (x * x)) 0", "0!"},
		{"deriv (fun x => hypot x (2 * x)) 0", "[-2.2360679774997896, 2.2360679774997896]"},
		{"deriv (fun x => norm [x, x]) 0", "[-1.4142135623730950, 1.4142135623730950]"},
		{"deriv (fun x => clamp 0 1 x) 1", "[0, 1]"},
	} {
		check(t, c.text, "0.001", c.want)
	}
	// Second derivatives at a kink are unknown, and the message says where.
	_, d := evaluate(t, "deriv (deriv relu) 0", "0.1")
	if d == nil || d.Code != diag.NotNarrowed {
		t.Errorf("the second derivative of relu at 0: %v", d)
	}
	v, d := evaluate(t, "deriv relu 0", "0.1")
	if value.Show(v) != "[0, 1]" || d == nil || d.Code != diag.NotNarrowed || !strings.Contains(d.Message, "[0, 1]") || !d.Span.Known() {
		t.Errorf("deriv relu 0 is %s, with %v", value.Show(v), d)
	}
}

// TestLebourg: the difference quotient over a segment lies in the derivative over it
// (Lebourg's theorem), kinks or not. The segment is an input that is not known better.
func TestLebourg(t *testing.T) {
	for _, f := range []string{
		"fun x => relu (x - 0.3) + abs (x * x - 0.5)",
		"fun x => sin (3 * x) * exp x",
		"fun x => max (x * x) (1 - x)",
		"fun x => hypot (x - 0.5) (x * x - 0.25)",
		"fun x => sqrt (1 + x) * log (2 + cos x)",
	} {
		for _, at := range [][2]string{{"0", "1"}, {"0.25", "0.75"}, {"0.49", "0.51"}, {"-0.5", "0.3"}} {
			// The derivative of a kink whose slopes are the ends is the segment.
			segment := fmt.Sprintf("deriv (fun e => max ((%s) * e) ((%s) * e)) 0", at[0], at[1])
			over, _ := evaluate(t, "deriv ("+f+") ("+segment+")", "1e-6")
			quotient, d := evaluate(t, fmt.Sprintf("let f = %s\n(f (%s) - f (%s)) / ((%s) - (%s))", f, at[1], at[0], at[1], at[0]), "1e-12")
			if d != nil {
				t.Fatal(d)
			}
			set, q := reals(over)[0], reals(quotient)[0]
			if set.Lo.Cmp(q.Hi) > 0 || set.Hi.Cmp(q.Lo) < 0 {
				t.Errorf("%s over %v: %s does not contain %s", f, at, set.Fluxion(), q.Fluxion())
			}
		}
	}
}

// TestAttacks holds exact evaluation to refuse what it cannot enclose.
func TestAttacks(t *testing.T) {
	for _, c := range []struct {
		text string
		code diag.Code
	}{
		{"1/5 + 2/5 < 3/5", diag.Undecided},
		{"floor (exp (log 2))", diag.Undecided},
		{"deriv (fun x => real (floor x)) 2", diag.Undecided},
		{"deriv sign 0", diag.Undecided},
		{"deriv (fun x => if x < 0 then 0 else x) 0", diag.Undecided},
		{"1 / (sqrt 2 * sqrt 2 - 2)", diag.Undefined},
		{"0 / (1 - 1)", diag.Undefined},
		{"log (sin pi)", diag.Undefined},
		{"sqrt (-1)", diag.Undefined},
		{"deriv (fun x => (cbrt x)^3) 0", diag.EffortSpent},
		{"deriv (fun x => sqrt (x * x)) 0", diag.EffortSpent},
		{"deriv sqrt 0", diag.EffortSpent},
		{"deriv (fun x => 0 * sqrt x) 0", diag.EffortSpent},
		{"deriv (fun x => 3) 0 * (1 / 0)", diag.Undefined},
		{"[1, 2][5]", diag.IndexOutOfRange},
		{"fail \"no\" + 1", diag.Failure},
		{"show pi", diag.NoText},
		{"fixed 1 0.15", diag.NoText},
		{"fixed 3 (sqrt 2 * sqrt 2 - 0.0005)", diag.NoText},
		{"deriv (fun x => if fixed 1 x == \"0.2\" then x else 0) 0.2", diag.NoText},
		{"integral01 (fun x => if fixed 0 x == \"0\" then 1 else 0)", diag.NoText},
		{"fixed (-1) pi", diag.Failure},
		{"fold min inf [2, 1]", diag.Undefined},
		{"let rec f (n : Int) : Real = 1 + f (n + 1)\nf 0", diag.MemoryLimit},
		{"let h (g : Real -> Real) (x : Real) : Real = sin (g x)\n(loop g = sin for i < 300000 do h g) 2", diag.MemoryLimit},
		{"iota 1000000000000", diag.MemoryLimit},
	} {
		v, d := evaluate(t, c.text, "1e-6")
		if d == nil || d.Code != c.code {
			t.Errorf("%s is %v, with %v; want %s", c.text, v, d, c.code)
		}
	}
}

// TestLongChains: ten thousand operations, some of which lose a bit each.
func TestLongChains(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	check(t, "loop x = 1 for i < 10000 do x * 1.001 / 1.001 + 1 - 1", "1e-12", "1!")
	check(t, "loop x = 0.5 for i < 3000 do 4 * x * (1 - x) + 0", "1e-6", "0!")
	check(t, "loop x = 1/3 for i < 10000 do if x < 1/2 then 2 * x else 2 - 2 * x", "1e-6", "0.6666666666666666666667")
	check(t, "deriv (fun y => loop x = y for i < 10000 do x + sin x / 10000) 1", "1e-9", "1.10123248")
}

// TestPromptly: a run ends in time, even within one operation that takes minutes, and what is
// unknown for other reasons than precision is given up before.
func TestPromptly(t *testing.T) {
	if v, d := evaluate(t, "deriv (fun x => lgamma x + cbrt (x - x)) (-4/7)", "1e-3"); d == nil || d.Code != diag.EffortSpent {
		t.Errorf("%s, with %v", value.Show(v), d)
	}
	var list diag.List
	unit := library.LoadText("test.flx", "lgamma (4/7)", nil, &list)
	eps, _ := driver.ParseEps("1e-4000")
	start := time.Now()
	ctx, done := stop.Within(context.Background(), 100*time.Millisecond)
	defer done()
	_, d := driver.RunExact(ctx, unit, driver.Settings{}, driver.Exactly{Eps: eps})
	if d == nil || d.Code != diag.TimeLimit || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %v", d, time.Since(start))
	}
}

// TestDigits holds that exact evaluation writes digits that are certain.
func TestDigits(t *testing.T) {
	for text, want := range map[string]string{
		`fixed 30 (sqrt 2)`:                                         `"1.414213562373095048801688724210"`,
		`scientific 20 (exp 100)`:                                   `"2.68811714181613544841e43"`,
		`scientific 3 (-1 / 3)`:                                     `"-3.333e-1"`,
		`fixed 0 2.5`:                                               `"2"`, // a tie that is known to be one
		`"{fixed 3 (integral01 (fun x => x * x))}"`:                 `"0.333"`,
		`if isNaN (sqrt 2) then 1 else 2`:                           `[2, 2]`,
		`deriv (fun x => if fixed 1 pi == "3.1" then x^2 else 0) 3`: `[6, 6]`,
	} {
		v, d := evaluate(t, text, "1e-6")
		if d != nil {
			t.Errorf("%s: %v", text, d)
		} else if got := value.Show(v); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}
