package jit

import (
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

// mostParts bounds the parts of a loop, and a part has at least fewestTurns turns: what each part adds to is made for
// it, with accumulators for each lane, and added up in the end.
const (
	mostParts   = 16
	fewestTurns = 500
)

// partsOf is the number of parts of a loop of n turns.
func partsOf(n int64) int64 { return min(max(n/fewestTurns, 1), mostParts) }

// threads is a function cut in three.
type threads struct {
	loop                *loop.For
	before, part, after *Code
	made                []*loop.Var // by what comes before
	captured            []*loop.Var // by the loop
	sums                []*loop.Var // buffers that its turns add to
	rest                []*loop.Var // parameters of what comes after
	ends                bool        // nothing does, and rest is the result
}

// cut makes the three functions, or gives nil if no loop is worth it.
func cut(p *loop.Program, opts Options) (*threads, error) {
	if len(p.Funcs) > 1 {
		return nil, nil // calls may add to what they are given
	}
	f := p.Funcs[0]
	at, most := -1, 0.0
	for i, s := range f.Body.Stmts {
		if s, ok := s.(*loop.For); ok && s.Parallel {
			if cost := work(s.Body); cost > most && loop.Divisible(s, opts.Deterministic) {
				at, most = i, cost
			}
		}
	}
	if at < 0 {
		return nil, nil
	}
	s := f.Body.Stmts[at].(*loop.For)
	t := &threads{loop: s}
	params, bound := map[*loop.Var]bool{}, map[*loop.Var]bool{}
	for _, v := range f.Params {
		params[v] = true
	}
	loop.Defs(s, func(v *loop.Var) { bound[v] = true })
	suffix := &loop.Block{Stmts: f.Body.Stmts[at+1:], Yield: f.Body.Yield}
	t.captured = loop.Free(&loop.Block{Stmts: []loop.Stmt{s}})
	seen := map[*loop.Var]bool{}
	add := func(vs []*loop.Var) {
		for _, v := range vs {
			if !params[v] && !bound[v] && !seen[v] {
				seen[v] = true
				t.made = append(t.made, v)
			}
		}
	}
	add(t.captured)
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
	part := t.partOf(f.Name)
	opts.stores = true
	for _, c := range []struct {
		f  *loop.Func
		to **Code
	}{{before, &t.before}, {part, &t.part}, {after, &t.after}} {
		code, err := compile(&loop.Program{Funcs: append([]*loop.Func{c.f}, p.Funcs...)}, opts)
		if err != nil {
			return nil, err
		}
		*c.to = code
	}
	return t, nil
}

// work estimates the work of a block, if loops of unknown length run some turns.
func work(b *loop.Block) float64 {
	const some = 50
	total := 0.0
	for _, s := range b.Stmts {
		turns := 1.0
		switch s := s.(type) {
		case *loop.Let:
			total += float64(s.Op.Cost)
		case *loop.For:
			turns = some
			if n, ok := small(s.Count); ok {
				turns = float64(max(n, 0))
			}
		case *loop.While:
			turns = some
		}
		total++
		loop.Blocks(s, func(b *loop.Block) { total += turns * work(b) })
	}
	return total
}

// partOf makes the function that runs the turns from lo to hi-1.
func (t *threads) partOf(name string) *loop.Func {
	lo, hi := loop.NewVar("lo", loop.I64), loop.NewVar("hi", loop.I64)
	outside, subst := map[*loop.Var]bool{}, map[*loop.Var]loop.Atom{}
	for _, v := range t.captured {
		outside[v] = true
	}
	var b loop.Builder
	var yield []loop.Atom
	loop.Walk(t.loop.Body, func(s loop.Stmt) {
		if a, ok := s.(*loop.Accum); ok && outside[a.Buf] && subst[a.Buf] == nil {
			own := b.Alloc(a.Buf.Name, a.Buf.Kind, b.Length(a.Buf), true)
			subst[a.Buf] = own
			t.sums = append(t.sums, a.Buf)
			yield = append(yield, own)
		}
	})
	i := loop.NewVar("i", loop.I64)
	var body loop.Builder
	subst[t.loop.Index] = body.Let("i", loop.AddI, lo, i)
	copied := loop.NewCopier(subst).Block(t.loop.Body)
	s := &loop.For{Index: i, Count: b.Let("n", loop.SubI, hi, lo), Parallel: true, Lanes: t.loop.Lanes,
		Body: &loop.Block{Stmts: append(body.Stmts, copied.Stmts...), Yield: copied.Yield}}
	var totals []loop.Atom
	for _, r := range t.loop.Reds {
		result := loop.NewVar(r.Result.Name, r.Result.Kind)
		s.Reds = append(s.Reds, loop.Red{Op: r.Op, Init: loop.Neutral(r.Op), Result: result})
		totals = append(totals, result)
	}
	b.Add(s)
	return &loop.Func{Name: name, Params: append([]*loop.Var{lo, hi}, t.captured...), Body: b.Block(append(totals, yield...)...)}
}

// runInto is run with places for the results.
func (t *threads) runInto(into []loop.Arg, params []*loop.Var, args []loop.Arg, opts loop.RunOptions) error {
	results, err := t.run(params, args, opts)
	if err != nil {
		return err
	}
	for i, r := range results {
		into[i].Put(r, true)
	}
	return nil
}

// run calls the function with several goroutines.
func (t *threads) run(params []*loop.Var, args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	env := map[*loop.Var]loop.Arg{}
	for i, v := range params {
		env[v] = args[i]
	}
	word := func(a loop.Atom) uint64 {
		if c, ok := a.(*loop.Const); ok {
			return c.Word()
		}
		return env[a.(*loop.Var)].Word
	}
	all := func(vs []*loop.Var) []loop.Arg {
		out := make([]loop.Arg, len(vs))
		for i, v := range vs {
			out[i] = env[v]
		}
		return out
	}
	others := gather(min(opts.Threads, runtime.GOMAXPROCS(0)) - 1)
	made, err := t.before.Run(args, opts)
	if err != nil {
		others.run(func() {})
		return nil, err
	}
	for i, v := range t.made {
		env[v] = made[i]
	}
	results, err := t.turns(max(int64(word(t.loop.Count)), 0), all(t.captured), opts, others)
	if err != nil {
		return nil, err
	}
	for k, r := range t.loop.Reds {
		total := word(r.Init)
		for _, part := range results {
			total = r.Op.Eval([]uint64{total, part[k].Word})
		}
		env[r.Result] = loop.Arg{Word: total}
	}
	for k, v := range t.sums {
		for _, part := range results {
			own := part[len(t.loop.Reds)+k].F
			sum := env[v].F[:len(own)]
			for i, x := range own {
				sum[i] += x
			}
		}
	}
	if !t.ends {
		return t.after.Run(all(t.rest), opts)
	}
	return all(t.rest), nil
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

// turns runs the parts of the loop, and gives the results of each.
func (t *threads) turns(n int64, captured []loop.Arg, opts loop.RunOptions, others *team) ([][]loop.Arg, error) {
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
			out, err := t.part.Run(args, opts)
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
