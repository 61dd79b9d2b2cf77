// Package jit makes machine code of the loop form and runs it in the Go process, without cgo. It is an
// engine (loop.Code) for amd64 with AVX2 or AVX-512 and for arm64 on Linux; elsewhere Compile gives ErrUnsupported, and
// the portable executor or the interpreter runs the program.
//
// A function of the loop form becomes a list of instructions on virtual registers (lower.go for statements, room.go for its memory, arith.go and
// vectorops.go for operations, memory.go and states.go for buffers, lanes.go for loops in vectors,
// elements.go and accumulate.go for what these read, write and add to, calls.go for calls). function.go tidies the list and alloc.go gives its registers places. A target makes machine code from it; emit.go
// has what targets share. x86emit.go makes instructions of amd64, x86encode.go their bytes and x86print.go their
// text; armemit.go and armselect.go make instructions of arm64, and armencode.go has their bits and text. run.go runs the code.
//
// # Inside the Go runtime
//
// The code is a leaf that never moves the stack pointer: spilled registers are in a context block, and functions
// of the program that call each other have a stack of frames of their own. So profiles and tracebacks keep
// working, and a fault is a panic. The context holds the slices whose addresses the code uses, so that the collector keeps
// them. Memory is writable first and executable then, never both; on arm64 the caches are told. macOS on arm64 asks
// more of a process that makes code, and has none.
//
// Go cannot interrupt the code. It counts down in its loops and returns to Go when the count is used
// up, with all registers saved in the context; Go looks at deadlines, lets the collector run, and enters it again where it
// has left.
package jit

import (
	"errors"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// ErrUnsupported says that this machine or operating system cannot run machine code made by this package.
var ErrUnsupported = errors.New("jit: machine code is not supported here")

// Compile makes code for the first function of a program. An operation without machine code is an error
// that names it.
func Compile(p *loop.Program, opts Options) (*Code, error) {
	c, err := compile(p, opts)
	if err != nil {
		return nil, err
	}
	c.cut = sync.OnceValues(func() (*threads, error) { return cut(p, opts) })
	return c, nil
}
