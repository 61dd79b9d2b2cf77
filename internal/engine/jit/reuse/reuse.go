// Package reuse makes slices in the memory of others.
package reuse

// Sized gives a slice of a length, in the memory of another if that is large enough. Its elements
// are to be set.
func Sized[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}

// Zeros gives n zeros, in the memory of a slice if that is large enough.
func Zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	clear(old[:n])
	return old[:n]
}

// Roomier is a slice with room for n more. It has twice the length, at least, if it is a new one:
// append would make a long one shorter, and copy it more often, and it would write zeros.
func Roomier[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	out := make([]T, len(s), max(64, 2*len(s), len(s)+n))
	copy(out, s)
	return out
}
