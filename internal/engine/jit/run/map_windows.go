//go:build amd64

package run

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapText gives memory with a text that may be executed. It is writable only before that.
func mapText(text []byte) ([]byte, error) {
	p, err := windows.VirtualAlloc(0, uintptr(len(text)), windows.MEM_COMMIT|windows.MEM_RESERVE,
		windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	m := unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), len(text)) // p is not memory of Go
	copy(m, text)
	var old uint32
	if err := windows.VirtualProtect(p, uintptr(len(text)), windows.PAGE_EXECUTE_READ,
		&old); err != nil {
		unmapText(m)
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return m, nil
}

func unmapText(m []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(&m[0])), 0, windows.MEM_RELEASE)
}
