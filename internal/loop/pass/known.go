package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// known holds what passes have found out about a body that they left as it was. A later pass that
// needs the same of the same body takes it, and need not find it out again. A nil known holds
// nothing.
type known struct {
	lengths   []*loop.Var // parameters that are from 0 to longest
	longest   int64
	prover    *prover     // what Checks has found out about the integers
	proved    *loop.Block // of this body
	numbering *numbering  // the numbers of CSE in its last run
	numbered  *loop.Block // the body that they are of; nil if it is another one now
	updates   bool        // whether CSE has met buffers that are updated
	simple    *simplifier // what Simplify has found in its last run
	settled   bool        // whether the pass that runs would not change the body it leaves
}

// integers is what is known of the integers of a function, whose body Checks may improve for it.
func (k *known) integers(f *loop.Func) *prover {
	if k == nil || k.prover == nil || k.proved != f.Body {
		return prove(f, k)
	}
	p := k.prover
	k.prover = nil
	return p
}

// numbers are the value numbers of a function.
func (k *known) numbers(f *loop.Func) *numbering {
	if k == nil || k.numbering == nil || k.numbered != f.Body {
		return numbers(f)
	}
	n := k.numbering
	k.numbering = nil
	return n
}

// keepProver keeps what was found out about a body, or releases it if the body is another one by
// now.
func (k *known) keepProver(p *prover, before, now *loop.Block) {
	if k == nil || before != now {
		p.release()
		return
	}
	if k.prover != nil {
		k.prover.release()
	}
	k.prover, k.proved = p, now
}

// takeNumbering is a numbering in which the parameters of a function are numbered.
func (k *known) takeNumbering(f *loop.Func) *numbering {
	if k == nil || k.numbering == nil {
		return newNumbering(f)
	}
	n := k.numbering
	k.numbering = nil
	n.start(f)
	return n
}

// keepNumbering keeps the numbers of a body.
func (k *known) keepNumbering(n *numbering, body *loop.Block) {
	if k == nil {
		n.release()
		return
	}
	k.numbering, k.numbered = n, body
}

// takeSimplifier is the simplifier of the last run, or a new one.
func (k *known) takeSimplifier() *simplifier {
	if k == nil || k.simple == nil {
		return simplifiers.Get().(*simplifier)
	}
	s := k.simple
	k.simple = nil
	return s
}

// keepSimplifier keeps a simplifier for the next run.
func (k *known) keepSimplifier(s *simplifier) {
	if k == nil {
		s.release()
		return
	}
	k.simple = s
}

// release gives the memory of all that is kept back.
func (k *known) release() {
	if k.prover != nil {
		k.prover.release()
	}
	if k.numbering != nil {
		k.numbering.release()
	}
	if k.simple != nil {
		k.simple.release()
	}
	*k = known{}
}
