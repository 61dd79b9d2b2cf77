package interp

// boxed tells whether a real that a kernel reads may be a box.
func (k *kernel) boxed(f *windowF, p []ref) bool {
	for _, s := range k.splats {
		if s.kind == kF && !s.value.isConst && isBox(f[s.value.reg]) {
			return true
		}
	}
	for _, fd := range k.folds {
		if fd.kind == kF && isBox(f[fd.acc]) {
			return true
		}
	}
	for _, c := range k.columns {
		if c.kind == kF && anyBox(columnF(p[c.array], c.col)) {
			return true
		}
	}
	for n := range k.code {
		if in := &k.code[n]; in.op == vAtF && anyBox(columnF(p[in.array], int(in.k))) {
			return true
		}
	}
	return false
}
