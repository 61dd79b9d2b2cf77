// Package ir is the form between the loop form and machine code: functions of instructions on
// virtual registers, with structured loops, the layout of their frames, and the context block
// through which machine code and Go exchange data. A Target describes a machine to the packages
// that select instructions and place registers. Only a machine's own package knows more about it.
package ir

import "strconv"

// Reg is a register: below FirstVirtual the number of a machine register in its class, from there
// on a virtual register of the function being compiled.
type Reg int32

const (
	NoReg        Reg = -1
	PoolBase     Reg = -2 // the base of an address in the constant pool
	FrameBase    Reg = -3 // the base of an address in the function's frame
	CalleeBase   Reg = -4 // the base of an address in the frame of the function being called
	ContextBase  Reg = -5 // the base of an address in the context block
	RoutineBase  Reg = -6 // the base of an address in the frame of the routine being called
	FirstVirtual Reg = 64
)

// Class is the file that a register belongs to.
type Class uint8

const (
	GPR  Class = iota // 64-bit words: integers, Booleans, addresses
	Vec               // doubles and vectors
	Mask              // a bit a lane; only with AVX-512
)

// Mem is a memory operand: base + index·scale + disp. A vector index makes it a gather or scatter.
type Mem struct {
	Base, Index Reg
	Disp        int32
	Scale       uint8
	Broadcast   bool // one double is read and repeated in all lanes
}

// Cond is what a comparison has found. The lowest bit negates it.
type Cond uint8

// Conditions on integers have the numbers that they have on amd64.
const (
	CCO  Cond = 0 // opMulFlags has left 64 bits
	CCB  Cond = 2 // unsigned
	CCAE Cond = 3
	CCE  Cond = 4
	CCNE Cond = 5
	CCBE Cond = 6
	CCA  Cond = 7
	CCS  Cond = 8
	CCP  Cond = 10 // of doubles: they cannot be compared
	CCNP Cond = 11
	CCL  Cond = 12
	CCGE Cond = 13
	CCLE Cond = 14
	CCG  Cond = 15

	// Of doubles, after opVUcomi. A NaN is neither above nor below.
	CCAboveF   Cond = 16
	CCAtLeastF Cond = 18
)

// Inst is an instruction. Before register allocation its registers are virtual and a destination is
// independent of the sources; afterwards they are those of the machine.
type Inst struct {
	Imm     int64
	D       Reg // what it writes
	A, B, C Reg // what it reads
	// K is the mask under which it works, NoReg for all lanes. In lanes where the mask is not set,
	// D is C, or 0 without C.
	K     Reg
	To    Label
	M     Mem // in place of b if isMem
	Op    Opcode
	W     uint8 // bytes of the vectors it works on: 8 for one double, 32 or 64
	IsMem bool
	IsImm bool // imm is in place of b
	CC    Cond
}

// Label is a place in the code that jumps name.
type Label int32

const (
	NoLabel   Label = -1
	PoolLabel Label = -2 // the start of the constant pool
)

func (l Label) String() string { return "L" + strconv.Itoa(int(l)) }

// Opcode is the operation of an instruction: a row of the table ops.
type Opcode uint8

const (
	OpNone Opcode = iota

	// General registers: d = a op b.
	OpMov
	OpMovImm // d = imm
	OpLoad   // d = [m]
	OpStore  // [m] = a, or imm
	OpLea    // d = address of m
	OpAdd
	OpSub
	OpAnd
	OpOr
	OpXor
	OpMul
	OpMulFlags // the same, for its overflow flag
	OpNeg
	OpShl
	OpSar
	OpShr
	OpCmp // flags of a - b
	OpTest
	OpDivRem  // rax, rdx = rdx:rax / a
	OpSignRdx // rdx = sign of rax
	OpSet     // d = 0 or 1 by cc
	OpCmov    // d = cc ? b : a
	OpJump
	OpJcc
	OpJumpMem // jump to the address at m
	OpLeaLabel
	OpRet
	OpSubMem // [m] -= imm

	// Vectors: d = a op b.
	OpVAdd
	OpVSub
	OpVMul
	OpVDiv
	OpVMin
	OpVMax
	OpVSqrt
	OpVAnd
	OpVAndn // not a, and b
	OpVOr
	OpVXor
	OpVRound // by imm
	OpVCmp   // by imm; gives a vector of zeros and ones
	OpVCmpK  // by imm; gives a mask
	OpVUcomi // flags
	OpVFma   // d = a·b + c; emitted as one of the six below
	OpVFms
	OpVFnma
	OpVFma213
	OpVFms213
	OpVFnma213
	OpVFma231
	OpVFms231
	OpVFnma231
	OpVBlend // d = c ? b : a, c a mask
	OpVLogic // d = the bits of c, a and b by imm: bit 4c + 2a + b of it
	OpVAddI
	OpVSubI
	OpVScale // a·2^⌊b⌋
	OpVMulI
	OpVMulU32
	OpVMaxI
	OpVMinI
	OpVShl
	OpVShr
	OpVSar
	OpVShlImm
	OpVShrImm
	OpVSarImm
	OpVCmpI // by imm; gives a mask register
	OpVEqI  // AVX2: gives a vector
	OpVGtI
	OpVToReal
	OpVToInt
	OpVMov
	OpVLoad
	OpVStore
	OpVBroadcast
	OpVFromG  // d = the word of a general register
	OpVToG    // d = the lowest element as a word
	OpVRealG  // d = b, a general register, as a double
	OpVIntG   // d, a general register, = a truncated
	OpVGather // under k, which it clears
	OpVScatter
	OpVMaskLoad // AVX2, mask a
	OpVMaskStore
	OpVHigh   // d = the upper half of a
	OpVUnpack // d = the upper elements of pairs
	OpVUnpackLow
	OpVPairs  // AVX-512: d = two pairs of elements of a and two of b, by imm
	OpVHalves // AVX2: d = a half of a and one of b, by imm
	OpVMoveMask
	OpVZeroUpper

	// Masks.
	OpKMov
	OpKLoad
	OpKStore
	OpKFromG
	OpKToG
	OpKAnd
	OpKOr
	OpKXor
	OpKNot

	// Not instructions of the machine.
	OpLabel
	OpAlign
	OpLoopStart
	OpLoopEnd
	OpPoll
	OpCall   // of function imm
	OpReturn // to the caller
	OpHome   // d = its home: a constant, or a parameter in the frame
	OpCopy   // d = a
	OpCarry  // the same, at the end of a loop's turn, which does not read a any more
	OpQuo    // d = a / b, truncated; b is not 0 or -1
	OpRem    // its remainder
	OpStmt   // imm is the statement that the following code comes from
)

