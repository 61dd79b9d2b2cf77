package interp

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// instr is one instruction: an operation, up to three registers (or small
// numbers) and an immediate. Registers are numbers in the function's windows
// of the F, I and P stacks; the operation says of which.
type instr struct {
	op      opcode
	a, b, c uint16
	k       int64
}

// operand names a register in the list of an instruction with many operands.
type operand struct {
	kind layout.Kind
	reg  uint16
}

// opcode is an operation of the machine.
type opcode uint16

// The comments say what each does; opTable gives the operands' kinds. In
// jumps that compare with an immediate, k holds the target below and 32 bits
// of the immediate above.
const (
	opNop opcode = iota

	// Doubles.
	opMovF      // a = b
	opLoadF     // a = k
	opAddF      // a = b + c
	opSubF      // a = b - c
	opMulF      // a = b * c
	opDivF      // a = b / c
	opNegF      // a = -b
	opAddKF     // a = b + k
	opRSubKF    // a = k - b
	opMulKF     // a = b * k
	opDivKF     // a = b / k
	opRDivKF    // a = k / b
	opMulAddF   // a = b * c + F[k]
	opMulSubF   // a = b * c - F[k]
	opSubMulF   // a = F[k] - b * c
	opMulMulF   // a = b * c * F[k]
	opAffineF   // a = b * k + k', both constants of 32 bits
	opMulKAddF  // a = b * k + c
	opMulKSubF  // a = b * k - c
	opSubMulKF  // a = c - b * k
	opMulKMulF  // a = b * k * c
	opMulAddKF  // a = b * c + k
	opRSubMulF  // a = k - b * c
	opMulMulKF  // a = b * c * k
	opAddMulF   // a = (b + c) * F[k]
	opDiffMulF  // a = (b - c) * F[k]
	opRSubKMulF // a = (k - b) * c
	opSqrtF     // a = sqrt b
	opAbsF      // a = |b|
	opMaxF      // a = max b c
	opMinF      // a = min b c
	opReal1     // a = real1[k] b
	opReal2     // a = lib.real2[k] b c
	opFamily    // a = families[k] of the list b, whose reals may be boxed
	opIntReal   // a = intReal[k] (I b) c
	opRealInt   // a = realInt[k] b (I c)
	opFromInt   // a = real (I b)
	opRound     // I a = round[k] b; may fail
	opLtF       // I a = b < c
	opLeF       // I a = b <= c
	opCmpF      // I a = compareF[k] b c
	opFoldF     // a = fold[k] of the array P b
	opMapF      // P a = mapArray[k] of the array P b

	// Integers.
	opMovI
	opLoadI
	opAddI  // a = b + c; overflow is an error, here and below
	opSubI  // a = b - c
	opMulI  // a = b * c
	opAddKI // a = b + k
	opMulKI // a = b * k
	opRSubKI
	opNegI  // a = -b
	opInt1  // a = int1[k] b; may fail
	opInt2  // a = int2[k] b c; may fail
	opNot   // a = 1 - b
	opLtI   // a = b < c
	opLeI   // a = b <= c
	opEqI   // a = b == c
	opNeI   // a = b != c
	opLtKI  // a = b < k
	opGtKI  // a = b > k
	opEqKI  // a = b == k
	opNeKI  // a = b != k
	opCmpI  // a = compareI[k] b c
	opCount // count a calls and k primitive operations

	// References.
	opMovP
	opLoadP // a = consts[k]

	// Strings.
	opCmpS // I a = P b compared with P c, as k says
	opAppendS
	opLengthS // I a = length of P b
	opShow    // P a = show of the list b at the type types[k]
	opTextP   // P a = the text row rows[k] of the list b
	opTextI   // I a = likewise
	opTextF   // F a = likewise
	opFail    // fail with the message P a
	opNote    // tell the watcher P a
	opInspect // show the list b at inspections[k], with the label P a

	// Control.
	opJump   // to k
	opJFalse // unless I a
	opJNLtF  // unless F a < F b: not the same as >=, with NaN
	opJNLeF
	opJNLtKF // unless F a < float32 k
	opJNGtKF
	opJNLeKF
	opJNGeKF
	opJLtI // if I a < I b
	opJLeI
	opJEqI
	opJNeI
	opJLtKI // if I a < int32 k
	opJGtKI
	opJEqKI
	opJNeKI
	opBack    // jump backwards to k: a loop's end, paid with fuel
	opLoop    // I a += 1; if I a < I b jump to k
	opSwitchI // to jumps[k][I a]
	opSwitchCell
	opSwitchNode

	// Calls. Arguments lie in the outgoing registers (of a tail call: in the
	// first ones), and after the last P argument the closure, if the function
	// has one.
	opCall         // function k; a single result goes to register a
	opCallClosure  // the closure after the arguments that calls[k] describes
	opTailCall     // as opCall, in place of the caller
	opTailClosure  // as opCallClosure
	opRetF         // F a
	opRetI         // I a
	opRetP         // P a
	opRet          // results lie in the first registers
	opRetGlobal    // the results, in the first registers, are those of constant k
	opGlobal       // the list b gets constant k
	opApplyPending // tail call: P 0 to the arguments pending in P 1
	opHalt         // the outermost call is over

	// Functions as values.
	opClosure // P a = function k with the captures of the list b
	opCapture // captured reference k of closure P a = P b
	opEnvF    // F a = captured plain slot k of P b
	opEnvI
	opEnvP

	// Data.
	opNewCell // P a = cell of tag k with the slots of the list b
	opNewNode
	opCellF // F a = slot of P b
	opCellI
	opCellP
	opNodeF // F a = plain slot k of P b
	opNodeI
	opNodeP

	// Arrays.
	opLen     // I a = length of P b
	opAtF     // F a = P b [I c], checked
	opAtI     //
	opAtP     //
	opCheckAt // check that I b indexes P a
	opColF    // F a = column k of the table P b at I c
	opColI
	opColP
	opNew     // P a = new array of I b elements of the shape shapes[k]
	opSetF    // P a [I b] = F c, in an array being built
	opSetI    //
	opSetP    //
	opSetColF // column k of P a at I b = F c
	opSetColI
	opSetColP
	opArray     // P a = array of the shape shapes[k] with the elements of the list b
	opSlice     // P a = P b [I c : I k]
	opSameLen   // check that P a has I b elements
	opCheckSize // check sizes I a and I b by checks[k]
	opAppend
	opFlatten // P a = flatten of P b; rows have the shape shapes[k]
	opScatter // P a = scatter of the list b, in place if k and the array is owned
	opAccumulate
	opScatterPath // P a = the array, the indices, the elements and the path of the list b; see Note [Updates of rows]
	opShare       // P a is not owned
	opKeepRows    // P a does not own its rows
	opSortIndices
	opRowSize // I a = length of the rows of P b, or -1
	opWholeF  // a = wholeRows[k] of the list b
	opWholeP  // P a = the same
	opVector  // run kernels[k]; see vector.go
	opNest    // run nests[k]; see nest.go

	// Reals that may be boxed (Note [Boxes]), in programs with derivatives.
	opAddT    // a = b + c
	opSubT    // a = b - c
	opMulT    // a = b * c
	opDivT    // a = b / c
	opNegT    // a = -b
	opAddKT   // a = b + k
	opRSubKT  // a = k - b
	opMulKT   // a = b * k
	opDivKT   // a = b / k
	opRDivKT  // a = k / b
	opLtT     // I a = b < c
	opLeT     // I a = b <= c
	opRow1T   // a = tapeRows[k] b
	opRow2T   // a = tapeRows[k] b c
	opRowIT   // a = tapeRows[k] b (I c), or of (I c) b
	opRoundT  // I a = round[k] b; may fail
	opFoldT   // a = fold[k] of the array P b
	opMapT    // P a = mapArray[k] of the array P b
	opOperate // the list c = operations[k] of the list b
	opLoops   // the list c = regions[k] of the list b; I a tells whether it was run
	numOps
)

