package diag

// Code names a kind of diagnostic. Each has a page in docs/errors.md with a
// program that provokes it; a test compares that index with the table below.
//
// E01 text and syntax, E02 names and modules, E03 types, E04 patterns,
// E05 run time, E06 limits, E07 files and usage, E08 differentiation, E09 exact evaluation,
// W01 lints.
type Code string

// Limit reports whether a run that ends with the code was ended by a limit or by the user, so that
// it may succeed with more time, memory or depth.
func (c Code) Limit() bool {
	return c == TimeLimit || c == MemoryLimit || c == DepthLimit || c == Interrupted
}

// The codes.
const (
	NotUTF8          Code = "E0101" // the file is not UTF-8
	BadCharacter     Code = "E0102" // a character that starts no token
	UnclosedComment  Code = "E0103" // {- without -}
	UnclosedString   Code = "E0104" // a string without its closing quote
	BadEscape        Code = "E0105" // an escape that strings do not have
	BadNumber        Code = "E0106" // a malformed or oversized number
	Tab              Code = "E0107" // a tab in the indentation
	UnexpectedToken  Code = "E0108" // the grammar expects something else here
	Unclosed         Code = "E0109" // ( [ or { that is never closed
	UnmatchedClose   Code = "E0110" // ) ] or } that closes nothing
	TooDeep          Code = "E0111" // nesting beyond the limit
	MissingBody      Code = "E0112" // a let with nothing after it
	MisplacedDecl    Code = "E0113" // a declaration where an expression belongs, or the reverse
	DuplicateBinding Code = "E0114" // one pattern or record binds a name twice
	NonAssociative   Code = "E0115" // a < b < c
	Offside          Code = "E0116" // a token left of the block that it continues
	TooLarge         Code = "E0117" // the file is larger than the limit

	UnknownName         Code = "E0201" // a name that is not in scope
	UnknownType         Code = "E0202" // a type that is not declared
	UnknownConstructor  Code = "E0203" // a constructor that is not declared
	UnknownModule       Code = "E0204" // an import that names no module
	ImportCycle         Code = "E0205" // modules that import one another
	PrivateName         Code = "E0206" // a name that starts with _ used from outside
	DuplicateDefinition Code = "E0207" // a module defines one name twice
	UnknownMember       Code = "E0208" // a module has no such name
	TypeAbbreviation    Code = "E0209" // a type abbreviation that mentions itself
	ForwardReference    Code = "E0210" // a name used before its definition

	Mismatch            Code = "E0301" // two types that should be equal are not
	NotAFunction        Code = "E0302" // an application of what is not a function
	TooManyArguments    Code = "E0303" // more arguments than the function takes
	MissingArguments    Code = "E0304" // a function where its result was meant
	InfiniteType        Code = "E0305" // a type that would contain itself
	NoInstance          Code = "E0306" // a type that lacks the operation
	Ambiguous           Code = "E0307" // a type that nothing decides
	NoField             Code = "E0308" // a record without that field
	NotARecord          Code = "E0309" // a field of what is not a record
	NotIndexable        Code = "E0310" // an index into what is neither array nor tuple
	TupleIndex          Code = "E0311" // a projection beyond the tuple, or by a variable
	RealEquality        Code = "E0312" // == on reals
	SizeMismatch        Code = "E0313" // two array sizes that differ
	TypeArity           Code = "E0314" // a type with the wrong number of arguments
	TooGeneral          Code = "E0315" // an annotation more general than the definition
	IntReal             Code = "E0316" // an Int where a Real is meant, or the reverse
	ConstructorArity    Code = "E0317" // a constructor with the wrong number of arguments
	UnboundTypeVariable Code = "E0318" // a declaration that uses an undeclared type variable
	NotDiff             Code = "E0319" // a derivative at a type with functions in it
	BranchMismatch      Code = "E0320" // the branches of if or match have different types
	BadConstraint       Code = "E0321" // a constraint that names no class
	TypeTooLarge        Code = "E0322" // a type beyond the size limit

	NotExhaustive    Code = "E0401" // a match that misses a case
	Redundant        Code = "W0402" // an arm that can never be reached
	RealPattern      Code = "E0403" // a pattern that matches a real
	RefutableBinding Code = "E0404" // a binding whose pattern may fail

	IndexOutOfRange  Code = "E0501" // an index beyond the array
	IntOverflow      Code = "E0502" // integer arithmetic beyond 64 bits
	DivisionByZero   Code = "E0503" // div or mod by zero
	SizesDiffer      Code = "E0504" // array sizes that turn out to differ
	NegativeSize     Code = "E0505" // an array of negative size
	Failure          Code = "E0507" // the program called fail
	NoInt            Code = "E0508" // a real that no Int can hold
	BadSlice         Code = "E0509" // a slice beyond the array
	NegativeExponent Code = "E0510" // an Int raised to a negative power
	// a matrix without the inverse, factor or derivative that is asked for
	BadMatrix Code = "E0512"

	TimeLimit       Code = "E0601" // --timeout reached
	MemoryLimit     Code = "E0602" // --memory reached
	DepthLimit      Code = "E0603" // --depth reached
	Interrupted     Code = "E0604" // Ctrl-C
	ProgramTooLarge Code = "E0605" // specialisation beyond the limit

	CannotRead   Code = "E0701" // a file that cannot be read
	NothingToRun Code = "E0702" // a file without an expression or main
	BadCore      Code = "E0703" // core text that does not parse or verify

	DataType Code = "E0704" // data whose type is not known, or that cannot have its type
	// a data file whose path is not a literal, or outside of its folder
	DataPath      Code = "E0705"
	BadData       Code = "E0706" // a data file that is not of its format
	WrongData     Code = "E0707" // data that is not of its type
	NoColumn      Code = "E0708" // a field that the data does not have
	DataLimit     Code = "E0709" // data beyond the limits
	MainArguments Code = "E0710" // parameters of main that are missing, misspelt or given twice
	CannotWrite   Code = "E0711" // a result that cannot be written to a file
	CannotCompile Code = "E0712" // a function that cannot be compiled
	CannotFit     Code = "E0713" // a model that cannot be fitted to the data as asked
	BadCheckpoint Code = "E0714" // a checkpoint that does not belong to the fit
	CannotBind    Code = "E0715" // a Go type that does not fit a definition
	Unproved      Code = "E0716" // an optimum that is not proved
	CannotSolve   Code = "E0717" // a function that cannot be searched in a box as asked

	StrategyLimits Code = "E0801" // a published algorithm that does not cover the program
	StrategyBudget Code = "E0802" // a published algorithm beyond its bound of operations

	TiedComparison Code = "E0803" // differentiating through a comparison of equal reals
	TiedJump       Code = "E0804" // differentiating where a rounding or sign jumps
	TiedKink       Code = "E0805" // a second derivative at a kink
	NotFinite      Code = "E0806" // a derivative that is infinite or NaN
	ShapesDiffer   Code = "E0807" // a tangent or cotangent of another shape than its value
	NoIntegral     Code = "E0808" // an integral that does not converge
	NoRoot         Code = "E0809" // a root that is not there, or not found
	NoOptimum      Code = "E0810" // an optimum that is not there, not found or not unique
	NotCertified   Code = "E0811" // a search on doubles whose result is not certain
	WrongRule      Code = "E0812" // a rule or an enclosure that its function contradicts
	CapturedByRule Code = "E0813" // a function with a rule that captures what is differentiated

	NotNarrowed Code = "E0901" // an enclosure that no effort narrows
	Undecided   Code = "E0902" // a comparison of reals that may be equal
	EffortSpent Code = "E0903" // an enclosure that is still too wide
	Undefined   Code = "E0904" // an operation that may be outside its domain
	NoText      Code = "E0905" // a real that is to be shown while its digits are not known
	Uncertified Code = "E0906" // a result on doubles of which no digit is certain

	MinusArgument Code = "W0101" // f -x subtracts
	UnusedName    Code = "W0102" // a local name that nothing uses
	ShadowedName  Code = "W0103" // a binding that hides another of the same block
	UnusedImport  Code = "W0104" // an import that nothing uses
	MisleadingBar Code = "W0105" // an arm that stands below another match than its own
	TypeLikeName  Code = "W0106" // a type variable that is called like a type
	NothingReal   Code = "W0107" // a derivative with respect to what has no reals
	PartialResult Code = "W0108" // a program whose result lacks arguments

	Approximates Code = "W0901" // exact evaluation of a function that approximates
)
