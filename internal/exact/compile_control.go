package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// ---- functions

// captures finds what lambdas take from around them: the place of it here, and an
// environment in which it lies among the captures. What is constant is not captured.
func (c *compiler) captures(free []*core.Var) (from place, env map[*core.Var]place) {
	env = map[*core.Var]place{}
	take := func(all *[]operand, here []operand) (there []operand) {
		for _, o := range here {
			if o.part != constant {
				*all = append(*all, o)
				o = operand{captured, len(*all) - 1}
			}
			there = append(there, o)
		}
		return there
	}
	for _, v := range free {
		at := c.env[v]
		env[v] = place{take(&from.r, at.r), take(&from.i, at.i), take(&from.p, at.p)}
	}
	return from, env
}

func (c *compiler) lambda(s *core.Let, fun *core.Lambda, want *place) place {
	from, env := c.captures(core.OpFreeVars(fun))
	fn := newCode(c.name, s.At, fun)
	c.function(fn, fun, env)
	size := from.shape()
	if size.size() == 0 {
		return c.constP(&closure{code: fn})
	}
	into := c.into(want, shape{p: 1})
	d := into.p[0].n
	c.emit(func(f *regs) error {
		cl := &closure{code: fn, slots: makeSlots(size)}
		f.gather(from, cl.slots)
		f.p[local][d] = cl
		return nil
	})
	return into
}

// letRec makes functions that may capture one another: first the closures, then
// what they capture.
func (c *compiler) letRec(s *core.LetRec) {
	at := c.fresh(shape{p: len(s.Vars)})
	for k, v := range s.Vars {
		c.env[v] = place{p: at.p[k : k+1]}
	}
	fns := make([]*code, len(s.Funs))
	froms := make([]place, len(s.Funs))
	for k, fun := range s.Funs {
		var env map[*core.Var]place
		froms[k], env = c.captures(core.OpFreeVars(fun))
		fns[k] = newCode(s.Vars[k].Name, s.At, fun)
		c.function(fns[k], fun, env)
	}
	c.emit(func(f *regs) error {
		for k, fn := range fns {
			f.p[local][at.p[k].n] = &closure{code: fn, slots: makeSlots(froms[k].shape())}
		}
		for k := range fns {
			f.gather(froms[k], f.p[local][at.p[k].n].(*closure).slots)
		}
		return nil
	})
}

func (c *compiler) apply(s *core.Let, op *core.Apply, want *place, tail bool) place {
	m, fun, args := c.m, c.ref(op.Fun), c.atoms(op.Args)
	shapes := make([]shape, len(op.Args))
	for k, a := range op.Args {
		shapes[k] = shapeOf(a.Type())
	}
	into := c.into(want, shapeOf(s.Var.Ty))
	if tail {
		size := args.shape()
		c.emit(func(f *regs) error {
			m.nextArgs.resize(size)
			f.gather(args, m.nextArgs)
			m.next, m.nextShapes = f.p[fun.part][fun.n].(*closure), shapes
			return errTail
		})
		return into
	}
	site := &callSite{m, fun, args, shapes, into}
	c.emit(func(f *regs) error {
		fn, g, err := site.begin(f)
		if fn == nil {
			return err
		}
		if g, err = site.m.finish(fn, g); err == nil {
			site.end(f, g)
		}
		return err
	})
	return into
}

// callSite is a call that is not in tail position. What happens before and after the function runs
// is kept apart, for recursion repeats the frame of the step: Note [Depth].
type callSite struct {
	m      *machine
	fun    operand
	args   place
	shapes []shape
	into   place
}

