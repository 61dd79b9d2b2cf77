package data

import (
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// column collects values of one type.
type column interface {
	// cell adds the value of a cell of text. It does not keep the text.
	cell(text []byte, quoted bool) *complaint
	// json adds the next value of a JSON text.
	json(j *jsonReader) *diag.Diagnostic
	// array returns what was collected.
	array() value.Value
}

// complaint says what is wrong with a cell.
type complaint struct {
	code    diag.Code
	message string // follows the text of the cell in the message
	hint    string
}

// builders makes the columns of one read, and counts their memory.
type builders struct {
	*source
	opts   Options
	spent  int64
	rows   int // rows read so far, in formats that have rows
	nested int // how many arrays within a row are being read
	sizes  map[*types.Size]int64
	texts  map[string]string // the texts seen so far, because columns repeat a few words
}

// spend counts bytes and reports whether they are within the limit.
func (b *builders) spend(bytes int64) bool {
	b.spent += bytes
	if b.opts.Stop != nil && b.opts.Stop() != nil {
		return false
	}
	return b.opts.Memory <= 0 || b.spent <= b.opts.Memory
}

// tooMuch is the complaint that the memory limit is exceeded.
var tooMuch = &complaint{
	diag.DataLimit,
	"does not fit into memory any more",
	"--memory says how much there is",
}

// grown returns a slice with room for at least one more element. If the fraction of the file that
// has been read is known, the slice gets room for all of it, so that a column is copied rarely
// and takes only the memory of its elements. An array within a row starts small.
func grown[T any](b *builders, xs []T) ([]T, bool) {
	capacity := max(2*cap(xs), 64)
	if cap(xs) > 1<<16 {
		capacity = cap(xs) + cap(xs)/4
	}
	if b.nested > 0 {
		capacity = max(cap(xs)+cap(xs)/2, 4)
	} else if done := b.progress(); b.rows > 1000 && done > 0 {
		capacity = max(int(float64(len(xs))/done*1.01), len(xs)+len(xs)/16+1)
	}
	var x T
	if !b.spend(int64(capacity-cap(xs)) * int64(unsafe.Sizeof(x))) {
		return xs, false
	}
	more := make([]T, len(xs), capacity)
	copy(more, xs)
	return more, true
}

// column returns the column for values of a type.
func (b *builders) column(t types.Type) column {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		return &realColumn{b: b}
	case types.Int:
		return &intColumn{b: b}
	case types.Bool:
		return &boolColumn{b: b}
	case types.String:
		return &stringColumn{b: b}
	}
	if of := optionOf(t); of != nil {
		return &optionColumn{b: b, ty: t, of: b.column(of), inner: of}
	}
	switch t := t.(type) {
	case *types.Tuple:
		return &tupleColumn{b: b, columns: b.columns(t.Elems)}
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		names := make([]string, len(t.Fields))
		for k, f := range t.Fields {
			ts[k], names[k] = f.Type, f.Name
		}
		return &recordColumn{b: b, names: names, types: ts, columns: b.columns(ts)}
	case *types.Array:
		return &arrayColumn{b: b, ty: t}
	case *types.Data:
		return &dataColumn{b: b, ty: t}
	}
	panic("data: a type that unreadable lets pass: " + types.Show(t))
}

func (b *builders) columns(ts []types.Type) []column {
	all := make([]column, len(ts))
	for k, t := range ts {
		all[k] = b.column(t)
	}
	return all
}

// checkSize compares the length of an array with the size in its type. The size is a constant, or
// a variable that the first array of that size decides.
func (b *builders) checkSize(size *types.Size, n int64) string {
	size = size.Find()
	switch size.Kind {
	case types.SizeConst:
		if n != size.N {
			return fmt.Sprintf("the type says %d elements, but there are %d", size.N, n)
		}
	case types.SizeParam:
		if m, known := b.sizes[size]; known && m != n {
			return fmt.Sprintf(
				"the size %s is %d before, but here there are %d elements",
				size.Name,
				m,
				n,
			)
		}
		b.sizes[size] = n
	}
	return ""
}

