package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Options say how a function is optimised.
type Options struct {
	// Schedule makes selections of branches and marks loops with lanes: for a target, and not
	// before a derivative is taken.
	Schedule bool
	// Lengths are parameters that are known to be at least 0 and at most Longest.
	Lengths []*loop.Var
	Longest int64
	// After, if not nil, is told the name of each pass after it has run on a function.
	After func(pass string, f *loop.Func)
	// Watch is polled before each pass.
	Watch *stop.Watch
}

// rounds bounds how often the passes are repeated. What one round leaves is small, so that the
// time is linear in the program.
const rounds = 6

// step is a pass and its name.
type step struct {
	name string
	run  func(*loop.Func, *known)
}

// sweeping are the passes that end with DeadCode if they change something.
var sweeping = map[string]bool{"DeadCode": true, "Place": true, "Forward": true}

// alone is a pass that neither needs nor leaves what is known of a body.
func alone(run func(*loop.Func)) func(*loop.Func, *known) {
	return func(f *loop.Func, _ *known) { run(f) }
}

// The passes that come first, those that are repeated, those that follow, those for a target, and
// those before a derivative in several directions. A round ends with CSE, so that one more at the
// start of the next would find next to nothing.
var (
	owning   = []step{{"DeadCode", alone(DeadCode)}, {"InPlace", alone(InPlace)}}
	cleaning = []step{
		{"Simplify", simplifyWith}, {"CSE", cseWith}, {"Checks", checksWith}, {"DeadCode", alone(DeadCode)},
	}
	joining = []step{
		{"Hoist", alone(Hoist)}, {"Fuse", alone(Fuse)}, {"Accumulators", alone(Accumulators)},
		{"CSE", cseWith}, {"DeadCode", alone(DeadCode)},
	}
	cleaningAgain = []step{
		{"Simplify", simplifyWith}, {"Checks", checksWith}, {"DeadCode", alone(DeadCode)},
	}
	final = []step{
		{"Place", placeWith}, {"Forward", alone(Forward)}, {"Sink", alone(Sink)}, {"Simplify", simplifyWith},
		{"CSE", cseWith}, {"DeadCode", alone(DeadCode)}, {"Reuse", reuseWith},
	}
	schedule = []step{
		{"Finite", alone(Finite)}, {"Split", alone(Split)}, {"Interchange", alone(Interchange)}, {"Branches", alone(smallBranches)},
		{"Unroll", unrollWith}, {"CSE", cseWith}, {"DeadCode", alone(DeadCode)},
		{"Hoist", alone(Hoist)}, {"Fuse", alone(Fuse)}, {"Peel", alone(Peel)}, {"Late", alone(Late)},
		{"Branches", alone(smallBranches)}, {"Checks", checksWith}, {"Simplify", simplifyWith},
		{"HoistReads", alone(HoistReads)}, {"Transpose", alone(Transpose)}, {"Lanes", alone(Lanes)}, {"Flat", alone(Flat)}, {"CSE", cseWith}, {"DeadCode", alone(DeadCode)},
		{"Inward", alone(Inward)},
	}
	expansion = []step{
		{"Branches", alone(smallBranches)}, {"Unroll", unrollWith}, {"CSE", cseWith}, {"DeadCode", alone(DeadCode)},
		{"Fuse", alone(Fuse)}, {"CSE", cseWith}, {"Simplify", simplifyWith},
	}
)

// smallBranches makes selections of branches that are cheaper than a jump.
func smallBranches(f *loop.Func) { Branches(f, 12) }

// Expand unrolls the loops of an optimised function before its derivative in several directions is
// taken. What is known of a loop's turns one by one is known of their tangents then: sums that were
// in a loop of three turns stand beside each other, and need not be computed again in each
// direction.
func Expand(f *loop.Func, o Options) { o.run(f, expansion) }

// Schedule makes an optimised function ready for a target.
func Schedule(f *loop.Func, o Options) { o.run(f, schedule) }

// run runs passes on a function, each once.
func (o Options) run(f *loop.Func, steps []step) {
	r := newRunner(f, o)
	r.run(steps)
	r.known.release()
}

// runner runs passes on a function. A pass that finds nothing gives the same body back, and is not
// run on it again; nor is one on the body that it has made, if it has found all there is at once.
type runner struct {
	f     *loop.Func
	o     Options
	done  map[string]*loop.Block // the body in which a pass finds nothing
	known known
}

func newRunner(f *loop.Func, o Options) *runner {
	return &runner{f: f, o: o, done: map[string]*loop.Block{}, known: known{lengths: o.Lengths, longest: o.Longest}}
}

func (r *runner) run(steps []step) {
	for _, s := range steps {
		before := r.f.Body
		if r.done[s.name] == before {
			continue
		}
		r.o.Watch.Look()
		r.known.settled = false
		if s.run(r.f, &r.known); r.f.Body == before || r.known.settled {
			r.done[s.name] = r.f.Body
		}
		if r.f.Body != before && sweeping[s.name] {
			r.done["DeadCode"] = r.f.Body
		}
		if r.o.After != nil {
			r.o.After(s.name, r.f)
		}
	}
}

// Optimize runs the passes until they find nothing more, or have run often enough.
func Optimize(f *loop.Func, o Options) {
	r := newRunner(f, o)
	if loop.Any(f.Body, isCopy) {
		r.run(owning)
	}
	before := size(f.Body)
	r.run(cleaning)
	for range rounds {
		r.run(joining)
		now := size(f.Body)
		if now == before {
			break
		}
		before = now
		if r.run(cleaningAgain); size(f.Body) == before {
			break // the others work on what these have changed
		}
	}
	r.run(final)
	if o.Schedule {
		r.run(schedule)
	}
	r.known.release()
}

// size is the number of statements of a block, at any depth.
func size(b *loop.Block) int {
	n := len(b.Stmts)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.For:
			n += size(s.Body)
		case *loop.While:
			n += size(s.Cond) + size(s.Body)
		case *loop.If:
			n += size(s.Then) + size(s.Else)
		}
	}
	return n
}
