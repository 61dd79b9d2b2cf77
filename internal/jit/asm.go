package jit

// reg is a register: below firstVirtual the number of a machine register in its class, from there on a
// virtual register of the function being compiled.
type reg int32

const (
	noReg        reg = -1
	poolBase     reg = -2 // the base of an address in the constant pool
	frameBase    reg = -3 // the base of an address in the function's frame
	calleeBase   reg = -4 // the base of an address in the frame of the function being called
	firstVirtual reg = 64
)

// The general registers, by their machine numbers. rsp and rbp belong to Go.
const (
	rax reg = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r9
	r10
	r11
	r12
	r13
	r14
	r15
)

// class is the file that a register belongs to.
type class uint8

const (
	gpr  class = iota // 64-bit words: integers, Booleans, addresses
	vec               // doubles and vectors
	mask              // a bit a lane; only with AVX-512
)

// mem is a memory operand: base + index·scale + disp. A vector index makes it a gather or scatter.
type mem struct {
	base, index reg
	scale       uint8
	disp        int32
	bcast       bool // one double is read and repeated in all lanes
}

// cond is a condition code, as the machine numbers them.
type cond uint8

const (
	ccO  cond = 0
	ccB  cond = 2
	ccAE cond = 3
	ccE  cond = 4
	ccNE cond = 5
	ccBE cond = 6
	ccA  cond = 7
	ccS  cond = 8
	ccP  cond = 10
	ccNP cond = 11
	ccL  cond = 12
	ccGE cond = 13
	ccLE cond = 14
	ccG  cond = 15
)

var condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// inst is an instruction. Before register allocation its registers are virtual and a destination is
// independent of the sources; afterwards they are those of the machine.
type inst struct {
	op      opcode
	w       uint8 // bytes of the vectors it works on: 8 for one double, 32 or 64
	d       reg   // what it writes
	a, b, c reg   // what it reads
	k       reg   // the mask under which it works, noReg for all lanes
	m       mem   // in place of b if isMem
	isMem   bool
	isImm   bool // imm is in place of b
	cc      cond
	imm     int64
	to      label
}

// label is a place in the code that jumps name.
type label int32

// opcode is the operation of an instruction: a row of the table ops.
type opcode uint8

const (
	opNone opcode = iota

	// General registers: d = a op b.
	opMov
	opMovImm // d = imm
	opLoad   // d = [m]
	opStore  // [m] = a, or imm
	opLea    // d = address of m
	opAdd
	opSub
	opAnd
	opOr
	opXor
	opMul
	opMulFlags // the same, for its overflow flag
	opNeg
	opShl
	opSar
	opShr
	opCmp // flags of a - b
	opTest
	opDivRem  // rax, rdx = rdx:rax / a
	opSignRdx // rdx = sign of rax
	opSet     // d = 0 or 1 by cc
	opCmov    // d = cc ? b : a
	opJump
	opJcc
	opJumpMem // jump to the address at m
	opLeaLabel
	opRet
	opSubMem // [m] -= imm

	// Vectors: d = a op b.
	opVAdd
	opVSub
	opVMul
	opVDiv
	opVMin
	opVMax
	opVSqrt
	opVAnd
	opVAndn // not a, and b
	opVOr
	opVXor
	opVRound // by imm
	opVCmp   // by imm; gives a vector of zeros and ones
	opVCmpK  // by imm; gives a mask
	opVUcomi // flags
	opVFma   // d = a·b + c; emitted as one of the six below
	opVFms
	opVFnma
	opVFma213
	opVFms213
	opVFnma213
	opVFma231
	opVFms231
	opVFnma231
	opVBlend // d = c ? b : a, c a mask
	opVAddI
	opVSubI
	opVMulI
	opVMulU32
	opVMaxI
	opVMinI
	opVShl
	opVShr
	opVSar
	opVShlImm
	opVShrImm
	opVSarImm
	opVCmpI // by imm; gives a mask register
	opVEqI  // AVX2: gives a vector
	opVGtI
	opVToReal
	opVToInt
	opVMov
	opVLoad
	opVStore
	opVBroadcast
	opVFromG  // d = the word of a general register
	opVToG    // d = the lowest element as a word
	opVRealG  // d = b, a general register, as a double
	opVIntG   // d, a general register, = a truncated
	opVGather // under k, which it clears
	opVScatter
	opVMaskLoad // AVX2, mask a
	opVMaskStore
	opVHigh   // d = the upper half of a
	opVUnpack // d = the upper elements of pairs
	opVMoveMask
	opVZeroUpper

	// Masks.
	opKMov
	opKLoad
	opKStore
	opKFromG
	opKToG
	opKAnd
	opKOr
	opKXor
	opKNot

	// Not instructions of the machine.
	opLabel
	opAlign
	opLoopStart
	opLoopEnd
	opPoll
	opCall   // of function imm
	opReturn // to the caller
	opHome   // d = its home: a constant, or a parameter in the frame
	opCopy   // d = a
	opCarry  // the same, at the end of a loop's turn, which does not read a any more
	opStmt   // imm is the statement that the following code comes from
)

