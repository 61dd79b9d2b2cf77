package types

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// valueOf computes a size at values of its variables; ok is false where it is
// not known.
func valueOf(s *Size, at map[*Size]int64) (n int64, ok bool) {
	switch s = s.Find(); s.Kind {
	case SizeUnknown:
		return 0, false
	case SizeConst:
		return s.N, true
	case SizeParam, SizeMeta:
		return at[s], true
	}
	n = s.N
	for _, t := range s.Terms {
		product := t.Coef
		for _, v := range t.Of {
			product *= at[v]
		}
		n += product
	}
	return n, true
}

// genSize draws a size, and the value that it has.
func genSize(t *rapid.T, variables []*Size, at map[*Size]int64, depth int) (s *Size, n int64) {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 2
	}
	if kind == 0 {
		n = rapid.Int64Range(0, 4).Draw(t, "number")
		return ConstSize(n), n
	}
	if kind <= 2 {
		v := rapid.SampledFrom(variables).Draw(t, "variable")
		return v, at[v]
	}
	a, x := genSize(t, variables, at, depth-1)
	b, y := genSize(t, variables, at, depth-1)
	switch kind {
	case 3:
		return AddSizes(a, b), x + y
	case 4:
		return SubSizes(a, b), x - y
	}
	return MulSizes(a, b), x * y
}

func drawVariables(t *rapid.T) (variables []*Size, at map[*Size]int64) {
	var u Unifier
	variables = []*Size{
		{Kind: SizeParam, Name: "n"}, {Kind: SizeParam, Name: "m"}, u.FreshSize(), u.FreshSize(),
	}
	at = map[*Size]int64{}
	for _, v := range variables {
		at[v] = rapid.Int64Range(0, 5).Draw(t, "value")
	}
	return variables, at
}

// TestSizeArithmetic: normal forms keep the value, sizes of one form are
// equal everywhere, and sizes that are apart are equal nowhere.
func TestSizeArithmetic(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		variables, at := drawVariables(t)
		a, x := genSize(t, variables, at, 3)
		b, y := genSize(t, variables, at, 3)
		if got, ok := valueOf(a, at); ok && got != x {
			t.Fatalf("%s is %d, not %d", a.Sum(), got, x)
		}
		_, okA := valueOf(a, at)
		_, okB := valueOf(b, at)
		if okA && okB && x == y && Apart(a, b) {
			t.Fatalf("%s and %s are both %d", a.Sum(), b.Sum(), x)
		}
		if x != y && a.Kind != SizeUnknown && SameSize(a, b) {
			t.Fatalf("%s and %s are %d and %d", a.Sum(), b.Sum(), x, y)
		}
	})
}

// TestSolveSizes: where an equation holds, the unknown has the value found.
func TestSolveSizes(t *testing.T) {
	solved := 0
	property.Check(t, func(t *rapid.T) {
		variables, at := drawVariables(t)
		for range 20 { // few equations hold
			a, x := genSize(t, variables, at, 3)
			b, y := genSize(t, variables, at, 3)
			meta, value := SolveSizes(a, b)
			if meta == nil || x != y {
				continue
			}
			solved++
			if got, ok := valueOf(value, at); ok && got != at[meta] {
				t.Fatalf("from %s = %s follows %d, not %d", a.Sum(), b.Sum(), at[meta], got)
			}
		}
	})
	if solved == 0 {
		t.Error("nothing was solved")
	}
}

// TestSizesPrint: sums read as they are written.
func TestSizesPrint(t *testing.T) {
	n, m := &Size{Kind: SizeParam, Name: "n"}, &Size{Kind: SizeParam, Name: "m"}
	one, two := ConstSize(1), ConstSize(2)
	for _, test := range []struct {
		size *Size
		want string
	}{
		{AddSizes(n, one), "n + 1"},
		{SubSizes(one, n), "1 - n"},
		{SubSizes(AddSizes(n, m), one), "n + m - 1"},
		{AddSizes(SubSizes(one, n), m), "m - n + 1"},
		{MulSizes(two, AddSizes(n, MulSizes(n, m))), "2 * n + 2 * n * m"},
		{SubSizes(AddSizes(n, one), one), "n"},
		{SubSizes(AddSizes(n, two), n), "2"},
		{SubSizes(n, AddSizes(n, one)), ""},
		{MulSizes(n, AnySize), ""},
	} {
		if got := test.size.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestSizesAreBounded: what would grow without end is a size that is not
// known.
func TestSizesAreBounded(t *testing.T) {
	var u Unifier
	s := AddSizes(u.FreshSize(), &Size{Kind: SizeParam, Name: "n"})
	for range 200 {
		s = MulSizes(s, AddSizes(s, ConstSize(3)))
	}
	if s.Find().Kind != SizeUnknown {
		t.Errorf("got %s", s.Sum())
	}
	large := ConstSize(1 << 61)
	if got := MulSizes(large, large).Kind; got != SizeUnknown {
		t.Errorf("got kind %d", got)
	}
	// A chain in which each unknown stands for two of the one before.
	last := u.FreshSize()
	for range 60 {
		next := u.FreshSize()
		next.Link = &Size{Kind: SizeSum, Terms: []SizeTerm{{1, []*Size{last}}, {1, []*Size{last, last}}}}
		last = next
	}
	if AddSizes(last, last).Kind != SizeUnknown {
		t.Error("a size of exponential length is known")
	}
}
