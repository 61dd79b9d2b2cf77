package data

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [JSON]. JSON is read as value.JSON writes it: tuples and arrays as arrays, records as
// objects, data as {"con": NAME, "args": […]}. An Option may also be null, or absent from an
// object, or the value itself. A constructor without fields may also be its name. Fields that a
// record type does not have are skipped.
//
// `fluxion run --json` prints an object around the value. If the type is not a record with a
// field "diagnostics", the value is taken out of such an object.

func (b *builders) json(t types.Type) (value.Value, *diag.Diagnostic) {
	j := &jsonReader{source: b.source}
	if c, _ := j.peekToken(); c == '{' {
		if d := j.unwrap(t); d != nil {
			return nil, d
		}
	}
	v, d := b.one(j, t)
	if d != nil {
		return nil, d
	}
	for j.depth > 0 { // close what unwrap opened
		if d := j.skipFields(); d != nil {
			return nil, d
		}
	}
	if c, d := j.peekToken(); d != nil || c != 0 {
		if d == nil {
			j.pos++
			d = j.errorf(
				diag.BadData,
				"the value has ended, but something follows",
			).WithHint(
				"a file with one value a line ends in .jsonl",
			)
		}
		return nil, d
	}
	return v, nil
}

// one reads one value of a type.
func (b *builders) one(j *jsonReader, t types.Type) (value.Value, *diag.Diagnostic) {
	if array, ok := types.Resolve(t).(*types.Array); ok {
		return b.jsonArray(j, array)
	}
	column := b.column(t)
	if d := column.json(j); d != nil {
		return nil, d
	}
	return value.At(column.array(), 0), nil
}

// unwrap enters the object that `fluxion run --json` prints, up to the value in it.
func (j *jsonReader) unwrap(t types.Type) *diag.Diagnostic {
	if record, ok := types.Resolve(t).(*types.Record); ok && record.Index("diagnostics") >= 0 {
		return nil
	}
	if !j.startsWith(`{"diagnostics":`) {
		return nil
	}
	if d := j.enter(); d != nil {
		return d
	}
	for first := true; ; first = false {
		name, more, d := j.field(first)
		switch {
		case d != nil:
			return d
		case !more:
			return j.errorf(diag.BadData, "there is no value in this result")
		case name == "value":
			return nil
		}
		if d := j.skip(); d != nil {
			return d
		}
	}
}

// skipFields skips the rest of the object that was entered last.
func (j *jsonReader) skipFields() *diag.Diagnostic {
	for {
		_, more, d := j.field(false)
		if d != nil || !more {
			return d
		}
		if d := j.skip(); d != nil {
			return d
		}
	}
}

// jsonArray reads an array.
func (b *builders) jsonArray(j *jsonReader, t *types.Array) (value.Value, *diag.Diagnostic) {
	if d := j.open('[', "an array of "+types.Show(t.Elem)); d != nil {
		return nil, d
	}
	of := b.column(t.Elem)
	n := int64(0)
	j.path = append(j.path, step{})
	for first := true; ; first = false {
		more, d := j.next(first, ']')
		if d != nil {
			return nil, d
		}
		if !more {
			break
		}
		j.path[len(j.path)-1].index = int(n)
		if d := of.json(j); d != nil {
			return nil, d
		}
		n++
	}
	j.path = j.path[:len(j.path)-1]
	if wrong := b.checkSize(t.Size, n); wrong != "" {
		return nil, j.errorf(diag.WrongData, "%s%s", wrong, j.where())
	}
	return of.array(), nil
}

func (b *builders) jsonLines(t types.Type) (value.Value, *diag.Diagnostic) {
	j := &jsonReader{source: b.source}
	array, ok := types.Resolve(t).(*types.Array)
	if !ok {
		return nil, j.errorf(
			diag.WrongData,
			"a file with one value a line is an array, and is not read as %s",
			types.Show(t),
		)
	}
	of := b.column(array.Elem)
	for {
		c, d := j.peekToken()
		if d != nil {
			return nil, d
		}
		if c == 0 {
			break
		}
		j.path = append(j.path[:0], step{index: b.rows})
		if d := of.json(j); d != nil {
			return nil, d
		}
		b.rows++
	}
	if wrong := b.checkSize(array.Size, int64(b.rows)); wrong != "" {
		return nil, j.errorf(diag.WrongData, "%s", wrong)
	}
	return of.array(), nil
}

// ---- the columns of values with parts

func (c *optionColumn) json(j *jsonReader) *diag.Diagnostic {
	ch, d := j.peekToken()
	if d != nil {
		return d
	}
	none := false
	switch {
	case ch == 'n':
		if _, d := j.word("null"); d != nil {
			return d
		}
		none = true
	case ch == '{' && (j.startsWith(`{"con":"Some"`) || j.startsWith(`{"con":"None"`)):
		name, d := j.constructor()
		if d != nil {
			return d
		}
		none = name == "None"
		args := 1
		if none {
			args = 0
		}
		if d := j.arguments(name, args, func(int) *diag.Diagnostic {
			return c.of.json(j)
		}); d != nil {
			return d
		}
	default:
		if d := c.of.json(j); d != nil {
			return d
		}
	}
	if p := c.add(none); p != nil {
		return j.complain(p)
	}
	return nil
}

