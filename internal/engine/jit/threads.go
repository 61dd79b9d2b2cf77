package jit

import (
	"errors"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/lower"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Threads]
//
// The parallel loop of the entry's body that has most work is run by several goroutines. For that
// the function is cut in three, each a function of the loop form: what comes before the loop, a
// part of its turns, and what comes after. A part stores to buffers that are made before, since no
// two turns store to the same element. The first one adds to them too; the others add to buffers of
// their own, and all have totals of their own, which are combined afterwards in the order of the
// parts (parts.go).
//
// The number of parts does not depend on that of the goroutines, so that the result does not
// either: one goroutine runs the same parts, one after the other.
//
// The loop may be inside of a sequential loop or of a branch, as in the steps of an optimiser:
//
//	for k < steps, w = w0 { …; for i < n parallel { … }; …; yield w' }
//
// Then what is in the middle is the sequential loop or the branch (nested.go). Its body is a
// function that is cut in its turn, and is called for each turn. If there turns out to be little to
// do in a turn, the whole function runs as one.
//
// A function that has too little memory is run again with more, from its start (run.go). The
// functions that one is cut into write to what others have made: one that adds to a buffer before
// it runs out of memory would add to it twice. So the whole is run again, from the first one on,
// which makes new buffers (errAgain).
//
// Memory that stays inside of the function is used again in the next run. Garbage would cost more
// than it does for one goroutine: to collect it, all of them have to stop.

// errAgain says that a piece of the function had too little memory, and has more now: the function
// is to run again.
var errAgain = errors.New("jit: a piece of the function needs more memory")

// threads is a function cut in three.
type threads struct {
	params []*loop.Var
	before *Code       // nil if nothing comes before
	made   []*loop.Var // its results
	rooms  []*loop.Alloc
	middle middle
	after  *Code       // nil if nothing comes after
	rest   []*loop.Var // its parameters
	late   []int       // the results of the function that it gives
	yield  []loop.Atom
	home   map[*loop.Var]int // the first result that a buffer is
	inner  sync.Pool         // of *innerBuffers
}

// innerBuffers are buffers that stay inside of the function, to be used again: results of what
// comes before, and rooms.
type innerBuffers struct {
	made  []loop.Arg
	rooms [][]float64
}

// middle is what several goroutines run, or what has that in it.
type middle interface {
	// run binds the results. Buffers among them are new ones.
	run(env environment, opts loop.RunOptions, others *team) error
}

// environment has the values of variables.
type environment map[*loop.Var]loop.Arg

func (env environment) bind(vs []*loop.Var, args []loop.Arg) {
	for i, v := range vs {
		env[v] = args[i]
	}
}

func (env environment) all(vs []*loop.Var) []loop.Arg {
	out := make([]loop.Arg, len(vs))
	for i, v := range vs {
		out[i] = env[v]
	}
	return out
}

func (env environment) atom(a loop.Atom) loop.Arg {
	if c, ok := a.(*loop.Const); ok {
		return loop.Arg{Word: c.Word()}
	}
	return env[a.(*loop.Var)]
}

// cut makes the three functions of a program, or gives nil if no loop is worth it.
func cut(p *loop.Program, opts Options) (*threads, error) {
	if len(p.Funcs) > 1 {
		return nil, nil // calls may add to what they are given
	}
	opts.stores = true
	return cutFunc(p.Funcs[0], opts, leastWork)
}

// cutFunc makes the three functions of one whose parallel loop must have the least work given.
func cutFunc(f *loop.Func, opts Options, least float64) (*threads, error) {
	at, most := -1, 0.0
	for i, s := range f.Body.Stmts {
		if weight := weightOf(s, opts); weight > most {
			at, most = i, weight
		}
	}
	if at < 0 {
		return nil, nil
	}
	s := f.Body.Stmts[at]
	t := &threads{params: f.Params, yield: f.Body.Yield, home: map[*loop.Var]int{}}
	for i, y := range t.yield {
		if v, ok := y.(*loop.Var); ok && v.Kind.IsBuffer() {
			if _, ok := t.home[v]; !ok {
				t.home[v] = i
			}
		}
	}
	before := &loop.Block{Stmts: t.makeRooms(f.Body.Stmts[:at])}
	after := &loop.Block{Stmts: f.Body.Stmts[at+1:]}
	ends := map[*loop.Var]bool{} // bound after the loop
	for _, s := range after.Stmts {
		loop.Defs(s, func(v *loop.Var) { ends[v] = true })
	}
	for i, y := range t.yield {
		if v, ok := y.(*loop.Var); ok && ends[v] {
			t.late = append(t.late, i)
			after.Yield = append(after.Yield, v)
		}
	}
	captured := loop.Free(&loop.Block{Stmts: []loop.Stmt{s}})
	t.rest = loop.Free(after)
	// Of what is bound before the loop, the rest of the function is to have all that it uses.
	bound := map[*loop.Var]bool{}
	for _, s := range before.Stmts {
		loop.Defs(s, func(v *loop.Var) { bound[v] = true })
	}
	need := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && bound[v] {
			delete(bound, v)
			t.made = append(t.made, v)
			before.Yield = append(before.Yield, v)
		}
	}
	for _, v := range slices.Concat(captured, t.rest) {
		need(v)
	}
	for _, r := range t.rooms {
		need(r.Len)
	}
	for _, y := range t.yield {
		need(y)
	}
	var err error
	if len(before.Stmts) > 0 {
		if t.before, err = compileOne(&loop.Func{Name: f.Name, Params: f.Params, Body: before}, opts); err != nil {
			return nil, err
		}
	}
	if len(after.Stmts) > 0 {
		if t.after, err = compileOne(&loop.Func{Name: f.Name, Params: t.rest, Body: after}, opts); err != nil {
			return nil, err
		}
	}
	t.middle, err = middleOf(f.Name, s, captured, opts, least)
	return t, err
}

