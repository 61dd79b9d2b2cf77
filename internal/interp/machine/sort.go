package machine

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// sortRun is how many elements are sorted between two looks at the clock.
const sortRun = 4096

// sortStable sorts indices by what compare says of them, and keeps the order of
// equal ones. It sorts runs and then merges them, in a second array that is charged
// like any, and looks at the clock after each few thousand elements: one sort may
// take longer than the run has left.
func (m *Machine) sortStable(index []int64, compare func(a, b int64) int) *diag.Diagnostic {
	n := len(index)
	for lo := 0; lo < n; lo += sortRun {
		slices.SortStableFunc(index[lo:min(lo+sortRun, n)], compare)
		if d := m.sortedSome(sortRun); d != nil {
			return d
		}
	}
	if n <= sortRun {
		return nil
	}
	if d := m.Charge(int64(n) * 8); d != nil {
		return d
	}
	from, to := index, make([]int64, n)
	for width := sortRun; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			mid, hi := min(lo+width, n), min(lo+2*width, n)
			if d := m.merge(to[lo:hi], from[lo:mid], from[mid:hi], compare); d != nil {
				return d
			}
		}
		from, to = to, from
	}
	copy(index, from)
	return nil
}

// merge puts the elements of two sorted lists into one that has room for them;
// those of a come first among equals.
func (m *Machine) merge(to, a, b []int64, compare func(a, b int64) int) *diag.Diagnostic {
	for k := range to {
		if k%sortRun == sortRun-1 {
			if d := m.sortedSome(sortRun); d != nil {
				return d
			}
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[k], a = a[0], a[1:]
		} else {
			to[k], b = b[0], b[1:]
		}
	}
	return nil
}

// sortedSome pays for the work on n elements, and looks at the clock if it is time.
func (m *Machine) sortedSome(n int) *diag.Diagnostic {
	if m.pay(16 * n); m.fuel < 0 {
		return m.Tick()
	}
	return nil
}
