package degenerate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The suite runs 2,000 cases. More of them, from another seed, with the refusals of each family by
// code:
//
//	cd internal/driver/degenerate
//	RAPID_CHECKS=5600 go test -v -run Float -timeout 2h .
//	RAPID_CHECKS=5000 RAPID_SEED=7 go test -v -run Exact -timeout 2h .
const (
	floatCases = 600
	exactCases = 100
)

// patience is how long a case may take. One that takes longer is refused, which is not wrong.
const (
	floatPatience = 30 * time.Millisecond
	exactPatience = 200 * time.Millisecond
)

// TestFloat: on doubles a derivative is right or an error.
func TestFloat(t *testing.T) {
	t.Parallel()
	run(t, property.Rounds(floatCases), judgeFloat)
}

// TestExact: an enclosure contains the truth, whether or not it is narrow enough.
func TestExact(t *testing.T) {
	t.Parallel()
	run(t, property.Rounds(exactCases), judgeExact)
}

// A verdict says how a program was answered: refused with a code, or else wrongly for a reason,
// or rightly.
type verdict struct {
	refused diag.Code
	wrong   string
}

// A tally counts the verdicts of a family, and the refusals of cases that have a derivative.
type tally struct {
	cases, existing, wrong int
	refused                map[diag.Code]int
}

// run judges n cases.
func run(t *testing.T, n int, judge func(*Case, *driver.Unit) verdict) {
	start := property.First()
	tallies := map[string]*tally{}
	world := driver.NewWorld(nil)
	for i := range n {
		c := Generate(start + uint64(i))
		v := judge(c, load(t, world, c.Source()))
		world.Forget()
		row := tallies[c.Family]
		if row == nil {
			row = &tally{refused: map[diag.Code]int{}}
			tallies[c.Family] = row
		}
		row.cases++
		if c.Truth.Kind == Exists {
			row.existing++
			if v.refused != "" {
				row.refused[v.refused]++
			}
		}
		if v.wrong != "" {
			row.wrong++
			t.Errorf("%s %d: %s\n    %s, %s", c.Family, i, c.Source(), v.wrong, c.Truth)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		row := tallies[name]
		t.Logf("%-20s %6d cases, %3d wrong; %6d have a derivative, refused of these: %v",
			name, row.cases, row.wrong, row.existing, row.refused)
	}
}

func (u Truth) String() string {
	if u.Kind == Nothing {
		return "there is no derivative"
	}
	low, _ := u.Low.Float64()
	high, _ := u.High.Float64()
	switch u.Kind {
	case Kink:
		return fmt.Sprintf("the slopes are %v and %v", low, high)
	case Bend:
		return fmt.Sprintf("there is none: %v and %v", low, high)
	case Edge:
		return fmt.Sprintf("it is %v on one side, the other does not exist", low)
	}
	return fmt.Sprintf("it is %v", low)
}

// accuracy is what derivatives on doubles have, relative to what is large in a case.
const accuracy = 1e-7

func judgeFloat(c *Case, unit *driver.Unit) verdict {
	limits := interp.DefaultLimits()
	ctx, done := stop.Within(context.Background(), floatPatience)
	defer done()
	result, d := driver.Run(ctx, unit, driver.Settings{Limits: limits})
	if d != nil {
		return verdict{refused: d.Code}
	}
	got := float64(result.Value.(value.Real))
	if accepts(c.Truth, got) {
		return verdict{}
	}
	if !c.Dyadic { // on doubles the program is another one, which may tie elsewhere
		switch rounded, err := truthOf(c.Body.rounded(), roundedRat(c.Point), c.Order); {
		case c.Truth.Kind != Exists, err == nil && accepts(rounded, got):
			return verdict{}
		}
	}
	return verdict{wrong: fmt.Sprintf("answered %v", got)}
}

// accepts reports whether a derivative on doubles is an element of Clarke's.
func accepts(u Truth, got float64) bool {
	if u.Kind == Bend || u.Kind == Nothing {
		return false
	}
	low, _ := u.Low.Float64()
	high, _ := u.High.Float64()
	slack := accuracy * math.Max(1, math.Max(math.Abs(low), math.Abs(high)))
	return low-slack <= got && got <= high+slack
}

// narrow is what is asked of enclosures.
var narrow = big.NewRat(1, 1_000_000)

func judgeExact(c *Case, unit *driver.Unit) verdict {
	limits := interp.DefaultLimits()
	ctx, done := stop.Within(context.Background(), exactPatience)
	defer done()
	result, d := driver.RunExact(ctx, unit, driver.Settings{Limits: limits},
		driver.Exactly{Eps: narrow})
	v := verdict{}
	if d != nil {
		v.refused = d.Code
	}
	e, ok := result.Value.(exact.Enclosure)
	if !ok {
		return v
	}
	switch c.Truth.Kind {
	case Nothing, Edge:
		// a root or an optimum without a place is a set in exact mode, and 0 times it is 0
		if d == nil && c.Order > 0 {
			v.wrong = "answered " + e.Fluxion()
		}
		return v
	}
	slack := new(big.Rat)
	if c.Truth.Rounded {
		slack.SetFrac64(1, 1e12)
	}
	if !contains(e, c.Truth.Low, slack) || !contains(e, c.Truth.High, slack) {
		v.wrong = "answered " + e.Fluxion()
	}
	return v
}

// contains says whether an enclosure contains q, up to a slack.
func contains(e exact.Enclosure, q, slack *big.Rat) bool {
	lo, _ := e.Lo.Rat(nil)
	hi, _ := e.Hi.Rat(nil)
	return (lo == nil || lo.Cmp(new(big.Rat).Add(q, slack)) <= 0) &&
		(hi == nil || hi.Cmp(new(big.Rat).Sub(q, slack)) >= 0)
}
