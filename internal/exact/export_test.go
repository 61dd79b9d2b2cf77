package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// RunWithin is Run with less of Go's stack.
func RunWithin(stack int, ctx context.Context, p *core.Program, o Options) (value.Value, *diag.Diagnostic) {
	r, d := newRunner(ctx, p, o, nil)
	if d != nil {
		return nil, d
	}
	r.machine.maxUsed = stack
	return r.climb()
}

// counting is the second tier, counting the operations.
type counting struct {
	jet.Multi
	n *int
}

func (c counting) Add(x, y *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Add(x, y) }
func (c counting) Sub(x, y *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Sub(x, y) }
func (c counting) Neg(x *ball.Ball) *ball.Ball    { *c.n++; return c.Multi.Neg(x) }
func (c counting) Mul(x, y *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Mul(x, y) }
func (c counting) Quo(x, y *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Quo(x, y) }

func (c counting) Hull(x, y *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Hull(x, y) }

func (c counting) Apply1(f tier.Fun1, x *ball.Ball) *ball.Ball { *c.n++; return c.Multi.Apply1(f, x) }
func (c counting) Apply2(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	*c.n++
	return c.Multi.Apply2(f, x, y)
}

func (c counting) ApplyInt(f tier.FunInt, x *ball.Ball, k int64) *ball.Ball {
	*c.n++
	return c.Multi.ApplyInt(f, x, k)
}

func (c counting) ApplyFold(f tier.FunFold, xs []*ball.Ball) *ball.Ball {
	*c.n += len(xs)
	return c.Multi.ApplyFold(f, xs)
}

// Operations counts the operations on numbers that one evaluation of a program with 128 bits takes,
// to reach a tolerance of 1e-9.
func Operations(p *core.Program, mode Mode) (int, error) {
	r, _ := newRunner(context.Background(), p, Options{Eps: big.NewRat(1, 1e9), Mode: mode}, nil)
	n := counting{jet.NewMulti(128), new(int)}
	number := jet.Balls{Of: n}
	e := &effort{bits: 128, tol: magOf(r.options.Eps), cells: 1 << 12, calls: 1 << 20}
	r.machine.turnWith(number, e)
	for _, part := range r.parts {
		if o := r.attempt(e, part); o.err != nil || o.unknown {
			return 0, fmt.Errorf("no value: %w", o.err)
		}
	}
	return *n.n, nil
}

// Compiled compiles a program, and does not run it.
func Compiled(ctx context.Context, p *core.Program, o Options) *diag.Diagnostic {
	_, d := newRunner(ctx, p, o, nil)
	return d
}
