package export

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// smooth returns the rows of the table that are functions of one or two reals with derivatives, and
// that programs name by a word.
func smooth(t *testing.T) (rows []*prim.Prim) {
	word := regexp.MustCompile(`^[a-z]\w*$`)
	for _, row := range prim.All() {
		if loop.OfPrim(row) != nil && len(row.Partials) > 0 && word.MatchString(row.Name) {
			rows = append(rows, row)
		}
	}
	if len(rows) < 25 {
		t.Fatalf("there are only %d rows", len(rows))
	}
	return rows
}

// cancelling are the rows whose definitions lose digits next to zeros that are not doubles: Note
// [Accuracy] of package vmath.
var cancelling = []string{"lgamma", "digamma", "logaddexp"}

// mayGiveUp reports whether a compiled derivative may leave a point to the interpreter: polygamma is
// compiled for positive numbers, and at the other points two rules for a slope meet.
func mayGiveUp(name string, x float64) bool {
	switch name {
	case "lgammaOrder2", "digammaOrder1", "digammaOrder2":
		return x <= 0
	case "atanOrder2":
		return x == 1
	case "hypotLeftOrder2", "hypotRightOrder2":
		return x == 0
	}
	return false
}

// TestTable: every smooth row of the table and its derivatives have the values of the table in
// every target, and in every engine of this machine: none of them can be forgotten when a row is
// added. The values are within the bound of the row's definition, and derivatives are those of the
// interpreter.
func TestTable(t *testing.T) {
	var text strings.Builder
	var names []string
	samples, rows, value := map[string][]float64{}, map[string]*prim.Prim{}, map[string]func(x float64) float64{}
	define := func(name string, row *prim.Prim, at []float64, f func(x float64) float64, apply string) {
		fmt.Fprintf(&text, "let %sOrder0 (s : Real) : Real = %s\n"+
			"let %[1]sOrder1 (s : Real) : Real = deriv %[1]sOrder0 s\n"+
			"let %[1]sOrder2 (s : Real) : Real = deriv (grad %[1]sOrder0) s\n", name, apply)
		for _, order := range []string{"Order0", "Order1", "Order2"} {
			names = append(names, name+order)
			samples[name+order], rows[name+order] = at, row
		}
		value[name+"Order0"] = f
	}
	for _, row := range smooth(t) {
		var at []float64
		for _, p := range row.Samples {
			if math.Abs(p[0]) < 1e6 { // Note [Large angles] of package vmath
				at = append(at, p[0])
			}
		}
		switch f := row.Float.(type) {
		case prim.Real1:
			define(row.Name, row, at, f, row.Name+" s")
		case prim.Real2:
			define(row.Name+"Left", row, at, func(x float64) float64 { return f(x, 0.75) }, row.Name+" s 0.75")
			define(row.Name+"Right", row, at, func(x float64) float64 { return f(0.75, x) }, row.Name+" 0.75 s")
		}
	}
	at := func(name string) []float64 { return samples[name] }
	m, interpreted := exported(t, text.String(), names, at)
	check := func(by string, got map[string][]float64) {
		for _, name := range names {
			for k, x := range samples[name] {
				y, want := got[name][k], interpreted[name][k]
				bound := 1e-12 * math.Abs(want)
				if f := value[name]; f != nil {
					want = f(x)
					bound = math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
					if op := loop.OfPrim(rows[name]); vmath.Define(op) != nil {
						bound *= vmath.Bound(op) + 0.55 // the table's own error, at most
					}
					if slices.Contains(cancelling, rows[name].Name) {
						bound = max(bound, 0x1p-52)
					}
				}
				if same := y == want || math.IsNaN(y) && (math.IsNaN(want) || mayGiveUp(name, x)) || math.Abs(y-want) <= bound; !same {
					t.Errorf("%s %v is %v by %s, not %v", name, x, y, by, want)
				}
			}
		}
	}
	for _, target := range tools {
		check(target.name, target.values(t, m, at))
	}
	engines := map[string]func(f *loop.Func) (loop.Code, error){
		"portable": func(f *loop.Func) (loop.Code, error) { return portable.Compile(f), nil },
	}
	for _, o := range engineOptions() {
		compile := func(f *loop.Func) (loop.Code, error) { return jit.Compile(loop.Reached(f), o) }
		if o.CPU != "" {
			engines[o.CPU] = compile
			continue
		}
		for _, f := range m.functions { // for another machine
			if _, err := compile(f.loop); err != nil {
				t.Errorf("%s with %+v: %v", f.name, o, err)
			}
		}
	}
	for by, compile := range engines {
		got := map[string][]float64{}
		for _, f := range m.functions {
			code, err := compile(f.loop)
			if err != nil {
				t.Fatalf("%s by %s: %v", f.name, by, err)
			}
			for _, x := range samples[f.name] {
				y := math.NaN()
				if out, err := code.Run([]loop.Arg{{Word: math.Float64bits(x)}}, loop.RunOptions{}); err == nil {
					y = math.Float64frombits(out[0].Word)
				}
				got[f.name] = append(got[f.name], y)
			}
		}
		check(by, got)
	}
}

// engineOptions are the ways to compile for every set of instructions, here or elsewhere.
func engineOptions() (all []jit.Options) {
	for _, set := range jit.Sets() {
		all = append(all, jit.Options{CPU: set})
	}
	return slices.Concat(all, []jit.Options{{Arch: "amd64"}, {Arch: "arm64"}})
}
