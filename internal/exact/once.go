package exact

import (
	"context"
	"errors"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Once evaluates a monomorphic program's Main in one pass over intervals of doubles, and what these
// do not enclose at all in another one over balls. There is no ladder: the enclosures are as wide as
// they come out, and Eps is what searches are asked for. If some real is not enclosed at all a
// diagnostic says why, and the value has what is known, or is nil.
func Once(ctx context.Context, p *core.Program, o Options) (value.Value, *diag.Diagnostic) {
	r, d := newRunner(ctx, p, o, nil)
	if d != nil {
		return nil, d
	}
	efforts := [...]effort{
		{bits: doubleBits, tol: magOf(o.Eps), cells: 1 << 12, calls: 1 << 20},
		{rung: 1, bits: 128, tol: magOf(o.Eps), cells: 1 << 13, calls: 1 << 20},
	}
	climbers := r.climbers()
	for k := range efforts {
		for _, c := range climbers {
			if k > 0 && c.best != nil && !c.last.unknown {
				continue
			}
			c.last = r.promptly(&efforts[k], c.part)
			var failure *diag.Diagnostic
			if errors.As(c.last.err, &failure) {
				return r.failed(climbers, failure)
			}
			if c.last.tree != nil {
				c.best = c.last.tree
			}
		}
	}
	for _, c := range climbers {
		if c.best == nil || c.last.unknown {
			return r.known(climbers), r.gaveUp(c, &efforts[len(efforts)-1])
		}
	}
	return r.known(climbers), nil
}
