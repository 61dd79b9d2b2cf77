package interval

import "math"

// Hull returns the smallest interval that contains both x and y.
func Hull(x, y Interval) Interval {
	switch {
	case x.IsEmpty():
		return y
	case y.IsEmpty():
		return x
	}
	return Interval{math.Min(x.Lo, y.Lo), math.Max(x.Hi, y.Hi)}
}

// Intersect returns the set of common members of x and y.
func Intersect(x, y Interval) Interval {
	if x.Disjoint(y) {
		return Empty()
	}
	return Interval{math.Max(x.Lo, y.Lo), math.Min(x.Hi, y.Hi)}
}

// Equal reports whether x and y are the same set.
func (x Interval) Equal(y Interval) bool {
	return x == y || (x.IsEmpty() && y.IsEmpty())
}

// Subset reports whether every member of x is one of y.
func (x Interval) Subset(y Interval) bool {
	return x.IsEmpty() || (y.Lo <= x.Lo && x.Hi <= y.Hi)
}

// Interior reports whether x lies in the interior of y, that is, whether y
// contains a neighbourhood of every member of x.
func (x Interval) Interior(y Interval) bool {
	return x.IsEmpty() || (strictlyBelow(y.Lo, x.Lo) && strictlyBelow(x.Hi, y.Hi))
}

// Disjoint reports whether x and y have no common member.
func (x Interval) Disjoint(y Interval) bool {
	return !(x.Lo <= y.Hi && y.Lo <= x.Hi)
}

// strictlyBelow returns a < b, true also for two equal infinities: neither is a
// member, so an unbounded side has no boundary to touch.
func strictlyBelow(a, b float64) bool { return a < b || (a == b && math.IsInf(a, 0)) }

// CertainlyLess reports whether a < b for all members a of x and b of y.
func (x Interval) CertainlyLess(y Interval) bool {
	return x.Hi < y.Lo || x.IsEmpty() || y.IsEmpty()
}

// PossiblyLess reports whether a < b for some members a of x and b of y.
func (x Interval) PossiblyLess(y Interval) bool { return x.Lo < y.Hi }

// Precedes reports whether a ≤ b for all members a of x and b of y.
func (x Interval) Precedes(y Interval) bool {
	return x.Hi <= y.Lo || x.IsEmpty() || y.IsEmpty()
}

// PossiblyLessEqual reports whether a ≤ b for some members a of x and b of y.
func (x Interval) PossiblyLessEqual(y Interval) bool { return x.Lo <= y.Hi }

// Less reports whether every member of x is ≤ some member of y and every
// member of y is ≥ some member of x (IEEE 1788's less: both ends in order).
func (x Interval) Less(y Interval) bool {
	return (x.Lo <= y.Lo && x.Hi <= y.Hi) || (x.IsEmpty() && y.IsEmpty())
}

// StrictLess reports the same as Less, but with strict inequalities. Unbounded ends compare equal
// and count as strict.
func (x Interval) StrictLess(y Interval) bool {
	return (strictlyBelow(x.Lo, y.Lo) && strictlyBelow(x.Hi, y.Hi)) || (x.IsEmpty() && y.IsEmpty())
}

// Overlap says how two intervals lie with respect to each other. It is one of sixteen states
// (IEEE 1788-2015, table 10.7).
type Overlap uint8

// The states of Overlap, x being the first interval and y the second.
const (
	BothEmpty    Overlap = iota
	FirstEmpty           // only x is empty
	SecondEmpty          // only y is empty
	Before               // x < y
	Meets                // x.Hi = y.Lo
	Overlaps             // x starts first, y ends last, interiors meet
	Starts               // same start, x ends first
	ContainedBy          // x in the interior of y
	Finishes             // same end, x starts last
	Equals               // x = y
	FinishedBy           // same end, x starts first
	Contains             // y in the interior of x
	StartedBy            // same start, x ends last
	OverlappedBy         // y starts first, x ends last, interiors meet
	MetBy                // x.Lo = y.Hi
	After                // x > y
)

var overlapNames = [...]string{
	"bothEmpty", "firstEmpty", "secondEmpty", "before", "meets", "overlaps",
	"starts", "containedBy", "finishes", "equals", "finishedBy", "contains",
	"startedBy", "overlappedBy", "metBy", "after",
}

// String returns the standard's name for the state.
func (o Overlap) String() string { return overlapNames[o] }

// OverlapOf returns the state of x with respect to y.
func OverlapOf(x, y Interval) Overlap {
	switch {
	case x.IsEmpty() && y.IsEmpty():
		return BothEmpty
	case x.IsEmpty():
		return FirstEmpty
	case y.IsEmpty():
		return SecondEmpty
	case x.Hi < y.Lo:
		return Before
	case y.Hi < x.Lo:
		return After
	case x.Lo == y.Lo && x.Hi == y.Hi:
		return Equals
	case x.Lo == y.Lo && x.Hi < y.Hi:
		return Starts
	case x.Lo == y.Lo:
		return StartedBy
	case x.Hi == y.Hi && x.Lo > y.Lo:
		return Finishes
	case x.Hi == y.Hi:
		return FinishedBy
	case x.Hi == y.Lo:
		return Meets
	case x.Lo == y.Hi:
		return MetBy
	case x.Lo > y.Lo && x.Hi < y.Hi:
		return ContainedBy
	case x.Lo < y.Lo && x.Hi > y.Hi:
		return Contains
	case x.Lo < y.Lo:
		return Overlaps
	}
	return OverlappedBy
}
