package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
)

// ---- functions as values

// captures decides what a closure of a lambda holds: the registers, here, of
// its free variables. Constants and static functions need no place, and a
// register that several variables share gets one.
func (c *funCompiler) captures(fn *function, free []*core.Var, own *core.Var) (captured []capturedVar, held []slot) {
	places := map[operand]int{}
	for _, v := range free {
		b := c.env[v]
		cv := capturedVar{v: v, binding: b}
		if v == own {
			captured = append(captured, cv)
			continue
		}
		for _, s := range b.slots {
			if s.isConst {
				cv.env = append(cv.env, -1)
				continue
			}
			at, ok := places[s.operand()]
			if !ok {
				if s.kind == layout.P {
					at = fn.ptrs
					fn.ptrs++
				} else {
					at = fn.words
					fn.words++
					fn.wordKinds = append(fn.wordKinds, s.kind)
				}
				places[s.operand()] = at
				held = append(held, s)
			}
			cv.env = append(cv.env, at)
		}
		captured = append(captured, cv)
	}
	return captured, held
}

// captured binds, in the prologue of a function, a variable that its closure
// holds. An own variable, without env, is the closure itself.
func (c *funCompiler) captured(v capturedVar, self slot) {
	if v.env == nil && len(v.binding.slots) > 0 {
		c.bind(v.v, binding{slots: []slot{self}, known: v.binding.known})
		return
	}
	slots := make([]slot, len(v.binding.slots))
	for n, s := range v.binding.slots {
		if s.isConst {
			slots[n] = s
			continue
		}
		slots[n] = c.regs.fresh(s.kind)
		c.regs.hold(slots[n : n+1])
		load := [...]opcode{opEnvF, opEnvI, opEnvP}[s.kind]
		c.emit(instr{op: load, a: slots[n].reg, b: self.reg, k: int64(v.env[n])})
	}
	c.env[v.v] = binding{slots: slots, known: v.binding.known}
}

// isStatic tells whether all free variables are constants.
func (c *funCompiler) isStatic(free []*core.Var, group map[*core.Var]bool) bool {
	for _, v := range free {
		for _, s := range c.env[v].slots {
			if !group[v] && !s.isConst {
				return false
			}
		}
	}
	return true
}

// child compiles the body of a function that is defined in this one.
func (c *funCompiler) child(fn *function, lambda *core.Lambda, captured []capturedVar, taped bool) {
	inner := c.newFunction(fn, lambda.Body, taped)
	inner.at = c.at
	inner.function(lambda, captured)
}

func (c *funCompiler) newChild(name string, lambda *core.Lambda) *function {
	fn := &function{name: name, self: -1}
	c.signature(fn, lambda)
	return fn
}

// lambda makes a closure.
func (c *funCompiler) lambda(s *core.Let, lambda *core.Lambda) binding {
	fn := c.newChild(c.innerName(s.Var.Name), lambda)
	free := c.live.FreeVars(lambda)
	captured, held := c.captures(fn, free, nil)
	c.functions[s.Var] = &knownFunction{lambda, captured}
	if len(held) == 0 {
		fn.static = &closure{fn: fn}
		c.child(fn, lambda, captured, c.tapedLocal(s.Var))
		return binding{slots: []slot{constP(fn.static)}, known: fn}
	}
	fn.self = fn.params[fn.arity].P
	c.child(fn, lambda, captured, c.tapedLocal(s.Var))
	c.share(held...)
	b := c.single(s, layout.P, instr{op: opClosure, b: c.list(held), k: c.lib.fun(fn)})
	b.known = fn
	return b
}

func (c *funCompiler) innerName(name string) string {
	if name == "" {
		name = "fun"
	}
	return c.fn.name + "." + name
}

// letRec makes the closures of functions that refer to one another.
func (c *funCompiler) letRec(s *core.LetRec) {
	temps, pins := len(c.temps), len(c.pins)
	if s.At.Known() {
		c.at = s.At
	}
	group := map[*core.Var]bool{}
	funs := make([]*function, len(s.Funs))
	for n, v := range s.Vars {
		group[v] = true
		funs[n] = c.newChild(c.innerName(v.Name), s.Funs[n])
	}
	static := true
	for _, lambda := range s.Funs {
		static = static && c.isStatic(c.live.FreeVars(lambda), group)
	}
	for n, v := range s.Vars {
		b := binding{known: funs[n]}
		if static {
			funs[n].static = &closure{fn: funs[n]}
			b.slots = []slot{constP(funs[n].static)}
		} else {
			b.slots = []slot{c.regs.fresh(layout.P)}
			funs[n].self = funs[n].params[funs[n].arity].P
		}
		c.bind(v, b)
	}
	made := make([][]slot, len(s.Funs))
	for n, lambda := range s.Funs {
		free := c.live.FreeVars(lambda)
		var own *core.Var
		if !static {
			own = s.Vars[n]
		}
		captured, held := c.captures(funs[n], free, own)
		c.child(funs[n], lambda, captured, c.tapedLocal(s.Vars...))
		if !static {
			self := c.env[s.Vars[n]].slots[0]
			c.share(held...)
			c.emit(instr{op: opClosure, a: self.reg, b: c.list(held), k: c.lib.fun(funs[n])})
			made[n] = held
		}
	}
	// Closures that were made before others of the group hold stale registers
	// in the places of those.
	for n, held := range made {
		ptr := 0
		for _, h := range held {
			if h.kind != layout.P {
				continue
			}
			for _, v := range s.Vars[n+1:] {
				if sibling := c.env[v].slots[0]; sibling.reg == h.reg {
					c.emit(instr{op: opCapture, a: c.env[s.Vars[n]].slots[0].reg, b: h.reg, k: int64(ptr)})
				}
			}
			ptr++
		}
	}
	c.end(s, temps, pins)
	for _, v := range s.Vars {
		c.dropUnused(v)
	}
}

