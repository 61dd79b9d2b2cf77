package portable

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Strips]
//
// A parallel loop runs strip turns at a time, like the lanes of a machine with very long vectors. A
// value that varies from turn to turn is a strip. The others stay scalars and are computed once for
// all turns. A loop in the body runs over strips if its count does not vary. A buffer that is made
// in the body and holds something that varies is wide: element j is the strip at j·strip.
//
// An index that is an arithmetic progression over the lanes, such as i*d + j, is kept as its first
// element and its step. So a load with step 1 is a part of the buffer and needs no copy, and
// neither does a load from a wide buffer. A buffer that is updated in place changes after it is
// read, so its elements are copied.
//
// A body in which a branch, a count or a call varies does not fit strips, and runs turn by turn.

// fewTurns is the number of turns below which a loop does not run in strips.
const fewTurns = 8

// fits reports whether a body can run in strips.
func fits(b *loop.Block, varies *loop.VarSet) bool {
	is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && varies.Has(v) }
	ok := true
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.If:
			ok = ok && !is(s.Cond)
		case *loop.For:
			ok = ok && !is(s.Count)
		case *loop.While:
			ok = ok && !is(s.Cond.Yield[0])
		case *loop.Alloc:
			ok = ok && !is(s.Len)
		case *loop.Length:
			ok = ok && !is(s.Var)
		case *loop.Call:
			ok = false
		}
	})
	return ok
}

// stripLoop returns a step that runs a loop in strips, or turn by turn if there are few turns.
func (c *compiler) stripLoop(s *loop.For, varies *loop.VarSet, totals []place) step {
	plain, few := c.plainLoop(s, totals), c.few

	count := c.place(s.Count).reg
	c.varies = varies
	index := c.register(loop.I64)
	index.form, index.step = progression, c.place(loop.Int(1)).reg
	c.at[s.Index] = index
	body := c.block(s.Body, false)
	for i, r := range s.Reds {
		body = append(body, fold(r.Op, totals[i], c.place(s.Body.Yield[i])))
	}
	c.varies = nil
	work := cost(s.Body) * strip / 4
	return func(fr *frame) bool {
		n := fr.i[count]
		if n < few {
			return fr.do(plain)
		}
		m := fr.run.arena.mark()
		for k := int64(0); k < n; k += strip {
			fr.i[index.reg], fr.lanes = k, int(min(strip, n-k))
			if !fr.do(body) || !fr.run.spend(work) {
				return false
			}
			fr.run.arena.release(m)
		}
		return true
	}
}

// fold returns a step that combines the contributions of a strip with a total.
func fold(op *loop.Op, total, x place) step {
	switch {
	case op == loop.AddF && x.form == strips:
		return func(fr *frame) bool { fr.f[total.reg] += sum(fr.vf[x.reg]); return true }
	case op == loop.AddI && x.form == strips:
		return func(fr *frame) bool {
			n := fr.i[total.reg]
			for _, k := range fr.vi[x.reg] {
				n += k
			}
			fr.i[total.reg] = n
			return true
		}
	}
	one := place{kind: total.kind, reg: total.reg}
	apply := scalarWords(op)
	get := wordAt(x)
	return func(fr *frame) bool {
		t := fr.word(one)
		for l := range fr.lanes {
			t = apply(t, get(fr, l))
		}
		fr.setWord(one, t)
		return true
	}
}

// sum adds up a strip in four partial sums.
func sum(xs []float64) float64 {
	var a, b, c, d float64
	for len(xs) >= 4 {
		a, b, c, d = a+xs[0], b+xs[1], c+xs[2], d+xs[3]
		xs = xs[4:]
	}
	for _, x := range xs {
		a += x
	}
	return a + b + (c + d)
}

// reals returns a function that gives an operand as a strip, and words does so for integers. An
// operand that is not a strip is copied to each lane of one.
func (c *compiler) reals(p place) func(fr *frame) []float64 {
	if p.form == strips {
		return func(fr *frame) []float64 { return fr.vf[p.reg] }
	}
	t, get := c.stripRegister(loop.F64).reg, stripOf(p)
	return func(fr *frame) []float64 {
		d := fr.of[t][:fr.lanes]
		get(fr, d)
		return d
	}
}

