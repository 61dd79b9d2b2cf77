package x86

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// x86Gather holds what a gather of doubles in the nearest cache takes on a model, and what as many
// loads take, in nanoseconds.
type x86Gather struct {
	first, last      int     // the models of the family 6 of Intel
	gather4, gather8 float64 // of four doubles with AVX2, and of eight with AVX-512
	load4, load8     float64 // that are put together to a vector
}

// x86Gathers lists the models whose times differ from the usual ones.
//
// The times of Cascade Lake (85) were measured, at 2.5 GHz. The others have the same microcode
// against the leak "gather data sampling", which makes a gather wait until it is the oldest
// instruction. They are taken to be like it: Ice Lake (106 to 108), Tiger Lake (140, 141), Rocket
// Lake (167), and Skylake and its successors for desktops, which have AVX2 only. A wrong number
// makes code slower and never changes a result.
var x86Gathers = []x86Gather{
	{first: 85, last: 85, gather4: 10, gather8: 11, load4: 2.7, load8: 5.4},
	{first: 106, last: 108, gather4: 10, gather8: 11, load4: 2.7, load8: 5.4},
	{first: 140, last: 141, gather4: 10, gather8: 11, load4: 2.7, load8: 5.4},
	{first: 167, last: 167, gather4: 10, gather8: 11, load4: 2.7, load8: 5.4},
	// those for desktops
	{first: 78, last: 78, gather4: 10, load4: 2.7},
	{first: 94, last: 94, gather4: 10, load4: 2.7},
	{first: 142, last: 142, gather4: 10, load4: 2.7},
	{first: 158, last: 158, gather4: 10, load4: 2.7},
	{first: 165, last: 166, gather4: 10, load4: 2.7},
}

// gatherTimes returns the times of a gather of a vector and of a load for each of its elements.
func gatherTimes(on ir.Processor, avx512 bool) (gather, load float64) {
	// as measured on Emerald Rapids
	all := x86Gather{gather4: 0.75, gather8: 1.3, load4: 1.3, load8: 2.5}
	switch {
	case on.Vendor == "AuthenticAMD": // not measured; each element takes several operations there
		all = x86Gather{gather4: 4, gather8: 8, load4: 1.6, load8: 3.2}
	case on.Vendor == "GenuineIntel" && on.Family == 6:
		for _, known := range x86Gathers {
			if known.first <= on.Model && on.Model <= known.last {
				all = known
			}
		}
	}
	if avx512 {
		return all.gather8, all.load8
	}
	return all.gather4, all.load4
}
