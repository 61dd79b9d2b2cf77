package check

import (
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// This file reports errors in fields, indices and slices.

func (c *checker) noField(d *deferral, t *types.Record) {
	p := c.info.Printer()
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	e := diag.Errorf(diag.NoField, d.name.At, "this record has no field `%s`", d.name.Name).
		WithRelated(d.node.Span(), "this has type %s", p.Type(t))
	if near := suggest.Nearest(d.name.Name, names); near != "" {
		e.WithHint("did you mean `%s`?", near).WithFix(d.name.At, near)
	} else if len(names) > 0 {
		e.WithHint("its fields are %s", quoteAll(names))
	}
	if d.kind == waitUpdate {
		e.WithHint("`{p with x = e}` replaces fields; it does not add them")
	}
	c.report(d.explain(e))
}

// decidesRecord labels the use that decides the type of which a field is taken.
const decidesRecord = "this use decides the type of the record"

// explain adds the use that decided a field which its definition left open.
func (d *deferral) explain(e *diag.Diagnostic) *diag.Diagnostic {
	if d.by != nil {
		e.WithRelated(d.by.Span(), "%s", decidesRecord)
	}
	return e
}

func (c *checker) notARecord(d *deferral, t types.Type) {
	p := c.info.Printer()
	what := "a record is needed for the field `" + d.name.Name + "`"
	e := diag.Errorf(diag.NotARecord, d.node.Span(), "%s, but this is not one", what).
		WithLabel("this is %s", p.Type(t))
	switch types.Resolve(t).(type) {
	case *types.Tuple:
		e.WithHint("components of a tuple are written `x[0]`, `x[1]`")
	case *types.Data:
		e.WithHint("fields of data are taken out with `match`")
	case *types.Fun:
		e.WithHint("this is a function: does it lack an argument?")
	case *types.Array:
		switch d.name.Name {
		case "length", "size", "len", "shape":
			of := d.node.Span()
			whole := diag.Span{File: of.File, Start: of.Start, End: d.name.At.End}
			e.WithHint("write `length xs`; that of the rows of a matrix is `length m[0]`").
				WithFix(whole, "(length "+of.Text()+")")
		case "append", "push":
			e.WithHint("an array keeps its elements; `array.concat xs [x]` is a new one with `x` " +
				"at its end")
		case "map", "filter", "reduce", "fold":
			e.WithHint("the array comes last: `map f xs`, `fold f z xs`, `array.filter p xs`")
		case "T":
			e.WithHint("a transposed matrix is `linalg.transpose m`")
		}
	}
	if len(e.Hints) == 0 && c.find(d.name.Name) != nil {
		e.WithHint("`%s` is not a field but a function, which stands before its argument: `%s x`",
			d.name.Name, d.name.Name)
	}
	c.report(d.explain(e))
}

// ambiguousField asks for the annotation that would decide a field access, and shows how to write
// it.
func (c *checker) ambiguousField(d *deferral) {
	e := diag.Errorf(diag.Ambiguous, d.node.Span(),
		"nothing says what type this has, so the field `%s` is not known", d.name.Name)
	example := c.wantedRecord(types.Resolve(d.subject).(*types.Meta))
	var candidates []string
	for _, name := range c.info.Interface.Order {
		if t := c.info.Interface.Types[name]; t != nil && t.Alias != nil {
			if r, ok := types.Resolve(t.Alias.Type).(*types.Record); ok && r.Index(d.name.Name) >=
				0 && len(t.Alias.Params) == 0 {
				candidates = append(candidates, name)
			}
		}
	}
	if len(candidates) > 0 {
		example = candidates[0]
	}
	if v, ok := d.node.(*syntax.Var); ok {
		e.WithHint("annotate it where it is bound: `(%s : %s)`", v.Name, example)
		if b := c.info.Uses[v.ID]; b != nil {
			if l, ok := b.Object.(*Local); ok {
				e.WithRelated(l.At, "`%s` is bound here", l.Name)
			}
		}
	} else {
		e.WithHint("annotate it: `(e : %s)`", example)
	}
	c.report(e)
}

// wantedRecord returns the smallest record type with the fields that are taken of an unknown, as
// far as their types are known.
func (c *checker) wantedRecord(m *types.Meta) string {
	p := c.info.Printer()
	var fields []string
	for w := m.Waits; w != nil; w = w.Next {
		d := w.For.(*deferral)
		if d.kind == waitIndex {
			continue
		}
		text := p.Type(d.result)
		if inner, ok := types.Resolve(d.result).(*types.Meta); ok {
			if text = "Real"; inner.Waits != nil {
				text = "{…}"
			}
		}
		fields = append(fields, notation.Field(d.name.Name)+" : "+text)
	}
	slices.Sort(fields)
	return "{" + strings.Join(slices.Compact(fields), ", ") + "}"
}

func (c *checker) tupleIndex(d *deferral, t *types.Tuple) {
	p := c.info.Printer()
	index := d.node.(*syntax.Index)
	e := diag.Errorf(diag.TupleIndex, index.Indices[d.at].Span(), "this tuple has %s, so there "+
		"is no component %d", count(len(t.Elems), "component"), d.index).
		WithRelated(index.X.Span(), "this has type %s", p.Type(t))
	if len(t.Elems) > 0 {
		e.WithHint("components are counted from 0 to %d", len(t.Elems)-1)
	}
	c.report(e)
}

// notIndexable reports an index into a value that is neither an array nor a tuple. literal says
// that the index is a literal.
func (c *checker) notIndexable(e *syntax.Index, at int, t types.Type, literal bool) {
	p := c.info.Printer()
	if isTuple(t) && !literal {
		c.report(diag.Errorf(diag.TupleIndex, e.Indices[at].Span(),
			"a tuple is indexed by a literal number only").
			WithRelated(e.X.Span(), "this has type %s", p.Type(t)).
			WithHint("the components of a tuple may have different types, so the index must be " +
				"known; use an array `[a, b]` to index by a variable"))
		return
	}
	d := diag.Errorf(diag.NotIndexable, e.X.Span(),
		"this is indexed, but it is neither an array nor a tuple").
		WithLabel("this is %s", p.Type(t))
	switch {
	case types.Resolve(t) == types.Type(types.String):
		d.WithHint("`string.slice 0 1 s` is the first character of a text, `string.characters s` " +
			"the array of all")
	case syntax.IsHole(e.X):
		d = noDimension(e.Indices[at], p.Type(t))
	case at > 0:
		d = noDimension(e.Indices[at], p.Type(t)).
			WithRelated(e.X.Span(), "this has type %s", p.Type(c.info.Types[e.X.Num()]))
	case isRecord(t):
		d.WithHint("the fields of a record are written `p.x`")
	case isFun(t):
		d.WithHint("this is a function; to pass it an array, put a space before the `[`")
	}
	c.report(d)
}

// noDimension returns the diagnostic for an index beyond the dimensions of an array. t is the
// type that is left.
func noDimension(index syntax.Node, t string) *diag.Diagnostic {
	return diag.Errorf(diag.NotIndexable, index.Span(),
		"there is no dimension left for this index").
		WithHint("what is before it leaves %s", t)
}

// notUpdatable reports an update of an element in a value that is not an array.
func (c *checker) notUpdatable(e *syntax.Update, f syntax.FieldInit, t types.Type) {
	p := c.info.Printer()
	if syntax.IsHole(e.X) {
		c.report(noDimension(f.Index, p.Type(t)))
		return
	}
	d := diag.Errorf(diag.NotIndexable, e.X.Span(), "only arrays have elements to replace").
		WithLabel("this is %s", p.Type(t))
	switch {
	case isTuple(t):
		d.WithHint("a tuple is built anew: `(a, b)`")
	case isRecord(t):
		d.WithHint("a field is replaced by its name: `{p with x = e}`, and an element of one by " +
			"`{p with x[i] = e}`")
	}
	c.report(d)
}

func (c *checker) notSliceable(e *syntax.Slice, t types.Type) {
	p := c.info.Printer()
	if syntax.IsHole(e.X) {
		c.report(noDimension(e.X, p.Type(t)))
		return
	}
	d := diag.Errorf(diag.NotIndexable, e.X.Span(), "only arrays have slices").
		WithLabel("this is %s", p.Type(t))
	if isTuple(t) {
		d.WithHint("%s", bracketsHint)
	}
	c.report(d)
}
