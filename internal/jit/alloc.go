package jit

import (
	"math"
	"slices"
	"sync"
)

// Note [Intervals]
//
// A register is live from its first write to its last read, and if it is written before
// a loop and read in it, to the end of that loop. Since the code is structured, a read follows the writes it
// sees in the list of instructions or, around a loop, lies in the same loop; so the interval covers
// every place where the register is live.
//
// Linear scan gives registers to the intervals in the order of their starts. If none is free, the interval
// with the least weight goes to memory as a whole, where the weight is
//
//	(reads and writes, each multiplied by 8 for every loop around it) / length.
//
// Instructions read memory operands directly, so that a spilled constant or a value that is seldom used costs
// little. Where an instruction cannot, the value goes through a scratch register: general ones that are never allocated, and
// the last three vector and mask registers, which are set aside only if something of that class was spilled.
//
// A read is at position 2i, a write at 2i+1, so that a result may take the register of an operand that
// ends there. An instruction that is early reads at 2i+1.

// interval is where a register is live.
type interval struct {
	r          reg
	start, end int
	cost       float64
	weight     float64 // that of the cost for its length
	hint       reg     // a register whose place it would like to have
}

// place is where a virtual register lives: a machine register, or memory.
type place struct {
	r    reg   // noReg if it was spilled
	slot int32 // its offset in the frame, if it has one; -1 else
}

// machine is what lowering and allocation know of the machine.
type machine struct {
	avx512 bool     // masks have registers of their own
	neon   bool     // vectors are those of arm64
	bytes  uint8    // of a vector
	files  [3][]reg // the registers of each class
	target func(e *emitter, calls bool) target
}

// width is the bytes of a vector.
func (m *machine) width() uint8 { return m.bytes }

// allocation is the outcome.
type allocation struct {
	places  []place // by virtual register
	spilled [3]bool // whether the class has spills; then its last three registers are scratch
	across  map[int][]reg
	frame   int32 // bytes of the frame
}

// allocate gives every virtual register a place. Slots are placed from offset base of the frame.
func allocate(f *function, m *machine, base int32) *allocation {
	room := intervalRooms.Get().(*intervalRoom)
	intervals, calls := f.intervals(room)
	al := &allocation{places: make([]place, len(f.regs)), across: map[int][]reg{}}
	for i := range al.places {
		al.places[i] = place{noReg, -1}
	}
	for c := range m.files {
		mine := room.mine[:0]
		for _, v := range intervals {
			if f.reg(v.r).class == class(c) {
				mine = append(mine, v)
			}
		}
		room.mine = mine
		file := m.files[c]
		if al.scan(mine, file) && class(c) != gpr {
			al.spilled[c] = true
			al.scan(mine, file[:len(file)-3])
		}
	}
	al.slots(f, intervals, calls, base)
	intervalRooms.Put(room)
	return al
}

// intervalRoom is memory for the intervals of a function, which allocation leaves to the next.
type intervalRoom struct {
	all           []interval
	of, out, mine []*interval // by register, in the order of their starts, and those of one class
}

var intervalRooms = sync.Pool{New: func() any { return &intervalRoom{} }}

