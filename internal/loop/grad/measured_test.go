package grad_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// resizing are loops with states that change their lengths. Each is the body of a function of n,
// which is 4, xs, which has n elements, and x.
var resizing = map[string]string{
	// Element i of each turn is x·s[i] + s[i+1]².
	"shrinking": `
	for k < n, s : f64s = xs {
		j = sub.i n k
		m = sub.i j 1
		next = alloc f64s m
		for i < m parallel {
			a = s[i]
			i1 = add.i i 1
			b = s[i1]
			p = mul.f a x
			q = mul.f b b
			y = add.f p q
			next[i] = y
		}
		yield next
	} gives r : f64s
	yield r`,
	"growing": `
	for k < n, s : f64s = xs {
		l = length s
		m = add.i l 1
		next = alloc f64s m
		for i < l parallel {
			a = s[i]
			y = sin a
			next[i] = y
		}
		b = s[k]
		c = mul.f b x
		next[l] = c
		yield next
	} gives r : f64s
	yield r`,
	"empty at first": `
	none = alloc f64s 0
	for k < n, l : i64 = 0, s : f64s = none {
		m = add.i l 1
		next = alloc f64s m
		for i < l parallel {
			a = s[i]
			y = mul.f a x
			next[i] = y
		}
		b = xs[k]
		next[l] = b
		yield m next
	} gives l.1 : i64, r : f64s
	yield r`,
	"changing places": `
	one = alloc f64s 1
	one[0] = x
	for k < n, s : f64s = xs, t : f64s = one {
		l = length s
		next = alloc f64s l
		b = t[0]
		for i < l parallel {
			a = s[i]
			y = mul.f a b
			next[i] = y
		}
		yield t next
	} gives r : f64s, q : f64s
	yield r q`,
	"integers": `
	is = alloc i64s 1
	is[0] = 1
	for k < n, s : i64s = is, y : f64 = x {
		l = length s
		m = add.i l 1
		next = alloc i64s m
		for i < l parallel {
			a = s[i]
			next[i] = a
		}
		next[l] = k
		for i.1 < l parallel, add.f from 0.0 {
			at = s[i.1]
			b = xs[at]
			yield b
		} gives sum : f64
		z = mul.f y sum
		w = sin z
		yield next w
	} gives r : i64s, q : f64
	yield q`,
	"in a loop": `
	for k < n, z : f64 = x, o : f64s = xs {
		for j < k, s : f64s = o {
			l = length s
			m = add.i l 1
			next = alloc f64s m
			for i < l parallel {
				a = s[i]
				b = mul.f a z
				c = tanh b
				next[i] = c
			}
			d = s[0]
			next[l] = d
			yield next
		} gives r : f64s
		l.1 = length r
		for i.1 < l.1 parallel, add.f from 0.0 {
			e = r[i.1]
			yield e
		} gives sum : f64
		w = sin sum
		yield w r
	} gives q : f64, p : f64s
	yield q p`,
	"a choice": `
	for k < n, s : f64s = xs {
		odd = and.i k 1
		c = eq.i odd 1
		if c {
			one = alloc f64s 1
			a = s[0]
			b = mul.f a x
			one[0] = b
			yield one
		} else {
			yield s
		} gives next : f64s
		yield next
	} gives r : f64s
	yield r`,
	"a condition": `
	while, k : i64 = 0, s : f64s = xs, y : f64 = x {
		l = length s
		c = lt.i l 8
		yield c
	} do {
		l.1 = length s
		m = add.i l.1 k
		m.1 = add.i m 1
		next = alloc f64s m.1
		for i < m.1 parallel {
			at = mod.i i l.1
			a = s[at]
			b = mul.f a y
			next[i] = b
		}
		k.1 = add.i k 1
		d = s[k]
		z = mul.f y d
		yield k.1 next z
	} gives t : i64, r : f64s, z.1 : f64
	yield r z.1`,
	"a length that depends on elements": `
	for k < n, s : f64s = xs {
		l = length s
		for i < l parallel, add.i from 1 {
			a = s[i]
			c = lt.f 0.0 a
			one = select.i c 1 0
			yield one
		} gives m : i64
		next = alloc f64s m
		for j < m parallel {
			at = mod.i j l
			b = s[at]
			d = mul.f b x
			e = sin d
			next[j] = e
		}
		yield next
	} gives r : f64s
	yield r`,
	"updates beside": `
	own = copy xs
	for k < n, o : f64s = own, s : f64s = xs {
		a = o[k]
		l = length s
		m = sub.i l 1
		m.1 = max.i m 1
		next = alloc f64s m.1
		for i < m.1 parallel {
			b = s[i]
			c = mul.f a b
			next[i] = c
		}
		d = next[0]
		e = mul.f d x
		o.1 = o with [k] = e
		yield o.1 next
	} gives r : f64s, q : f64s
	yield r q`,
	"beyond the loop": `
	out = alloc f64s n
	for k < n, s : f64s = xs {
		l = length s
		m = add.i l 1
		next = alloc f64s m
		for i < l parallel {
			a = s[i]
			y = mul.f a x
			next[i] = y
		}
		next[l] = x
		b = s[k]
		out[k] = b
		yield next
	} gives r : f64s
	yield out`,
}

