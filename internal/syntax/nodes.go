package syntax

// nodes allocates the commonest nodes from slabs. A program has about ten nodes per line, and
// allocating each by itself would take most of the time of parsing.
type nodes struct {
	vars    slab[Var]
	numbers slab[Number]
	applies slab[Apply]
	binary  slab[Binary]
	parens  slab[Paren]
	fields  slab[Field]
	indices slab[Index]
	pvars   slab[PVar]
	binds   slab[Binding]
	cons    slab[Con]
	funs    slab[Fun]
	ifs     slab[If]
	lets    slab[Let]
	arms    slab[Arm]
	pcons   slab[PCon]
	pannots slab[PAnnot]
	sigs    slab[Signature]
	tnames  slab[TName]

	matchNodes slab[Match]
	singles    slab[[1]*Binding]

	exprs []Expr    // a stack of the expressions in the lists being parsed
	kept  []Expr    // the rest of the current slab for finished lists
	pats  []Pattern // like exprs, for patterns
}

// slab allocates from arrays of growing size.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) get() *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, 4), 256)
		s.free = make([]T, s.size)
	}
	x := &s.free[0]
	s.free = s.free[1:]
	return x
}

// single returns a list with one binding.
func (n *nodes) single(b *Binding) []*Binding {
	s := n.singles.get()
	s[0] = b
	return s[:]
}

// takeExprs removes the expressions from the stack beyond mark, as a list.
func (n *nodes) takeExprs(mark int) []Expr {
	list := n.exprs[mark:]
	n.exprs = n.exprs[:mark]
	if len(list) == 0 {
		return nil
	}
	if len(list) > len(n.kept) {
		n.kept = make([]Expr, max(min(2*len(n.exprs)+16, 256), len(list)))
	}
	copied := n.kept[:len(list):len(list)]
	n.kept = n.kept[len(list):]
	copy(copied, list)
	return copied
}
