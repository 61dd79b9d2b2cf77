package portable

import "github.com/fluxion-lang/fluxion/internal/loop"

// place says which register holds a variable. A variable that varies between the turns of a strip
// is a strip, an arithmetic progression of integers, or a wide buffer.
type place struct {
	kind  loop.Kind
	reg   int
	form  form
	step  int  // the register of an arithmetic progression's step; reg has its first element
	fresh bool // a buffer that is not in the arena
	// private is set if each turn of the loop that runs in strips has a buffer of its own.
	private bool
}

// form says how a variable is kept.
type form uint8

const (
	uniform     form = iota // one value
	strips                  // a strip, or a wide buffer
	progression             // an arithmetic progression of integers
)

type compiler struct {
	funcs map[*loop.Func]*fn
	sites *[]*site // all calls, in any function
	fn    *fn
	at    map[*loop.Var]place
	// results are the buffers that the function yields.
	results map[*loop.Var]bool
	// updated are the buffers whose elements may change after they are read.
	updated map[*loop.Var]bool
	// varies holds the variables that differ between the turns of the loop that runs in strips. It
	// is nil outside such a loop.
	varies *loop.VarSet
	consts map[loop.Const]place
	few    int64 // loops of fewer turns do not run in strips

	ordered bool // loops whose order matters do not run in strips
}

func (c *compiler) function(f *loop.Func) *fn {
	if g := c.funcs[f]; g != nil {
		return g
	}
	g := &fn{index: len(c.funcs), constF: map[int]float64{}, constI: map[int]int64{}}
	c.funcs[f] = g
	inner := &compiler{
		funcs: c.funcs, sites: c.sites, fn: g, few: c.few, ordered: c.ordered,
		at: map[*loop.Var]place{}, results: map[*loop.Var]bool{}, updated: loop.Updated(f.Body),
		consts: map[loop.Const]place{},
	}
	for _, p := range f.Params {
		g.params = append(g.params, inner.bind(p))
	}
	for _, a := range f.Body.Yield {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			inner.results[v] = true
		}
	}
	// A buffer that is yielded twice is not fresh the second time.
	g.steps = inner.block(f.Body, true)
	seen := map[int]bool{}
	for _, a := range f.Body.Yield {
		p := inner.place(a)
		if p.kind.IsBuffer() {
			p.fresh = p.fresh && !seen[p.reg]
			seen[p.reg] = true
		}
		g.results = append(g.results, p)
	}
	return g
}

// register returns a new register for a value.
func (c *compiler) register(k loop.Kind) place {
	p := place{kind: k}
	switch {
	case k.IsBuffer():
		p.reg = c.fn.nb
		c.fn.nb++
	case k == loop.F64:
		p.reg = c.fn.nf
		c.fn.nf++
	default:
		p.reg = c.fn.ni
		c.fn.ni++
	}
	return p
}

// stripRegister returns a new register for a strip.
func (c *compiler) stripRegister(k loop.Kind) place {
	p := place{kind: k, form: strips}
	if k == loop.F64 {
		p.reg = c.fn.nvf
		c.fn.nvf++
	} else {
		p.reg = c.fn.nvi
		c.fn.nvi++
	}
	return p
}

// bind chooses a place for a variable.
func (c *compiler) bind(v *loop.Var) place {
	var p place
	switch {
	case v.Kind.IsBuffer():
		p = c.register(v.Kind)
		p.private = c.varies != nil
		if c.varies.Has(v) {
			p.form = strips
		}
	case c.varies.Has(v):
		p = c.stripRegister(v.Kind)
	default:
		p = c.register(v.Kind)
	}
	c.at[v] = p
	return p
}

// place returns the place of an atom. A literal has a register that is filled when a frame is made.
func (c *compiler) place(a loop.Atom) place {
	if v, ok := a.(*loop.Var); ok {
		return c.at[v]
	}
	k := *a.(*loop.Const)
	if k.F != k.F || k.F == 0 { // NaN and -0 are not keys
		return c.literal(k)
	}
	if p, ok := c.consts[k]; ok {
		return p
	}
	c.consts[k] = c.literal(k)
	return c.consts[k]
}

