package syntax

import (
	"math"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/notation"
)

// How tightly a type must bind in its context.
const (
	typeFun = iota
	typeProduct
	typePower
	typeApply
	typeField // of a constructor: an atom, or a power of one
	typeAtom
)

func typePrec(t TypeExpr) int {
	switch t := t.(type) {
	case *TFun:
		return typeFun
	case *TProduct:
		return typeProduct
	case *TPower:
		return typePower
	case *TName:
		if len(t.Args) > 0 {
			return typeApply
		}
	case *TArray:
		if typePrec(t.Elem) < typeAtom {
			return typePower
		}
	}
	return typeAtom
}

// typ prints a type, in parentheses if it binds less tightly than need.
func (f *formatter) typ(t TypeExpr, need int) *doc {
	lead := f.leadNode(t)
	d := f.bareType(t)
	have := typePrec(t)
	if p, ok := t.(*TPower); ok && need == typeField && typePrec(base(p)) == typeAtom {
		have = typeField
	}
	if _, ok := t.(*TArray); ok && need == typeApply {
		have = typeFun // the element type would absorb the power that follows
	}
	if have < need {
		d = concat(text("("), d, text(")"))
	}
	return concat(lead, d)
}

// base returns the x of x^2^3, which is (x^2)^3.
func base(p *TPower) TypeExpr {
	for {
		inner, ok := p.Elem.(*TPower)
		if !ok {
			return p.Elem
		}
		p = inner
	}
}

func (f *formatter) bareType(t TypeExpr) *doc {
	switch t := t.(type) {
	case *TName:
		name := t.Name.Name
		if t.Module.Name != "" {
			name = t.Module.Name + "." + name
		} else if name == "Real" {
			name = f.spell("Real", "ℝ")
		}
		parts := []*doc{text(name)}
		for _, a := range t.Args {
			parts = append(parts, f.trail(a), line, f.typ(a, typeAtom))
		}
		return group(nest(2, parts...))
	case *TVar:
		return text(t.Name)
	case *TFun:
		parts := []*doc{f.typ(t.Param, typeProduct)}
		var rest TypeExpr = t.Result
		for {
			next, ok := rest.(*TFun)
			if !ok {
				break
			}
			parts = append(parts, f.next(next.Param, line, f.spell("-> ", "→ ")),
				f.typ(next.Param, typeProduct))
			rest = next.Result
		}
		parts = append(parts, f.next(rest, line, f.spell("-> ", "→ ")), f.typ(rest, typeFun))
		return group(nest(2, parts...))
	case *TTuple:
		return f.bracketed(t, "(", ")", len(t.Elems), func(i int) *doc {
			return f.typ(t.Elems[i], typeFun)
		},
			func(i int) Node { return t.Elems[i] })
	case *TProduct:
		var parts []*doc
		for i, e := range t.Elems {
			if i > 0 {
				parts = append(parts, f.next(e, line, f.spell("* ", "× ")))
			}
			parts = append(parts, f.typ(e, typePower))
		}
		return group(nest(2, parts...))
	case *TPower:
		need := typeApply
		if _, ok := t.Elem.(*TPower); ok {
			need = typePower
		}
		return concat(f.typ(t.Elem, need), text("^"+strconv.Itoa(t.N)))
	case *TRecord:
		return f.bracketed(t, "{", "}", len(t.Fields), func(i int) *doc {
			return concat(text(notation.Field(t.Fields[i].Name.Name)+" : "),
				nest(2, f.typ(t.Fields[i].Type, typeFun)))
		}, func(i int) Node { return place{t.Fields[i].Name} })
	case *TArray:
		need := typePower
		if typePrec(t) == typeAtom {
			need = typeAtom
		}
		return concat(text("["+sizeText(t.Size, precAdd)+"]"), f.typ(t.Elem, need))
	case *TParen:
		return concat(text("("), f.typ(t.X, typeFun), f.closing(t), text(")"))
	}
	return text("_")
}

// sizeText prints a size, in parentheses if it binds less tightly than prec.
func sizeText(size SizeExpr, prec int8) string {
	switch s := size.(type) {
	case *SizeAtom:
		return s.Name
	case *SizeOp:
		have, sign := int8(precAdd), " + "
		switch s.Op {
		case OpSub:
			sign = " - "
		case OpMul:
			have, sign = precMul, " * "
		}
		printed := sizeText(s.L, have) + sign + sizeText(s.R, have+1)
		if have < prec {
			printed = "(" + printed + ")"
		}
		return printed
	}
	return ""
}

// WrittenType returns the type of a binding on one line, without constraints, as its annotations
// state it. It returns "" unless they state all of it.
func WrittenType(b *Binding) string {
	if b.Result == nil {
		return ""
	}
	t := b.Result.Type
	for i := len(b.Params) - 1; i >= 0; i-- {
		param, ok := b.Params[i].(*PAnnot)
		if !ok {
			return ""
		}
		t = &TFun{Param: param.Type.Type, Result: t}
	}
	return OneLine(t)
}

// OneLine prints a type on one line, whatever its length.
func OneLine(t TypeExpr) string { return layout(new(formatter).typ(t, typeFun), math.MaxInt) }
