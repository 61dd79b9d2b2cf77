//go:build js

// Package wasm runs functions of the loop form where Fluxion itself is WebAssembly: in a
// browser, or in Node. A function becomes a module of its own (package source/wasm, Note [Hosted
// modules]), which the browser compiles to machine code. Arguments are copied into the memory that
// the modules share, and results out of it.
package wasm

import (
	"errors"
	"fmt"
	"syscall/js"
	"time"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/loop"
	printer "github.com/fluxion-lang/fluxion/internal/source/wasm"
)

// Code is a compiled function; it implements loop.Code.
type Code struct {
	entry     *loop.Func
	module    js.Value
	instances []instance // one for each space
	fuel      float64    // of the first part of a run
}

// instance is a module that can be called.
type instance struct {
	space *space
	run   js.Value
}

// Compile compiles the entry of a program. Deterministic code gives the digits of every other
// engine's.
func Compile(p *loop.Program, deterministic bool) (code *Code, err error) {
	bytes := printer.Hosted(p, deterministic)
	array := js.Global().Get("Uint8Array").New(len(bytes))
	js.CopyBytesToJS(array, bytes)
	defer caught(&err)
	module := js.Global().Get("WebAssembly").Get("Module").New(array)
	return &Code{entry: p.Funcs[0], module: module, fuel: firstFuel}, nil
}

// caught turns what JavaScript throws into an error.
func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case js.Error:
		*err = fmt.Errorf("wasm: %w", e)
	default:
		panic(e)
	}
}

// space is memory that modules run in, one at a time.
type space struct {
	memory js.Value
	view   js.Value // its bytes, until it grows
	size   int
	words  []uint64 // room for a frame and the arguments behind it
}

const (
	page      = 1 << 16
	maxMemory = 1 << 31 // bytes: addresses are positive as 32-bit integers
	keptBytes = 1 << 27 // memory that has grown beyond this is not used again
	maxDepth  = 5000    // of calls, before the stack is full: Node may not survive that
)

func newSpace() *space {
	size := map[string]any{"initial": 1, "maximum": maxMemory / page}
	s := &space{memory: js.Global().Get("WebAssembly").Get("Memory").New(size)}
	s.refresh()
	return s
}

// refresh makes the view anew, which the growth of the memory ends.
func (s *space) refresh() {
	s.view = js.Global().Get("Uint8Array").New(s.memory.Get("buffer"))
	s.size = s.view.Length()
}

// hold grows the memory to so many bytes.
func (s *space) hold(bytes int) (err error) {
	if bytes <= s.size {
		return nil
	}
	defer caught(&err)
	s.memory.Call("grow", (bytes-s.size+page-1)/page)
	s.refresh()
	return nil
}

// running are the runs that have not ended, each started while the one before it was polling. A run
// has the space of its place in the list.
var (
	running []*run
	spaces  []*space
)

type run struct {
	opts loop.RunOptions
	fuel float64
	last time.Time // when it began, or polled
	err  error     // why it is to stop
}

// Fuel between polls: as much as takes some milliseconds.
const (
	firstFuel = 1 << 12
	maxFuel   = 1 << 26
	shortPart = 2 * time.Millisecond
	longPart  = 8 * time.Millisecond
)

// poll gives fuel for the next part of the run, or none if it is to stop.
func (r *run) poll(float64) float64 {
	if r.opts.Poll != nil {
		if r.err = r.opts.Poll(); r.err != nil {
			return 0
		}
	}
	now := time.Now()
	switch since := now.Sub(r.last); {
	case since < shortPart:
		r.fuel = min(2*r.fuel, maxFuel)
	case since > longPart:
		r.fuel = max(r.fuel/4, 1)
	}
	r.last = now
	return r.fuel
}

// host is what modules import, but for the memory.
var host = func() map[string]any {
	give := func(f func(float64) float64) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args[0].Float()) })
	}
	return map[string]any{
		"sin": give(kernel.Sin), "cos": give(kernel.Cos), "tan": give(kernel.Tan),
		"poll": give(func(x float64) float64 { return running[len(running)-1].poll(x) }),
	}
}()

