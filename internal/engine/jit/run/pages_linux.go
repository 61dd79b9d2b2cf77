package run

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page; other machines may have other sizes, and then less is asked
// for.
const hugePage = 1 << 21

// WantHugePages asks the system for large pages in memory that is to be written. The first write to
// a page costs as much as computing a thousand elements, and large pages have 512 times as many
// elements. It may refuse.
func WantHugePages(words []float64) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(words)))
	skip := -start & (hugePage - 1)
	if n := (uintptr(8*len(words)) - skip) &^ (hugePage - 1); n > 0 &&
		8*uintptr(len(words)) > skip {
		inner := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(words)), skip))
		_ = syscall.Madvise(unsafe.Slice(inner, n), syscall.MADV_HUGEPAGE)
	}
}
