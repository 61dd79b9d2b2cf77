package fit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/fit"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// around returns the boxes of a factor of 2 around published values.
func (r *reference) around() (list []fit.Given) {
	for i, name := range r.names {
		lo, hi := r.values[i]/2, 2*r.values[i]
		list = append(list, fit.Given{Name: name, Text: fmt.Sprintf("%g..%g", min(lo, hi), max(lo, hi))})
	}
	return list
}

// TestGlobalReferences proves that published minima are the least ones in boxes around them.
func TestGlobalReferences(t *testing.T) {
	some := []string{"misra1a", "misra1c", "boxbod", "danwood"}
	if *everything {
		some = append(some, "misra1b", "misra1d", "rat42", "eckerle4", "roszman1", "nelson", "chwirut1",
			"chwirut2", "mgh09", "mgh17", "mgh10", "kirby2", "rat43")
	}
	all := references(t)
	for _, name := range some {
		r := all[name]
		o := r.options(r.near)
		o.Box = r.around()
		result := run(t, "testdata/nist/models.flx", o)
		if d := result.Globally(context.Background(), nil); d != nil {
			t.Errorf("%s: %v %v", name, d, d.Hints)
			continue
		}
		if g := result.Global; !g.Proved() || len(g.Places) != 1 || g.Moved {
			t.Errorf("%s: %d places, %d boxes left", name, len(g.Places), len(g.Open))
		}
		for i, k := range r.names {
			agree(t, name+" "+k, result.Global.Places[0].X[i], r.values[i])
		}
		if d := digits(2*result.Global.Value.Middle(), r.rss); d < 10 {
			t.Errorf("%s: the sum of squares agrees to %.1f digits", name, d)
		}
	}
}

// cell is current and voltage of a solar cell (Easwarakhanthan and others, 1986).
const cell = `v,i
-0.2057,0.764
-0.1291,0.762
-0.0588,0.7605
0.0057,0.7605
0.0646,0.76
0.1185,0.759
0.1678,0.757
0.2132,0.757
0.2545,0.7555
0.2924,0.754
0.3269,0.7505
0.3585,0.7465
0.3873,0.7385
0.4137,0.728
0.4373,0.7065
0.459,0.6755
0.4784,0.632
0.496,0.573
0.5119,0.499
0.5265,0.413
0.5398,0.3165
0.5521,0.212
0.5633,0.1035
0.5736,-0.01
0.5833,-0.123
0.59,-0.21
`

// TestSolarCell: in the model of a solar cell with one diode, in the box of the literature, the least
// root of the mean square is the published one, 9.8602e-4. The model is linear in three parameters,
// and says what should be 0.
func TestSolarCell(t *testing.T) {
	if !property.Long() {
		t.Skip("ten thousand boxes")
	}
	folder := t.TempDir()
	file := write(t, folder, "cell.flx", strings.Join([]string{
		"let vt = 1.380649e-23 * 306.15 / 1.602176634e-19",
		"let single (p : {photo : Real, sat : Real, rs : Real, g : Real, n : Real}) (v i : Real) =",
		"  let x = v + i * p.rs in",
		"  p.photo - p.sat * (exp (x / (p.n * vt)) - 1) - x * p.g - i",
		"let start = {photo = 0.7, sat = 3e-7, rs = 0.03, g = 0.02, n = 1.5}",
	}, "\n"))
	result := run(t, file, fit.Options{Function: "single", Kind: fit.Prediction, Level: 0.95,
		Data: []string{write(t, folder, "cell.csv", cell)}, Response: []string{"0"},
		Box: []fit.Given{{Name: "photo", Text: "0..1"}, {Name: "sat", Text: "0..1e-6"},
			{Name: "rs", Text: "0..0.5"}, {Name: "g", Text: "0.01..1000"}, {Name: "n", Text: "1..2"}}})
	if d := result.Globally(context.Background(), nil); d != nil {
		t.Fatal(d, d.Hints)
	}
	g := result.Global
	if rms := math.Sqrt(2 * g.Value.Middle() / 26); math.Abs(rms-9.8602e-4) > 1e-8 || len(g.Linear) != 3 {
		t.Errorf("the root of the mean square is %v, and %d parameters are eliminated", rms, len(g.Linear))
	}
}

