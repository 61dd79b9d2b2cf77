package driver_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Adequacy relates what an engine computes to what a program denotes (A–P Thms
// 6.2 (1) and 6.7 (1)), on programs with derivatives, integrals, roots and
// optima inside:
//
//   - correctness: a result is that of the denotation, within rounding for
//     doubles, and enclosing it for exact evaluation;
//   - completeness: where the denotation has a value, evaluation ends, with a
//     value or an error of the documented kinds by which an engine declines to
//     answer; and where the program itself fails, so does every engine.
//
// Where coretest.Denote has no value to vouch for, there is nothing to compare.

var denoteSteps = flag.Int("denote", 5_000, "how many steps the denotation of a program may take")

// declines are the errors by which an engine declines to answer.
var declines = []diag.Code{
	diag.NotCertified, diag.TiedComparison, diag.TiedJump, diag.TiedKink, diag.NotFinite, diag.NoIntegral, diag.NoRoot, diag.NoOptimum,
	diag.NotNarrowed, diag.Undecided, diag.EffortSpent, diag.Undefined, diag.NoText, diag.TimeLimit, diag.MemoryLimit,
}

// The errors by which Denote says that there is no value, and that it cannot vouch
// for one.
var (
	undefined = []diag.Code{diag.TiedComparison, diag.Undefined, diag.NoRoot}
	unknown   = []diag.Code{diag.Undecided, diag.NoText, diag.TimeLimit, diag.DepthLimit}
)

// tally counts what programs came to.
type tally struct {
	undefined     int // there is no value
	unknown       int // there may be a value, but Denote does not know it
	failed        int // the program fails, and so do the engines
	floats, exact int // results that agree
	declined      int // answers that are missing
}

// check holds both engines to the denotation of a program.
func (c *tally) check(p *core.Program) error {
	want, d := coretest.Denote(p, *denoteSteps)
	switch {
	case d == nil:
	case slices.Contains(undefined, d.Code):
		c.undefined++
		return nil
	case slices.Contains(unknown, d.Code):
		c.unknown++
		return nil
	default:
		c.failed++
	}
	for _, engine := range []struct {
		name  string
		run   func(*core.Program) (value.Value, *diag.Diagnostic)
		agree *int
	}{{"doubles", onFloats, &c.floats}, {"exact", exactly, &c.exact}} {
		got, failure := engine.run(p)
		switch {
		case d == nil && failure == nil:
			if err := agree(got, want); err != nil {
				return fmt.Errorf("%s: %w", engine.name, err)
			}
			*engine.agree++
		case failure != nil && slices.Contains(declines, failure.Code):
			c.declined++
		case d == nil || failure == nil || failure.Code != d.Code:
			return fmt.Errorf("%s: %v, %v instead of %v, %v", engine.name, got, failure, want, d)
		}
	}
	return nil
}

// most fails unless most programs that may have a value were compared.
func (c *tally) most(t *testing.T) {
	t.Helper()
	t.Logf("%+v", *c)
	if c.floats < c.unknown || c.exact < c.unknown {
		t.Errorf("less than half of the programs were compared: %+v", *c)
	}
}

// onFloats evaluates a program as `fluxion run` does.
func onFloats(p *core.Program) (value.Value, *diag.Diagnostic) {
	ready, d := opt.Prepare(p, opt.Options{})
	if d != nil {
		return nil, d
	}
	code, d := interp.Compile(ready)
	if d != nil {
		return nil, d
	}
	ctx, done := stop.Within(context.Background(), time.Minute)
	defer done()
	return code.Run(ctx, interp.Limits{Memory: 1 << 28, Depth: 10_000})
}

// exactly evaluates a program as `fluxion run --eps 1e-9` does.
func exactly(p *core.Program) (value.Value, *diag.Diagnostic) {
	ready, d := opt.Prepare(p, opt.Options{})
	if d != nil {
		return nil, d
	}
	ctx, done := stop.Within(context.Background(), time.Second/2)
	defer done()
	return exact.Run(ctx, ready, exact.Options{
		Eps: big.NewRat(1, 1e9), Limits: exact.Limits{Memory: 1 << 28, Depth: 10_000},
	})
}

// agree compares a result of an engine with a denotation.
func agree(got value.Value, want coretest.Value) error {
	all := func(want []coretest.Value) error {
		parts := partsOf(got)
		if len(parts) != len(want) {
			return fmt.Errorf("%d parts instead of %d", len(parts), len(want))
		}
		for i := range want {
			if err := agree(parts[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	}
	switch want := want.(type) {
	case *ball.Ball:
		return near(got, want)
	case coretest.Array:
		return all(want)
	case coretest.Tuple:
		return all(want)
	case coretest.Con:
		if con, ok := got.(value.Con); !ok || con.Name != want.Con.Name {
			return fmt.Errorf("%s instead of %s", value.Show(got), want.Con.Name)
		}
		return all(want.Args)
	case *coretest.Closure:
		return nil
	}
	if shown := value.Show(coretest.Export(want, nil)); value.Show(got) != shown {
		return fmt.Errorf("%s instead of %s", value.Show(got), shown)
	}
	return nil
}

func partsOf(v value.Value) (parts []value.Value) {
	switch v := v.(type) {
	case value.Reals:
		for _, x := range v {
			parts = append(parts, value.Real(x))
		}
	case value.Ints:
		for _, n := range v {
			parts = append(parts, value.Int(n))
		}
	case value.Array:
		return v
	case value.Tuple:
		return v
	case value.Con:
		return v.Args
	case value.Record:
		for _, f := range v {
			parts = append(parts, f.Value)
		}
	}
	return parts
}

// near reports whether a double is close to a real, or an enclosure contains it.
func near(got value.Value, want *ball.Ball) error {
	switch got := got.(type) {
	case value.Real:
		x := want.Float64()
		if math.Abs(float64(got)-x) <= 1e-9*(1+math.Abs(x)) {
			return nil
		}
	case exact.Enclosure:
		lo, hi := new(ball.Ball).SetFloat(got.Lo), new(ball.Ball).SetFloat(got.Hi)
		low := got.Lo.IsInf() || lo.LessEq(new(ball.Ball).Upper(want))
		if low && (got.Hi.IsInf() || new(ball.Ball).Lower(want).LessEq(hi)) {
			return nil
		}
	}
	return fmt.Errorf("%s instead of %v", value.Show(got), want)
}

// monomorphic returns the program of a unit as it is written, before any
// optimisation.
func monomorphic(t *testing.T, u *driver.Unit) *core.Program {
	t.Helper()
	linked, d := driver.Link(u)
	if d != nil {
		t.Fatal(d)
	}
	p, d := opt.Mono(linked, opt.Options{})
	if d != nil {
		t.Fatal(d)
	}
	return p
}

// TestAdequacyRandom: random programs of core with derivatives inside, nested
// in any way. -rapid.checks=10000 looks longer.
func TestAdequacyRandom(t *testing.T) {
	var c tally
	property.Check(t, func(t *rapid.T) {
		p := coretest.ProgramsWithDerivatives().Draw(t, "program")
		if err := c.check(p); err != nil {
			t.Fatalf("%s\n%v", core.Print(p), err)
		}
	})
	c.most(t)
}

// TestAdequacyCalculus: random functions of arrays that are made of smooth and
// pointed functions, derivatives, integrals, roots and optima; and their
// derivatives.
func TestAdequacyCalculus(t *testing.T) {
	var c tally
	w := driver.NewWorld(nil)
	for seed := range *seeds / 3 {
		g := &calculus{Rand: rand.New(rand.NewSource(seed)), length: 2, nested: true, pointed: seed%2 == 0, search: true}
		text := fmt.Sprintf("let f : []Real -> Real = %s\nlet p = %s\n", g.function(1+int(seed%2)), g.point())
		text += g.some([]string{"f p\n", "grad f p\n", "jvp f p [1, 2]\n"})
		var list diag.List
		unit := w.LoadText("in.flx", text, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", text, list.Sorted()[0])
		}
		if err := c.check(monomorphic(t, unit)); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
		}
		w.Forget()
	}
	c.most(t)
}

// TestAdequacyPrograms: the programs of testdata/run, the examples of the
// repository and those in the documentation of the library. What they evaluate
// to is often a list of many expressions, each of which is a program here. The suite takes half of them.
func TestAdequacyPrograms(t *testing.T) {
	t.Parallel()
	var c tally
	all := programFiles(t)
	var files map[string]string
	w := driver.NewWorld(func(path string) (string, error) {
		if text, ok := files[filepath.Clean(path)]; ok {
			return text, nil
		}
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		files = all[name]
		w.Forget()
		var list diag.List
		unit := w.LoadFile("in.flx", &list)
		if unit == nil || list.Failed() || unit.AST.Final == nil {
			continue
		}
		for k, text := range eachPart(files["in.flx"], unit.AST.Final) {
			if k%2 > 0 && !property.Long() {
				continue
			}
			files["in.flx"] = text
			w.Forget()
			var list diag.List
			unit := w.LoadFile("in.flx", &list)
			if list.Failed() {
				continue // a literal whose type the others decided
			}
			p := monomorphic(t, unit)
			if !hasCalculus(p) {
				continue
			}
			if err := c.check(p); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
		}
	}
	c.most(t)
}

// programFiles gives each program the texts of its files; the first is in.flx.
func programFiles(t *testing.T) map[string]map[string]string {
	all := map[string]map[string]string{}
	archives, _ := filepath.Glob("../../testdata/run/*.txtar")
	for _, path := range archives {
		if kind, _, _ := strings.Cut(filepath.Base(path), "-"); kind == "err" || kind == "ties" || kind == "infinite" {
			continue // about what has no value
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		all[filepath.Base(path)] = files
	}
	examples, _ := filepath.Glob("../../examples/*.flx")
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = map[string]string{"in.flx": string(text)}
	}
	for _, entry := range driver.NewWorld(nil).AllEntries() {
		for line := range strings.Lines(entry.Doc) {
			if example, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
				all[entry.Name+": "+example] = map[string]string{"in.flx": example + "\n"}
			}
		}
	}
	if len(archives) == 0 || len(examples) == 0 {
		t.Fatal("no programs")
	}
	return all
}

// eachPart returns a program for each part of the tuple, the array or the record that
// a program ends with, or the program itself.
func eachPart(text string, final syntax.Expr) []string {
	var parts []syntax.Expr
	switch final := final.(type) {
	case *syntax.Tuple:
		parts = final.Elems
	case *syntax.Array:
		parts = final.Elems
	case *syntax.Record:
		for _, f := range final.Fields {
			if f.Value != nil {
				parts = append(parts, f.Value)
			}
		}
	}
	if len(parts) == 0 {
		return []string{text}
	}
	var programs []string
	for _, part := range parts {
		programs = append(programs, text[:final.Span().Start]+"("+text[part.Span().Start:part.Span().End]+")\n")
	}
	return programs
}

// hasCalculus reports whether a program takes a derivative or a search.
func hasCalculus(p *core.Program) bool {
	found := false
	p.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				op, ok := let.Op.(*core.Prim)
				found = found || ok && coretest.IsCalculus(op.Prim)
			}
		})
	})
	return found
}