// text interns a text.
func (b *builders) text(text []byte) (string, bool) {
	if s, known := b.texts[string(text)]; known {
		return s, true
	}
	if !b.spend(int64(len(text))) {
		return "", false
	}
	s := string(text)
	if len(text) <= 64 && len(b.texts) < 4096 {
		if b.texts == nil {
			b.texts = map[string]string{}
		}
		b.texts[s] = s
	}
	return s, true
}

// missing returns the complaint that a cell is empty although its type has no missing value.
func missing(t string) *complaint {
	return &complaint{
		diag.WrongData,
		"is empty, and the type " + t + " has no value for that",
		"write Option " + t + " if values may be missing",
	}
}

// ---- reals

type realColumn struct {
	b     *builders
	near  []float64
	texts map[int]string

	binary bool // whether the numbers are doubles rather than decimals
}

func (c *realColumn) add(x number, text []byte) *complaint {
	if len(c.near) == cap(c.near) {
		var ok bool
		if c.near, ok = grown(c.b, c.near); !ok {
			return tooMuch
		}
	}
	if c.b.opts.Exact && !c.binary {
		if s := x.spelling(text); s != "" {
			if !c.b.spend(int64(len(s)) + 48) {
				return tooMuch
			}
			if c.texts == nil {
				c.texts = map[int]string{}
			}
			c.texts[len(c.near)] = s
		}
	}
	c.near = append(c.near, x.near)
	return nil
}

func (c *realColumn) cell(text []byte, _ bool) *complaint {
	text = trim(text)
	x, v := parseNumber(text)
	if v == notFinite {
		if x, ok := special(text); ok {
			return c.add(x, nil)
		}
	}
	if v == isNumber {
		return c.add(x, text)
	}
	return realComplaint(text, v)
}

func realComplaint(text []byte, v verdict) *complaint {
	switch {
	case len(text) == 0:
		return missing("Real")
	case v == outOfRange:
		return &complaint{diag.WrongData, "is beyond the range of numbers", ""}
	case v == notFinite:
		return &complaint{
			diag.WrongData,
			"is not a real number",
			"write Option Real if values may be missing: NaN is then None. Numbers that are not " +
				"finite are nan, inf and -inf",
		}
	case isMissing(text):
		return &complaint{
			diag.WrongData,
			"is not a Real",
			"write Option Real if values may be missing",
		}
	case strings.Count(string(text), ",") == 1:
		return &complaint{
			diag.WrongData,
			"is not a Real",
			"a decimal point is written `.`, and digits are not grouped",
		}
	}
	return &complaint{diag.WrongData, "is not a Real", ""}
}

func (c *realColumn) json(j *jsonReader) *diag.Diagnostic {
	if first, d := j.peekToken(); d == nil && first == '"' {
		text, d := j.text("a Real")
		if d != nil {
			return d
		}
		x, ok := special(text)
		if !ok {
			return j.textInstead("a Real")
		}
		if p := c.add(x, nil); p != nil {
			return j.complain(p)
		}
		return nil
	}
	text, d := j.number("a Real")
	if d != nil {
		return d
	}
	x, v := parseNumber(text)
	if v == isNumber {
		if p := c.add(x, text); p != nil {
			return j.complain(p)
		}
		return nil
	}
	return j.complain(realComplaint(text, v))
}

func (c *realColumn) array() value.Value {
	if c.b.opts.Exact && !c.binary {
		return value.Numerals{Near: c.near, Texts: c.texts}
	}
	return value.Reals(c.near)
}

// ---- integers

type intColumn struct {
	b *builders
	v []int64
}

func (c *intColumn) add(n int64) *complaint {
	if len(c.v) == cap(c.v) {
		var ok bool
		if c.v, ok = grown(c.b, c.v); !ok {
			return tooMuch
		}
	}
	c.v = append(c.v, n)
	return nil
}

func (c *intColumn) cell(text []byte, _ bool) *complaint {
	text = trim(text)
	n, v := parseInt(text)
	if v == isNumber {
		return c.add(n)
	}
	return intComplaint(text, v)
}

