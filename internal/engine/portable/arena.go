package portable

import "github.com/fluxion-lang/fluxion/internal/loop"

// arena is memory for buffers. What was taken last is freed first, and the memory is kept from run
// to run.
type arena struct {
	reals stack[float64]
	ints  stack[int64]
	used  int64 // bytes in use, those of results included
	saved int64 // bytes that hold states of loops
	limit int64
}

// stack is a list of chunks. The chunks before chunk are full; top elements of chunk are in use.
type stack[T any] struct {
	chunks     [][]T
	chunk, top int
}

// mark remembers how much of an arena was in use.
type mark struct {
	chunkF, topF, chunkI, topI int
	used                       int64
}

const (
	keptElements = 1 << 22 // at most kept between runs, and in a chunk that grows
	minChunk     = 1 << 12 // elements of a chunk, at least
)

func (a *arena) reset(limit int64) {
	a.used, a.saved, a.limit = 0, 0, limit
	a.reals.reset()
	a.ints.reset()
}

func (s *stack[T]) reset() {
	total := 0
	for i, c := range s.chunks {
		if total += len(c); total > keptElements {
			clear(s.chunks[i:])
			s.chunks = s.chunks[:i]
			break
		}
	}
	s.chunk, s.top = 0, 0
}

func (a *arena) mark() mark {
	return mark{a.reals.chunk, a.reals.top, a.ints.chunk, a.ints.top, a.used}
}

func (a *arena) release(m mark) {
	a.reals.chunk, a.reals.top = m.chunkF, m.topF
	a.ints.chunk, a.ints.top = m.chunkI, m.topI
	a.used = m.used
}

// claim counts n elements, and reports whether they are within the limit.
func (a *arena) claim(n int64) bool {
	a.used += 8 * n
	return a.fits(0)
}

// fits reports whether more elements would be within the limit.
func (a *arena) fits(more int) bool {
	return a.limit <= 0 || a.used+a.saved+8*int64(more) <= a.limit
}

// take returns n elements. It replaces an empty chunk that is too small by a larger one. Otherwise
// a loop over arrays that grow would keep a chunk of each size.
func (s *stack[T]) take(n int) []T {
	size := max(n, minChunk)
	for s.chunk < len(s.chunks) {
		c := s.chunks[s.chunk]
		if s.top+n <= len(c) {
			s.top += n
			return c[s.top-n : s.top : s.top]
		}
		if s.top == 0 {
			if len(c) < keptElements {
				size = max(size, len(c)+len(c)/4) // the next array may be a little larger
			}
			s.chunks[s.chunk] = nil
			break
		}
		s.chunk, s.top = s.chunk+1, 0
	}
	if s.chunk == len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	c := make([]T, size)
	s.chunks[s.chunk] = c
	s.top = n
	return c[:n:n]
}

// maxElements bounds the elements of a buffer.
const maxElements = 1 << 40

// alloc makes a buffer of n elements. A fresh buffer is outside the arena and outlives the run.
func (fr *frame) alloc(k loop.Kind, n int64, zero, fresh bool) (b buffer, ok bool) {
	r := fr.run
	if n < 0 {
		return b, r.stop(loop.ErrCheck)
	}
	if n > maxElements || !r.arena.claim(n) {
		return b, r.stop(loop.ErrMemory)
	}
	switch {
	case k == loop.F64s && fresh:
		b.f = make([]float64, n)
	case k == loop.F64s:
		b.f = r.arena.reals.take(int(n))
	case fresh:
		b.i = make([]int64, n)
	default:
		b.i = r.arena.ints.take(int(n))
	}
	if zero && !fresh {
		clear(b.f)
		clear(b.i)
	}
	return b, r.spend(int(min(n, quantum)))
}

// save copies a buffer to the storage of a register, where it outlives the turn of the loop that
// made it.
func (fr *frame) save(reg int, b buffer) bool {
	own, a := &fr.own[reg], &fr.run.arena
	before := cap(own.f) + cap(own.i)
	if !a.fits(len(b.f) + len(b.i) - before) {
		return fr.run.stop(loop.ErrMemory)
	}
	own.f = append(own.f[:0], b.f...)
	own.i = append(own.i[:0], b.i...)
	a.saved += 8 * int64(cap(own.f)+cap(own.i)-before)
	fr.use(reg)
	return true
}

// use makes a register hold the buffer that is in its storage.
func (fr *frame) use(reg int) {
	own := &fr.own[reg]
	fr.large = fr.large || cap(own.f)+cap(own.i) > keptElements
	fr.b[reg] = *own
}
