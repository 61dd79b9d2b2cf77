package boxes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// mostUnknowns bounds how many unknowns a box has.
const mostUnknowns = 10_000

// part is a parameter of the function, or a component of one. The reals among the components of
// parameters are the unknowns, unless the command line gives them a value.
type part struct {
	name  string // as it is shown, and as --box and --set name it: "x", "p[0]"
	also  string // the name with that of its parameter: "p.x"; or the same
	ty    types.Type
	parts []*part  // of a tuple, a record or an array
	names []string // of a record, the names of its fields
	array bool
	sized bool // the parts are known: false for an array that no range has given a size

	box   *bounds // of this part as a whole, nil for none
	set   *given  // its value, nil for none
	order int     // of an unknown, its position among them
}

// bounds is a --box.
type bounds struct {
	Given
	number   int
	lo, hi   string    // expressions
	real     bool      // one range for all unknowns of the part
	los, his []float64 // its ends, near them
}

// given is a --set or a --data.
type given struct {
	driver.Argument
	number int
	part   *part // whose value it is
}

// grow makes the parts of a parameter of a type. The pattern may have better names; nil for none.
func grow(name, also string, p syntax.Pattern, t types.Type, alone bool) *part {
	t = types.Resolve(t)
	x := &part{name: name, also: also, ty: t, sized: true}
	switch t := t.(type) {
	case *types.Tuple:
		for k, elem := range t.Elems {
			inner := fmt.Sprintf("%s[%d]", also, k)
			short := fmt.Sprintf("%s[%d]", name, k)
			q := component(p, k)
			if written := driver.PatternName(q); written != "" {
				short = written
			}
			x.parts = append(x.parts, grow(short, inner, q, elem, false))
		}
	case *types.Record:
		for _, f := range t.Fields {
			inner := also + "." + f.Name
			short := name + "." + f.Name
			if alone {
				short = f.Name
			}
			x.names = append(x.names, f.Name)
			x.parts = append(x.parts, grow(short, inner, nil, f.Type, false))
		}
	case *types.Array:
		x.array, x.sized = true, false
		if size := t.Size.Find(); size.Kind == types.SizeConst && size.N <= mostUnknowns {
			x.resize(int(size.N))
		}
	}
	return x
}

// component is the pattern of a component of a tuple, nil if there is none.
func component(p syntax.Pattern, k int) syntax.Pattern {
	switch p := p.(type) {
	case *syntax.PTuple:
		if k < len(p.Elems) {
			return p.Elems[k]
		}
	case *syntax.PAnnot:
		return component(p.X, k)
	case *syntax.PParen:
		return component(p.X, k)
	case *syntax.PAs:
		return component(p.X, k)
	}
	return nil
}

// resize gives an array its elements.
func (x *part) resize(n int) {
	x.sized = true
	elem := x.ty.(*types.Array).Elem
	for k := len(x.parts); k < n; k++ {
		index := fmt.Sprintf("[%d]", k)
		x.parts = append(x.parts, grow(x.name+index, x.also+index, nil, elem, false))
	}
}

// real tells whether a part is one real. A type that the function leaves open is Real.
func (x *part) real() bool { return isReal(x.ty) }

func isReal(t types.Type) bool {
	t = types.Resolve(t)
	_, open := t.(*types.Param)
	return open || t == types.Type(types.Real)
}

// whole tells whether a part has parts of its own.
func (x *part) whole() bool { return x.array || x.parts != nil }

// elements is an index into an array.
var elements = regexp.MustCompile(`^(.+)\[(\d+)\]$`)

// find is the part of a name, nil if there is none. The name of a field will do if there is only
// one of that name. An array without a size gets it from the indices that are named.
func find(all []*part, name string) *part {
	if x := named(all, name); x != nil {
		return x
	}
	var fields []*part
	for _, x := range all {
		x.inside(func(y *part) {
			if strings.HasSuffix(y.name, "."+name) {
				fields = append(fields, y)
			}
		})
	}
	if len(fields) == 1 {
		return fields[0]
	}
	return nil
}

// inside calls f with a part and all that is in it.
func (x *part) inside(f func(*part)) {
	f(x)
	for _, y := range x.parts {
		y.inside(f)
	}
}

// named is the part that is called so.
func named(all []*part, name string) *part {
	for _, x := range all {
		if x.name == name || x.also == name {
			return x
		}
		if y := named(x.parts, name); y != nil {
			return y
		}
	}
	if m := elements.FindStringSubmatch(name); m != nil {
		k, err := strconv.Atoi(m[2])
		x := named(all, m[1])
		if x != nil && x.array && !x.sized && err == nil && k < mostUnknowns {
			x.resize(k + 1)
			x.sized = false // there may be more
			return x.parts[k]
		}
	}
	return nil
}

// each calls f with each part that has no parts, in order.
func (x *part) each(f func(*part)) {
	if !x.whole() {
		f(x)
	}
	for _, y := range x.parts {
		y.each(f)
	}
}

// count is how many unknowns a part has.
func (x *part) count() (n int) {
	x.each(func(*part) { n++ })
	return n
}

