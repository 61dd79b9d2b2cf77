package jit

import (
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/run"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// long is a loop of n turns, each a loop of m turns.
func long() *loop.Func {
	n, m := loop.NewVar("n", loop.I64), loop.NewVar("m", loop.I64)
	inner := func(b *loop.Builder, x *loop.Var) loop.Atom {
		s, end := loop.NewVar("s", loop.F64), loop.NewVar("end", loop.F64)
		var in loop.Builder
		next := in.Let("t", loop.Sqrt, in.Let("u", loop.AddF, s, loop.Real(1)))
		b.Add(&loop.For{Index: loop.NewVar("j", loop.I64), Count: m, Body: in.Block(next), States: []loop.State{{Var: s, Init: x, Result: end}}})
		return end
	}
	s, end := loop.NewVar("s", loop.F64), loop.NewVar("end", loop.F64)
	var b, body loop.Builder
	next := inner(&body, s)
	b.Add(&loop.For{Index: loop.NewVar("i", loop.I64), Count: n, Body: body.Block(next), States: []loop.State{{Var: s, Init: loop.Real(0), Result: end}}})
	return &loop.Func{Name: "long", Params: []*loop.Var{n, m}, Body: b.Block(end)}
}

// TestDeadline: a run that would take years stops soon after Poll says so, whatever the shape of
// its loops.
func TestDeadline(t *testing.T) {
	code, err := Compile(program(long()), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	for _, shape := range [][2]int64{{1 << 40, 1 << 20}, {1 << 60, 1}, {1, 1 << 60}, {1 << 60, 0}, {1 << 50, 700}} {
		stop := errors.New("stop")
		start := time.Now()
		var last, gap time.Duration
		_, err := code.Run([]loop.Arg{{Word: uint64(shape[0])}, {Word: uint64(shape[1])}}, loop.RunOptions{Poll: func() error {
			since := time.Since(start)
			last, gap = since, max(gap, since-last)
			if since > 30*time.Millisecond {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Errorf("%v: %v", shape, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%v: stopped after %v, the longest time between polls is %v", shape, took, gap)
		}
	}
}

// growing makes a buffer that is twice as long in each of n turns.
func growing() *loop.Func {
	n := loop.NewVar("n", loop.I64)
	state := loop.State{Var: loop.NewVar("xs", loop.F64s), Init: nil, Result: loop.NewVar("end", loop.F64s)}
	var b, body loop.Builder
	state.Init = b.Alloc("start", loop.F64s, loop.Int(1), true)
	more := body.Let("m", loop.MulI, body.Length(state.Var), loop.Int(2))
	next := body.Alloc("next", loop.F64s, more, true)
	b.Add(&loop.For{Index: loop.NewVar("i", loop.I64), Count: n, Body: body.Block(next), States: []loop.State{state}})
	return &loop.Func{Name: "growing", Params: []*loop.Var{n}, Body: b.Block(state.Result)}
}

// TestResultsApart: results that are equal are two buffers, since their owners may write to them.
func TestResultsApart(t *testing.T) {
	n := loop.NewVar("n", loop.I64)
	var b loop.Builder
	one, two := b.Alloc("one", loop.F64s, n, true), b.Alloc("two", loop.F64s, n, true)
	code, err := Compile(program(&loop.Func{Name: "f", Params: []*loop.Var{n}, Body: b.Block(one, two)}), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	for _, n := range []uint64{1, 10_000, 10_000} {
		out, err := code.Run([]loop.Arg{{Word: n}}, loop.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if &out[0].F[0] == &out[1].F[0] {
			t.Errorf("two results of %d elements are one", n)
		}
	}
}

// TestResultsOverArguments: results may be written to where arguments lie, also if others are
// arguments as they were.
func TestResultsOverArguments(t *testing.T) {
	xs, ys := loop.NewVar("xs", loop.F64s), loop.NewVar("ys", loop.F64s)
	var b loop.Builder
	n := b.Length(xs)
	twice := b.Alloc("twice", loop.F64s, n, false)
	i := loop.NewVar("i", loop.I64)
	var body loop.Builder
	x := body.Load("x", xs, i)
	body.Add(&loop.Store{Buf: twice, At: i, Value: body.Let("y", loop.AddF, x, x)})
	b.Add(&loop.For{Index: i, Count: n, Parallel: true, Body: body.Block()})
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, ys}, Body: b.Block(twice, ys, xs)}
	engines := []loop.Code{portable.Compile(f)}
	if code, err := Compile(program(f), Options{}); err == nil {
		engines = append(engines, code)
	}
	for _, code := range engines {
		a, c := []float64{1, 2, 3}, []float64{4, 5, 6}
		into := []loop.Arg{{F: a}, {F: make([]float64, 3)}, {F: c}} // twice over xs, xs over ys
		if err := code.RunInto(into, []loop.Arg{{F: a}, {F: c}}, loop.RunOptions{}); err != nil {
			t.Fatal(err)
		}
		for k, want := range [][]float64{{2, 4, 6}, {4, 5, 6}, {1, 2, 3}} {
			if !slices.Equal(into[k].F, want) {
				t.Errorf("%T: result %d is %v, want %v", code, k, into[k].F, want)
			}
		}
	}
}

func TestMemory(t *testing.T) {
	check(t, program(growing()), []loop.Value{loop.IntValue(0)}, []loop.Value{loop.IntValue(3)}, []loop.Value{loop.IntValue(14)})
	code, err := Compile(program(growing()), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if _, err := code.Run([]loop.Arg{{Word: 40}}, loop.RunOptions{MaxBytes: 1 << 20}); !errors.Is(err, loop.ErrMemory) {
		t.Errorf("the error is %v", err)
	}
	if out, err := code.Run([]loop.Arg{{Word: 12}}, loop.RunOptions{MaxBytes: 1 << 20}); err != nil || len(out[0].F) != 4096 {
		t.Errorf("%v", err)
	}
	n := loop.NewVar("n", loop.I64)
	var b loop.Builder
	buf := b.Alloc("xs", loop.F64s, n, true)
	check(t, program(&loop.Func{Name: "negative", Params: []*loop.Var{n}, Body: b.Block(buf)}), []loop.Value{loop.IntValue(-1)})
}

// fibonacci calls itself twice; count, as deep as its argument says.
func fibonacci(deep bool) *loop.Program {
	n := loop.NewVar("n", loop.I64)
	f := &loop.Func{Name: "f", Params: []*loop.Var{n}}
	result := loop.NewVar("r", loop.I64)
	var b, then, other loop.Builder
	a, c := loop.NewVar("a", loop.I64), loop.NewVar("c", loop.I64)
	other.Add(&loop.Call{Results: []*loop.Var{a}, Func: f, Args: []loop.Atom{other.Let("m", loop.SubI, n, loop.Int(1))}})
	if deep {
		other.Add(&loop.Let{Var: c, Op: loop.AddI, Args: []loop.Atom{n, loop.Int(0)}})
	} else {
		other.Add(&loop.Call{Results: []*loop.Var{c}, Func: f, Args: []loop.Atom{other.Let("m", loop.SubI, n, loop.Int(2))}})
	}
	b.Add(&loop.If{Results: []*loop.Var{result}, Cond: b.Let("small", loop.LtI, n, loop.Int(2)), Then: then.Block(n),
		Else: other.Block(other.Let("s", loop.AddI, a, c))})
	f.Body = b.Block(result)
	m := loop.NewVar("m", loop.I64)
	main := &loop.Func{Name: "main", Params: []*loop.Var{m}}
	var mb loop.Builder
	out := loop.NewVar("out", loop.I64)
	mb.Add(&loop.Call{Results: []*loop.Var{out}, Func: f, Args: []loop.Atom{m}})
	main.Body = mb.Block(out)
	return &loop.Program{Funcs: []*loop.Func{main, f}}
}

func TestRecursion(t *testing.T) {
	check(t, fibonacci(false), []loop.Value{loop.IntValue(0)}, []loop.Value{loop.IntValue(1)}, []loop.Value{loop.IntValue(15)})
	code, err := Compile(fibonacci(true), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	out, err := code.Run([]loop.Arg{{Word: 10000}}, loop.RunOptions{})
	if err != nil || out[0].Word != 10000*10001/2 {
		t.Errorf("the sum is %v, %v", out, err)
	}
	if _, err := code.Run([]loop.Arg{{Word: 1 << 40}}, loop.RunOptions{}); !errors.Is(err, loop.ErrCheck) {
		t.Errorf("a recursion without end: %v", err)
	}
}

func TestUnknownOperation(t *testing.T) {
	x := loop.NewVar("x", loop.F64)
	odd := &loop.Op{Name: "odd", Args: []loop.Kind{loop.F64}, Result: loop.F64}
	y := loop.NewVar("y", loop.F64)
	f := &loop.Func{Name: "f", Params: []*loop.Var{x}, Body: &loop.Block{Stmts: []loop.Stmt{&loop.Let{Var: y, Op: odd, Args: []loop.Atom{x}}}, Yield: []loop.Atom{y}}}
	if _, err := Compile(program(f), Options{}); err == nil || !errors.Is(err, ErrUnsupported) && !strings.Contains(err.Error(), "odd") {
		t.Errorf("the error is %v", err)
	}
}

// TestStorm runs code in many goroutines while the collector, the profiler, the tracer and stack
// dumps do their worst.
func TestStorm(t *testing.T) {
	p := program(dot(true))
	code, err := Compile(p, Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	slow, err := Compile(program(long()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if f, err := os.CreateTemp(t.TempDir(), "cpu"); err == nil && pprof.StartCPUProfile(f) == nil {
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	if trace.Start(io.Discard) == nil {
		defer trace.Stop()
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
				_ = pprof.Lookup("goroutine").WriteTo(io.Discard, 2)
			}
		}
	}()
	want, _ := slow.Run([]loop.Arg{{Word: 20}, {Word: 3000}}, loop.RunOptions{})
	var wait sync.WaitGroup
	for g := range 24 {
		wait.Add(1)
		go deep(g*7, func() { // on stacks of all sizes
			defer wait.Done()
			for i := range property.Rounds(12) {
				n := 1 + (i*37+g)%3000
				xs := make([]float64, n)
				for j := range xs {
					xs[j] = float64(j % 7)
				}
				sum := 0.0
				for _, x := range xs {
					sum += x * x
				}
				out, err := code.Run([]loop.Arg{{F: xs}, {F: append([]float64(nil), xs...)}, {Word: uint64(n)}}, loop.RunOptions{})
				if err != nil || out[0].Real() != sum {
					t.Errorf("the product is %v and not %v (%v)", out, sum, err)
				}
				out, err = slow.Run([]loop.Arg{{Word: 20}, {Word: 3000}}, loop.RunOptions{})
				if err != nil || out[0].Word != want[0].Word {
					t.Errorf("a long run gives %v and not %v (%v)", out, want, err)
				}
			}
		})
	}
	wait.Wait()
	close(done)
}

func deep(n int, f func()) {
	if n > 0 {
		var pad [256]byte
		deep(n-1, f)
		runtime.KeepAlive(&pad)
		return
	}
	f()
}

// TestCycles: code that is dropped is released, also where the collector has no other reason to
// run.
func TestCycles(t *testing.T) {
	p := program(dot(true))
	if _, err := Compile(p, Options{}); errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func(n int64) { run.MaxPages = n }(run.MaxPages)
	run.MaxPages = 100
	mappings := func() int {
		b, _ := os.ReadFile("/proc/self/maps")
		return strings.Count(string(b), "r-xp")
	}
	runtime.GC()
	before := mappings()
	for i := range property.Rounds(500) {
		code, err := Compile(p, Options{})
		if err != nil {
			t.Fatal(i, err)
		}
		out, err := code.Run([]loop.Arg{{F: []float64{1, 2}}, {F: []float64{3, 4}}, {Word: 2}}, loop.RunOptions{})
		if err != nil || out[0].Real() != 11 {
			t.Fatal(out, err)
		}
		if i%50 == 0 {
			if now := mappings(); now > before+400 {
				t.Fatalf("%d executable mappings before, %d after %d cycles", before, now, i)
			}
		}
	}
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if after := mappings(); after > before+50 {
		t.Errorf("%d executable mappings before, %d in the end", before, after)
	}
}

// TestFault: a program that is not well formed and reads far outside of a buffer panics, and the
// process goes on.
func TestFault(t *testing.T) {
	xs, i := loop.NewVar("xs", loop.F64s), loop.NewVar("i", loop.I64)
	var b loop.Builder
	x := b.Load("x", xs, i)
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, i}, Body: b.Block(x)}
	code, err := Compile(program(f), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	run := func(i uint64) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		_, err := code.Run([]loop.Arg{{F: []float64{1, 2}}, {Word: i}}, loop.RunOptions{})
		return err != nil
	}
	for range 3 {
		if !run(1 << 44) {
			t.Error("a read outside of all memory gives a result")
		}
		if run(1) {
			t.Error("a read of an element panics")
		}
	}
}

// TestFlush: code that flushes subnormal results does so, and nothing else in the process does,
// also after a fault.
func TestFlush(t *testing.T) {
	xs, i := loop.NewVar("xs", loop.F64s), loop.NewVar("i", loop.I64)
	var b loop.Builder
	x := b.Load("x", xs, i)
	f := &loop.Func{Name: "f", Params: []*loop.Var{xs, i}, Body: b.Block(b.Let("y", loop.MulF, x, x))}
	small := []float64{0x1p-520}
	for _, c := range []struct {
		opts Options
		want float64
	}{{Options{Flush: true}, 0}, {Options{Flush: true, Deterministic: true}, 0x1p-1040}, {Options{}, 0x1p-1040}} {
		code, err := Compile(program(f), c.opts)
		if errors.Is(err, ErrUnsupported) {
			t.Skip(err)
		}
		run := func(i uint64) ([]loop.Arg, error) {
			defer func() { _ = recover() }()
			return code.Run([]loop.Arg{{F: small}, {Word: i}}, loop.RunOptions{})
		}
		out, err := run(0)
		if err != nil || out[0].Real() != c.want {
			t.Errorf("%+v: %v %v, want %v", c.opts, out, err, c.want)
		}
		run(1 << 44)
		if small[0]*small[0] == 0 {
			t.Fatal("after a fault the process flushes subnormal numbers")
		}
	}
}
