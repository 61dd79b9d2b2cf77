package ir

import "fmt"

// Target describes a machine: all that lowering and allocation know of it. What an instruction
// can or cannot do is a field, so that they ask for it and not for the machine's name.
type Target struct {
	Name    string   // of the set of instructions
	Bytes   uint8    // of a vector
	Files   [3][]Reg // the registers of each class
	Context Reg      // holds the address of the context block

	// masks have registers of their own, and any instruction on vectors works under one
	Masks bool
	// vectors of 64-bit integers are multiplied, compared for the larger, shifted with their sign
	// and converted
	Integers  bool
	Scatters  bool // vectors are stored to elements that are not side by side
	KeepsMask bool // a gather does not change its mask
	Scales    bool // there is an instruction for ldexp
	// the minimum and the maximum are NaN if an operand is, and know the sign of zero
	ExactExtremes bool
	Transposes    bool // vectors are taken apart and put together by pairs and halves
	Rows          bool // eight vectors of eight elements are transposed in registers

	Jammed      int   // the vectors side by side around short loops
	TileRows    int64 // the shape of the blocks of products of matrices, whose sums, with
	TileColumns int64 // a row of one matrix and an element of the other, fit the registers

	// GatherTime and LoadTime are nanoseconds that a vector of elements from the nearest cache
	// takes: by one gather, and by a load for each element.
	GatherTime, LoadTime float64
}

// String says which instructions code for the target has, and the times that decide about it.
func (m *Target) String() string {
	return fmt.Sprintf("%s: a gather takes %g ns, its loads %g ns", m.Name, m.GatherTime,
		m.LoadTime)
}

// Width is the bytes of a vector.
func (m *Target) Width() uint8 { return m.Bytes }

// Processor is one that a process runs on. The zero processor is none that is known.
type Processor struct {
	Sets          []string // of instructions that it has and its back end knows, the best first
	Vendor        string
	Family, Model int
}