// settle gives each unknown its range, and lists the unknowns. The box and the value of what a part
// is in are handed down; those of a part itself come first.
func (s *source) settle(x *part, box *bounds, first *int) *diag.Diagnostic {
	if x.set != nil {
		return nil
	}
	if x.box != nil {
		if box, first = x.box, new(int); !box.real && x.array && !x.sized {
			x.resize(1)
			x.resize(len(box.los) / max(1, x.parts[0].count()))
		}
	}
	switch {
	case x.array && !x.sized && x.parts == nil:
		if box != nil {
			return refuse(box.span(), "how many elements `%s` has is not known", x.name).
				WithHint("give the ends of its range as arrays: --box '%s=[-1, -1]..[1, 1]'",
					x.name).
				WithHint("or a range for each element: --box '%s[0]=-1..1' --box '%[1]s[1]=-1..1'",
					x.name)
		}
		s.missing = append(s.missing, x)
		return nil
	case x.whole():
		for _, y := range x.parts {
			if d := s.settle(y, box, first); d != nil {
				return d
			}
		}
		if x.box != nil && !x.box.real && *first != len(x.box.los) {
			return refuse(x.box.span(), "`%s` has %s, and the range is given by %d", x.name,
				counted(*first, "real"), len(x.box.los))
		}
		return nil
	case !x.real():
		if box != nil {
			return refuse(box.span(), "`%s` is a value of type %s, and a box has reals", x.name,
				types.Show(x.ty)).
				WithHint("give it a value: %s", setFlag(x))
		}
		s.missing = append(s.missing, x)
		return nil
	case box == nil:
		s.missing = append(s.missing, x)
		return nil
	}
	u := unknown{part: x, box: box}
	if !box.real {
		if *first >= len(box.los) {
			return refuse(box.span(), "the range is given by %s, and there are more unknowns",
				counted(len(box.los), "real"))
		}
		u.at = *first
	}
	*first++
	x.order = len(s.unknowns)
	s.unknowns = append(s.unknowns, u)
	return nil
}

// unknown is a real that is sought.
type unknown struct {
	*part
	box *bounds
	at  int // of its ends, among those of the box, unless that has one range for all
}

// value is an expression for a part, in terms of the unknowns u'.
func (x *part) value() string {
	if x.set != nil {
		return x.set.name()
	}
	var parts []string
	for k, y := range x.parts {
		v := y.value()
		if x.names != nil {
			v = notation.Field(x.names[k]) + " = " + v
		}
		parts = append(parts, v)
	}
	list := strings.Join(parts, ", ")
	switch {
	case x.array && len(parts) > 0 && x.plain():
		first := x.parts[0].order
		return fmt.Sprintf("u'[%d:%d]", first, first+len(parts))
	case x.array:
		return "[" + list + "]"
	case x.names != nil:
		return "{" + list + "}"
	case x.parts != nil:
		return "(" + list + ")"
	}
	return fmt.Sprintf("u'[%d]", x.order)
}

// plain tells whether an array is one of unknowns that are next to one another.
func (x *part) plain() bool {
	return !slices.ContainsFunc(x.parts, func(y *part) bool { return y.whole() || y.set != nil })
}

// absent is the error that parts have neither a range nor a value.
func (s *source) absent() *diag.Diagnostic {
	var names, flags []string
	for k, x := range s.missing {
		if k == 6 {
			names, flags = append(names, "…"), append(flags, "…")
			break
		}
		names = append(names, fmt.Sprintf("`%s`", x.name))
		flag := fmt.Sprintf("--box %s=LO..HI", quoted(x.name))
		if !x.array && !x.real() {
			flag = setFlag(x)
		}
		flags = append(flags, flag)
	}
	d := refuse(s.at, "neither a range nor a value is given for %s", strings.Join(names, ", ")).
		WithHint("give it: %s", strings.Join(flags, " "))
	if flags[0] != setFlag(s.missing[0]) {
		d.WithHint("what is not sought has a value: %s", setFlag(s.missing[0]))
	}
	return d
}

func setFlag(x *part) string { return fmt.Sprintf("--set %s=VALUE", quoted(x.name)) }

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if strings.ContainsAny(name, "[]'") {
		return `"` + name + `"`
	}
	return name
}

// unfound is the error that a flag names no part.
func (s *source) unfound(at diag.Span, name string) *diag.Diagnostic {
	var names []string
	for _, p := range s.params {
		if p.whole() && p.name != "" {
			names = append(names, p.name)
		}
		p.each(func(x *part) {
			if x.name != "" {
				names = append(names, x.name)
			}
		})
	}
	d := refuse(at, "`%s` has no parameter `%s`", s.o.Function, name)
	if near := suggest.Nearest(name, names); near != "" {
		d.WithHint("did you mean `%s`?", near)
	}
	if len(names) > 12 {
		names = append(names[:12], "…")
	}
	if len(names) > 0 {
		d.WithHint("it has %s", strings.Join(names, ", "))
	}
	return d
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
