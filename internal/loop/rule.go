package loop

// Rule is the derivative of a function by its first parameters, which hold doubles, if it is not
// the derivative of the function's body. Derivatives by other parameters that hold doubles are
// unknown. If Push and Pull are nil, all derivatives are unknown.
type Rule struct {
	Reals int // the number of parameters that it is by

	// Push takes the parameters of the function followed by the tangents of the first ones. It
	// returns the tangents of the results that hold doubles, and is linear in the tangents.
	Push *Func

	// Pull takes the parameters of the function followed by the cotangents of the results that
	// hold doubles. It returns the cotangents of the first parameters, and is linear in the
	// cotangents.
	Pull *Func

	// Differs reports whether the rule differs from the derivative of the function's body, which
	// makes a derivative tied. It takes the parameters of the function and whether the rule is
	// used there; it returns whether it differs, and the latter again. If it is nil, no
	// comparison is made.
	Differs *Func

	// Counted is, for a function that is a Differs, one more than the number of its rule, whose
	// uses InlineRuled counts.
	Counted int
}

// InlineRuled replaces the calls of functions that have a Rule by their bodies, in a function
// that will not be differentiated any more. It counts uses of rules in the buffer counts, if that
// is not nil, and reports whether there were any to count.
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