// TestGlobal: kinds of fits whose least minimum is known, also at bounds, at kinks and at two places.
func TestGlobal(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "models.flx", strings.Join([]string{
		"let wave (p : {a : Real, w : Real}) (x : Real) : Real = p.a * sin (p.w * x)",
		"let two (p : {a : Real, b : Real, s : Real, t : Real}) (x : Real) : Real =",
		"  p.a * exp (-p.s * x) + p.b * exp (-p.t * x)",
		"let line (p : {a : Real, b : Real}) (x : Real) : Real = p.a + p.b * x",
		"let off (p : {a : Real, b : Real}) (x y : Real) : Real = abs (y - p.a - p.b * x)",
		"let likely (p : {a : Real, s : Real}) (y : Real) : Real = -(log p.s) - ((y - p.a) / p.s)^2 / 2",
		"let valley (p : {a : Real, b : Real}) : Real = (p.a^2 - 2)^2 + (p.b - p.a)^2 - p.a / 10",
		"let pole (p : {a : Real, b : Real}) (x : Real) : Real = p.a / (x - p.b)",
	}, "\n"))
	tables := 0
	table := func(f func(x float64) float64) string {
		tables++
		b := "x,y\n"
		for x := 0.0; x < 4; x += 0.25 {
			b += fmt.Sprintf("%g,%.12g\n", x, f(x))
		}
		return write(t, folder, fmt.Sprintf("t%d.csv", tables), b)
	}
	bent := table(func(x float64) float64 { return 1 + 2*x + 0.125*math.Cos(9*x) })
	for _, c := range []struct {
		name, function string
		kind           fit.Kind
		data           string
		start          string
		box            string
		robust         string
		want           []float64
		places         int
		moved          bool
	}{
		{"moved", "wave", fit.Prediction, table(func(x float64) float64 { return 2 * math.Sin(3*x) }),
			"{a = 1, w = 7}", "a=0.5..5 w=0.5..10", "", []float64{2, 3}, 1, true},
		{"symmetric", "two", fit.Prediction,
			table(func(x float64) float64 { return 2*math.Exp(-x) + math.Exp(-3*x) + 0.001*math.Cos(5*x) }),
			"{a = 2, b = 1, s = 1, t = 3}", "a=0..4 b=0..4 s=0.5..4 t=0.5..4", "", nil, 2, false},
		{"at a bound", "line", fit.Prediction, bent, "{a = 1.5, b = 1.5}", "a=1.4..3 b=0..5", "",
			[]float64{1.4}, 1, true},
		{"likelihood", "likely", fit.LogLikelihood, bent, "{a = 4, s = 2}", "a=-10..10 s=0.1..20", "", nil, 1,
			false},
		{"robust", "line", fit.Prediction, bent, "{a = 0, b = 0}", "a=0..3 b=0..4", "cauchy", nil, 1, false},
		{"loss", "valley", fit.Loss, "", "{a = -1, b = -1}", "a=-3..3 b=-3..3", "", nil, 1, true},
		{"pole", "pole", fit.Prediction, table(func(x float64) float64 { return 3 / (x + 1.5) }),
			"{a = 1, b = -2}", "a=0..10 b=-3..3", "", []float64{3, -1.5}, 1, false},
		{"absolute", "off", fit.Loss, write(t, folder, "five.csv", "x,y\n0,1\n1,3.5\n2,4\n3,7.5\n5,8\n"),
			"{a = 0, b = 0}", "a=-5..5 b=-5..5", "", nil, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fit.Options{Function: c.function, Kind: c.kind, Start: c.start, Level: 0.95, Robust: c.robust}
			if c.data != "" {
				o.Data = []string{c.data}
			}
			if c.kind == fit.Prediction {
				o.Response = []string{"y"}
			}
			for word := range strings.FieldsSeq(c.box) {
				name, text, _ := strings.Cut(word, "=")
				o.Box = append(o.Box, fit.Given{Name: name, Text: text})
			}
			result, list := try(file, o, fit.Control{})
			if result == nil {
				t.Fatal(list.Sorted())
			}
			if d := result.Globally(context.Background(), nil); d != nil {
				t.Fatal(d, d.Hints)
			}
			g := result.Global
			if len(g.Places) != c.places || g.Moved != c.moved {
				t.Errorf("%d places, moved: %t", len(g.Places), g.Moved)
			}
			for i, want := range c.want {
				if got := g.Places[0].X[i].Middle(); math.Abs(got-want) > 1e-8 {
					t.Errorf("parameter %d is %v, not %v", i, got, want)
				}
			}
		})
	}
}

