package grad_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-13*(1+math.Abs(y)) }

// product is Π xs[i].
func product() *loop.Func {
	xs, p := loop.NewVar("xs", loop.F64s), loop.NewVar("p", loop.F64)
	var b, body loop.Builder
	i := loop.NewVar("i", loop.I64)
	n := b.Length(xs)
	x := body.Load("x", xs, i)
	b.Add(&loop.For{Index: i, Count: n, Parallel: true, Body: body.Block(x),
		Reds: []loop.Red{{Op: loop.MulF, Init: loop.Real(1), Result: p}}})
	return &loop.Func{Name: "product", Params: []*loop.Var{xs}, Body: b.Block(p)}
}

// TestProduct: each factor's slope is the product of the others, a factor 0 included.
func TestProduct(t *testing.T) {
	out := run(t, reverse(t, product()), loop.RealsValue([]float64{2, 0, 3, 5}), loop.RealValue(1))
	for i, want := range []float64{0, 30, 0, 0} {
		if got := out[1].Reals()[i]; got != want {
			t.Errorf("slope %d is %v, not %v", i, got, want)
		}
	}
}

// TestHessian: the forward derivative of the reverse derivative of Σ x_i² y_i³ and of a product.
func TestHessian(t *testing.T) {
	rev := reverse(t, product())
	both := forward(t, rev)
	at, along := []float64{2, 7, 3}, []float64{1, 10, 100}
	out := run(t, both, loop.RealsValue(at), loop.RealValue(1), loop.RealsValue(along), loop.RealValue(0))
	// The results are p, the gradient, tied, and their tangents.
	want := []float64{3*10 + 7*100, 3*1 + 2*100, 7*1 + 2*10}
	for i, got := range out[4].Reals() {
		if !near(got, want[i]) {
			t.Errorf("element %d of the Hessian's product is %v, not %v", i, got, want[i])
		}
	}
}

// power is x^n by recursion.
func power() (*loop.Program, *loop.Func) {
	x, n, r := loop.NewVar("x", loop.F64), loop.NewVar("n", loop.I64), loop.NewVar("r", loop.F64)
	f := &loop.Func{Name: "power", Params: []*loop.Var{x, n}}
	var b, then, otherwise loop.Builder
	c := b.Let("c", loop.LeI, n, loop.Int(0))
	less := loop.NewVar("p", loop.F64)
	otherwise.Add(&loop.Call{Results: []*loop.Var{less}, Func: f, Args: []loop.Atom{x, otherwise.Let("m", loop.SubI, n, loop.Int(1))}})
	b.Add(&loop.If{Results: []*loop.Var{r}, Cond: c, Then: then.Block(loop.Real(1)),
		Else: otherwise.Block(otherwise.Let("r", loop.MulF, x, less))})
	f.Body = b.Block(r)
	return &loop.Program{Funcs: []*loop.Func{f}}, f
}

