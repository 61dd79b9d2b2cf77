package jit

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// parts is a parallel loop, of which each goroutine runs some parts.
type parts struct {
	loop     *loop.For
	part     *Code
	captured []*loop.Var
	sums     []int // which of them its turns add to
	turn     effort
	least    float64   // work that is worth it
	forced   int64     // the number of parts, for tests; 0 for what suits
	own      sync.Pool // of *ownSums
}

// ownSums are the buffers that the parts but the first add to, all of one part after the other.
type ownSums [][]float64

// The number of parts, a power of two, is bounded, so that a part has turns for some vectors and
// enough work to be handed out. Each part but the first costs what it takes to clear, read and add
// its sums. All work is in units of effort.
const (
	mostParts   = 16
	fewestTurns = 32
	leastPart   = 1_000_000 // 20 to 30 µs in vectors
	leastWork   = 3 * leastPart
	sumWork     = 150 // for each element of a part's sums: about 1 ns
)

// newParts makes the function that runs the turns from lo to hi-1 of a loop.
func newParts(name string, s *loop.For, captured []*loop.Var, opts Options, least float64) (*parts, error) {
	p := &parts{loop: s, captured: captured, turn: effortOf(s.Body), least: least, forced: opts.parts}
	adds := map[*loop.Var]bool{}
	loop.Walk(s.Body, func(s loop.Stmt) {
		if a, ok := s.(*loop.Accum); ok {
			adds[a.Buf] = true
		}
	})
	for i, v := range captured {
		if adds[v] {
			p.sums = append(p.sums, i)
		}
	}
	lo, hi, i := loop.NewVar("lo", loop.I64), loop.NewVar("hi", loop.I64), loop.NewVar("i", loop.I64)
	var b, body loop.Builder
	c := loop.NewCopier()
	c.Set(s.Index, body.Let("i", loop.AddI, lo, i))
	copied := c.Block(s.Body)
	c.Release()
	part := &loop.For{Index: i, Count: b.Let("n", loop.SubI, hi, lo), Parallel: true, Lanes: s.Lanes,
		Body: &loop.Block{Stmts: append(body.Stmts, copied.Stmts...), Yield: copied.Yield}}
	var totals []loop.Atom
	for _, r := range s.Reds {
		result := loop.NewVar(r.Result.Name, r.Result.Kind)
		part.Reds = append(part.Reds, loop.Red{Op: r.Op, Init: loop.Neutral(r.Op), Result: result})
		totals = append(totals, result)
	}
	b.Add(part)
	var err error
	p.part, err = compileOne(&loop.Func{Name: name, Params: append([]*loop.Var{lo, hi}, captured...), Body: b.Block(totals...)}, opts)
	return p, err
}

// count is the number of parts of a loop of n turns; 1 if it is not worth more.
func (p *parts) count(n int64, env environment) int64 {
	work := float64(n) * p.turn.work(func(v *loop.Var) (int64, bool) {
		a, ok := env[v]
		return int64(a.Word), ok
	})
	sums := 1.0
	for _, s := range p.sums {
		sums += sumWork * float64(len(env[p.captured[s]].F))
	}
	switch {
	case p.forced > 0:
		return p.forced
	case n < 2*fewestTurns || work < p.least || work < 4*sums:
		return 1
	}
	count := int64(2)
	for 2*count <= min(n/fewestTurns, mostParts) && float64(2*count*leastPart) < work && float64(2*count)*sums < work/64 {
		count *= 2
	}
	return count
}

