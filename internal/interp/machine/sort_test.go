package machine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestSortStable compares with the sort of Go, at lengths around those of runs.
func TestSortStable(t *testing.T) {
	for _, n := range []int{0, 1, 2, sortRun - 1, sortRun, sortRun + 1, 2 * sortRun, 2*sortRun + 1, 5*sortRun + 7, 8 * sortRun} {
		for _, keys := range []int{1, 3, 1 << 20} {
			key := func(a int64) int64 { return a * 7919 % int64(keys) }
			compare := func(a, b int64) int { return cmp.Compare(key(a), key(b)) }
			index := make([]int64, n)
			for i := range index {
				index[i] = int64(i)
			}
			want := slices.Clone(index)
			slices.SortStableFunc(want, compare)
			m := new(Machine)
			m.startBudget(context.Background(), Limits{})
			if d := m.sortStable(index, compare); d != nil {
				t.Fatal(d)
			}
			if !slices.Equal(index, want) {
				t.Errorf("%d indices with %d keys are in another order", n, keys)
			}
		}
	}
}

// TestSortIsInterrupted: one sort looks at the clock in its midst, while it sorts
// runs as well as while it merges them.
func TestSortIsInterrupted(t *testing.T) {
	sort := func(cancelAfter int) (comparisons int, d *diag.Diagnostic) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		m := new(Machine)
		m.startBudget(ctx, Limits{})
		index := make([]int64, 16*sortRun)
		for i := range index {
			index[i] = int64(i)
		}
		d = m.sortStable(index, func(a, b int64) int {
			if comparisons++; comparisons > cancelAfter {
				cancel()
			}
			return cmp.Compare(a*7919%10007, b*7919%10007)
		})
		return comparisons, d
	}
	all, d := sort(math.MaxInt)
	if d != nil {
		t.Fatal(d)
	}
	for _, after := range []int{0, all * 9 / 10} {
		comparisons, d := sort(after)
		if d == nil || d.Code != diag.Interrupted || comparisons == all {
			t.Errorf("cancelled after %d comparisons of %d: made %d, and got %v", after, all, comparisons, d)
		}
	}
}