func (c *compiler) literal(k loop.Const) place {
	p := c.register(k.Kind)
	if k.Kind == loop.F64 {
		c.fn.constF[p.reg] = k.F
	} else {
		c.fn.constI[p.reg] = k.I
	}
	return p
}

func (c *compiler) places(as []loop.Atom) []place {
	out := make([]place, len(as))
	for i, a := range as {
		out[i] = c.place(a)
	}
	return out
}

// block compiles the statements of a block. Top says that the block is the body of a function.
func (c *compiler) block(b *loop.Block, top bool) []step {
	var steps []step
	for _, s := range b.Stmts {
		steps = append(steps, c.stmt(s, top)...)
	}
	return steps
}

func (c *compiler) stmt(s loop.Stmt, top bool) []step {
	switch s := s.(type) {
	case *loop.Let:
		if c.varies.Has(s.Var) {
			return c.stripLet(s)
		}
		args := c.places(s.Args)
		return []step{scalarOp(s.Op, args, c.bind(s.Var))}
	case *loop.Alloc:
		return []step{c.alloc(s, top && c.results[s.Var])}
	case *loop.Length:
		b := c.place(s.Buf)
		d := c.bind(s.Var).reg
		wide := b.form == strips
		return []step{func(fr *frame) bool {
			n := len(fr.b[b.reg].f) + len(fr.b[b.reg].i)
			if wide {
				n /= strip
			}
			fr.i[d] = int64(n)
			return true
		}}
	case *loop.Copy:
		return []step{c.copy(s, top && c.results[s.Var])}
	case *loop.Load:
		if c.varies.Has(s.Var) {
			return c.stripLoad(s)
		}
		b, at := c.place(s.Buf).reg, c.place(s.At).reg
		return []step{load(b, at, c.bind(s.Var))}
	case *loop.Store:
		return c.write(s.Buf, s.At, s.Value, false)
	case *loop.Accum:
		return c.write(s.Buf, s.At, s.Value, true)
	case *loop.Update:
		steps := c.write(s.Buf, s.At, s.Value, false)
		p := c.place(s.Buf)
		c.at[s.Var] = p
		return steps
	case *loop.For:
		return c.loop(s)
	case *loop.While:
		return []step{c.while(s)}
	case *loop.If:
		return []step{c.choice(s)}
	case *loop.Check:
		return c.check(s)
	case *loop.Call:
		return []step{c.call(s)}
	}
	panic("portable: an unknown statement")
}

func (c *compiler) alloc(s *loop.Alloc, fresh bool) step {
	n, k, zero := c.place(s.Len).reg, s.Var.Kind, s.Zero
	p := c.bind(s.Var)
	p.fresh = fresh
	c.at[s.Var] = p
	d, wide := p.reg, int64(1)
	if p.form == strips {
		wide = strip
	}
	return func(fr *frame) bool {
		b, ok := fr.alloc(k, min(fr.i[n], maxElements)*wide, zero, fresh)
		fr.b[d] = b
		return ok
	}
}

func (c *compiler) copy(s *loop.Copy, fresh bool) step {
	from, k := c.place(s.Buf), s.Var.Kind
	p := c.bind(s.Var)
	p.fresh = fresh
	c.at[s.Var] = p
	widen := p.form == strips && from.form != strips
	return func(fr *frame) bool {
		src := fr.b[from.reg]
		n := int64(len(src.f) + len(src.i))
		if widen {
			n *= strip
		}
		b, ok := fr.alloc(k, n, false, fresh)
		if !ok {
			return false
		}
		if widen {
			for j, x := range src.f {
				fill(b.f[j*strip:(j+1)*strip], x)
			}
			for j, x := range src.i {
				fill(b.i[j*strip:(j+1)*strip], x)
			}
		} else {
			copy(b.f, src.f)
			copy(b.i, src.i)
		}
		fr.b[p.reg] = b
		return true
	}
}

