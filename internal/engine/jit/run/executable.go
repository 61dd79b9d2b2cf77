// Package run holds machine code in memory that may be executed, and enters it. It knows operating
// systems, and nothing of the code.
package run

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ErrUnsupported says that this machine or operating system cannot run machine code.
var ErrUnsupported = errors.New("jit: machine code is not supported here")

// Executable is memory with machine code. A finalizer releases it.
type Executable struct{ text []byte }

// MaxPages bounds the pages of code that are made between two collections. The collector does not
// see them: without a bound, dropped code could use up the number of mappings that a process may
// have.
var MaxPages int64 = 1 << 14

// pages is how many were made since the collector was called because of them.
var pages atomic.Int64

func NewExecutable(text []byte) (*Executable, error) {
	const page = 1 << 12
	if pages.Add(int64(len(text)+page-1)/page) > MaxPages {
		pages.Store(0)
		runtime.GC()
	}
	m, err := mapText(text)
	if err != nil {
		return nil, err
	}
	x := &Executable{m}
	runtime.SetFinalizer(x, func(x *Executable) { unmapText(x.text) })
	return x, nil
}

func (x *Executable) Address() uintptr { return uintptr(unsafe.Pointer(&x.text[0])) }
