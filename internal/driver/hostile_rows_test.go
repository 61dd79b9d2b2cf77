package driver

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// hostileWithout are the rows that a program cannot apply to arguments of its own, and why.
var hostileWithout = map[prim.ID]string{
	prim.File:     "its argument is read when the program is loaded",
	prim.Partials: "the type of its result has no scheme; jacobian applies it",
}

const (
	hostileCases = 12
	hostileTime  = time.Second // what a case has; it is refused then
	hostileBytes = 256 << 20   // the limit of memory of a case
)

// The arguments are ends of domains, poles, and numbers that are too large or too small for what is
// done with them.
var (
	hostileReals = []string{"0", "(0 * (-1))", "1", "(-1)", "0.5", "(-2.5)", "3", "1e-300",
		"(-1e300)", "4.9e-324", "1.7976931348623157e308", "(builtin.infinity 1)",
		"(-(builtin.infinity 1))", "(builtin.infinity 1 - builtin.infinity 1)", "1e9", "(-1e5)",
		"9.3e18", "2.2250738585072014e-308"}
	hostileInts = []string{"0", "1", "(-1)", "2", "3", "(-7)", "62", "64", "9223372036854775807",
		"(-9223372036854775807 - 1)", "4294967297", "1000000000", "(-2147483648)"}
	hostileTexts = []string{`""`, `"a"`, `"-1e400"`, `"nan"`, `"1_0"`, `"é\n"`, `"0x1p9"`}
)

// hostile writes arguments of any type.
type hostile struct{ *rand.Rand }

func (h hostile) of(texts []string) string { return texts[h.IntN(len(texts))] }

