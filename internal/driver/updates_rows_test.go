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

// TestRowUpdatesAreLinear: updates of elements of matrices copy neither the matrix nor a row.
func TestRowUpdatesAreLinear(t *testing.T) {
	const n = 60
	programs := map[string]string{
		"matrix":    "total (loop m = zeros for k < n * n do {m with [div k n, mod k n] = real k})",
		"sum":       "total (loop m = zeros for k < n * n do {m with [div k n, mod k n] = m[0, 0] + m[mod k n, 1]})",
		"record":    "total (loop s = {m = zeros, k = 0} for k < n * n do {s with m[div k n, s.k] = 1, k = mod (s.k + 1) n}).m",
		"condition": "total (loop m = zeros for k < n * n do if m[0, mod k n] < 1 then {m with [0, mod k n] = 1} else m)",
		"while":     "total (fst (loop (m, k) = (zeros, 0) while k < n * n && m[0, 0] < 1 do ({m with [1, mod k n] = 1}, k + 1)))",
		"recursion": "total (fill zeros 0)",
		"cube":      "total (loop c = [zeros, zeros] for k < n * n do {c with [mod k 2, div k n, mod k n] = 1})[1]",
		"twice":     "total (loop m = zeros for k < n * n do {m with [0, mod k n] = 1, [div k n, 0] = 2})",
		"objects": "sum [o.x for o in (loop s = {os = objects} for k < n * n do " +
			"{s with os[mod k n].x = real k}).os]",
		"gradient": "grad line 2",
		"tangent":  "deriv line 2",
		"second":   "deriv (grad line) 2",
	}
	for name, program := range programs {
		text := fmt.Sprintf("import array\nlet n = %d\nlet zeros = [[0 for _ < n] for _ < n]\n"+
			"let objects = [{x = 0, name = \"o\"} for _ < n]\n"+
			"let total (m : [][]Real) : Real = sum [sum row for row in m]\n"+
			"let rec fill (m : [][]Real) (k : Int) : [][]Real =\n"+
			"  if k == n * n then m else fill {m with [div k n, mod k n] = 1} (k + 1)\n"+
			"let line (a : Real) : Real =\n"+
			"  total (loop m = zeros for k < n * n do {m with [div k n, mod k n] = a * a})\n%s\n", n, program)
		stats, d := counted(t, text, interp.Options{})
		if d != nil {
			t.Fatalf("%s: %v", name, d)
		}
		// A copied row takes 8n bytes for each of n² updates; the rest is a constant for each.
		if stats.Bytes > 450*n*n {
			t.Errorf("%s: %d bytes for each of %d updates", name, stats.Bytes/(n*n), n*n)
		}
	}
}

// rowUpdater writes random programs in which elements of matrices are updated, and rows are copied,
// kept and passed around, and computes what they should give.
type rowUpdater struct {
	*rand.Rand
	lines  []string
	names  []string
	values [][][]int64
}

func (u *rowUpdater) bind(value [][]int64, format string, args ...any) {
	name := fmt.Sprintf("v%d", len(u.names))
	u.lines = append(u.lines, fmt.Sprintf("  let %s = %s", name, fmt.Sprintf(format, args...)))
	u.names = append(u.names, name)
	u.values = append(u.values, value)
}

func setAt(m [][]int64, i, j int, x int64) [][]int64 { return setRow(m, i, set(m[i], j, x)) }

func setRow(m [][]int64, i int, row []int64) [][]int64 {
	n := slices.Clone(m)
	n[i] = row
	return n
}

