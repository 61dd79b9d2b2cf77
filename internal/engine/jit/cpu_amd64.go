package jit

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// features tells which instructions the processor has.
func features() (avx2, avx512 bool) {
	x := &cpu.X86
	avx2 = x.HasAVX2 && x.HasFMA && x.HasBMI2
	return avx2, avx2 && x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL
}

// host is the machine that this process runs on.
func host(opts Options, calls bool) (*machine, error) {
	avx2, avx512 := features()
	if !avx2 {
		return nil, fmt.Errorf("%w: the processor lacks AVX2, FMA or BMI2", ErrUnsupported)
	}
	return newX86Machine(avx512 && !opts.AVX2, calls), nil
}

// enter runs machine code with a context block. It is not marked nosplit: each call is a place
// where Go may stop the goroutine.
func enter(code uintptr, block unsafe.Pointer)

// enterFlushing does so while subnormal results of arithmetic are zero. control is what the
// floating-point unit's control register holds otherwise, which it holds again afterwards, unless
// the code faults.
func enterFlushing(code uintptr, block unsafe.Pointer, control uint32)

// publish has nothing to do: this machine's fetching of instructions sees what was written to
// memory.
func publish(unsafe.Pointer, uintptr) {}

// control reads the floating-point unit's control register, and setControl writes it.
func control() uint32
func setControl(control uint32)
