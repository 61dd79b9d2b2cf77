package bind

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Function is a definition bound to a Go type. It is safe for concurrent use.
type Function struct {
	*plan
	kernel  *driver.Kernel
	timeout time.Duration // of a call
	threads int
	wrap    func(context.Context, *diag.Diagnostic) error
	exactly *exactly // how a certified function runs, or nil

	calls sync.Pool // of *call
}

// Request says what to bind.
type Request struct {
	World    *driver.World
	Unit     *driver.Unit
	Name     string
	Ask      Ask
	By       []string // the parameters to differentiate by; if empty, the first ones
	Go       reflect.Type
	Types    Types
	Settings driver.Settings
	Threads  int
	// Wrap turns the diagnostic of a failed call into an error.
	Wrap func(context.Context, *diag.Diagnostic) error
}

// New binds a definition.
func New(ctx context.Context, r Request) (*Function, *diag.List) {
	f, unit, list := r.prepare(doubles)
	if list != nil {
		return nil, list
	}
	var d *diag.Diagnostic
	func() {
		defer stop.Catch(&d)
		f.kernel, d = unit.Kernel(ctx, r.Settings, answerName)
	}()
	if d != nil {
		return nil, one(d)
	}
	return f, nil
}

func one(d *diag.Diagnostic) *diag.List {
	var list diag.List
	list.Add(d)
	return &list
}

// prepare checks the types, and returns the unit with the definition that computes the answer.
func (r *Request) prepare(how reals) (*Function, *driver.Unit, *diag.List) {
	t, d := newTarget(r.Unit, r.Name)
	if d != nil {
		return nil, nil, one(d)
	}
	p, d := newPlan(r.Name, r.Go)
	if d != nil {
		return nil, nil, one(d)
	}
	by, d := t.by(r.By)
	if d == nil {
		d = t.suits(r.Ask)
	}
	if d != nil {
		return nil, nil, one(d)
	}
	dsts, d := p.arrange(t, r.Ask, by)
	if d != nil {
		return nil, nil, one(d)
	}
	unit, list := answer(r.World, t, r.Ask, p, dsts)
	if list != nil {
		return nil, nil, list
	}
	m := &matcher{types: r.Types, reals: how}
	if d := p.match(m, unit.Info.Interface.Value(answerName).Scheme.Type, dsts); d != nil {
		return nil, nil, one(d)
	}
	return &Function{plan: p, threads: r.Threads, wrap: r.Wrap, timeout: r.Settings.Timeout}, unit,
		nil
}

// call is the state of one call. Later calls reuse it.
type call struct {
	f       *Function
	params  []unsafe.Pointer // memory for each parameter of the Go type
	results []unsafe.Pointer // memory for each result
	keep    []reflect.Value  // what params and results point to
	forget  []reflect.Value  // those of keep that point to memory of the caller

	loader
	into    []loop.Arg
	out     storer
	ctx     stop.Timed // the context of the call
	poll    func() error
	stopped *diag.Diagnostic
	gaveUp  error // why compiled code gave up, or nil
	machine *interp.Machine
}

func (f *Function) start() *call {
	if c, ok := f.calls.Get().(*call); ok {
		return c
	}
	c := &call{f: f}
	fresh := func(t reflect.Type) unsafe.Pointer {
		v := reflect.New(t)
		c.keep = append(c.keep, v)
		if !isNumber(t.Kind()) {
			c.forget = append(c.forget, v.Elem())
		}
		return v.UnsafePointer()
	}
	for _, t := range f.params {
		c.params = append(c.params, fresh(t))
	}
	for _, t := range f.results {
		c.results = append(c.results, fresh(t))
	}
	n := 0
	for _, s := range f.outputs {
		n += s.parts
	}
	c.into = make([]loop.Arg, n)
	c.poll = c.check
	return c
}

func isNumber(k reflect.Kind) bool { return reflect.Bool <= k && k <= reflect.Complex128 }

// end returns the call's state to the pool, without references to what belongs to the caller.
func (f *Function) end(c *call) {
	for _, v := range c.forget {
		v.SetZero()
	}
	clear(c.args)
	c.ctx = stop.Timed{}
	f.calls.Put(c)
}

// errStop ends a run; the call records why.
var errStop = errors.New("stopped")

// check returns an error if the call must stop.
func (c *call) check() error {
	if c.ctx.Err() != nil {
		c.stopped = stop.Why(&c.ctx)
		return errStop
	}
	return nil
}

