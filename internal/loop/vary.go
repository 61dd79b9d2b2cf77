package loop

// Varying gives the variables of a loop's body, at any depth, that may differ from turn to turn of that
// loop: its index, its states, what is computed from something that varies, what is
// read at an index that varies or from a buffer made in the body that something varying was written
// to, and what is chosen by a condition that varies. If a buffer that varies is a state or is chosen by a branch, so does
// what else it may be. The length of a buffer that is made in the body varies if
// that of its Alloc does, whatever is written to it.
func Varying(s *For) *VarSet {
	varies := &VarSet{}
	varies.Add(s.Index)
	for _, st := range s.States {
		varies.Add(st.Var)
	}
	// Loops carry states around and buffers may be written after their uses were seen: repeat
	// until nothing is added.
	lengths := bodyLengths(s.Body)
	for {
		before := varies.Len()
		vary(s.Body, varies, lengths, false)
		if varies.Len() == before {
			return varies
		}
	}
}

// bodyLengths gives for each buffer that is bound in a body the length that it is made with, or nil if that is
// not known.
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

// vary adds what varies in a block, which runs in a varying number of turns or under a varying
// condition if divergent.
func vary(b *Block, varies *VarSet, lengths map[*Var]Atom, divergent bool) {
	is, mark := varies.HasAtom, varies.Add
	alike := func(v *Var, as ...Atom) {
		if !v.Kind.IsBuffer() || !varies.Has(v) {
			return
		}
		for _, a := range as {
			mark(a.(*Var))
		}
	}
	for _, s := range b.Stmts {
		any := false
		switch s := s.(type) {
		case *Length:
			if n, inside := lengths[s.Buf]; inside && varies.Has(s.Buf) && (n == nil || is(n)) {
				mark(s.Var)
			}
			continue
		case *Store:
			if divergent || is(s.At) || is(s.Value) {
				mark(s.Buf)
			}
			continue
		case *Accum:
			if divergent || is(s.At) || is(s.Value) {
				mark(s.Buf)
			}
			continue
		case *For:
			inner := divergent || is(s.Count)
			for _, st := range s.States {
				if is(st.Init) || is(st.Var) {
					mark(st.Var)
				}
			}
			vary(s.Body, varies, lengths, inner)
			for i, st := range s.States {
				if inner && varies.Has(s.Index) || is(s.Body.Yield[i]) || is(s.Count) {
					mark(st.Var)
				}
				if varies.Has(st.Var) {
					mark(st.Result)
				}
				alike(st.Var, st.Init, s.Body.Yield[i])
			}
			for i, r := range s.Reds {
				if is(r.Init) || is(s.Body.Yield[len(s.States)+i]) || is(s.Count) {
					mark(r.Result)
				}
			}
			continue
		case *While:
			for _, st := range s.States {
				if is(st.Init) {
					mark(st.Var)
				}
			}
			vary(s.Cond, varies, lengths, divergent)
			inner := divergent || is(s.Cond.Yield[0])
			vary(s.Body, varies, lengths, inner)
			for i, st := range s.States {
				if is(s.Body.Yield[i]) || is(s.Cond.Yield[0]) {
					mark(st.Var)
				}
				if varies.Has(st.Var) {
					mark(st.Result)
				}
				alike(st.Var, st.Init, s.Body.Yield[i])
			}
			continue
		case *If:
			inner := divergent || is(s.Cond)
			vary(s.Then, varies, lengths, inner)
			vary(s.Else, varies, lengths, inner)
			for i, v := range s.Results {
				if is(s.Cond) || is(s.Then.Yield[i]) || is(s.Else.Yield[i]) {
					mark(v)
				}
				alike(v, s.Then.Yield[i], s.Else.Yield[i])
			}
			continue
		}
		Uses(s, func(a Atom) { any = any || is(a) })
		if any {
			Defs(s, mark)
		}
	}
}
