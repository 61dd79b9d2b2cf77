// Package x86 is the back end for amd64 with AVX2 or AVX-512: registers, instructions, their bytes
// and their text, and what gathers cost on which model.
package x86

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// The general registers, by their machine numbers. rsp and rbp belong to Go.
const (
	rax ir.Reg = iota
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

// Sets are the sets of instructions, the best first.
var Sets = []string{"avx512", "avx2"}

// NewTarget is an amd64 with AVX2 or with AVX-512. AVX2 stands for FMA and BMI2 too, and
// AVX-512 for its parts F, DQ, BW and VL.
func NewTarget(set string, on ir.Processor, calls bool) *ir.Target {
	avx512 := set == "avx512"
	m := &ir.Target{Name: set, Bytes: 32, Context: contextReg, Transposes: true, Jammed: 2,
		TileRows: 4, TileColumns: 8}
	m.GatherTime, m.LoadTime = gatherTimes(on, avx512)
	m.Files[ir.GPR] = []ir.Reg{rcx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14}
	if !calls {
		m.Files[ir.GPR] = append(m.Files[ir.GPR], x86Frame)
	}
	vectors := ir.Reg(16)
	if avx512 {
		m.Bytes, vectors = 64, 32
		m.Masks, m.Integers, m.Scatters, m.Scales, m.Rows = true, true, true, true, true
		m.Jammed, m.TileColumns = 4, 32
	}
	for r := ir.Reg(0); r < vectors; r++ {
		m.Files[ir.Vec] = append(m.Files[ir.Vec], r)
	}
	for r := ir.Reg(1); r < 8; r++ {
		m.Files[ir.Mask] = append(m.Files[ir.Mask], r)
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
	ir.OpMov:        {name: "mov", form: formG},
	ir.OpMovImm:     {name: "mov", form: formG},
	ir.OpLoad:       {name: "mov", form: formG},
	ir.OpStore:      {name: "mov", form: formG},
	ir.OpLea:        {name: "lea", form: formG},
	ir.OpAdd:        {name: "add", form: formG, code: 0x03, ext: 0},
	ir.OpSub:        {name: "sub", form: formG, code: 0x2b, ext: 5},
	ir.OpAnd:        {name: "and", form: formG, code: 0x23, ext: 4},
	ir.OpOr:         {name: "or", form: formG, code: 0x0b, ext: 1},
	ir.OpXor:        {name: "xor", form: formG, code: 0x33, ext: 6},
	ir.OpMul:        {name: "imul", form: formG},
	ir.OpMulFlags:   {name: "imul", form: formG},
	ir.OpNeg:        {name: "neg", form: formG, ext: 3},
	ir.OpShl:        {name: "shl", form: formG, ext: 4, pp: 1},
	ir.OpSar:        {name: "sar", form: formG, ext: 7, pp: 2},
	ir.OpShr:        {name: "shr", form: formG, ext: 5, pp: 3},
	ir.OpCmp:        {name: "cmp", form: formG, code: 0x3b, ext: 7},
	ir.OpTest:       {name: "test", form: formG},
	ir.OpDivRem:     {name: "idiv", form: formG},
	ir.OpSignRdx:    {name: "cqo", form: formG},
	ir.OpSet:        {name: "set", form: formG},
	ir.OpCmov:       {name: "cmov", form: formG},
	ir.OpJump:       {name: "jmp", form: formG},
	ir.OpJcc:        {name: "j", form: formG},
	ir.OpJumpMem:    {name: "jmp", form: formG},
	ir.OpLeaLabel:   {name: "lea", form: formG},
	ir.OpRet:        {name: "ret", form: formG},
	ir.OpSubMem:     {name: "sub", form: formG},
	ir.OpVAdd:       {"vadd", formRVM, 1, 1, 0x58, 0, scalarF2},
	ir.OpVSub:       {"vsub", formRVM, 1, 1, 0x5c, 0, scalarF2},
	ir.OpVMul:       {"vmul", formRVM, 1, 1, 0x59, 0, scalarF2},
	ir.OpVDiv:       {"vdiv", formRVM, 1, 1, 0x5e, 0, scalarF2},
	ir.OpVMin:       {"vmin", formRVM, 1, 1, 0x5d, 0, scalarF2},
	ir.OpVMax:       {"vmax", formRVM, 1, 1, 0x5f, 0, scalarF2},
	ir.OpVSqrt:      {"vsqrt", formRM, 1, 1, 0x51, 0, scalarF2},
	ir.OpVAnd:       {"vand", formRVM, 1, 1, 0x54, 0, packed},
	ir.OpVAndn:      {"vandn", formRVM, 1, 1, 0x55, 0, packed},
	ir.OpVOr:        {"vor", formRVM, 1, 1, 0x56, 0, packed},
	ir.OpVXor:       {"vxor", formRVM, 1, 1, 0x57, 0, packed},
	ir.OpVRound:     {"vround", formRM, 1, 3, 0x09, 0, hasImm},
	ir.OpVCmp:       {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | noEVEX},
	ir.OpVCmpK:      {"vcmp", formRVM, 1, 1, 0xc2, 0, hasImm | scalarF2 | giveMask | noVEX},
	ir.OpVUcomi:     {"vucomi", formRM, 1, 1, 0x2e, 0, 0},
	ir.OpVFma213:    {"vfmadd213", formRVM, 1, 2, 0xa8, 0, scalarInc | wide},
	ir.OpVFms213:    {"vfmsub213", formRVM, 1, 2, 0xaa, 0, scalarInc | wide},
	ir.OpVFnma213:   {"vfnmadd213", formRVM, 1, 2, 0xac, 0, scalarInc | wide},
	ir.OpVFma231:    {"vfmadd231", formRVM, 1, 2, 0xb8, 0, scalarInc | wide},
	ir.OpVFms231:    {"vfmsub231", formRVM, 1, 2, 0xba, 0, scalarInc | wide},
	ir.OpVFnma231:   {"vfnmadd231", formRVM, 1, 2, 0xbc, 0, scalarInc | wide},
	ir.OpVBlend:     {"vblend", formRVM, 1, 0, 0, 0, packed},
	ir.OpVLogic:     {"vpternlogq", formRVM, 1, 3, 0x25, 0, packed | hasImm | noVEX},
	ir.OpVAddI:      {"vpaddq", formRVM, 1, 1, 0xd4, 0, packed},
	ir.OpVSubI:      {"vpsubq", formRVM, 1, 1, 0xfb, 0, packed},
	ir.OpVScale:     {"vscalef", formRVM, 1, 2, 0x2c, 0, scalarInc | wide | noVEX},
	ir.OpVMulI:      {"vpmullq", formRVM, 1, 2, 0x40, 0, packed | noVEX},
	ir.OpVMulU32:    {"vpmuludq", formRVM, 1, 1, 0xf4, 0, packed},
	ir.OpVMaxI:      {"vpmaxsq", formRVM, 1, 2, 0x3d, 0, packed | noVEX},
	ir.OpVMinI:      {"vpminsq", formRVM, 1, 2, 0x39, 0, packed | noVEX},
	ir.OpVShl:       {"vpsllvq", formRVM, 1, 2, 0x47, 0, packed | wide},
	ir.OpVShr:       {"vpsrlvq", formRVM, 1, 2, 0x45, 0, packed | wide},
	ir.OpVSar:       {"vpsravq", formRVM, 1, 2, 0x46, 0, packed | noVEX},
	ir.OpVShlImm:    {"vpsllq", formVMI, 1, 1, 0x73, 6, packed | hasImm},
	ir.OpVShrImm:    {"vpsrlq", formVMI, 1, 1, 0x73, 2, packed | hasImm},
	ir.OpVSarImm:    {"vpsraq", formVMI, 1, 1, 0x72, 4, packed | hasImm | noVEX},
	ir.OpVCmpI:      {"vpcmpq", formRVM, 1, 3, 0x1f, 0, packed | hasImm | giveMask | noVEX},
	ir.OpVEqI:       {"vpcmpeqq", formRVM, 1, 2, 0x29, 0, packed | noEVEX},
	ir.OpVGtI:       {"vpcmpgtq", formRVM, 1, 2, 0x37, 0, packed | noEVEX},
	ir.OpVToReal:    {"vcvtqq2pd", formRM, 2, 1, 0xe6, 0, packed | noVEX},
	ir.OpVToInt:     {"vcvttpd2qq", formRM, 1, 1, 0x7a, 0, packed | noVEX},
	ir.OpVMov:       {"vmovapd", formRM, 1, 1, 0x28, 0, packed},
	ir.OpVLoad:      {"vmovu", formRM, 1, 1, 0x10, 0, scalarF2},
	ir.OpVStore:     {"vmovu", formMR, 1, 1, 0x11, 0, scalarF2},
	ir.OpVBroadcast: {"vbroadcastsd", formRM, 1, 2, 0x19, 0, 0},
	ir.OpVFromG:     {"vmovq", formRM, 1, 1, 0x6e, 0, packed | wide},
	ir.OpVToG:       {"vmovq", formMR, 1, 1, 0x7e, 0, packed | wide},
	ir.OpVRealG:     {"vcvtsi2sd", formRVM, 3, 1, 0x2a, 0, wide},
	ir.OpVIntG:      {"vcvttsd2si", formRM, 3, 1, 0x2c, 0, wide},
	ir.OpVGather:    {"vgatherqpd", formRM, 1, 2, 0x93, 0, wide},
	ir.OpVScatter:   {"vscatterqpd", formMR, 1, 2, 0xa3, 0, noVEX},
	ir.OpVMaskLoad:  {"vmaskmovpd", formRVM, 1, 2, 0x2d, 0, noEVEX},
	ir.OpVMaskStore: {"vmaskmovpd", formMR, 1, 2, 0x2f, 0, noEVEX},
	ir.OpVHigh:      {"vextract", formMR, 1, 3, 0x19, 0, hasImm},
	ir.OpVUnpack:    {"vunpckhpd", formRVM, 1, 1, 0x15, 0, packed},
	ir.OpVUnpackLow: {"vunpcklpd", formRVM, 1, 1, 0x14, 0, packed},
	ir.OpVPairs:     {"vshuff64x2", formRVM, 1, 3, 0x23, 0, packed | hasImm | noVEX},
	ir.OpVHalves:    {"vperm2f128", formRVM, 1, 3, 0x06, 0, packed | hasImm | noEVEX},
	ir.OpVMoveMask:  {"vmovmskpd", formRM, 1, 1, 0x50, 0, noEVEX},
	ir.OpVZeroUpper: {name: "vzeroupper", form: formK},
	ir.OpKMov:       {"kmovw", formK, 0, 1, 0x90, 0, 0},
	ir.OpKLoad:      {"kmovw", formK, 0, 1, 0x90, 0, 0},
	ir.OpKStore:     {"kmovw", formK, 0, 1, 0x91, 0, 0},
	ir.OpKFromG:     {"kmovw", formK, 0, 1, 0x92, 0, 0},
	ir.OpKToG:       {"kmovw", formK, 0, 1, 0x93, 0, 0},
	ir.OpKAnd:       {"kandw", formK, 0, 1, 0x41, 0, 0},
	ir.OpKOr:        {"korw", formK, 0, 1, 0x45, 0, 0},
	ir.OpKXor:       {"kxorw", formK, 0, 1, 0x47, 0, 0},
	ir.OpKNot:       {"knotw", formK, 0, 1, 0x44, 0, 0},
}
