//go:build linux

#include "textflag.h"

// An ISB before the call, so that this processor has nothing of what was at the code's addresses earlier.

// func Enter(code uintptr, block unsafe.Pointer)
TEXT ·Enter(SB), 0, $16-16
	MOVD code+0(FP), R16
	MOVD block+8(FP), R26
	ISB  $15
	CALL (R16)
	RET

// func EnterFlushing(code uintptr, block unsafe.Pointer, control uint32)
TEXT ·EnterFlushing(SB), 0, $16-20
	MOVD  code+0(FP), R16
	MOVD  block+8(FP), R26
	MOVWU control+16(FP), R0
	ORR   $(1<<24), R0
	MSR   R0, FPCR
	ISB   $15
	CALL  (R16)
	MOVWU control+16(FP), R0
	MSR   R0, FPCR
	RET

// func Control() uint32
TEXT ·Control(SB), NOSPLIT, $0-4
	MRS  FPCR, R0
	MOVW R0, ret+0(FP)
	RET

// func SetControl(control uint32)
TEXT ·SetControl(SB), NOSPLIT, $0-4
	MOVWU control+0(FP), R0
	MSR   R0, FPCR
	RET

// func publish(text unsafe.Pointer, size uintptr)
//
// CTR_EL0 has the logarithms of the words of a line: of the cache of data in bits 16 to 19, of that of instructions
// in bits 0 to 3.
TEXT ·publish(SB), NOSPLIT, $0-16
	MOVD text+0(FP), R0
	MOVD size+8(FP), R1
	ADD  R0, R1
	MRS  CTR_EL0, R2
	MOVD $4, R3
	UBFX $16, R2, $4, R4
	LSL  R4, R3, R4
	AND  $15, R2
	LSL  R2, R3, R5
	SUB  $1, R4, R6
	BIC  R6, R0, R6

data:
	DC  CVAU, R6
	ADD R4, R6
	CMP R1, R6
	BLO data
	DSB $11
	SUB $1, R5, R6
	BIC R6, R0, R6

instructions:
	WORD $0xd50b7526 // ic ivau, x6
	ADD R5, R6
	CMP R1, R6
	BLO instructions
	DSB $11
	ISB $15
	RET
