package syntax

// BindResult gives the final expression of a module a name, as if the module ended with `let name
// = e` and then `name`. It reports whether it did. It does not if there is no such expression, or
// if the module defines the name itself.
func (m *Module) BindResult(name string) bool {
	if m.Final == nil || m.defines(name) {
		return false
	}
	at := m.Final.Span()
	number := func() Loc {
		m.Nodes++
		return Loc{At: at, ID: m.Nodes - 1}
	}
	b := &Binding{Loc: number(), Pat: &PVar{Loc: number(), Name: name}, Body: m.Final}
	m.Decls = append(m.Decls, &LetDecl{Loc: number(), Bindings: []*Binding{b}})
	m.Final = &Var{Loc: number(), Name: name}
	return true
}

// defines reports whether a top-level let binds a name.
func (m *Module) defines(name string) bool {
	found := false
	for _, d := range m.Decls {
		Inspect(d, func(n Node) bool {
			v, ok := n.(*PVar)
			found = found || ok && v.Name == name
			_, isLet := n.(*LetDecl)
			_, isBinding := n.(*Binding)
			_, isPattern := n.(Pattern)
			return isLet || isBinding || isPattern
		})
	}
	return found
}
