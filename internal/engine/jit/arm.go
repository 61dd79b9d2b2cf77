package jit

// Registers of arm64 that have a task. x18 belongs to the operating system, x28, x29, x30 and sp to
// Go.
const (
	armScratch0 reg = 16
	armScratch1 reg = 17
	armScratch2 reg = 27
	armAddress  reg = 24 // an address that several operands share
	armFrame    reg = 25 // the frame, if the program has calls
	armContext  reg = 26 // the context block
	xzr         reg = 31 // reads as zero
	armVector   reg = 31 // a vector for instructions that are made of several
)

// newArmMachine is an arm64 with its vectors of two doubles.
func newArmMachine(calls bool) *machine {
	m := &machine{neon: true, bytes: 16, context: armContext, target: newArm}
	for r := reg(0); r < armAddress; r++ {
		if r < 16 || r > 18 {
			m.files[gpr] = append(m.files[gpr], r)
		}
	}
	if !calls {
		m.files[gpr] = append(m.files[gpr], armFrame)
	}
	for r := reg(0); r < armVector; r++ {
		m.files[vec] = append(m.files[vec], r)
	}
	return m
}
