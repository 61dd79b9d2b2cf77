//go:build !amd64

package jit

import "unsafe"

func features() (avx2, avx512 bool) { return false, false }

func enter(uintptr, unsafe.Pointer) {}
