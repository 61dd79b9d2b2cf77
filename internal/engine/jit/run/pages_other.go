//go:build !linux

package run

// WantHugePages does nothing: the system chooses the size of pages.
func WantHugePages([]float64) {}
