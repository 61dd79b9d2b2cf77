package jit

import "sync"

// The context block, in bytes from its start. Go and the code exchange everything through it.
const (
	ctxStatus = 0  // why the code has returned
	ctxResume = 8  // where it goes on after a poll
	ctxFuel   = 16 // polls until the next return to Go
	ctxBump   = 24 // the first free byte of the arena
	ctxLimit  = 32 // its end
	ctxStack  = 40 // the end of the stack of frames
	ctxNeed   = 48 // the bytes that the arena or the stack lacked
	ctxEntry  = 56 // the address of the code
	ctxGPR    = 64 // 32 words to save the general registers in
	ctxMasks  = ctxGPR + 32*8
	ctxVecs   = ctxMasks + 8*8
	ctxIota   = ctxVecs + 32*64 // the integers 0 … 7
	ctxFrame  = ctxIota + 64    // the first frame, if the program has no calls
)

// The reasons to return.
const (
	statusDone = iota
	statusPoll
	statusCheck
	statusArena
	statusStack
)

func ctxMem(at int32) mem { return mem{base: contextBase, index: noReg, scale: 1, disp: at} }

// target makes instructions of a machine from those of a function.
type target interface {
	// prologue emits the code that Go enters, at the start or where a poll has left, and the ways
	// out.
	prologue()
	// function emits the function that the emitter has.
	function()
	// leave emits a return to Go.
	leave(status int64)
	// align fills up to a multiple of n bytes.
	align(n int)
	// finish fills in displacements. The constants start at offset pool of the code.
	finish(pool int) error
}

// emitter is what the targets have in common: the code so far, and the function being emitted.
type emitter struct {
	assembler
	f      *function
	m      *machine
	al     *allocation
	frame  reg   // the register that frames are addressed by
	origin int32 // and the offset of the frame from it
	// routines is the offset of the frames of routines from the context block.
	routines int32
	pool     *pool
	entry    []label // of each function of the program, and then of each routine
	funcs    int     // how many of them are not routines
	slow     []slowPath
	save     label // the code that saves all registers and returns
	list     *listing
}

// fixup is a displacement to be filled in: at an offset of the code, counted from its end, to a
// label or to an offset in the constant pool.
type fixup struct{ at, end, to int32 }

// assembler is code with places that are not known yet.
type assembler struct {
	buf    []byte
	labels []int32 // the offset of each label, -1 while unknown
	jumps  []fixup
	consts []fixup // uses of the constant pool
}

var assemblers = sync.Pool{New: func() any { return &assembler{} }}

// release gives the memory of code that was copied back, for others.
func (as *assembler) release() {
	assemblers.Put(&assembler{buf: as.buf[:0], labels: as.labels[:0], jumps: as.jumps[:0], consts: as.consts[:0]})
}

func (as *assembler) newLabel() label {
	as.labels = append(roomier(as.labels, 1), -1)
	return label(len(as.labels) - 1)
}

// mark is the place that a label names.
func (e *emitter) mark(to label) {
	if e.list != nil {
		e.list.note(&e.assembler, to.String()+":")
	}
	e.labels[to] = int32(len(e.buf))
}

// slowPath is what a poll jumps to when the fuel is used up.
type slowPath struct{ from, back label }

// pool is the constants that the code refers to.
type pool struct {
	bytes []byte
	at    map[poolKey]int32
}

type poolKey struct {
	word  int64
	lanes uint8
}

// offset finds or makes a constant repeated in so many lanes.
func (p *pool) offset(word int64, lanes uint8) int32 {
	key := poolKey{word, lanes}
	if at, ok := p.at[key]; ok {
		return at
	}
	for len(p.bytes)%(8*int(lanes)) != 0 {
		p.bytes = append(p.bytes, 0)
	}
	at := int32(len(p.bytes))
	for range lanes {
		for i := range 8 {
			p.bytes = append(p.bytes, byte(uint64(word)>>(8*i)))
		}
	}
	p.at[key] = at
	return at
}

// frameMem addresses the frame.
func (e *emitter) frameMem(at int32) mem {
	return mem{base: e.frame, index: noReg, scale: 1, disp: e.origin + at}
}

// at is the machine register of r, or noReg if it is in memory.
func (e *emitter) at(r reg) reg {
	if r < firstVirtual {
		return r
	}
	return e.al.places[r-firstVirtual].r
}
