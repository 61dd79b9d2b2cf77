//go:build !amd64

package jit

import "unsafe"

func features() (avx2, avx512 bool) { return false, false }

func host(Options, bool) (*machine, error) { return nil, ErrUnsupported }

func enter(uintptr, unsafe.Pointer) {}

func enterFlushing(uintptr, unsafe.Pointer, uint32) {}

func control() uint32 { return 0 }

func setControl(uint32) {}
