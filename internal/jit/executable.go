package jit

import (
	"runtime"
	"unsafe"
)

// executable is memory with machine code. A finalizer releases it.
type executable struct{ text []byte }

func newExecutable(text []byte) (*executable, error) {
	m, err := mapText(text)
	if err != nil {
		return nil, err
	}
	x := &executable{m}
	runtime.SetFinalizer(x, func(x *executable) { unmapText(x.text) })
	return x, nil
}

func (x *executable) address() uintptr { return uintptr(unsafe.Pointer(&x.text[0])) }
