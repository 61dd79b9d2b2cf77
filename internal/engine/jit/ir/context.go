package ir

// The context block, in bytes from its start. Go and the code exchange everything through it.
const (
	CtxStatus = 0  // why the code has returned
	CtxResume = 8  // where it goes on after a poll
	CtxFuel   = 16 // polls until the next return to Go
	CtxBump   = 24 // the first free byte of the arena
	CtxLimit  = 32 // its end
	CtxStack  = 40 // the end of the stack of frames
	CtxNeed   = 48 // the bytes that the arena or the stack lacked
	ctxEntry  = 56 // the address of the code
	CtxGPR    = 64 // 32 words to save the general registers in
	CtxMasks  = CtxGPR + 32*8
	CtxVecs   = CtxMasks + 8*8
	CtxIota   = CtxVecs + 32*64 // the integers 0 … 7
	CtxFrame  = CtxIota + 64    // the first frame, if the program has no calls
)

// The reasons to return.
const (
	StatusDone = iota
	StatusPoll
	StatusCheck
	StatusArena
	StatusStack
)

func CtxMem(at int32) Mem { return Mem{Base: ContextBase, Index: NoReg, Scale: 1, Disp: at} }
