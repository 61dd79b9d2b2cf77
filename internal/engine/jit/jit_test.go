package jit

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// variants are the ways of compiling that tests go through.
func variants() map[string]Options {
	out := map[string]Options{
		"all":           {},
		"few":           {registers: 4, scheduled: 2},
		"fewest":        {registers: 3, Deterministic: true},
		"deterministic": {Deterministic: true, scheduled: 3},
		"no lanes":      {NoLanes: true},
		"sums":          {long: 3},
		"threads":       {parts: 3, arena: 128},
	}
	for _, set := range otherSets() {
		out[set] = Options{CPU: set, scheduled: 3}
		out[set+" plain"] = Options{CPU: set, NoLanes: true, Deterministic: true}
		out[set+" few"] = Options{CPU: set, registers: 6}
		out[set+" sums"] = Options{CPU: set, long: 3}
	}
	return out
}

// otherSets are the sets of instructions that this machine has beside the best one.
func otherSets() []string {
	if sets := Sets(); len(sets) > 1 {
		return sets[1:]
	}
	return nil
}

// toArgs makes arguments of an engine from those of Eval.
func toArgs(f *loop.Func, vs []loop.Value) []loop.Arg {
	args := make([]loop.Arg, len(vs))
	for i, v := range vs {
		switch f.Params[i].Kind {
		case loop.F64s:
			args[i].F = v.Reals()
		case loop.I64s:
			for _, w := range v.Buf {
				args[i].I = append(args[i].I, int64(w))
			}
		default:
			args[i].Word = v.Word
		}
	}
	return args
}

// clone copies the buffers of arguments: what Eval updates must not be seen by others.
func clone(vs []loop.Value) []loop.Value {
	out := make([]loop.Value, len(vs))
	for i, v := range vs {
		out[i] = loop.Value{Word: v.Word, Buf: append([]uint64(nil), v.Buf...)}
	}
	return out
}

// near tells whether two doubles agree up to rounding.
func near(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-9*(math.Abs(x)+math.Abs(y)+1e-3)
}

func same(k loop.Kind, x, y uint64, exact bool) bool {
	if k == loop.F64 {
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		return x == y || math.IsNaN(a) && math.IsNaN(b) || !exact && near(a, b)
	}
	return x == y
}

// agree compares a run of compiled code with Eval, one whose results have places, and some of which
// one result's place is where an argument lies.
func agree(f *loop.Func, code *Code, exact bool, want []loop.Value, wantErr error, args []loop.Value) error {
	var opts loop.RunOptions
	if code.opts.parts > 0 {
		opts.Threads = 3
	}
	got, err := code.Run(toArgs(f, args), opts)
	if err := agreed(f, got, err, exact, want, wantErr); err != nil || wantErr != nil {
		return err
	}
	into := make([]loop.Arg, len(want))
	behind := make([]*[8]float64, len(want)) // what lies behind the places
	for i, y := range f.Body.Yield {         // some are larger than needed
		n := len(want[i].Buf) + 5*(i%3)
		switch y.AtomKind() {
		case loop.F64s:
			all := make([]float64, n+8)
			into[i].F, behind[i] = all[:0:n], (*[8]float64)(all[n:])
		case loop.I64s:
			into[i].I = make([]int64, 0, n)
		}
	}
	err = code.RunInto(into, toArgs(f, args), opts)
	if err := agreed(f, into, err, exact, want, wantErr); err != nil {
		return fmt.Errorf("with places, %w", err)
	}
	for i, rest := range behind {
		if rest != nil && *rest != [8]float64{} {
			return fmt.Errorf("result %d overruns its place", i)
		}
	}
	for i := range want {
		for _, shift := range []int{0, 3, -3} {
			given, into := toArgs(f, args), make([]loop.Arg, len(want))
			arg := lieTogether(&into[i], len(want[i].Buf), f.Body.Yield[i].AtomKind(), f.Params, given, i, shift)
			if arg < 0 {
				continue
			}
			err := code.RunInto(into, given, opts)
			if err := agreed(f, into, err, exact, want, wantErr); err != nil {
				return fmt.Errorf("with result %d at argument %d%+d, %w", i, arg, shift, err)
			}
		}
	}
	return nil
}

// lieTogether lets the place of a result of n elements begin where an argument of its kind begins,
// or so many elements before or after that, and gives the number of the argument: the one with a
// number, or one behind it; -1 if there is none.
func lieTogether(place *loop.Arg, n int, k loop.Kind, params []*loop.Var, args []loop.Arg, number, shift int) int {
	for j := range params {
		j = (number + j) % len(params)
		switch {
		case params[j].Kind != k:
		case k == loop.F64s:
			place.F = together(&args[j].F, n, shift)
			return j
		case k == loop.I64s:
			place.I = together(&args[j].I, n, shift)
			return j
		}
	}
	return -1
}

// together moves an argument to memory that it shares with a place for n elements.
func together[T any](arg *[]T, n, shift int) []T {
	all := make([]T, len(*arg)+n+8)
	at, from := max(0, -shift), max(0, shift)
	copy(all[at:], *arg)
	*arg = all[at : at+len(*arg)]
	return all[from : from : from+n]
}

