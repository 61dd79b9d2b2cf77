package jit

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/run"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Code is machine code for a function. Its memory is released when it is not reachable any more.
type Code struct {
	entry *loop.Func
	sig   *ir.Signature
	mem   *run.Executable
	size  int
	frame int32 // bytes of the entry's frame
	least int32 // bytes of the smallest other frame
	// routines is the bytes of the largest frame of a routine: Note [Routines].
	routines int32
	calls    bool
	flush    bool // subnormal results of arithmetic may be zero
	opts     Options
	listing  *emit.Listing
	want     atomic.Int64 // bytes of arena that the last runs needed
	placed   atomic.Int64 // the same of runs whose results had places
	tried    atomic.Bool  // whether it was made as small as the results of a run
	pool     sync.Pool
	cut      func() (*threads, error) // the function in three, for several goroutines
	longest  int64                    // the largest known count of a loop
	few      [4]atomic.Uint64         // sizes of arguments for which there was too little work for them
}

// Size is the bytes of the machine code and its constants.
func (c *Code) Size() int { return c.size }

// Listing is the machine code as text, beside the statements of the loop form, if it was asked for.
func (c *Code) Listing() string {
	if c.listing == nil {
		return ""
	}
	return c.listing.String()
}

// context is the state of one run. It keeps alive what the block has addresses of.
type context struct {
	block []uint64 // aligned to 64 bytes
	arena []float64
	stack []uint64
	args  []loop.Arg
	into  []loop.Arg // places for the results
	// places says where results that are buffers may be written: nowhere if an argument lies there.
	places []vacant
	inside bool // whether an argument lies at a place
}

// vacant is memory for so many elements.
type vacant struct {
	start uintptr
	n     int
}

const (
	firstArena = 1 << 13 // bytes
	largeArena = 1 << 24
	firstStack = 1 << 16
	maxStack   = 1 << 26
	stackSlack = 1 << 14 // room for the parameters of a call that is refused
	firstFuel  = 1024    // a unit is about a microsecond
	maxFuel    = 8192
)

func (o *Options) firstArena() int64 {
	if o.arena > 0 {
		return o.arena
	}
	return firstArena
}

func aligned(words int) []uint64 {
	b := make([]uint64, words+8)
	skip := (-uintptr(unsafe.Pointer(&b[0])) & 63) / 8
	return b[skip : int(skip)+words : int(skip)+words]
}

// alignedReals makes memory that holds anything. A builder of strings is what gives such without
// clearing it, which would take as long as some programs.
func alignedReals(words int) []float64 {
	var s strings.Builder
	s.Grow(8 * (words + 8))
	s.WriteByte(0)
	start := unsafe.Pointer(unsafe.StringData(s.String()))
	start = unsafe.Add(start, -uintptr(start)&63)
	out := unsafe.Slice((*float64)(start), words)
	if 8*words >= largeArena {
		run.WantHugePages(out)
	}
	return out
}

func (c *Code) newContext() *context {
	if x, ok := c.pool.Get().(*context); ok {
		return x
	}
	x := &context{block: aligned(int(ir.CtxFrame+c.frame+c.routines)/8 + 64)}
	for i := range 8 {
		x.block[ir.CtxIota/8+i] = uint64(i)
	}
	return x
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
	if len(args) != len(c.entry.Params) {
		return fmt.Errorf("jit: %s has %d parameters and is given %d arguments", c.entry.Name, len(c.entry.Params), len(args))
	}
	if c.mem == nil {
		return fmt.Errorf("%w: the code is for another machine", ErrUnsupported)
	}
	if c.cut != nil && c.large(args) {
		if err := c.runThreads(into, args, opts); err != errFew {
			return err
		}
	}
	x := c.newContext()
	x.args, x.into = args, into
	deepest := c.deepest(opts)
	want := &c.want
	if x.findPlaces(c.entry.Body.Yield) {
		want = &c.placed
	}
	arena, stack := max(want.Load(), c.opts.firstArena()), min(firstStack, deepest)
	for {
		if opts.MaxBytes > 0 && arena > opts.MaxBytes {
			arena = max(opts.MaxBytes&^63, c.opts.firstArena())
		}
		if int64(len(x.arena))*8 < arena {
			x.arena = alignedReals(int(arena / 8))
		}
		if c.calls && int64(len(x.stack))*8 < stack {
			x.stack = aligned(int(stack / 8))
		}
		status, err := c.attempt(x, stack, opts)
		need := int64(x.block[ir.CtxNeed/8])
		switch {
		case err != nil:
			x.args, x.into = nil, nil
			return err
		case status == ir.StatusDone:
			c.results(into, x)
			x.args, x.into = nil, nil
			c.pool.Put(x)
			return nil
		case status == ir.StatusArena:
			most := opts.MaxBytes
			if most == 0 {
				most = math.MaxInt64
			}
			if arena >= most || need < 0 || need > most-arena {
				return loop.ErrMemory
			}
			more := 3 * arena
			if arena >= largeArena { // so that the results may be most of it
				more = arena / 2
			}
			arena = min(arena+max(more, 2*need), max(most&^63, arena+need))
			want.Store(arena)
			if c.opts.stores { // a run cannot be repeated: Note [Threads]
				c.pool.Put(x)
				return errAgain
			}
		case status == ir.StatusStack && stack < deepest:
			stack = min(4*stack, deepest)
		default: // a check has failed, or the recursion is too deep
			x.args, x.into = nil, nil
			c.pool.Put(x)
			return loop.ErrCheck
		}
	}
}

