package run

import "unsafe"

// CanRun tells whether this package can run code of the machine.
const CanRun = true

// Enter runs machine code with a context block. It is not marked nosplit: each call is a place
// where Go may stop the goroutine.
func Enter(code uintptr, block unsafe.Pointer)

// EnterFlushing does so while subnormal results of arithmetic are zero. control is what the
// floating-point unit's control register holds otherwise, which it holds again afterwards, unless
// the code faults.
func EnterFlushing(code uintptr, block unsafe.Pointer, control uint32)

// publish has nothing to do: this machine's fetching of instructions sees what was written to
// memory.
func publish(unsafe.Pointer, uintptr) {}

// Control reads the floating-point unit's control register, and SetControl writes it.
func Control() uint32
func SetControl(control uint32)
