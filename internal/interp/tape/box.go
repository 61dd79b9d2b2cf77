package tape

import "math"

// Note [Boxes]
//
// While a derivative is being computed, a real that depends on a variable of
// the derivative is not its value but a *box*: a NaN that no arithmetic makes,
// whose payload is the handle of an entry on the tape, which holds the value.
// So every real is one double wherever it lies, in registers, closures, data
// and columns of arrays, and code that only moves reals knows nothing of
// derivatives. Arithmetic does: a boxed operand makes the result a NaN, so
// that an instruction compares its result with itself and, in the rare case
// that it differs, looks at the operands. A program pays for derivatives only
// where it computes them.
//
// The machine's own NaNs are 0xFFF8… and 0x7FF8…; boxes start with fourteen
// ones, and Go moves them bit for bit. No box leaves the derivative that made
// it: results are unboxed on the way out, up to those of derivatives around it
// that are still in progress.

// Handle names an entry of a tape: a node, or, with the highest bit set, an
// element of an array that is on the tape as a whole. 0 is none.
type Handle uint32

// ElementBit marks the handles of elements.
const ElementBit Handle = 1 << 31

const boxBits uint64 = 0xFFFC << 48

// Absent is the cotangent or tangent that nothing has contributed to: a zero
// by structure, which is never multiplied. It is not a box: its payload is
// beyond every handle.
var Absent = math.Float64frombits(^uint64(0))

// IsAbsent tells whether x is Absent.
func IsAbsent(x float64) bool { return math.Float64bits(x) == ^uint64(0) }

// Box is the real with a handle.
func Box(h Handle) float64 { return math.Float64frombits(boxBits | uint64(h)) }

// IsBox tells whether x is a box.
func IsBox(x float64) bool { return math.Float64bits(x)>>32 == boxBits>>32 }

// Unbox gives the handle of a box.
func Unbox(x float64) Handle { return Handle(math.Float64bits(x)) }

// AnyBox tells whether there is a box in a column.
func AnyBox(xs []float64) bool {
	for _, x := range xs {
		if x != x && IsBox(x) {
			return true
		}
	}
	return false
}
