package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// calculus lists the primitives that make a program need a tape.
var calculus = map[string]bool{
	"reverse": true, "forward": true, "jacobian": true,
	"integral": true, "integralFrom": true, "root": true, "cutRoot": true, "firstRoot": true, "crosses": true,
	"maxOver": true, "argmaxOver": true,
}

// mentionsCalculus tells whether a program computes derivatives, integrals,
// roots or optima: others are compiled without regard to boxes.
func mentionsCalculus(p *core.Program) bool {
	found := false
	p.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				op, ok := let.Op.(*core.Prim)
				found = found || ok && calculus[op.Prim.Name]
			}
		})
	})
	return found
}

// tapedPrim generates a row whose reals may be boxed.
func (c *funCompiler) tapedPrim(s *core.Let, row *prim.Prim, args []slot) ([]slot, bool) {
	allConst, anyReal := true, false
	for _, a := range args {
		allConst = allConst && a.isConst
		anyReal = anyReal || a.kind != kI
	}
	if allConst || !anyReal {
		return nil, false
	}
	if len(args) == 2 && args[0].kind == kF && args[1].kind == kF {
		if slots, ok := c.tapedArithmetic(s, row, args[0], args[1]); ok {
			return slots, true
		}
	}
	switch row.Float.(type) {
	case prim.Real1:
		if row.Name == "neg" {
			return c.single(s, kF, instr{op: opNegT, b: c.reg(args[0])}).slots, true
		}
		return c.single(s, kF, instr{op: opRow1T, b: c.reg(args[0]), k: int64(tapeRowOf(row.Name).number)}).slots, true
	case prim.Real2:
		return c.single(s, kF, instr{op: opRow2T, b: c.reg(args[0]), c: c.reg(args[1]), k: int64(tapeRowOf(row.Name).number)}).slots, true
	case prim.RealInt:
		return c.single(s, kF, instr{op: opRowIT, b: c.reg(args[0]), c: c.reg(args[1]), k: int64(tapeRowOf(row.Name).number)}).slots, true
	case prim.IntReal:
		return c.single(s, kF, instr{op: opRowIT, b: c.reg(args[1]), c: c.reg(args[0]), k: int64(tapeRowOf(row.Name).number)}).slots, true
	case prim.Round:
		return c.single(s, kI, instr{op: opRoundT, b: c.reg(args[0]), k: c.lib.round(row)}).slots, true
	case prim.Fold:
		return c.single(s, kF, instr{op: opFoldT, b: c.reg(args[0]), k: c.lib.arrayRow(row)}).slots, true
	case prim.MapArray:
		return c.single(s, kP, instr{op: opMapT, b: c.reg(args[0]), k: c.lib.arrayRow(row)}).slots, true
	}
	return nil, false
}

func (c *funCompiler) tapedArithmetic(s *core.Let, row *prim.Prim, x, y slot) ([]slot, bool) {
	switch row.Name {
	case "+":
		switch {
		case y.isConst:
			return c.immediate(s, kF, opAddKT, x, bitsOf(y.f)), true
		case x.isConst:
			return c.immediate(s, kF, opAddKT, y, bitsOf(x.f)), true
		}
		return c.binary(s, kF, opAddT, x, y), true
	case "-":
		switch {
		case y.isConst:
			return c.immediate(s, kF, opAddKT, x, bitsOf(-y.f)), true
		case x.isConst:
			return c.immediate(s, kF, opRSubKT, y, bitsOf(x.f)), true
		}
		return c.binary(s, kF, opSubT, x, y), true
	case "*", "scale", "inner":
		switch {
		case y.isConst:
			return c.immediate(s, kF, opMulKT, x, bitsOf(y.f)), true
		case x.isConst:
			return c.immediate(s, kF, opMulKT, y, bitsOf(x.f)), true
		}
		return c.binary(s, kF, opMulT, x, y), true
	case "/":
		switch {
		case y.isConst:
			return c.immediate(s, kF, opDivKT, x, bitsOf(y.f)), true
		case x.isConst:
			return c.immediate(s, kF, opRDivKT, y, bitsOf(x.f)), true
		}
		return c.binary(s, kF, opDivT, x, y), true
	}
	return c.tapedTest(s, row.Name, x, y)
}

