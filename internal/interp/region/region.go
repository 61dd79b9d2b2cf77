// Package region finds the parts of a program that are worth compiling, and runs them as compiled
// code. It is given the bodies of functions, in core, in which it puts choices between a region and
// the interpreter's code (find.go, rest.go); package interp makes an instruction of each, and the
// machine runs the region when it reaches that (run.go). Package lower makes the loop form of a
// region, an engine runs it.
package region

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Compiled regions]
//
// An Engine runs loop form, which package lower makes of core. What it is made of are *regions* of
// the program: the whole body of a function or of a constant, or of a branch that it ends with, or
// one of its operations that loops or differentiates. A region is in front of the code that it may
// replace:
//
//	loops flag, results… = region args…
//	jfalse flag otherwise
//	…                       -- the results are there
//	otherwise: …            -- the interpreter's code, in which there may be smaller regions
//
// A region is lowered when it is first reached. It is left to the interpreter if it is not covered,
// if an argument is boxed (Note [Boxes]) or has rows of different lengths, or if the run was given
// up: then something is the matter that the interpreter finds out, like an index out of range or a
// comparison that is tied. A region that is given up several times in a row rests for a while. One
// with derivatives that may be tied is compiled again when it is first given up, to a form that
// resolves what it can.
//
// A region that uses rules of the program for derivatives waits until the interpreter has compared
// them, each once, with the derivatives that they replace. So what is wrong with a rule is found at
// the same point as without regions. Or it is run by a form that compares them by itself: Note
// [Rules that compiled code compares] of package lower.
//
// In core, a region is an If whose condition is false: its first side mentions the arguments, so
// that their registers are kept, and its second one is what it may replace.

// Region is a part of a program that may run as compiled code.
type Region struct {
	name   string
	block  *core.Block
	Args   []*core.Var
	Result types.Type
	weight weight
	size   int  // operations to be compiled, roughly
	taped  bool // reals may be boxed
	whole  bool // its result is that of the function
	steps  bool // errors are watched in it, and so it is no entry of the tape
	source *lower.Source
	engine machine.Engine

	Rest  bool        // it is the turns that are left of a loop: Note [The rest of a loop]
	of    originals   // of the functions in the block
	outer *Region     // the turns that are left of the loop around, or nil
	due   atomic.Bool // it is compiled when it is next reached: a derivative in the loop would have been, or it was expected

	params []*lower.Shape // of the arguments
	value  *lower.Shape   // of the result
	extent extent

	once  task.Once
	ready atomic.Bool // whether it was decided to compile it, and it is compiled

	making      task.Once
	begun, made atomic.Bool // what follows is being made, and is made
	form
	rules  []core.Rule // that it uses, as the interpreter's code has them
	beside *beside     // what it is compiled with while the program runs, or nil

	resolving task.Once
	resolved  atomic.Pointer[form] // with the ties of derivatives resolved; nil as long as none was met

	entry   bool               // it is a derivative of an entry of the tape, whose ties are not resolved: Note [Regions on the tape]
	derived map[string]*Region // derivatives, if it is an entry, by their kinds and the arguments that are wanted
	flat    atomic.Bool        // a derivative of them cannot be made

	trusted   bool  // rules are not compared
	eager     bool  // it is compiled even if it has no loops
	comparing *form // it compares rules by itself; nil if there is no such form
	differed  int   // runs of it given up since the last one that was not
	later     task.Once
	ruled     loop.Schedule // runs that use rules
	lean      *form         // if there is one that compares rules: one that does not, made when it is needed

	mu      sync.Mutex
	reached int64 // how often it was before it was compiled
	failed  int   // runs given up since the last one that was not
	rest    int   // times that the interpreter takes it before it is tried again
	dueAt   int64 // the work when the loop around became due
}

// form is a region in loop form, compiled.
type form struct {
	code      loop.Code      // nil if it is not covered
	low       *lower.Lowered // nil if code is
	nested    bool           // it has loops in loops, or turns that wait for each other
	constants []*lower.Shape // of low.Constants
}

// OperandsAt says where the operands of each argument start among those of the region's
// instruction.
func (r *Region) OperandsAt(starts []int) {
	for k, v := range r.Args {
		if slices.Contains(r.extent.sizes, v) {
			r.extent.slots = append(r.extent.slots, starts[k])
		}
	}
}

// maxGivenUp is how often in a row a region may be given up before it rests.
const maxGivenUp = 3

// A region that is a simple loop takes as long for fewElements as the interpreter, and is compiled
// at once for manyElements, but only if it is reached often for less.
const (
	fewElements  = 48
	manyElements = 512
)

