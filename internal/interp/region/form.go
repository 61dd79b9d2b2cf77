package region

import (
	"errors"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Note [States of a form]
//
// A region has three forms. One compares the rules that it uses with the derivatives that they
// replace, the plain one does not, and in the third one ties of derivatives are resolved. Each is
// compiled when it is first needed:
//
//	fresh ──▶ compiling ──▶ ready
//	  ▲           ├───────▶ refused, for a reason
//	  └───────────┘ where the time for it is up
//
// Only settle takes a form from one state to the next. The region itself is compiled if one of the
// first two forms is ready, and cannot be if both are refused.

// kind is one of the forms of a region.
type kind int

const (
	comparing kind = iota
	plain
	resolved
	kinds
)

// form is a form of a region, with its state. Goroutines that need one form wait for each other.
type form struct {
	once task.Once
	now  atomic.Pointer[state] // nil as long as it is fresh
}

// state is that of a form which is not fresh: what it is compiled to if it is ready, why it is
// refused if it is, and neither while it is being compiled.
type state struct {
	*compiled
	refused error
}

// compiled is a form of a region that is ready.
type compiled struct {
	code      loop.Code
	low       *lower.Lowered
	kind      kind
	nested    bool           // it has loops in loops, or turns that wait for each other
	constants []*lower.Shape // of low.Constants
	rules     []core.Rule    // that it uses, as the interpreter's code has them
}

// ready returns what a form is compiled to, or nil if it is not ready.
func (f *form) ready() *compiled {
	if s := f.now.Load(); s != nil {
		return s.compiled
	}
	return nil
}

// compiling reports whether a goroutine is compiling the form.
func (f *form) compiling() bool {
	s := f.now.Load()
	return s != nil && s.compiled == nil && s.refused == nil
}

// refusal returns why a form is refused, or nil if it is not.
func (f *form) refusal() error {
	if s := f.now.Load(); s != nil {
		return s.refused
	}
	return nil
}

// settle compiles a form, unless that has been done, and returns it; nil if it is refused. It
// panics as Poll of the watch does.
func (r *Region) settle(k kind, w *stop.Watch) *compiled {
	f := &r.forms[k]
	f.once.Do(func() {
		f.now.Store(&state{})
		defer func() {
			if f.compiling() {
				f.now.Store(nil)
			}
		}()
		code, err := r.make(k, w)
		f.now.Store(&state{code, err})
	})
	return f.ready()
}

// first returns the form that is compiled first, which shows whether the region can be compiled:
// the one that compares rules, if it uses any that are compared. It is nil if it is not ready.
func (r *Region) first() *compiled {
	if f := r.forms[comparing].ready(); f != nil {
		return f
	}
	return r.forms[plain].ready()
}

// compile sees to it that the first form is settled, and returns it. Where another goroutine is at
// it already, this one compiles other regions meanwhile that it will need.
func (r *Region) compile(w *stop.Watch) *compiled {
	for r.isCompiling() {
		next := r.beside.next()
		if next == nil {
			break
		}
		next.compile(w)
	}
	if f := r.settle(comparing, w); f != nil {
		return f
	}
	return r.settle(plain, w)
}

func (r *Region) isCompiling() bool {
	return r.forms[comparing].compiling() || r.forms[plain].compiling()
}

// Reasons for which a form is refused.
var (
	errNotCompared = errors.New("it has no rules to compare")
	errNotResolved = errors.New("ties of derivatives on the tape are not resolved")
	errNoLoops     = errors.New("it has no loops")
)

// lower makes the loop form of a form.
func (r *Region) lower(k kind, w *stop.Watch) (*lower.Lowered, error) {
	source, fun := r.source.Until(w), &core.Lambda{Body: r.block}
	switch {
	case k == plain:
		return source.Function(r.name, fun, r.Args, nil)
	case k == resolved && r.role == derivative:
		return nil, errNotResolved
	case k == resolved:
		return source.Resolved(r.name, fun, r.Args)
	case !r.trusted:
		if low := source.Comparing(r.name, fun, r.Args); low != nil {
			return low, nil
		}
	}
	return nil, errNotCompared
}

// make compiles a form.
func (r *Region) make(k kind, w *stop.Watch) (*compiled, error) {
	low, err := r.lower(k, w)
	if err != nil {
		return nil, err
	}
	if !low.Loops && !r.eager {
		return nil, errNoLoops
	}
	low.OptimizeUntil(w)
	program := low.Program()
	program.Watch = w
	code, err := r.engine(program)
	if err != nil {
		return nil, err
	}
	f := &compiled{code: code, low: low, kind: k, nested: nested(low.Func.Body)}
	for _, d := range low.Constants {
		f.constants = append(f.constants, lower.DataShapeOf(d.Type))
	}
	for _, rule := range low.Rules {
		own := core.Rule{Fun: r.of.original(rule.Fun), By: r.of.original(rule.By)}
		f.rules = append(f.rules, own)
	}
	return f, nil
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
