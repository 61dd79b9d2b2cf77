//go:build !amd64 || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package jit

func mapText([]byte) ([]byte, error) { return nil, ErrUnsupported }

func unmapText([]byte) {}