// TestResizing: the reverse derivatives of loops with states that change their lengths are
// transposes of the forward ones, which agree with differences; and so for derivatives of
// derivatives, and after passes.
func TestResizing(t *testing.T) {
	for name, body := range resizing {
		t.Run(name, func(t *testing.T) {
			make := func() *loop.Func {
				p, err := loop.Parse("func f(n : i64, xs : f64s, x : f64) {" + strings.ReplaceAll(body, "\t", "  ") + "\n}\n")
				if err != nil {
					t.Fatal(err)
				}
				return p.Funcs[0]
			}
			args := []loop.Value{loop.IntValue(4), loop.RealsValue([]float64{0.3, -0.7, 1.2, 0.4}), loop.RealValue(0.9)}
			for seed := range uint64(3) {
				rng := rand.New(rand.NewPCG(seed, 5))
				f := make()
				if seed == 1 {
					pass.Optimize(f, pass.Options{})
				}
				if !agree(t, rng, name, f, args, true) {
					t.Error("it is not compared")
				}
				value := run(t, f, args...)
				for k, g := range []*loop.Func{reverse(t, f), forward(t, f)} {
					more := like(rng, kinds(f.Body.Yield), value)
					if k == 1 {
						more = like(rng, paramKinds(f.Params), args)
					}
					all := append(append([]loop.Value{}, args...), more...)
					want := run(t, g, all...)
					pass.Optimize(g, pass.Options{})
					verify(t, &loop.Program{}, g)
					got := run(t, g, all...)
					if !close(reals(kinds(g.Body.Yield), got), reals(kinds(g.Body.Yield), want)) {
						t.Errorf("derivative %d is another after passes\n%s", k, g)
					}
					if !agree(t, rng, name+", of a derivative", g, all, false) {
						t.Error("a derivative of a derivative is not compared")
					}
				}
			}
		})
	}
}

func close(xs, ys []float64) bool {
	for i := range xs {
		if i >= len(ys) || !near(xs[i], ys[i]) {
			return false
		}
	}
	return len(xs) == len(ys)
}

// TestMeasured: the tape of a loop has room for the lengths of its turns, and not more, and finding
// them costs nothing where they do not depend on what is computed.
func TestMeasured(t *testing.T) {
	p, err := loop.Parse("func f(n : i64, xs : f64s, x : f64) {" + strings.ReplaceAll(resizing["shrinking"], "\t", "  ") + "\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	args := func(n int) []loop.Value {
		return []loop.Value{loop.IntValue(int64(n)), loop.RealsValue(make([]float64, n)), loop.RealValue(0.9)}
	}
	rev := reverse(t, f)
	pass.Optimize(rev, pass.Options{})
	const n = 100
	all := append(args(n), loop.RealsValue([]float64{}))
	if longest := loop.Measure(rev, all...).Longest; longest > n*(n+1)/2+n {
		t.Errorf("the longest buffer has %d elements, for %d of all turns", longest, n*(n+1)/2)
	}
	if ratio := float64(loop.Measure(rev, all...).Work) / float64(loop.Measure(f, args(n)...).Work); ratio > 4 {
		t.Errorf("the derivative costs %.1f times the value", ratio)
	}
}