// makeRooms takes the buffers that come to be written to later on out of the statements in front of
// the loop: they are made where they are to be in the end.
func (t *threads) makeRooms(stmts []loop.Stmt) []loop.Stmt {
	var others []loop.Stmt
	for _, s := range stmts {
		if _, ok := s.(*loop.Alloc); !ok {
			others = append(others, s)
		}
	}
	used := map[*loop.Var]bool{}
	for _, v := range loop.Free(&loop.Block{Stmts: others}) {
		used[v] = true
	}
	var rest []loop.Stmt
	for _, s := range stmts {
		if a, ok := s.(*loop.Alloc); ok && !used[a.Var] {
			t.rooms = append(t.rooms, a)
		} else {
			rest = append(rest, s)
		}
	}
	return rest
}

func compileOne(f *loop.Func, opts Options) (*Code, error) {
	return compile(&loop.Program{Funcs: []*loop.Func{f}}, opts)
}

// middleOf cuts a statement that weightOf has found to be worth it.
func middleOf(name string, s loop.Stmt, captured []*loop.Var, opts Options, least float64) (middle, error) {
	switch s := s.(type) {
	case *loop.If:
		return newChoice(name, s, opts, least)
	case *loop.For:
		if !s.Parallel {
			return newTurns(name, s, opts)
		}
		return newParts(name, s, captured, opts, least)
	}
	panic("jit: a statement that cannot be cut")
}

// weightOf compares statements by the work of the loops in them that several goroutines can run; 0
// if there are none.
func weightOf(s loop.Stmt, opts Options) float64 {
	inside := func(b *loop.Block) float64 {
		most := 0.0
		for _, s := range b.Stmts {
			most = max(most, weightOf(s, opts))
		}
		return most
	}
	switch s := s.(type) {
	case *loop.If:
		return max(inside(s.Then), inside(s.Else))
	case *loop.For:
		switch {
		case s.Parallel && loop.Divisible(s, opts.Deterministic):
			turn := effortOf(s.Body)
			return turn.work(unknown)
		case !s.Parallel && callable(s):
			return someTurns * inside(s.Body)
		}
	}
	return 0
}

// leastArgs is the least number of elements and turns of a function that is cut.
const leastArgs = 512

// large reports whether arguments are not so few that there is little work with them. It is quick,
// for functions that are called often.
func (c *Code) large(args []loop.Arg) bool {
	n := c.longest
	for i, p := range c.entry.Params {
		switch {
		case p.Kind.IsBuffer():
			n += int64(len(args[i].F) + len(args[i].I))
		case p.Kind == loop.I64:
			n += min(max(int64(args[i].Word), 0), leastArgs)
		}
	}
	return n >= leastArgs
}

// runThreads calls the function in parts, with several goroutines or one: errFew if there is too
// little work for them, or too little memory.
func (c *Code) runThreads(into, args []loop.Arg, opts loop.RunOptions) error {
	opts.Threads = max(opts.Threads, 1)
	t, err := c.cut()
	if err != nil || t == nil {
		return errFew
	}
	sizes := sizesOf(c.entry.Params, args)
	few := &c.few[sizes%uint64(len(c.few))]
	if few.Load() == sizes {
		return errFew
	}
	// A place at which an argument lies is written to in the end.
	places := slices.Clone(into)
	apart := true
	for i := range places {
		if into[i].Overlaps(args) {
			places[i], apart = loop.Arg{}, false
		}
	}
	for err = errAgain; err == errAgain; {
		err = t.run(places, args, opts)
		if err == loop.ErrMemory && opts.Threads > 1 { // they share it
			opts.Threads, err = 1, errAgain
		}
	}
	switch {
	case err == loop.ErrMemory:
		return errFew
	case err == errFew:
		few.Store(sizes)
	case err == nil && apart:
		copy(into, places)
	case err == nil:
		for i := range into {
			into[i].Put(places[i], true)
		}
	}
	return err
}

