package facts

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// interned gives numbers to ways in which values are made: the same number to the same way. It is a
// hash table with open addressing. Most ways are met once: that a way is not there is told by the
// tags alone, which are few bytes.
type interned struct {
	tags    []uint8 // 0 where there is nothing, else some bits of the hash; a power of two of them
	numbers []int32 // of what has the tags
	all     []made  // by their numbers, less firstNumber
}

// firstNumber is the number that is given first. Small literals of the scalar kinds, which come
// before that of buffers, have the smaller ones.
const firstNumber = 1 + literals*int32(loop.F64s)

// made says how a value is made, in two words: of which parts, by which operation, in which way.
// The zero made is something that is equal to nothing else.
type made struct{ parts, rest uint64 }

// madeBy is a value that is made of parts. The operation is 0, or its number plus one.
func madeBy(how How, op int, a, b, c int32) made {
	return made{uint64(uint32(a)) | uint64(uint32(b))<<32,
		uint64(uint32(c)) | uint64(op)<<32 | uint64(how)<<56}
}

func (m made) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := (m.parts ^ m.rest>>29) * odd
	h = (h ^ h>>32 ^ m.rest) * odd
	return h ^ h>>32
}

func tag(hash uint64) uint8 { return uint8(hash>>57) + 1 }

// number is the number of what is made in a way: the next one if it was not met before.
func (t *interned) number(m made) int32 {
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
			if n := t.numbers[at]; t.all[n-firstNumber] == m {
				return n
			}
		}
	}
	tags[at], t.numbers[at] = mine, t.next()
	t.all = append(t.all, m)
	return t.numbers[at]
}

// fresh is the number of something that is equal to nothing else.
func (t *interned) fresh() int32 {
	t.all = append(t.all, made{})
	return t.next() - 1
}

// next is the number after the last one that was given.
func (t *interned) next() int32 { return firstNumber + int32(len(t.all)) }

// clear forgets all. The table keeps its memory.
func (t *interned) clear() {
	clear(t.tags)
	t.all = t.all[:0]
}

func (t *interned) grow() {
	size := max(1024, 2*len(t.tags))
	for size <= 2*len(t.all) { // there may be many fresh ones
		size *= 2
	}
	t.all = slices.Grow(t.all, size/2-len(t.all))
	t.tags, t.numbers = make([]uint8, size), make([]int32, size)
	mask := uint64(size - 1)
	for i, m := range t.all {
		if m == (made{}) {
			continue // no other has it
		}
		hash := m.hash()
		at := hash & mask
		for t.tags[at] != 0 {
			at = (at + 1) & mask
		}
		t.tags[at], t.numbers[at] = tag(hash), firstNumber+int32(i)
	}
}
