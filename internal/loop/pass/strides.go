package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Strides]
//
// Of a nest of parallel loops the outermost runs in lanes, so that everything in it does. That is
// wrong where the lanes' elements lie apart and the elements of the inner loop side by side:
//
//	for i < n { t = mul.i i m; d = ds[i]; for j < m { a = add.i t j; w[a] += d * x[j]; y[j] += d * v[a] } }
//
// In lanes over i, w[a] is a scatter, and y[j] a sum over the lanes. In lanes over j both are
// vectors, and only what is outside of the inner loop is done turn by turn. The cheaper way is
// found by adding up what operations and accesses cost, for eight turns of the outer loop, or for
// all if there are fewer.

// stride tells how an integer depends on the index of a loop.
type stride uint8

const (
	still     stride = iota // not at all
	adjacent                // it grows by 1
	scattered               // otherwise
)

// What an access costs, for eight lanes, by its stride. A load of a buffer that stays the same may
// have been arranged for the lanes.
var (
	loadCost  = [...]int{1, 2, 11}
	storeCost = [...]int{2, 2, 16}
	accumCost = [...]int{5, 3, 40}
)

const lanesCounted = 8

// strides finds the strides of the integers in a loop, by its index.
type strides struct {
	of       loop.VarMap[stride]
	local    loop.VarSet         // buffers made in the loop
	gathered map[*loop.Load]bool // reads of what is gathered once: Note [Relayout]
}

func stridesOf(s *loop.For, varies *loop.VarSet) *strides {
	d := &strides{}
	d.of.Set(s.Index, adjacent)
	loop.Walk(s.Body, func(x loop.Stmt) {
		switch x := x.(type) {
		case *loop.Alloc:
			d.local.Add(x.Var)
		case *loop.Let:
			if x.Op.Result != loop.I64 || !varies.Has(x.Var) {
				return
			}
			d.of.Set(x.Var, scattered)
			switch a, b := d.at(x.Args[0]), d.at(x.Args[len(x.Args)-1]); {
			case x.Op == loop.AddI && a+b == adjacent, x.Op == loop.SubI && a == adjacent && b == still:
				d.of.Set(x.Var, adjacent)
			}
		default:
			mark := func(v *loop.Var) {
				if varies.Has(v) {
					d.of.Set(v, scattered)
				}
			}
			loop.Defs(x, mark)
			loop.Params(x, mark)
		}
	})
	d.once(s, varies)
	return d
}

// once finds the reads that Relayout makes of a buffer in which the elements lie side by side.
func (d *strides) once(s *loop.For, varies *loop.VarSet) {
	var shared loop.VarSet
	for _, x := range s.Body.Stmts {
		around, ok := x.(*loop.For)
		if !ok {
			loop.Defs(x, shared.Add)
			continue
		}
		for _, x := range around.Body.Stmts {
			inner, ok := x.(*loop.For)
			if !ok {
				continue
			}
			for _, x := range inner.Body.Stmts {
				if load, ok := x.(*loop.Load); ok && !d.local.Has(load.Buf) {
					if base := offset(inner, load.At); base != nil && varies.Has(base) && shared.Has(base) {
						put(&d.gathered, load, true)
					}
				}
			}
		}
	}
}

func (d *strides) at(a loop.Atom) stride {
	if v, ok := a.(*loop.Var); ok {
		return d.of.Get(v)
	}
	return still
}

// cost is what a block costs if the loop runs in lanes. Sums over the lanes at the same place are
// kept apart if the loop is outermost. For a nil d it is what the block costs without lanes, eight
// times.
func (d *strides) cost(b *loop.Block, outermost bool) int {
	total := 0
	access := func(buf *loop.Var, at loop.Atom, costs []int) int {
		switch {
		case d == nil:
			return lanesCounted
		case d.local.Has(buf):
			return costs[adjacent]
		}
		return costs[d.at(at)]
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op.Result == loop.F64 {
				total += s.Op.Cost
				if d == nil {
					total += (lanesCounted - 1) * s.Op.Cost
				}
			}
		case *loop.Load:
			if d != nil && d.gathered[s] {
				total += loadCost[adjacent]
			} else {
				total += access(s.Buf, s.At, loadCost[:])
			}
		case *loop.Store:
			total += access(s.Buf, s.At, storeCost[:])
		case *loop.Accum:
			if d != nil && outermost && d.at(s.At) == still {
				total += accumCost[adjacent]
			} else {
				total += access(s.Buf, s.At, accumCost[:])
			}
		default:
			loop.Blocks(s, func(b *loop.Block) {
				n := 1
				if f, ok := s.(*loop.For); ok {
					n = turns
					if k, ok := f.Count.(*loop.Const); ok {
						n = int(min(max(k.I, 0), 64))
					}
				}
				total += n * d.cost(b, outermost)
			})
		}
		total = min(total, mostCost)
	}
	return total
}

// inwards tells whether the loops in a parallel loop should have lanes, rather than the loop itself,
// in which some variables vary.
func inwards(s *loop.For, varies *loop.VarSet, outermost bool) bool {
	c := laneCosts(s, varies, outermost)
	if c.deep { // the costs of nests of loops are known less well
		return c.ok && 3*c.inner < 2*c.outer
	}
	return c.ok && c.inner < c.outer
}

// laneCost is what a parallel loop costs if loops in it have lanes, and if it has them itself. It is
// not ok if it has other loops in it than such that can have lanes, or none. It is deep if loops in
// its loops may have the lanes.
type laneCost struct {
	inner, outer int
	ok, deep     bool
}

func laneCosts(s *loop.For, varies *loop.VarSet, outermost bool) laneCost {
	c := laneCost{outer: stridesOf(s, varies).cost(s.Body, outermost)}
	n := lanesCounted
	if k, ok := s.Count.(*loop.Const); ok {
		n = int(min(max(k.I, 1), lanesCounted))
	}
	rest := &loop.Block{}
	for _, x := range s.Body.Stmts {
		f, ok := x.(*loop.For)
		if !ok {
			rest.Stmts = append(rest.Stmts, x)
			continue
		}
		if !f.Parallel || !worthLanes(f) {
			return c
		}
		inside := loop.Varying(f)
		defer inside.Release()
		if laneable(f, inside) != byNothing {
			return c
		}
		vectors := 1 // of the turns of the inner loop
		if k, ok := f.Count.(*loop.Const); ok {
			vectors = int((min(max(k.I, 1), 64) + lanesCounted - 1) / lanesCounted)
		}
		best := laneCosts(f, inside, false)
		if slices.ContainsFunc(f.Body.Stmts, loop.Compound) {
			c.deep = true
			if !best.ok || best.inner > best.outer {
				best.inner = best.outer
			}
		} else {
			best.inner = best.outer
		}
		c.inner += n * vectors * best.inner
	}
	if c.inner == 0 {
		return c
	}
	c.inner = min(c.inner+(*strides)(nil).cost(rest, false)*n/lanesCounted, mostCost)
	c.ok = true
	return c
}
