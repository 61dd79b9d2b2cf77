package loop

import (
	"slices"
	"unsafe"
)

// Code is a function that an engine has made ready to run. It is safe for concurrent use.
type Code interface {
	// Run calls the function. It reads buffers among the arguments in place and does not keep
	// them; buffers of the results are fresh. The error is ErrCheck, or the one that Poll
	// returned.
	Run(args []Arg, opts RunOptions) ([]Arg, error)
	// RunInto runs the function with a place for each result. A buffer is stored in its place if
	// the place has the capacity; other buffers are fresh. An argument may share memory with a
	// place. If the run fails, the contents of the places are unspecified.
	RunInto(into, args []Arg, opts RunOptions) error
}

// Arg is an argument or result of Code: a word for a scalar (a double's bits, an
// integer, 0 or 1), a slice for a buffer.
type Arg struct {
	Word uint64
	F    []float64
	I    []int64
}

// RunOptions bounds a run. The zero RunOptions sets no bounds.
type RunOptions struct {
	// Poll is called at least every few milliseconds. If it returns an error, the run stops with
	// that error.
	Poll func() error
	// Often makes the run poll as often as possible, for tests.
	Often bool
	// MaxBytes bounds the memory of the buffers that exist at the same time. Beyond it the run
	// stops with ErrMemory. 0 means no bound.
	MaxBytes int64
	// MaxDepth bounds the nesting of calls. A run that goes deeper stops with ErrCheck. An engine
	// may stop sooner. 0 means no bound.
	MaxDepth int
	// Threads is the number of goroutines that parallel loops may use. 0 means one.
	Threads int
}

// ScalarArg returns a double as an argument.
func ScalarArg(x float64) Arg { return Arg{Word: word(x)} }

// Put stores a result in a place: see RunInto. A fresh buffer may be kept without a copy.
func (a *Arg) Put(result Arg, fresh bool) {
	a.Word = result.Word
	a.F, a.I = put(a.F, result.F, fresh), put(a.I, result.I, fresh)
}

func put[T any](place, from []T, fresh bool) []T {
	if cap(place) < len(from) || place == nil {
		if fresh {
			return from
		}
		return append(from[:0:0], from...)
	}
	return place[:copy(place[:len(from)], from)]
}

// Overlaps reports whether some argument shares memory with the place.
func (a *Arg) Overlaps(args []Arg) bool { return overlaps(a.F, args) || overlaps(a.I, args) }

// Overlap reports whether some argument shares memory with some place.
func Overlap(into, args []Arg) bool {
	return slices.ContainsFunc(into, func(place Arg) bool { return place.Overlaps(args) })
}

func overlaps[T any](place []T, args []Arg) bool {
	start, end := address(place), address(place)+uintptr(8*cap(place))
	if start == end {
		return false
	}
	inside := func(first uintptr, n int) bool { return first < end && start < first+uintptr(8*n) }
	for k := range args {
		if a := &args[k]; inside(address(a.F), len(a.F)) || inside(address(a.I), len(a.I)) {
			return true
		}
	}
	return false
}

func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// Real returns the double that an argument is.
func (a Arg) Real() float64 { return double(a.Word) }
