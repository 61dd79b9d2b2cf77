package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Two operations on reals, the first of which only the second uses, become
// one instruction where the table has one. It rounds twice, as the two do, so
// that the result is the same.

// fusion says how a first operation ⊗ and a second one ⊕ are joined.
type fusion struct {
	first, second prim.ID
	// where the constant is: of the first, of the second, or nowhere
	constant constantAt
	// whether the first result is the right operand of the second
	right bool
}

type constantAt uint8

const (
	noConstant constantAt = iota
	inFirst
	inSecond
)

// fusions lists the instructions. Sums and products commute, so that they are
// listed with the first result on the left; a difference with a constant on
// the right is a sum.
var fusions = map[fusion]machine.Opcode{
	{prim.Mul, prim.Add, noConstant, false}: machine.OpMulAddF,
	{prim.Mul, prim.Sub, noConstant, false}: machine.OpMulSubF,
	{prim.Mul, prim.Sub, noConstant, true}:  machine.OpSubMulF,
	{prim.Mul, prim.Mul, noConstant, false}: machine.OpMulMulF,
	{prim.Mul, prim.Add, inFirst, false}:    machine.OpMulKAddF,
	{prim.Mul, prim.Sub, inFirst, false}:    machine.OpMulKSubF,
	{prim.Mul, prim.Sub, inFirst, true}:     machine.OpSubMulKF,
	{prim.Mul, prim.Mul, inFirst, false}:    machine.OpMulKMulF,
	{prim.Mul, prim.Add, inSecond, false}:   machine.OpMulAddKF,
	{prim.Mul, prim.Sub, inSecond, true}:    machine.OpRSubMulF,
	{prim.Mul, prim.Mul, inSecond, false}:   machine.OpMulMulKF,
	{prim.Add, prim.Mul, noConstant, false}: machine.OpAddMulF,
	{prim.Sub, prim.Mul, noConstant, false}: machine.OpDiffMulF,
}

// fusedArithmetic generates two statements as one instruction, or tells that
// there is none.
func (c *funCompiler) fusedArithmetic(s *core.Let, first *core.Prim, let *core.Let, second *core.Prim) bool {
	if c.taped || len(first.Args) != 2 || len(second.Args) != 2 || types.Resolve(s.Var.Ty) != types.Real || types.Resolve(let.Var.Ty) != types.Real {
		return false
	}
	right := second.Args[1] == core.Atom(s.Var)
	if right == (second.Args[0] == core.Atom(s.Var)) {
		return false
	}
	other := second.Args[1]
	if right {
		other = second.Args[0]
	}
	x, ok1 := c.local(first.Args[0])
	y, ok2 := c.local(first.Args[1])
	z, ok3 := c.local(other)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	how := fusion{first: first.Prim.ID, second: second.Prim.ID, right: right}
	if how.second == prim.Add || how.second == prim.Mul {
		how.right = false
	}
	if how.first == prim.Mul && x.IsConst {
		x, y = y, x
	}
	if x.IsConst {
		if how.first != prim.Sub || how.second != prim.Mul || y.IsConst || z.IsConst {
			return false
		}
		c.emitFused(s, let, machine.Instr{Op: machine.OpRSubKMulF, B: y.Reg, C: z.Reg, K: bitsOf(x.F)})
		return true
	}
	var k int64
	if y.IsConst && z.IsConst {
		op, k, ok := affine(how, y.F, z.F, right)
		if ok {
			c.emitFused(s, let, machine.Instr{Op: op, B: x.Reg, K: k})
		}
		return ok
	}
	switch {
	case y.IsConst:
		how.constant, k = inFirst, bitsOf(y.F)
		y = z
	case z.IsConst:
		how.constant, k = inSecond, bitsOf(z.F)
		if how.second == prim.Sub && !right {
			how.second, k = prim.Add, bitsOf(-z.F)
		}
	default:
		k = int64(z.Reg)
	}
	op, ok := fusions[how]
	if !ok {
		return false
	}
	c.emitFused(s, let, machine.Instr{Op: op, B: x.Reg, C: y.Reg, K: k})
	return true
}

// emitFused emits the instruction for two statements; its result is the
// second one's.
func (c *funCompiler) emitFused(s, let *core.Let, in machine.Instr) {
	temps, pins := len(c.temps), len(c.pins)
	if let.At.Known() {
		c.at = let.At
	}
	c.counted(2)
	c.env[s.Var] = machine.Binding{} // nothing else uses it
	c.releaseDying(s)
	c.bind(let.Var, c.single(let, layout.F, in))
	c.end(let, temps, pins)
	c.dropUnused(let.Var)
}

// affine is x * y + z for two constants that 32 bits can hold. A difference is
// the sum with a negated term: negation is exact.
func affine(how fusion, y, z float64, right bool) (op machine.Opcode, k int64, ok bool) {
	switch {
	case how.first != prim.Mul || float64(float32(y)) != y || float64(float32(z)) != z:
		return 0, 0, false
	case how.second == prim.Sub && right:
		y = -y
	case how.second == prim.Sub:
		z = -z
	case how.second != prim.Add:
		return 0, 0, false
	}
	return machine.OpAffineF, int64(math.Float32bits(float32(y))) | int64(math.Float32bits(float32(z)))<<32, true
}

// local is the slot of a real variable or literal; a use of a definition would
// need code.
func (c *funCompiler) local(a core.Atom) (machine.Slot, bool) {
	switch a := a.(type) {
	case *core.Var:
		return c.env[a].Slots[0], true
	case *core.Lit:
		return literal(a)[0], true
	}
	return machine.Slot{}, false
}
