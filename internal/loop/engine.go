package loop

import (
	"slices"
	"unsafe"
)

// Code is a function made ready to run by an engine. It may run in several goroutines at once.
type Code interface {
	// Run calls the function. Buffers among the arguments are read in place and not
	// kept; those of the results are fresh. The error is ErrCheck, or what Poll gave.
	Run(args []Arg, opts RunOptions) ([]Arg, error)
	// RunInto is Run with a place for each result. A buffer whose place has the capacity for it
	// comes to lie there; others are fresh. An argument may lie at a place too. If the run fails,
	// places hold anything.
	RunInto(into, args []Arg, opts RunOptions) error
}

// Arg is an argument or result of Code: a word for a scalar (a double's bits, an
// integer, 0 or 1), a slice for a buffer.
type Arg struct {
	Word uint64
	F    []float64
	I    []int64
}

// RunOptions bound a run. The zero RunOptions do not.
type RunOptions struct {
	// Poll is called at least every few milliseconds; the run stops with the error it gives.
	Poll func() error
	// Often makes the run poll wherever it can, for tests.
	Often bool
	// MaxBytes bounds the memory of the buffers that exist at one time; beyond it the run stops
	// with ErrMemory. 0 stands for no bound.
	MaxBytes int64
	// MaxDepth bounds how deep calls nest: a run that goes deeper stops with ErrCheck. An engine
	// may stop sooner. 0 stands for no bound.
	MaxDepth int
	// Threads is the number of goroutines that parallel loops may use; 0 stands for one.
	Threads int
}

// ScalarArg returns a double as an argument.
func ScalarArg(x float64) Arg { return Arg{Word: word(x)} }

// Put sets a place to a result: see RunInto. A buffer that is fresh may be kept as it is.
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

// Overlaps reports whether an argument lies in the memory that a place has.
func (a *Arg) Overlaps(args []Arg) bool { return overlaps(a.F, args) || overlaps(a.I, args) }

// Overlap reports whether an argument lies in the memory that a place has.
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
