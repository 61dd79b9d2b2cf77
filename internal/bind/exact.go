package bind

import (
	"context"
	"math"
	"math/big"
	"reflect"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// exactly holds how a certified function runs.
type exactly struct {
	unit     *driver.Unit
	settings driver.Settings
	eps      *big.Rat
}

// NewExact binds a definition to a Go type whose results are intervals. The definition is
// evaluated over the reals, and each interval is at most eps wide.
func NewExact(r Request, eps *big.Rat) (*Function, *diag.List) {
	f, unit, list := r.prepare(rationals)
	if list != nil {
		return nil, list
	}
	f.exactly = &exactly{unit, r.Settings, eps}
	return f, nil
}

// certify performs a call of a certified function.
func (c *call) certify(ctx context.Context) *diag.Diagnostic {
	e := c.f.exactly
	args, d := c.values()
	if d != nil {
		return d
	}
	for i, arg := range args {
		value.EachLeaf(arg, "", func(_ string, leaf value.Value) {
			if x, ok := leaf.(value.Real); ok && math.IsNaN(float64(x)-float64(x)) && d == nil {
				d = misfit("argument %d of `%s` has the number %v, which is not a real one", i+1,
					c.f.name, float64(x))
			}
		})
	}
	if d != nil {
		return d
	}
	v, d := e.unit.ApplyExact(ctx, e.settings, driver.Exactly{Eps: e.eps}, answerName, args...)
	if d != nil {
		return d
	}
	return c.write(v)
}

// Decode stores a value of a type in Go memory. to is a pointer. exact says that the reals of the
// value are enclosures.
func Decode(v value.Value, ty types.Type, to any, more Types, exact bool) *diag.Diagnostic {
	p := reflect.ValueOf(to)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return misfit("a value is decoded into %T, which is not a pointer to something", to)
	}
	m := &matcher{types: more}
	if exact {
		m.reals = intervals
	}
	c, d := m.match(p.Type().Elem(), ty)
	if d != nil {
		return d
	}
	if err := c.write(p.UnsafePointer(), v, false); err != nil {
		return misfit("%v", err)
	}
	return nil
}
