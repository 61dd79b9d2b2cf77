package loop

// Rule is the derivative of a function by its first parameters, which hold doubles, where that is
// not the derivative of its body. Nothing is known of derivatives by other parameters that hold
// doubles, and nothing at all if Push and Pull are nil.
type Rule struct {
	Reals int // how many parameters it is by

	// Push has the parameters of the function, and then the tangents of the first ones. It gives the tangents of those results
	// that hold doubles, and is linear in the tangents.
	Push *Func

	// Pull has the parameters of the function, and then the cotangents of those results that hold doubles. It gives the
	// cotangents of the first parameters, and is linear in its cotangents.
	Pull *Func

	// Differs tells whether the rule is not the derivative of the function's body, which makes a
	// derivative tied. It has the parameters of the function, and whether the rule is used there; it
	// gives whether it differs, and the latter again. If it is nil, nobody asks.
	Differs *Func

	// Counted is, of a function that is a Differs, one more than the number of its rule, whose uses
	// InlineRuled counts.
	Counted int
}

// InlineRuled replaces the calls of functions that have a Rule by their bodies, in a function that
// is not differentiated any more. Uses of rules are counted in a buffer, if it is not nil.
// InlineRuled tells whether there were any to be counted.
func InlineRuled(f *Func, counts *Var) (uses bool) {
	x := &ruledInliner{counts: counts}
	x.m = Mapper{Use: x.use, Block: x.block, Share: true}
	f.Body = x.block(f.Body)
	return x.uses
}

type ruledInliner struct {
	counts  *Var
	uses    bool
	results VarMap[Atom] // what the results of calls are
	m       Mapper
}

func (x *ruledInliner) use(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if to := x.results.Get(v); to != nil {
			return to
		}
	}
	return a
}

func (x *ruledInliner) block(b *Block) *Block {
	out := Rebuild(b)
	for _, s := range b.Stmts {
		c, ok := s.(*Call)
		if !ok || c.Func.Rule == nil {
			out.Add(x.m.Stmt(s))
			continue
		}
		copier := NewCopier()
		for i, p := range c.Func.Params {
			copier.Set(p, x.use(c.Args[i]))
		}
		body := x.block(copier.Block(c.Func.Body))
		copier.Release()
		out.Add(body.Stmts...)
		for i, v := range c.Results {
			x.results.Set(v, body.Yield[i])
		}
		if k := c.Func.Rule.Counted; k > 0 {
			if x.uses = true; x.counts != nil {
				used := out.Let("used", ToReal, out.Let("used", ToWord, body.Yield[1]))
				out.Accum(x.counts, Int(int64(k-1)), used)
			}
		}
	}
	return out.Rebuilt(b, x.m.Uses(b.Yield))
}