func (c *compiler) words(p place) func(fr *frame) []int64 {
	if p.form == strips {
		return func(fr *frame) []int64 { return fr.vi[p.reg] }
	}
	t, get := c.stripRegister(loop.I64).reg, wordsOf(p)
	return func(fr *frame) []int64 {
		d := fr.oi[t][:fr.lanes]
		get(fr, d)
		return d
	}
}

// stripOf returns a function that copies an operand to a strip, and wordsOf does so for words.
func stripOf(p place) func(fr *frame, d []float64) {
	if p.form == strips {
		return func(fr *frame, d []float64) { copy(d, fr.vf[p.reg]) }
	}
	return func(fr *frame, d []float64) { fill(d, fr.f[p.reg]) }
}

func wordsOf(p place) func(fr *frame, d []int64) {
	switch p.form {
	case strips:
		return func(fr *frame, d []int64) { copy(d, fr.vi[p.reg]) }
	case progression:
		return func(fr *frame, d []int64) {
			x, by := fr.i[p.reg], fr.i[p.step]
			for l := range d {
				d[l] = x
				x += by
			}
		}
	}
	return func(fr *frame, d []int64) { fill(d, fr.i[p.reg]) }
}

// stripLet compiles an operation whose result varies.
func (c *compiler) stripLet(s *loop.Let) []step {
	args := c.places(s.Args)
	if steps := c.progress(s, args); steps != nil {
		return steps
	}
	return []step{c.stripOp(s.Op, args, c.bind(s.Var))}
}

// progress compiles arithmetic whose result is a progression. It returns nil for any other
// operation.
func (c *compiler) progress(s *loop.Let, args []place) []step {
	for _, p := range args {
		if p.form == strips {
			return nil
		}
	}
	var zero = c.place(loop.Int(0)).reg
	stepOf := func(p place) int {
		if p.form == progression {
			return p.step
		}
		return zero
	}
	d := place{kind: loop.I64, form: progression}
	switch s.Op {
	case loop.AddI, loop.SubI:
		a, b, minus := args[0].reg, args[1].reg, s.Op == loop.SubI
		x, y := stepOf(args[0]), stepOf(args[1])
		d.reg, d.step = c.register(loop.I64).reg, c.register(loop.I64).reg
		c.at[s.Var] = d
		return []step{func(fr *frame) bool {
			if minus {
				fr.i[d.reg], fr.i[d.step] = fr.i[a]-fr.i[b], fr.i[x]-fr.i[y]
			} else {
				fr.i[d.reg], fr.i[d.step] = fr.i[a]+fr.i[b], fr.i[x]+fr.i[y]
			}
			return true
		}}
	case loop.MulI:
		if args[0].form == progression && args[1].form == progression {
			return nil
		}
		a, b := args[0], args[1]
		if a.form != progression {
			a, b = b, a
		}
		d.reg, d.step = c.register(loop.I64).reg, c.register(loop.I64).reg
		c.at[s.Var] = d
		return []step{func(fr *frame) bool {
			fr.i[d.reg], fr.i[d.step] = fr.i[a.reg]*fr.i[b.reg], fr.i[a.step]*fr.i[b.reg]
			return true
		}}
	}
	return nil
}

// stripLoad compiles a load whose result varies.
func (c *compiler) stripLoad(s *loop.Load) []step {
	b, at, part := c.place(s.Buf), c.place(s.At), !c.updated[s.Buf]
	d := c.bind(s.Var)
	if d.kind == loop.F64 {
		of := func(fr *frame) (buf []float64, strips, own [][]float64) {
			return fr.b[b.reg].f, fr.vf, fr.of
		}
		return []step{loadStrip(b, at, d.reg, part, of)}
	}
	of := func(fr *frame) (buf []int64, strips, own [][]int64) {
		return fr.b[b.reg].i, fr.vi, fr.oi
	}
	return []step{loadStrip(b, at, d.reg, part, of)}
}

