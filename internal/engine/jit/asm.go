package jit

import "strconv"

// reg is a register: below firstVirtual the number of a machine register in its class, from there
// on a virtual register of the function being compiled.
type reg int32

const (
	noReg        reg = -1
	poolBase     reg = -2 // the base of an address in the constant pool
	frameBase    reg = -3 // the base of an address in the function's frame
	calleeBase   reg = -4 // the base of an address in the frame of the function being called
	contextBase  reg = -5 // the base of an address in the context block
	routineBase  reg = -6 // the base of an address in the frame of the routine being called
	firstVirtual reg = 64
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
	disp        int32
	scale       uint8
	bcast       bool // one double is read and repeated in all lanes
}

// cond is what a comparison has found. The lowest bit negates it.
type cond uint8

// Conditions on integers have the numbers that they have on amd64.
const (
	ccO  cond = 0 // opMulFlags has left 64 bits
	ccB  cond = 2 // unsigned
	ccAE cond = 3
	ccE  cond = 4
	ccNE cond = 5
	ccBE cond = 6
	ccA  cond = 7
	ccS  cond = 8
	ccP  cond = 10 // of doubles: they cannot be compared
	ccNP cond = 11
	ccL  cond = 12
	ccGE cond = 13
	ccLE cond = 14
	ccG  cond = 15

	// Of doubles, after opVUcomi. A NaN is neither above nor below.
	ccAboveF   cond = 16
	ccAtLeastF cond = 18
)

// inst is an instruction. Before register allocation its registers are virtual and a destination is
// independent of the sources; afterwards they are those of the machine.
type inst struct {
	imm     int64
	d       reg // what it writes
	a, b, c reg // what it reads
	k       reg // the mask under which it works, noReg for all lanes; where it is not set, d is c, or 0 without c
	to      label
	m       mem // in place of b if isMem
	op      opcode
	w       uint8 // bytes of the vectors it works on: 8 for one double, 32 or 64
	isMem   bool
	isImm   bool // imm is in place of b
	cc      cond
}

// label is a place in the code that jumps name.
type label int32

const (
	noLabel   label = -1
	poolLabel label = -2 // the start of the constant pool
)

func (l label) String() string { return "L" + strconv.Itoa(int(l)) }

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
	opVLogic // d = the bits of c, a and b by imm: bit 4c + 2a + b of it
	opVAddI
	opVSubI
	opVScale // a·2^⌊b⌋
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
	opVUnpackLow
	opVPairs  // AVX-512: d = two pairs of elements of a and two of b, by imm
	opVHalves // AVX2: d = a half of a and one of b, by imm
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
	opQuo    // d = a / b, truncated; b is not 0 or -1
	opRem    // its remainder
	opStmt   // imm is the statement that the following code comes from
)

// opFlags is what allocation and the passes on instructions know about an operation.
type opFlags uint8

const (
	commutes opFlags = 1 << iota
	pure             // may be removed if its result is not used
	early            // writes its destination before it has read its sources
	compares         // only sets the flags; what reads them follows before the next label
	reads            // reads the flags
)

var flags = [256]opFlags{
	opMov:        pure,
	opMovImm:     pure,
	opLoad:       pure,
	opLea:        pure,
	opAdd:        commutes | pure,
	opSub:        pure,
	opAnd:        commutes | pure,
	opOr:         commutes | pure,
	opXor:        commutes | pure,
	opMul:        commutes | pure,
	opMulFlags:   commutes | compares,
	opCmp:        compares,
	opTest:       compares,
	opVUcomi:     compares,
	opJcc:        reads,
	opNeg:        pure,
	opShl:        pure,
	opSar:        pure,
	opShr:        pure,
	opSet:        pure | reads,
	opCmov:       pure | reads,
	opVAdd:       commutes | pure,
	opVSub:       pure,
	opVMul:       commutes | pure,
	opVDiv:       pure,
	opVMin:       pure,
	opVMax:       pure,
	opVSqrt:      pure,
	opVAnd:       commutes | pure,
	opVAndn:      pure,
	opVOr:        commutes | pure,
	opVXor:       commutes | pure,
	opVRound:     pure,
	opVCmp:       pure,
	opVCmpK:      pure,
	opVFma:       pure,
	opVFms:       pure,
	opVFnma:      pure,
	opVBlend:     pure,
	opVLogic:     pure,
	opVAddI:      commutes | pure,
	opVSubI:      pure,
	opVScale:     pure,
	opVMulI:      commutes | pure,
	opVMulU32:    commutes | pure,
	opVMaxI:      commutes | pure,
	opVMinI:      commutes | pure,
	opVShl:       pure,
	opVShr:       pure,
	opVSar:       pure,
	opVShlImm:    pure,
	opVShrImm:    pure,
	opVSarImm:    pure,
	opVCmpI:      pure,
	opVEqI:       commutes | pure,
	opVGtI:       pure,
	opVToReal:    pure,
	opVToInt:     pure,
	opVMov:       pure,
	opVLoad:      pure,
	opVBroadcast: pure,
	opVFromG:     pure,
	opVToG:       pure,
	opVRealG:     pure,
	opVIntG:      pure,
	opVGather:    early | pure,
	opVScatter:   early,
	opVMaskLoad:  pure,
	opVHigh:      pure,
	opVUnpack:    pure,
	opVUnpackLow: pure,
	opVPairs:     pure,
	opVHalves:    pure,
	opVMoveMask:  pure,
	opKMov:       pure,
	opKLoad:      pure,
	opKFromG:     pure,
	opKToG:       pure,
	opKAnd:       pure,
	opKOr:        pure,
	opKXor:       pure,
	opKNot:       pure,
	opQuo:        pure,
	opRem:        pure,
	opHome:       pure,
	opCopy:       pure,
}

// overwrites tells whether c is put into the destination before the others are read. That of a sum
// with a product takes the form that avoids it.
func (in *inst) overwrites() bool { return in.op == opVLogic || in.k != noReg && in.c != noReg }

func (o opcode) is(f opFlags) bool { return flags[o]&f != 0 }

func none(op opcode) inst {
	return inst{op: op, w: 8, d: noReg, a: noReg, b: noReg, c: noReg, k: noReg}
}
