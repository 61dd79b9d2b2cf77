package loop

// Updated returns the buffers that may be updated in place: those that an Update is applied to,
// and those that they may have been before, as a state or the result of a branch.
func Updated(b *Block) map[*Var]bool {
	if !Any(b, func(s Stmt) bool { _, is := s.(*Update); return is }) {
		return nil
	}
	from := map[*Var][]Atom{} // what a buffer may be
	out := map[*Var]bool{}
	var queue []*Var
	add := func(a Atom) {
		if v, ok := a.(*Var); ok && v.Kind.IsBuffer() && !out[v] {
			out[v] = true
			queue = append(queue, v)
		}
	}
	states := func(states []State, yield []Atom) {
		for i, st := range states {
			if st.Var.Kind.IsBuffer() {
				from[st.Var] = append(from[st.Var], st.Init, yield[i])
				from[st.Result] = append(from[st.Result], st.Init, yield[i])
			}
		}
	}
	Walk(b, func(s Stmt) {
		switch s := s.(type) {
		case *Update:
			from[s.Var] = append(from[s.Var], s.Buf)
			add(s.Buf)
			add(s.Var)
		case *For:
			states(s.States, s.Body.Yield)
		case *While:
			states(s.States, s.Body.Yield)
		case *If:
			for i, v := range s.Results {
				if v.Kind.IsBuffer() {
					from[v] = append(from[v], s.Then.Yield[i], s.Else.Yield[i])
				}
			}
		}
	})
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, a := range from[v] {
			add(a)
		}
	}
	return out
}
