//go:build !linux

package jit

// wantHugePages does nothing: the system chooses the size of pages.
func wantHugePages([]float64) {}