// TestGlobalAgrees: in random problems no point of the box has a value below the least one that is
// proved, and the search in fewer parameters finds the same as the search in all of them.
func TestGlobalAgrees(t *testing.T) {
	models := []string{
		"p.a * exp (-p.s * x) + p.b",
		"p.a * x / (p.s + x) + p.b * x",
		"p.a * sin (p.s * x) + p.b * cos (p.s * x)",
		"p.a * (x - p.s)^2 + p.b * (x + p.s)",
		"p.a / (1 + exp (p.s - x)) + p.b * p.s",
	}
	r := rand.New(rand.NewPCG(property.First(), 31))
	for round := range property.Rounds(4) {
		folder := t.TempDir()
		model := models[round%len(models)]
		signature := "(p : {a : Real, b : Real, s : Real})"
		file := write(t, folder, "m.flx", fmt.Sprintf("let f %s (x : Real) : Real = %s\nlet g %s (x y : Real) "+
			": Real = (y - f p x)^2 / 2\n", signature, model, signature))
		rows := "x,y\n"
		var xs, ys []float64
		for k := range 6 {
			x, y := float64(k)/2+r.Float64()/4, r.NormFloat64()+2
			rows += fmt.Sprintf("%v,%v\n", x, y)
			xs, ys = append(xs, x), append(ys, y)
		}
		lo := []float64{-1 + 2*r.Float64(), -2 + 2*r.Float64(), 0.2 + r.Float64()}
		hi := []float64{lo[0] + 3*r.Float64() + 0.1, lo[1] + 3*r.Float64() + 0.1, lo[2] + 2*r.Float64() + 0.1}
		var box []fit.Given
		for k, name := range []string{"a", "b", "s"} {
			box = append(box, fit.Given{Name: name, Text: fmt.Sprintf("%v..%v", lo[k], hi[k])})
		}
		o := fit.Options{Function: "f", Kind: fit.Prediction, Start: "{a = 1, b = 1, s = 1}", Level: 0.95,
			Data: []string{write(t, folder, "d.csv", rows)}, Response: []string{"y"}, Box: box, Iterations: 50}
		least := func(o fit.Options) *exact.Least {
			result, list := try(file, o, fit.Control{})
			if result == nil {
				t.Skip(list.Sorted()) // the fit fails before
			}
			if d := result.Globally(context.Background(), nil); d != nil {
				t.Fatalf("%s on %v: %v %v", model, box, d, d.Hints)
			}
			return result.Global.Least
		}
		one := least(o)
		o.Function, o.Kind, o.Response = "g", fit.Loss, nil
		other := least(o)
		if one.Value.Lo.Cmp(other.Value.Hi) > 0 || other.Value.Lo.Cmp(one.Value.Hi) > 0 || len(one.Linear) == 0 {
			t.Errorf("%s on %v: %v and %v", model, box, one.Value, other.Value)
		}
		below, _ := one.Value.Lo.Float64()
		for range 2000 {
			p := make([]float64, 3)
			for k := range p {
				p[k] = lo[k] + (hi[k]-lo[k])*min(1, max(0, 1.2*r.Float64()-0.1))
			}
			if sum := squares(round%len(models), p, xs, ys); sum < below*(1-1e-9)-1e-12 {
				t.Errorf("%s on %v: at %v it is %v, below %v", model, box, p, sum, below)
			}
		}
	}
}

// squares returns half the sum of squares of a model of TestGlobalAgrees.
func squares(model int, p, xs, ys []float64) (sum float64) {
	a, b, s := p[0], p[1], p[2]
	for k, x := range xs {
		f := []float64{a*math.Exp(-s*x) + b, a*x/(s+x) + b*x, a*math.Sin(s*x) + b*math.Cos(s*x),
			a*(x-s)*(x-s) + b*(x+s), a/(1+math.Exp(s-x)) + b*s}[model]
		sum += (ys[k] - f) * (ys[k] - f) / 2
	}
	return sum
}

// TestGlobalInTime: a search that is stopped says what is known, and that is true.
func TestGlobalInTime(t *testing.T) {
	r := references(t)["rat43"]
	o := r.options(r.near)
	o.Box = r.around()
	result := run(t, "testdata/nist/models.flx", o)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watched := 0
	d := result.Globally(ctx, func(*exact.Least) {
		watched++
		cancel()
	})
	if d == nil || d.Code != diag.Unproved || !strings.Contains(d.Message, "not finished") || watched == 0 {
		t.Fatalf("%v after %d reports", d, watched)
	}
	g := result.Global
	if g.Proved() || len(g.Open) == 0 || g.Value.Lo.Cmp(g.Value.Hi) > 0 ||
		g.Value.Hi.Cmp(big.NewFloat(r.rss/2*0.999999)) < 0 {
		t.Errorf("%d boxes are left, and the value is in %v", len(g.Open), g.Value)
	}
	contains := func(x []exact.Enclosure) bool {
		for i, e := range x {
			if v := big.NewFloat(r.values[i]); e.Lo.Cmp(v) > 0 || e.Hi.Cmp(v) < 0 {
				return false
			}
		}
		return true
	}
	if len(g.Places) == 0 && !slices.ContainsFunc(g.Open, contains) {
		t.Error("the minimum is lost")
	}
}

// TestGlobalErrors: boxes that are none.
func TestGlobalErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a=0..1":              "`b` has no bounds",
		"a=0..1 b=2..1":       "not a range",
		"a=0..1 b=1":          "not a range",
		"a=0..1 b=nan..1":     "not a range",
		"a=0..1 b=0..inf":     "has no bounds",
		"a=0..1 c=0..1":       "no parameter `c`",
		"a=0..1 b=0..1 c=0..": "no parameter `c`",
	} {
		folder := t.TempDir()
		file := write(t, folder, "line.flx", lineText)
		o := fit.Options{Function: "line", Kind: fit.Prediction, Response: []string{"y"}, Global: true,
			Data: []string{write(t, folder, "line.csv", "x,y\n0,1\n1,2\n2,4\n")}, Start: "{a = 0, b = 0}",
			Level: 0.95}
		for word := range strings.FieldsSeq(text) {
			name, text, _ := strings.Cut(word, "=")
			o.Box = append(o.Box, fit.Given{Name: name, Text: text})
		}
		result, list := try(file, o, fit.Control{})
		if ds := list.Sorted(); result != nil || len(ds) != 1 || !strings.Contains(ds[0].Message, want) {
			t.Errorf("%s: %v", text, ds)
		}
	}
}
