package service

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Hover is the description of a place.
type Hover struct {
	At   diag.Span
	Code string // a name and its type, as a program would write it
	Doc  string
}

// Hover describes what stands at an offset. It returns nil if there is nothing to say.
func (s *Service) Hover(path string, offset int) *Hover {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	return v.hover(offset)
}

func (v *view) hover(offset int) *Hover {
	if n, ok := v.at(offset); ok {
		return v.describe(n)
	}
	nodes := v.path(offset)
	for i := len(nodes) - 1; i >= 0; i-- {
		switch n := nodes[i].(type) {
		case *syntax.Number:
			if ty := v.typeOf(n); ty != "" {
				return &Hover{At: n.At, Code: n.Text + " : " + ty, Doc: numeral(n.Text, ty)}
			}
		case *syntax.TName:
			if h := v.typeName(n); h != nil {
				return h
			}
		case *syntax.Import:
			if u := v.unit.Module(n.Alias.Name); u != nil {
				return &Hover{At: n.At, Code: "import " + n.Path, Doc: u.Info.Interface.Doc}
			}
		case syntax.Expr:
			if ty := v.typeOf(n); ty != "" {
				return &Hover{At: n.Span(), Code: ty}
			}
		}
	}
	return nil
}

// typeOf returns the type of an expression or pattern, "" if it is not known.
func (v *view) typeOf(n syntax.Node) string {
	if t := v.unit.Info.Types[n.Num()]; t != nil {
		return v.unit.Info.Printer().Type(t)
	}
	return ""
}

// numeral returns what a literal stands for: the exact number, and the double that it is rounded
// to.
func numeral(text, ty string) string {
	digits, base := syntax.Digits(text)
	if ty != "Real" || base != 10 {
		if n, ok := syntax.Integer(text); ok && base != 10 {
			return strconv.FormatInt(n, 10)
		}
		return ""
	}
	exact, ok := new(big.Rat).SetString(digits)
	if !ok {
		return ""
	}
	double, _ := exact.Float64()
	rounded := new(big.Rat).SetFloat64(double)
	if rounded == nil || rounded.Cmp(exact) == 0 {
		return "This number is a double: nothing is lost in float mode."
	}
	return "Exactly " + exact.RatString() + ". In float mode it is rounded to " +
		strings.TrimRight(new(big.Float).SetFloat64(double).Text('f', 60), "0") + "."
}

func (v *view) describe(n name) *Hover {
	h := &Hover{At: n.at}
	printer := v.unit.Info.Printer()
	scheme := func(s *types.Scheme) string {
		if s == nil {
			return "?"
		}
		return printer.Scheme(s)
	}
	switch o := n.object.(type) {
	case *check.Global:
		h.Code, h.Doc = o.Name+" : "+scheme(o.Scheme), o.Doc
	case *check.Local:
		if h.Code = o.Name + " : " + scheme(o.Scheme); n.ty != nil &&
			(o.Scheme == nil || len(o.Scheme.Params) == 0) {
			h.Code = o.Name + " : " + printer.Type(n.ty)
		}
	case *check.Constructor:
		h.Code = "data " + o.Con.Data.Name + " … | " + printer.Constructor(o.Con)
	case *check.Primitive:
		h.Code, h.Doc = o.Prim.Name+" : "+scheme(o.Prim.Scheme), primDoc(o.Prim)
	default:
		return nil
	}
	if n.ty != nil {
		if here := printer.Type(n.ty); !strings.HasSuffix(h.Code, " : "+here) {
			h.Code += "\n-- here : " + here
		}
	}
	return h
}

// primDoc returns a row's documentation with its domain and derivative.
func primDoc(p *prim.Prim) string {
	doc := p.Doc
	if p.Domain != "" {
		doc += "\n\nDefined where `" + p.Domain + "`."
	}
	if len(p.Partials) == 1 {
		doc += "\n\nIts derivative is `" + p.Partials[0] + "`, where `r` is the result."
	}
	return doc
}

func (v *view) typeName(n *syntax.TName) *Hover {
	face := v.unit.Info.Interface
	if n.Module.Name != "" {
		u := v.module(n.Module.Name)
		if u == nil {
			return nil
		}
		face = u.Info.Interface
	}
	if d := face.Types[n.Name.Name]; d != nil {
		code := "data " + d.Name
		if d.Alias != nil {
			code = "type " + d.Name + " = " + v.unit.Info.Printer().Type(d.Alias.Type)
		}
		return &Hover{At: n.Name.At, Code: code, Doc: d.Doc}
	}
	for _, e := range v.world.Entries(n.Name.Name) {
		return &Hover{At: n.Name.At, Code: cmp.Or(e.Named, e.Type), Doc: e.Doc}
	}
	return nil
}

// Signature describes a function whose application is being written: its parameters, and the
// current one.
type Signature struct {
	Label  string
	Doc    string
	Params []string // the parameters, as parts of Label
	Active int
}

// Signature returns the signature of the function in whose application the cursor stands.
func (s *Service) Signature(path string, offset int) *Signature {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	// An argument that is not written yet is not in the tree, so the text before it decides.
	text := v.unit.File.Text
	before := len(strings.TrimRight(text[:min(offset, len(text))], " "))
	nodes := v.path(before)
	for i := len(nodes) - 1; i >= 0; i-- {
		call, ok := nodes[i].(*syntax.Apply)
		if !ok {
			if fun, isName := nodes[i].(*syntax.Var); isName && offset > int(fun.At.End) {
				return v.signature(fun, 0)
			}
			continue
		}
		active := 0
		for _, a := range call.Args {
			if int(a.Span().End) < offset {
				active++
			}
		}
		if sig := v.signature(call.Fun, active); sig != nil {
			return sig
		}
	}
	return nil
}

func (v *view) signature(fun syntax.Expr, active int) *Signature {
	use := v.unit.Info.Uses[fun.Num()]
	ty := v.unit.Info.Types[fun.Num()]
	if ty == nil {
		return nil
	}
	sig := &Signature{Active: active}
	label := fun.Span().Text() + " :"
	printer := v.unit.Info.Printer()
	names := []string{}
	if use != nil {
		switch o := use.Object.(type) {
		case *check.Primitive:
			sig.Doc, names = o.Prim.Doc, o.Prim.Params
		case *check.Global:
			sig.Doc = o.Doc
		}
	}
	for {
		f, ok := types.Resolve(ty).(*types.Fun)
		if !ok {
			break
		}
		param := printer.Type(f.Param)
		if k := len(sig.Params); k < len(names) {
			param = "(" + names[k] + " : " + param + ")"
		} else if _, isFun := types.Resolve(f.Param).(*types.Fun); isFun {
			param = "(" + param + ")"
		}
		sig.Params = append(sig.Params, param)
		label += " " + param + " ->"
		ty = f.Result
	}
	if len(sig.Params) == 0 || active >= len(sig.Params) {
		return nil
	}
	sig.Label = label + " " + printer.Type(ty)
	return sig
}