// begin makes an activation of the function with its arguments. If there is no code to go on with
// the call has been done already, or has failed.
//
//go:noinline
func (s *callSite) begin(f *regs) (*code, *regs, error) {
	cl := f.p[s.fun.part][s.fun.n].(*closure)
	if cl.given > 0 || len(cl.code.params) != len(s.shapes) {
		given, result := makeSlots(s.args.shape()), makeSlots(s.into.shape())
		f.gather(s.args, given)
		err := s.m.call(cl, given, s.shapes, result)
		if err == nil {
			f.scatter(s.into, result)
		}
		return nil, nil, err
	}
	g, err := s.m.enter(cl.code, cl.slots)
	if err != nil {
		return nil, nil, err
	}
	f.gather(s.args, g.own(cl.code.result, cl.code.args))
	return cl.code, g, nil
}

// end takes the result and leaves the activation.
//
//go:noinline
func (s *callSite) end(f, g *regs) {
	f.scatter(s.into, slots{g.r[local], g.i[local], g.p[local]})
	s.m.leave()
}

// ownAt is local slots that lie side by side, as fresh makes them.
func (f *regs) ownAt(at place) slots {
	var v slots
	if n := len(at.r); n > 0 {
		v.r = f.r[local][at.r[0].n : at.r[0].n+n]
	}
	if n := len(at.i); n > 0 {
		v.i = f.i[local][at.i[0].n : at.i[0].n+n]
	}
	if n := len(at.p); n > 0 {
		v.p = f.p[local][at.p[0].n : at.p[0].n+n]
	}
	return v
}

// resize makes v hold a value of the given shape, in the storage it has if that
// is enough.
func (v *slots) resize(s shape) {
	if cap(v.r) < s.r || cap(v.i) < s.i || cap(v.p) < s.p {
		*v = makeSlots(shape{max(s.r, 8), max(s.i, 8), max(s.p, 8)})
	}
	v.r, v.i, v.p = v.r[:s.r], v.i[:s.i], v.p[:s.p]
}

// ---- choices

func (c *compiler) ifThenElse(s *core.Let, op *core.If, want *place, tail bool) place {
	into := c.into(want, shapeOf(s.Var.Ty))
	cond := c.int(op.Cond)
	then, otherwise := c.block(branchBytes, op.Then, into, tail), c.block(branchBytes, op.Else, into, tail)
	c.emit(func(f *regs) error {
		if f.i[cond.part][cond.n] != 0 {
			return run(then, f)
		}
		return run(otherwise, f)
	})
	return into
}

func (c *compiler) construct(op *core.Construct, want *place) place {
	con, from := op.Con.Tag, c.atoms(op.Args)
	size := from.shape()
	if size.size() == 0 {
		return c.constP(&data{con: con})
	}
	into := c.into(want, shape{p: 1})
	d := into.p[0].n
	c.emit(func(f *regs) error {
		x := &data{con, makeSlots(size)}
		f.gather(from, x.slots)
		f.p[local][d] = x
		return nil
	})
	return into
}

func (c *compiler) choose(s *core.Let, op *core.Case, want *place, tail bool) place {
	into := c.into(want, shapeOf(s.Var.Ty))
	of := c.ref(op.Of)
	at := types.Resolve(op.Of.Type()).(*types.Data)
	type arm struct {
		fields place
		steps  []step
	}
	arms := make([]*arm, len(at.Decl.Cons))
	for _, a := range op.Arms {
		fields := c.fresh(shapesOf(a.Con.FieldTypes(at)))
		var before shape
		for _, v := range a.Vars {
			size := shapeOf(v.Ty)
			c.env[v] = fields.slice(before, size)
			before = before.plus(size)
		}
		arms[a.Con.Tag] = &arm{fields, c.block(branchBytes, a.Body, into, tail)}
	}
	var otherwise []step
	if op.Default != nil {
		otherwise = c.block(branchBytes, op.Default, into, tail)
	}
	c.emit(func(f *regs) error {
		x := f.p[of.part][of.n].(*data)
		a := arms[x.con]
		if a == nil {
			return run(otherwise, f)
		}
		f.unpack(&a.fields, x)
		return run(a.steps, f)
	})
	return into
}

// unpack stores the fields of data into local slots.
//
//go:noinline
func (f *regs) unpack(into *place, x *data) { f.scatter(*into, x.slots) }
