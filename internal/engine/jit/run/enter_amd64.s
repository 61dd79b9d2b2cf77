#include "textflag.h"

// func Enter(code uintptr, block unsafe.Pointer)
TEXT ·Enter(SB), 0, $8-16
	MOVQ code+0(FP), AX
	MOVQ block+8(FP), BX
	CALL AX
	RET

// func EnterFlushing(code uintptr, block unsafe.Pointer, control uint32)
TEXT ·EnterFlushing(SB), 0, $16-20
	MOVQ    code+0(FP), AX
	MOVQ    block+8(FP), BX
	MOVL    control+16(FP), CX
	ORL     $0x8000, CX
	MOVL    CX, 8(SP)
	LDMXCSR 8(SP)
	CALL    AX
	MOVL    control+16(FP), CX
	MOVL    CX, 8(SP)
	LDMXCSR 8(SP)
	RET

// func Control() uint32
TEXT ·Control(SB), NOSPLIT, $8-4
	STMXCSR 0(SP)
	MOVL    0(SP), AX
	MOVL    AX, ret+0(FP)
	RET

// func SetControl(control uint32)
TEXT ·SetControl(SB), NOSPLIT, $8-4
	MOVL    control+0(FP), AX
	MOVL    AX, 0(SP)
	LDMXCSR 0(SP)
	RET
