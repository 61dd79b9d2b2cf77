package ir

import "github.com/fluxion-lang/fluxion/internal/loop"

// Signature is how a function's parameters and results lie in its frame: after the return address,
// a word for each scalar, and address and length of each buffer.
type Signature struct {
	Params  []int32
	Results []int32
	Scratch int32 // room for vectors that are taken apart
	Spills  int32 // where spilled registers start
	Routine bool  // Note [Routines]
	InLoop  bool  // a routine that is called in a loop
}

// Note [Routines]
//
// A routine is a function that the compiler adds to the program, to be called in several places. It
// calls none, so that one frame is enough for all of them. It lies in the context block behind that
// of the entry: a call need not look whether there is stack for it, and a program that has no other
// calls needs no stack and no register for its frames.

func SignatureOf(f *loop.Func) *Signature {
	s, at := &Signature{}, int32(8)
	words := func(k loop.Kind) int32 {
		if k.IsBuffer() {
			return 16
		}
		return 8
	}
	for _, p := range f.Params {
		s.Params = append(s.Params, at)
		at += words(p.Kind)
	}
	for _, a := range f.Body.Yield {
		s.Results = append(s.Results, at)
		at += words(a.AtomKind())
	}
	s.Scratch = (at + 63) &^ 63
	s.Spills = s.Scratch + 4*64
	return s
}
