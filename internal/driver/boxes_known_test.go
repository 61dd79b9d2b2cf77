package driver

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// knownSearches are searches in boxes with all that they seek. The value is the largest one: that of
// the opposite for a minimum.
var knownSearches = []struct {
	search string
	places [][]float64
	value  float64
}{
	{"roots (-4, -9) (4.1, 9.2) (fun (x, y) => ((x + 1.5) * (x - 2.25), (y - x - 0.5) * (y - 6)))",
		[][]float64{{-1.5, -1}, {-1.5, 6}, {2.25, 2.75}, {2.25, 6}}, 0},
	{"roots [-2, -2, -2] [2, 2.1, 2.2] (fun x => [4 * (x[i] - 0.5) + (x[mod (i + 1) 3] - 0.5)^2 / 8 for i < 3])",
		[][]float64{{0.5, 0.5, 0.5}}, 0},
	{"roots (-2, -2) (2, 2) (fun (x, y) => ((x - 1) * (y + 1), (x - y) * (x + y - 0.25)))", // singular ones are among them
		[][]float64{{1, 1}, {1, -0.75}, {-1, -1}, {1.25, -1}}, 0},
	{"argminOver [-2, -2] [2.1, 2.1] (fun x => sum [(x[i] - 0.25)^2 + 0.5 * (1 - cos (6 * (x[i] - 0.25))) for i < 2])",
		[][]float64{{0.25, 0.25}}, 0},
	{"argminOver (-1, -1) (1, 1) (fun (x, y) => (x^2 - 0.25)^2 + y^2 + 1)",
		[][]float64{{0.5, 0}, {-0.5, 0}}, -1},
	{"argmaxOver (-3, -3) (3, 3) (fun (x, y) => 3 - 3 * abs (x - 0.5) - 2 * abs (y - 1 + x))",
		[][]float64{{0.5, 0.5}}, 3},
	{"argmaxOver (-3, -3) (3, 3) (fun (x, y) => x - (x - y)^2)",
		[][]float64{{3, 3}}, 3},
	{"argminWhere (-2, -2) (2, 2) (fun (x, y) => [1 - x, 2 - x^2 - y^2]) (fun (x, y) => x^2 * y - x)",
		[][]float64{{1, -1}}, 2},
	{"argminWhere (-2, -2) (2, 2) (fun (x, y) => [1 - x^2 - y^2]) (fun (x, y) => y^2 - x^2)",
		[][]float64{{1, 0}, {-1, 0}}, 1},
	{"argminOver (0, 0) (1, 1) (fun (x, y) => (x + y - 1)^2)",
		[][]float64{{0.5, 0.5}, {0.25, 0.75}, {1, 0}, {0, 1}}, 0},
}

// TestBoxesKnown: wherever a search in a box is stopped, all that it seeks is in what it has found,
// or in a box that it says is left, and the optimum is within its bounds.
func TestBoxesKnown(t *testing.T) {
	random := rand.New(rand.NewPCG(33, property.First()))
	stopped := 0
	for _, k := range knownSearches {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", k.search, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", k.search, list.Sorted()[0])
		}
		run := func(stop int) (steps int) {
			limits := interp.Limits{Reached: func(limit diag.Code) bool {
				steps++
				return limit == diag.TimeLimit && stop > 0 && steps >= stop
			}}
			var last *exact.BoxSearch
			_, d := RunExact(context.Background(), unit, Settings{Limits: limits}, Exactly{
				Eps: big.NewRat(1, 1e9),
				Boxes: &exact.BoxWatch{Tell: func(b exact.BoxSearch) {
					last = &b
					if !b.Optimum {
						return
					}
					lo, _ := b.Value.Lo.Float64()
					hi, _ := b.Value.Hi.Float64()
					if k.value < lo || hi < k.value {
						t.Errorf("%s, stopped at %d: the optimum %v is not in [%v, %v]", k.search, stop, k.value, lo, hi)
					}
				}},
			})
			if last == nil {
				return steps
			}
			if d != nil && d.Code == diag.TimeLimit && strings.Contains(strings.Join(d.Hints, "\n"), "left after") {
				stopped++
			}
			if last.Done != (last.Left == 0 && (!last.Optimum || len(last.Found) == 1)) || len(last.Open) != last.Left {
				t.Errorf("%s, stopped at %d: %d boxes of %d are left, and done is %v", k.search, stop, len(last.Open), last.Left, last.Done)
			}
			for _, place := range k.places {
				found := slices.ContainsFunc(last.Found, func(x []exact.Enclosure) bool {
					for i, e := range x {
						at := big.NewFloat(place[i])
						if at.Cmp(e.Lo) < 0 || e.Hi.Cmp(at) < 0 {
							return false
						}
					}
					return true
				})
				within := func(b exact.Box) bool {
					for i, r := range b {
						if place[i] < r[0] || r[1] < place[i] {
							return false
						}
					}
					return true
				}
				if !found && (!slices.ContainsFunc(last.Open, within) || !within(last.Hull)) {
					t.Errorf("%s, stopped at %d: %v is neither found nor in a box that is left", k.search, stop, place)
				}
			}
			return steps
		}
		steps := run(0)
		for range property.Rounds(4) {
			run(1 + random.IntN(steps))
		}
	}
	if stopped == 0 {
		t.Error("no error says what is left")
	}
}

// TestBoxesUnguarded: a search in a box on doubles that is not certified is an error, and the best
// that it has found is the answer of an unguarded run.
func TestBoxesUnguarded(t *testing.T) {
	for _, c := range []struct {
		search string
		best   [][]float64 // one of these
	}{
		{"argminOver (-1, -1) (1, 1) (fun (x, y) => (x^2 - 0.25)^2 + y^2)", [][]float64{{0.5, 0}, {-0.5, 0}}},
		{"let (x, y) = argmaxOver (0, 0) (1, 1) (fun (x, y) => -(x + y - 1)^2) in x + y", [][]float64{{1}}},
		{"roots (0, -1) (2, 1) (fun (x, y) => (x * (x - 1), y - 0.25))", [][]float64{{1, 0.25}}},
	} {
		var list diag.List
		unit := NewWorld(nil).LoadText("test", c.search, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", c.search, list.Sorted()[0])
		}
		set := Settings{Limits: interp.DefaultLimits()}
		if r, d := Run(context.Background(), unit, set); d == nil || d.Code != diag.NotCertified {
			t.Errorf("%s: %v %v", c.search, r.Value, d)
		}
		set.Compile.Unguarded = true
		r, d := Run(context.Background(), unit, set)
		if d != nil {
			t.Errorf("%s: %v", c.search, d)
			continue
		}
		got := value.RealsOf(r.Value)
		if !slices.ContainsFunc(c.best, func(want []float64) bool {
			return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
		}) {
			t.Errorf("%s: %v, which is none of %v", c.search, got, c.best)
		}
	}
}