// form is how an instruction's operands are encoded.
type form uint8

const (
	formNone form = iota
	formG         // general registers, each on its own
	formRVM       // d, a, b or memory
	formRM        // d, b or memory
	formMR        // memory or d, from a
	formVMI       // d in vvvv, a in rm, imm
	formK
	formPseudo
)

// opInfo is a row of the table of instructions.
type opInfo struct {
	name  string
	form  form
	pp    uint8 // the prefix: 0, 1 = 66, 2 = F3, 3 = F2
	mmm   uint8 // the opcode map: 1 = 0F, 2 = 0F38, 3 = 0F3A
	code  uint8
	ext   uint8 // of formVMI
	flags opFlags
}

type opFlags uint16

const (
	hasImm    opFlags = 1 << iota // an immediate byte follows
	scalarF2                      // one double: prefix F2
	scalarInc                     // one double: the next opcode, W is set
	packed                        // one double is done as two
	noVEX                         // only EVEX
	noEVEX                        // only VEX
	wide                          // VEX.W is set too
	commutes
	giveMask // EVEX form gives a mask register
	pure     // may be removed if its result is not used
	early    // writes its destination before it has read its sources
)

var ops = [...]opInfo{
	opMov:      {name: "mov", form: formG, flags: pure},
	opMovImm:   {name: "mov", form: formG, flags: pure},
	opLoad:     {name: "mov", form: formG, flags: pure},
	opStore:    {name: "mov", form: formG},
	opLea:      {name: "lea", form: formG, flags: pure},
	opAdd:      {name: "add", form: formG, code: 0x03, ext: 0, flags: commutes | pure},
	opSub:      {name: "sub", form: formG, code: 0x2b, ext: 5, flags: pure},
	opAnd:      {name: "and", form: formG, code: 0x23, ext: 4, flags: commutes | pure},
	opOr:       {name: "or", form: formG, code: 0x0b, ext: 1, flags: commutes | pure},
	opXor:      {name: "xor", form: formG, code: 0x33, ext: 6, flags: commutes | pure},
	opMul:      {name: "imul", form: formG, flags: commutes | pure},
	opMulFlags: {name: "imul", form: formG, flags: commutes},
	opNeg:      {name: "neg", form: formG, ext: 3, flags: pure},
	opShl:      {name: "shl", form: formG, ext: 4, pp: 1, flags: pure},
	opSar:      {name: "sar", form: formG, ext: 7, pp: 2, flags: pure},
	opShr:      {name: "shr", form: formG, ext: 5, pp: 3, flags: pure},
	opCmp:      {name: "cmp", form: formG, code: 0x3b, ext: 7},
	opTest:     {name: "test", form: formG},
	opDivRem:   {name: "idiv", form: formG},
	opSignRdx:  {name: "cqo", form: formG},
	opSet:      {name: "set", form: formG, flags: pure},
	opCmov:     {name: "cmov", form: formG, flags: pure},
	opJump:     {name: "jmp", form: formG},
	opJcc:      {name: "j", form: formG},
	opJumpMem:  {name: "jmp", form: formG},
	opLeaLabel: {name: "lea", form: formG},
	opRet:      {name: "ret", form: formG},
	opSubMem:   {name: "sub", form: formG},

	opVAdd:       {"vadd", formRVM, 1, 1, 0x58, 0, scalarF2 | commutes | pure},
	opVSub:       {"vsub", formRVM, 1, 1, 0x5c, 0, scalarF2 | pure},
	opVMul:       {"vmul", formRVM, 1, 1, 0x59, 0, scalarF2 | commutes | pure},
	opVDiv:       {"vdiv", formRVM, 1, 1, 0x5e, 0, scalarF2 | pure},
	opVMin:       {"vmin", formRVM, 1, 1, 0x5d, 0, scalarF2 | pure},
	opVMax:       {"vmax", formRVM, 1, 1, 0x5f, 0, scalarF2 | pure},
	opVSqrt:      {"vsqrt", formRM, 1, 1, 0x51, 0, scalarF2 | pure},
	opVAnd:       {"vand", formRVM, 1, 1, 0x54, 0, packed | commutes | pure},
	opVAndn:      {"vandn", formRVM, 1, 1, 0x55, 0, packed | pure},
	opVOr:        {"vor", formRVM, 1, 1, 0x56, 0, packed | commutes | pure},
	opVXor:       {"vxor", formRVM, 1, 1, 0x57, 0, packed | commutes | pure},
	opVRound:     {"vround", formRM, 1, 3, 0x09, 0, hasImm | pure},
	opVCmp:       {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | noEVEX | pure},
	opVCmpK:      {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | giveMask | noVEX | pure},
	opVUcomi:     {"vucomi", formRM, 1, 1, 0x2e, 0, 0},
	opVFma:       {"fma", formPseudo, 0, 0, 0, 0, pure},
	opVFms:       {"fms", formPseudo, 0, 0, 0, 0, pure},
	opVFnma:      {"fnma", formPseudo, 0, 0, 0, 0, pure},
	opVFma213:    {"vfmadd213", formRVM, 1, 2, 0xa8, 0, scalarInc | wide},
	opVFms213:    {"vfmsub213", formRVM, 1, 2, 0xaa, 0, scalarInc | wide},
	opVFnma213:   {"vfnmadd213", formRVM, 1, 2, 0xac, 0, scalarInc | wide},
	opVFma231:    {"vfmadd231", formRVM, 1, 2, 0xb8, 0, scalarInc | wide},
	opVFms231:    {"vfmsub231", formRVM, 1, 2, 0xba, 0, scalarInc | wide},
	opVFnma231:   {"vfnmadd231", formRVM, 1, 2, 0xbc, 0, scalarInc | wide},
	opVBlend:     {"vblend", formRVM, 1, 0, 0, 0, packed | pure},
	opVAddI:      {"vpaddq", formRVM, 1, 1, 0xd4, 0, packed | commutes | pure},
	opVSubI:      {"vpsubq", formRVM, 1, 1, 0xfb, 0, packed | pure},
	opVMulI:      {"vpmullq", formRVM, 1, 2, 0x40, 0, packed | commutes | noVEX | pure},
	opVMulU32:    {"vpmuludq", formRVM, 1, 1, 0xf4, 0, packed | commutes | pure},
	opVMaxI:      {"vpmaxsq", formRVM, 1, 2, 0x3d, 0, packed | commutes | noVEX | pure},
	opVMinI:      {"vpminsq", formRVM, 1, 2, 0x39, 0, packed | commutes | noVEX | pure},
	opVShl:       {"vpsllvq", formRVM, 1, 2, 0x47, 0, packed | wide | pure},
	opVShr:       {"vpsrlvq", formRVM, 1, 2, 0x45, 0, packed | wide | pure},
	opVSar:       {"vpsravq", formRVM, 1, 2, 0x46, 0, packed | noVEX | pure},
	opVShlImm:    {"vpsllq", formVMI, 1, 1, 0x73, 6, packed | hasImm | pure},
	opVShrImm:    {"vpsrlq", formVMI, 1, 1, 0x73, 2, packed | hasImm | pure},
	opVSarImm:    {"vpsraq", formVMI, 1, 1, 0x72, 4, packed | hasImm | noVEX | pure},
	opVCmpI:      {"vpcmpq", formRVM, 1, 3, 0x1f, 0, packed | hasImm | giveMask | noVEX | pure},
	opVEqI:       {"vpcmpeqq", formRVM, 1, 2, 0x29, 0, packed | commutes | noEVEX | pure},
	opVGtI:       {"vpcmpgtq", formRVM, 1, 2, 0x37, 0, packed | noEVEX | pure},
	opVToReal:    {"vcvtqq2pd", formRM, 2, 1, 0xe6, 0, packed | noVEX | pure},
	opVToInt:     {"vcvttpd2qq", formRM, 1, 1, 0x7a, 0, packed | noVEX | pure},
	opVMov:       {"vmovapd", formRM, 1, 1, 0x28, 0, packed | pure},
	opVLoad:      {"vmovu", formRM, 1, 1, 0x10, 0, scalarF2 | pure},
	opVStore:     {"vmovu", formMR, 1, 1, 0x11, 0, scalarF2},
	opVBroadcast: {"vbroadcastsd", formRM, 1, 2, 0x19, 0, pure},
	opVFromG:     {"vmovq", formRM, 1, 1, 0x6e, 0, packed | wide | pure},
	opVToG:       {"vmovq", formMR, 1, 1, 0x7e, 0, packed | wide | pure},
	opVRealG:     {"vcvtsi2sd", formRVM, 3, 1, 0x2a, 0, wide | pure},
	opVIntG:      {"vcvttsd2si", formRM, 3, 1, 0x2c, 0, wide | pure},
	opVGather:    {"vgatherqpd", formRM, 1, 2, 0x93, 0, wide | early | pure},
	opVScatter:   {"vscatterqpd", formMR, 1, 2, 0xa3, 0, noVEX | early},
	opVMaskLoad:  {"vmaskmovpd", formRVM, 1, 2, 0x2d, 0, noEVEX | pure},
	opVMaskStore: {"vmaskmovpd", formMR, 1, 2, 0x2f, 0, noEVEX},
	opVHigh:      {"vextract", formMR, 1, 3, 0x19, 0, hasImm | pure},
	opVUnpack:    {"vunpckhpd", formRVM, 1, 1, 0x15, 0, packed | pure},
	opVMoveMask:  {"vmovmskpd", formRM, 1, 1, 0x50, 0, noEVEX | pure},
	opVZeroUpper: {name: "vzeroupper", form: formK},

	opKMov:   {"kmovw", formK, 0, 1, 0x90, 0, pure},
	opKLoad:  {"kmovw", formK, 0, 1, 0x90, 0, pure},
	opKStore: {"kmovw", formK, 0, 1, 0x91, 0, 0},
	opKFromG: {"kmovw", formK, 0, 1, 0x92, 0, pure},
	opKToG:   {"kmovw", formK, 0, 1, 0x93, 0, pure},
	opKAnd:   {"kandw", formK, 0, 1, 0x41, 0, pure},
	opKOr:    {"korw", formK, 0, 1, 0x45, 0, pure},
	opKXor:   {"kxorw", formK, 0, 1, 0x47, 0, pure},
	opKNot:   {"knotw", formK, 0, 1, 0x44, 0, pure},

	opLabel:     {name: "label", form: formPseudo},
	opAlign:     {name: "align", form: formPseudo},
	opLoopStart: {name: "loop", form: formPseudo},
	opLoopEnd:   {name: "end", form: formPseudo},
	opPoll:      {name: "poll", form: formPseudo},
	opCall:      {name: "call", form: formPseudo},
	opReturn:    {name: "return", form: formPseudo},
	opHome:      {name: "home", form: formPseudo, flags: pure},
	opCopy:      {name: "copy", form: formPseudo, flags: pure},
	opCarry:     {name: "carry", form: formPseudo},
	opStmt:      {name: "stmt", form: formPseudo},
}

func (o opcode) is(f opFlags) bool { return ops[o].flags&f != 0 }
