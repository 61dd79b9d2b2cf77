package driver_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// portableEngine runs compiled parts of programs on every machine.
func portableEngine(p *loop.Program) (loop.Code, error) { return portable.Compile(p.Funcs[0]), nil }

// fieldUpdater writes random programs in which arrays of records with arrays are updated, copied
// and kept, and computes what they should give. A record is {b = x, w = [y, z]}.
type fieldUpdater struct {
	*rand.Rand
	lines  []string
	names  []string
	values [][2][3]int64 // by names: two records of b, w[0] and w[1]
}

func (u *fieldUpdater) bind(value [2][3]int64, format string, args ...any) {
	name := fmt.Sprintf("v%d", len(u.names))
	u.lines = append(u.lines, fmt.Sprintf("  let %s = %s", name, fmt.Sprintf(format, args...)))
	u.names, u.values = append(u.names, name), append(u.values, value)
}

func (u *fieldUpdater) statement() {
	a, b := u.Intn(len(u.names)), u.Intn(len(u.names))
	from, va, vb := u.names[a], u.values[a], u.values[b]
	i, j, x := u.Intn(2), u.Intn(2), int64(u.Intn(100))
	set := va
	set[i][1+j] = x
	switch u.Intn(10) {
	case 0, 1:
		u.bind(set, "{%s with [%d].w[%d] = %d}", from, i, j, x)
	case 2:
		set[i][0] = x
		u.bind(set, "{%s with [%d].w[%d] = %d, [%d].b = %d}", from, i, j, x, i, x)
	case 3: // the other array of records keeps its rows
		set = va
		set[i] = vb[j]
		u.bind(set, "{%s with [%d] = %s[%d]}", from, i, u.names[b], j)
	case 4: // a row that is kept while its array changes
		set[1-i][1], set[1-i][2] = va[i][1], va[i][2]
		u.bind(set, "(let w = %s[%d].w in {{%s with [%d].w[%d] = %d} with [%d].w = w})",
			from, i, from, i, j, x, 1-i)
	case 5: // an element that is kept
		set[1-i] = va[i]
		u.bind(set, "(let e = %s[%d] in {{%s with [%d].w[%d] = %d} with [%d] = e})",
			from, i, from, i, j, x, 1-i)
	case 6:
		set = va
		for k := range 2 {
			set[k][1] = set[1-k][2]
		}
		u.bind(set, "(loop rs = %s for k < 2 do {rs with [k].w[0] = rs[1 - k].w[1]})", from)
	case 7: // two states that share rows
		p, q := va, vb
		for k := range 2 {
			p, q = q, p
			p[k][1] = x
		}
		u.bind(p, "(fst (loop (p, q) = (%s, %s) for k < 2 do ({q with [k].w[0] = %d}, p)))",
			from, u.names[b], x)
	case 8:
		set = va
		set[i][0] = va[i][1]
		u.bind(set, "{%s with [%d].b = %s[%d].w[0]}", from, i, from, i)
	case 9:
		u.bind(set, "(let rs = put %s %d %d in if rs[0].b == %s[0].b then rs else %s)",
			from, i, x, from, from)
		u.values[len(u.values)-1] = func() [2][3]int64 { s := va; s[i][1] = x; return s }()
	}
}

// TestFieldUpdatesKeepValues: random programs with arrays of records give what values that never
// change would, in every engine.
func TestFieldUpdatesKeepValues(t *testing.T) {
	for seed := range int64(property.Rounds(150)) {
		u := &fieldUpdater{Rand: rand.New(rand.NewSource(seed))}
		u.bind([2][3]int64{{1, 2, 3}, {4, 5, 6}}, "[{b = 1, w = [2, 3]}, {b = 4, w = [5, 6]}]")
		u.bind([2][3]int64{{0, 0, 1}, {0, 0, 1}}, "[{b = 0, w = iota 2} for _ < 2]")
		for range 10 {
			u.statement()
		}
		var want []string
		for _, v := range u.values {
			var rows []string
			for _, r := range v {
				rows = append(rows, fmt.Sprintf("{b = %d, w = [%d, %d]}", r[0], r[1], r[2]))
			}
			want = append(want, "["+strings.Join(rows, ", ")+"]")
		}
		text := "let put (rs : []{b : Int, w : []Int}) (i x : Int) = {rs with [i].w[0] = x}\n" +
			"let run (_ : Int) =\n" + strings.Join(u.lines, "\n") + "\n  [" + strings.Join(u.names, ", ") + "]\nrun 0\n"
		for _, opts := range []interp.Options{{}, {Engine: portableEngine, Eager: true}} {
			if opts.Eager && seed%10 != 0 {
				continue // compiling takes longer than running
			}
			got, d := derived(t, text, opts)
			if d != nil {
				t.Fatalf("seed %d: %v\n%s", seed, d, text)
			}
			if value.Show(got) != "["+strings.Join(want, ", ")+"]" {
				t.Fatalf("seed %d: got %s, want %s\n%s", seed, value.Show(got), strings.Join(want, ", "), text)
			}
		}
	}
}
