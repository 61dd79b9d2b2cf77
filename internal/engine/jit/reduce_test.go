package jit

import "github.com/fluxion-lang/fluxion/internal/loop"

// reduce removes statements and results from a program as long as it still fails.
func reduce(p *loop.Program, fails func() bool) {
	bad := func() (bad bool) {
		if loop.Verify(p) != nil {
			return false
		}
		defer func() {
			if recover() != nil { // Eval: it is not well formed
				bad = false
			}
		}()
		return fails()
	}
	for changed := true; changed; {
		changed = false
		var block func(b *loop.Block)
		block = func(b *loop.Block) {
			for i := len(b.Stmts) - 1; i >= 0; i-- {
				old := b.Stmts
				b.Stmts = append(append([]loop.Stmt{}, old[:i]...), old[i+1:]...)
				if bad() {
					changed = true
					continue
				}
				b.Stmts = old
				loop.Blocks(old[i], block)
				if f, ok := old[i].(*loop.For); ok {
					for k := range f.Reds {
						reds, yield := f.Reds, f.Body.Yield
						at := len(f.States) + k
						f.Reds = append(append([]loop.Red{}, reds[:k]...), reds[k+1:]...)
						f.Body.Yield = append(append([]loop.Atom{}, yield[:at]...), yield[at+1:]...)
						if bad() {
							changed = true
							break
						}
						f.Reds, f.Body.Yield = reds, yield
					}
				}
			}
		}
		for _, f := range p.Funcs {
			block(f.Body)
			if f != p.Funcs[0] {
				continue
			}
			for i := 0; i < len(f.Body.Yield) && len(f.Body.Yield) > 1; i++ {
				old := f.Body.Yield
				f.Body.Yield = append(append([]loop.Atom{}, old[:i]...), old[i+1:]...)
				if bad() {
					changed = true
					i--
					continue
				}
				f.Body.Yield = old
			}
		}
	}
}