// value writes a value of a type.
func (h hostile) value(ty types.Type) string {
	switch ty := types.Resolve(ty).(type) {
	case *types.Fun:
		return "(fun x => " + h.body(ty) + ")"
	case *types.Tuple:
		parts := make([]string, len(ty.Elems))
		for i, t := range ty.Elems {
			parts[i] = h.value(t)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case *types.Array:
		parts := make([]string, []int{0, 1, 2, 2, 3}[h.IntN(5)])
		for i := range parts {
			parts[i] = h.value(ty.Elem)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch types.Resolve(ty) {
	case types.Real:
		return h.of(hostileReals)
	case types.Int:
		return h.of(hostileInts)
	case types.Bool:
		return h.of([]string{"true", "false"})
	case types.String:
		return h.of(hostileTexts)
	}
	panic("no value of type " + types.Show(ty))
}

// body writes what a function makes of x.
func (h hostile) body(f *types.Fun) string {
	result := types.Resolve(f.Result)
	if f.Param == types.Real && result == types.Real && h.IntN(3) > 0 {
		return h.of([]string{"x", "1 / x", "x * x", "sqrt x", "x - 0.5",
			"if x < 0.25 then -x else x", "log x", "sin (1 / x)", "1e300 * x", `fail "no value"`,
			"0 * x", "abs (x - 0.5)", "tan (9 * x)"})
	}
	if types.Show(f.Param) == types.Show(result) && h.IntN(2) == 0 {
		return "x"
	}
	return h.value(result)
}

// sizeless is a type without sizes, as programs write it.
func sizeless(ty types.Type) string { return (&types.Printer{}).Type(ty) }

// program applies a row to arguments, or differentiates it there. It does so in an array, so that
// compiled code has a loop with it.
func (h hostile) program(row *prim.Prim) string {
	var by []types.Type
	for range row.Scheme.Params {
		choices := []types.Type{types.Real, types.Real, types.Int,
			&types.Tuple{Elems: []types.Type{types.Real, types.Int}},
			&types.Array{Size: types.ConstSize(1), Elem: types.Real}}
		by = append(by, choices[h.IntN(len(choices))])
	}
	ty := types.Subst(row.Scheme.Type, row.Scheme.Params, by)
	text, call, moves := "import builtin\n", []string{}, -1
	for {
		f, ok := types.Resolve(ty).(*types.Fun)
		if !ok {
			break
		}
		if ty = f.Result; hasFunction(f.Param) {
			call = append(call, h.value(f.Param))
			continue
		}
		if types.Resolve(f.Param) == types.Real {
			moves = len(call)
		}
		name := fmt.Sprint("a", len(call))
		ty := element(sizeless(f.Param))
		text += fmt.Sprintf("let %s : []%s = [%s]\n", name, ty, h.value(f.Param))
		call = append(call, name+"[i]")
	}
	at := ""
	if moves >= 0 && types.Resolve(ty) == types.Real && h.IntN(2) == 0 {
		at, call[moves] = call[moves], "x"
	}
	applied := "builtin." + row.Name + " " + strings.Join(call, " ")
	if strings.ContainsAny(row.Name, "+-*/^<=>!") {
		applied = strings.Join(call, " "+row.Name+" ")
	}
	if at != "" {
		applied = "deriv (fun x => " + applied + ") " + at
	}
	return text + fmt.Sprintf("[(%s : %s) for i < length [0]]\n", applied, sizeless(ty))
}

// element puts a type into parentheses if it needs them as an element.
func element(ty string) string {
	if strings.ContainsAny(ty, " ") {
		return "(" + ty + ")"
	}
	return ty
}

func hasFunction(ty types.Type) bool {
	_, ok := types.Resolve(ty).(*types.Fun)
	return ok
}

// TestHostileArguments: every row of the table, applied to arguments that it may not expect, has a
// value or an error, the same by every engine; it ends in time and keeps to the limit of memory, in
// exact mode too. More of them:
//
//	RAPID_CHECKS=1000 RAPID_SEED=2 go test -v -run HostileArguments -timeout 1h ./internal/driver
func TestHostileArguments(t *testing.T) { // not beside tests that allocate
	outcomes := map[diag.Code]int{}
	for k, row := range prim.All() {
		if hostileWithout[row.ID] != "" {
			continue
		}
		h := hostile{rand.New(rand.NewPCG(uint64(k), property.First()))}
		good, most := 0, property.Rounds(hostileCases)
		for tries := 0; good < most && tries < 20*most; tries++ {
			text := h.program(row)
			file := diag.NewFile("hostile", text)
			var sink diag.List
			w := NewWorld(nil)
			unit := w.load(libraryPrefix+"hostile", "hostile", file, "", nil, w.openBelow, &sink)
			if sink.Failed() { // of a type that the row does not take, say
				continue
			}
			good++
			outcomes[h.run(t, text, unit)]++
		}
		if good == 0 {
			t.Errorf("no program applies %s", row.Name)
		}
	}
	t.Log(outcomes) // with "" for a value
}

// run runs a program by every engine and in exact mode. It returns the code of the error, or "".
func (hostile) run(t *testing.T, text string, unit *Unit) (code diag.Code) {
	type runner = func(ctx context.Context, s Settings) (value.Value, *diag.Diagnostic)
	timed := func(name string, run runner) (value.Value, *diag.Diagnostic) {
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("%s\nby %s: %v", text, name, r)
			}
		}()
		ctx, done := stop.Within(context.Background(), hostileTime)
		defer done()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		limits := interp.Limits{Memory: hostileBytes, Depth: 100_000}
		v, d := run(ctx, Settings{Limits: limits, Deterministic: true})
		if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+2*hostileBytes {
			t.Errorf("%s\nby %s: %d bytes", text, name, after.HeapAlloc-before.HeapAlloc)
		}
		return v, d
	}
	var want value.Value
	var failed *diag.Diagnostic
	engines := Engines()
	for k, engine := range engines {
		run := func(ctx context.Context, s Settings) (value.Value, *diag.Diagnostic) {
			s.Engine, s.Compile = engine, interp.Options{Eager: true}
			r, d := Run(ctx, unit, s)
			return r.Value, d
		}
		got, d := timed(engine, run)
		if k == 0 {
			want, failed = got, d
			continue
		}
		switch {
		case d != nil && d.Code == diag.TimeLimit || failed != nil && failed.Code == diag.TimeLimit:
		case (d == nil) != (failed == nil),
			d != nil && (d.Code != failed.Code || d.Message != failed.Message):
			t.Errorf("%s\n%v by %s, %v by %s", text, failed, engines[0], d, engine)
		case d == nil && value.Show(want) != value.Show(got):
			t.Errorf("%s\n%s by %s, %s by %s", text, value.Show(want), engines[0],
				value.Show(got), engine)
		}
	}
	timed("exact evaluation", func(ctx context.Context, s Settings) (value.Value, *diag.Diagnostic) {
		r, d := RunExact(ctx, unit, s, Exactly{Eps: big.NewRat(1, 1e10)})
		return r.Value, d
	})
	if failed != nil {
		code = failed.Code
	}
	return code
}