// TestRandomResizing is TestRandom for functions with states that change their lengths.
func TestRandomResizing(t *testing.T) {
	agreeOnRandom(t, 150, 6, looptest.Options{Resizes: true}, func(seed uint64, f *loop.Func) {
		if seed%3 == 1 {
			pass.Optimize(f, pass.Options{})
		}
	})
}

// TestRandomResizingTwice: derivatives of derivatives of such functions.
func TestRandomResizingTwice(t *testing.T) {
	for seed := range looptest.Checks(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f, args := looptest.Random(rng, looptest.Options{Size: 3, Depth: 2, Whiles: true, Updates: true, Resizes: true, Smooth: true})
		g, more := reverse(t, f), like(rng, kinds(f.Body.Yield), run(t, f, args...))
		if g != nil {
			agree(t, rng, fmt.Sprintf("seed %d", seed), g, append(append([]loop.Value{}, args...), more...), false)
		}
	}
}

// TestSteady: states that keep their length are found to, by what is checked in the loop or was in
// front of it.
func TestSteady(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		changes bool
	}{
		"the same":   {"for k < n, s : f64s = xs { next = copy s; yield next }", false},
		"one length": {"own = alloc f64s m zero\nfor k < n, s : f64s = own { next = alloc f64s m zero; yield next }", false},
		"another":    {"own = alloc f64s m zero\nfor k < n, s : f64s = own { next = alloc f64s n zero; yield next }", true},
		"checked":    {"own = alloc f64s m zero\nfor k < n, s : f64s = own { c = eq.i m n; check c; next = alloc f64s n zero; yield next }", false},
		"checked in front": {"own = alloc f64s m zero\nc = eq.i m n\nnone = le.i n 0\nok = or none c\ncheck ok\n" +
			"for k < n, s : f64s = own { next = alloc f64s n zero; yield next }", false},
		"checked in a loop of another count": {"own = alloc f64s m zero\nc = eq.i m n\nnone = le.i m 0\nok = or none c\ncheck ok\n" +
			"for k < n, s : f64s = own { next = alloc f64s n zero; yield next }", true},
		"checked on one side": {"own = alloc f64s m zero\nd = lt.i m 7\nfor k < n, s : f64s = own { " +
			"if d { c = eq.i m n; check c } else { }; next = alloc f64s n zero; yield next }", true},
		"checked after": {"own = alloc f64s m zero\nfor k < n, s : f64s = own { next = alloc f64s n zero; yield next }\nc = eq.i m n\ncheck c", true},
		"exchanged":     {"for k < n, s : f64s = xs, t : f64s = xs { yield t s }", false},
		"a length that stays": {"own = alloc f64s m zero\nfor k < n, l : i64 = m, s : f64s = own { " +
			"next = alloc f64s l zero; yield l next }", false},
		"a length that does not": {"own = alloc f64s m zero\nfor k < n, l : i64 = m, s : f64s = own { " +
			"h = add.i l 1; next = alloc f64s l zero; yield h next }", true},
		"products in front": {"a = mul.i m 3\nb = mul.i n 3\nown = alloc f64s a zero\nfor k < n, s : f64s = own { c = eq.i m n; check c; " +
			"next = alloc f64s b zero; yield next }", false},
		"products": {"a = mul.i m 3\nown = alloc f64s a zero\nfor k < n, s : f64s = own { c = eq.i m n; check c; " +
			"b = mul.i n 3; next = alloc f64s b zero; yield next }", false},
	} {
		text := strings.NewReplacer("; ", "\n", "{ ", "{\n", " }", "\n}").Replace(c.text)
		text = strings.ReplaceAll(text, "yield next\n}", "yield next\n} gives r : f64s")
		text = strings.ReplaceAll(text, "yield t s\n}", "yield t s\n} gives r : f64s, q : f64s")
		text = strings.ReplaceAll(text, "yield l next\n}", "yield l next\n} gives q : i64, r : f64s")
		text = strings.ReplaceAll(text, "yield h next\n}", "yield h next\n} gives q : i64, r : f64s")
		p, err := loop.Parse("func f(n : i64, m : i64, xs : f64s) {\n" + text + "\nyield r\n}\n")
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if got := grad.Changes(p.Funcs[0]); got != c.changes {
			t.Errorf("%s: changes is %v in\n%s", name, got, p.Funcs[0])
		}
	}
}
