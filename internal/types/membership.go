package types

// This file decides which types belong to which classes. The classes are closed, so membership is
// a function of the type, and a constraint on a type with unknowns becomes constraints on the
// unknowns.

// classesOf returns the classes of a basic type.
func classesOf(b *Basic) Classes {
	switch b {
	case Real:
		return Scalar | Num | Vec | Add | Cmp | Diff
	case Int:
		return Scalar | Num | Add | Eq | Ord | Cmp | Diff
	}
	return Eq | Ord | Cmp | Diff
}

// ofParts returns the classes that the parts of a tuple or record need for the whole to have the
// classes c, and the classes of c that the whole can never have.
//
// A composite is in Cmp only if it is in Ord, so its parts need the stronger class.
func ofParts(c Classes) (parts, never Classes) {
	never = c & (Scalar | Num)
	parts = c & (Vec | Add | Eq | Ord | Diff)
	if c&Cmp != 0 {
		parts |= Ord
	}
	return parts, never
}

// ofElements returns the same as ofParts for an array, which unlike a tuple may be in Num.
func ofElements(c Classes) (elements, never Classes) {
	elements, never = ofParts(c)
	return elements | c&Num, never &^ Num
}

// Lack says that a type does not have a class, because of a part of it.
type Lack struct {
	Class Classes // a single class
	Type  Type    // the type that should have it
	Part  Type    // the part that excludes it; Type itself if the whole does
	Need  Classes // the class that Part lacks
}

func lacks(t Type, c Classes) *Lack { return &Lack{c.first(), t, t, c.first()} }

// of restates the lack of a part for the whole, which should have c.
func (l *Lack) of(whole Type, c Classes) *Lack {
	class := l.Class
	switch {
	case c&class != 0:
	case class == Ord && c&Cmp != 0:
		class = Cmp
	}
	return &Lack{class, whole, l.Part, l.Need}
}

// spread propagates the classes c of a type to its parts, down to its variables (metas and
// parameters). leaf decides for each variable.
func spread(t Type, c Classes, leaf func(Type, Classes) *Lack) *Lack {
	if c == 0 {
		return nil
	}
	switch t := Resolve(t).(type) {
	case *Basic:
		if lacking := c &^ classesOf(t); lacking != 0 {
			return lacks(t, lacking)
		}
	case *Meta, *Param:
		return leaf(t, c)
	case *Fun:
		return lacks(t, c)
	case *Tuple:
		parts, never := ofParts(c)
		if never != 0 {
			return lacks(t, never)
		}
		for _, e := range t.Elems {
			if lack := spread(e, parts, leaf); lack != nil {
				return lack.of(t, c)
			}
		}
	case *Record:
		parts, never := ofParts(c)
		if never != 0 {
			return lacks(t, never)
		}
		for _, f := range t.Fields {
			if lack := spread(f.Type, parts, leaf); lack != nil {
				return lack.of(t, c)
			}
		}
	case *Array:
		parts, never := ofElements(c)
		if never != 0 {
			return lacks(t, never)
		}
		if lack := spread(t.Elem, parts, leaf); lack != nil {
			return lack.of(t, c)
		}
	case *Data:
		return spreadData(t, c, leaf)
	}
	return nil
}

// spreadData does the work of spread for a declared type. The type is in Eq, Ord or Diff if
// everything that its constructors hold is, assuming the same for the type itself (the largest
// solution: a list is in Eq if its elements are).
func spreadData(t *Data, c Classes, leaf func(Type, Classes) *Lack) *Lack {
	if never := c & (Scalar | Num | Vec | Add); never != 0 {
		return lacks(t, never)
	}
	parts, _ := ofParts(c)
	facts := t.Decl.facts
	if facts == nil {
		facts = analyse([]*DataDecl{t.Decl})[t.Decl]
	}
	for _, fact := range [...]struct {
		*classFact
		class Classes
	}{{&facts.order, parts & (Eq | Ord)}, {&facts.diff, parts & Diff}} {
		if fact.class == 0 {
			continue
		}
		if fact.bad != nil {
			part := &Lack{fact.class.first(), t, fact.bad, fact.class.first()}
			return part.of(t, c)
		}
		for i, needed := range fact.params {
			if !needed || i >= len(t.Args) {
				continue
			}
			if lack := spread(t.Args[i], fact.class, leaf); lack != nil {
				return lack.of(t, c)
			}
		}
	}
	return nil
}

// dataFacts holds what decides the membership of a declared type.
type dataFacts struct{ order, diff classFact }

// classFact says which parameters must be in the class, or which part of a constructor can never
// be. Eq and Ord have the same members, so order serves both.
type classFact struct {
	params []bool
	bad    Type
}

// CompleteData analyses declarations, which may mention one another, once their constructors are
// known. Afterwards asking for the classes of their types is cheap, and safe for concurrent use.
func CompleteData(decls []*DataDecl) {
	for d, facts := range analyse(decls) {
		if d.facts == nil {
			d.facts = facts
		}
	}
}

