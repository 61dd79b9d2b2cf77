package driver_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestUpdatesInPlace: an array that nothing else holds is updated in place: what a loop, a
// recursion or a derivative of one allocates is linear in the updates.
func TestUpdatesInPlace(t *testing.T) {
	const n = 4000
	programs := map[string]string{
		"loop": "sum (loop xs = zeros for i < n do array.set xs i (real i))",
		"record": "sum (loop s = {k = 0, xs = zeros} for i < n do " +
			"{k = s.k + 1, xs = array.set s.xs s.k 1}).xs",
		"condition": "sum (loop xs = zeros for i < n do if mod i 3 == 0 then array.set xs i 1 else xs)",
		"two": "sum (fst (loop (xs, ys) = (zeros, zeros) for i < n do " +
			"(array.set ys i xs[i], array.set xs i 1)))",
		"while": "sum (fst (loop (xs, i) = (zeros, 0) while i < n && xs[i] < 1 do " +
			"(array.set xs i 1, i + 1)))",
		"written": "sum (loop xs = zeros for i < n do {xs with [i] = real i, [0] = 1})",
		"path": "sum (loop s = {k = 0, p = {xs = zeros}} for i < n do " +
			"{s with p.xs[s.k] = 1, k = s.k + 1}).p.xs",
		"recursion":    "sum (fill zeros 0)",
		"add":          "sum (loop xs = zeros for i < n do array.accumulate xs [i, 0] [1, 1])",
		"integers":     "sum (loop xs = iota n for i < n do array.set xs i (xs[i] + 1))",
		"pairs":        "length (loop ps = [(0, 0) for _ < n] for i < n do array.set ps i (1, real i))",
		"matrix":       "sum (loop m = [zeros, zeros] for i < n do {m with [1, i] = real i})[1]",
		"rows":         "sum (loop rs = rows for i < n do {rs with [1].w[i] = real i})[1].w",
		"beside":       "sum (loop rs = rows for i < n do {rs with [1].w[i] = real i, [1].b = 1, [0].p.v[i] = 2})[1].w",
		"read":         "sum (loop rs = rows for i < n do {rs with [0].w[i] = rs[1].b + rs[0].w[0]})[0].w",
		"row gradient": "grad (fun a => sum (loop rs = rows for i < n do {rs with [1].w[i] = a * a})[1].w) 2",
		"row tangent":  "deriv (fun a => sum (loop rs = rows for i < n do {rs with [1].p.v[i] = a * a})[1].p.v) 2",
		"gradient":     "grad line 2",
		"tangent":      "deriv line 2",
		"second":       "deriv (grad line) 2",
		"additions":    "grad (fun a => sum (loop xs = zeros for i < n do array.accumulate xs [i] [a])) 2",
	}
	for name, program := range programs {
		text := fmt.Sprintf("import array\nlet n = %d\nlet zeros = [0 for _ < n]\n"+
			"let rec fill (xs : []Real) (i : Int) : []Real =\n"+
			"  if i == n then xs else fill (array.set xs i 1) (i + 1)\n"+
			"let line (a : Real) : Real = sum (loop xs = zeros for i < n do array.set xs i (a * a))\n"+
			"let rows = [{b = 0, p = {v = zeros}, w = zeros} for _ < 2]\n%s\n", n, program)
		stats, d := counted(t, text, interp.Options{})
		if d != nil {
			t.Fatalf("%s: %v", name, d)
		}
		if stats.Bytes > 1000*n { // a copy takes 8n
			t.Errorf("%s: %d bytes for %d updates", name, stats.Bytes, n)
		}
	}
}