var seed = maphash.MakeSeed()

// sizesOf stands for the lengths of buffers and the integers among arguments.
func sizesOf(params []*loop.Var, args []loop.Arg) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for i, p := range params {
		switch {
		case p.Kind.IsBuffer():
			maphash.WriteComparable(&h, len(args[i].F)+len(args[i].I))
		case p.Kind == loop.I64:
			maphash.WriteComparable(&h, args[i].Word)
		}
	}
	return h.Sum64() | 1 // 0 stands for none
}

// run calls the function with several goroutines. No argument lies at the place for a result, and
// results are new buffers.
func (t *threads) run(into, args []loop.Arg, opts loop.RunOptions) error {
	env := environment{}
	env.bind(t.params, args)
	var others *team
	if _, ok := t.middle.(*parts); ok {
		others = gather(min(opts.Threads, runtime.GOMAXPROCS(0)) - 1)
		defer others.dismiss()
	}
	inner, ok := t.inner.Get().(*innerBuffers)
	if !ok {
		inner = &innerBuffers{made: make([]loop.Arg, len(t.made)), rooms: make([][]float64, len(t.rooms))}
	}
	defer t.inner.Put(inner)
	if t.before != nil {
		if err := t.makeBefore(env, inner, into, args, opts); err != nil {
			return err
		}
	}
	if err := t.makeRoom(env, inner, into, &opts); err != nil {
		return err
	}
	if err := t.middle.run(env, opts, others); err != nil {
		return err
	}
	others.dismiss()
	if t.after != nil {
		results := make([]loop.Arg, len(t.late))
		for k, i := range t.late {
			results[k] = into[i]
		}
		if err := t.after.RunInto(results, env.all(t.rest), opts); err != nil {
			return err
		}
		for k, i := range t.late {
			into[i] = results[k]
		}
	}
	for i, y := range t.yield {
		if slices.Contains(t.late, i) {
			continue
		}
		v, ok := y.(*loop.Var)
		if !ok || !v.Kind.IsBuffer() {
			into[i].Word = env.atom(y).Word
			continue
		}
		own := t.home[v] == i && !slices.Contains(t.params, v)
		if a := env[v]; own && address(a.F) == address(into[i].F) && address(a.I) == address(into[i].I) {
			into[i] = a
		} else {
			into[i].Put(a, own)
		}
	}
	return nil
}

// makeBefore runs what comes before the loop.
func (t *threads) makeBefore(env environment, inner *innerBuffers, into, args []loop.Arg, opts loop.RunOptions) error {
	results := slices.Clone(inner.made)
	for i, v := range t.made {
		if r, ok := t.home[v]; ok {
			results[i] = into[r]
		}
	}
	if err := t.before.RunInto(results, args, opts); err != nil {
		return err
	}
	env.bind(t.made, results)
	for i, v := range t.made {
		if _, ok := t.home[v]; !ok {
			inner.made[i] = results[i]
		}
	}
	return nil
}

// makeRoom makes the buffers that the loop and what comes after it write to.
func (t *threads) makeRoom(env environment, inner *innerBuffers, into []loop.Arg, opts *loop.RunOptions) error {
	for i, a := range t.rooms {
		n := int64(env.atom(a.Len).Word)
		if n < 0 || n > lower.MaxElements {
			return loop.ErrCheck
		}
		if opts.MaxBytes > 0 {
			if opts.MaxBytes -= 8 * n; opts.MaxBytes <= 0 {
				return loop.ErrMemory
			}
		}
		words := inner.rooms[i]
		r, result := t.home[a.Var]
		switch {
		case result && a.Var.Kind == loop.F64s:
			words = into[r].F
		case result:
			words = doubles(into[r].I)
		}
		if int64(cap(words)) < n || words == nil {
			words = alignedReals(int(n))
		}
		words = words[:n]
		if !result {
			inner.rooms[i] = words
		}
		if a.Zero {
			clear(words)
		}
		if a.Var.Kind == loop.F64s {
			env[a.Var] = loop.Arg{F: words}
		} else {
			env[a.Var] = loop.Arg{I: integers(words)}
		}
	}
	return nil
}
