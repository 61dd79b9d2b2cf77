package prim_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/prim/reference"
	"github.com/fluxion-lang/fluxion/internal/types"
)

var (
	points   = flag.Int("points", 400, "random points for each row")
	measured = flag.Bool("measure", false, "print the largest errors found")
)

func each(t *testing.T, check func(t *testing.T, row *prim.Prim)) {
	for _, row := range prim.All() {
		t.Run(row.Name, func(t *testing.T) { check(t, row) })
	}
}

// TestComplete checks what every row must have and that its parts agree.
func TestComplete(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		if prim.Lookup(row.Name) != row {
			t.Error("Lookup does not find the row")
		}
		params, result := types.Splay(row.Scheme.Type, len(row.Params))
		if len(params) != row.Arity() {
			t.Errorf("%d parameters for the type %s", row.Arity(), types.Show(row.Scheme.Type))
		}
		if _, more := result.(*types.Fun); more {
			t.Errorf("the type %s has more parameters", types.Show(row.Scheme.Type))
		}
		for i, a := range row.Params {
			if slices.Contains(row.Params[:i], a) || a == "r" {
				t.Errorf("parameter name %s", a)
			}
		}
		if (row.Kink == "") != (row.KinkRule == "") {
			t.Error("a kink without a rule, or the reverse")
		}
		if row.Kink != "" && strings.Count(row.Kink, " = ") != 1 {
			t.Errorf("the kink %q is no equation", row.Kink)
		}
		for _, sample := range append(append([][]float64(nil), row.Samples...), row.Outside...) {
			if !overArray(row) && len(sample) != row.Arity() {
				t.Errorf("sample %v for %d parameters", sample, row.Arity())
			}
		}
		for _, special := range row.Special {
			if len(special) != row.Arity()+1 {
				t.Errorf("special value %v for %d parameters", special, row.Arity())
			}
		}
		if len(row.Outside) > 0 && row.Domain == "" {
			t.Error("points outside of a domain that is everything")
		}
		if got, want := len(row.Partials), realParams(row); got != want && !takesFunctions(row) && row.Kind != prim.Leaves {
			t.Errorf("%d partial derivatives for %d real arguments", got, want)
		}
		if (row.Pushforward != nil) != (overArray(row) || isWhole(row)) || len(row.Pushforward) != len(row.Pullback) {
			t.Error("a row over arrays needs Pushforward and Pullback, others have none")
		}
		if differentiable(row) && len(row.Samples) == 0 {
			t.Error("no samples")
		}
		if row.Arity() > 0 && row.Float != nil && row.Int == nil && row.Samples == nil && row.Name != "not" && !isWhole(row) {
			t.Error("no samples for an evaluator")
		}
	})
}

// takesFunctions reports whether a row is one of the calculus, which evaluators
// implement, with derivatives of their own.
func takesFunctions(row *prim.Prim) bool {
	params, _ := types.Splay(row.Scheme.Type, len(row.Params))
	for _, p := range params {
		if _, ok := p.(*types.Fun); ok {
			return true
		}
	}
	return false
}

// isWhole reports whether a row is one of linear algebra, whose rules TestWholes of package
// driver checks.
func isWhole(row *prim.Prim) bool {
	_, whole := row.Float.(prim.Whole)
	return whole
}

func differentiable(row *prim.Prim) bool { return len(row.Partials) > 0 || overArray(row) }

// realParams counts the arguments with respect to which a row at reals has a
// partial derivative.
func realParams(row *prim.Prim) int {
	params, result := types.Splay(row.Scheme.Type, len(row.Params))
	scalar := func(t types.Type) bool {
		p, ok := t.(*types.Param)
		return t == types.Real || ok && row.Float != nil && p.Classes&(types.Num|types.Vec|types.Add) != 0
	}
	if !scalar(result) {
		return 0
	}
	n := 0
	for _, p := range params {
		if scalar(p) {
			n++
		}
	}
	return n
}

// TestDoc checks that documentation is prose and then an example that is true.
func TestDoc(t *testing.T) {
	skipped := map[string]bool{"show": true, "debug": true, "fail": true, "zero": true}
	each(t, func(t *testing.T, row *prim.Prim) {
		prose, example, ok := strings.Cut(row.Doc, "\n")
		if !ok || !strings.HasSuffix(prose, ".") || strings.Contains(example, "\n") {
			t.Fatalf("the documentation is not prose and then one example: %q", row.Doc)
		}
		expression, value, ok := strings.Cut(example, " -- ")
		if !ok {
			t.Fatalf("the example %q has no value", example)
		}
		if row.Name == "file" {
			return // there is none here
		}
		if row.Hidden || row.Text != nil || skipped[row.Name] {
			parse(expression)
			return
		}
		got, err := evaluate(expression, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := evaluate(value, nil)
		if err != nil {
			t.Fatal(err)
		}
		if show(got) != show(want) {
			t.Errorf("%s is %s", example, show(got))
		}
	})
}

// TestDomain checks the domain at the samples and outside of it.
func TestDomain(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		for _, sample := range row.Samples {
			if row.Domain != "" && !inDomain(row, sample) {
				t.Errorf("%v is outside of %s", sample, row.Domain)
			}
		}
		for _, sample := range row.Outside {
			if inDomain(row, sample) {
				t.Errorf("%v satisfies %s", sample, row.Domain)
			}
		}
		if row.Domain != "" && len(row.Outside) == 0 && row.Name != "tan" { // no double is a pole of tan
			t.Error("no point outside of the domain")
		}
	})
}