// TestRecursion: derivatives of functions that call themselves, of the first and second order.
func TestRecursion(t *testing.T) {
	p, f := power()
	rev, err := grad.Reverse(p, f, []bool{true, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, rev)
	out := run(t, rev, loop.RealValue(3), loop.IntValue(5), loop.RealValue(1))
	if out[0].Real() != 243 || out[1].Real() != 405 {
		t.Errorf("3^5 and its slope are %v and %v", out[0].Real(), out[1].Real())
	}
	p.Funcs = append(p.Funcs, rev)
	twice, err := grad.Forward(p, rev, []bool{true, false, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, p, twice)
	out = run(t, twice, loop.RealValue(3), loop.IntValue(5), loop.RealValue(1), loop.RealValue(1))
	if got := out[4].Real(); got != 540 {
		t.Errorf("the second slope of 3^5 is %v", got)
	}
}

// TestTies: a tie is told where it matters, and only there.
func TestTies(t *testing.T) {
	x, y := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64)
	var b loop.Builder
	m := b.Let("m", loop.MaxF, x, y)
	f := &loop.Func{Name: "f", Params: []*loop.Var{x, y}, Body: b.Block(m)}
	rev := reverse(t, f)
	for _, c := range []struct {
		x, y, cot float64
		tied      bool
	}{{1, 2, 1, false}, {2, 2, 1, true}, {2, 2, 0, false}, {math.NaN(), 2, 1, true}} {
		out := run(t, rev, loop.RealValue(c.x), loop.RealValue(c.y), loop.RealValue(c.cot))
		if tied(out) != c.tied {
			t.Errorf("max %v %v with the cotangent %v: tied is %v", c.x, c.y, c.cot, tied(out))
		}
	}
	fwd := forward(t, f)
	if out := run(t, fwd, loop.RealValue(2), loop.RealValue(2), loop.RealValue(0), loop.RealValue(1)); !tied(out) {
		t.Error("max 2 2 is not tied in forward mode")
	}
	// A comparison of what varies, and one of what does not.
	for _, wanted := range [][]bool{{true, true}, {false, false}} {
		var b loop.Builder
		s := b.Let("s", loop.SelF, b.Let("c", loop.LtF, x, y), x, y)
		f := &loop.Func{Name: "g", Params: []*loop.Var{x, y}, Body: b.Block(s)}
		rev, err := grad.Reverse(&loop.Program{Funcs: []*loop.Func{f}}, f, wanted, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if out := run(t, rev, loop.RealValue(2), loop.RealValue(2), loop.RealValue(1)); tied(out) != wanted[0] {
			t.Errorf("wanted %v: tied is %v", wanted, tied(out))
		}
		if out := run(t, rev, loop.RealValue(math.NaN()), loop.RealValue(2), loop.RealValue(1)); tied(out) {
			t.Error("a comparison with NaN is tied")
		}
	}
}

// TestOneReal: a comparison of an element with itself is not tied, however the index is computed;
// one with an equal element is.
func TestOneReal(t *testing.T) {
	xs, i, j := loop.NewVar("xs", loop.F64s), loop.NewVar("i", loop.I64), loop.NewVar("j", loop.I64)
	var b loop.Builder
	side := func(k loop.Atom) loop.Atom { return b.Let("x", loop.AbsF, b.Load("x", xs, k)) }
	x, y := side(i), side(j)
	s := b.Let("s", loop.SelF, b.Let("c", loop.LtF, x, y), x, y)
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, i, j}, Body: b.Block(s)}
	args := func(i, j int64) []loop.Value {
		return []loop.Value{loop.RealsValue([]float64{-2, 3, 2}), loop.IntValue(i), loop.IntValue(j)}
	}
	rev, fwd := reverse(t, f), forward(t, f)
	for _, c := range []struct {
		i, j int64
		tied bool
	}{{0, 0, false}, {0, 1, false}, {0, 2, true}} {
		back := run(t, rev, append(args(c.i, c.j), loop.RealValue(1))...)
		on := run(t, fwd, append(args(c.i, c.j), loop.RealsValue([]float64{1, 1, 1}))...)
		if tied(back) != c.tied || tied(on) != c.tied {
			t.Errorf("elements %d and %d: tied is %v in reverse, %v forwards", c.i, c.j, tied(back), tied(on))
		}
	}
}

// TestAlong: tangents that are known to be zero cost nothing, and a comparison of what they belong
// to is tied all the same.
func TestAlong(t *testing.T) {
	x, y := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64)
	var b loop.Builder
	p := b.Let("p", loop.MulF, x, b.Let("s", loop.Lookup("sin"), y))
	s := b.Let("s", loop.SelF, b.Let("c", loop.LtF, y, loop.Real(1)), p, x)
	f := &loop.Func{Name: "f", Params: []*loop.Var{x, y}, Body: b.Block(s)}
	along, err := grad.Along(&loop.Program{}, f, []bool{true, true}, []bool{false, true}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	whole := forward(t, f)
	for _, y := range []float64{0.5, 1, 2} {
		args := []loop.Value{loop.RealValue(3), loop.RealValue(y), loop.RealValue(2), loop.RealValue(0)}
		got, want := run(t, along, args...), run(t, whole, args...)
		if got[1].Real() != want[1].Real() || tied(got) != tied(want) || tied(got) != (y == 1) {
			t.Errorf("at y = %v the tangent is %v, tied: %v; it should be %v, %v", y, got[1].Real(), tied(got), want[1].Real(), tied(want))
		}
	}
	for _, s := range along.Body.Stmts {
		if let, ok := s.(*loop.Let); ok && let.Op.Name == "cos" {
			t.Errorf("the slope of a zero is computed\n%s", along)
		}
	}
}

// TestMaximum: the cotangent of a maximum goes to the turn that attains it; two are a tie.
func TestMaximum(t *testing.T) {
	xs, m := loop.NewVar("xs", loop.F64s), loop.NewVar("m", loop.F64)
	var b, body loop.Builder
	i := loop.NewVar("i", loop.I64)
	n := b.Length(xs)
	x := body.Load("x", xs, i)
	b.Add(&loop.For{Index: i, Count: n, Parallel: true, Body: body.Block(body.Let("y", loop.MulF, x, x)),
		Reds: []loop.Red{{Op: loop.MaxF, Init: loop.Real(math.Inf(-1)), Result: m}}})
	rev := reverse(t, &loop.Func{Name: "largest", Params: []*loop.Var{xs}, Body: b.Block(m)})
	out := run(t, rev, loop.RealsValue([]float64{1, -3, 2}), loop.RealValue(10))
	if got := out[1].Reals(); tied(out) || got[0] != 0 || got[1] != -60 || got[2] != 0 {
		t.Errorf("the gradient is %v, tied %v", got, tied(out))
	}
	if out := run(t, rev, loop.RealsValue([]float64{3, -3, 2}), loop.RealValue(10)); !tied(out) {
		t.Error("two maxima are not a tie")
	}
}

