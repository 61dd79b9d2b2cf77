package loop

// VaryingAfter walks through a loop with what is known to vary, and gives how much more is found.
func VaryingAfter(s *For, varies *VarSet) int {
	before := varies.Len()
	w := &variance{varies: varies, asked: &VarSet{}, body: s.Body}
	w.block(s.Body, false)
	return varies.Len() - before
}