// apply generates a call that is not a tail call.
func (c *funCompiler) apply(s *core.Let, op *core.Apply) []slot {
	fun := c.resolve(op.Fun)
	args := op.Args
	c.countCall()
	if fn := fun.known; fn != nil && len(args) >= fn.arity {
		now := args[:fn.arity]
		c.passArgs(s, fun.slots[0], fn, now)
		in := instr{op: opCall, k: c.lib.fun(fn)}
		if len(args) == fn.arity {
			return c.results(s, in)
		}
		// More arguments than parameters: the result is a function of the rest.
		f := c.temp(layout.P)
		in.a = f.reg
		c.emit(in)
		fun, args = binding{slots: []slot{f}}, args[fn.arity:]
	}
	info := c.passUnknown(s, fun.slots[0], args, false)
	return c.results(s, instr{op: opCallClosure, k: int64(add(&c.lib.calls, info))})
}

// tailApply generates a call in place of this function.
func (c *funCompiler) tailApply(s *core.Let, op *core.Apply) {
	fun := c.resolve(op.Fun)
	args := op.Args
	c.countCall()
	if fn := fun.known; fn != nil && len(args) >= fn.arity {
		if len(args) == fn.arity {
			sources := c.atoms(args)
			targets := place(c.argLayout(args), layout.Shape{})
			if fn.self >= 0 {
				sources = append(sources, fun.slots[0])
				targets = append(targets, slot{kind: layout.P, reg: uint16(fn.self)})
			}
			c.shareTwice(sources)
			c.moves(targets, sources)
			if fn == c.fn {
				c.emit(instr{op: opBack, k: 0})
			} else {
				c.emit(instr{op: opTailCall, k: c.lib.fun(fn)})
			}
			return
		}
		c.passArgs(s, fun.slots[0], fn, args[:fn.arity])
		f := c.temp(layout.P)
		c.emit(instr{op: opCall, a: f.reg, k: c.lib.fun(fn)})
		fun, args = binding{slots: []slot{f}}, args[fn.arity:]
	}
	info := c.passUnknown(s, fun.slots[0], args, true)
	c.emit(instr{op: opTailClosure, k: int64(add(&c.lib.calls, info))})
}

func (c *funCompiler) countCall() {
	if c.opts.Count {
		c.emit(instr{op: opCount, a: 1})
		c.count = -1
	}
}

// argLayout is the layout of several atoms, one after the other.
func (c *funCompiler) argLayout(atoms []core.Atom) layout.Layout {
	var l layout.Layout
	for _, a := range atoms {
		l = append(l, c.Of(a.Type())...)
	}
	return l
}

// outgoing numbers outgoing registers for a layout.
func (c *funCompiler) outgoing(l layout.Layout) []slot {
	slots := place(l, layout.Shape{})
	for n, s := range slots {
		slots[n] = c.regs.out(s.kind, int(s.reg))
	}
	return slots
}

// passArgs brings arguments, and the closure of a function that has one, to
// the outgoing registers.
func (c *funCompiler) passArgs(s *core.Let, fun slot, fn *function, args []core.Atom) {
	sources := c.atoms(args)
	targets := c.outgoing(c.argLayout(args))
	if fn.self >= 0 {
		sources = append(sources, fun)
		targets = append(targets, c.regs.out(layout.P, fn.self))
	}
	c.shareKept(targets, sources, c.dying(s))
	c.moves(targets, sources)
}

// passUnknown is passArgs for a function that is not known; the closure goes
// after the arguments.
func (c *funCompiler) passUnknown(s *core.Let, fun slot, args []core.Atom, tail bool) *callInfo {
	info := &callInfo{args: len(args), params: make([]layout.Shape, len(args)+1)}
	for n, a := range args {
		at, more := info.params[n], c.Of(a.Type()).Shape()
		info.params[n+1] = at.Plus(more)
	}
	info.result = c.Of(s.Var.Ty)
	sources := append(c.atoms(args), fun)
	l := append(c.argLayout(args), layout.P)
	targets := place(l, layout.Shape{})
	if !tail {
		targets = c.outgoing(l)
	}
	c.shareKept(targets, sources, c.dying(s))
	c.moves(targets, sources)
	return info
}

// results emits a call and fetches its results.
func (c *funCompiler) results(s *core.Let, call instr) []slot {
	l := c.Of(s.Var.Ty)
	if len(l) == 1 {
		return c.single(s, l[0], call).slots
	}
	c.emit(call)
	c.early(s)
	regs := c.targets(s, l, false)
	c.moves(regs, c.outgoing(l))
	return regs
}
