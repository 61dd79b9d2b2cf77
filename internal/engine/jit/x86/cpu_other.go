//go:build !amd64

package x86

import "github.com/fluxion-lang/fluxion/internal/engine/jit/ir"

// Host returns none that is known.
func Host() ir.Processor { return ir.Processor{} }
