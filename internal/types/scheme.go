package types

import "slices"

// Instantiate returns a scheme's type with fresh unknowns for its parameters, and these unknowns.
// by is recorded as the demander of their classes.
func (u *Unifier) Instantiate(s *Scheme, by any) (t Type, inst []Type) {
	if len(s.Params) == 0 && len(s.Sizes) == 0 {
		return s.Type, nil
	}
	in := instance{params: s.Params, sizes: s.Sizes}
	if len(s.Params) > fewParams {
		in.index = make(map[*Param]int, len(s.Params))
		for i, p := range s.Params {
			in.index[p] = i
		}
	}
	if len(s.Params) > 0 {
		in.args = make([]Type, len(s.Params))
		for i, p := range s.Params {
			m := u.Fresh()
			if p.Classes != 0 {
				m.Classes, m.Demands = p.Classes, &Demand{Classes: p.Classes, By: by}
			}
			in.args[i] = m
		}
	}
	if len(s.Sizes) > 0 {
		in.fresh = make([]*Size, len(s.Sizes))
		for i, size := range s.Sizes {
			in.fresh[i] = u.FreshSize()
			in.fresh[i].Name = size.Name
		}
	}
	for _, j := range s.Jacobians {
		of := Jacobian{in.of(j.Source), in.of(j.Target), in.of(j.Result)}
		u.Jacobians = append(u.Jacobians, JacobianDemand{of, by})
	}
	return in.of(s.Type), in.args
}

// fewParams is the number of parameters up to which they are searched linearly.
const fewParams = 16

// instance is a substitution of parameters and sizes.
type instance struct {
	params []*Param
	index  map[*Param]int // index into params, if there are many
	args   []Type
	sizes  []*Size
	fresh  []*Size
}

func (in *instance) of(t Type) Type {
	switch t := t.(type) {
	case *Basic:
		return t
	case *Param:
		if in.index != nil {
			if i, ok := in.index[t]; ok {
				return in.args[i]
			}
			return t
		}
		for i, p := range in.params {
			if p == t {
				return in.args[i]
			}
		}
		return t
	case *Meta:
		if t.Link == nil {
			return t
		}
		return in.of(Resolve(t))
	case *Fun:
		p, r := in.of(t.Param), in.of(t.Result)
		if p == t.Param && r == t.Result {
			return t
		}
		return &Fun{p, r}
	case *Array:
		size, elem := t.Size, in.of(t.Elem)
		if len(in.sizes) > 0 {
			size = size.with(in.size)
		}
		if size == t.Size && elem == t.Elem {
			return t
		}
		return &Array{size, elem}
	default:
		return Map(t, in.of)
	}
}

// size returns the replacement of a size variable.
func (in *instance) size(v *Size) *Size {
	if i := slices.Index(in.sizes, v); i >= 0 {
		return in.fresh[i]
	}
	return v
}

// Generaliser turns the unknowns of a group of definitions into parameters.
type Generaliser struct {
	Level      int32    // the level of the surrounding definition: metas above it are free
	Restricted bool     // whether unknowns with classes remain unknowns
	Own        []*Param // the rigid variables of the group's annotations
	Kept       bool     // whether Restricted kept an unknown

	params []*Param
	sizes  []*Size
	seen   []*Param // rigid variables of surrounding definitions, whose names are taken
	steps  int
}

// Add collects the free unknowns of a type. It returns false if the type is too large.
func (g *Generaliser) Add(t Type) bool {
	g.steps = 0
	return g.walk(t)
}

func (g *Generaliser) walk(t Type) bool {
	if g.steps++; g.steps > MaxTypeSize {
		return false
	}
	switch t := t.(type) {
	case *Basic:
	case *Meta:
		if t.Link != nil {
			return g.walk(Resolve(t))
		}
		g.meta(t)
	case *Param:
		switch {
		case slices.Contains(g.params, t) || slices.Contains(g.seen, t):
		case slices.Contains(g.Own, t):
			g.params = append(g.params, t)
		default:
			g.seen = append(g.seen, t)
		}
	case *Fun:
		return g.walk(t.Param) && g.walk(t.Result)
	case *Tuple:
		return g.all(t.Elems)
	case *Record:
		for i := range t.Fields {
			if !g.walk(t.Fields[i].Type) {
				return false
			}
		}
	case *Array:
		t.Size.Variables(g.size)
		return g.walk(t.Elem)
	case *Data:
		return g.all(t.Args)
	}
	return true
}

// size collects a variable of a size.
func (g *Generaliser) size(s *Size) {
	switch s = s.Find(); {
	case s.Kind == SizeMeta && s.Level > g.Level:
		s.Link = &Size{Kind: SizeParam, Level: s.Level, Origin: s.Origin}
		g.sizes = append(g.sizes, s.Link)
	case s.Kind == SizeParam && s.Level > g.Level && !slices.Contains(g.sizes, s):
		g.sizes = append(g.sizes, s)
	}
}

func (g *Generaliser) all(ts []Type) bool {
	for _, t := range ts {
		if !g.walk(t) {
			return false
		}
	}
	return true
}

func (g *Generaliser) meta(m *Meta) {
	if m.Poisoned || m.Level <= g.Level {
		return
	}
	if m.Classes != 0 {
		// Some sets of classes have only one member.
		if only := m.Classes.Only(); only != nil {
			m.Link = only
			return
		}
		if g.Restricted {
			m.Level = g.Level
			g.Kept = true
			return
		}
	}
	p := &Param{Classes: m.Classes}
	m.Link = p
	g.params = append(g.params, p)
}

// Only returns the type that has all the classes, if there is exactly one, or nil.
func (c Classes) Only() Type {
	switch c = c.Closure(); {
	case c&Vec != 0 && c&Eq != 0:
		return nil
	case c&Num != 0 && c&Vec != 0 && c&Cmp != 0:
		return Real
	case c&Scalar != 0 && c&Eq != 0:
		return Int
	}
	return nil
}

// Finish names the new parameters and returns them, followed by the rigid variables that no type
// mentions, and the sizes. Inference can no longer add classes to the parameters.
func (g *Generaliser) Finish() ([]*Param, []*Size) {
	for _, p := range g.Own {
		if !slices.Contains(g.params, p) {
			g.params = append(g.params, p)
		}
	}
	if len(g.params) > 0 {
		g.nameParams()
	}
	if len(g.sizes) > 0 {
		g.nameSizes()
	}
	return g.params, g.sizes
}

func (g *Generaliser) nameParams() {
	taken := func(name string) bool {
		named := func(p *Param) bool { return p.Name == name }
		return slices.ContainsFunc(g.params, named) || slices.ContainsFunc(g.seen, named)
	}
	n := 0
	for _, p := range g.params {
		for p.Name == "" {
			if name := LetterName(n); !taken(name) {
				p.Name = name
			}
			n++
		}
		p.Level, p.Given = 0, false
	}
}

const sizeLetters = "nmklpqrs"

func (g *Generaliser) nameSizes() {
	n := 0
	for _, s := range g.sizes {
		for s.Name == "" {
			name := string(sizeLetters[n%len(sizeLetters)])
			if n >= len(sizeLetters) {
				name += string(rune('0' + n/len(sizeLetters)%10))
			}
			if !slices.ContainsFunc(g.sizes, func(s *Size) bool { return s.Name == name }) {
				s.Name = name
			}
			n++
			if n > 10*len(sizeLetters) {
				s.Name = "n'"
			}
		}
		s.Level = 0
	}
}
