package machine

import (
	"math"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Note [Functions are compiled when they are entered]
//
// A program has more definitions than a run enters: those that run inside compiled regions, those
// of a branch that is not taken, the taped code of functions that are not differentiated. So a
// definition is at first a *stub*: a function without code, to which others refer. The machine
// compiles it when it enters it for the first time.
//
// Several goroutines may run a Code, so a stub never changes: its code is another function,
// published by an atomic pointer. The call that met the stub goes to that function directly from
// then on. Nor does a call pay for the question whether it meets a stub: a stub claims more
// registers than there are, so that the test for the room on the stack, which each call does, sends
// it the slow way.

// later is the code of a stub.
type later struct {
	once    task.Once
	compile func(w *stop.Watch) *Function // nil once it has ended
	code    atomic.Pointer[Function]
}

// Stub makes a function that has no code into a stub. compile makes the function with its code,
// unless a watch ends it by a panic; of a Code, one function is compiled at a time.
func (c *Code) Stub(fn *Function, compile func(w *stop.Watch) *Function) *Function {
	fn.Frame = layout.Shape{P: math.MaxInt / 2}
	fn.later = &later{compile: compile}
	c.stubs = append(c.stubs, fn)
	return fn
}

// Refused is a function that could not be compiled: it fails when it runs.
func Refused(fn *Function, why *diag.Diagnostic) *Function {
	refused := single(layout.Shape{}, OpRefuse)
	refused.Name, refused.Arity, refused.Params, refused.Result = fn.Name, fn.Arity, fn.Params, fn.Result
	refused.Spans[0], refused.Spans[1] = why.Span, why.Span
	refused.Lib = &Library{refusal: why}
	return refused
}

// Compiled is a function with its code, which is made now if need be. It panics as Poll of the watch
// does; the next one who asks makes the code then.
func (c *Code) Compiled(fn *Function, w *stop.Watch) *Function {
	if fn = fn.now(); fn.later == nil {
		return fn
	}
	l := fn.later
	l.once.Do(func() {
		c.compiling.Lock()
		defer c.compiling.Unlock()
		l.code.Store(l.compile(w))
		l.compile = nil
	})
	return l.code.Load()
}

// now is a function with its code, if that was made, and else as it is.
func (fn *Function) now() *Function {
	if fn.later != nil {
		if made := fn.later.code.Load(); made != nil {
			return made
		}
	}
	return fn
}

// compileAll compiles what is not, in the order in which the stubs were made.
func (c *Code) compileAll() {
	for k := 0; ; k++ {
		c.compiling.Lock()
		stubs := c.stubs
		c.compiling.Unlock()
		if k == len(stubs) {
			return
		}
		c.Compiled(stubs[k], nil)
	}
}