// TestUpdatesAreLinear: a gradient through updates costs a constant times the updates.
func TestUpdatesAreLinear(t *testing.T) {
	const text = "let f (a : Real) : Real = sum (loop xs = [a for _ < %d] for i < %[1]d do {xs with [i] = xs[i] * a})\n%s\n"
	var last float64
	for _, n := range []int{1000, 2000} {
		value, d := counted(t, fmt.Sprintf(text, n, "f 2"), interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		gradient, d := counted(t, fmt.Sprintf(text, n, "grad f 2"), interp.Options{})
		if d != nil {
			t.Fatal(d)
		}
		if ratio := operations(gradient) / operations(value); ratio > costFactor {
			t.Errorf("%d updates: the gradient has %.2f times the operations", n, ratio)
		}
		if last > 0 && operations(gradient) > 2.1*last {
			t.Errorf("twice the updates have %.2f times the operations", operations(gradient)/last)
		}
		last = operations(gradient)
	}
}

// updater writes random programs in which arrays are updated, copied, kept and
// passed around, and computes what they should give.
type updater struct {
	*rand.Rand
	lines  []string
	names  []string
	values map[string][]int64
}

const updated = 4 // elements of the arrays

func (u *updater) pick() string { return u.names[u.Intn(len(u.names))] }

func (u *updater) bind(value []int64, format string, args ...any) {
	name := fmt.Sprintf("v%d", len(u.names))
	u.lines = append(u.lines, fmt.Sprintf("  let %s = %s", name, fmt.Sprintf(format, args...)))
	u.names = append(u.names, name)
	u.values[name] = value
}

func set(xs []int64, i int, x int64) []int64 {
	ys := slices.Clone(xs)
	ys[i] = x
	return ys
}

// statement adds a line.
func (u *updater) statement() {
	a, b, i, x := u.pick(), u.pick(), u.Intn(updated), int64(u.Intn(100))
	va, vb := u.values[a], u.values[b]
	switch u.Intn(18) {
	case 0, 1, 2:
		u.bind(set(va, i, x), "array.set %s %d %d", a, i, x)
	case 3:
		u.bind(va, "%s", a)
	case 4:
		u.bind(set(va, i, vb[i]), "array.set %s %d %s[%d]", a, i, b, i)
	case 5:
		ys := slices.Clone(va)
		for k := range ys {
			ys[k] += vb[k]
		}
		u.bind(ys, "array.accumulate %s [0, 1, 2, 3] %s", a, b)
	case 6:
		value := set(va, i, x)
		if vb[i] < 50 {
			value = va
		}
		u.bind(value, "(if %s[%d] < 50 then %s else array.set %s %d %d)", b, i, a, a, i, x)
	case 7:
		p, q := va, vb
		for k := range 3 {
			p, q = set(q, k, p[k]), set(p, k, x)
		}
		if u.Intn(2) == 0 {
			p, q = va, vb
			for k := range 3 {
				p = set(q, k, p[k])
			}
			u.bind(p, "(fst (loop (p, q) = (%s, %s) for k < 3 do (array.set q k p[k], q)))", a, b)
			return
		}
		u.bind(p, "(fst (loop (p, q) = (%s, %s) for k < 3 do (array.set q k p[k], array.set p k %d)))", a, b, x)
	case 8:
		u.bind(set(va, i, x), "((fun y => array.set %s %d y) %d)", a, i, x)
	case 9:
		u.bind(set(set(va, i, x), 0, 7), "(let part = (array.set %s %d %d)[0:4] in array.set part 0 7)", a, i, x)
	case 10:
		u.bind(set(va, i, x), "snd (keep %s (array.set %s %d %d))", b, a, i, x)
	case 11:
		u.bind(set(set(va, i, x), 1, 9), "(match Some (array.set %s %d %d) with | Some ys -> array.set ys 1 9 | None -> %s)", a, i, x, b)
	case 12:
		u.bind(vb, "(let rows = array.set [%s, %s] 0 (array.set %s %d %d) in rows[1])", a, b, a, i, x)
	case 13:
		ys := set(va, i, x)
		for k := range 2 {
			ys = set(ys, k, ys[3])
		}
		u.bind(ys, "walk (array.set %s %d %d) 0", a, i, x)
	case 14:
		ys := va
		for k := range 3 {
			ys = set(ys, k, x)
		}
		u.bind(ys, "(let (p, q) = (loop (p, q) = (%s, %s) for k < 3 do (let r = array.set p k %d in (r, r))) in "+
			"let s = array.set p 3 (q[3] + 1) in if s[3] == q[3] + 1 then q else s)", a, b, x)
	case 15:
		u.bind(set(set(va, i, x), 1, 6),
			"(let gs = [put (array.set %s %d %d)] in let y = gs[%s[0] - %s[0]] 0 5 in gs[y[0] - 5] 1 6)", a, i, x, b, b)
	case 16:
		ys := set(va, i, x)
		u.bind([]int64{ys[1], ys[0], ys[3], ys[2]},
			"(let w = array.set %s %d %d in array.scatter w [1, 0, 3, 2] w)", a, i, x)
	case 17:
		u.bind(set(va, i, x), "(fst (loop (w, k) = (array.set %s %d %d, 0) "+
			"while (array.set w 0 99)[0] == 99 && k < 2 do (w, k + 1)))", a, i, x)
	}
}

// TestUpdatesKeepValues: random programs give what values that never change would.
func TestUpdatesKeepValues(t *testing.T) {
	for seed := range int64(property.Rounds(200)) {
		u := &updater{Rand: rand.New(rand.NewSource(seed)), values: map[string][]int64{}}
		u.bind([]int64{10, 60, 30, 90}, "[10, 60, 30, 90]")
		u.bind([]int64{0, 1, 2, 3}, "iota 4")
		for range 12 {
			u.statement()
		}
		var want strings.Builder
		for k, name := range u.names {
			if k > 0 {
				want.WriteString(", ")
			}
			want.WriteString(strings.ReplaceAll(fmt.Sprint(u.values[name]), " ", ", "))
		}
		text := "import array\nlet keep (xs ys : []Int) : ([]Int, []Int) = (xs, ys)\n" +
			"let rec walk (xs : []Int) (k : Int) : []Int = if k == 2 then xs else walk (array.set xs k xs[3]) (k + 1)\n" +
			"let rec put (xs : []Int) (k x : Int) : []Int = if k < 0 then put xs (k + 1) x else array.set xs k x\n" +
			"let run (_ : Int) =\n" + strings.Join(u.lines, "\n") + "\n  [" + strings.Join(u.names, ", ") + "]\nrun 0\n"
		got, d := derived(t, text, interp.Options{})
		if d != nil {
			t.Fatalf("seed %d: %v\n%s", seed, d, text)
		}
		if value.Show(got) != "["+want.String()+"]" {
			t.Fatalf("seed %d: got %s, want [%s]\n%s", seed, value.Show(got), want.String(), text)
		}
	}
}

// TestUpdatesUnderDerivatives: what the tape refers to is not changed: each function of a has the
// derivative that is given, at 2.
func TestUpdatesUnderDerivatives(t *testing.T) {
	for f, want := range map[string]string{
		"inner ys ys + (array.set ys 1 0)[1]":                                                            "396",
		"let s = norm (array.set xs 3 a) in s - s + (array.set ys 2 (5 * a))[2]":                         "5",
		"let zs = array.set ys 1 (a * a) in let w = sum zs in w + (array.set zs 1 0)[1]":                 "102",
		"let zs = array.accumulate ys [1, 1] [a, a] in inner zs zs - inner ys ys":                        "32",
		"let zs = array.accumulate ys (iota 100) xs in let p = inner zs zs in p + (array.set zs 0 0)[0]": "1590",
		"let d = deriv (fun b => inner (array.set ys 0 b) ys) a in d + (array.set ys 0 7)[1]":            "1",
		"jvp (fun zs => inner zs zs) (array.set ys 0 3) ys":                                              "792",
	} {
		text := "import array\nlet f (a : Real) : Real =\n  let xs = [a for _ < 100]\n  let ys = array.set xs 0 1\n  " + f +
			"\n(deriv f 2, grad f 2)\n"
		got, d := derived(t, text, interp.Options{})
		if d != nil {
			t.Errorf("%s: %v", f, d)
			continue
		}
		if value.Show(got) != "("+want+", "+want+")" {
			t.Errorf("%s: got %s, want %s", f, value.Show(got), want)
		}
	}
}
