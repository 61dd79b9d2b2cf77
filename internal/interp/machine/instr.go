package machine

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// Instr is one instruction: an operation, up to three registers (or small
// numbers) and an immediate. Registers are numbers in the function's windows
// of the F, I and P stacks; the operation says of which.
type Instr struct {
	Op      Opcode
	A, B, C uint16
	K       int64
}

// Register names a register in the list of an instruction with many operands.
type Register struct {
	Kind layout.Kind
	Reg  uint16
}

// Opcode is an operation of the machine.
type Opcode uint16

// The comments say what each does; opTable gives the operands' kinds. In
// jumps that compare with an immediate, k holds the target below and 32 bits
// of the immediate above.
const (
	OpNop Opcode = iota

	// Doubles.
	OpMovF      // a = b
	OpLoadF     // a = k
	OpAddF      // a = b + c
	OpSubF      // a = b - c
	OpMulF      // a = b * c
	OpDivF      // a = b / c
	OpNegF      // a = -b
	OpAddKF     // a = b + k
	OpRSubKF    // a = k - b
	OpMulKF     // a = b * k
	OpDivKF     // a = b / k
	OpRDivKF    // a = k / b
	OpMulAddF   // a = b * c + F[k]
	OpMulSubF   // a = b * c - F[k]
	OpSubMulF   // a = F[k] - b * c
	OpMulMulF   // a = b * c * F[k]
	OpAffineF   // a = b * k + k', both constants of 32 bits
	OpMulKAddF  // a = b * k + c
	OpMulKSubF  // a = b * k - c
	OpSubMulKF  // a = c - b * k
	OpMulKMulF  // a = b * k * c
	OpMulAddKF  // a = b * c + k
	OpRSubMulF  // a = k - b * c
	OpMulMulKF  // a = b * c * k
	OpAddMulF   // a = (b + c) * F[k]
	OpDiffMulF  // a = (b - c) * F[k]
	OpRSubKMulF // a = (k - b) * c
	OpSqrtF     // a = sqrt b
	OpAbsF      // a = |b|
	OpMaxF      // a = max b c
	OpMinF      // a = min b c
	OpReal1     // a = real1[k] b
	OpReal2     // a = lib.real2[k] b c
	OpFamily    // a = families[k] of the list b, whose reals may be boxed
	OpIntReal   // a = intReal[k] (I b) c
	OpRealInt   // a = realInt[k] b (I c)
	OpFromInt   // a = real (I b)
	OpRound     // I a = round[k] b; may fail
	OpLtF       // I a = b < c
	OpLeF       // I a = b <= c
	OpCmpF      // I a = compareF[k] b c
	OpFoldF     // a = fold[k] of the array P b
	OpMapF      // P a = mapArray[k] of the array P b

	// Integers.
	OpMovI
	OpLoadI
	OpAddI  // a = b + c; overflow is an error, here and below
	OpSubI  // a = b - c
	OpMulI  // a = b * c
	OpAddKI // a = b + k
	OpMulKI // a = b * k
	OpRSubKI
	OpNegI  // a = -b
	OpInt1  // a = int1[k] b; may fail
	OpInt2  // a = int2[k] b c; may fail
	OpNot   // a = 1 - b
	OpLtI   // a = b < c
	OpLeI   // a = b <= c
	OpEqI   // a = b == c
	OpNeI   // a = b != c
	OpLtKI  // a = b < k
	OpGtKI  // a = b > k
	OpEqKI  // a = b == k
	OpNeKI  // a = b != k
	OpCmpI  // a = compareI[k] b c
	OpCount // count a calls and k primitive operations

	// References.
	OpMovP
	OpLoadP // a = consts[k]

	// Strings.
	OpCmpS // I a = P b compared with P c, as k says
	OpAppendS
	OpLengthS // I a = length of P b
	OpShow    // P a = show of the list b at the type types[k]
	OpTextP   // P a = the text row rows[k] of the list b
	OpTextI   // I a = likewise
	OpTextF   // F a = likewise
	OpFail    // fail with the message P a
	OpNote    // tell the watcher P a
	OpInspect // show the list b at inspections[k], with the label P a

	// Control.
	OpJump   // to k
	OpJFalse // unless I a
	OpJNLtF  // unless F a < F b: not the same as >=, with NaN
	OpJNLeF
	OpJNLtKF // unless F a < float32 k
	OpJNGtKF
	OpJNLeKF
	OpJNGeKF
	OpJLtI // if I a < I b
	OpJLeI
	OpJEqI
	OpJNeI
	OpJLtKI // if I a < int32 k
	OpJGtKI
	OpJEqKI
	OpJNeKI
	OpBack    // jump backwards to k: a loop's end, paid with fuel
	OpLoop    // I a += 1; if I a < I b jump to k
	OpSwitchI // to jumps[k][I a]
	OpSwitchCell
	OpSwitchNode

	// Calls. Arguments lie in the outgoing registers (of a tail call: in the
	// first ones), and after the last P argument the closure, if the function
	// has one.
	OpCall         // function k; a single result goes to register a
	OpCallClosure  // the closure after the arguments that calls[k] describes
	OpTailCall     // as OpCall, in place of the caller
	OpTailClosure  // as OpCallClosure
	OpRetF         // F a
	OpRetI         // I a
	OpRetP         // P a
	OpRet          // results lie in the first registers
	OpRetGlobal    // the results, in the first registers, are those of constant k
	OpGlobal       // the list b gets constant k
	OpApplyPending // tail call: P 0 to the arguments pending in P 1
	OpHalt         // the outermost call is over
	OpRefuse       // fail: the function could not be compiled

	// Functions as values.
	OpClosure // P a = function k with the captures of the list b
	OpCapture // captured reference k of closure P a = P b
	OpEnvF    // F a = captured plain slot k of P b
	OpEnvI
	OpEnvP

	// Data.
	OpNewCell // P a = cell of tag k with the slots of the list b
	OpNewNode
	OpCellF // F a = slot of P b
	OpCellI
	OpCellP
	OpNodeF // F a = plain slot k of P b
	OpNodeI
	OpNodeP

	// Arrays.
	OpLen     // I a = length of P b
	OpAtF     // F a = P b [I c], checked
	OpAtI     //
	OpAtP     //
	OpCheckAt // check that I b indexes P a
	OpColF    // F a = column k of the table P b at I c
	OpColI
	OpColP
	OpNew     // P a = new array of I b elements of the shape shapes[k]
	OpSetF    // P a [I b] = F c, in an array being built
	OpSetI    //
	OpSetP    //
	OpSetColF // column k of P a at I b = F c
	OpSetColI
	OpSetColP
	OpArray     // P a = array of the shape shapes[k] with the elements of the list b
	OpSlice     // P a = P b [I c : I k]
	OpSameLen   // check that P a has I b elements
	OpCheckSize // check sizes I a and I b by checks[k]
	OpAppend
	OpFlatten // P a = flatten of P b; rows have the shape shapes[k]
	OpScatter // P a = scatter of the list b, in place if k and the array is owned
	OpAccumulate
	OpScatterPath // P a = the array, the indices, the elements and the path of the list b; see Note [Updates of rows]
	OpShare       // P a is not owned
	OpKeepRows    // P a does not own its rows
	OpSortIndices
	OpRowSize // I a = length of the rows of P b, or -1
	OpWholeF  // a = wholeRows[k] of the list b
	OpWholeP  // P a = the same

	// Reals that may be boxed (Note [Boxes]), in programs with derivatives.
	OpAddT    // a = b + c
	OpSubT    // a = b - c
	OpMulT    // a = b * c
	OpDivT    // a = b / c
	OpNegT    // a = -b
	OpAddKT   // a = b + k
	OpRSubKT  // a = k - b
	OpMulKT   // a = b * k
	OpDivKT   // a = b / k
	OpRDivKT  // a = k / b
	OpLtT     // I a = b < c
	OpLeT     // I a = b <= c
	OpRow1T   // a = rows[k] of the tape b
	OpRow2T   // a = rows[k] of the tape b c
	OpRowIT   // a = rows[k] of the tape b (I c), or of (I c) b
	OpRoundT  // I a = round[k] b; may fail
	OpFoldT   // a = fold[k] of the array P b
	OpMapT    // P a = mapArray[k] of the array P b
	OpOperate // the list c = operations[k] of the list b
	OpLoops   // the list c = regions[k] of the list b; I a tells whether it was run
	numOps
)

