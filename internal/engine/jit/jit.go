// Package jit makes machine code of the loop form and runs it in the Go process, without cgo. It is
// an engine (loop.Code) for amd64 with AVX2 or AVX-512 and for arm64 on Linux; elsewhere Compile
// gives ErrUnsupported, and the portable executor or the interpreter runs the program.
//
// A function of the loop form becomes a list of instructions on virtual registers, the registers
// get places, and a target makes machine code of the instructions:
//
//	compile.go    from a program to code; the options; arch.go the back ends
//	lower         statements of the loop form become instructions
//	ir            the instructions, what a function of them is, and what a machine can do
//	alloc         registers get places
//	emit          what back ends share; x86 and arm are back ends
//	run           memory for code, and how it is entered
//	run.go        a run
//	threads.go    a run by several goroutines; parts.go and nested.go what they run, team.go the goroutines,
//	              effort.go whether there is enough work for them
//
// A new kind of processor is a package beside x86 and arm, and a row of the table in arch.go.
//
// # Inside the Go runtime
//
// The code is a leaf that never moves the stack pointer: spilled registers are in a context block,
// and functions of the program that call each other have a stack of frames of their own. So
// profiles and tracebacks keep working, and a fault is a panic. The context holds the slices whose
// addresses the code uses, so that the collector keeps them. Memory is writable first and
// executable then, never both; on arm64 the caches are told. macOS on arm64 asks more of a process
// that makes code, and has none.
//
// Go cannot interrupt the code. It counts down in its loops and returns to Go when the count is
// used up, with all registers saved in the context; Go looks at deadlines, lets the collector run,
// and enters it again where it has left.
package jit

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/run"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// ErrUnsupported says that this machine or operating system cannot run machine code made by this
// package.
var ErrUnsupported = run.ErrUnsupported

// Compile makes code for the first function of a program. An operation without machine code is an
// error that names it. It panics as Poll of the program's Watch does.
func Compile(p *loop.Program, opts Options) (*Code, error) {
	if p.Watch != nil { // of this, and not of what is cut later
		opts.watch, p = p.Watch, &loop.Program{Funcs: p.Funcs}
	}
	c, err := compile(p, opts)
	opts.watch = nil
	if err != nil {
		return nil, err
	}
	c.opts.watch = nil
	loop.Walk(c.entry.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.For); ok {
			if n, ok := s.Count.(*loop.Const); ok {
				c.longest = max(c.longest, n.I)
			}
		}
	})
	c.cut = sync.OnceValues(func() (*threads, error) { return cut(p, opts) })
	return c, nil
}