// deepest is the bytes of stack that a run may use.
func (c *Code) deepest(opts loop.RunOptions) int64 {
	if n := int64(opts.MaxDepth); n > 0 && n < maxStack/64 {
		return min(maxStack, int64(c.frame)+(n+1)*int64(c.least)+stackSlack) &^ 63
	}
	return maxStack
}

// attempt runs the code once, with the arena that there is and so much stack.
func (c *Code) attempt(x *context, stack int64, opts loop.RunOptions) (status uint64, err error) {
	b := x.block
	frame := b[ir.CtxFrame/8:]
	if c.calls {
		frame = x.stack
		b[ir.CtxNeed/8] = uint64(uintptr(unsafe.Pointer(&x.stack[0])))
		b[ir.CtxStack/8] = b[ir.CtxNeed/8] + uint64(stack) - stackSlack
	}
	for i, p := range c.entry.Params {
		at, a := c.sig.Params[i]/8, &x.args[i]
		switch p.Kind {
		case loop.F64s:
			frame[at], frame[at+1] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(a.F)))), uint64(len(a.F))
		case loop.I64s:
			frame[at], frame[at+1] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(a.I)))), uint64(len(a.I))
		default:
			frame[at] = a.Word
		}
	}
	for i, y := range c.entry.Body.Yield { // Note [Places]
		if y.AtomKind().IsBuffer() {
			at := c.sig.Results[i] / 8
			frame[at], frame[at+1] = uint64(x.places[i].start), uint64(x.places[i].n&^7)
		}
	}
	start := uint64(uintptr(unsafe.Pointer(&x.arena[0])))
	b[ir.CtxBump/8], b[ir.CtxLimit/8], b[ir.CtxResume/8] = start, start+uint64(len(x.arena)*8), 0
	fuel, before := uint64(firstFuel), time.Time{}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	mode := uint32(0)
	if c.flush {
		mode = run.Control()
		defer run.SetControl(mode) // if it faults
	}
	for {
		if opts.Often {
			fuel = 1
		}
		b[ir.CtxFuel/8] = fuel
		if c.flush {
			run.EnterFlushing(c.mem.Address(), unsafe.Pointer(&b[0]), mode)
		} else {
			run.Enter(c.mem.Address(), unsafe.Pointer(&b[0]))
		}
		runtime.KeepAlive(x)
		runtime.KeepAlive(c)
		if b[ir.CtxStatus/8] != ir.StatusPoll {
			return b[ir.CtxStatus/8], nil
		}
		if opts.Poll != nil {
			if err := opts.Poll(); err != nil {
				return 0, err
			}
		}
		// Some loops take longer from poll to poll than others.
		now := time.Now()
		switch since := now.Sub(before); {
		case before.IsZero(): // nobody knows when it began
		case since < 200*time.Microsecond:
			fuel = min(2*fuel, maxFuel)
		case since > time.Millisecond:
			fuel = max(fuel/4, 16)
		}
		before = now
	}
}