func (c *tupleColumn) json(j *jsonReader) *diag.Diagnostic {
	if d := j.open('[', "a tuple, written as an array"); d != nil {
		return d
	}
	j.path = append(j.path, step{})
	for k := 0; ; k++ {
		more, d := j.next(k == 0, ']')
		if d != nil {
			return d
		}
		if more != (k < len(c.columns)) {
			return j.errorf(
				diag.WrongData,
				"the tuple should have %d components%s",
				len(c.columns),
				j.where(),
			)
		}
		if !more {
			break
		}
		j.path[len(j.path)-1].index = k
		if d := c.columns[k].json(j); d != nil {
			return d
		}
	}
	j.path = j.path[:len(j.path)-1]
	c.n++
	return nil
}

func (c *recordColumn) json(j *jsonReader) *diag.Diagnostic {
	if d := j.open('{', "a record, written as an object"); d != nil {
		return d
	}
	j.path = append(j.path, step{})
	seen := make([]bool, len(c.names))
	var others []string
	for first := true; ; first = false {
		name, more, d := j.field(first)
		if d != nil {
			return d
		}
		if !more {
			break
		}
		k := index(c.names, name)
		if k < 0 {
			if len(others) < 100 {
				others = append(others, name)
			}
			if d := j.skip(); d != nil {
				return d
			}
			continue
		}
		if seen[k] {
			return j.errorf(diag.BadData, "the object has two fields `%s`%s", name, j.where())
		}
		seen[k] = true
		j.path[len(j.path)-1].name = name
		if d := c.columns[k].json(j); d != nil {
			return d
		}
	}
	j.path = j.path[:len(j.path)-1]
	for k, found := range seen {
		if found {
			continue
		}
		if option, ok := c.columns[k].(*optionColumn); ok {
			if p := option.add(true); p != nil {
				return j.complain(p)
			}
			continue
		}
		d := j.errorf(diag.NoColumn, "the object has no field `%s`%s", c.names[k], j.where())
		if near := suggest.Nearest(c.names[k], others); near != "" {
			d.WithHint("did you mean `%s`?", notation.Field(near))
		}
		return d.WithHint(
			"write `%s : Option %s` if it may be missing",
			notation.Field(c.names[k]),
			types.Show(c.types[k]),
		)
	}
	c.n++
	return nil
}

// index returns the position of a name in a short list, or -1.
func index(names []string, name string) int {
	for k := range names {
		if names[k] == name {
			return k
		}
	}
	return -1
}

func (c *arrayColumn) json(j *jsonReader) *diag.Diagnostic {
	c.b.nested++
	v, d := c.b.jsonArray(j, c.ty)
	c.b.nested--
	if d != nil {
		return d
	}
	if p := c.add(v); p != nil {
		return j.complain(p)
	}
	return nil
}

func (c *dataColumn) json(j *jsonReader) *diag.Diagnostic {
	ch, d := j.peekToken()
	if d != nil {
		return d
	}
	var name string
	switch ch {
	case '"':
		text, d := j.text("")
		if d != nil {
			return d
		}
		name = string(text)
	case '{':
		if name, d = j.constructor(); d != nil {
			return d
		}
	default:
		return j.unexpected("a value of " + types.Show(c.ty))
	}
	var con *types.Con
	var names []string
	for _, other := range c.ty.Decl.Cons {
		if names = append(names, other.Name); other.Name == name {
			con = other
		}
	}
	if con == nil {
		d := j.errorf(
			diag.WrongData,
			"`%s` is not a constructor of %s%s",
			shorten([]byte(name)),
			types.Show(c.ty),
			j.where(),
		)
		if near := suggest.Nearest(name, names); near != "" {
			return d.WithHint("did you mean `%s`?", near)
		}
		return d.WithHint("it has %s", list(names))
	}
	fields := con.FieldTypes(c.ty)
	args := make([]value.Value, len(fields))
	if ch == '{' {
		d = j.arguments(name, len(args), func(k int) (d *diag.Diagnostic) {
			args[k], d = c.b.one(j, fields[k])
			return d
		})
		if d != nil {
			return d
		}
	} else if len(args) > 0 {
		return j.wrongArguments(name, len(args))
	}
	if p := c.add(value.Con{Name: name, Args: args}); p != nil {
		return j.complain(p)
	}
	return nil
}

// constructor reads the beginning of data, up to its arguments.
func (j *jsonReader) constructor() (name string, d *diag.Diagnostic) {
	if d := j.enter(); d != nil {
		return "", d
	}
	for k, want := range []string{"con", "args"} {
		got, more, d := j.field(k == 0)
		if d != nil {
			return "", d
		}
		if !more || got != want {
			return "", j.errorf(
				diag.WrongData,
				`data is written {"con": NAME, "args": […]}, in this order%s`,
				j.where(),
			)
		}
		if k == 0 {
			text, d := j.text("the name of a constructor")
			if d != nil {
				return "", d
			}
			name = string(text)
		}
	}
	return name, j.open('[', "the arguments of the constructor")
}

// arguments reads n arguments of a constructor, and the closing brackets.
func (j *jsonReader) arguments(
	name string,
	n int,
	read func(k int) *diag.Diagnostic,
) *diag.Diagnostic {
	for k := 0; ; k++ {
		more, d := j.next(k == 0, ']')
		if d != nil {
			return d
		}
		if more != (k < n) {
			return j.wrongArguments(name, n)
		}
		if !more {
			break
		}
		if d := read(k); d != nil {
			return d
		}
	}
	more, d := j.next(false, '}')
	if d == nil && more {
		d = j.errorf(
			diag.WrongData,
			"data has a constructor and arguments, and nothing else%s",
			j.where(),
		)
	}
	return d
}

func (j *jsonReader) wrongArguments(name string, n int) *diag.Diagnostic {
	return j.errorf(diag.WrongData, "`%s` should have %s%s", name, count(n, "argument"), j.where())
}