// opInfo describes an operation for the assembler and the disassembler: its
// name and, for a, b, c and k, what they are: F, I, P a register; n a number;
// l the number of an operand list; f, i an immediate; j a target; J, G a
// target with an integer or a real; A two reals; x an index of a table; - nothing.
type opInfo struct{ name, operands string }

var opTable = [numOps]opInfo{
	OpNop:  {"nop", "----"},
	OpMovF: {"mov.f", "FF--"}, OpLoadF: {"load.f", "F--f"},
	OpAddF: {"add.f", "FFF-"}, OpSubF: {"sub.f", "FFF-"}, OpMulF: {"mul.f", "FFF-"}, OpDivF: {"div.f", "FFF-"},
	OpNegF: {"neg.f", "FF--"}, OpAddKF: {"addk.f", "FF-f"}, OpRSubKF: {"rsubk.f", "FF-f"},
	OpMulKF: {"mulk.f", "FF-f"}, OpDivKF: {"divk.f", "FF-f"}, OpRDivKF: {"rdivk.f", "FF-f"},
	OpMulAddF: {"muladd.f", "FFFF"}, OpMulSubF: {"mulsub.f", "FFFF"}, OpSubMulF: {"submul.f", "FFFF"}, OpMulMulF: {"mulmul.f", "FFFF"},
	OpAffineF: {"affine.f", "FF-A"}, OpMulKAddF: {"mulkadd.f", "FFFf"}, OpMulKSubF: {"mulksub.f", "FFFf"}, OpSubMulKF: {"submulk.f", "FFFf"}, OpMulKMulF: {"mulkmul.f", "FFFf"},
	OpMulAddKF: {"muladdk.f", "FFFf"}, OpRSubMulF: {"rsubmul.f", "FFFf"}, OpMulMulKF: {"mulmulk.f", "FFFf"},
	OpAddMulF: {"addmul.f", "FFFF"}, OpDiffMulF: {"diffmul.f", "FFFF"}, OpRSubKMulF: {"rsubkmul.f", "FFFf"},
	OpSqrtF: {"sqrt.f", "FF--"}, OpAbsF: {"abs.f", "FF--"}, OpMaxF: {"max.f", "FFF-"}, OpMinF: {"min.f", "FFF-"},
	OpReal1: {"real1", "FF-x"}, OpReal2: {"real2", "FFFx"}, OpFamily: {"family", "Fl-x"},
	OpIntReal: {"intreal", "FIFx"}, OpRealInt: {"realint", "FFIx"}, OpFromInt: {"real", "FI--"}, OpRound: {"round", "IF-x"},
	OpLtF: {"lt.f", "IFF-"}, OpLeF: {"le.f", "IFF-"}, OpCmpF: {"cmp.f", "IFFx"},
	OpFoldF: {"fold.f", "FP-x"}, OpMapF: {"map.f", "PP-x"},

	OpMovI: {"mov.i", "II--"}, OpLoadI: {"load.i", "I--i"},
	OpAddI: {"add.i", "III-"}, OpSubI: {"sub.i", "III-"}, OpMulI: {"mul.i", "III-"},
	OpAddKI: {"addk.i", "II-i"}, OpMulKI: {"mulk.i", "II-i"}, OpRSubKI: {"rsubk.i", "II-i"}, OpNegI: {"neg.i", "II--"},
	OpInt1: {"int1", "II-x"}, OpInt2: {"int2", "IIIx"}, OpNot: {"not", "II--"},
	OpLtI: {"lt.i", "III-"}, OpLeI: {"le.i", "III-"}, OpEqI: {"eq.i", "III-"}, OpNeI: {"ne.i", "III-"},
	OpLtKI: {"ltk.i", "II-i"}, OpGtKI: {"gtk.i", "II-i"}, OpEqKI: {"eqk.i", "II-i"}, OpNeKI: {"nek.i", "II-i"},
	OpCmpI: {"cmp.i", "IIIx"}, OpCount: {"count", "n--i"},

	OpMovP: {"mov.p", "PP--"}, OpLoadP: {"load.p", "P--x"},
	OpCmpS: {"cmp.s", "IPPx"}, OpAppendS: {"append.s", "PPP-"}, OpLengthS: {"length.s", "IP--"},
	OpTextP: {"text.p", "Pl-x"}, OpTextI: {"text.i", "Il-x"}, OpTextF: {"text.f", "Fl-x"},
	OpShow: {"show", "Pl-x"}, OpFail: {"fail", "P---"}, OpNote: {"note", "P---"}, OpInspect: {"inspect", "Pl-x"},

	OpJump: {"jump", "---j"}, OpJFalse: {"jfalse", "I--j"},
	OpJNLtF: {"jnlt.f", "FF-j"}, OpJNLeF: {"jnle.f", "FF-j"},

	OpJNLtKF: {"jnltk.f", "F--G"}, OpJNGtKF: {"jngtk.f", "F--G"}, OpJNLeKF: {"jnlek.f", "F--G"}, OpJNGeKF: {"jngek.f", "F--G"},
	OpJLtI: {"jlt.i", "II-j"}, OpJLeI: {"jle.i", "II-j"}, OpJEqI: {"jeq.i", "II-j"}, OpJNeI: {"jne.i", "II-j"},
	OpJLtKI: {"jltk.i", "I--J"}, OpJGtKI: {"jgtk.i", "I--J"}, OpJEqKI: {"jeqk.i", "I--J"}, OpJNeKI: {"jnek.i", "I--J"},
	OpBack: {"back", "---j"}, OpLoop: {"loop", "II-j"},
	OpSwitchI: {"switch.i", "I--x"}, OpSwitchCell: {"switch.cell", "P--x"}, OpSwitchNode: {"switch.node", "P--x"},

	// The register that gets the result of a call depends on the callee; see
	// patchOutgoing.
	OpCall: {"call", "r--x"}, OpCallClosure: {"call.closure", "r--x"},
	OpTailCall: {"tail", "---x"}, OpTailClosure: {"tail.closure", "---x"},
	OpRetF: {"ret.f", "F---"}, OpRetI: {"ret.i", "I---"}, OpRetP: {"ret.p", "P---"}, OpRet: {"ret", "----"},
	OpRetGlobal: {"ret.global", "---x"}, OpGlobal: {"global", "-l-x"}, OpApplyPending: {"apply.pending", "----"}, OpHalt: {"halt", "----"}, OpRefuse: {"refuse", "----"},

	OpClosure: {"closure", "Pl-x"}, OpCapture: {"capture", "PP-i"},
	OpEnvF: {"env.f", "FP-i"}, OpEnvI: {"env.i", "IP-i"}, OpEnvP: {"env.p", "PP-i"},

	OpNewCell: {"new.cell", "Pl-i"}, OpNewNode: {"new.node", "Pl-i"},
	OpCellF: {"cell.f", "FP--"}, OpCellI: {"cell.i", "IP--"}, OpCellP: {"cell.p", "PP--"},
	OpNodeF: {"node.f", "FP-i"}, OpNodeI: {"node.i", "IP-i"}, OpNodeP: {"node.p", "PP-i"},

	OpLen: {"len", "IP--"}, OpAtF: {"at.f", "FPI-"}, OpAtI: {"at.i", "IPI-"}, OpAtP: {"at.p", "PPI-"},
	OpCheckAt: {"check.at", "PI--"},
	OpColF:    {"col.f", "FPIi"}, OpColI: {"col.i", "IPIi"}, OpColP: {"col.p", "PPIi"},
	OpNew: {"new", "PI-x"}, OpSetF: {"set.f", "PIF-"}, OpSetI: {"set.i", "PII-"}, OpSetP: {"set.p", "PIP-"},
	OpSetColF: {"setcol.f", "PIFi"}, OpSetColI: {"setcol.i", "PIIi"}, OpSetColP: {"setcol.p", "PIPi"},
	OpArray: {"array", "Plnx"}, OpSlice: {"slice", "PPII"}, OpSameLen: {"same.len", "PI--"}, OpCheckSize: {"check.size", "II-x"},
	OpAppend: {"append", "PPP-"}, OpFlatten: {"flatten", "PP-x"},
	OpScatter: {"scatter", "Pl-i"}, OpAccumulate: {"accumulate", "Pl-i"}, OpShare: {"share", "P---"},
	OpScatterPath: {"scatter.path", "Pl-i"}, OpKeepRows: {"keep.rows", "P---"}, OpSortIndices: {"sort.indices", "PP-x"},
	OpRowSize: {"row.size", "IP--"}, OpWholeF: {"whole.f", "Fl-x"}, OpWholeP: {"whole.p", "Pl-x"},

	OpAddT: {"add.t", "FFF-"}, OpSubT: {"sub.t", "FFF-"}, OpMulT: {"mul.t", "FFF-"}, OpDivT: {"div.t", "FFF-"},
	OpNegT: {"neg.t", "FF--"}, OpAddKT: {"addk.t", "FF-f"}, OpRSubKT: {"rsubk.t", "FF-f"},
	OpMulKT: {"mulk.t", "FF-f"}, OpDivKT: {"divk.t", "FF-f"}, OpRDivKT: {"rdivk.t", "FF-f"},
	OpLtT: {"lt.t", "IFF-"}, OpLeT: {"le.t", "IFF-"}, OpRow1T: {"row1.t", "FF-x"}, OpRow2T: {"row2.t", "FFFx"}, OpRowIT: {"rowi.t", "FFIx"},
	OpRoundT: {"round.t", "IF-x"}, OpFoldT: {"fold.t", "FP-x"}, OpMapT: {"map.t", "PP-x"},
	OpOperate: {"operate", "-llx"}, OpLoops: {"loops", "Illx"},
}

// Operands says what a, b, c and k of an instruction are, a letter each, as opInfo does.
func (o Opcode) Operands() string { return opTable[o].operands }

// Slot is where a slot of a value is while code for it is generated: in a
// register, or nowhere yet because it is a constant.
type Slot struct {
	Kind    layout.Kind
	IsConst bool
	Reg     uint16
	F       float64
	I       int64
	P       object.Ref
}

// Register is where the slot is.
func (s Slot) Register() Register { return Register{s.Kind, s.Reg} }

// ConstF is a slot with a constant double.
func ConstF(x float64) Slot { return Slot{Kind: layout.F, IsConst: true, F: x} }

// ConstI is a slot with a constant integer.
func ConstI(n int64) Slot { return Slot{Kind: layout.I, IsConst: true, I: n} }

// ConstP is a slot with a constant reference.
func ConstP(r object.Ref) Slot { return Slot{Kind: layout.P, IsConst: true, P: r} }

// MaxRegs: registers below it are a function's own; above it, while the frame is
// still growing, they number the outgoing arguments. patchOutgoing moves
// those to the end of the frame.
const MaxRegs = 0xC000
