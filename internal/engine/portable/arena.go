package portable

import "github.com/fluxion-lang/fluxion/internal/loop"

// arena is memory for buffers, freed in the order opposite to that of its use, and kept from run to
// run.
type arena struct {
	reals stack[float64]
	ints  stack[int64]
	used  int64 // bytes, of results as well
	saved int64 // bytes of states
	limit int64
}

// stack is a list of chunks; those before chunk are full, and top elements of it are in use.
type stack[T any] struct {
	chunks     [][]T
	chunk, top int
}

// mark is a place in an arena.
type mark struct {
	chunkF, topF, chunkI, topI int
	used                       int64
}

// keptElements bounds the memory that is kept between runs, a chunk's elements.
const keptElements, minChunk = 1 << 22, 1 << 12

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

// claim counts n elements against the limit.
func (a *arena) claim(n int64) bool {
	a.used += 8 * n
	return a.fits(0)
}

// fits tells whether there may be so many more elements.
func (a *arena) fits(more int) bool { return a.limit <= 0 || a.used+a.saved+8*int64(more) <= a.limit }

// take is room for n elements. A chunk that is too small and has nothing in it gives way to a
// larger one: otherwise a loop over arrays that grow would keep one of each size.
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
				size = max(size, len(c)+len(c)/4) // the next one may be larger by a little
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

// maxElements bounds a buffer.
const maxElements = 1 << 40

// alloc makes a buffer of n elements, in the arena or outside of it.
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

// save copies a buffer to storage of a register's own, where it outlives the turn of a loop that
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

// use lets a register hold the buffer that is in its own storage.
func (fr *frame) use(reg int) {
	own := &fr.own[reg]
	fr.large = fr.large || cap(own.f)+cap(own.i) > keptElements
	fr.b[reg] = *own
}
