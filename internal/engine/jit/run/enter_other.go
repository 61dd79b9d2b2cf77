//go:build !amd64 && !(arm64 && linux)

package run

import "unsafe"

// CanRun tells whether this package can run code of the machine.
const CanRun = false

func Enter(uintptr, unsafe.Pointer) {}

func EnterFlushing(uintptr, unsafe.Pointer, uint32) {}

func Control() uint32 { return 0 }

func SetControl(uint32) {}
