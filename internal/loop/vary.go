package loop

// Varying returns the variables of a loop's body, at any depth, that may differ between
// iterations of that loop: its index, its states, what is computed from something that varies,
// what is read at an index that varies or from a buffer made in the body that something varying
// was written to, and what is chosen by a condition that varies. If a buffer that varies is a
// state, is chosen by a branch or is updated, the other buffers that it may be vary too. The
// length of a buffer made in the body varies if that of its Alloc does, whatever is written to
// it. The caller may release the set when it no longer needs it.
func Varying(s *For) *VarSet {
	w := &variance{varies: NewVarSet(), asked: NewVarSet(), body: s.Body}
	defer w.asked.Release()
	w.varies.Add(s.Index)
	for _, st := range s.States {
		w.varies.Add(st.Var)
	}
	// A statement comes after what makes its operands vary, with two exceptions: a loop's body is
	// walked before it is known what its end does to its states, and a buffer may be found to
	// vary after something has asked about it. Only in these cases everything is walked again.
	for w.again = true; w.again; {
		w.again = false
		w.asked.Clear()
		w.block(s.Body, false)
	}
	return w.varies
}

// variance computes which variables vary.
type variance struct {
	varies  *VarSet
	asked   *VarSet // buffers that did not vary when something asked about them
	again   bool    // whether one of them does, or a state
	body    *Block  // of the loop
	lengths map[*Var]Atom
}

// is reports whether an atom varies.
func (w *variance) is(a Atom) bool {
	v, ok := a.(*Var)
	return ok && w.has(v)
}

func (w *variance) has(v *Var) bool {
	if w.varies.Has(v) {
		return true
	}
	if v.Kind.IsBuffer() {
		w.asked.Add(v)
	}
	return false
}

// mark records a variable that varies: one that is just being bound, or a buffer.
func (w *variance) mark(v *Var) {
	if v.Kind.IsBuffer() && !w.varies.Has(v) && w.asked.Has(v) {
		w.again = true
	}
	w.varies.Add(v)
}

// state records a state that varies, after the body that uses it.
func (w *variance) state(v *Var) {
	w.again = w.again || !w.varies.Has(v)
	w.varies.Add(v)
}

// alike marks the other buffers that a varying buffer may be.
func (w *variance) alike(v *Var, as ...Atom) {
	if v.Kind.IsBuffer() && w.has(v) {
		for _, a := range as {
			w.mark(a.(*Var))
		}
	}
}

// length reports whether the length of a buffer varies, for buffers made in the body.
func (w *variance) length(buf *Var) bool {
	if !w.has(buf) {
		return false
	}
	if w.lengths == nil {
		w.lengths = bodyLengths(w.body)
	}
	n, inside := w.lengths[buf]
	return inside && (n == nil || w.is(n))
}

// bodyLengths returns, for each buffer bound in a body, the length that it is made with, or nil
// if that is not known.
func bodyLengths(b *Block) map[*Var]Atom {
	lengths := map[*Var]Atom{}
	bind := func(v *Var) {
		if v.Kind.IsBuffer() {
			lengths[v] = nil
		}
	}
	Walk(b, func(s Stmt) {
		switch s := s.(type) {
		case *Let, *Load, *Length:
		case *Alloc:
			lengths[s.Var] = s.Len
		default:
			Params(s, bind)
			Defs(s, bind)
		}
	})
	return lengths
}

// block adds what varies in a block. divergent says that the block runs a varying number of times
// or under a varying condition.
func (w *variance) block(b *Block, divergent bool) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			for _, a := range s.Args {
				if v, ok := a.(*Var); ok && w.varies.Has(v) {
					w.varies.Add(s.Var)
					break
				}
			}
		case *Load:
			if w.is(s.At) || w.has(s.Buf) {
				w.varies.Add(s.Var)
			}
		case *Length:
			if w.length(s.Buf) {
				w.varies.Add(s.Var)
			}
		case *Store:
			if divergent || w.is(s.At) || w.is(s.Value) {
				w.mark(s.Buf)
			}
		case *Accum:
			if divergent || w.is(s.At) || w.is(s.Value) {
				w.mark(s.Buf)
			}
		case *Update:
			if divergent || w.is(s.At) || w.is(s.Value) || w.has(s.Buf) {
				w.mark(s.Var)
			}
			w.alike(s.Var, s.Buf) // one memory
		case *For:
			w.loop(s, divergent)
		case *While:
			w.while(s, divergent)
		case *If:
			w.branch(s, divergent)
		default:
			any := false
			Uses(s, func(a Atom) { any = w.is(a) || any })
			if any {
				Defs(s, w.mark)
			}
		}
	}
}

func (w *variance) loop(s *For, divergent bool) {
	inner := divergent || w.is(s.Count)
	for _, st := range s.States {
		if w.is(st.Init) {
			w.mark(st.Var)
		}
	}
	w.block(s.Body, inner)
	for i, st := range s.States {
		if w.is(s.Body.Yield[i]) || w.is(s.Count) {
			w.state(st.Var)
		}
		if w.has(st.Var) {
			w.mark(st.Result)
		}
		w.alike(st.Var, st.Init, s.Body.Yield[i])
	}
	for i, r := range s.Reds {
		if w.is(r.Init) || w.is(s.Body.Yield[len(s.States)+i]) || w.is(s.Count) {
			w.mark(r.Result)
		}
	}
}

func (w *variance) while(s *While, divergent bool) {
	for _, st := range s.States {
		if w.is(st.Init) {
			w.mark(st.Var)
		}
	}
	w.block(s.Cond, divergent)
	more := w.is(s.Cond.Yield[0])
	w.block(s.Body, divergent || more)
	for i, st := range s.States {
		if more || w.is(s.Body.Yield[i]) {
			w.state(st.Var)
		}
		if w.has(st.Var) {
			w.mark(st.Result)
		}
		w.alike(st.Var, st.Init, s.Body.Yield[i])
	}
}

func (w *variance) branch(s *If, divergent bool) {
	differs := w.is(s.Cond)
	w.block(s.Then, divergent || differs)
	w.block(s.Else, divergent || differs)
	for i, v := range s.Results {
		if w.is(s.Then.Yield[i]) || w.is(s.Else.Yield[i]) || differs {
			w.mark(v)
		}
		w.alike(v, s.Then.Yield[i], s.Else.Yield[i])
	}
}
