package jit

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Threads]
//
// The parallel loop of the entry's body that has most work is run by several goroutines. For that the function is cut in
// three, each a function of the loop form: what comes before the loop, a part of its turns, and what comes after. A
// part stores to the buffers that the first function has made, since no two turns store to the same element. It adds to
// buffers of its own, and to totals of its own, which are combined afterwards in the order of the parts.
//
// The number of parts does not depend on that of the goroutines, so that the result does not either.
//
// The loop may be inside of a sequential loop or of a branch, as in the steps of an optimiser:
//
//	for k < steps, w = w0 { …; for i < n parallel { … }; …; yield w' }
//
// Then what is in the middle is the sequential loop or the branch (nested.go). Its body is a function that is cut in its
// turn, and is called for each turn. If there turns out to be little to do in a turn, the whole function runs as one.
//
// A function that has too little memory is run again with more, from its start (run.go). The functions that one is cut into
// write to what others have made: one that adds to a buffer before it runs out of memory would add to it twice. So the
// whole is run again, from the first one on, which makes new buffers (errAgain).

// mostParts bounds the parts of a loop, and a part has at least fewestTurns turns: what each part adds to is made for
// it, with accumulators for each lane, and added up in the end.
const (
	mostParts   = 16
	fewestTurns = 500
)

// partsOf is the number of parts of a loop of n turns.
func partsOf(n int64) int64 { return min(max(n/fewestTurns, 1), mostParts) }

// errAgain says that a piece of the function had too little memory, and has more now: the function is to run again.
var errAgain = errors.New("jit: a piece of the function needs more memory")

// threads is a function cut in three.
type threads struct {
	params        []*loop.Var
	before, after *Code
	middle        middle
	made          []*loop.Var // by what comes before
	rest          []*loop.Var // parameters of what comes after
	ends          bool        // nothing does, and rest is the result
}

// middle is what several goroutines run, or what has that in it.
type middle interface {
	// run binds the results.
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

// parts is a parallel loop, of which each goroutine runs some parts.
type parts struct {
	loop     *loop.For
	part     *Code
	captured []*loop.Var
	sums     []*loop.Var // buffers that its turns add to
	least    float64     // the least work that is worth it: 0 unless it is done again and again
}

// cut makes the three functions of a program, or gives nil if no loop is worth it.
func cut(p *loop.Program, opts Options) (*threads, error) {
	if len(p.Funcs) > 1 {
		return nil, nil // calls may add to what they are given
	}
	opts.stores = true
	return cutFunc(p.Funcs[0], opts, 0)
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
	t := &threads{params: f.Params}
	params, bound := map[*loop.Var]bool{}, map[*loop.Var]bool{}
	for _, v := range f.Params {
		params[v] = true
	}
	loop.Defs(s, func(v *loop.Var) { bound[v] = true })
	suffix := &loop.Block{Stmts: f.Body.Stmts[at+1:], Yield: f.Body.Yield}
	captured := loop.Free(&loop.Block{Stmts: []loop.Stmt{s}})
	seen := map[*loop.Var]bool{}
	add := func(vs []*loop.Var) {
		for _, v := range vs {
			if !params[v] && !bound[v] && !seen[v] {
				seen[v] = true
				t.made = append(t.made, v)
			}
		}
	}
	add(captured)
	t.rest = loop.Free(suffix)
	add(t.rest)
	t.ends = len(suffix.Stmts) == 0 && len(t.rest) == len(suffix.Yield)
	for i, a := range suffix.Yield {
		t.ends = t.ends && i < len(t.rest) && loop.Atom(t.rest[i]) == a && !params[t.rest[i]]
	}
	var yield []loop.Atom
	for _, v := range t.made {
		yield = append(yield, v)
	}
	before := &loop.Func{Name: f.Name, Params: f.Params, Body: &loop.Block{Stmts: f.Body.Stmts[:at], Yield: yield}}
	after := &loop.Func{Name: f.Name, Params: t.rest, Body: suffix}
	var err error
	if t.before, err = compileOne(before, opts); err != nil {
		return nil, err
	}
	if t.after, err = compileOne(after, opts); err != nil {
		return nil, err
	}
	t.middle, err = middleOf(f.Name, s, captured, opts, least)
	return t, err
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
		p := &parts{loop: s, captured: captured, least: least}
		var err error
		p.part, err = compileOne(p.function(name), opts)
		return p, err
	}
	panic("jit: a statement that cannot be cut")
}

// weightOf compares statements by the work of the loops in them that several goroutines can run; 0 if there are none.
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
			return work(s.Body)
		case !s.Parallel && callable(s):
			return someTurns * inside(s.Body)
		}
	}
	return 0
}

// someTurns is how many turns a loop of unknown length is taken to have.
const someTurns = 50

// work estimates the work of a block, if loops of unknown length run some turns.
func work(b *loop.Block) float64 {
	total := 0.0
	for _, s := range b.Stmts {
		turns := 1.0
		switch s := s.(type) {
		case *loop.Let:
			total += float64(s.Op.Cost)
		case *loop.For:
			turns = someTurns
			if n, ok := small(s.Count); ok {
				turns = float64(max(n, 0))
			}
		case *loop.While:
			turns = someTurns
		}
		total++
		loop.Blocks(s, func(b *loop.Block) { total += turns * work(b) })
	}
	return total
}