// run runs the parts, and combines their results in order.
func (p *parts) run(env environment, opts loop.RunOptions, others *team) error {
	n := max(int64(env.atom(p.loop.Count).Word), 0)
	captured := env.all(p.captured)
	count := p.count(n, env)
	if count < 2 {
		return errFew
	}
	own, ok := p.own.Get().(*ownSums)
	if !ok {
		own = &ownSums{}
	}
	defer p.own.Put(own)
	bytes := own.reserve(p, captured, count)
	workers := min(opts.Threads, runtime.GOMAXPROCS(0), int(count))
	if opts.MaxBytes > 0 {
		if opts.MaxBytes -= bytes; opts.MaxBytes <= 0 {
			return errFew
		}
		opts.MaxBytes = max(opts.MaxBytes/int64(workers), 1)
	}
	totals, err := p.turns(n, count, captured, *own, opts, others)
	if err != nil {
		return err
	}
	for k, r := range p.loop.Reds {
		total := env.atom(r.Init).Word
		for _, part := range totals {
			total = r.Op.Eval([]uint64{total, part[k].Word})
		}
		env[r.Result] = loop.Arg{Word: total}
	}
	p.merge(captured, *own, int(count), others)
	return nil
}

// reserve makes room for the sums of all parts but the first, and tells how many bytes they take.
func (own *ownSums) reserve(p *parts, captured []loop.Arg, count int64) (bytes int64) {
	k := 0
	for range count - 1 {
		for _, s := range p.sums {
			n := len(captured[s].F)
			bytes += 8 * int64(n)
			if k == len(*own) {
				*own = append(*own, nil)
			}
			if cap((*own)[k]) < n {
				(*own)[k] = alignedReals((n + 7) &^ 7)
			}
			(*own)[k] = (*own)[k][:n]
			k++
		}
	}
	return bytes
}

// turns runs the parts of the loop, and gives the totals of each.
func (p *parts) turns(n, count int64, captured []loop.Arg, own ownSums, opts loop.RunOptions, others *team) ([][]loop.Arg, error) {
	totals := make([][]loop.Arg, count)
	claimed := make([]atomic.Bool, count)
	var mu sync.Mutex
	var failed error
	poll := opts.Poll
	opts.Poll = func() error { // one at a time; all stop when one does
		mu.Lock()
		defer mu.Unlock()
		if failed == nil && poll != nil {
			failed = poll()
		}
		return failed
	}
	others.run(func(member int) {
		args := append(make([]loop.Arg, 2), captured...)
		for i := range count { // each begins elsewhere
			k := (i + int64(member)*count/int64(others.size+1)) % count
			if claimed[k].Swap(true) {
				continue
			}
			args[0].Word, args[1].Word = uint64(share(n, k, count)), uint64(share(n, k+1, count))
			for j, s := range p.sums {
				args[2+s] = captured[s]
				if k > 0 {
					sums := own[int(k-1)*len(p.sums)+j]
					clear(sums)
					args[2+s].F = sums
				}
			}
			out, err := p.part.Run(args, opts)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				if failed == nil || failed == errAgain {
					failed = err
				}
				return
			}
			totals[k] = out
		}
	})
	return totals, failed
}

// share is the first turn of part k of so many, of n turns: a multiple of 32, so that vectors are
// full.
func share(n, k, parts int64) int64 {
	if k == parts {
		return n
	}
	return min(n, (n/parts*k+n%parts*k/parts+31)&^31)
}

// mergedAtOnce is the elements of a buffer that a goroutine adds up in one go.
const mergedAtOnce = 1 << 12

// merge adds the sums of all parts to those of the first.
func (p *parts) merge(captured []loop.Arg, own ownSums, count int, others *team) {
	type piece struct{ sum, lo, hi int }
	var pieces []piece
	for j, s := range p.sums {
		n := len(captured[s].F)
		for lo := 0; lo < n; lo += mergedAtOnce {
			pieces = append(pieces, piece{j, lo, min(lo+mergedAtOnce, n)})
		}
	}
	var next atomic.Int64
	job := func(int) {
		for k := next.Add(1) - 1; k < int64(len(pieces)); k = next.Add(1) - 1 {
			at := pieces[k]
			to := captured[p.sums[at.sum]].F[at.lo:at.hi]
			for k := range count - 1 {
				for i, x := range own[k*len(p.sums)+at.sum][at.lo:at.hi][:len(to)] {
					to[i] += x
				}
			}
		}
	}
	if len(pieces)*(count-1) < 8 { // it takes less than handing it out
		job(0)
		return
	}
	others.run(job)
}
