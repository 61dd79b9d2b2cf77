package object

import (
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// FlatCache is the flat form of an array, once it is known.
type FlatCache = atomic.Pointer[FlatArray]

// FlatArray is an array as arguments of the loop form.
type FlatArray struct {
	Args  []loop.Arg
	Plain bool // no real is boxed
}

// FlatCacheOf is where the flat form of an array is kept, nil if it is not.
func FlatCacheOf(r Ref) *FlatCache {
	switch a := r.(type) {
	case *Reals:
		if !a.own {
			return &a.flat
		}
	case *Refs:
		if !a.own {
			return &a.flat
		}
	case *Table:
		if !a.own {
			return &a.flat
		}
	}
	return nil
}

// Flat tells whether the flat form of an array of rows is known, so that they have one length.
func (a *Refs) Flat() bool { return !a.own && a.flat.Load() != nil }
