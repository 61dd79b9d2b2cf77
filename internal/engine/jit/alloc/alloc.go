// Package alloc gives the virtual registers of a function machine registers, or places in its
// frame.
// It knows of the machine what ir.Target says.
package alloc

import (
	"math"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
)

// Note [Intervals]
//
// A register is live from its first write to its last read, and if it is written before a loop and
// read in it, to the end of that loop. Since the code is structured, a read follows the writes it
// sees in the list of instructions or, around a loop, lies in the same loop; so the interval covers
// every place where the register is live.
//
// Linear scan gives registers to the intervals in the order of their starts. If none is free, the
// interval with the least weight goes to memory as a whole, where the weight is
//
//	(reads and writes, each multiplied by 8 for every loop around it) / length.
//
// Instructions read memory operands directly, so that a spilled constant or a value that is seldom
// used costs little. Where an instruction cannot, the value goes through a scratch register:
// general ones that are never allocated, and the last three vector and mask registers, which are
// set aside only if something of that class was spilled.
//
// A read is at position 2i, a write at 2i+1, so that a result may take the register of an operand
// that ends there. An instruction that is early reads at 2i+1, and so does one that overwrites c,
// except for c.

// interval is where a register is live.
type interval struct {
	start, end int32  // end is 0 if it is nowhere
	hint       ir.Reg // a register whose place it would like to have
	weight     float64
}

// place is where a virtual register lives: a machine register, or memory.
type place struct {
	R    ir.Reg // noReg if it was spilled
	Slot int32  // its offset in the frame, if it has one; -1 else
}

// Allocation is the outcome.
type Allocation struct {
	Places []place // by virtual register
	// whether the class has spills; then its last three registers are scratch
	spilled [3]bool
	Across  map[int][]ir.Reg // what is in registers during a call, by its instruction
	Frame   int32            // bytes of the frame
}

// allocator gives registers places. Its memory is left to the next.
type allocator struct {
	f         *ir.Function
	Out       Allocation
	intervals []interval // by register
	order     []ir.Reg   // those that are live somewhere, by the starts of their intervals
	mine      []ir.Reg   // those of one class
	loops     []span
	calls     []int32
	free      []ir.Reg
	active    []taken
	needs     []ir.Reg
	slots     []slot
}

// span is a loop: the instructions at its start and at its end.
type span struct{ start, end int32 }

var allocators = sync.Pool{New: func() any { return &allocator{} }}

// Allocate gives every virtual register a place. Slots are placed from offset base of the frame.
// The allocator is to be released when the code has been emitted.
func Allocate(f *ir.Function, m *ir.Target, base int32) *allocator {
	al := allocators.Get().(*allocator)
	al.f = f
	al.live()
	al.Out.Places = reuse.Sized(al.Out.Places, f.Regs)
	for i := range al.Out.Places {
		al.Out.Places[i] = place{ir.NoReg, -1}
	}
	for c := range m.Files {
		al.mine = al.mine[:0]
		for _, r := range al.order {
			if f.Reg(r).Class == ir.Class(c) {
				al.mine = append(al.mine, r)
			}
		}
		file := m.Files[c]
		if !al.scan(file, ir.Class(c) == ir.GPR) {
			al.Out.spilled[c] = true
			for _, r := range al.mine {
				al.place(r).R = ir.NoReg
			}
			al.scan(file[:len(file)-3], true)
		}
	}
	al.placeSlots(base)
	return al
}

// Release gives the allocator back, for others.
func (al *allocator) Release() {
	al.f, al.Out = nil, Allocation{Places: al.Out.Places}
	allocators.Put(al)
}

func (al *allocator) interval(r ir.Reg) *interval { return &al.intervals[r-ir.FirstVirtual] }

func (al *allocator) place(r ir.Reg) *place { return &al.Out.Places[r-ir.FirstVirtual] }

