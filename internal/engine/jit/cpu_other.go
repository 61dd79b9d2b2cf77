//go:build !amd64 && !(arm64 && linux)

package jit

import "unsafe"

func host(Options, bool) (*machine, error) { return nil, ErrUnsupported }

func enter(uintptr, unsafe.Pointer) {}

func enterFlushing(uintptr, unsafe.Pointer, uint32) {}

func control() uint32 { return 0 }

func setControl(uint32) {}