// opInfo describes an operation for the assembler and the disassembler: its
// name and, for a, b, c and k, what they are: F, I, P a register; n a number;
// l the number of an operand list; f, i an immediate; j a target; J, G a
// target with an integer or a real; A two reals; x an index of a table; - nothing.
type opInfo struct{ name, operands string }

var opTable = [numOps]opInfo{
	opNop:  {"nop", "----"},
	opMovF: {"mov.f", "FF--"}, opLoadF: {"load.f", "F--f"},
	opAddF: {"add.f", "FFF-"}, opSubF: {"sub.f", "FFF-"}, opMulF: {"mul.f", "FFF-"}, opDivF: {"div.f", "FFF-"},
	opNegF: {"neg.f", "FF--"}, opAddKF: {"addk.f", "FF-f"}, opRSubKF: {"rsubk.f", "FF-f"},
	opMulKF: {"mulk.f", "FF-f"}, opDivKF: {"divk.f", "FF-f"}, opRDivKF: {"rdivk.f", "FF-f"},
	opMulAddF: {"muladd.f", "FFFF"}, opMulSubF: {"mulsub.f", "FFFF"}, opSubMulF: {"submul.f", "FFFF"}, opMulMulF: {"mulmul.f", "FFFF"},
	opAffineF: {"affine.f", "FF-A"}, opMulKAddF: {"mulkadd.f", "FFFf"}, opMulKSubF: {"mulksub.f", "FFFf"}, opSubMulKF: {"submulk.f", "FFFf"}, opMulKMulF: {"mulkmul.f", "FFFf"},
	opMulAddKF: {"muladdk.f", "FFFf"}, opRSubMulF: {"rsubmul.f", "FFFf"}, opMulMulKF: {"mulmulk.f", "FFFf"},
	opAddMulF: {"addmul.f", "FFFF"}, opDiffMulF: {"diffmul.f", "FFFF"}, opRSubKMulF: {"rsubkmul.f", "FFFf"},
	opSqrtF: {"sqrt.f", "FF--"}, opAbsF: {"abs.f", "FF--"}, opMaxF: {"max.f", "FFF-"}, opMinF: {"min.f", "FFF-"},
	opReal1: {"real1", "FF-x"}, opReal2: {"real2", "FFFx"}, opFamily: {"family", "Fl-x"},
	opIntReal: {"intreal", "FIFx"}, opRealInt: {"realint", "FFIx"}, opFromInt: {"real", "FI--"}, opRound: {"round", "IF-x"},
	opLtF: {"lt.f", "IFF-"}, opLeF: {"le.f", "IFF-"}, opCmpF: {"cmp.f", "IFFx"},
	opFoldF: {"fold.f", "FP-x"}, opMapF: {"map.f", "PP-x"},

	opMovI: {"mov.i", "II--"}, opLoadI: {"load.i", "I--i"},
	opAddI: {"add.i", "III-"}, opSubI: {"sub.i", "III-"}, opMulI: {"mul.i", "III-"},
	opAddKI: {"addk.i", "II-i"}, opMulKI: {"mulk.i", "II-i"}, opRSubKI: {"rsubk.i", "II-i"}, opNegI: {"neg.i", "II--"},
	opInt1: {"int1", "II-x"}, opInt2: {"int2", "IIIx"}, opNot: {"not", "II--"},
	opLtI: {"lt.i", "III-"}, opLeI: {"le.i", "III-"}, opEqI: {"eq.i", "III-"}, opNeI: {"ne.i", "III-"},
	opLtKI: {"ltk.i", "II-i"}, opGtKI: {"gtk.i", "II-i"}, opEqKI: {"eqk.i", "II-i"}, opNeKI: {"nek.i", "II-i"},
	opCmpI: {"cmp.i", "IIIx"}, opCount: {"count", "n--i"},

	opMovP: {"mov.p", "PP--"}, opLoadP: {"load.p", "P--x"},
	opCmpS: {"cmp.s", "IPPx"}, opAppendS: {"append.s", "PPP-"}, opLengthS: {"length.s", "IP--"},
	opTextP: {"text.p", "Pl-x"}, opTextI: {"text.i", "Il-x"}, opTextF: {"text.f", "Fl-x"},
	opShow: {"show", "Pl-x"}, opFail: {"fail", "P---"}, opNote: {"note", "P---"}, opInspect: {"inspect", "Pl-x"},

	opJump: {"jump", "---j"}, opJFalse: {"jfalse", "I--j"},
	opJNLtF: {"jnlt.f", "FF-j"}, opJNLeF: {"jnle.f", "FF-j"},

	opJNLtKF: {"jnltk.f", "F--G"}, opJNGtKF: {"jngtk.f", "F--G"}, opJNLeKF: {"jnlek.f", "F--G"}, opJNGeKF: {"jngek.f", "F--G"},
	opJLtI: {"jlt.i", "II-j"}, opJLeI: {"jle.i", "II-j"}, opJEqI: {"jeq.i", "II-j"}, opJNeI: {"jne.i", "II-j"},
	opJLtKI: {"jltk.i", "I--J"}, opJGtKI: {"jgtk.i", "I--J"}, opJEqKI: {"jeqk.i", "I--J"}, opJNeKI: {"jnek.i", "I--J"},
	opBack: {"back", "---j"}, opLoop: {"loop", "II-j"},
	opSwitchI: {"switch.i", "I--x"}, opSwitchCell: {"switch.cell", "P--x"}, opSwitchNode: {"switch.node", "P--x"},

	// The register that gets the result of a call depends on the callee; see
	// patchOutgoing.
	opCall: {"call", "r--x"}, opCallClosure: {"call.closure", "r--x"},
	opTailCall: {"tail", "---x"}, opTailClosure: {"tail.closure", "---x"},
	opRetF: {"ret.f", "F---"}, opRetI: {"ret.i", "I---"}, opRetP: {"ret.p", "P---"}, opRet: {"ret", "----"},
	opRetGlobal: {"ret.global", "---x"}, opGlobal: {"global", "-l-x"}, opApplyPending: {"apply.pending", "----"}, opHalt: {"halt", "----"},

	opClosure: {"closure", "Pl-x"}, opCapture: {"capture", "PP-i"},
	opEnvF: {"env.f", "FP-i"}, opEnvI: {"env.i", "IP-i"}, opEnvP: {"env.p", "PP-i"},

	opNewCell: {"new.cell", "Pl-i"}, opNewNode: {"new.node", "Pl-i"},
	opCellF: {"cell.f", "FP--"}, opCellI: {"cell.i", "IP--"}, opCellP: {"cell.p", "PP--"},
	opNodeF: {"node.f", "FP-i"}, opNodeI: {"node.i", "IP-i"}, opNodeP: {"node.p", "PP-i"},

	opLen: {"len", "IP--"}, opAtF: {"at.f", "FPI-"}, opAtI: {"at.i", "IPI-"}, opAtP: {"at.p", "PPI-"},
	opCheckAt: {"check.at", "PI--"},
	opColF:    {"col.f", "FPIi"}, opColI: {"col.i", "IPIi"}, opColP: {"col.p", "PPIi"},
	opNew: {"new", "PI-x"}, opSetF: {"set.f", "PIF-"}, opSetI: {"set.i", "PII-"}, opSetP: {"set.p", "PIP-"},
	opSetColF: {"setcol.f", "PIFi"}, opSetColI: {"setcol.i", "PIIi"}, opSetColP: {"setcol.p", "PIPi"},
	opArray: {"array", "Plnx"}, opSlice: {"slice", "PPII"}, opSameLen: {"same.len", "PI--"}, opCheckSize: {"check.size", "II-x"},
	opAppend: {"append", "PPP-"}, opFlatten: {"flatten", "PP-x"},
	opScatter: {"scatter", "Pl-i"}, opAccumulate: {"accumulate", "Pl-i"}, opShare: {"share", "P---"},
	opScatterPath: {"scatter.path", "Pl-i"}, opKeepRows: {"keep.rows", "P---"}, opSortIndices: {"sort.indices", "PP-x"},
	opRowSize: {"row.size", "IP--"}, opWholeF: {"whole.f", "Fl-x"}, opWholeP: {"whole.p", "Pl-x"},
	opVector: {"vector", "---x"}, opNest: {"nest", "---x"},

	opAddT: {"add.t", "FFF-"}, opSubT: {"sub.t", "FFF-"}, opMulT: {"mul.t", "FFF-"}, opDivT: {"div.t", "FFF-"},
	opNegT: {"neg.t", "FF--"}, opAddKT: {"addk.t", "FF-f"}, opRSubKT: {"rsubk.t", "FF-f"},
	opMulKT: {"mulk.t", "FF-f"}, opDivKT: {"divk.t", "FF-f"}, opRDivKT: {"rdivk.t", "FF-f"},
	opLtT: {"lt.t", "IFF-"}, opLeT: {"le.t", "IFF-"}, opRow1T: {"row1.t", "FF-x"}, opRow2T: {"row2.t", "FFFx"}, opRowIT: {"rowi.t", "FFIx"},
	opRoundT: {"round.t", "IF-x"}, opFoldT: {"fold.t", "FP-x"}, opMapT: {"map.t", "PP-x"},
	opOperate: {"operate", "-llx"}, opLoops: {"loops", "Illx"},
}

// slot is where a slot of a value is while code for it is generated: in a
// register, or nowhere yet because it is a constant.
type slot struct {
	kind    layout.Kind
	isConst bool
	reg     uint16
	f       float64
	i       int64
	p       object.Ref
}

func (s slot) operand() operand { return operand{s.kind, s.reg} }

func constF(x float64) slot    { return slot{kind: layout.F, isConst: true, f: x} }
func constI(n int64) slot      { return slot{kind: layout.I, isConst: true, i: n} }
func constP(r object.Ref) slot { return slot{kind: layout.P, isConst: true, p: r} }

// Registers below maxRegs are a function's own; above it, while the frame is
// still growing, they number the outgoing arguments. patchOutgoing moves
// those to the end of the frame.
const maxRegs = 0xC000