// instance is the module in the space of a run.
func (c *Code) instance(at int) (_ instance, err error) {
	defer caught(&err)
	for len(spaces) <= at {
		spaces = append(spaces, newSpace())
	}
	for len(c.instances) <= at {
		c.instances = append(c.instances, instance{})
	}
	i := &c.instances[at]
	if i.space != spaces[at] {
		imports := map[string]any{"memory": spaces[at].memory}
		for name, f := range host {
			imports[name] = f
		}
		given := map[string]any{"host": imports}
		module := js.Global().Get("WebAssembly").Get("Instance").New(c.module, given)
		*i = instance{spaces[at], module.Get("exports").Get("run")}
	}
	return *i, nil
}

// Run calls the function: loop.Code.
func (c *Code) Run(args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	into := make([]loop.Arg, len(c.entry.Body.Yield))
	if err := c.RunInto(into, args, opts); err != nil {
		return nil, err
	}
	return into, nil
}

// RunInto calls the function: loop.Code.
func (c *Code) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	at := len(running)
	i, err := c.instance(at)
	if err != nil {
		return errors.Join(loop.ErrMemory, err)
	}
	s := i.space
	if err := c.enter(s, args, opts); err != nil {
		return errors.Join(loop.ErrMemory, err)
	}
	r := &run{opts: opts, fuel: c.fuel, last: time.Now()}
	running = append(running, r)
	status, err := i.call()
	running = running[:at]
	c.fuel = r.fuel
	if s.view.Length() == 0 {
		s.refresh()
	}
	if s.size > keptBytes {
		defer func() { spaces[at] = newSpace() }()
	}
	switch {
	case r.err != nil:
		return r.err
	case err != nil, status == printer.Failed: // there is an error if the stack is full
		return loop.ErrCheck
	case status == printer.Memory:
		return loop.ErrMemory
	}
	c.leave(s, into)
	return nil
}

func (i instance) call() (status int, err error) {
	defer caught(&err)
	return i.run.Invoke().Int(), nil
}

// enter writes the frame and the arguments.
func (c *Code) enter(s *space, args []loop.Arg, opts loop.RunOptions) error {
	frame := printer.FrameHead + len(args) + len(c.entry.Body.Yield)
	n := frame
	for _, a := range args {
		n += len(a.F) + len(a.I)
	}
	if cap(s.words) < n {
		s.words = make([]uint64, n)
	}
	words := s.words[:n]
	limit, depth := uint64(maxMemory), uint64(maxDepth)
	if opts.MaxBytes > 0 {
		limit = min(limit, uint64(8*n)+uint64(opts.MaxBytes))
	}
	if opts.MaxDepth > 0 {
		depth = min(depth, uint64(opts.MaxDepth))
	}
	copy(words, []uint64{uint64(8 * n), limit, depth, uint64(c.fuel)})
	next := frame
	for i, a := range args {
		at := printer.FrameHead + i
		switch c.entry.Params[i].Kind {
		case loop.F64s, loop.I64s:
			length := copy(words[next:], asWords(a.F)) + copy(words[next:], asWords(a.I))
			words[at] = uint64(8*next) | uint64(length)<<32
			next += length
		default:
			words[at] = a.Word
		}
	}
	if err := s.hold(8 * n); err != nil {
		return err
	}
	js.CopyBytesToJS(s.view, asBytes(words))
	return nil
}

// leave reads the results.
func (c *Code) leave(s *space, into []loop.Arg) {
	first := printer.FrameHead + len(c.entry.Params)
	words := s.words[:first+len(into)]
	js.CopyBytesToGo(asBytes(words), s.view)
	for i, y := range c.entry.Body.Yield {
		word := words[first+i]
		address, length := int(word&(1<<32-1)), int(word>>32)
		switch to := &into[i]; y.AtomKind() {
		case loop.F64s:
			to.F = place(to.F, length)
			s.read(asBytes(to.F), address)
		case loop.I64s:
			to.I = place(to.I, length)
			s.read(asBytes(to.I), address)
		default:
			to.Word = word
		}
	}
}

// place is room for so many elements: what was given, if it has it.
func place[T any](given []T, n int) []T {
	if given == nil || cap(given) < n {
		return make([]T, n)
	}
	return given[:n]
}

func (s *space) read(to []byte, address int) {
	if len(to) > 0 {
		js.CopyBytesToGo(to, s.view.Call("subarray", address, address+len(to)))
	}
}

func asWords[T int64 | float64](xs []T) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

func asBytes[T int64 | float64 | uint64](xs []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), 8*len(xs))
}