func intComplaint(text []byte, v verdict) *complaint {
	switch {
	case len(text) == 0:
		return missing("Int")
	case v == outOfRange:
		return &complaint{diag.WrongData, "is beyond the range of Int", ""}
	case isMissing(text):
		return &complaint{
			diag.WrongData,
			"is not an Int",
			"write Option Int if values may be missing",
		}
	}
	if _, v := parseNumber(text); v == isNumber {
		return &complaint{
			diag.WrongData,
			"is not an Int",
			"write Real for numbers with a point or an exponent",
		}
	}
	return &complaint{diag.WrongData, "is not an Int", ""}
}

func (c *intColumn) json(j *jsonReader) *diag.Diagnostic {
	text, d := j.number("an Int")
	if d != nil {
		return d
	}
	n, v := parseInt(text)
	p := intComplaint(text, v)
	if v == isNumber {
		p = c.add(n)
	}
	if p != nil {
		return j.complain(p)
	}
	return nil
}

func (c *intColumn) array() value.Value { return value.Ints(c.v) }

// ---- truth values

type boolColumn struct {
	b *builders
	v []bool
}

func (c *boolColumn) add(x bool) *complaint {
	if len(c.v) == cap(c.v) {
		var ok bool
		if c.v, ok = grown(c.b, c.v); !ok {
			return tooMuch
		}
	}
	c.v = append(c.v, x)
	return nil
}

func (c *boolColumn) cell(text []byte, _ bool) *complaint {
	text = trim(text)
	switch string(text) {
	case "true", "True", "TRUE":
		return c.add(true)
	case "false", "False", "FALSE":
		return c.add(false)
	case "":
		return missing("Bool")
	case "0", "1":
		return &complaint{
			diag.WrongData,
			"is not a Bool",
			"write Int for 0 and 1, and compare: `x == 1`",
		}
	}
	return &complaint{diag.WrongData, "is not a Bool", "truth values are written true and false"}
}

func (c *boolColumn) json(j *jsonReader) *diag.Diagnostic {
	word, d := j.word("a Bool")
	if d != nil {
		return d
	}
	if word != "true" && word != "false" {
		return j.unexpected("a Bool")
	}
	if p := c.add(word == "true"); p != nil {
		return j.complain(p)
	}
	return nil
}

func (c *boolColumn) array() value.Value { return value.Bools(c.v) }

// ---- texts

type stringColumn struct {
	b *builders
	v []string
}

func (c *stringColumn) add(text []byte) *complaint {
	if len(c.v) == cap(c.v) {
		var ok bool
		if c.v, ok = grown(c.b, c.v); !ok {
			return tooMuch
		}
	}
	if !utf8.Valid(text) {
		return &complaint{diag.BadData, "is not UTF-8", "convert the file: iconv -f latin1 -t utf8"}
	}
	s, ok := c.b.text(text)
	if !ok {
		return tooMuch
	}
	c.v = append(c.v, s)
	return nil
}

func (c *stringColumn) cell(text []byte, quoted bool) *complaint {
	if len(text) == 0 && !quoted {
		return missing("String")
	}
	return c.add(text)
}

func (c *stringColumn) json(j *jsonReader) *diag.Diagnostic {
	text, d := j.text("a String")
	if d != nil {
		return d
	}
	if p := c.add(text); p != nil {
		return j.complain(p)
	}
	return nil
}

func (c *stringColumn) array() value.Value { return value.Strings(c.v) }

// ---- options

type optionColumn struct {
	b       *builders
	ty      types.Type
	inner   types.Type
	of      column
	missing []bool
}

func (c *optionColumn) add(missing bool) *complaint {
	if len(c.missing) == cap(c.missing) {
		var ok bool
		if c.missing, ok = grown(c.b, c.missing); !ok {
			return tooMuch
		}
	}
	c.missing = append(c.missing, missing)
	if missing {
		return c.b.pad(c.of)
	}
	return nil
}

func (c *optionColumn) cell(text []byte, quoted bool) *complaint {
	_, isText := c.of.(*stringColumn)
	if !quoted && (len(text) == 0 || !isText && isMissing(trim(text))) {
		return c.add(true)
	}
	if p := c.of.cell(text, quoted); p != nil {
		return p
	}
	return c.add(false)
}

func (c *optionColumn) array() value.Value {
	return value.Optional{Missing: c.missing, Of: c.of.array()}
}

