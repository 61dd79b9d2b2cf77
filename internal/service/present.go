package service

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/picture"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Result is a value with its presentations.
type Result struct {
	Value value.Value
	Type  string // as a program would write it
	Text  string // all parts as text

	// Parts holds what is shown: the value as a whole, or, for a record with figures in it, the
	// rest of the record followed by each figure.
	Parts []Part

	Warnings []*diag.Diagnostic
}

// Part is a value, or a field of it, in every presentation that suits it. There is always a Text.
// The others are nil where they do not suit.
type Part struct {
	Name string // the name of the field; "" for the whole value or the rest
	Text string // as a program would write it; for a figure, a drawing

	Table    *Table         // for an array of records, tuples or numbers
	Figure   *plot.Figure   // for a Plot
	Picture  picture.Matrix // for a matrix of reals
	Enclosed []Enclosure    // for the reals of an exact value
	Math     string         // an enclosure, a short array of numbers or a small matrix, in LaTeX
}

// Table holds rows of texts.
type Table struct {
	Heads []string   `json:"heads"`
	Rows  [][]string `json:"rows"`
	// Total is the number of rows of the value. Rows may hold only the first of them.
	Total int `json:"total"`
}

// Enclosure is a real of an exact value.
type Enclosure struct {
	Path string `json:"path"` // its path in the value: ".slope", "[3]", "" for the value itself
	Lo   string `json:"lo"`   // the ends, as decimals or infinities
	Hi   string `json:"hi"`
}

// Bounds of what presentations show.
const (
	maxShown   = 100     // elements of each array in a text
	maxRows    = 1000    // of a table
	maxColumns = 100     // of a table
	maxPixels  = 1 << 20 // of a matrix that is drawn
	maxReals   = 200     // enclosures
)

// Present makes the presentations of a result.
func Present(r driver.Result) (*Result, error) {
	out := &Result{Value: r.Value, Type: r.Type, Warnings: r.Warnings}
	rest := r.Value
	fields, isRecord := r.Value.(value.Record)
	record, _ := types.Resolve(r.Of).(*types.Record)
	switch {
	case plot.Is(r.Of):
		part, err := figurePart("", r.Value)
		if err != nil {
			return nil, err
		}
		out.Parts, rest = append(out.Parts, part), nil
	case isRecord && record != nil:
		var others value.Record
		for k, f := range fields {
			if !plot.Is(record.Fields[k].Type) {
				others = append(others, f)
				continue
			}
			part, err := figurePart(f.Name, f.Value)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, part)
		}
		if rest = value.Value(others); len(others) == 0 && len(fields) > 0 {
			rest = nil
		}
	}
	if rest != nil {
		out.Parts = append([]Part{partOf(rest)}, out.Parts...)
	}
	texts := make([]string, len(out.Parts))
	for k, p := range out.Parts {
		if texts[k] = p.Text; p.Name != "" {
			texts[k] = p.Name + ":\n" + p.Text
		}
	}
	out.Text = strings.Join(texts, "\n")
	return out, nil
}

func figurePart(name string, v value.Value) (Part, error) {
	figure, err := plot.Of(v)
	if err != nil {
		return Part{}, err
	}
	var text bytes.Buffer
	if err := figure.Text(&text); err != nil {
		return Part{}, err
	}
	return Part{Name: name, Text: text.String(), Figure: figure}, nil
}

// partOf presents a value without figures.
func partOf(v value.Value) Part {
	layout := value.Layout{Width: 100, MaxElems: maxShown}
	part := Part{Text: layout.Show(v), Table: tableOf(v), Math: mathOf(v)}
	if list, err := picture.Of(v); err == nil && len(list) == 1 && len(list[0])*len(list[0][0]) <=
		maxPixels {
		if len(list[0]) > 1 && len(list[0][0]) > 1 {
			part.Picture = list[0]
		}
	}
	enclosures(v, "", &part.Enclosed)
	return part
}

// tableOf returns an array as a table with a row for each element. A column is a field of a
// record, a component of a tuple, or an index of a row of numbers. It returns nil for other
// values, and for short arrays of numbers, which are easier to read as text.
func tableOf(v value.Value) *Table {
	n, ok := value.Len(v)
	if !ok || n < 2 {
		return nil
	}
	heads, _ := cells(value.At(v, 0))
	if heads == nil && n < 10 {
		return nil
	}
	columns := max(len(heads), 1)
	if columns > maxColumns {
		return nil
	}
	t := &Table{Heads: append([]string{"#"}, heads...), Total: n}
	if heads == nil {
		t.Heads = append(t.Heads, "value")
	}
	for k := range min(n, maxRows) {
		_, row := cells(value.At(v, k))
		if len(row) != columns {
			return nil // rows of different lengths
		}
		t.Rows = append(t.Rows, append([]string{strconv.Itoa(k)}, row...))
	}
	return t
}

// cells returns the components of an element as texts, with their names. There are no names if
// the element is a number or the like.
func cells(v value.Value) (heads, texts []string) {
	show := func(v value.Value) string { return value.ShowAtMost(v, 5) }
	switch v := v.(type) {
	case value.Record:
		for _, f := range v {
			heads, texts = append(heads, f.Name), append(texts, show(f.Value))
		}
		return heads, texts
	case value.Tuple:
		for k, x := range v {
			heads, texts = append(heads, strconv.Itoa(k)), append(texts, show(x))
		}
		return heads, texts
	}
	n, isArray := value.Len(v)
	if !isArray {
		return nil, []string{show(v)}
	}
	for k := range min(n, maxColumns+1) {
		heads, texts = append(heads, strconv.Itoa(k)), append(texts, show(value.At(v, k)))
	}
	return heads, texts
}

// enclosures collects the reals of an exact value with their paths.
func enclosures(v value.Value, path string, all *[]Enclosure) {
	each := func(vs []value.Value) {
		for k, x := range vs {
			enclosures(x, path+"["+strconv.Itoa(k)+"]", all)
		}
	}
	if len(*all) >= maxReals {
		return
	}
	switch v := v.(type) {
	case exact.Enclosure:
		lo, hi := v.Decimals()
		*all = append(*all, Enclosure{path, lo, hi})
	case value.Tuple:
		each(v)
	case value.Array:
		each(v)
	case value.Con:
		each(v.Args)
	case value.Record:
		for _, f := range v {
			enclosures(f.Value, path+"."+f.Name, all)
		}
	}
}

// SVG returns the first figure of a result as SVG, or nil if there is none.
func (r *Result) SVG() ([]byte, error) {
	for _, p := range r.Parts {
		if p.Figure != nil {
			var svg bytes.Buffer
			_, err := p.Figure.Write(&svg, ".svg")
			return svg.Bytes(), err
		}
	}
	return nil, nil
}

// Certain returns the digits that both ends of an enclosure share, which are the certain digits
// of the number. It returns "" if they share none.
func (e Enclosure) Certain() string {
	n := 0
	for n < len(e.Lo) && n < len(e.Hi) && e.Lo[n] == e.Hi[n] {
		n++
	}
	whole := func(s string) int { return len(cmp.Or(strings.SplitN(s, ".", 2)[0], "")) }
	if whole(e.Lo) != whole(e.Hi) || n < whole(e.Lo) {
		return "" // not even the integer part is certain
	}
	return strings.TrimSuffix(e.Lo[:n], ".")
}
