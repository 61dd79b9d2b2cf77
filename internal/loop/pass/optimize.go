package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Options say how a function is optimised.
type Options struct {
	// Schedule makes selections of branches and marks loops with lanes: for a target, and not
	// before a derivative is taken.
	Schedule bool
}

// rounds bounds how often the passes are repeated. What one round leaves is small, so that the
// time is linear in the program.
const rounds = 6

// Optimize runs the passes until they find nothing more, or have run often enough.
func Optimize(f *loop.Func, o Options) {
	size := count(f)
	for range rounds {
		Simplify(f)
		CSE(f)
		Checks(f)
		DeadCode(f)
		Hoist(f)
		Fuse(f)
		Accumulators(f)
		CSE(f)
		DeadCode(f)
		now := count(f)
		if now == size {
			break
		}
		size = now
	}
	Sink(f)
	Simplify(f)
	CSE(f)
	DeadCode(f)
	Reuse(f)
	if o.Schedule {
		Peel(f)
		Late(f)
		Branches(f, 12)
		Checks(f)
		Simplify(f)
		CSE(f)
		DeadCode(f)
		Lanes(f)
		CSE(f) // of what was in branches
		DeadCode(f)
		Inward(f)
	}
}

// count is the number of statements of a function.
func count(f *loop.Func) int {
	n := 0
	loop.Walk(f.Body, func(loop.Stmt) { n++ })
	return n
}