// prepare compiles the region, which is ready then. It panics as Poll of the watch does, as all
// that compiles; then the region is compiled when it is reached again.
func (r *Region) prepare(w *stop.Watch) {
	r.compiled(w)
	r.ready.Store(true)
}

// compile makes the code of the region, once.
func (r *Region) compile(w *stop.Watch) {
	r.begun.Store(true)
	r.making.Do(func() { r.make(w) })
	r.made.Store(true)
}

func (r *Region) make(w *stop.Watch) {
	low := r.makeComparing(w)
	if low == nil {
		var err error
		if low, err = r.source.Until(w).Function(r.name, &core.Lambda{Body: r.block}, r.Args, nil); err != nil {
			return
		}
		if r.form = r.formOf(low, w); r.code == nil {
			return
		}
	}
	for _, rule := range low.Rules {
		r.rules = append(r.rules, core.Rule{Fun: r.of.original(rule.Fun), By: r.of.original(rule.By)})
	}
}

// resolve makes the form in which ties are resolved, for the runs to come. It is false if there is
// nothing to resolve, or it was made before.
func (r *Region) resolve(f *form, w *stop.Watch) (now bool) {
	if !f.low.Tied || r.entry {
		return false
	}
	r.resolving.Do(func() {
		low, err := r.source.Until(w).Resolved(r.name, &core.Lambda{Body: r.block}, r.Args)
		if err != nil {
			return
		}
		if f := r.formOf(low, w); f.code != nil {
			r.resolved.Store(&f)
			now = true
		}
	})
	return now
}

// formOf compiles loop form.
func (r *Region) formOf(low *lower.Lowered, w *stop.Watch) (f form) {
	if !low.Loops && !r.eager {
		return f
	}
	low.OptimizeUntil(w)
	program := low.Program()
	program.Watch = w
	code, err := r.engine(program)
	if err != nil {
		return f
	}
	f = form{code: code, low: low, nested: nested(low.Func.Body)}
	for _, d := range low.Constants {
		f.constants = append(f.constants, lower.DataShapeOf(d.Type))
	}
	return f
}

// nested tells whether a block has loops in loops, loops that run in order, or calls.
func nested(b *loop.Block) bool {
	found := false
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.For:
			found = found || !s.Parallel
			loop.Walk(s.Body, func(s loop.Stmt) {
				_, inner := s.(*loop.For)
				found = found || inner
			})
		case *loop.While, *loop.Call:
			found = true
		}
	})
	return found
}

// gaveUp notes how a run ended.
func (r *Region) gaveUp(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !yes {
		r.failed = 0
	} else if r.failed++; r.failed >= maxGivenUp {
		r.rest = 1 << min(r.failed, 20)
	}
}

// pays tells whether it is time to compile a region that is reached in a run that has done so much
// work since it last compiled one, with arrays of n elements: if the time of both is not more than
// doubled by it. Work is counted and not timed, so that the same program takes the same way in
// every run, and has the same result to the last digit.
func (r *Region) pays(work int64, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached++
	return r.due.Load() || r.worth(work, r.reached, n)
}

// worth is pays for a region that was reached so often.
func (r *Region) worth(work, reached int64, n int) bool {
	each := int64(reachWork)
	if r.weight.deep {
		each = deepWork
		for range min(r.weight.nest, mostNested) - 1 {
			each *= turnsWork
		}
	}
	if !r.weight.deep && n < manyElements {
		return reached*each >= r.price()
	}
	if r.Rest || r.outer != nil {
		work *= manyTurns
	}
	return r.price() <= cheap || max(work*fuelWork, reached*each, int64(n)*elementWork) >= r.price()
}

// price is what compiling the region takes.
func (r *Region) price() int64 { return int64(r.size) * compileWork }

// In units of about 5 ns: a unit of fuel, which is an instruction that calls or turns back, with
// those between; what compiling an operation takes, what it may take at once, and what a region is
// taken to cost the interpreter each time it is reached, if it is deep, times what is nested
// further for each loop in a loop, and for each element of its arguments.
const (
	fuelWork    = 60
	compileWork = 4_000
	cheap       = 400_000
	reachWork   = 2_000
	deepWork    = 100_000
	turnsWork   = 10
	mostNested  = 6
	elementWork = 200
)

// tired tells whether the interpreter takes the region this time, since it was given up too often
// in a row. The times between attempts double, so that attempts in vain cost little, and a search
// that began at bad points ends in compiled code.
func (r *Region) tired() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rest == 0 {
		return false
	}
	r.rest--
	return true
}