// inDomain evaluates the domain; where that fails the point is outside.
func inDomain(row *prim.Prim, x []float64) bool {
	if row.Domain == "" {
		return true
	}
	v, err := evaluate(row.Domain, bind(row, x))
	return err == nil && v.(bool)
}

// bind gives the parameters of a row their values.
func bind(row *prim.Prim, x []float64) environment {
	env := environment{}
	if overArray(row) {
		env[row.Params[0]] = boxed(x)
		return env
	}
	params, _ := types.Splay(row.Scheme.Type, len(row.Params))
	for i, name := range row.Params {
		env[name] = x[i]
		if params[i] == types.Int {
			env[name] = int64(x[i])
		}
	}
	return env
}

// apply evaluates a row over doubles.
func apply(row *prim.Prim, x []float64) float64 {
	args := []any{}
	if overArray(row) {
		return callLeaf(row, []any{boxed(x)}).(float64)
	}
	env := bind(row, x)
	for _, name := range row.Params {
		args = append(args, env[name])
	}
	return callReal(row, args)
}

// callReal keeps an integer argument (x^n) from selecting the Int column.
func callReal(row *prim.Prim, args []any) float64 {
	if f, ok := row.Float.(prim.RealInt); ok {
		return f(args[0].(float64), args[1].(int64))
	}
	return callLeaf(row, args).(float64)
}

func exactly(xs []float64) []*big.Float {
	exact := make([]*big.Float, len(xs))
	for i, x := range xs {
		exact[i] = reference.New(x)
	}
	return exact
}

// TestSpecial checks the values at special arguments, signs of zeros included.
func TestSpecial(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		for _, special := range row.Special {
			x, want := special[:row.Arity()], special[row.Arity()]
			if got := apply(row, x); !same(got, want) {
				t.Errorf("%v gives %v, want %v", x, got, want)
			}
		}
	})
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// TestValues compares the float evaluators with the references.
func TestValues(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		_, result := types.Splay(row.Scheme.Type, len(row.Params))
		c, ok := checks[row.Name]
		if !ok {
			if (result == types.Real || realParams(row) > 0) && row.Arity() > 0 && row.Name != "real" && row.Float != nil && !isWhole(row) {
				t.Error("no reference")
			}
			return
		}
		worst, at := 0.0, []float64(nil)
		for _, x := range arguments(row, c) {
			want := c.exact(exactly(x))
			if want == nil {
				continue
			}
			got := apply(row, x)
			if c.absolute > 0 {
				if d, _ := distanceOr(got, want).Float64(); d <= c.absolute {
					continue
				}
			}
			if e := ulps(got, want); e > worst {
				worst, at = e, x
			}
		}
		if worst > c.ulp {
			t.Errorf("%v: off by %.3g ulp: %v, want %.20g", at, worst, apply(row, at), c.exact(exactly(at)))
		}
		if *measured {
			t.Logf("MAX %-10s %.3f ulp at %v", row.Name, worst, at)
		}
	})
}

func distanceOr(got float64, want *big.Float) *big.Float {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return new(big.Float).SetInf(false)
	}
	return distance(got, want)
}

// arguments returns the samples and random points of the domain: of all
// magnitudes, of everyday size, near small integers and near multiples of π/2.
func arguments(row *prim.Prim, c check) [][]float64 {
	rng := rand.New(rand.NewPCG(1, uint64(len(row.Doc))))
	random := func() float64 {
		sign := float64(1 - 2*rng.IntN(2))
		switch rng.IntN(8) {
		case 0, 1:
			return sign * math.Ldexp(1+rng.Float64(), rng.IntN(2097)-1074)
		case 2:
			return sign * math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		case 3:
			return sign * rng.Float64() * 750
		case 4: // near an integer
			return sign*float64(rng.IntN(30)) + math.Ldexp(rng.Float64()-0.5, -rng.IntN(53))
		case 5: // as near as can be to a multiple of π/2
			return sign * float64(rng.IntN(1<<rng.IntN(30)+1)) * (math.Pi / 2)
		}
		return sign * rng.ExpFloat64() * 3
	}
	all := append([][]float64(nil), row.Samples...)
	params, _ := types.Splay(row.Scheme.Type, len(row.Params))
	for tries := 0; tries < 20**points && len(all) < *points; tries++ {
		n := row.Arity()
		if overArray(row) {
			n = 1 + rng.IntN(20)
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = random()
			if !overArray(row) && params[i] == types.Int {
				x[i] = math.Trunc(x[i])
			}
			if i > 0 && rng.IntN(4) == 0 { // arguments of similar size
				x[i] = x[0] * (1 + rng.NormFloat64()/8)
				if !overArray(row) && params[i] == types.Int {
					x[i] = math.Trunc(x[i])
				}
			}
		}
		finite := !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
		if finite && (c.span == nil || c.span(x)) && inDomain(row, x) {
			all = append(all, x)
		}
	}
	return all
}

// TestSoftmax compares each weight with the reference.
func TestSoftmax(t *testing.T) {
	row := prim.Lookup("softmax")
	worst := 0.0
	for _, xs := range arguments(row, check{span: func(x []float64) bool { return true }}) {
		got := vector(callLeaf(row, []any{boxed(xs)}))
		for i := range xs {
			worst = max(worst, ulps(got[i], softmax(exactly(xs), i)))
		}
	}
	if worst > 4 {
		t.Errorf("off by %.3g ulp", worst)
	}
	if *measured {
		t.Logf("MAX %-10s %.3f ulp", row.Name, worst)
	}
}