// live finds the intervals, and the places of calls.
func (al *allocator) live() {
	f := al.f
	al.intervals, al.order = reuse.Zeros(al.intervals, f.Regs), reuse.Roomier(al.order[:0], f.Regs)
	al.loops, al.calls = al.loops[:0], al.calls[:0]
	var open []span // the loops around an instruction; at first their number in loops
	i := int32(0)
	for _, piece := range f.Code {
		for k := range piece {
			switch piece[k].Op {
			case ir.OpLoopStart:
				open = append(open, span{start: int32(len(al.loops))})
				al.loops = append(al.loops, span{start: i})
			case ir.OpLoopEnd:
				al.loops[open[len(open)-1].start].end = i
				open = open[:len(open)-1]
			case ir.OpCall:
				al.calls = append(al.calls, i)
			}
			i++
		}
	}
	costs := [...]float64{1, 8, 64, 512, 4096, 32768, 262144}
	cost, next := costs[0], al.loops
	// reach makes an interval last to a position, and to the end of the outermost loop that it is
	// live around.
	reach := func(v *interval, at int32) {
		v.weight += cost
		if n := len(open); n > 0 && v.start < 2*open[n-1].start {
			for _, l := range open {
				if v.start < 2*l.start {
					at = 2*l.end + 1
					break
				}
			}
		}
		v.end = max(v.end, at)
	}
	i = -1
	for _, piece := range f.Code {
		for k := range piece {
			in := &piece[k]
			i++
			switch in.Op {
			case ir.OpLoopStart:
				open, next = append(open, next[0]), next[1:]
				cost = costs[min(len(open), len(costs)-1)]
				continue
			case ir.OpLoopEnd:
				open = open[:len(open)-1]
				cost = costs[min(len(open), len(costs)-1)]
				continue
			}
			at := 2 * i
			if in.Op.Is(ir.Early) {
				at++
			}
			late := at
			if in.Overwrites() {
				late = 2*i + 1
			}
			read := func(r ir.Reg, at int32) {
				if r < ir.FirstVirtual {
					return
				}
				v := al.interval(r)
				if v.end == 0 {
					panic("jit: a register is read before it is written in " + f.Name)
				}
				reach(v, at)
			}
			for _, r := range [...]ir.Reg{in.A, in.B} {
				if r == in.C {
					read(r, at)
				} else {
					read(r, late)
				}
			}
			read(in.C, at)
			read(in.K, at)
			if in.IsMem {
				read(in.M.Base, at)
				read(in.M.Index, at)
			}
			if in.D < ir.FirstVirtual {
				continue
			}
			v := al.interval(in.D)
			if v.end == 0 {
				v.start, v.hint = 2*i+1, ir.NoReg
				if in.A >= ir.FirstVirtual {
					v.hint = in.A
				}
				if in.Op == ir.OpVFma || in.Op == ir.OpVFms || in.Op == ir.OpVFnma ||
					in.Overwrites() {
					v.hint = in.C
				}
				al.order = append(al.order, in.D)
			}
			reach(v, 2*i+1)
		}
	}
	for _, r := range al.order {
		v := al.interval(r)
		if f.Reg(r).Home != ir.Homeless {
			v.weight /= 2
		}
		v.weight /= float64(v.end - v.start + 1)
	}
}

// taken is a register that an interval has.
type taken struct {
	weight float64
	end    int32
	of, r  ir.Reg
}

// scan gives the registers of a file to the intervals of a class, which have none. If none may be
// left without, it gives up when one is, and gives false.
func (al *allocator) scan(file []ir.Reg, spills bool) bool {
	free := append(al.free[:0], file...)
	slices.Reverse(free) // the last is taken first
	active := slices.Grow(al.active[:0], len(file))
	al.free, al.active = free, active
	next := int32(math.MaxInt32) // the end of the one that ends first
	for _, r := range al.mine {
		v := al.interval(r)
		if next < v.start {
			next = math.MaxInt32
			kept := 0
			for i := range active {
				if u := &active[i]; u.end < v.start {
					free = append(free, u.r)
				} else {
					next = min(next, u.end)
					if kept < i {
						active[kept] = *u
					}
					kept++
				}
			}
			active = active[:kept]
		}
		if len(free) > 0 {
			k := len(free) - 1
			if v.hint != ir.NoReg {
				if i := slices.Index(free, al.place(v.hint).R); i >= 0 {
					k = i
				}
			}
			al.place(r).R = free[k]
			active = append(active, taken{v.weight, v.end, r, free[k]})
			free = slices.Delete(free, k, k+1)
			next = min(next, v.end)
			continue
		}
		if !spills {
			return false
		}
		if len(active) == 0 {
			continue
		}
		least := &active[0]
		for i := range active {
			if active[i].weight < least.weight {
				least = &active[i]
			}
		}
		if least.weight < v.weight {
			al.place(r).R = least.r
			al.place(least.of).R = ir.NoReg
			*least = taken{v.weight, v.end, r, least.r}
			next = min(next, v.end)
		}
	}
	return true
}

// slot is a place in the frame, and where what has it ends.
type slot struct {
	at, end int32
	size    uint8
}

// placeSlots gives a place in the frame to what was spilled and to what is in registers during
// a call.
func (al *allocator) placeSlots(base int32) {
	need, calls := al.needs[:0], al.calls
	for _, r := range al.order {
		p, v := al.place(r), al.interval(r)
		for len(calls) > 0 && 2*calls[0] <= v.start {
			calls = calls[1:] // the intervals are in the order of their starts
		}
		crosses := false
		for _, c := range calls {
			if p.R == ir.NoReg || v.end <= 2*c+1 {
				break
			}
			if crosses = true; al.Out.Across == nil {
				al.Out.Across = map[int][]ir.Reg{}
			}
			al.Out.Across[int(c)] = append(al.Out.Across[int(c)], r)
		}
		if p.R == ir.NoReg && al.f.Reg(r).Home == ir.Homeless || crosses {
			need = append(need, r)
		}
	}
	all := al.slots[:0]
	top := base
	for _, r := range need {
		size, p, v := al.f.Reg(r).W, al.place(r), al.interval(r)
		for i := range all {
			if s := &all[i]; s.size == size && s.end < v.start {
				s.end, p.Slot = v.end, s.at
				break
			}
		}
		if p.Slot < 0 {
			top = (top + int32(size) - 1) &^ (int32(size) - 1)
			p.Slot = top
			all = append(all, slot{top, v.end, size})
			top += int32(size)
		}
	}
	al.needs, al.slots = need, all
	al.Out.Frame = (top + 16 + 63) &^ 63 // a logical operation on one double reads two
}
