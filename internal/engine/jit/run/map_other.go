//go:build !(amd64 && (linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)) && !(arm64 && linux)

package run

func mapText([]byte) ([]byte, error) { return nil, ErrUnsupported }

func unmapText([]byte) {}
