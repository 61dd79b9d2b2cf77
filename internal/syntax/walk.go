package syntax

// Inspect calls visit for a node and, if visit returns true, for each of its parts, in the order
// of the text.
func Inspect(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	children(n, func(c Node) { Inspect(c, visit) })
}

// InspectModule calls visit for everything in a module.
func InspectModule(m *Module, visit func(Node) bool) {
	for _, i := range m.Imports {
		Inspect(i, visit)
	}
	for _, d := range m.Decls {
		Inspect(d, visit)
	}
	if m.Final != nil {
		Inspect(m.Final, visit)
	}
}

// each calls do for the nodes of a list.
func each[N Node](list []N, do func(Node)) {
	for _, n := range list {
		do(n)
	}
}

// some calls do for the nodes that are not nil.
func some(do func(Node), list ...Node) {
	for _, n := range list {
		if n != nil {
			do(n)
		}
	}
}

// children calls do for the parts of a node.
func children(n Node, do func(Node)) {
	switch n := n.(type) {
	case *LetDecl:
		each(n.Bindings, do)
	case *Binding:
		do(n.Pat)
		each(n.Params, do)
		if n.Result != nil {
			do(n.Result)
		}
		do(n.Body)
	case *Signature:
		do(n.Type)
	case *TypeDecl:
		do(n.Type)
	case *DataDecl:
		each(n.Constructors, do)
	case *ConstructorDecl:
		each(n.Fields, do)
	case *Arm:
		do(n.Pat)
		if n.Guard != nil {
			do(n.Guard)
		}
		do(n.Body)
	case Expr:
		exprChildren(n, do)
	case Pattern:
		patternChildren(n, do)
	case TypeExpr:
		typeChildren(n, do)
	}
}

func exprChildren(n Expr, do func(Node)) {
	switch n := n.(type) {
	case *Paren:
		do(n.X)
	case *Annot:
		some(do, n.X, n.Type)
	case *Tuple:
		each(n.Elems, do)
	case *Record:
		for _, f := range n.Fields {
			do(f.Value)
		}
	case *Update:
		do(n.X)
		for _, f := range n.Fields {
			if f.Index != nil {
				do(f.Index)
			}
			if f.Old != nil {
				do(f.Old)
			}
			do(f.Value)
		}
	case *Array:
		each(n.Elems, do)
	case *Comp:
		do(n.Body)
		for _, c := range n.Clauses {
			some(do, c.Pat, c.X)
			if c.If != nil {
				do(c.If)
			}
		}
	case *Field:
		do(n.X)
	case *Index:
		do(n.X)
		each(n.Indices, do)
	case *Slice:
		do(n.X)
		if n.Lo != nil {
			do(n.Lo)
		}
		if n.Hi != nil {
			do(n.Hi)
		}
		if n.Rest != nil {
			some(do, n.Row, n.Rest)
		}
	case *Apply:
		do(n.Fun)
		each(n.Args, do)
	case *Binary:
		some(do, n.L, n.R)
	case *Neg:
		do(n.X)
	case *Section:
		some(do, n.Hole, n.Body)
	case *Text:
		each(n.Holes, do)
	case *Fun:
		each(n.Params, do)
		do(n.Body)
	case *If:
		some(do, n.Cond, n.Then, n.Else)
	case *Match:
		do(n.X)
		each(n.Arms, do)
	case *Let:
		each(n.Bindings, do)
		do(n.Body)
	case *Loop:
		some(do, n.State, n.Init)
		if n.Clause != nil {
			some(do, n.Clause.Pat, n.Clause.X)
		}
		if n.While != nil {
			do(n.While)
		}
		do(n.Body)
	}
}

func patternChildren(n Pattern, do func(Node)) {
	switch n := n.(type) {
	case *PCon:
		each(n.Args, do)
	case *PTuple:
		each(n.Elems, do)
	case *PRecord:
		for _, f := range n.Fields {
			do(f.Pat)
		}
	case *PParen:
		do(n.X)
	case *PAnnot:
		some(do, n.X, n.Type)
	case *PAs:
		some(do, n.X, n.Name)
	case *POr:
		each(n.Alts, do)
	case *PArray:
		each(n.Elems, do)
		if n.Rest != nil {
			do(n.Rest)
		}
	}
}

func typeChildren(n TypeExpr, do func(Node)) {
	switch n := n.(type) {
	case *TName:
		each(n.Args, do)
	case *TFun:
		some(do, n.Param, n.Result)
	case *TTuple:
		each(n.Elems, do)
	case *TProduct:
		each(n.Elems, do)
	case *TPower:
		do(n.Elem)
	case *TRecord:
		for _, f := range n.Fields {
			do(f.Type)
		}
	case *TArray:
		do(n.Elem)
	case *TParen:
		do(n.X)
	}
}