// intervals gives the live intervals in the order of their starts, and the positions of calls.
func (f *function) intervals(room *intervalRoom) (out []*interval, calls []int) {
	ends := map[int]int{} // the end of the loop that starts at an instruction
	var open []int
	for i := range f.code {
		switch f.code[i].op {
		case opLoopStart:
			open = append(open, i)
		case opLoopEnd:
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		case opCall:
			calls = append(calls, i)
		}
	}
	n := len(f.regs)
	room.all, room.of = slices.Grow(room.all[:0], n), slices.Grow(room.of[:0], n)
	of, all, out := room.of[:n], room.all, room.out[:0]
	clear(of)
	costs := []float64{1, 8, 64, 512, 4096, 32768, 262144}
	for i := range f.code {
		in := &f.code[i]
		switch in.op {
		case opLoopStart:
			open = append(open, i)
			continue
		case opLoopEnd:
			open = open[:len(open)-1]
			continue
		}
		cost := costs[min(len(open), len(costs)-1)]
		at := 2 * i
		if in.op.is(early) {
			at++
		}
		in.uses(func(r *reg) {
			v := of[*r-firstVirtual]
			if v == nil {
				panic("jit: a register is read before it is written in " + f.name)
			}
			v.cost += cost
			v.end = max(v.end, at)
			for _, l := range open { // the outermost loop that it is live around
				if v.start < 2*l {
					v.end = max(v.end, 2*ends[l]+1)
					break
				}
			}
		})
		if in.d >= firstVirtual {
			v := of[in.d-firstVirtual]
			if v == nil {
				all = append(all, interval{r: in.d, start: 2*i + 1, end: 2*i + 1, hint: noReg})
				v = &all[len(all)-1]
				if in.a >= firstVirtual {
					v.hint = in.a
				}
				if in.op == opVFma || in.op == opVFms || in.op == opVFnma {
					v.hint = in.c
				}
				of[in.d-firstVirtual] = v
				out = append(out, v)
			}
			v.cost += cost
			v.end = max(v.end, 2*i+1)
			for _, l := range open {
				if v.start < 2*l {
					v.end = max(v.end, 2*ends[l]+1)
					break
				}
			}
		}
	}
	for _, v := range out {
		if f.reg(v.r).home != homeless {
			v.cost /= 2
		}
		v.weight = v.cost / float64(v.end-v.start+1)
	}
	room.out = out
	return out, calls
}

// scan gives the registers of a file to intervals and tells whether some were left without.
func (al *allocation) scan(intervals []*interval, file []reg) (spilled bool) {
	free := slices.Clone(file)
	slices.Reverse(free) // the last is taken first
	active := make([]*interval, 0, len(file))
	next := math.MaxInt // the end of the one that ends first
	set := func(v *interval, r reg) { al.places[v.r-firstVirtual].r = r }
	for _, v := range intervals {
		set(v, noReg)
	}
	for _, v := range intervals {
		if next < v.start {
			next = math.MaxInt
			kept := active[:0]
			for _, u := range active {
				if u.end < v.start {
					free = append(free, al.places[u.r-firstVirtual].r)
				} else {
					kept = append(kept, u)
					next = min(next, u.end)
				}
			}
			active = kept
		}
		if len(free) > 0 {
			k := len(free) - 1
			if v.hint != noReg {
				if i := slices.Index(free, al.places[v.hint-firstVirtual].r); i >= 0 {
					k = i
				}
			}
			set(v, free[k])
			free = slices.Delete(free, k, k+1)
			active = append(active, v)
			next = min(next, v.end)
			continue
		}
		spilled = true
		if len(active) == 0 {
			continue
		}
		k := 0
		for i, u := range active {
			if u.weight < active[k].weight {
				k = i
			}
		}
		if least := active[k]; least.weight < v.weight {
			set(v, al.places[least.r-firstVirtual].r)
			set(least, noReg)
			active[k] = v
			next = min(next, v.end)
		}
	}
	return spilled
}

// slots gives a place in the frame to what was spilled and to what is in registers during
// a call.
func (al *allocation) slots(f *function, intervals []*interval, calls []int, base int32) {
	var need []*interval
	for _, v := range intervals {
		p := &al.places[v.r-firstVirtual]
		crosses := false
		for _, c := range calls {
			if p.r != noReg && v.start < 2*c && v.end > 2*c+1 {
				crosses = true
				al.across[c] = append(al.across[c], v.r)
			}
		}
		if p.r == noReg && f.reg(v.r).home == homeless || crosses {
			need = append(need, v)
		}
	}
	type slot struct {
		at   int32
		size uint8
		end  int
	}
	var all []slot
	top := base
	for _, v := range need {
		size, p := f.reg(v.r).w, &al.places[v.r-firstVirtual]
		for i := range all {
			if s := &all[i]; s.size == size && s.end < v.start {
				s.end, p.slot = v.end, s.at
				break
			}
		}
		if p.slot < 0 {
			top = (top + int32(size) - 1) &^ (int32(size) - 1)
			p.slot = top
			all = append(all, slot{top, size, v.end})
			top += int32(size)
		}
	}
	al.frame = (top + 16 + 63) &^ 63 // a logical operation on one double reads two
}