// opFlags is what allocation and the passes on instructions know about an operation.
type opFlags uint8

const (
	Commutes opFlags = 1 << iota
	pure             // may be removed if its result is not used
	Early            // writes its destination before it has read its sources
	compares         // only sets the flags; what reads them follows before the next label
	reads            // reads the flags
)

var flags = [256]opFlags{
	OpMov:        pure,
	OpMovImm:     pure,
	OpLoad:       pure,
	OpLea:        pure,
	OpAdd:        Commutes | pure,
	OpSub:        pure,
	OpAnd:        Commutes | pure,
	OpOr:         Commutes | pure,
	OpXor:        Commutes | pure,
	OpMul:        Commutes | pure,
	OpMulFlags:   Commutes | compares,
	OpCmp:        compares,
	OpTest:       compares,
	OpVUcomi:     compares,
	OpJcc:        reads,
	OpNeg:        pure,
	OpShl:        pure,
	OpSar:        pure,
	OpShr:        pure,
	OpSet:        pure | reads,
	OpCmov:       pure | reads,
	OpVAdd:       Commutes | pure,
	OpVSub:       pure,
	OpVMul:       Commutes | pure,
	OpVDiv:       pure,
	OpVMin:       pure,
	OpVMax:       pure,
	OpVSqrt:      pure,
	OpVAnd:       Commutes | pure,
	OpVAndn:      pure,
	OpVOr:        Commutes | pure,
	OpVXor:       Commutes | pure,
	OpVRound:     pure,
	OpVCmp:       pure,
	OpVCmpK:      pure,
	OpVFma:       pure,
	OpVFms:       pure,
	OpVFnma:      pure,
	OpVBlend:     pure,
	OpVLogic:     pure,
	OpVAddI:      Commutes | pure,
	OpVSubI:      pure,
	OpVScale:     pure,
	OpVMulI:      Commutes | pure,
	OpVMulU32:    Commutes | pure,
	OpVMaxI:      Commutes | pure,
	OpVMinI:      Commutes | pure,
	OpVShl:       pure,
	OpVShr:       pure,
	OpVSar:       pure,
	OpVShlImm:    pure,
	OpVShrImm:    pure,
	OpVSarImm:    pure,
	OpVCmpI:      pure,
	OpVEqI:       Commutes | pure,
	OpVGtI:       pure,
	OpVToReal:    pure,
	OpVToInt:     pure,
	OpVMov:       pure,
	OpVLoad:      pure,
	OpVBroadcast: pure,
	OpVFromG:     pure,
	OpVToG:       pure,
	OpVRealG:     pure,
	OpVIntG:      pure,
	OpVGather:    Early | pure,
	OpVScatter:   Early,
	OpVMaskLoad:  pure,
	OpVHigh:      pure,
	OpVUnpack:    pure,
	OpVUnpackLow: pure,
	OpVPairs:     pure,
	OpVHalves:    pure,
	OpVMoveMask:  pure,
	OpKMov:       pure,
	OpKLoad:      pure,
	OpKFromG:     pure,
	OpKToG:       pure,
	OpKAnd:       pure,
	OpKOr:        pure,
	OpKXor:       pure,
	OpKNot:       pure,
	OpQuo:        pure,
	OpRem:        pure,
	OpHome:       pure,
	OpCopy:       pure,
}

// Overwrites tells whether c is put into the destination before the others are read. That of a sum
// with a product takes the form that avoids it.
func (in *Inst) Overwrites() bool { return in.Op == OpVLogic || in.K != NoReg && in.C != NoReg }

func (o Opcode) Is(f opFlags) bool { return flags[o]&f != 0 }

func Bare(op Opcode) Inst {
	return Inst{Op: op, W: 8, D: NoReg, A: NoReg, B: NoReg, C: NoReg, K: NoReg}
}

// Fits32 reports whether an integer can be an immediate operand.
func Fits32(n int64) bool { return n == int64(int32(n)) }