// TestNotFinite: a slope that is not finite is not hidden by a cotangent that is zero.
func TestNotFinite(t *testing.T) {
	x := loop.NewVar("x", loop.F64)
	var b loop.Builder
	y := b.Let("y", loop.MulF, b.Let("r", loop.Sqrt, x), loop.Real(0))
	rev := reverse(t, &loop.Func{Name: "f", Params: []*loop.Var{x}, Body: b.Block(y)})
	if out := run(t, rev, loop.RealValue(0), loop.RealValue(1)); !math.IsNaN(out[1].Real()) {
		t.Errorf("the slope is %v", out[1].Real())
	}
}

// TestStopped: what goes through its bits is a constant, and a test for a number is no tie.
func TestStopped(t *testing.T) {
	x := loop.NewVar("x", loop.F64)
	var b loop.Builder
	c := b.Let("c", loop.FromBits, b.Let("bits", loop.Bits, x))
	y := b.Let("y", loop.SelF, b.Let("nan", loop.NeF, x, x), loop.Real(0), b.Let("p", loop.MulF, c, x))
	f := &loop.Func{Name: "f", Params: []*loop.Var{x}, Body: b.Block(y)}
	if out := run(t, reverse(t, f), loop.RealValue(3), loop.RealValue(1)); out[1].Real() != 3 || tied(out) {
		t.Errorf("the slope of x times the constant x is %v at 3, tied %v", out[1].Real(), tied(out))
	}
	if out := run(t, forward(t, f), loop.RealValue(3), loop.RealValue(1)); out[1].Real() != 3 || tied(out) {
		t.Errorf("forward, it is %v, tied %v", out[1].Real(), tied(out))
	}
}

// TestUnknown: an operation without a rule is an error, if it matters.
func TestUnknown(t *testing.T) {
	x := loop.NewVar("x", loop.F64)
	var b loop.Builder
	y := b.Let("y", loop.Lookup("erf"), x)
	f := &loop.Func{Name: "f", Params: []*loop.Var{x}, Body: b.Block(y)}
	if _, err := grad.Reverse(&loop.Program{Funcs: []*loop.Func{f}}, f, []bool{true}, looptest.Rules); err == nil {
		t.Error("there is a derivative of erf without a rule")
	}
}

// inPlace fills s[1] … s[n] by s[i+1] = sin (w s[i] + s[j]), j = i/2, where s[0] = x, and gives
// s[n].
func inPlace() *loop.Func {
	x, w, n := loop.NewVar("x", loop.F64), loop.NewVar("w", loop.F64), loop.NewVar("n", loop.I64)
	var b, body loop.Builder
	size := b.Let("size", loop.AddI, n, loop.Int(1))
	start := b.Alloc("start", loop.F64s, size, false)
	b.Parallel("i", size, func(b *loop.Builder, i *loop.Var) { b.Store(start, i, x) })
	s := &loop.For{Index: loop.NewVar("i", loop.I64), Count: n}
	st := loop.State{Var: loop.NewVar("s", loop.F64s), Init: start, Result: loop.NewVar("s", loop.F64s)}
	now := body.Load("now", st.Var, s.Index)
	old := body.Load("old", st.Var, body.Let("j", loop.DivI, s.Index, loop.Int(2)))
	y := body.Let("y", loop.Lookup("sin"), body.Let("a", loop.AddF, body.Let("p", loop.MulF, w, now), old))
	next := loop.NewVar("s", loop.F64s)
	body.Add(&loop.Update{Var: next, Buf: st.Var, At: body.Let("k", loop.AddI, s.Index, loop.Int(1)), Value: y})
	s.States, s.Body = []loop.State{st}, body.Block(next)
	b.Add(s)
	return &loop.Func{Name: "inPlace", Params: []*loop.Var{x, w, n}, Body: b.Block(b.Load("y", st.Result, n))}
}

// TestInPlace: the reverse derivative of a loop that updates an array costs a multiple of the
// loop, whatever the length of the array; it agrees with the forward derivative.
func TestInPlace(t *testing.T) {
	f := inPlace()
	rev, fwd := reverse(t, f), forward(t, f)
	ratio := func(n int64) float64 {
		args := []loop.Value{loop.RealValue(0.3), loop.RealValue(1.1), loop.IntValue(n)}
		back := run(t, rev, append(args, loop.RealValue(1))...)
		for i, d := range [][2]float64{{1, 0}, {0, 1}} {
			ahead := run(t, fwd, append(args, loop.RealValue(d[0]), loop.RealValue(d[1]))...)
			if x, y := back[1+i].Real(), ahead[1].Real(); !near(x, y) {
				t.Errorf("n %d, slope %d: reverse %v, forward %v", n, i, x, y)
			}
		}
		return float64(loop.Measure(rev, append(args, loop.RealValue(1))...).Work) / float64(loop.Measure(f, args...).Work)
	}
	if few, many := ratio(10), ratio(200); many > 1.1*few {
		t.Errorf("the reverse derivative costs %.1f times the value for 10 turns, %.1f times for 200", few, many)
	}
}
