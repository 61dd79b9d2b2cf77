//go:build linux

package run

import "unsafe"

// CanRun tells whether this package can run code of the machine.
const CanRun = true

// Enter runs machine code with a context block. It is not marked nosplit: each call is a place
// where Go may stop the goroutine.
func Enter(code uintptr, block unsafe.Pointer)

// EnterFlushing does so while subnormal operands and results of arithmetic are zero. control is
// what the floating-point control register holds otherwise, which it holds again afterwards, unless
// the code faults.
func EnterFlushing(code uintptr, block unsafe.Pointer, control uint32)

// Control reads the floating-point control register, and SetControl writes it.
func Control() uint32
func SetControl(control uint32)

// publish makes what was written to memory known to the processors' fetching of instructions.
func publish(text unsafe.Pointer, size uintptr)
