//go:build (amd64 && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)) || (arm64 && linux)

package run

import (
	"fmt"
	"syscall"
	"unsafe"
)

// mapText gives memory with a text that may be executed. It is writable only before that.
func mapText(text []byte) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, len(text), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	copy(m, text)
	if err := syscall.Mprotect(m, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		_ = syscall.Munmap(m)
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	publish(unsafe.Pointer(&m[0]), uintptr(len(m)))
	return m, nil
}

func unmapText(m []byte) { _ = syscall.Munmap(m) }