// analyse returns the least facts that are closed under the constructors' fields, for the given
// declarations and all unfinished ones that they reach.
func analyse(decls []*DataDecl) map[*DataDecl]*dataFacts {
	found := make(map[*DataDecl]*dataFacts, len(decls))
	var order []*DataDecl
	var reach func(t Type) Type
	enter := func(d *DataDecl) {
		if d.facts != nil || found[d] != nil {
			return
		}
		found[d] = &dataFacts{classFact{params: make([]bool, len(d.Params))},
			classFact{params: make([]bool, len(d.Params))}}
		order = append(order, d)
	}
	reach = func(t Type) Type {
		if d, ok := t.(*Data); ok {
			enter(d.Decl)
		}
		return Map(t, reach)
	}
	for _, d := range decls {
		enter(d)
	}
	for i := 0; i < len(order); i++ {
		for _, con := range order[i].Cons {
			for _, f := range con.Fields {
				reach(f)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		// Alternating the direction settles a chain of declarations in two rounds, in whichever
		// order it was written.
		for range 2 {
			for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
				order[i], order[j] = order[j], order[i]
			}
			for _, d := range order {
				a := analysis{found, d}
				for _, con := range d.Cons {
					for _, f := range con.Fields {
						changed = a.field(f, &found[d].order, Eq) || changed
						changed = a.field(f, &found[d].diff, Diff) || changed
					}
				}
			}
		}
	}
	return found
}

// analysis is one step towards the facts of decl.
type analysis struct {
	found map[*DataDecl]*dataFacts
	decl  *DataDecl
}

// field adds to the fact what the type t of a field implies, and reports whether the fact
// changed.
func (a analysis) field(t Type, fact *classFact, class Classes) (changed bool) {
	if fact.bad != nil {
		return false
	}
	switch t := Resolve(t).(type) {
	case *Basic:
		if classesOf(t)&class == 0 {
			fact.bad, changed = t, true
		}
	case *Fun:
		fact.bad, changed = t, true
	case *Param:
		for i, p := range a.decl.Params {
			if p == t && !fact.params[i] {
				fact.params[i], changed = true, true
			}
		}
	case *Tuple:
		for _, e := range t.Elems {
			changed = a.field(e, fact, class) || changed
		}
	case *Record:
		for _, f := range t.Fields {
			changed = a.field(f.Type, fact, class) || changed
		}
	case *Array:
		changed = a.field(t.Elem, fact, class)
	case *Data:
		facts := t.Decl.facts
		if facts == nil {
			facts = a.found[t.Decl]
		}
		inner := &facts.order
		if class == Diff {
			inner = &facts.diff
		}
		if inner.bad != nil {
			fact.bad = inner.bad
			return true
		}
		for i, needed := range inner.params {
			if needed && i < len(t.Args) {
				changed = a.field(t.Args[i], fact, class) || changed
			}
		}
	}
	return changed
}

// require makes t have the classes, by adding them to the unknowns inside it. It returns the
// first part that cannot have them. The unknowns record the demand as their reason.
func require(t Type, c Classes, by *Demand) *Lack {
	switch t := t.(type) { // the frequent cases come first
	case *Basic:
		if lacking := c &^ classesOf(t); lacking != 0 {
			return lacks(t, lacking)
		}
		return nil
	case *Meta:
		if t.Link == nil {
			t.demand(c, by)
			return nil
		}
	}
	return spread(t, c, func(t Type, c Classes) *Lack {
		switch t := t.(type) {
		case *Meta:
			t.demand(c, by)
		case *Param:
			return t.demand(c)
		}
		return nil
	})
}

// Require makes t have the classes on behalf of one demander.
func Require(t Type, c Classes, by any) *Lack {
	return require(t, c, &Demand{Classes: c, By: by})
}

// demand adds classes to an unknown. Only demands that bring a new class are
// kept, so the list stays as short as the set of classes.
func (m *Meta) demand(c Classes, by *Demand) {
	fresh := c &^ m.Classes
	if fresh == 0 || m.Poisoned {
		return
	}
	m.Classes |= fresh
	for d := by; d != nil && fresh != 0; d = d.Next {
		take := fresh & d.Classes
		if d.Next == nil {
			take = fresh // the class that a demand turned into on its way to a part
		}
		if take != 0 {
			m.Demands = &Demand{take, d.By, m.Demands}
			fresh &^= take
		}
	}
}

// demand adds classes to a rigid variable, if the program left that open.
func (p *Param) demand(c Classes) *Lack {
	if lacking := c &^ p.Classes.Closure(); lacking != 0 {
		if p.Given || p.Level == 0 {
			return lacks(p, lacking)
		}
		p.Classes |= lacking
	}
	return nil
}

// Demander returns what first asked for one of the classes of an unknown, or nil.
func (m *Meta) Demander(c Classes) any {
	for d := m.Demands; d != nil; d = d.Next {
		if d.Classes&c != 0 {
			return d.By
		}
	}
	return nil
}

// Member returns nil if a type has the classes, and otherwise why it does not. Variables have the
// classes that they are known to have.
func Member(t Type, c Classes) *Lack {
	return spread(t, c, func(t Type, c Classes) *Lack {
		var has Classes
		switch t := t.(type) {
		case *Meta:
			if t.Poisoned {
				return nil
			}
			has = t.Classes
		case *Param:
			has = t.Classes
		}
		if lacking := c &^ has.Closure(); lacking != 0 {
			return lacks(t, lacking)
		}
		return nil
	})
}
