package loop

// OrderMatters reports whether the last bit of what a loop computes depends on the order of its
// iterations, that is, whether it adds or multiplies doubles over them, in totals or in buffers
// from outside.
func OrderMatters(s *For) bool {
	found := false
	for _, r := range s.Reds {
		found = found || r.Op == AddF || r.Op == MulF
	}
	local := map[*Var]bool{}
	Walk(s.Body, func(s Stmt) {
		Defs(s, func(v *Var) { local[v] = true })
		if a, ok := s.(*Accum); ok && !local[a.Buf] {
			found = true
		}
	})
	return found
}