// pad adds an arbitrary value, which is never read.
func (b *builders) pad(to column) *complaint {
	switch c := to.(type) {
	case *realColumn:
		return c.add(number{}, nil)
	case *intColumn:
		return c.add(0)
	case *boolColumn:
		return c.add(false)
	case *stringColumn:
		return c.add(nil)
	case *optionColumn:
		return c.add(true)
	case *tupleColumn:
		return b.padAll(c.columns, &c.n)
	case *recordColumn:
		return b.padAll(c.columns, &c.n)
	case *arrayColumn:
		return c.add(value.Array{})
	case *dataColumn:
		return c.add(value.Con{})
	}
	panic("data: an unknown column")
}

func (b *builders) padAll(columns []column, n *int) *complaint {
	for _, c := range columns {
		if p := b.pad(c); p != nil {
			return p
		}
	}
	*n++
	return nil
}

// isMissing reports whether a text says that a number or the like is missing.
func isMissing(text []byte) bool {
	switch string(text) {
	case "", "NA", "N/A", "NaN", "nan", "null":
		return true
	}
	return false
}

// ---- tuples and records

type tupleColumn struct {
	b       *builders
	columns []column
	n       int
}

func (c *tupleColumn) cell([]byte, bool) *complaint { return notACell("a tuple") }

func (c *tupleColumn) array() value.Value {
	return value.Table{Rows: c.n, Columns: arrays(c.columns)}
}

type recordColumn struct {
	b       *builders
	names   []string
	types   []types.Type
	columns []column
	n       int
}

func (c *recordColumn) cell([]byte, bool) *complaint { return notACell("a record") }

func (c *recordColumn) array() value.Value {
	return value.Table{Rows: c.n, Names: c.names, Columns: arrays(c.columns)}
}

func arrays(columns []column) []value.Value {
	all := make([]value.Value, len(columns))
	for k, c := range columns {
		all[k] = c.array()
	}
	return all
}

func notACell(what string) *complaint {
	return &complaint{
		diag.WrongData,
		"cannot be " + what,
		"only JSON files have values with parts in one place",
	}
}

// ---- arrays and data

type arrayColumn struct {
	b  *builders
	ty *types.Array
	v  []value.Value
}

func (c *arrayColumn) add(v value.Value) *complaint {
	if len(c.v) == cap(c.v) {
		var ok bool
		if c.v, ok = grown(c.b, c.v); !ok {
			return tooMuch
		}
	}
	if !c.b.spend(48) {
		return tooMuch
	}
	c.v = append(c.v, v)
	return nil
}

func (c *arrayColumn) cell([]byte, bool) *complaint { return notACell("an array") }
func (c *arrayColumn) array() value.Value           { return value.Array(c.v) }

type dataColumn struct {
	b  *builders
	ty *types.Data
	v  []value.Value
}

func (c *dataColumn) add(v value.Value) *complaint {
	if len(c.v) == cap(c.v) {
		var ok bool
		if c.v, ok = grown(c.b, c.v); !ok {
			return tooMuch
		}
	}
	if !c.b.spend(64) {
		return tooMuch
	}
	c.v = append(c.v, v)
	return nil
}

// cell reads the constructor of an enumeration.
func (c *dataColumn) cell(text []byte, _ bool) *complaint {
	if !isEnumeration(c.ty) {
		return notACell("a value with fields")
	}
	text = trim(text)
	var names []string
	for _, con := range c.ty.Decl.Cons {
		if con.Name == string(text) {
			return c.add(value.Con{Name: con.Name})
		}
		names = append(names, con.Name)
	}
	if len(text) == 0 {
		return missing(types.Show(c.ty))
	}
	hint := "it has " + strings.Join(names, ", ")
	if near := suggest.Nearest(string(text), names); near != "" {
		hint = "did you mean `" + near + "`? Constructors are written as the program writes them"
	}
	return &complaint{diag.WrongData, "is not a constructor of " + types.Show(c.ty), hint}
}

func (c *dataColumn) array() value.Value { return value.Array(c.v) }

// trim returns a text without spaces at its ends.
func trim(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}