// function makes the function that runs the turns from lo to hi-1.
func (p *parts) function(name string) *loop.Func {
	lo, hi := loop.NewVar("lo", loop.I64), loop.NewVar("hi", loop.I64)
	outside, subst := map[*loop.Var]bool{}, map[*loop.Var]loop.Atom{}
	for _, v := range p.captured {
		outside[v] = true
	}
	var b loop.Builder
	var yield []loop.Atom
	loop.Walk(p.loop.Body, func(s loop.Stmt) {
		if a, ok := s.(*loop.Accum); ok && outside[a.Buf] && subst[a.Buf] == nil {
			own := b.Alloc(a.Buf.Name, a.Buf.Kind, b.Length(a.Buf), true)
			subst[a.Buf] = own
			p.sums = append(p.sums, a.Buf)
			yield = append(yield, own)
		}
	})
	i := loop.NewVar("i", loop.I64)
	var body loop.Builder
	subst[p.loop.Index] = body.Let("i", loop.AddI, lo, i)
	c := loop.NewCopier()
	for v, to := range subst {
		c.Set(v, to)
	}
	copied := c.Block(p.loop.Body)
	c.Release()
	s := &loop.For{Index: i, Count: b.Let("n", loop.SubI, hi, lo), Parallel: true, Lanes: p.loop.Lanes,
		Body: &loop.Block{Stmts: append(body.Stmts, copied.Stmts...), Yield: copied.Yield}}
	var totals []loop.Atom
	for _, r := range p.loop.Reds {
		result := loop.NewVar(r.Result.Name, r.Result.Kind)
		s.Reds = append(s.Reds, loop.Red{Op: r.Op, Init: loop.Neutral(r.Op), Result: result})
		totals = append(totals, result)
	}
	b.Add(s)
	return &loop.Func{Name: name, Params: append([]*loop.Var{lo, hi}, p.captured...), Body: b.Block(append(totals, yield...)...)}
}

// runInto is run with places for the results.
func (t *threads) runInto(into, args []loop.Arg, opts loop.RunOptions) error {
	results, err := t.run(args, opts)
	if err != nil {
		return err
	}
	for i, r := range results {
		into[i].Put(r, true)
	}
	return nil
}

// run calls the function with several goroutines.
func (t *threads) run(args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	env := environment{}
	env.bind(t.params, args)
	var others *team
	if _, ok := t.middle.(*parts); ok {
		others = gather(min(opts.Threads, runtime.GOMAXPROCS(0)) - 1)
	}
	made, err := t.before.Run(args, opts)
	if err != nil {
		others.dismiss()
		return nil, err
	}
	env.bind(t.made, made)
	if err := t.middle.run(env, opts, others); err != nil {
		return nil, err
	}
	if !t.ends {
		return t.after.Run(env.all(t.rest), opts)
	}
	return env.all(t.rest), nil
}

// run runs the parts, and combines their results in order.
func (p *parts) run(env environment, opts loop.RunOptions, others *team) error {
	n := max(int64(env.atom(p.loop.Count).Word), 0)
	if p.least > 0 && (partsOf(n) < 2 || float64(n)*work(p.loop.Body) < p.least) {
		others.dismiss()
		return errFew
	}
	results, err := p.turns(n, env.all(p.captured), opts, others)
	if err != nil {
		return err
	}
	for k, r := range p.loop.Reds {
		total := env.atom(r.Init).Word
		for _, part := range results {
			total = r.Op.Eval([]uint64{total, part[k].Word})
		}
		env[r.Result] = loop.Arg{Word: total}
	}
	for k, v := range p.sums {
		for _, part := range results {
			own := part[len(p.loop.Reds)+k].F
			sum := env[v].F[:len(own)]
			for i, x := range own {
				sum[i] += x
			}
		}
	}
	return nil
}

// team is goroutines that wait for work. To wake one up takes as long as some percent of a loop that is worth a second one, so
// that they are started before the work is known, and do not sleep at once.
type team struct {
	ready atomic.Bool
	told  chan struct{} // closed when it is
	work  func()
	done  sync.WaitGroup
}

func gather(n int) *team {
	t := &team{told: make(chan struct{})}
	for range n {
		t.done.Go(func() {
			for range 1000 {
				if t.ready.Load() {
					break
				}
				runtime.Gosched()
			}
			<-t.told
			t.work()
		})
	}
	return t
}

// run has the team and the caller do the same work, once each.
func (t *team) run(work func()) {
	t.work = work
	t.ready.Store(true)
	close(t.told)
	work()
	t.done.Wait()
}

// dismiss lets the team go without work. There may be none.
func (t *team) dismiss() {
	if t != nil {
		t.run(func() {})
	}
}

// turns runs the parts of the loop, and gives the results of each.
func (p *parts) turns(n int64, captured []loop.Arg, opts loop.RunOptions, others *team) ([][]loop.Arg, error) {
	parts := partsOf(n)
	results := make([][]loop.Arg, parts)
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = err
		}
	}
	poll := opts.Poll
	opts.Poll = func() error { // one at a time; all stop when one does
		mu.Lock()
		defer mu.Unlock()
		if failed == nil && poll != nil {
			failed = poll()
		}
		return failed
	}
	workers := min(max(opts.Threads, 1), runtime.GOMAXPROCS(0), int(parts))
	opts.MaxBytes /= int64(workers)
	work := func() {
		for {
			k := next.Add(1) - 1
			if k >= parts {
				return
			}
			args := append([]loop.Arg{{Word: uint64(share(n, k, parts))}, {Word: uint64(share(n, k+1, parts))}}, captured...)
			out, err := p.part.Run(args, opts)
			if err != nil {
				fail(err)
				return
			}
			results[k] = out
		}
	}
	others.run(work)
	return results, failed
}

// share is the first turn of part k of so many, of n turns: a multiple of 64, so that vectors are full.
func share(n, k, parts int64) int64 {
	if k == parts {
		return n
	}
	return min(n, (n/parts*k+n%parts*k/parts+63)&^63)
}
