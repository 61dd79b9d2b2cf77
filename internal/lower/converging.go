package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// converging applies the function of an iteration.
func converging(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	if l.separating > 0 || l.linear {
		l.fail("the derivative of an iteration that converges")
	}
	return l.unruled(op, env)
}

// correction is an array of zeros.
func correction(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	r := l.array(op.Args[1], env)
	if l.separating > 0 || l.linear {
		l.fail("the derivative of an iteration that converges")
	}
	return l.fill(r.n, func(*loop.Var) value { return &scalar{loop.Real(0)} })
}