// statement adds a line.
func (u *rowUpdater) statement() {
	k, l := u.Intn(len(u.names)), u.Intn(len(u.names))
	a, b, va, vb := u.names[k], u.names[l], u.values[k], u.values[l]
	i, j, x := u.Intn(3), u.Intn(3), int64(u.Intn(100))
	one := fmt.Sprintf("{%s with [%d, %d] = %d}", a, i, j, x)
	updated := setAt(va, i, j, x)
	switch u.Intn(20) {
	case 0, 1, 2:
		u.bind(updated, "%s", one)
	case 3:
		u.bind(va, "%s", a)
	case 4:
		u.bind(setAt(va, i, j, vb[i][j]), "{%s with [%d, %d] = %s[%d, %d]}", a, i, j, b, i, j)
	case 5: // a row of both
		u.bind(setAt(setRow(va, i, vb[j]), i, 0, x), "{{%s with [%d] = %s[%d]} with [%d, 0] = %d}", a, i, b, j, i, x)
	case 6:
		value := updated
		if vb[i][j] < 50 {
			value = va
		}
		u.bind(value, "(if %s[%d, %d] < 50 then %s else %s)", b, i, j, a, one)
	case 7:
		p, q := va, vb
		for k := range 3 {
			p, q = setAt(q, k, 0, p[k][1]), setAt(p, 1, k, x)
		}
		u.bind(p, "(fst (loop (p, q) = (%s, %s) for k < 3 do ({q with [k, 0] = p[k, 1]}, {p with [1, k] = %d})))", a, b, x)
	case 8: // the old row, after the update
		u.bind(setRow(updated, 0, va[i]), "(let r = %s[%d] in let m = %s in {m with [0] = r})", a, i, one)
	case 9:
		u.bind(setRow(setAt(updated, i, j, 7), 0, updated[i]),
			"(let m = %s in let r = m[%d] in let n = {m with [%d, %d] = 7} in {n with [0] = r})", one, i, i, j)
	case 10: // an element of the old row, after the update
		u.bind(updated, "(let m = %s in let r = m[%d] in let n = {m with [%d, %d] = 777} in {n with [%d, %d] = r[%d]})",
			one, i, i, j, i, j, j)
	case 11:
		p, r := va, va[0]
		for k := range 3 {
			p, r = setAt(p, k, j, r[k]+1), p[k]
		}
		u.bind(setRow(p, 2, r), "(let (m, r) = (loop (m, r) = (%s, %s[0]) for k < 3 do ({m with [k, %d] = r[k] + 1}, m[k])) in {m with [2] = r})", a, a, j)
	case 12:
		u.bind(updated, "(let m = %s in let t = [row for row in m] in let n = {m with [%d, %d] = 5} in {n with [%d] = t[%d]})",
			one, i, j, i, i)
	case 13:
		u.bind(setAt(updated, 1, 1, 9), "(match Some %s with | Some m -> {m with [1, 1] = 9} | None -> %s)", one, b)
	case 14:
		m := updated
		for k := range 3 {
			m = setAt(m, k, j, m[0][k])
		}
		u.bind(m, "walk %s 0 %d", one, j)
	case 15:
		u.bind(updated, "(let c = {[%s, %s] with [0, %d, %d] = %d} in let d = {c with [0, %d, %d] = 9} in if d[0, %d, %d] == 9 then c[0] else %s)",
			a, b, i, j, x, i, j, i, j, b)
	case 16:
		m := setAt(vb, j, 0, x)
		if i > 0 {
			m = setAt(m, j, 1, x)
		}
		u.bind(m, "(let c = (loop c = [%s, %s] for k < 2 do {c with [1, %d, 0] = %d, [%d, %d, k] = %d}) in c[1])",
			a, b, j, x, min(i, 1), j, x)
	case 17:
		u.bind(setRow(setAt(updated, 0, 0, 8), 2, updated[0]),
			"(let m = %s in let part = m[0:2] in let n = {m with [0, 0] = 8} in {n with [2] = part[0]})", one)
	case 18:
		u.bind(setAt(va, i, j, 2), "((fun g => let y = g 1 in if y[%d, %d] == 1 then g 2 else y) (fun k => {%s with [%d, %d] = k}))", i, j, a, i, j)
	case 19:
		u.bind(setAt(updated, 2, 2, 3), "({({m = %s, k = 0}) with m[2, 2] = 3}).m", one)
	}
}

// TestRowUpdatesKeepValues: random programs give what values that never change would.
func TestRowUpdatesKeepValues(t *testing.T) {
	for seed := range int64(property.Rounds(100)) {
		u := &rowUpdater{Rand: rand.New(rand.NewSource(seed))}
		u.bind([][]int64{{10, 60, 30}, {1, 2, 3}, {90, 80, 70}}, "[[10, 60, 30], [1, 2, 3], [90, 80, 70]]")
		u.bind([][]int64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, "[[0 for _ < 3] for _ < 3]")
		for range 12 {
			u.statement()
		}
		var want strings.Builder
		for k, m := range u.values {
			if k > 0 {
				want.WriteString(", ")
			}
			want.WriteString(strings.ReplaceAll(fmt.Sprint(m), " ", ", "))
		}
		text := "let rec walk (m : [][]Int) (k j : Int) : [][]Int =\n" +
			"  if k == 3 then m else walk {m with [k, j] = m[0, k]} (k + 1) j\n" +
			"let run (_ : Int) : [][][]Int =\n" + strings.Join(u.lines, "\n") + "\n  [" + strings.Join(u.names, ", ") + "]\nrun 0\n"
		for _, opts := range []interp.Options{{}, {Engine: portableEngine, Eager: true}} {
			if opts.Eager && seed%10 != 0 {
				continue // compiling takes longer than running
			}
			got, d := derived(t, text, opts)
			if d != nil {
				t.Fatalf("seed %d: %v\n%s", seed, d, text)
			}
			if value.Show(got) != "["+want.String()+"]" {
				t.Fatalf("seed %d: got %s, want [%s]\n%s", seed, value.Show(got), want.String(), text)
			}
		}
	}
}

// TestRowUpdatesAtComputedIndices: an index of an update that is computed for it alone lives until
// the update.
func TestRowUpdatesAtComputedIndices(t *testing.T) {
	for program, want := range map[string]string{
		"loop t = zeros 3 for i < 2 do {t with [i + 1, 0] = real (i + 1), [0, i + 1] = real (i + 1)}": "[[0, 1, 2], [1, 0, 0], [2, 0, 0]]",
		"loop t = zeros 2 for i < 2 do {t with [1 - i, mod (i + 1) 2] = t[i, i] + 1}":                 "[[2, 0], [0, 1]]",
		"(loop c = [zeros 2, zeros 2] for i < 2 do {c with [1 - i, 1 - i, i + 0] = 1})[1]":            "[[0, 0], [1, 0]]",
	} {
		text := "let zeros (n : Int) = [[0 for _ < n] for _ < n]\n" + program + "\n"
		got, d := derived(t, text, interp.Options{})
		if d != nil {
			t.Fatalf("%s: %v", program, d)
		}
		if value.Show(got) != want {
			t.Errorf("%s: got %s, want %s", program, value.Show(got), want)
		}
	}
}