// run calls the definition with the arguments in params. It stores the results in results and in
// the destinations.
func (c *call) run(given context.Context) (err error) {
	f := c.f
	defer c.catch(&err)
	c.ctx.Begin(given, f.timeout)
	c.gaveUp = nil
	ctx := context.Context(&c.ctx)
	if ctx.Err() != nil {
		return f.wrap(ctx, stop.Why(ctx))
	}
	for i := range f.outputs {
		if s := &f.outputs[i]; s.pointed && c.place(s) == nil {
			return f.wrap(ctx, misfit("a destination of `%s` is nil", f.name))
		}
	}
	if f.exactly != nil {
		if d := c.certify(ctx); d != nil {
			return f.wrap(ctx, d)
		}
		return nil
	}
	if f.kernel.Compiled() {
		done, d := c.compiled()
		if d != nil {
			return f.wrap(ctx, d)
		}
		if done {
			return nil
		}
	}
	if d := c.interpreted(ctx); d != nil {
		return f.wrap(ctx, interp.FirstCause(c.gaveUp, d))
	}
	return nil
}

// catch turns the panic by which a function of the host ended the call into an error.
func (c *call) catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *stop.Reached:
		c.machine = nil
		*err = c.f.wrap(&c.ctx, r.Why)
	default:
		panic(r)
	}
}

// compiled runs compiled code. It returns false if the code gave up.
func (c *call) compiled() (done bool, d *diag.Diagnostic) {
	f := c.f
	c.loader.reset()
	for i := range f.inputs {
		if c.value(f.inputs[i].codec, c.params[f.inputs[i].number]) != nil {
			return false, nil
		}
	}
	constants, err := f.kernel.Constants(&c.ctx)
	if err != nil {
		c.gaveUp = err
		return false, nil
	}
	c.args = append(c.args, constants...)
	if f.kernel.Due(c.args) {
		return false, nil
	}
	next := 0
	for i := range f.outputs {
		s := &f.outputs[i]
		if direct(s.codec) && !s.pointed {
			place(s.codec, c.place(s), c.into[next:next+s.parts], s.returned)
		}
		next += s.parts
	}
	opts := loop.RunOptions{Poll: c.poll, MaxBytes: f.kernel.Limits.Bytes(), Threads: f.threads}
	switch err := f.kernel.Loops.RunInto(c.into, c.args, opts); {
	case err == errStop:
		return false, c.stopped
	case err != nil:
		c.gaveUp = err
		return false, nil
	}
	c.out = storer{from: c.into, at: c.at}
	out := &c.out
	for i := range f.outputs {
		s := &f.outputs[i]
		out.fixed = !s.returned && !s.pointed
		out.own = s.returned && direct(s.codec)
		if err := out.value(s.codec, c.place(s)); err != nil {
			return false, misfit("the result of `%s`: %v", f.name, err)
		}
	}
	c.at = out.at
	next = 0
	for i := range f.outputs { // these buffers now belong to the caller
		s := &f.outputs[i]
		if direct(s.codec) && !s.pointed {
			clear(c.into[next : next+s.parts])
		}
		next += s.parts
	}
	return true, nil
}

// place returns the memory of a part of the result.
func (c *call) place(s *slot) unsafe.Pointer {
	switch {
	case s.returned:
		return c.results[s.number]
	case s.pointed:
		return *(*unsafe.Pointer)(c.params[s.number])
	}
	return c.params[s.number]
}

// interpreted runs the definition in the interpreter.
func (c *call) interpreted(ctx context.Context) *diag.Diagnostic {
	args, d := c.values()
	if d != nil {
		return d
	}
	f := c.f
	if c.machine == nil {
		c.machine = f.kernel.Code.NewMachine()
	}
	v, d := c.machine.Call(ctx, f.kernel.Limits, f.kernel.Name, args...)
	if d != nil {
		return d
	}
	f.kernel.Interpreted(c.machine)
	return c.write(v)
}

// values returns the arguments as values.
func (c *call) values() ([]value.Value, *diag.Diagnostic) {
	var args []value.Value
	for i, s := range c.f.inputs {
		v, err := s.codec.read(c.params[s.number])
		if err != nil {
			return nil, misfit("argument %d of `%s`: %v", i+1, c.f.name, err)
		}
		args = append(args, v)
	}
	return args, nil
}

// write stores the parts of a result where they belong.
func (c *call) write(v value.Value) *diag.Diagnostic {
	parts := []value.Value{v}
	if len(c.f.outputs) != 1 {
		parts, _ = v.(value.Tuple)
	}
	for i := range c.f.outputs {
		s := &c.f.outputs[i]
		if err := s.codec.write(c.place(s), parts[i], !s.returned && !s.pointed); err != nil {
			return misfit("the result of `%s`: %v", c.f.name, err)
		}
	}
	return nil
}