// results takes the results out of the frame and the arena.
func (c *Code) results(into []loop.Arg, x *context) {
	frame := x.block[ir.CtxFrame/8:]
	if c.calls {
		frame = x.stack
	}
	start := uintptr(unsafe.Pointer(&x.arena[0]))
	used := int64(uintptr(x.block[ir.CtxBump/8]) - start)
	yields := c.entry.Body.Yield
	var bytes int64 // of the buffers that have no place
	for i, y := range yields {
		n := int64(frame[c.sig.Results[i]/8+1])
		if y.AtomKind().IsBuffer() && int64(max(cap(into[i].F), cap(into[i].I))) < n {
			bytes += n * 8
		}
	}
	// The arena itself becomes the result if that is most of it. The next one is then to have the
	// size that this one has used in the end; if a run needs more in between, that was the last
	// such try.
	if bytes > 1<<14 && bytes > used/2 && c.want.Load() > used && c.tried.CompareAndSwap(false, true) {
		c.want.Store(used)
	}
	hand := bytes > 1<<14 && bytes > used/2 && bytes > int64(len(x.arena)*8)/2
	var handed []uintptr // two results may be one buffer, and are then two
	saved := x.saved(frame, c.sig.Results, yields)
	for i, y := range yields {
		at, to := c.sig.Results[i]/8, &into[i]
		k := y.AtomKind()
		if !k.IsBuffer() {
			to.Word = frame[at]
			continue
		}
		p, n := uintptr(frame[at]), int(frame[at+1])
		words, fresh := []float64{}, false
		switch place := x.places[i]; {
		case n == 0:
		case p == place.start && n <= place.n: // it is where it stays
			if k == loop.F64s {
				to.F = to.F[:n]
			} else {
				to.I = to.I[:n]
			}
			continue
		case p >= start && p < start+uintptr(len(x.arena)*8):
			words, fresh = x.arena[(p-start)/8:][:n:(n+7)&^7], hand && !slices.Contains(handed, p)
			handed = append(handed, p)
		case saved != nil && saved[i] != nil:
			words, fresh = saved[i], true
		default:
			words = x.outside(p, n)
		}
		if k == loop.F64s {
			to.Put(loop.Arg{F: words}, fresh)
		} else {
			to.Put(loop.Arg{I: integers(words)}, fresh)
		}
	}
	if hand {
		x.arena = nil
	}
}

// saved are copies of the results that are arguments as they were, if a result is to lie where an
// argument lies, since writing the one result would change the other; nil if there is no such
// place.
func (x *context) saved(frame []uint64, at []int32, yields []loop.Atom) [][]float64 {
	if len(yields) < 2 || !x.inside {
		return nil
	}
	copies := make([][]float64, len(yields))
	start, end := address(x.arena), address(x.arena)+uintptr(len(x.arena)*8)
	for i, y := range yields {
		p, n := uintptr(frame[at[i]/8]), int(frame[at[i]/8+1])
		if y.AtomKind().IsBuffer() && n > 0 && (p < start || p >= end) {
			copies[i] = slices.Clone(x.outside(p, n))
		}
	}
	return copies
}

// findPlaces sets places and inside for results, and reports whether the caller has any memory for
// them.
func (x *context) findPlaces(yields []loop.Atom) (any bool) {
	x.places, x.inside = x.places[:0], false
	for i, y := range yields {
		to, p := &x.into[i], vacant{}
		switch {
		case cap(to.F)+cap(to.I) == 0:
		case to.Overlaps(x.args):
			any, x.inside = true, true
		case y.AtomKind() == loop.I64s:
			any, p = true, vacant{address(to.I), cap(to.I)}
		default:
			any, p = true, vacant{address(to.F), cap(to.F)}
		}
		x.places = append(x.places, p)
	}
	return any
}

func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// integers is a buffer's words as integers.
func integers(words []float64) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(words))), cap(words))[:len(words)]
}

// doubles is a buffer's integers as words.
func doubles(ints []int64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(ints))), cap(ints))[:len(ints)]
}

// outside is the argument, or the other result at its place, at an address.
func (x *context) outside(p uintptr, n int) []float64 {
	for _, all := range [][]loop.Arg{x.args, x.into} {
		for _, a := range all {
			if cap(a.F) >= n && address(a.F) == p {
				return a.F[:n]
			}
			if cap(a.I) >= n && address(a.I) == p {
				return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(a.I))), n)
			}
		}
	}
	panic("jit: a result lies outside of the arena")
}