// agreed compares results with those of Eval.
func agreed(f *loop.Func, got []loop.Arg, err error, exact bool, want []loop.Value, wantErr error) error {
	if wantErr != nil || err != nil {
		if !errors.Is(err, wantErr) {
			return fmt.Errorf("the error is %v and not %v", err, wantErr)
		}
		return nil
	}
	for i, y := range f.Body.Yield {
		k := y.AtomKind()
		if !k.IsBuffer() {
			if !same(k, got[i].Word, want[i].Word, exact) {
				return fmt.Errorf("result %d is %v (%x) and not %v (%x)", i, math.Float64frombits(got[i].Word), got[i].Word, want[i].Real(), want[i].Word)
			}
			continue
		}
		if n := len(got[i].F) + len(got[i].I); n != len(want[i].Buf) {
			return fmt.Errorf("result %d has %d elements and not %d", i, n, len(want[i].Buf))
		}
		for j, w := range want[i].Buf {
			var word uint64
			if k == loop.F64s {
				word = math.Float64bits(got[i].F[j])
			} else {
				word = uint64(got[i].I[j])
			}
			if w != 0x7ff4_dead_dead_dead && !same(k.Elem(), word, w, exact) {
				return fmt.Errorf("element %d of result %d is %v (%x) and not %v (%x)", j, i, math.Float64frombits(word), word, math.Float64frombits(w), w)
			}
		}
	}
	return nil
}

// TestPlaces: a result is written to its place, also if that is where an argument lies.
func TestPlaces(t *testing.T) {
	xs, n := loop.NewVar("xs", loop.F64s), loop.NewVar("n", loop.I64)
	var b loop.Builder
	ys := b.Alloc("ys", loop.F64s, n, false)
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) { // in reverse, so that it cannot be done in place
		k := b.Let("k", loop.SubI, b.Let("k", loop.SubI, n, loop.Int(1)), i)
		b.Store(ys, i, b.Let("y", loop.MulF, b.Load("x", xs, k), loop.Real(2)))
	})
	f := &loop.Func{Name: "reversed", Params: []*loop.Var{xs, n}, Body: b.Block(ys)}
	code, err := Compile(&loop.Program{Funcs: []*loop.Func{f}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for size := range 40 {
		data := make([]float64, size)
		for i := range data {
			data[i] = float64(i)
		}
		for _, place := range [][]float64{make([]float64, size), make([]float64, size+8), nil, data} {
			into := []loop.Arg{{F: place}}
			if err := code.RunInto(into, []loop.Arg{{F: data}, {Word: uint64(size)}}, loop.RunOptions{}); err != nil {
				t.Fatal(err)
			}
			for i, y := range into[0].F {
				if len(into[0].F) != size || y != float64(2*(size-1-i)) {
					t.Fatalf("%d elements: %v", size, into[0].F)
				}
			}
			if size > 0 && place != nil && &place[0] != &into[0].F[0] {
				t.Errorf("%d elements are not at their place", size)
			}
		}
	}
}

// check compares a function with Eval in all variants.
func check(t testing.TB, p *loop.Program, argss ...[]loop.Value) {
	t.Helper()
	if err := loop.Verify(p); err != nil {
		t.Fatalf("%v\n%s", err, loop.Print(p))
	}
	f := p.Funcs[0]
	rounds := false // whether functions are only nearly right
	loop.Walk(f.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.Let); ok {
			rounds = rounds || vmath.Define(s.Op) != nil
		}
	})
	for name, opts := range variants() {
		code, err := Compile(p, opts)
		if errors.Is(err, ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, args := range argss {
			want, wantErr := loop.Eval(f, clone(args)...)
			exact := opts.Deterministic && !rounds
			if err := agree(f, code, exact, want, wantErr, args); err != nil {
				opts.Listing = true
				code, _ := Compile(p, opts)
				t.Fatalf("%s: %v\n%v\n%s\n%s", name, err, args, loop.Print(p), code.Listing())
			}
		}
	}
}

func program(f *loop.Func) *loop.Program { return &loop.Program{Funcs: []*loop.Func{f}} }

func reals(n int) loop.Value {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = math.Sin(float64(i)*1.7) * 3
	}
	return loop.RealsValue(xs)
}

// setLanes asks for lanes in all parallel loops that are not inside of another one with lanes.
func setLanes(b *loop.Block) {
	for _, s := range b.Stmts {
		if f, ok := s.(*loop.For); ok && f.Parallel {
			f.Lanes = true
			continue
		}
		loop.Blocks(s, setLanes)
	}
}

func dot(lanes bool) *loop.Func {
	xs, ys, n := loop.NewVar("xs", loop.F64s), loop.NewVar("ys", loop.F64s), loop.NewVar("n", loop.I64)
	var b loop.Builder
	sum := b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
		return b.Let("p", loop.MulF, b.Load("x", xs, i), b.Load("y", ys, i))
	})
	f := &loop.Func{Name: "dot", Params: []*loop.Var{xs, ys, n}, Body: b.Block(sum)}
	if lanes {
		setLanes(f.Body)
	}
	return f
}

func TestDot(t *testing.T) {
	for _, lanes := range []bool{false, true} {
		for _, n := range []int{0, 1, 3, 7, 8, 9, 31, 32, 33, 64, 100, 1000} {
			check(t, program(dot(lanes)), []loop.Value{reals(n), reals(n), loop.IntValue(int64(n))})
		}
	}
}
