package degenerate

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// TestOracle holds the one-sided derivatives of the oracle against values of the program on that
// side: Taylor's polynomial of degree 3 is as near to them as its remainder. Nothing is
// differentiated, and nothing degenerate is left at a distance from the point.
func TestOracle(t *testing.T) {
	world := driver.NewWorld(nil)
	limits := interp.DefaultLimits()
	n := property.Rounds(100)
	checked := 0
	for i := range n {
		c := Generate(uint64(i))
		if c.Family == "narrow" {
			continue // more happens within the distance
		}
		for _, side := range []int64{-1, 1} {
			list, err := limit(c.Body, c.Point, side, 3)
			if err != nil || list == nil {
				continue
			}
			h := big.NewRat(side, 1<<12)
			sum, power := new(big.Rat), big.NewRat(1, 1)
			for k, d := range list {
				sum.Add(sum, new(big.Rat).Mul(d.value(), power))
				power.Mul(power, new(big.Rat).Mul(h, big.NewRat(1, int64(k+1))))
			}
			near := Case{Body: c.Body, Point: h.Add(h, c.Point)}
			ctx, done := stop.Within(context.Background(), 100*time.Millisecond)
			result, _ := driver.RunExact(ctx, load(t, world, near.Source()),
				driver.Settings{Limits: limits}, driver.Exactly{Eps: big.NewRat(1, 1e10)})
			done()
			world.Forget()
			e, ok := result.Value.(exact.Enclosure)
			if !ok || e.Lo.IsInf() || e.Hi.IsInf() {
				continue
			}
			checked++
			if !contains(e, sum, big.NewRat(1, 1e10)) {
				t.Errorf("%s\n    is %s, by the limits of the oracle %s",
					near.Source(), e.Fluxion(), sum.FloatString(12))
			}
		}
	}
	if checked < n {
		t.Errorf("only %d values were there to compare with", checked)
	}
}
