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
		if al.scan(room, mine, file) && class(c) != gpr {
			al.spilled[c] = true
			al.scan(room, mine, file[:len(file)-3])
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
	ends          []int32     // by instruction
	active        []taken
}

var intervalRooms = sync.Pool{New: func() any { return &intervalRoom{} }}

// intervals gives the live intervals in the order of their starts, and the positions of calls.
func (f *function) intervals(room *intervalRoom) (out []*interval, calls []int) {
	room.ends = slices.Grow(room.ends[:0], len(f.code))
	ends := room.ends[:len(f.code)] // of the loop that starts at an instruction, its end
	var open []int
	for i := range f.code {
		switch f.code[i].op {
		case opLoopStart:
			open = append(open, i)
		case opLoopEnd:
			ends[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		case opCall:
			calls = append(calls, i)
		}
	}
	n := len(f.regs)
	room.all, room.of = slices.Grow(room.all[:0], n), slices.Grow(room.of[:0], n)
	of, all, out := room.of[:n], room.all, room.out[:0]
	clear(of)
	costs := [...]float64{1, 8, 64, 512, 4096, 32768, 262144}
	// reach makes an interval last to a position, and to the end of the outermost loop that it is live around.
	reach := func(v *interval, at int) {
		if n := len(open); n > 0 && v.start < 2*open[n-1] {
			for _, l := range open {
				if v.start < 2*l {
					at = 2*int(ends[l]) + 1
					break
				}
			}
		}
		v.end = max(v.end, at)
	}
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
		for _, r := range in.reads() {
			if *r < firstVirtual {
				continue
			}
			v := of[*r-firstVirtual]
			if v == nil {
				panic("jit: a register is read before it is written in " + f.name)
			}
			v.cost += cost
			reach(v, at)
		}
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
			reach(v, 2*i+1)
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

// taken is a register that an interval has.
type taken struct {
	of     *interval
	end    int
	weight float64
	r      reg
}

// scan gives the registers of a file to intervals and tells whether some were left without.
func (al *allocation) scan(room *intervalRoom, intervals []*interval, file []reg) (spilled bool) {
	free := slices.Clone(file)
	slices.Reverse(free) // the last is taken first
	active := slices.Grow(room.active[:0], len(file))
	room.active = active
	next := math.MaxInt // the end of the one that ends first
	set := func(v *interval, r reg) { al.places[v.r-firstVirtual].r = r }
	for _, v := range intervals {
		set(v, noReg)
	}
	for _, v := range intervals {
		if next < v.start {
			next = math.MaxInt
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
			if v.hint != noReg {
				if i := slices.Index(free, al.places[v.hint-firstVirtual].r); i >= 0 {
					k = i
				}
			}
			set(v, free[k])
			active = append(active, taken{v, v.end, v.weight, free[k]})
			free = slices.Delete(free, k, k+1)
			next = min(next, v.end)
			continue
		}
		spilled = true
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
			set(v, least.r)
			set(least.of, noReg)
			*least = taken{v, v.end, v.weight, least.r}
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
