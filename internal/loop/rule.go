package loop

// Rule is the derivative of a function by its first parameters, which hold doubles, where that is
// not the derivative of its body. Nothing is known of derivatives by other parameters that hold
// doubles, and nothing at all if Push and Pull are nil.
type Rule struct {
	Reals int // how many parameters it is by

	// Push has the parameters of the function, and then the tangents of the first ones. It gives
	// the tangents of those results that hold doubles, and is linear in the tangents.
	Push *Func

	// Pull has the parameters of the function, and then the cotangents of those results that hold
	// doubles. It gives the cotangents of the first parameters, and is linear in its cotangents.
	Pull *Func

	// Differs reports whether the rule is not the derivative of the function's body, which makes a
	// derivative tied. It has the parameters of the function, and whether the rule is used there;
	// it gives whether it differs, and the latter again. If it is nil, nobody asks.
	Differs *Func

	// Counted is, of a function that is a Differs, one more than the number of its rule, whose uses
	// InlineRuled counts.
	Counted int
}

// InlineRuled replaces the calls of functions that have a Rule by their bodies, in a function that
// is not differentiated any more. Uses of rules are counted in a buffer, if it is not nil.
// InlineRuled reports whether there were any to be counted.
func InlineRuled(f *Func, counts *Var) (uses bool) {
	x := &inliner{is: func(f *Func) bool { return f.Rule != nil }}
	x.after = func(out *Builder, f *Func, results []Atom) {
		if k := f.Rule.Counted; k > 0 {
			if uses = true; counts != nil {
				used := out.Let("used", ToReal, out.Let("used", ToWord, results[1]))
				out.Accum(counts, Int(int64(k-1)), used)
			}
		}
	}
	x.run(f)
	return uses
}

// Inline replaces the calls of some functions by their bodies.
func Inline(f *Func, is func(*Func) bool) {
	x := &inliner{is: is, after: func(*Builder, *Func, []Atom) {}}
	x.run(f)
}

// inliner replaces calls by bodies.
type inliner struct {
	is      func(*Func) bool                            // whose calls
	after   func(out *Builder, f *Func, results []Atom) // what is done after such a body
	results VarMap[Atom]                                // what the results of calls are
	m       Mapper
}

func (x *inliner) run(f *Func) {
	x.m = Mapper{Use: x.use, Block: x.block, Share: true}
	f.Body = x.block(f.Body)
}

func (x *inliner) use(a Atom) Atom {
	if v, ok := a.(*Var); ok {
		if to := x.results.Get(v); to != nil {
			return to
		}
	}
	return a
}

func (x *inliner) block(b *Block) *Block {
	out := Rebuild(b)
	for _, s := range b.Stmts {
		c, ok := s.(*Call)
		if !ok || !x.is(c.Func) {
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
		x.after(out, c.Func, body.Yield)
	}
	return out.Rebuilt(b, x.m.Uses(b.Yield))
}