// loadStrip returns a step that reads the elements of a buffer at the indices of the lanes. Part
// says that the result may be a part of the buffer, without a copy. Of returns the buffer, the
// strips and their storage.
func loadStrip[T any](
	b, at place, d int, part bool, of func(fr *frame) (buf []T, strips, own [][]T),
) step {
	wide := b.form == strips
	switch {
	case wide && at.form == uniform && part:
		return func(fr *frame) bool {
			buf, vs, _ := of(fr)
			j := fr.i[at.reg] * strip
			vs[d] = buf[j : j+int64(fr.lanes)]
			return true
		}
	case !wide && at.form == uniform: // in all lanes, though the variable varies
		return func(fr *frame) bool {
			buf, vs, own := of(fr)
			vs[d] = own[d][:fr.lanes]
			fill(vs[d], buf[fr.i[at.reg]])
			return true
		}
	case at.form == progression && !wide:
		return func(fr *frame) bool {
			buf, vs, own := of(fr)
			j, by := fr.i[at.reg], fr.i[at.step]
			if by == 1 && part {
				vs[d] = buf[j : j+int64(fr.lanes)]
				return true
			}
			to := own[d][:fr.lanes]
			for l := range to {
				to[l] = buf[j]
				j += by
			}
			vs[d] = to
			return true
		}
	}
	get, scale, shift := wordAtInt(at), int64(1), int64(0)
	if wide {
		scale, shift = strip, 1
	}
	return func(fr *frame) bool {
		buf, vs, own := of(fr)
		to := own[d][:fr.lanes]
		for l := range to {
			to[l] = buf[get(fr, l)*scale+shift*int64(l)]
		}
		vs[d] = to
		return true
	}
}

// stripWrite returns a step that writes to a buffer, which is wide or shared by all turns.
func (c *compiler) stripWrite(b, at, x place, add bool) step {
	get, scale, shift := wordAtInt(at), int64(1), int64(0)
	if b.form == strips {
		scale, shift = strip, 1
	}
	if b.kind == loop.I64s {
		from := c.words(x)
		return func(fr *frame) bool {
			buf := fr.b[b.reg].i
			for l, v := range from(fr) {
				buf[get(fr, l)*scale+shift*int64(l)] = v
			}
			return true
		}
	}
	from := c.reals(x)
	switch {
	case add && b.form != strips && at.form == uniform:
		return func(fr *frame) bool { fr.b[b.reg].f[fr.i[at.reg]] += sum(from(fr)); return true }
	case b.form == strips && at.form == uniform && add:
		return func(fr *frame) bool {
			j := fr.i[at.reg] * strip
			addTo(fr.b[b.reg].f[j:j+int64(fr.lanes)], from(fr))
			return true
		}
	case b.form == strips && at.form == uniform:
		return func(fr *frame) bool {
			copy(fr.b[b.reg].f[fr.i[at.reg]*strip:], from(fr))
			return true
		}
	case b.form != strips && at.form == progression && !add:
		return func(fr *frame) bool {
			buf, j, by := fr.b[b.reg].f, fr.i[at.reg], fr.i[at.step]
			xs := from(fr)
			if by == 1 {
				copy(buf[j:j+int64(len(xs))], xs)
				return true
			}
			for _, v := range xs {
				buf[j] = v
				j += by
			}
			return true
		}
	case add:
		return func(fr *frame) bool {
			buf := fr.b[b.reg].f
			for l, v := range from(fr) {
				buf[get(fr, l)*scale+shift*int64(l)] += v
			}
			return true
		}
	}
	return func(fr *frame) bool {
		buf := fr.b[b.reg].f
		for l, v := range from(fr) {
			buf[get(fr, l)*scale+shift*int64(l)] = v
		}
		return true
	}
}

func addTo(d, x []float64) {
	for l := range d {
		d[l] += x[l]
	}
}

// wordAtInt returns a function that reads an integer in a lane.
func wordAtInt(p place) func(fr *frame, l int) int64 {
	switch p.form {
	case strips:
		return func(fr *frame, l int) int64 { return fr.vi[p.reg][l] }
	case progression:
		return func(fr *frame, l int) int64 { return fr.i[p.reg] + int64(l)*fr.i[p.step] }
	}
	return func(fr *frame, l int) int64 { return fr.i[p.reg] }
}
