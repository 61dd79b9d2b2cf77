package opt

import (
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// maxTypeSize bounds the nodes of a type at which a definition is
// specialised: types can grow exponentially in the length of a program.
const maxTypeSize = 2_000

// key returns the name of an instance: list.map<Int, Real>. Types have equal keys exactly if they
// are equal. Sizes appear only if they count and are constant. ok is false if the types are too
// large.
func (m *mono) key(name string, inst []types.Type, sizes bool) (key string, ok bool) {
	if len(inst) == 0 {
		return name, true
	}
	w := typeKey{m: m, sizes: sizes, left: maxTypeSize}
	w.out.WriteString(name + "<")
	for i, t := range inst {
		if i > 0 {
			w.out.WriteString(", ")
		}
		w.ty(t, false)
	}
	w.out.WriteByte('>')
	return w.out.String(), w.left >= 0
}

// typeKey writes types as they are written in programs.
type typeKey struct {
	m     *mono
	out   strings.Builder
	sizes bool
	left  int // how many more nodes the types may have
}

func (w *typeKey) ty(t types.Type, atomic bool) {
	if w.left--; w.left < 0 {
		return
	}
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		w.out.WriteString(t.Name)
	case *types.Param:
		w.out.WriteString(t.Name) // only a bug leaves one here; the verifier reports it
	case *types.Fun:
		w.parens(atomic, func() {
			_, isFun := types.Resolve(t.Param).(*types.Fun)
			w.ty(t.Param, isFun)
			w.out.WriteString(" -> ")
			w.ty(t.Result, false)
		})
	case *types.Tuple:
		w.parens(true, func() {
			for i, e := range t.Elems {
				if i > 0 {
					w.out.WriteString(", ")
				}
				w.ty(e, false)
			}
		})
	case *types.Record:
		w.out.WriteByte('{')
		for i, f := range t.Fields {
			if i > 0 {
				w.out.WriteString(", ")
			}
			w.out.WriteString(f.Name + " : ")
			w.ty(f.Type, false)
		}
		w.out.WriteByte('}')
	case *types.Array:
		w.out.WriteByte('[')
		if size := t.Size.Find(); w.sizes && size.Kind == types.SizeConst {
			w.out.WriteString(strconv.FormatInt(size.N, 10))
		}
		w.out.WriteByte(']')
		w.ty(t.Elem, true)
	case *types.Data:
		w.parens(atomic && len(t.Args) > 0, func() {
			w.out.WriteString(w.m.dataName(t.Decl))
			for _, a := range t.Args {
				w.out.WriteByte(' ')
				w.ty(a, true)
			}
		})
	default:
		panic("opt: a type that is not solved")
	}
}

func (w *typeKey) parens(open bool, body func()) {
	if open {
		w.out.WriteByte('(')
		defer w.out.WriteByte(')')
	}
	body()
}

// dataName returns a unique name for a data type.
func (m *mono) dataName(d *types.DataDecl) string {
	name, ok := m.datas[d]
	if !ok {
		name = d.QName()
		for taken := true; taken; {
			taken = false
			for _, other := range m.datas {
				if other == name {
					taken = true
					name += "'"
					break
				}
			}
		}
		m.datas[d] = name
	}
	return name
}
