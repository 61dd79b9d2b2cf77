// Package arm is the back end for arm64 with NEON: registers, instructions, their bytes and their
// text.
package arm

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// Registers of arm64 that have a task. x18 belongs to the operating system, x28, x29, x30 and sp to
// Go.
const (
	armScratch0 ir.Reg = 16
	armScratch1 ir.Reg = 17
	armScratch2 ir.Reg = 27
	armAddress  ir.Reg = 24 // an address that several operands share
	armFrame    ir.Reg = 25 // the frame, if the program has calls
	armContext  ir.Reg = 26 // the context block
	xzr         ir.Reg = 31 // reads as zero
	armVector   ir.Reg = 31 // a vector for instructions that are made of several
)

// Sets are the sets of instructions.
var Sets = []string{"neon"}

// Host is the one that this process runs on: all of them have NEON.
func Host() ir.Processor { return ir.Processor{Sets: Sets} }

// NewTarget is an arm64 with its vectors of two doubles. It has no gather: two loads stand for
// one.
func NewTarget(set string, _ ir.Processor, calls bool) *ir.Target {
	m := &ir.Target{Name: set, Bytes: 16, Context: armContext, Integers: true, KeepsMask: true,
		ExactExtremes: true, Jammed: 2, TileRows: 4, TileColumns: 4, GatherTime: 1, LoadTime: 1}
	for r := ir.Reg(0); r < armAddress; r++ {
		if r < 16 || r > 18 {
			m.Files[ir.GPR] = append(m.Files[ir.GPR], r)
		}
	}
	if !calls {
		m.Files[ir.GPR] = append(m.Files[ir.GPR], armFrame)
	}
	for r := ir.Reg(0); r < armVector; r++ {
		m.Files[ir.Vec] = append(m.Files[ir.Vec], r)
	}
	return m
}
