package types

// Note [Levels]
//
// A let may generalise the unknowns of its type that nothing outside of it mentions. To find them
// without searching the environment, every Meta carries the nesting depth of the innermost let
// whose right-hand side it belongs to. Unification lowers the level of everything inside a type
// to that of the Meta it is bound to. So after a right-hand side at level n+1 has been inferred,
// exactly the metas whose level is still above n can be generalised (Rémy 1992). Rigid variables
// of annotations have a level too: a Meta of a lower level would carry one out of its scope, and
// must not be bound to it. Sizes follow the same discipline.

// MaxTypeSize bounds the number of nodes of a type. Hindley–Milner types can be exponentially
// larger than their programs. No useful type comes near the bound.
const MaxTypeSize = 20_000

// Unifier solves equations between types. The zero Unifier is ready for use, at level 0.
type Unifier struct {
	Level int32 // the level of new metas

	// Sizes, if not nil, is called with each pair of sizes that met at an array type. If it is
	// nil, sizes are ignored, and a Meta that is bound to a type gets a copy with fresh sizes.
	Sizes func(a, b *Size)

	// Jacobians collects the constraints of instances, with their demanders.
	Jacobians []JacobianDemand

	// Woken collects the waiters of metas that were solved.
	Woken []*Waiter

	slabs [][]Meta
	made  int32
	steps int // nodes visited by the current call
}

// slabSize is how many metas are allocated at once. Most definitions need fewer, and definitions
// of the library are checked one by one.
const slabSize = 64

// Fresh makes an unknown.
func (u *Unifier) Fresh() *Meta {
	i := u.made % slabSize
	if i == 0 {
		u.slabs = append(u.slabs, make([]Meta, slabSize))
	}
	m := &u.slabs[len(u.slabs)-1][i]
	m.ID, m.Level = u.made, u.Level
	u.made++
	return m
}

// Made returns the number of metas made so far; their IDs are below it.
func (u *Unifier) Made() int32 { return u.made }

// Meta returns an unknown by its ID.
func (u *Unifier) Meta(id int32) *Meta { return &u.slabs[id/slabSize][id%slabSize] }

// FreshSize makes an unknown size.
func (u *Unifier) FreshSize() *Size { return &Size{Kind: SizeMeta, Level: u.Level} }

// FailureKind says why two types do not unify.
type FailureKind uint8

// The kinds of failure.
const (
	Clash    FailureKind = iota // A and B have different heads
	Infinite                    // A is an unknown that B contains
	Rigid                       // A is a rigid variable, B something else
	Escape                      // A is a rigid variable that would leave its scope
	Lacking                     // the type lacks a class: Lack and By say more
	TooLarge                    // a type has more than MaxTypeSize nodes
)

// Failure says where two types differ.
type Failure struct {
	Kind FailureKind
	A, B Type
	Lack *Lack
	By   any // Lacking: what demanded the class
}

// Unify makes two types equal up to sizes. After a failure, the parts compared so far are equal.
func (u *Unifier) Unify(a, b Type) *Failure {
	if a == b {
		return nil
	}
	u.steps = 0
	return u.unify(a, b)
}

