// Package layout says what values are made of at run time: a value of a type is a list of slots,
// which hold doubles, integers or references. It is given types, which must be monomorphic, and
// knows nothing of what references refer to.
package layout

import (
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Kind is what a slot holds.
type Kind uint8

// The kinds of slots.
const (
	F Kind = iota // a double
	I             // an int64: Int, Bool, and the tag of an enumeration
	P             // a reference: array, text, function, data value
)

// Layout is what a value of a type is made of, in order. Types are static, so
// tuples and records never exist at run time: a value is its slots, wherever
// it is (in registers, in closures, in data, in the columns of an array).
type Layout []Kind

// Shape counts the slots of a layout by kind.
type Shape struct{ F, I, P int }

// Shape counts the slots.
func (l Layout) Shape() Shape {
	var s Shape
	for _, k := range l {
		switch k {
		case F:
			s.F++
		case I:
			s.I++
		case P:
			s.P++
		}
	}
	return s
}

// Of is how many slots of a kind there are.
func (s Shape) Of(k Kind) int {
	switch k {
	case F:
		return s.F
	case I:
		return s.I
	}
	return s.P
}

// Slots is how many slots there are.
func (s Shape) Slots() int { return s.F + s.I + s.P }

// Plus is the shape of two values together.
func (s Shape) Plus(t Shape) Shape { return Shape{s.F + t.F, s.I + t.I, s.P + t.P} }

// Minus is what is left of several values without the first ones.
func (s Shape) Minus(t Shape) Shape { return Shape{s.F - t.F, s.I - t.I, s.P - t.P} }

// Bytes is what an element of an array with these columns takes.
func (s Shape) Bytes() int64 { return int64(8*(s.F+s.I) + RefBytes*s.P) }

// MaxSlots bounds a layout: a value of more slots would not fit the registers
// of a function together with others.
const MaxSlots = 4096

// Form is how values of a data type are represented.
//
// A type with one constructor that does not contain itself is *flat*: its
// values are the slots of its fields, like a tuple's. An *enumeration*, whose
// constructors have no fields, is an integer slot. Values of any other type
// are references: to a cell where each constructor has at most one plain and
// one reference slot (lists of numbers), to a node otherwise.
type Form uint8

// The forms, those of references last.
const (
	Flat Form = iota
	Enum
	Cell
	Node
)

// Layouts computes and remembers the layouts of types. It fails by panicking
// with TooManySlots.
type Layouts struct {
	memo  map[types.Type]Layout
	slots map[types.Type][]SlotType
	leafy map[types.Type]bool // whether values have reals
	decls map[*types.DataDecl]*declInfo
}

type declInfo struct {
	recursive bool
	forms     []formMemo
}

type formMemo struct {
	args []types.Type
	form Form
}

// TooManySlots is what the layout of a type panics with if it would be longer than MaxSlots.
type TooManySlots struct{ Type types.Type }

// New makes layouts that remember nothing yet.
func New() *Layouts {
	return &Layouts{memo: map[types.Type]Layout{}, slots: map[types.Type][]SlotType{},
		leafy: map[types.Type]bool{},
		decls: map[*types.DataDecl]*declInfo{}}
}

// The layouts of one slot.
var (
	OneReal = Layout{F}
	oneInt  = Layout{I}
	OneRef  = Layout{P}
)

// Of is the layout of a type.
func (ls *Layouts) Of(t types.Type) Layout {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		return OneReal
	case types.Int, types.Bool:
		return oneInt
	case types.String:
		return OneRef
	}
	if l, ok := ls.memo[t]; ok {
		return l
	}
	var l Layout
	switch t := t.(type) {
	case *types.Fun, *types.Array:
		l = OneRef
	case *types.Tuple, *types.Record:
		for _, part := range types.Parts(t) {
			l = append(l, ls.Of(part)...)
			ls.check(l, t)
		}
	case *types.Data:
		switch ls.Form(t) {
		case Flat:
			l = ls.Fields(t.Decl.Cons[0], t)
		case Enum:
			l = oneInt
		default:
			l = OneRef
		}
	default:
		panic("layout: a type that is not monomorphic: " + types.Show(t))
	}
	ls.memo[t] = l
	return l
}

