package pass

// interned gives numbers to ways in which values are made: the same number to the same way. It is a hash table with open
// addressing. Most ways are met once: that a way is not there is told by the tags alone, which are few bytes.
type interned struct {
	tags   []uint8 // 0 where there is nothing, else some bits of the hash; a power of two of them
	places []int32 // in all, of what has the tags
	all    []entry
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

func tag(hash uint64) uint8 { return uint8(hash>>57) + 1 }

// number is the number of what is made in a way: the one after last, which it raises, if it was not met before.
func (t *interned) number(m made, last *int32) int32 {
	if 2*len(t.all) >= len(t.tags) {
		t.grow()
	}
	hash := m.hash()
	mine := tag(hash)
	tags := t.tags
	mask := uint64(len(tags) - 1)
	at := hash & mask
	for ; tags[at] != 0; at = (at + 1) & mask {
		if tags[at] == mine {
			if e := &t.all[t.places[at]]; e.made == m {
				return e.number
			}
		}
	}
	*last++
	tags[at], t.places[at] = mine, int32(len(t.all))
	t.all = append(t.all, entry{m, *last})
	return *last
}

// clear forgets all. The table keeps its memory.
func (t *interned) clear() {
	clear(t.tags)
	t.all = t.all[:0]
}

func (t *interned) grow() {
	size := max(256, 2*len(t.tags))
	t.tags, t.places = make([]uint8, size), make([]int32, size)
	mask := uint64(size - 1)
	for i := range t.all {
		hash := t.all[i].hash()
		at := hash & mask
		for t.tags[at] != 0 {
			at = (at + 1) & mask
		}
		t.tags[at], t.places[at] = tag(hash), int32(i)
	}
}
