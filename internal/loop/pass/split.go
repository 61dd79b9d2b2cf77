package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Splitting]
//
// The turns of a recurrence wait for each other, but what they only contribute to totals need not
// be computed in them:
//
//	for i < n, s : f64 = s0, add.f from 0.0 { t = …; y = log (mul.f t xs[i]); yield t y } gives z, total
//
// So blocks of turns are run twice: once for the states, which keeps what the rest needs in small
// buffers, and once in parallel, in lanes, for the totals.
//
//	for k < blocks, s : f64 = s0, a : f64 = 0.0 {
//	  ts = alloc f64s 16
//	  for j < m, r : f64 = s { i = k*16 + j; t = …; ts[j] = t; yield t } gives last
//	  for j < m parallel, add.f from a { i = k*16 + j; y = log (mul.f ts[j] xs[i]); yield y } gives sum
//	  yield last sum
//	} gives z, total
//
// The totals of the second loop go on from the block before, so that in the order of the turns the
// sums are what they were. A state that is only added to, such as `total + log t` in a program, is
// a total too.
//
// Blocks are short. The states of a block take many cycles, in which the processor does little, so
// that it can do the totals of the block before beside them if both are among the few hundred
// instructions that it looks at. And two vectors in sixteen turns keep its clock higher than a long
// run of wide arithmetic does.
//
// It pays if that costs much, beside the writing and reading of what is kept.

const (
	splitLog  = 4 // the logarithm of the turns of a block
	splitDear = 8
	splitKept = 4 // the cost of a number that is kept
)

// Split takes what recurrences contribute to totals out of their turns: Note [Splitting].
func Split(f *loop.Func) { f.Body = splitBlock(f.Body) }

func splitBlock(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		if x, ok := s.(*loop.For); ok {
			if summed, _ := loop.SumStates(x); len(summed.Reds) > 0 {
				if p := splittable(summed); p != nil {
					p.emit(out)
					continue
				}
			}
		}
		out.Add(loop.MapBlocks(s, splitBlock))
	}
	return out.Rebuilt(b, b.Yield)
}

// split is a recurrence in two parts.
type split struct {
	*loop.For
	first, second []loop.Stmt // for the states, and for the totals
	kept          []*loop.Var // what the second part needs of the first
	read          []loop.Stmt // what both read from buffers
}

// splittable is a loop in two parts, or nil if it has none or that does not pay.
func splittable(s *loop.For) *split {
	if len(s.States) == 0 {
		return nil
	}
	needed, bound := map[*loop.Var]bool{}, map[*loop.Var]loop.Stmt{}
	need := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok {
			needed[v] = true
		}
	}
	for i, st := range s.States {
		if st.Var.Kind.IsBuffer() {
			return nil
		}
		bound[st.Var] = s
		need(s.Body.Yield[i])
	}
	p := &split{For: s}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			bound[x.Var] = x
		case *loop.Load:
			bound[x.Var] = x
		default:
			return nil
		}
	}
	later := make([]bool, len(s.Body.Stmts))
	cost := 0
	for i := len(s.Body.Stmts) - 1; i >= 0; i-- {
		x := s.Body.Stmts[i]
		later[i] = true
		loop.Defs(x, func(v *loop.Var) { later[i] = !needed[v] })
		if !later[i] {
			loop.Uses(x, need)
		} else if let, ok := x.(*loop.Let); ok {
			cost += let.Op.Cost
		}
	}
	keep := map[*loop.Var]bool{}
	kinds := true
	use := func(a loop.Atom) {
		v, ok := a.(*loop.Var)
		if !ok || bound[v] == nil || keep[v] {
			return
		}
		keep[v] = true
		if l, ok := bound[v].(*loop.Load); ok && l.At == loop.Atom(s.Index) {
			p.read = append(p.read, l)
			return
		}
		p.kept = append(p.kept, v)
		kinds = kinds && v.Kind == loop.F64
	}
	for i, x := range s.Body.Stmts {
		if !later[i] {
			p.first = append(p.first, x)
			continue
		}
		p.second = append(p.second, x)
		loop.Uses(x, func(a loop.Atom) {
			if v, ok := a.(*loop.Var); ok && (needed[v] || bound[v] == loop.Stmt(s)) {
				use(a)
			}
		})
	}
	for _, y := range s.Body.Yield[len(s.States):] {
		if v, ok := y.(*loop.Var); ok && (needed[v] || bound[v] == loop.Stmt(s)) {
			use(y)
		}
	}
	if !kinds || cost < splitDear+splitKept*len(p.kept) {
		return nil
	}
	return p
}

// emit appends the loops.
func (p *split) emit(out *loop.Builder) {
	const turns = 1 << splitLog
	up := out.Let("n", loop.AddI, out.Let("n", loop.MaxI, p.Count, loop.Int(0)), loop.Int(turns-1))
	blocks := &loop.For{Index: loop.NewVar("k", loop.I64), Count: out.Let("blocks", loop.ShrI, up, loop.Int(splitLog))}
	var body, first, second loop.Builder
	base := body.Let("base", loop.ShlI, blocks.Index, loop.Int(splitLog))
	m := body.Let("m", loop.MinI, body.Let("rest", loop.SubI, p.Count, base), loop.Int(turns))
	bufs := make([]*loop.Var, len(p.kept))
	for i, v := range p.kept {
		bufs[i] = body.Alloc(v.Name+".kept", loop.F64s, loop.Int(turns), false)
	}
	states := &loop.For{Index: loop.NewVar("j", loop.I64), Count: m}
	for _, st := range p.States {
		v := loop.NewVar(st.Var.Name, st.Var.Kind)
		blocks.States = append(blocks.States, loop.State{Var: v, Init: st.Init, Result: st.Result})
		states.States = append(states.States, loop.State{Var: st.Var, Init: v, Result: loop.NewVar(st.Var.Name, st.Var.Kind)})
	}
	first.Add(&loop.Let{Var: p.Index, Op: loop.AddI, Args: []loop.Atom{base, states.Index}})
	first.Add(p.first...)
	for i, v := range p.kept {
		first.Store(bufs[i], states.Index, v)
	}
	states.Body = first.Block(p.Body.Yield[:len(p.States)]...)
	body.Add(states)

	totals := &loop.For{Index: loop.NewVar("j", loop.I64), Count: m, Parallel: true}
	c := loop.NewCopier()
	c.Set(p.Index, second.Let("i", loop.AddI, base, totals.Index))
	for i, v := range p.kept {
		c.Set(v, second.Load(v.Name, bufs[i], totals.Index))
	}
	for _, x := range slices.Concat(p.read, p.second) {
		second.Add(c.Stmt(x))
	}
	var next, yield []loop.Atom
	for _, st := range states.States {
		next = append(next, st.Result)
	}
	for i, r := range p.Reds {
		yield = append(yield, c.Atom(p.Body.Yield[len(p.States)+i]))
		before, sum := loop.NewVar(r.Result.Name, r.Result.Kind), loop.NewVar(r.Result.Name, r.Result.Kind)
		blocks.States = append(blocks.States, loop.State{Var: before, Init: r.Init, Result: r.Result})
		totals.Reds = append(totals.Reds, loop.Red{Op: r.Op, Init: before, Result: sum})
		next = append(next, sum)
	}
	totals.Body = second.Block(yield...)
	body.Add(totals)
	blocks.Body = body.Block(next...)
	out.Add(blocks)
}
