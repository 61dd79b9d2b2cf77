#include "textflag.h"

// func enter(code uintptr, block unsafe.Pointer)
TEXT ·enter(SB), 0, $8-16
	MOVQ code+0(FP), AX
	MOVQ block+8(FP), BX
	CALL AX
	RET
