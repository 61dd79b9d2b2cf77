//go:build !page

package plot

import (
	"errors"
	"math"
)

// axis is a range of numbers that is laid out along a line.
type axis struct {
	name     string
	log      bool
	min, max float64
}

// include extends the axis to a number. Numbers without a place on it are ignored.
func (a *axis) include(x float64) {
	if finite(x) && !(a.log && x <= 0) {
		a.min, a.max = math.Min(a.min, x), math.Max(a.max, x)
	}
}

// settle gives an axis of one number, or of none, some room.
func (a *axis) settle() error {
	switch {
	case a.max-a.min > math.MaxFloat64/4:
		return errors.New("the numbers of the picture are too large for its axes")
	case a.min > a.max && a.log:
		a.min, a.max = 1, 10
	case a.min > a.max:
		a.min, a.max = 0, 1
	case a.min == a.max && a.log:
		a.min, a.max = a.min/2, a.max*2
	case a.min == a.max:
		room := math.Max(math.Abs(a.min)/10, 0.5)
		a.min, a.max = a.min-room, a.max+room
	}
	return nil
}

// norm returns where a number is between the ends of the axis, which are 0 and 1.
func (a *axis) norm(x float64) float64 {
	if a.log {
		return (math.Log(x) - math.Log(a.min)) / (math.Log(a.max) - math.Log(a.min))
	}
	return (x - a.min) / (a.max - a.min)
}

// ticks returns the ticks of the axis.
func (a *axis) ticks() []tick {
	if a.log {
		return logTicks(a.min, a.max)
	}
	return ticks(a.min, a.max)
}
