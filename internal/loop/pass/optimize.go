package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Options say how a function is optimised.
type Options struct {
	// Schedule makes selections of branches and marks loops with lanes: for a target, and not
	// before a derivative is taken.
	Schedule bool
	// After, if not nil, is told the name of each pass after it has run on a function.
	After func(pass string, f *loop.Func)
}

// rounds bounds how often the passes are repeated. What one round leaves is small, so that the
// time is linear in the program.
const rounds = 6

// cleaning is the number of passes at the start of a round that make the function smaller.
const cleaning = 4

// step is a pass and its name.
type step struct {
	name string
	run  func(*loop.Func)
}

// The passes that are repeated, those that follow, those for a target, and those before a derivative in several
// directions.
var (
	repeated = []step{
		{"Simplify", Simplify}, {"CSE", CSE}, {"Checks", Checks}, {"DeadCode", DeadCode}, {"Hoist", Hoist}, {"Fuse", Fuse},
		{"Accumulators", Accumulators}, {"CSE", CSE}, {"DeadCode", DeadCode},
	}
	final    = []step{{"Place", Place}, {"Forward", Forward}, {"Sink", Sink}, {"Simplify", Simplify}, {"CSE", CSE}, {"DeadCode", DeadCode}, {"Reuse", Reuse}}
	schedule = []step{
		{"Split", Split}, {"Interchange", Interchange}, {"Branches", smallBranches}, {"Unroll", Unroll}, {"CSE", CSE}, {"DeadCode", DeadCode},
		{"Hoist", Hoist}, {"Fuse", Fuse}, {"Peel", Peel}, {"Late", Late}, {"Branches", smallBranches}, {"Checks", Checks},
		{"Simplify", Simplify}, {"CSE", CSE}, {"DeadCode", DeadCode}, {"HoistReads", HoistReads}, {"Lanes", Lanes},
		{"CSE", CSE}, {"DeadCode", DeadCode}, // of what was in branches
		{"Inward", Inward},
	}
	expansion = []step{
		{"Branches", smallBranches}, {"Unroll", Unroll}, {"CSE", CSE}, {"DeadCode", DeadCode}, {"Fuse", Fuse}, {"CSE", CSE},
		{"Simplify", Simplify}, {"DeadCode", DeadCode},
	}
)

// smallBranches makes selections of branches that are cheaper than a jump.
func smallBranches(f *loop.Func) { Branches(f, 12) }

// Expand unrolls the loops of an optimised function before its derivative in several directions is taken. What is
// known of a loop's turns one by one is known of their tangents then: sums that were in a loop of three turns stand
// beside each other, and need not be computed again in each direction.
func Expand(f *loop.Func, o Options) { o.runner(f)(expansion) }

// runner runs passes on a function. A pass that finds nothing gives the same body back, and is not run on it again.
func (o Options) runner(f *loop.Func) func(steps []step) {
	done := map[string]*loop.Block{} // the body that a pass has left as it was
	return func(steps []step) {
		for _, s := range steps {
			before := f.Body
			if done[s.name] == before {
				continue
			}
			if s.run(f); f.Body == before {
				done[s.name] = before
			}
			if o.After != nil {
				o.After(s.name, f)
			}
		}
	}
}

// Optimize runs the passes until they find nothing more, or have run often enough.
func Optimize(f *loop.Func, o Options) {
	run := o.runner(f)
	before := size(f.Body)
	for round := range rounds {
		run(repeated[:cleaning])
		if round > 0 && size(f.Body) == before {
			break // the others work on what these have changed
		}
		run(repeated[cleaning:])
		now := size(f.Body)
		if now == before {
			break
		}
		before = now
	}
	run(final)
	if o.Schedule {
		run(schedule)
	}
}

// size is the number of statements of a block, at any depth.
func size(b *loop.Block) int {
	n := 0
	loop.Walk(b, func(loop.Stmt) { n++ })
	return n
}