func (u *Unifier) unify(a, b Type) *Failure {
	a, b = Resolve(a), Resolve(b)
	if a == b {
		return nil
	}
	if u.steps++; u.steps > MaxTypeSize {
		return &Failure{Kind: TooLarge, A: a, B: b}
	}
	if m, ok := a.(*Meta); ok {
		if n, ok := b.(*Meta); ok {
			u.merge(m, n)
			return nil
		}
		return u.bind(m, b)
	}
	if m, ok := b.(*Meta); ok {
		return u.bind(m, a)
	}
	switch a := a.(type) {
	case *Fun:
		if b, ok := b.(*Fun); ok {
			if fail := u.unify(a.Param, b.Param); fail != nil {
				return fail
			}
			return u.unify(a.Result, b.Result)
		}
	case *Tuple:
		if b, ok := b.(*Tuple); ok && len(a.Elems) == len(b.Elems) {
			return u.unifyAll(a.Elems, b.Elems)
		}
	case *Record:
		if b, ok := b.(*Record); ok && sameFields(a, b) {
			for i := range a.Fields {
				if fail := u.unify(a.Fields[i].Type, b.Fields[i].Type); fail != nil {
					return fail
				}
			}
			return nil
		}
	case *Array:
		if b, ok := b.(*Array); ok {
			if u.Sizes != nil && a.Size != b.Size {
				u.Sizes(a.Size, b.Size)
			}
			return u.unify(a.Elem, b.Elem)
		}
	case *Data:
		if b, ok := b.(*Data); ok && a.Decl == b.Decl {
			return u.unifyAll(a.Args, b.Args)
		}
	case *Param:
		return &Failure{Kind: Rigid, A: a, B: b}
	}
	if p, ok := b.(*Param); ok {
		return &Failure{Kind: Rigid, A: p, B: a}
	}
	return &Failure{Kind: Clash, A: a, B: b}
}

func (u *Unifier) unifyAll(as, bs []Type) *Failure {
	for i := range as {
		if fail := u.unify(as[i], bs[i]); fail != nil {
			return fail
		}
	}
	return nil
}

func sameFields(a, b *Record) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Fields {
		if a.Fields[i].Name != b.Fields[i].Name {
			return false
		}
	}
	return true
}

// merge makes two unknowns equal, with the constraints of both. Poison spreads, because a type
// that met a mistake needs no further message.
func (u *Unifier) merge(a, b *Meta) {
	if b.Poisoned || !a.Poisoned && b.Level < a.Level {
		a, b = b, a
	}
	a.Level = min(a.Level, b.Level)
	if a.Poisoned {
		u.wake(b)
	} else {
		if b.Classes != 0 {
			a.demand(b.Classes, b.Demands)
		}
		if b.Waits != nil {
			last := b.Waits
			for last.Next != nil {
				last = last.Next
			}
			last.Next, a.Waits = a.Waits, b.Waits
		}
	}
	b.Waits = nil
	b.Link = a
}

// bind solves an unknown.
func (u *Unifier) bind(m *Meta, t Type) *Failure {
	if m.Poisoned {
		u.poison(t)
		return nil
	}
	if _, basic := t.(*Basic); !basic {
		if u.Sizes == nil {
			t = u.WithFreshSizes(t)
		}
		if fail := u.adjust(m, t); fail != nil {
			return fail
		}
	}
	if m.Classes != 0 {
		if lack := require(t, m.Classes, m.Demands); lack != nil {
			return &Failure{Kind: Lacking, A: m, B: t, Lack: lack, By: m.Demander(lack.Class)}
		}
	}
	u.wake(m)
	m.Link = t
	return nil
}

func (u *Unifier) wake(m *Meta) {
	for w := m.Waits; w != nil; w = w.Next {
		u.Woken = append(u.Woken, w)
	}
	m.Waits = nil
}

// adjust prepares m to stand for t. m must not occur in t, and the unknowns of t are lowered to
// m's level.
func (u *Unifier) adjust(m *Meta, t Type) *Failure {
	if u.steps++; u.steps > MaxTypeSize {
		return &Failure{Kind: TooLarge, A: m, B: t}
	}
	switch t := t.(type) {
	case *Meta:
		if t.Link != nil {
			return u.adjust(m, Resolve(t))
		}
		if t == m {
			return &Failure{Kind: Infinite, A: m, B: t}
		}
		if t.Level > m.Level {
			t.Level = m.Level
		}
	case *Param:
		if t.Level > m.Level {
			return &Failure{Kind: Escape, A: t, B: m}
		}
	case *Fun:
		if fail := u.adjust(m, t.Param); fail != nil {
			return fail
		}
		return u.adjust(m, t.Result)
	case *Tuple:
		return u.adjustAll(m, t.Elems)
	case *Record:
		for i := range t.Fields {
			if fail := u.adjust(m, t.Fields[i].Type); fail != nil {
				return fail
			}
		}
	case *Array:
		t.Size.Lower(m.Level)
		return u.adjust(m, t.Elem)
	case *Data:
		return u.adjustAll(m, t.Args)
	}
	return nil
}

