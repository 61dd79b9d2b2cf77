package jit

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

// newX86Machine is an amd64 with AVX2 or with AVX-512.
func newX86Machine(avx512, calls bool) *machine {
	m := &machine{avx512: avx512, bytes: 32, context: contextReg, target: newX86}
	m.files[gpr] = []reg{rcx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14}
	if !calls {
		m.files[gpr] = append(m.files[gpr], x86Frame)
	}
	vectors := reg(16)
	if avx512 {
		m.bytes, vectors = 64, 32
	}
	for r := reg(0); r < vectors; r++ {
		m.files[vec] = append(m.files[vec], r)
	}
	for r := reg(1); r < 8; r++ {
		m.files[mask] = append(m.files[mask], r)
	}
	return m
}

// form is how an instruction's operands are encoded.
type form uint8

const (
	formNone form = iota // not an instruction of the machine
	formG                // general registers, each on its own
	formRVM              // d, a, b or memory
	formRM               // d, b or memory
	formMR               // memory or d, from a
	formVMI              // d in vvvv, a in rm, imm
	formK
)

// x86Info is a row of the table of instructions of amd64.
type x86Info struct {
	name  string
	form  form
	pp    uint8 // the prefix: 0, 1 = 66, 2 = F3, 3 = F2
	mmm   uint8 // the opcode map: 1 = 0F, 2 = 0F38, 3 = 0F3A
	code  uint8
	ext   uint8 // of formVMI
	flags x86Flags
}

type x86Flags uint16

const (
	hasImm    x86Flags = 1 << iota // an immediate byte follows
	scalarF2                       // one double: prefix F2
	scalarInc                      // one double: the next opcode, W is set
	packed                         // one double is done as two
	noVEX                          // only EVEX
	noEVEX                         // only VEX
	wide                           // VEX.W is set too
	giveMask                       // EVEX form gives a mask register
)