func (ls *Layouts) check(l Layout, t types.Type) {
	if len(l) > MaxSlots {
		panic(TooManySlots{t})
	}
}

// Fields is the layout of a constructor's fields.
func (ls *Layouts) Fields(con *types.Con, at *types.Data) Layout {
	var l Layout
	for _, f := range con.FieldTypes(at) {
		l = append(l, ls.Of(f)...)
		ls.check(l, at)
	}
	return l
}

// Form decides the representation of a data type.
func (ls *Layouts) Form(t *types.Data) Form {
	info := ls.decls[t.Decl]
	if info == nil {
		info = &declInfo{recursive: t.Decl.Recursive()}
		ls.decls[t.Decl] = info
	}
	for _, m := range info.forms {
		if sameTypes(m.args, t.Args) {
			return m.form
		}
	}
	// A recursive occurrence inside the fields is a reference whatever comes
	// out, so that asking for the fields' layouts may ask for t's own.
	at := len(info.forms)
	info.forms = append(info.forms, formMemo{t.Args, Node})
	form := ls.decide(t, info)
	info.forms[at].form = form
	return form
}

func (ls *Layouts) decide(t *types.Data, info *declInfo) Form {
	cons := t.Decl.Cons
	if len(cons) == 1 && !info.recursive {
		return Flat
	}
	if t.Decl.Enumeration() {
		return Enum
	}
	form := Cell
	for _, con := range cons {
		if !ls.Fields(con, t).Shape().FitsCell() {
			form = Node
		}
	}
	return form
}

// FitsCell tells whether fields of a shape fit a cell.
func (s Shape) FitsCell() bool { return s.F+s.I <= 1 && s.P <= 1 }

func sameTypes(as, bs []types.Type) bool {
	for i := range as {
		if !types.Equal(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// Next counts a slot of a kind and gives its number.
func (s *Shape) Next(k Kind) int {
	switch k {
	case F:
		s.F++
		return s.F - 1
	case I:
		s.I++
		return s.I - 1
	}
	s.P++
	return s.P - 1
}

// SlotType is what a slot of a value holds: a real, or, of a reference, the
// array, text or data type.
type SlotType struct {
	Kind Kind
	Type types.Type
}

// SlotTypes are the slots of a type, parallel to its layout.
func (ls *Layouts) SlotTypes(t types.Type) []SlotType {
	t = types.Resolve(t)
	list, ok := ls.slots[t]
	if !ok {
		list = ls.findSlots(t)
		ls.slots[t] = list
	}
	return list
}

func (ls *Layouts) findSlots(t types.Type) (list []SlotType) {
	switch t {
	case types.Real:
		return []SlotType{{F, t}}
	case types.Int, types.Bool:
		return []SlotType{{I, t}}
	}
	switch t := t.(type) {
	case *types.Tuple:
		for _, e := range t.Elems {
			list = append(list, ls.SlotTypes(e)...)
		}
		return list
	case *types.Record:
		for _, f := range t.Fields {
			list = append(list, ls.SlotTypes(f.Type)...)
		}
		return list
	case *types.Data:
		switch ls.Form(t) {
		case Enum:
			return []SlotType{{I, t}}
		case Flat:
			return ls.FieldSlots(t.Decl.Cons[0], t)
		}
	}
	return []SlotType{{P, t}}
}

// FieldSlots are the slots of the fields of a constructor.
func (ls *Layouts) FieldSlots(con *types.Con, t *types.Data) []SlotType {
	var list []SlotType
	for _, f := range con.FieldTypes(t) {
		list = append(list, ls.SlotTypes(f)...)
	}
	return list
}

// HasReals tells whether values of a type have reals in them.
func (ls *Layouts) HasReals(t types.Type) bool {
	yes, ok := ls.leafy[t]
	if !ok {
		yes = types.HasReals(t)
		ls.leafy[t] = yes
	}
	return yes
}

// RefBytes is the size of a reference: an interface.
const RefBytes = 16
