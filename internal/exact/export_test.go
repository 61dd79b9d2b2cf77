package exact

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// RunWithin is Run with less of Go's stack.
func RunWithin(stack int, ctx context.Context, p *core.Program, o Options) (value.Value, *diag.Diagnostic) {
	r := newRunner(ctx, p, o, nil)
	r.budget.maxUsed = stack
	return r.climb()
}
