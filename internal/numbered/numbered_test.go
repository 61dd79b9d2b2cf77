package numbered_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/numbered"
	"github.com/fluxion-lang/fluxion/internal/property"
	"pgregory.net/rapid"
)

// TestAgainstMaps: maps and sets of numbers are like those of Go, whether the numbers lie close
// together, far apart, or grow or shrink so that tables reach what was too far for them before.
func TestAgainstMaps(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) uint64 {
		base := rapid.SampledFrom([]uint64{0, 1 << 10, 1 << 18, 1 << 19, 3 << 18, 1 << 20, 1 << 40}).Draw(t, "base")
		return base + rapid.Uint64Range(0, 200).Draw(t, "offset")
	})
	property.Check(t, func(t *rapid.T) {
		var m numbered.Map[int]
		var s numbered.Set
		values, members := map[uint64]int{}, map[uint64]bool{}
		for k := range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := number.Draw(t, "n")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				m.Clear()
				clear(values)
			case 1:
				s.Clear()
				clear(members)
			case 2:
				s.Remove(n)
				delete(members, n)
			case 3, 4, 5:
				*m.At(n) = k + 1
				values[n] = k + 1
			default:
				s.Add(n)
				members[n] = true
			}
			asked := number.Draw(t, "asked")
			if m.Get(n) != values[n] || m.Get(asked) != values[asked] {
				t.Fatalf("the values of %d and %d: got %d and %d, want %d and %d", n, asked, m.Get(n), m.Get(asked), values[n], values[asked])
			}
			if s.Has(n) != members[n] || s.Has(asked) != members[asked] || s.Len() != len(members) || s.Unused() && len(members) > 0 {
				t.Fatalf("after %d and %d, the set has %d numbers, want %d", n, asked, s.Len(), len(members))
			}
		}
		for n, want := range values {
			if got := *m.At(n); got != want {
				t.Fatalf("the value of %d is %d, want %d", n, got, want)
			}
		}
	})
}
