package jit

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// executable is memory with machine code. A finalizer releases it.
type executable struct{ text []byte }

// maxPages bounds the pages of code that are made between two collections. The collector does not
// see them: without a bound, dropped code could use up the number of mappings that a process may
// have.
var maxPages int64 = 1 << 14

// pages is how many were made since the collector was called because of them.
var pages atomic.Int64

func newExecutable(text []byte) (*executable, error) {
	const page = 1 << 12
	if pages.Add(int64(len(text)+page-1)/page) > maxPages {
		pages.Store(0)
		runtime.GC()
	}
	m, err := mapText(text)
	if err != nil {
		return nil, err
	}
	x := &executable{m}
	runtime.SetFinalizer(x, func(x *executable) { unmapText(x.text) })
	return x, nil
}

func (x *executable) address() uintptr { return uintptr(unsafe.Pointer(&x.text[0])) }
