package prim

// ID identifies a row. Engines compare identities and index tables by them. Names are for
// programs and messages.
type ID uint8

// The identities of the rows, in the order of All. Rows that the host makes (Host) have identity
// 0.
const (
	_ ID = iota

	// arithmetic
	Add // +
	Sub // -
	Neg
	Mul    // *
	Quo    // /
	PowInt // ^
	Abs
	Max
	Min
	Scale
	Inner
	ZeroLike
	Zero

	// powers
	E
	Sqrt
	Cbrt
	Pow // **
	Exp
	Expm1
	Exp2
	Log
	Log1p
	Log2
	Log10

	// trigonometry
	Pi
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Atan2

	// hyperbolic
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh

	// special functions
	Erf
	Erfc
	Erfcx
	ErfcxDerivative
	Lgamma
	Digamma
	Polygamma

	// families
	GammaP
	GammaQ
	BetaI
	BesselJ
	BesselY
	BesselI
	BesselK

	// smooth functions
	Sigmoid
	Softplus
	Logaddexp
	Hypot

	// comparisons
	Eq // ==
	Ne // !=
	Lt // <
	Le // <=
	Gt // >
	Ge // >=
	Not

	// rounding
	Real
	Floor
	Ceil
	Round
	Trunc
	Sign

	// integers
	Div
	Mod
	Mix

	// bits
	BitAnd
	BitOr
	BitXor
	ShiftLeft
	ShiftRight

	// characters
	UpperCase
	LowerCase
	IsBlank

	// arrays of reals
	Logsumexp
	Softmax
	Norm

	// matrices
	MatMul
	MatMulTN
	MatMulNT
	MatVec
	VecMat
	Outer
	Cholesky
	CholeskyPivot
	Det
	Expm
	Solve
	SolveLower
	SolveUpper
	Lu
	Qr
	EigSym
	Svd

	// structural rows
	Length
	Show
	File
	Debug
	Fail

	// texts
	Fixed
	Scientific
	IsNaN
	Infinity
	StringRunes
	StringFromRunes
	ParseReal
	TextOf // text

	// structural rows of the library
	Reduce
	Scan
	Zip
	Append
	Flatten
	Scatter
	Accumulate
	Sum
	Over
	SortIndices
	RowSize
	StringAppend
	StringLength
	Inspect
	Note

	// calculus
	Reverse
	Forward
	Jacobian
	Partials
	Integral
	IntegralFrom
	Root
	CutRoot
	FirstRoot
	Crosses
	MaxOver
	ArgmaxOver
	Roots
	ArgmaxWhere
	BoxRoot
	BoxRoots
	BoxMaxOver
	BoxArgmaxOver
	BoxArgmaxWhere
	Flow
	Jumps
	Sided
	Encloses
	Narrow
	WithDerivative
	WithPullback
	WithEnclosure
	Checkpoint
	Converging
	Correction
	StopGradient
	AddReal
	ScaleReal
	InnerReal
	Deviation
	Reals
	WithReals
)

// Count is the length of a table that is indexed by identities.
const Count = int(WithReals) + 1

// Row returns the row with an identity.
func (id ID) Row() *Prim { return table().rows[id-1] }

func (id ID) String() string { return id.Row().Name }