var x86Ops = [...]x86Info{
	opMov:        {name: "mov", form: formG},
	opMovImm:     {name: "mov", form: formG},
	opLoad:       {name: "mov", form: formG},
	opStore:      {name: "mov", form: formG},
	opLea:        {name: "lea", form: formG},
	opAdd:        {name: "add", form: formG, code: 0x03, ext: 0},
	opSub:        {name: "sub", form: formG, code: 0x2b, ext: 5},
	opAnd:        {name: "and", form: formG, code: 0x23, ext: 4},
	opOr:         {name: "or", form: formG, code: 0x0b, ext: 1},
	opXor:        {name: "xor", form: formG, code: 0x33, ext: 6},
	opMul:        {name: "imul", form: formG},
	opMulFlags:   {name: "imul", form: formG},
	opNeg:        {name: "neg", form: formG, ext: 3},
	opShl:        {name: "shl", form: formG, ext: 4, pp: 1},
	opSar:        {name: "sar", form: formG, ext: 7, pp: 2},
	opShr:        {name: "shr", form: formG, ext: 5, pp: 3},
	opCmp:        {name: "cmp", form: formG, code: 0x3b, ext: 7},
	opTest:       {name: "test", form: formG},
	opDivRem:     {name: "idiv", form: formG},
	opSignRdx:    {name: "cqo", form: formG},
	opSet:        {name: "set", form: formG},
	opCmov:       {name: "cmov", form: formG},
	opJump:       {name: "jmp", form: formG},
	opJcc:        {name: "j", form: formG},
	opJumpMem:    {name: "jmp", form: formG},
	opLeaLabel:   {name: "lea", form: formG},
	opRet:        {name: "ret", form: formG},
	opSubMem:     {name: "sub", form: formG},
	opVAdd:       {"vadd", formRVM, 1, 1, 0x58, 0, scalarF2},
	opVSub:       {"vsub", formRVM, 1, 1, 0x5c, 0, scalarF2},
	opVMul:       {"vmul", formRVM, 1, 1, 0x59, 0, scalarF2},
	opVDiv:       {"vdiv", formRVM, 1, 1, 0x5e, 0, scalarF2},
	opVMin:       {"vmin", formRVM, 1, 1, 0x5d, 0, scalarF2},
	opVMax:       {"vmax", formRVM, 1, 1, 0x5f, 0, scalarF2},
	opVSqrt:      {"vsqrt", formRM, 1, 1, 0x51, 0, scalarF2},
	opVAnd:       {"vand", formRVM, 1, 1, 0x54, 0, packed},
	opVAndn:      {"vandn", formRVM, 1, 1, 0x55, 0, packed},
	opVOr:        {"vor", formRVM, 1, 1, 0x56, 0, packed},
	opVXor:       {"vxor", formRVM, 1, 1, 0x57, 0, packed},
	opVRound:     {"vround", formRM, 1, 3, 0x09, 0, hasImm},
	opVCmp:       {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | noEVEX},
	opVCmpK:      {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | giveMask | noVEX},
	opVUcomi:     {"vucomi", formRM, 1, 1, 0x2e, 0, 0},
	opVFma213:    {"vfmadd213", formRVM, 1, 2, 0xa8, 0, scalarInc | wide},
	opVFms213:    {"vfmsub213", formRVM, 1, 2, 0xaa, 0, scalarInc | wide},
	opVFnma213:   {"vfnmadd213", formRVM, 1, 2, 0xac, 0, scalarInc | wide},
	opVFma231:    {"vfmadd231", formRVM, 1, 2, 0xb8, 0, scalarInc | wide},
	opVFms231:    {"vfmsub231", formRVM, 1, 2, 0xba, 0, scalarInc | wide},
	opVFnma231:   {"vfnmadd231", formRVM, 1, 2, 0xbc, 0, scalarInc | wide},
	opVBlend:     {"vblend", formRVM, 1, 0, 0, 0, packed},
	opVLogic:     {"vpternlogq", formRVM, 1, 3, 0x25, 0, packed | hasImm | noVEX},
	opVAddI:      {"vpaddq", formRVM, 1, 1, 0xd4, 0, packed},
	opVSubI:      {"vpsubq", formRVM, 1, 1, 0xfb, 0, packed},
	opVScale:     {"vscalef", formRVM, 1, 2, 0x2c, 0, scalarInc | wide | noVEX},
	opVMulI:      {"vpmullq", formRVM, 1, 2, 0x40, 0, packed | noVEX},
	opVMulU32:    {"vpmuludq", formRVM, 1, 1, 0xf4, 0, packed},
	opVMaxI:      {"vpmaxsq", formRVM, 1, 2, 0x3d, 0, packed | noVEX},
	opVMinI:      {"vpminsq", formRVM, 1, 2, 0x39, 0, packed | noVEX},
	opVShl:       {"vpsllvq", formRVM, 1, 2, 0x47, 0, packed | wide},
	opVShr:       {"vpsrlvq", formRVM, 1, 2, 0x45, 0, packed | wide},
	opVSar:       {"vpsravq", formRVM, 1, 2, 0x46, 0, packed | noVEX},
	opVShlImm:    {"vpsllq", formVMI, 1, 1, 0x73, 6, packed | hasImm},
	opVShrImm:    {"vpsrlq", formVMI, 1, 1, 0x73, 2, packed | hasImm},
	opVSarImm:    {"vpsraq", formVMI, 1, 1, 0x72, 4, packed | hasImm | noVEX},
	opVCmpI:      {"vpcmpq", formRVM, 1, 3, 0x1f, 0, packed | hasImm | giveMask | noVEX},
	opVEqI:       {"vpcmpeqq", formRVM, 1, 2, 0x29, 0, packed | noEVEX},
	opVGtI:       {"vpcmpgtq", formRVM, 1, 2, 0x37, 0, packed | noEVEX},
	opVToReal:    {"vcvtqq2pd", formRM, 2, 1, 0xe6, 0, packed | noVEX},
	opVToInt:     {"vcvttpd2qq", formRM, 1, 1, 0x7a, 0, packed | noVEX},
	opVMov:       {"vmovapd", formRM, 1, 1, 0x28, 0, packed},
	opVLoad:      {"vmovu", formRM, 1, 1, 0x10, 0, scalarF2},
	opVStore:     {"vmovu", formMR, 1, 1, 0x11, 0, scalarF2},
	opVBroadcast: {"vbroadcastsd", formRM, 1, 2, 0x19, 0, 0},
	opVFromG:     {"vmovq", formRM, 1, 1, 0x6e, 0, packed | wide},
	opVToG:       {"vmovq", formMR, 1, 1, 0x7e, 0, packed | wide},
	opVRealG:     {"vcvtsi2sd", formRVM, 3, 1, 0x2a, 0, wide},
	opVIntG:      {"vcvttsd2si", formRM, 3, 1, 0x2c, 0, wide},
	opVGather:    {"vgatherqpd", formRM, 1, 2, 0x93, 0, wide},
	opVScatter:   {"vscatterqpd", formMR, 1, 2, 0xa3, 0, noVEX},
	opVMaskLoad:  {"vmaskmovpd", formRVM, 1, 2, 0x2d, 0, noEVEX},
	opVMaskStore: {"vmaskmovpd", formMR, 1, 2, 0x2f, 0, noEVEX},
	opVHigh:      {"vextract", formMR, 1, 3, 0x19, 0, hasImm},
	opVUnpack:    {"vunpckhpd", formRVM, 1, 1, 0x15, 0, packed},
	opVUnpackLow: {"vunpcklpd", formRVM, 1, 1, 0x14, 0, packed},
	opVPairs:     {"vshuff64x2", formRVM, 1, 3, 0x23, 0, packed | hasImm | noVEX},
	opVHalves:    {"vperm2f128", formRVM, 1, 3, 0x06, 0, packed | hasImm | noEVEX},
	opVMoveMask:  {"vmovmskpd", formRM, 1, 1, 0x50, 0, noEVEX},
	opVZeroUpper: {name: "vzeroupper", form: formK},
	opKMov:       {"kmovw", formK, 0, 1, 0x90, 0, 0},
	opKLoad:      {"kmovw", formK, 0, 1, 0x90, 0, 0},
	opKStore:     {"kmovw", formK, 0, 1, 0x91, 0, 0},
	opKFromG:     {"kmovw", formK, 0, 1, 0x92, 0, 0},
	opKToG:       {"kmovw", formK, 0, 1, 0x93, 0, 0},
	opKAnd:       {"kandw", formK, 0, 1, 0x41, 0, 0},
	opKOr:        {"korw", formK, 0, 1, 0x45, 0, 0},
	opKXor:       {"kxorw", formK, 0, 1, 0x47, 0, 0},
	opKNot:       {"knotw", formK, 0, 1, 0x44, 0, 0},
}
