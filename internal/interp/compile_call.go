package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
)

// ---- functions as values

// captures decides what a closure of a lambda holds: the registers, here, of
// its free variables. Constants and static functions need no place, and a
// register that several variables share gets one.
func (c *funCompiler) captures(fn *machine.Function, free []*core.Var, own *core.Var) (captured []machine.Captured, held []machine.Slot) {
	places := map[machine.Register]int{}
	for _, v := range free {
		b := c.env[v]
		cv := machine.Captured{Var: v, Binding: b}
		if v == own {
			captured = append(captured, cv)
			continue
		}
		for _, s := range b.Slots {
			if s.IsConst {
				cv.Env = append(cv.Env, -1)
				continue
			}
			at, ok := places[s.Register()]
			if !ok {
				if s.Kind == layout.P {
					at = fn.Refs
					fn.Refs++
				} else {
					at = fn.Words
					fn.Words++
					fn.WordKinds = append(fn.WordKinds, s.Kind)
				}
				places[s.Register()] = at
				held = append(held, s)
			}
			cv.Env = append(cv.Env, at)
		}
		captured = append(captured, cv)
	}
	return captured, held
}

// captured binds, in the prologue of a function, a variable that its closure
// holds. An own variable, without env, is the closure itself.
func (c *funCompiler) captured(v machine.Captured, self machine.Slot) {
	if v.Env == nil && len(v.Binding.Slots) > 0 {
		c.bind(v.Var, machine.Binding{Slots: []machine.Slot{self}, Known: v.Binding.Known})
		return
	}
	slots := make([]machine.Slot, len(v.Binding.Slots))
	for n, s := range v.Binding.Slots {
		if s.IsConst {
			slots[n] = s
			continue
		}
		slots[n] = c.regs.fresh(s.Kind)
		c.regs.hold(slots[n : n+1])
		load := [...]machine.Opcode{machine.OpEnvF, machine.OpEnvI, machine.OpEnvP}[s.Kind]
		c.emit(machine.Instr{Op: load, A: slots[n].Reg, B: self.Reg, K: int64(v.Env[n])})
	}
	c.env[v.Var] = machine.Binding{Slots: slots, Known: v.Binding.Known}
}

// isStatic tells whether all free variables are constants.
func (c *funCompiler) isStatic(free []*core.Var, group map[*core.Var]bool) bool {
	for _, v := range free {
		for _, s := range c.env[v].Slots {
			if !group[v] && !s.IsConst {
				return false
			}
		}
	}
	return true
}

// child compiles the body of a function that is defined in this one.
func (c *funCompiler) child(fn *machine.Function, lambda *core.Lambda, captured []machine.Captured, taped bool) {
	body := lambda.Body
	if c.regions != nil {
		body = c.regions.Rewrite(fn.Name, body, taped)
	}
	inner := c.newFunction(fn, body, taped)
	inner.at = c.at
	inner.function(lambda, captured)
}

func (c *funCompiler) newChild(name string, lambda *core.Lambda) *machine.Function {
	fn := &machine.Function{Name: name, Self: -1, Lib: c.lib}
	c.signature(fn, lambda)
	return fn
}

// lambda makes a closure.
func (c *funCompiler) lambda(s *core.Let, lambda *core.Lambda) machine.Binding {
	fn := c.newChild(c.innerName(s.Var.Name), lambda)
	free := c.live.FreeVars(lambda)
	captured, held := c.captures(fn, free, nil)
	if len(held) == 0 {
		fn.Static = &machine.Closure{Fn: fn}
		c.child(fn, lambda, captured, c.tapedLocal(s.Var))
		return machine.Binding{Slots: []machine.Slot{machine.ConstP(fn.Static)}, Known: fn}
	}
	fn.Self = fn.Params[fn.Arity].P
	c.child(fn, lambda, captured, c.tapedLocal(s.Var))
	c.share(held...)
	b := c.single(s, layout.P, machine.Instr{Op: machine.OpClosure, B: c.list(held), K: c.lib.Fun(fn)})
	b.Known = fn
	return b
}

func (c *funCompiler) innerName(name string) string {
	if name == "" {
		name = "fun"
	}
	return c.fn.Name + "." + name
}

