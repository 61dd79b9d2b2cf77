package pass

// interned gives numbers to ways in which values are made: the same number to the same way.
type interned struct {
	slots []int32 // places in entries plus one, by hash; a power of two of them
	all   []entry
}

type entry struct {
	made
	number int32
}

// made says how a value is made, in two words: of which parts, by which operation, in which way.
type made struct{ parts, rest uint64 }

// madeBy is a value that is made of parts. The operation is 0, or its number plus one.
func madeBy(how how, op int, a, b, c int32) made {
	return made{uint64(uint32(a)) | uint64(uint32(b))<<32, uint64(uint32(c)) | uint64(op)<<32 | uint64(how)<<56}
}

func (m made) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := (m.parts ^ m.rest>>29) * odd
	h = (h ^ h>>32 ^ m.rest) * odd
	return h ^ h>>32
}

// number is the number of what is made in a way: the one after last, which it raises, if it was not met before.
func (t *interned) number(m made, last *int32) int32 {
	if 2*len(t.all) >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	at := m.hash() & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		if e := &t.all[t.slots[at]-1]; e.made == m {
			return e.number
		}
	}
	*last++
	t.all = append(t.all, entry{m, *last})
	t.slots[at] = int32(len(t.all))
	return *last
}

// clear forgets all. The table keeps its memory.
func (t *interned) clear() {
	clear(t.slots)
	t.all = t.all[:0]
}

func (t *interned) grow() {
	t.slots = make([]int32, max(256, 4*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for i := range t.all {
		at := t.all[i].hash() & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = int32(i + 1)
	}
}
