package x86

import (
	"golang.org/x/sys/cpu"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// Host is the one that this process runs on.
func Host() ir.Processor {
	x := &cpu.X86
	p := ir.Processor{}
	switch avx2 := x.HasAVX2 && x.HasFMA && x.HasBMI2; {
	case avx2 && x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		p.Sets = Sets
	case avx2:
		p.Sets = Sets[1:]
	}
	_, b, c, d := cpuid(0, 0)
	for _, word := range []uint32{b, d, c} {
		p.Vendor += string([]byte{byte(word), byte(word >> 8), byte(word >> 16), byte(word >> 24)})
	}
	a, _, _, _ := cpuid(1, 0)
	p.Family, p.Model = int(a>>8&15), int(a>>4&15)
	if p.Family == 6 || p.Family == 15 {
		p.Model += int(a >> 16 & 15 << 4)
	}
	if p.Family == 15 {
		p.Family += int(a >> 20 & 255)
	}
	return p
}

// cpuid asks the processor about itself.
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)