func (u *Unifier) adjustAll(m *Meta, ts []Type) *Failure {
	for _, t := range ts {
		if fail := u.adjust(m, t); fail != nil {
			return fail
		}
	}
	return nil
}

// Lower lowers the unknowns of t to a level, so that lets above it do not generalise them.
func (u *Unifier) Lower(t Type, level int32) {
	u.steps = 0
	u.adjust(&Meta{Level: level}, t)
}

// poison marks the unknowns of t as poisoned, because t met a mistake.
func (u *Unifier) poison(t Type) {
	if u.steps++; u.steps > MaxTypeSize {
		return
	}
	switch t := Resolve(t).(type) {
	case *Meta:
		u.wake(t)
		t.Poisoned = true
	case *Fun:
		u.poison(t.Param)
		u.poison(t.Result)
	case *Tuple:
		for _, e := range t.Elems {
			u.poison(e)
		}
	case *Record:
		for _, f := range t.Fields {
			u.poison(f.Type)
		}
	case *Array:
		u.poison(t.Elem)
	case *Data:
		for _, a := range t.Args {
			u.poison(a)
		}
	}
}

// Poison marks the unknowns of a type that took part in a mistake.
func (u *Unifier) Poison(t Type) {
	u.steps = 0
	u.poison(t)
}

// Exceeds reports whether a type has more than MaxTypeSize nodes. Shared parts count as often as
// they occur.
func Exceeds(t Type) bool {
	left := MaxTypeSize
	return !measure(t, &left)
}

// measure subtracts the nodes of t from left. It stops and returns false when left is negative.
func measure(t Type, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	switch t := Resolve(t).(type) {
	case *Fun:
		return measure(t.Param, left) && measure(t.Result, left)
	case *Tuple:
		return measureAll(t.Elems, left)
	case *Record:
		for i := range t.Fields {
			if !measure(t.Fields[i].Type, left) {
				return false
			}
		}
	case *Array:
		return measure(t.Elem, left)
	case *Data:
		return measureAll(t.Args, left)
	}
	return true
}

func measureAll(ts []Type, left *int) bool {
	for _, t := range ts {
		if !measure(t, left) {
			return false
		}
	}
	return true
}

// WithFreshSizes returns t with new unknown sizes for all of its arrays.
func (u *Unifier) WithFreshSizes(t Type) Type {
	return mapSizes(t, func(*Size) *Size { return u.FreshSize() })
}

// mapSizes rebuilds t with f applied to the size of each array. Types without arrays are shared.
func mapSizes(t Type, f func(*Size) *Size) Type {
	switch t := Resolve(t).(type) {
	case *Basic, *Meta, *Param:
		return t
	case *Array:
		elem := mapSizes(t.Elem, f)
		size := f(t.Size)
		if elem == t.Elem && size == t.Size {
			return t
		}
		return &Array{size, elem}
	default:
		return Map(t, func(t Type) Type { return mapSizes(t, f) })
	}
}

// HasArray reports whether a type contains an array, not counting the declarations of data types.
func HasArray(t Type) bool {
	switch t := Resolve(t).(type) {
	case *Array:
		return true
	case *Fun:
		return HasArray(t.Param) || HasArray(t.Result)
	case *Tuple:
		for _, e := range t.Elems {
			if HasArray(e) {
				return true
			}
		}
	case *Record:
		for _, f := range t.Fields {
			if HasArray(f.Type) {
				return true
			}
		}
	case *Data:
		for _, a := range t.Args {
			if HasArray(a) {
				return true
			}
		}
	}
	return false
}
