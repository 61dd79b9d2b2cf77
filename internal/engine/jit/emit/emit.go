// Package emit is what the back ends have in common: code with labels and constants that get their
// places in the end, and its listing. A back end is a package with the registers, the instructions,
// their bytes and their text of a kind of processor; it gives an ir.Target and implements BackEnd.
package emit

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/alloc"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
)

// BackEnd makes instructions of a machine from those of a function.
type BackEnd interface {
	// Prologue emits the code that Go enters, at the start or where a poll has left, and the ways
	// out.
	Prologue()
	// Function emits the function that the emitter has.
	Function()
	// Leave emits a return to Go.
	Leave(status int64)
	// Align fills up to a multiple of n bytes.
	Align(n int)
	// Finish fills in displacements. The constants start at offset pool of the code.
	Finish(pool int) error
}

// Emitter is what the targets have in common: the code so far, and the function being emitted.
type Emitter struct {
	Assembler
	Code   *ir.Function
	Target *ir.Target
	Alloc  *alloc.Allocation
	Frame  ir.Reg // the register that frames are addressed by
	Origin int32  // and the offset of the frame from it
	// Routines is the offset of the frames of routines from the context block.
	Routines int32
	Pool     *pool
	Entry    []ir.Label // of each function of the program, and then of each routine
	Funcs    int        // how many of them are not routines
	Slow     []SlowPath
	Save     ir.Label // the code that saves all registers and returns
	Listing  *Listing
}

// NewEmitter is an emitter for a program of so many functions, besides routines.
func NewEmitter(m *ir.Target, funcs int) *Emitter {
	e := &Emitter{Target: m, Funcs: funcs, Pool: &pool{at: map[poolKey]int32{}},
		Assembler: *assemblers.Get().(*Assembler)}
	e.Save = e.NewLabel()
	return e
}

// Fixup is a displacement to be filled in: at an offset of the code, counted from its end, to a
// label or to an offset in the constant pool.
type Fixup struct{ At, End, To int32 }

// Assembler is code with places that are not known yet.
type Assembler struct {
	Buf    []byte
	Labels []int32 // the offset of each label, -1 while unknown
	Jumps  []Fixup
	Consts []Fixup // uses of the constant pool
}

var assemblers = sync.Pool{New: func() any { return &Assembler{} }}

// Release gives the memory of code that was copied back, for others.
func (as *Assembler) Release() {
	assemblers.Put(&Assembler{Buf: as.Buf[:0], Labels: as.Labels[:0], Jumps: as.Jumps[:0],
		Consts: as.Consts[:0]})
}

func (as *Assembler) NewLabel() ir.Label {
	as.Labels = append(reuse.Roomier(as.Labels, 1), -1)
	return ir.Label(len(as.Labels) - 1)
}

// Mark is the place that a label names.
func (e *Emitter) Mark(to ir.Label) {
	if e.Listing != nil {
		e.Listing.Note(&e.Assembler, to.String()+":")
	}
	e.Labels[to] = int32(len(e.Buf))
}

// SlowPath is what a poll jumps to when the fuel is used up.
type SlowPath struct{ From, Back ir.Label }

// pool is the constants that the code refers to.
type pool struct {
	Bytes []byte
	at    map[poolKey]int32
}

type poolKey struct {
	word  int64
	lanes uint8
}

// Offset finds or makes a constant repeated in so many lanes.
func (p *pool) Offset(word int64, lanes uint8) int32 {
	key := poolKey{word, lanes}
	if at, ok := p.at[key]; ok {
		return at
	}
	for len(p.Bytes)%(8*int(lanes)) != 0 {
		p.Bytes = append(p.Bytes, 0)
	}
	at := int32(len(p.Bytes))
	for range lanes {
		for i := range 8 {
			p.Bytes = append(p.Bytes, byte(uint64(word)>>(8*i)))
		}
	}
	p.at[key] = at
	return at
}

// FrameMem addresses the frame.
func (e *Emitter) FrameMem(at int32) ir.Mem {
	return ir.Mem{Base: e.Frame, Index: ir.NoReg, Scale: 1, Disp: e.Origin + at}
}

// At is the machine register of r, or noReg if it is in memory.
func (e *Emitter) At(r ir.Reg) ir.Reg {
	if r < ir.FirstVirtual {
		return r
	}
	return e.Alloc.Places[r-ir.FirstVirtual].R
}