func fill[T any](d []T, x T) {
	for i := range d {
		d[i] = x
	}
}

func load(b, at int, d place) step {
	r := d.reg
	if d.kind == loop.F64 {
		return func(fr *frame) bool { fr.f[r] = fr.b[b].f[fr.i[at]]; return true }
	}
	return func(fr *frame) bool { fr.i[r] = fr.b[b].i[fr.i[at]]; return true }
}

// write compiles a Store or an Update or, if add is set, an Accum.
func (c *compiler) write(buf *loop.Var, at, value loop.Atom, add bool) []step {
	b, i, x := c.place(buf), c.place(at), c.place(value)
	shared := add && c.varies != nil && !b.private
	if b.form == strips || i.form != uniform || x.form != uniform || shared {
		return []step{c.stripWrite(b, i, x, add)}
	}
	switch {
	case add:
		return []step{func(fr *frame) bool {
			fr.b[b.reg].f[fr.i[i.reg]] += fr.f[x.reg]
			return true
		}}
	case b.kind == loop.F64s:
		return []step{func(fr *frame) bool {
			fr.b[b.reg].f[fr.i[i.reg]] = fr.f[x.reg]
			return true
		}}
	}
	return []step{func(fr *frame) bool {
		fr.b[b.reg].i[fr.i[i.reg]] = fr.i[x.reg]
		return true
	}}
}

func (c *compiler) check(s *loop.Check) []step {
	p := c.place(s.Cond)
	if p.form == strips {
		return []step{func(fr *frame) bool {
			for _, ok := range fr.vi[p.reg] {
				if ok == 0 {
					return fr.run.stop(loop.ErrCheck)
				}
			}
			return true
		}}
	}
	return []step{func(fr *frame) bool { return fr.i[p.reg] != 0 || fr.run.stop(loop.ErrCheck) }}
}

// move returns a step that copies the value of one place to another.
func (c *compiler) move(from, to place) step {
	switch {
	case to.kind.IsBuffer() && to.form == strips && from.form != strips:
		return func(fr *frame) bool { fr.widen(to.reg, fr.b[from.reg]); return true }
	case to.kind.IsBuffer():
		return func(fr *frame) bool { fr.b[to.reg] = fr.b[from.reg]; return true }
	case to.form == strips && to.kind == loop.F64:
		get := stripOf(from)
		return func(fr *frame) bool {
			d := fr.of[to.reg][:fr.lanes]
			get(fr, d)
			fr.vf[to.reg] = d
			return true
		}
	case to.form == strips:
		get := wordsOf(from)
		return func(fr *frame) bool {
			d := fr.oi[to.reg][:fr.lanes]
			get(fr, d)
			fr.vi[to.reg] = d
			return true
		}
	case to.kind == loop.F64:
		return func(fr *frame) bool { fr.f[to.reg] = fr.f[from.reg]; return true }
	}
	return func(fr *frame) bool { fr.i[to.reg] = fr.i[from.reg]; return true }
}

// widen returns a step that copies a buffer to a wide one, in the storage of its register.
func (fr *frame) widen(reg int, b buffer) {
	own := &fr.own[reg]
	own.f, own.i = own.f[:0], own.i[:0]
	for _, x := range b.f {
		for range strip {
			own.f = append(own.f, x)
		}
	}
	for _, x := range b.i {
		for range strip {
			own.i = append(own.i, x)
		}
	}
	fr.use(reg)
}

func (c *compiler) choice(s *loop.If) step {
	cond := c.place(s.Cond).reg
	to := make([]place, len(s.Results))
	for i, v := range s.Results {
		to[i] = c.bind(v)
	}
	branch := func(b *loop.Block) []step {
		steps := c.block(b, false)
		for i, a := range b.Yield {
			steps = append(steps, c.move(c.place(a), to[i]))
		}
		return steps
	}
	then, otherwise := branch(s.Then), branch(s.Else)
	return func(fr *frame) bool {
		if fr.i[cond] != 0 {
			return fr.do(then)
		}
		return fr.do(otherwise)
	}
}
