package interp

import (
	"github.com/fluxion-lang/fluxion/internal/types"
)

// kind is what a slot holds.
type kind uint8

const (
	kF kind = iota // a double
	kI             // an int64: Int, Bool, and the tag of an enumeration
	kP             // a reference: array, text, function, data value
)

// layout is what a value of a type is made of, in order. Types are static, so
// tuples and records never exist at run time: a value is its slots, wherever
// it is (in registers, in closures, in data, in the columns of an array).
type layout []kind

// shape counts the slots of a layout by kind.
type shape struct{ f, i, p int }

func (l layout) shape() shape {
	var s shape
	for _, k := range l {
		switch k {
		case kF:
			s.f++
		case kI:
			s.i++
		case kP:
			s.p++
		}
	}
	return s
}

func (s shape) of(k kind) int {
	switch k {
	case kF:
		return s.f
	case kI:
		return s.i
	}
	return s.p
}

func (s shape) slots() int { return s.f + s.i + s.p }

// bytes is what an element of an array with these columns takes.
func (s shape) bytes() int64 { return int64(8*(s.f+s.i) + refBytes*s.p) }

// maxSlots bounds a layout: a value of more slots would not fit the registers
// of a function together with others.
const maxSlots = 4096

// dataForm is how values of a data type are represented.
//
// A type with one constructor that does not contain itself is *flat*: its
// values are the slots of its fields, like a tuple's. An *enumeration*, whose
// constructors have no fields, is an integer slot. Values of any other type
// are references: to a cell where each constructor has at most one plain and
// one reference slot (lists of numbers), to a node otherwise.
type dataForm uint8

const (
	flatData dataForm = iota
	enumData
	cellData
	nodeData
)

// layouts computes and remembers the layouts of types. It fails by panicking
// with tooManySlots, which compileProgram turns into a diagnostic.
type layouts struct {
	memo  map[types.Type]layout
	slots map[types.Type][]slotType
	leafy map[types.Type]bool // whether values have reals
	decls map[*types.DataDecl]*declInfo
}

type declInfo struct {
	recursive bool
	forms     []formMemo
}

type formMemo struct {
	args []types.Type
	form dataForm
}

type tooManySlots struct{ ty types.Type }

func newLayouts() *layouts {
	return &layouts{memo: map[types.Type]layout{}, slots: map[types.Type][]slotType{}, leafy: map[types.Type]bool{},
		decls: map[*types.DataDecl]*declInfo{}}
}

var (
	layoutF = layout{kF}
	layoutI = layout{kI}
	layoutP = layout{kP}
)

// of is the layout of a type.
func (ls *layouts) of(t types.Type) layout {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		return layoutF
	case types.Int, types.Bool:
		return layoutI
	case types.String:
		return layoutP
	}
	if l, ok := ls.memo[t]; ok {
		return l
	}
	var l layout
	switch t := t.(type) {
	case *types.Fun, *types.Array:
		l = layoutP
	case *types.Tuple, *types.Record:
		for _, part := range types.Parts(t) {
			l = append(l, ls.of(part)...)
			ls.check(l, t)
		}
	case *types.Data:
		switch ls.form(t) {
		case flatData:
			l = ls.fields(t.Decl.Cons[0], t)
		case enumData:
			l = layoutI
		default:
			l = layoutP
		}
	default:
		panic("interp: a type that is not monomorphic: " + types.Show(t))
	}
	ls.memo[t] = l
	return l
}

func (ls *layouts) check(l layout, t types.Type) {
	if len(l) > maxSlots {
		panic(tooManySlots{t})
	}
}

// fields is the layout of a constructor's fields.
func (ls *layouts) fields(con *types.Con, at *types.Data) layout {
	var l layout
	for _, f := range con.FieldTypes(at) {
		l = append(l, ls.of(f)...)
		ls.check(l, at)
	}
	return l
}

// form decides the representation of a data type.
func (ls *layouts) form(t *types.Data) dataForm {
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
	info.forms = append(info.forms, formMemo{t.Args, nodeData})
	form := ls.decide(t, info)
	info.forms[at].form = form
	return form
}

func (ls *layouts) decide(t *types.Data, info *declInfo) dataForm {
	cons := t.Decl.Cons
	if len(cons) == 1 && !info.recursive {
		return flatData
	}
	if t.Decl.Enumeration() {
		return enumData
	}
	form := cellData
	for _, con := range cons {
		if !ls.fields(con, t).shape().fitsCell() {
			form = nodeData
		}
	}
	return form
}

// fitsCell tells whether fields of a shape fit a cell.
func (s shape) fitsCell() bool { return s.f+s.i <= 1 && s.p <= 1 }

func sameTypes(as, bs []types.Type) bool {
	for i := range as {
		if !types.Equal(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// elem is the element type of an array type.
func elem(t types.Type) types.Type { return types.Resolve(t).(*types.Array).Elem }

// next counts a slot of a kind and gives its number.
func (s *shape) next(k kind) int {
	switch k {
	case kF:
		s.f++
		return s.f - 1
	case kI:
		s.i++
		return s.i - 1
	}
	s.p++
	return s.p - 1
}

// slotType is what a slot of a value holds: a real, or, of a reference, the
// array, text or data type.
type slotType struct {
	kind kind
	ty   types.Type
}

// slotTypes are the slots of a type, parallel to its layout.
func (ls *layouts) slotTypes(t types.Type) []slotType {
	t = types.Resolve(t)
	list, ok := ls.slots[t]
	if !ok {
		list = ls.findSlots(t)
		ls.slots[t] = list
	}
	return list
}

func (ls *layouts) findSlots(t types.Type) (list []slotType) {
	switch t {
	case types.Real:
		return []slotType{{kF, t}}
	case types.Int, types.Bool:
		return []slotType{{kI, t}}
	}
	switch t := t.(type) {
	case *types.Tuple:
		for _, e := range t.Elems {
			list = append(list, ls.slotTypes(e)...)
		}
		return list
	case *types.Record:
		for _, f := range t.Fields {
			list = append(list, ls.slotTypes(f.Type)...)
		}
		return list
	case *types.Data:
		switch ls.form(t) {
		case enumData:
			return []slotType{{kI, t}}
		case flatData:
			return ls.fieldSlots(t.Decl.Cons[0], t)
		}
	}
	return []slotType{{kP, t}}
}

func (ls *layouts) fieldSlots(con *types.Con, t *types.Data) []slotType {
	var list []slotType
	for _, f := range con.FieldTypes(t) {
		list = append(list, ls.slotTypes(f)...)
	}
	return list
}

func (ls *layouts) hasReals(t types.Type) bool {
	yes, ok := ls.leafy[t]
	if !ok {
		yes = types.HasReals(t)
		ls.leafy[t] = yes
	}
	return yes
}

const refBytes = 16 // an interface
