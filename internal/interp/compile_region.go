package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/region"
)

// compiledChoice generates a region.
func (c *funCompiler) compiledChoice(op *core.If, r *region.Region, t target) {
	var args []machine.Slot
	var starts []int
	for _, v := range r.Args {
		starts = append(starts, len(args))
		args = append(args, c.atom(v)...)
	}
	r.OperandsAt(starts)
	if r.IsRest() {
		c.compiledRest(r, args)
		return
	}
	results := t.regs
	if t.tail {
		for _, k := range c.Of(r.Result()) {
			results = append(results, c.temp(k))
		}
	}
	flag := c.temp(layout.I)
	c.share(args...)
	c.emit(machine.Instr{Op: machine.OpLoops, A: flag.Reg, B: c.list(args), C: c.list(results), K: c.lib.Region(r)})
	var otherwise, end label
	c.jumpUnless(flag, &otherwise)
	state := c.regs.save()
	if t.tail {
		c.ret(results)
	} else {
		c.jump(&end, machine.Instr{Op: machine.OpJump})
	}
	c.here(&otherwise)
	c.regs.restore(state)
	c.arm(op.Else, t)
	c.here(&end)
	c.regs.restore(state)
}

// compiledRest generates a region for the turns that are left of a loop. The state may go on to be
// updated in place.
func (c *funCompiler) compiledRest(r *region.Region, args []machine.Slot) {
	flag := c.temp(layout.I)
	loop := c.loops[len(c.loops)-1]
	c.emit(machine.Instr{Op: machine.OpLoops, A: flag.Reg, B: c.list(args), C: c.list(loop.state), K: c.lib.Region(r)})
	var otherwise label
	c.jumpUnless(flag, &otherwise)
	c.jump(loop.end, machine.Instr{Op: machine.OpJump})
	c.here(&otherwise)
}

// endFront goes on to the code of the function that runs where its regions do not. That is given
// what the function was given.
func (c *funCompiler) endFront() {
	var given []machine.Slot
	if source := c.fn.Source; source != nil {
		for _, p := range source.Lambda.Params {
			given = append(given, c.atom(p)...)
		}
	}
	c.moves(c.args, given)
	c.emit(machine.Instr{Op: machine.OpTailCall, K: c.lib.Fun(c.fn.Otherwise)})
}

// openLoop is a loop whose body is being generated.
type openLoop struct {
	state []machine.Slot
	end   *label
}
