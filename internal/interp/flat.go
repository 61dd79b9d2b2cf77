package interp

import (
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// flatCache is the flat form of an array, once it is known.
type flatCache struct{ atomic.Pointer[flatArray] }

// flatArray is an array as arguments of the loop form.
type flatArray struct {
	args  []loop.Arg
	plain bool // no real is boxed
}

// flatCacheOf is where the flat form of an array is kept, nil if it is not.
func flatCacheOf(r ref) *flatCache {
	switch a := r.(type) {
	case *reals:
		if !a.own {
			return &a.flat
		}
	case *refs:
		if !a.own {
			return &a.flat
		}
	case *table:
		if !a.own {
			return &a.flat
		}
	}
	return nil
}
