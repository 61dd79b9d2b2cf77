package exact

import (
	"fmt"
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// operand is a slot of a bank, as a function sees it.
type operand struct{ part, n int }

// place is where a value lies: its slots.
type place struct{ r, i, p []operand }

// slice is the place of a component: off before it, of the given shape.
func (l place) slice(off, s shape) place {
	return place{l.r[off.r : off.r+s.r], l.i[off.i : off.i+s.i], l.p[off.p : off.p+s.p]}
}

func (l place) shape() shape { return shape{len(l.r), len(l.i), len(l.p)} }

// program compiles a monomorphic program to functions over jets.
type program struct {
	m       *machine
	watch   *stop.Watch // ends the compilation by a panic
	globals map[string]*global
	rules   map[string]*code // partial derivatives of the table

	nonNegative map[*core.Var]bool // reals that cannot be negative: Note [Powers of sets]

	rounded bool // literals and constants are doubles: Note [Certifier]

	// The constants that are computed before the program runs, so that others can be computed from
	// them: Note [Shared values].
	filled   map[operand]bool
	numbers  map[string]place // of literals, by their digits
	integers map[int64]place
	folded   map[expression]place
}

// global is a definition: a function, or the place of its value.
type global struct {
	def   *core.Def
	code  *code
	value place
}

// compileProgram fills a machine. Definitions that are not functions are
// computed outside of any search: see Note [Frames].
func compileProgram(m *machine, w *stop.Watch, defs []*core.Def, rounded bool) *program {
	c := &program{
		m: m, watch: w, globals: map[string]*global{}, rules: map[string]*code{},
		nonNegative: map[*core.Var]bool{}, rounded: rounded,
		filled: map[operand]bool{}, numbers: map[string]place{}, integers: map[int64]place{},
		folded: map[expression]place{},
	}
	for _, def := range defs {
		g := &global{def: def}
		if fun := def.Function(); fun != nil {
			g.code = newCode(def.Name, def.At, fun)
			cl := &closure{code: g.code}
			g.value = c.constP(cl)
		} else {
			g.value = c.reserve(shapeOf(def.Type))
		}
		c.globals[def.Name] = g
	}
	for _, def := range defs {
		g := c.globals[def.Name]
		if g.code != nil {
			c.function(g.code, def.Function(), nil)
			continue
		}
		fn := &code{name: def.Name, at: def.At, result: shapeOf(def.Type)}
		c.function(fn, &core.Lambda{Body: def.Body}, nil)
		m.values[def.Name] = &definition{code: fn, at: g.value}
	}
	return c
}

func newCode(name string, at diag.Span, fun *core.Lambda) *code {
	fn := &code{name: name, at: at, result: shapeOf(fun.Body.Result.Type()), enclosed: isEnclosed(fun)}
	for _, p := range fun.Params {
		s := shapeOf(p.Ty)
		fn.params = append(fn.params, s)
		fn.args = fn.args.plus(s)
	}
	return fn
}

// ---- constants

// reserve makes room among the constants.
func (c *program) reserve(s shape) place {
	var at place
	k := &c.m.consts
	for range s.r {
		at.r = append(at.r, operand{constant, len(k.r)})
		k.r = append(k.r, c.m.Zero())
	}
	for range s.i {
		at.i = append(at.i, operand{constant, len(k.i)})
		k.i = append(k.i, 0)
	}
	for range s.p {
		at.p = append(at.p, operand{constant, len(k.p)})
		k.p = append(k.p, nil)
	}
	return at
}

// constR is a real that is computed anew at each precision.
func (c *program) constR(f func() jet.Jet) place {
	at := c.reserve(shape{r: 1})
	m, n := c.m, at.r[0].n
	c.filled[at.r[0]] = true
	m.fill = append(m.fill, func() { m.consts.r[n] = f() })
	return at
}

func (c *program) constI(n int64) place {
	at, ok := c.integers[n]
	if !ok {
		at = c.reserve(shape{i: 1})
		c.m.consts.i[at.i[0].n] = n
		c.integers[n] = at
	}
	return at
}

func (c *program) constP(x any) place {
	at := c.reserve(shape{p: 1})
	c.m.consts.p[at.p[0].n] = x
	return at
}

func (c *program) literal(l *core.Lit) place {
	switch l.Ty {
	case types.Real:
		return c.rational(l.Real)
	case types.Int:
		return c.constI(l.Int)
	case types.Bool:
		return c.constI(truth(l.Bool))
	case types.String:
		return c.constP(l.Str)
	}
	return place{}
}

func (c *program) rational(q *big.Rat) place {
	key := q.RatString()
	at, ok := c.numbers[key]
	if ok {
		return at
	}
	m := c.m
	if x, _ := q.Float64(); c.rounded && !math.IsInf(x, 0) {
		at = c.constR(func() jet.Jet { return m.double(x) })
	} else {
		at = c.constR(func() jet.Jet { return m.Const(m.N.Rat(q)) })
	}
	c.numbers[key] = at
	return at
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// ---- functions

// compiler compiles one function.
type compiler struct {
	*program
	m     *machine
	env   map[*core.Var]place
	frame shape
	steps []step // of the block at hand
	name  string

	computed map[expression]place // in the block at hand and those around it
	order    []expression         // those, the oldest first

	nesting, deepest int // bytes of Go's stack for the blocks around the one at hand, and at most
}

// function compiles the body of a lambda. Captures are in env already.
func (c *program) function(fn *code, fun *core.Lambda, env map[*core.Var]place) {
	if env == nil {
		env = map[*core.Var]place{}
	}
	f := &compiler{program: c, m: c.m, env: env, name: fn.name, computed: map[expression]place{}}
	result := f.fresh(fn.result)
	for _, p := range fun.Params {
		env[p] = f.fresh(shapeOf(p.Ty))
	}
	fn.body = f.block(0, fun.Body, result, true)
	fn.frame = f.frame
	fn.need = callBytes + f.deepest
}

// fresh makes room in the activation.
func (c *compiler) fresh(s shape) place {
	var at place
	for k := range s.r {
		at.r = append(at.r, operand{local, c.frame.r + k})
	}
	for k := range s.i {
		at.i = append(at.i, operand{local, c.frame.i + k})
	}
	for k := range s.p {
		at.p = append(at.p, operand{local, c.frame.p + k})
	}
	c.frame = c.frame.plus(s)
	return at
}

// into is where a result goes: where it is wanted, or to a fresh place.
func (c *compiler) into(want *place, s shape) place {
	if want != nil {
		return *want
	}
	return c.fresh(s)
}

func (c *compiler) emit(s step) { c.steps = append(c.steps, s) }

func (c *compiler) atom(a core.Atom) place {
	switch a := a.(type) {
	case *core.Var:
		at, ok := c.env[a]
		if !ok {
			panic("exact: the variable " + a.Name + " is not bound")
		}
		return at
	case *core.Lit:
		return c.literal(a)
	case *core.Global:
		return c.globals[a.Name].value
	}
	panic(fmt.Sprintf("exact: no atom: %T", a))
}

func (c *compiler) atoms(as []core.Atom) place {
	var at place
	for _, a := range as {
		c.watch.Step()
		slots := c.atom(a)
		at.r, at.i, at.p = append(at.r, slots.r...), append(at.i, slots.i...), append(at.p, slots.p...)
	}
	return at
}

// real is the operand of an atom of type Real; int and ref likewise.
func (c *compiler) real(a core.Atom) operand { return c.atom(a).r[0] }
func (c *compiler) int(a core.Atom) operand  { return c.atom(a).i[0] }
func (c *compiler) ref(a core.Atom) operand  { return c.atom(a).p[0] }

// block compiles a block whose result goes to into. A block in tail position
// ends its function. The step that runs the block takes so many bytes of Go's stack.
func (c *compiler) block(bytes int, b *core.Block, into place, tail bool) []step {
	outer := c.steps
	c.steps = nil
	c.nesting += bytes
	c.deepest = max(c.deepest, c.nesting)
	around := len(c.order)
	done := false
	for n, s := range c.oldestFirst(b) {
		c.watch.Step()
		switch s := s.(type) {
		case *core.Let:
			if n == len(b.Stmts)-1 && b.Result == core.Atom(s.Var) {
				c.move(into, c.op(s, &into, tail))
				done = true
				break
			}
			c.env[s.Var] = c.op(s, nil, false)
		case *core.LetRec:
			c.letRec(s)
		}
	}
	if !done {
		c.move(into, c.atom(b.Result))
	}
	c.forget(around)
	steps := c.steps
	c.steps = outer
	c.nesting -= bytes
	return steps
}

// move copies a value, unless it is there already.
func (c *compiler) move(to, from place) {
	for k, o := range from.r {
		if d := to.r[k]; d != o {
			c.emit(func(f *regs) error {
				f.r[local][d.n] = f.r[o.part][o.n]
				return nil
			})
		}
	}
	for k, o := range from.i {
		if d := to.i[k]; d != o {
			c.emit(func(f *regs) error {
				f.i[local][d.n] = f.i[o.part][o.n]
				return nil
			})
		}
	}
	for k, o := range from.p {
		if d := to.p[k]; d != o {
			c.emit(func(f *regs) error {
				f.p[local][d.n] = f.p[o.part][o.n]
				return nil
			})
		}
	}
}

// gather copies the values of operands; to has room for them.
func (f *regs) gather(from place, to slots) {
	for k, o := range from.r {
		to.r[k] = f.r[o.part][o.n]
	}
	for k, o := range from.i {
		to.i[k] = f.i[o.part][o.n]
	}
	for k, o := range from.p {
		to.p[k] = f.p[o.part][o.n]
	}
}

// scatter stores values into local slots.
func (f *regs) scatter(to place, from slots) {
	for k, o := range to.r {
		f.r[local][o.n] = from.r[k]
	}
	for k, o := range to.i {
		f.i[local][o.n] = from.i[k]
	}
	for k, o := range to.p {
		f.p[local][o.n] = from.p[k]
	}
}

// op compiles an operation and gives the place of its value, which is want if
// the operation had to choose one.
func (c *compiler) op(s *core.Let, want *place, tail bool) place {
	if op, ok := s.Op.(*core.Prim); ok {
		switch op.Prim.ID {
		case prim.WithEnclosure:
			return c.enclosed(s, op, want)
		case prim.WithDerivative, prim.WithPullback:
			return c.ruled(s, op, want)
		case prim.Converging:
			return c.converging(s, op, want)
		case prim.Correction:
			return c.correction(s, op, want)
		}
	}
	switch op := core.Unruled(s.Op).(type) {
	case *core.Prim:
		return c.prim(s, op, want)
	case *core.Lambda:
		return c.lambda(s, op, want)
	case *core.Apply:
		return c.apply(s, op, want, tail)
	case *core.Tuple:
		return c.atoms(op.Elems)
	case *core.Record:
		return c.atoms(op.Elems)
	case *core.Proj:
		elems := types.Resolve(op.Of.Type()).(*types.Tuple).Elems
		return c.atom(op.Of).slice(shapesOf(elems[:op.Index]), shapeOf(elems[op.Index]))
	case *core.Field:
		fields := types.Resolve(op.Of.Type()).(*types.Record).Fields
		var before shape
		for _, f := range fields[:op.Index] {
			before = before.plus(shapeOf(f.Type))
		}
		return c.atom(op.Of).slice(before, shapeOf(fields[op.Index].Type))
	case *core.Construct:
		return c.construct(op, want)
	case *core.Case:
		return c.choose(s, op, want, tail)
	case *core.If:
		return c.ifThenElse(s, op, want, tail)
	case *core.Array:
		return c.array(op, want)
	case *core.Build:
		return c.build(s, op, want)
	case *core.Map:
		return c.mapArrays(s, op, want)
	case *core.Index:
		return c.index(s, op, want)
	case *core.Slice:
		return c.slice(s, op, want)
	case *core.Reduce:
		return c.reduce(s, op, want)
	case *core.Scan:
		return c.scan(s, op, want)
	case *core.Loop:
		return c.loop(s, op, want)
	case *core.CheckSize:
		return c.checkSize(s, op)
	}
	panic(fmt.Sprintf("exact: no operation: %T", s.Op))
}