// letRec makes the closures of functions that refer to one another.
func (c *funCompiler) letRec(s *core.LetRec) {
	temps, pins := len(c.temps), len(c.pins)
	if s.At.Known() {
		c.at = s.At
	}
	group := map[*core.Var]bool{}
	funs := make([]*machine.Function, len(s.Funs))
	for n, v := range s.Vars {
		group[v] = true
		funs[n] = c.newChild(c.innerName(v.Name), s.Funs[n])
	}
	static := true
	for _, lambda := range s.Funs {
		static = static && c.isStatic(c.live.FreeVars(lambda), group)
	}
	for n, v := range s.Vars {
		b := machine.Binding{Known: funs[n]}
		if static {
			funs[n].Static = &machine.Closure{Fn: funs[n]}
			b.Slots = []machine.Slot{machine.ConstP(funs[n].Static)}
		} else {
			b.Slots = []machine.Slot{c.regs.fresh(layout.P)}
			funs[n].Self = funs[n].Params[funs[n].Arity].P
		}
		c.bind(v, b)
	}
	made := make([][]machine.Slot, len(s.Funs))
	for n, lambda := range s.Funs {
		free := c.live.FreeVars(lambda)
		var own *core.Var
		if !static {
			own = s.Vars[n]
		}
		captured, held := c.captures(funs[n], free, own)
		c.child(funs[n], lambda, captured, c.tapedLocal(s.Vars...))
		if !static {
			self := c.env[s.Vars[n]].Slots[0]
			c.share(held...)
			c.emit(machine.Instr{Op: machine.OpClosure, A: self.Reg, B: c.list(held), K: c.lib.Fun(funs[n])})
			made[n] = held
		}
	}
	// Closures that were made before others of the group hold stale registers
	// in the places of those.
	for n, held := range made {
		ptr := 0
		for _, h := range held {
			if h.Kind != layout.P {
				continue
			}
			for _, v := range s.Vars[n+1:] {
				if sibling := c.env[v].Slots[0]; sibling.Reg == h.Reg {
					c.emit(machine.Instr{Op: machine.OpCapture, A: c.env[s.Vars[n]].Slots[0].Reg, B: h.Reg, K: int64(ptr)})
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
func (c *funCompiler) apply(s *core.Let, op *core.Apply) []machine.Slot {
	fun := c.resolve(op.Fun)
	args := op.Args
	c.countCall()
	if fn := fun.Known; fn != nil && len(args) >= fn.Arity {
		now := args[:fn.Arity]
		c.passArgs(s, fun.Slots[0], fn, now)
		in := machine.Instr{Op: machine.OpCall, K: c.lib.Fun(fn)}
		if len(args) == fn.Arity {
			return c.results(s, in)
		}
		// More arguments than parameters: the result is a function of the rest.
		f := c.temp(layout.P)
		in.A = f.Reg
		c.emit(in)
		fun, args = machine.Binding{Slots: []machine.Slot{f}}, args[fn.Arity:]
	}
	info := c.passUnknown(s, fun.Slots[0], args, false)
	return c.results(s, machine.Instr{Op: machine.OpCallClosure, K: c.lib.Call(info)})
}

// tailApply generates a call in place of this function.
func (c *funCompiler) tailApply(s *core.Let, op *core.Apply) {
	fun := c.resolve(op.Fun)
	args := op.Args
	c.countCall()
	if fn := fun.Known; fn != nil && len(args) >= fn.Arity {
		if len(args) == fn.Arity {
			sources := c.atoms(args)
			targets := place(c.argLayout(args), layout.Shape{})
			if fn.Self >= 0 {
				sources = append(sources, fun.Slots[0])
				targets = append(targets, machine.Slot{Kind: layout.P, Reg: uint16(fn.Self)})
			}
			c.shareTwice(sources)
			c.moves(targets, sources)
			if fn == c.fn {
				c.emit(machine.Instr{Op: machine.OpBack, K: 0})
			} else {
				c.emit(machine.Instr{Op: machine.OpTailCall, K: c.lib.Fun(fn)})
			}
			return
		}
		c.passArgs(s, fun.Slots[0], fn, args[:fn.Arity])
		f := c.temp(layout.P)
		c.emit(machine.Instr{Op: machine.OpCall, A: f.Reg, K: c.lib.Fun(fn)})
		fun, args = machine.Binding{Slots: []machine.Slot{f}}, args[fn.Arity:]
	}
	info := c.passUnknown(s, fun.Slots[0], args, true)
	c.emit(machine.Instr{Op: machine.OpTailClosure, K: c.lib.Call(info)})
}

func (c *funCompiler) countCall() {
	if c.opts.Count {
		c.emit(machine.Instr{Op: machine.OpCount, A: 1})
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
func (c *funCompiler) outgoing(l layout.Layout) []machine.Slot {
	slots := place(l, layout.Shape{})
	for n, s := range slots {
		slots[n] = c.regs.out(s.Kind, int(s.Reg))
	}
	return slots
}

// passArgs brings arguments, and the closure of a function that has one, to
// the outgoing registers.
func (c *funCompiler) passArgs(s *core.Let, fun machine.Slot, fn *machine.Function, args []core.Atom) {
	sources := c.atoms(args)
	targets := c.outgoing(c.argLayout(args))
	if fn.Self >= 0 {
		sources = append(sources, fun)
		targets = append(targets, c.regs.out(layout.P, fn.Self))
	}
	c.shareKept(targets, sources, c.dying(s))
	c.moves(targets, sources)
}

// passUnknown is passArgs for a function that is not known; the closure goes
// after the arguments.
func (c *funCompiler) passUnknown(s *core.Let, fun machine.Slot, args []core.Atom, tail bool) *machine.CallInfo {
	shapes := make([]layout.Shape, len(args))
	for n, a := range args {
		shapes[n] = c.Of(a.Type()).Shape()
	}
	info := machine.NewCall(shapes...)
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
func (c *funCompiler) results(s *core.Let, call machine.Instr) []machine.Slot {
	l := c.Of(s.Var.Ty)
	if len(l) == 1 {
		return c.single(s, l[0], call).Slots
	}
	c.emit(call)
	c.early(s)
	regs := c.targets(s, l, false)
	c.moves(regs, c.outgoing(l))
	return regs
}
