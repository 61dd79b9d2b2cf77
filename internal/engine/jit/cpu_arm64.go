//go:build linux

package jit

import "unsafe"

// host is the machine that this process runs on.
func host(_ Options, calls bool) (*machine, error) { return newArmMachine(calls), nil }

// enter runs machine code with a context block. It is not marked nosplit: each call is a place
// where Go may stop the goroutine.
func enter(code uintptr, block unsafe.Pointer)

// enterFlushing does so while subnormal operands and results of arithmetic are zero. control is
// what the floating-point control register holds otherwise, which it holds again afterwards, unless
// the code faults.
func enterFlushing(code uintptr, block unsafe.Pointer, control uint32)

// control reads the floating-point control register, and setControl writes it.
func control() uint32
func setControl(control uint32)

// publish makes what was written to memory known to the processors' fetching of instructions.
func publish(text unsafe.Pointer, size uintptr)
