package jit

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// features tells which instructions the processor has.
func features() (avx2, avx512 bool) {
	x := &cpu.X86
	avx2 = x.HasAVX2 && x.HasFMA && x.HasBMI2
	return avx2, avx2 && x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL
}

// enter runs machine code with a context block. It is not marked nosplit: each call is a place where Go
// may stop the goroutine.
func enter(code uintptr, block unsafe.Pointer)