// tapedTest generates a comparison of reals as a truth value.
func (c *funCompiler) tapedTest(s *core.Let, name string, x, y slot) ([]slot, bool) {
	in := instr{op: opLtT}
	switch name {
	case "<":
	case "<=":
		in.op = opLeT
	case ">":
		x, y = y, x
	case ">=":
		in.op, x, y = opLeT, y, x
	default:
		return nil, false
	}
	in.b, in.c = c.reg(x), c.reg(y)
	return c.single(s, kI, in).slots, true
}

// jumpUnlessTaped is jumpUnlessReal where the reals may be boxed.
func (c *funCompiler) jumpUnlessTaped(name string, x, y slot, to *label) {
	if name == ">" || name == ">=" {
		x, y, name = y, x, mirrored[name]
	}
	in := instr{op: opLtT, b: c.reg(x), c: c.reg(y)}
	if name == "<=" {
		in.op = opLeT
	}
	t := c.temp(kI)
	in.a = t.reg
	c.emit(in)
	c.jump(to, instr{op: opJFalse, a: t.reg})
}

// tapedScalar executes an instruction on reals of which one is a NaN, and
// maybe a box.
func (m *Machine) tapedScalar(in *instr, f *windowF, i *windowI) {
	t := m.tape
	k := math.Float64frombits(uint64(in.k))
	switch in.op {
	case opAddT:
		f[in.a] = t.apply2(t.sum, f[in.b], f[in.c])
	case opSubT:
		f[in.a] = t.apply2(t.minus, f[in.b], f[in.c])
	case opMulT:
		f[in.a] = t.apply2(t.product, f[in.b], f[in.c])
	case opDivT:
		f[in.a] = t.apply2(t.over, f[in.b], f[in.c])
	case opNegT:
		f[in.a] = t.apply(t.negated, f[in.b], 0, 0)
	case opAddKT:
		f[in.a] = t.apply2(t.sum, f[in.b], k)
	case opRSubKT:
		f[in.a] = t.apply2(t.minus, k, f[in.b])
	case opMulKT:
		f[in.a] = t.apply2(t.product, f[in.b], k)
	case opDivKT:
		f[in.a] = t.apply2(t.over, f[in.b], k)
	case opRDivKT:
		f[in.a] = t.apply2(t.over, k, f[in.b])
	case opLtT:
		i[in.a] = truth(t.less(f[in.b], f[in.c], false))
	case opLeT:
		i[in.a] = truth(t.less(f[in.b], f[in.c], true))
	}
}

// tapedRow executes the application of a row to reals that may be boxed.
func (m *Machine) tapedRow(in *instr, f *windowF, i *windowI, p []ref) *diag.Diagnostic {
	t := m.tape
	switch in.op {
	case opRow1T:
		row, x := t.rows[in.k], f[in.b]
		if x == x || !isBox(x) {
			f[in.a] = row.one(x)
			return nil
		}
		f[in.a] = t.apply(row, x, 0, 0)
	case opRow2T:
		row, x, y := t.rows[in.k], f[in.b], f[in.c]
		if x == x && y == y {
			f[in.a] = row.two(x, y)
			return nil
		}
		f[in.a] = t.apply(row, x, y, 0)
	case opRowIT:
		f[in.a] = t.apply(t.rows[in.k], f[in.b], 0, i[in.c])
	case opRoundT:
		round := m.lib.roundRows[in.k]
		x := t.rounded(round.Name, f[in.b])
		r, code := round.Float.(prim.Round)(x)
		if code != "" {
			return noInt(code, x)
		}
		i[in.a] = r
	case opFoldT:
		xs := p[in.b].(*reals).v
		m.pay(len(xs))
		f[in.a] = m.tapedFold(m.lib.arrayRows[in.k], xs)
	case opMapT:
		out, d := m.tapedMap(m.lib.arrayRows[in.k], p[in.b].(*reals).v)
		if d != nil {
			return d
		}
		p[in.a] = out
	}
	return t.failed()
}
