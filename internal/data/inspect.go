package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Infer returns the narrowest type that all values of a file have. option is the prelude's type
// for values that may be missing.
func Infer(in Input, option *types.DataDecl, opts Options) (types.Type, *diag.Diagnostic) {
	s, d := open(in)
	if d != nil {
		return nil, d
	}
	defer s.close()
	s.counter.stop = opts.Stop
	b := &builders{source: s, opts: opts, sizes: map[*types.Size]int64{}}
	t, d := b.infer(option)
	if d != nil {
		return nil, opts.stopped(d)
	}
	return t, nil
}

func (b *builders) infer(option *types.DataDecl) (types.Type, *diag.Diagnostic) {
	switch b.format {
	case CSV:
		return b.inferTable(',', option)
	case TSV:
		return b.inferTable('\t', option)
	case Text:
		return b.inferTable(spaces, option)
	case JSON, JSONLines:
		return b.inferJSON(option)
	case NPY:
		h, d := b.npyHeader(b.reader())
		if d != nil {
			return nil, d
		}
		return h.inferred(), nil
	case NPZ:
		return b.inferArchive()
	}
	return b.inferParquet(option)
}

// guess is what the values seen so far have in common.
type guess struct {
	seen, missing             bool
	notInt, notReal, notTruth bool
}

func (g *guess) cell(text []byte, quoted bool) {
	text = trim(text)
	if !quoted && isMissing(text) {
		g.missing = true
		return
	}
	g.seen = true
	if _, v := parseInt(text); v != isNumber {
		g.notInt = true
	}
	if _, v := parseNumber(text); v != isNumber {
		_, infinite := special(text)
		g.notReal = g.notReal || !infinite
	}
	switch string(text) {
	case "true", "false", "True", "False", "TRUE", "FALSE":
	default:
		g.notTruth = true
	}
}

func (g *guess) typ(option *types.DataDecl) types.Type {
	var t types.Type = types.String
	switch {
	case !g.seen && g.missing: // only missing values
	case !g.notInt:
		t = types.Int
	case !g.notReal:
		t = types.Real
	case !g.notTruth:
		t = types.Bool
	}
	return optional(t, g.missing, option)
}

func optional(t types.Type, missing bool, option *types.DataDecl) types.Type {
	if missing {
		return &types.Data{Decl: option, Args: []types.Type{t}}
	}
	return t
}

func arrayOf(t types.Type) types.Type { return &types.Array{Size: types.AnySize, Elem: t} }

// recordOf returns a record type; fields are sorted by name.
func recordOf(fields []types.Field) types.Type {
	slices.SortFunc(fields, func(a, b types.Field) int { return strings.Compare(a.Name, b.Name) })
	return &types.Record{
		Fields: slices.CompactFunc(fields, func(a, b types.Field) bool { return a.Name == b.Name }),
	}
}

// inferTable infers the type of CSV: records if there is a header, otherwise a matrix or tuples.
func (b *builders) inferTable(comma byte, option *types.DataDecl) (types.Type, *diag.Diagnostic) {
	c := &cells{source: b.source, comma: comma}
	first, d := c.firstLine()
	if d != nil {
		return nil, d
	}
	guesses := make([]guess, len(first))
	header := isHeader(first)
	if !header {
		for k, cell := range first {
			guesses[k].cell([]byte(cell.text), cell.quoted)
		}
	}
	plan := &table{columns: make([]column, len(first))}
	for k := range plan.columns {
		plan.columns[k] = &guessColumn{of: &guesses[k]}
	}
	if d := b.tableRows(c, plan); d != nil {
		return nil, d
	}
	ts := make([]types.Type, len(first))
	same := true
	for k := range guesses {
		ts[k] = guesses[k].typ(option)
		same = same && types.Equal(ts[k], ts[0])
	}
	switch {
	case header:
		fields := make([]types.Field, len(first))
		for k, cell := range first {
			fields[k] = types.Field{Name: strings.TrimSpace(cell.text), Type: ts[k]}
		}
		return arrayOf(recordOf(fields)), nil
	case len(ts) == 1:
		return arrayOf(ts[0]), nil
	case same:
		return arrayOf(arrayOf(ts[0])), nil
	case !slices.ContainsFunc(ts, func(t types.Type) bool {
		return t != types.Type(types.Real) && t != types.Type(types.Int)
	}):
		return arrayOf(arrayOf(types.Real)), nil
	}
	return arrayOf(&types.Tuple{Elems: ts}), nil
}

// guessColumn is a column that guesses the type of its values.
type guessColumn struct {
	column
	of *guess
}

func (c *guessColumn) cell(text []byte, quoted bool) *complaint {
	c.of.cell(text, quoted)
	return nil
}

// inferred returns the type of a NumPy array.
func (h *npyHeader) inferred() types.Type {
	t := basicTypes[h.element()]
	for range h.shape {
		t = arrayOf(t)
	}
	return t
}

func (b *builders) inferArchive() (types.Type, *diag.Diagnostic) {
	archive, d := b.archive()
	if d != nil {
		return nil, d
	}
	var fields []types.Field
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok || len(fields) >= maxColumns {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, b.broken(err)
		}
		h, d := b.npyHeader(r)
		r.Close()
		if d != nil {
			return nil, d
		}
		fields = append(fields, types.Field{Name: name, Type: h.inferred()})
	}
	return recordOf(fields), nil
}

// ---- JSON

// shape is what the JSON values at one place have in common.
type shape struct {
	guess
	numbers, truths, texts, arrays, objects bool
	elem                                    *shape
	fields                                  map[string]*shape
	order                                   []string
	// how many objects are here, and how many of the enclosing objects have this field
	count, in int
}

func (b *builders) inferJSON(option *types.DataDecl) (types.Type, *diag.Diagnostic) {
	j := &jsonReader{source: b.source}
	lines := b.format == JSONLines
	var all shape
	for n := 0; ; n++ {
		c, d := j.peekToken()
		if d != nil {
			return nil, d
		}
		if c == 0 || n > 0 && !lines {
			break
		}
		if d := all.read(b, j); d != nil {
			return nil, d
		}
	}
	t := all.typ(option)
	if lines {
		t = arrayOf(t)
	}
	return t, nil
}

// read takes a value into account.
func (s *shape) read(b *builders, j *jsonReader) *diag.Diagnostic {
	c, d := j.peekToken()
	if d != nil {
		return d
	}
	switch {
	case c == '[':
		s.arrays = true
		if s.elem == nil {
			s.elem = &shape{}
		}
		if d := j.open('[', ""); d != nil {
			return d
		}
		for first := true; ; first = false {
			more, d := j.next(first, ']')
			if d != nil || !more {
				return d
			}
			if d := s.elem.read(b, j); d != nil {
				return d
			}
		}
	case c == '{':
		return s.object(b, j)
	case c == '"':
		var text []byte
		text, d = j.text("")
		if _, number := special(text); number {
			s.numbers = true
			s.cell(text, true)
		} else {
			s.texts = true
		}
	case c == 'n':
		s.missing = true
		_, d = j.word("a value")
	case c == 't' || c == 'f':
		s.truths = true
		_, d = j.word("a value")
	default:
		s.numbers = true
		var text []byte
		if text, d = j.number("a value"); d == nil {
			s.cell(text, true)
		}
	}
	return d
}

func (s *shape) object(b *builders, j *jsonReader) *diag.Diagnostic {
	s.objects = true
	s.count++
	if s.fields == nil {
		s.fields = map[string]*shape{}
	}
	if d := j.enter(); d != nil {
		return d
	}
	for first := true; ; first = false {
		name, more, d := j.field(first)
		if d != nil || !more {
			return d
		}
		f := s.fields[name]
		if f == nil {
			if len(s.fields) >= maxColumns || !b.spend(int64(len(name))+200) {
				return j.errorf(
					diag.DataLimit,
					"the objects have more than %d fields",
					len(s.fields),
				)
			}
			f = &shape{}
			s.fields[name] = f
			s.order = append(s.order, name)
		}
		f.in++
		if d := f.read(b, j); d != nil {
			return d
		}
	}
}

// typ returns the type of the values.
func (s *shape) typ(option *types.DataDecl) types.Type {
	kinds := 0
	for _, has := range []bool{s.numbers, s.truths, s.texts, s.arrays, s.objects} {
		if has {
			kinds++
		}
	}
	var t types.Type = types.String
	switch {
	case kinds != 1:
	case s.numbers && !s.notInt:
		t = types.Int
	case s.numbers:
		t = types.Real
	case s.truths:
		t = types.Bool
	case s.arrays:
		t = arrayOf(s.elem.typ(option))
	case s.objects:
		var fields []types.Field
		for _, name := range s.order {
			f := s.fields[name]
			ft := f.typ(option)
			if f.in < s.count && !f.missing {
				ft = optional(ft, true, option)
			}
			fields = append(fields, types.Field{Name: name, Type: ft})
		}
		t = recordOf(fields)
	}
	return optional(t, s.missing, option)
}

// Summary describes a column of a table.
type Summary struct {
	Name    string      `json:"name"`
	Type    string      `json:"type"`
	Count   int         `json:"count"`
	Missing int         `json:"missing"`
	Min     value.Value `json:"min,omitempty"` // of numbers
	Mean    value.Value `json:"mean,omitempty"`
	Max     value.Value `json:"max,omitempty"`
	// of texts; at most maxDistinct are distinguished
	Distinct int `json:"distinct,omitempty"`
}

const maxDistinct = 100_000

// Summarise describes the columns of data: the fields of an array of records, or the array itself.
func Summarise(t types.Type, v value.Value) []Summary {
	var all []Summary
	switch t := types.Resolve(t).(type) {
	case *types.Record:
		for k, f := range t.Fields {
			for _, s := range Summarise(f.Type, v.(value.Record)[k].Value) {
				s.Name = f.Name + s.Name
				all = append(all, s)
			}
		}
	case *types.Array:
		elem := types.Resolve(t.Elem)
		if table, ok := v.(value.Table); ok {
			var ts []types.Type
			names := table.Names
			switch elem := elem.(type) {
			case *types.Record:
				for _, f := range elem.Fields {
					ts = append(ts, f.Type)
				}
			case *types.Tuple:
				ts = elem.Elems
			}
			for k, column := range table.Columns {
				name := fmt.Sprintf("%d", k)
				if names != nil {
					name = names[k]
				}
				all = append(all, summarise(name, ts[k], column))
			}
			return all
		}
		return []Summary{summarise("", elem, v)}
	}
	return all
}

func summarise(name string, t types.Type, v value.Value) Summary {
	s := Summary{Name: name, Type: types.Show(t)}
	s.Count, _ = value.Len(v)
	least, most, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	distinct := map[string]bool{}
	var add func(v value.Value)
	add = func(v value.Value) {
		switch v := v.(type) {
		case value.Real:
			least, most, sum, n = min(least, float64(v)), max(most, float64(v)), sum+float64(v), n+1
		case value.Numeral:
			add(value.Real(v.Near))
		case value.Int:
			add(value.Real(v))
		case value.String:
			if len(distinct) < maxDistinct {
				distinct[string(v)] = true
			}
		case value.Con:
			switch {
			case optionOf(t) == nil:
			case len(v.Args) == 0:
				s.Missing++
			default:
				add(v.Args[0])
			}
		default:
			if m, ok := value.Len(v); ok {
				for i := range m {
					add(value.At(v, i))
				}
			}
		}
	}
	for i := range s.Count {
		add(value.At(v, i))
	}
	if n > 0 {
		s.Min, s.Mean, s.Max = value.Real(least), value.Real(sum/float64(n)), value.Real(most)
	}
	s.Distinct = len(distinct)
	return s
}

// basicTypes maps names to the types that a cell can have.
var basicTypes = map[string]types.Type{
	"Real": types.Real, "Int": types.Int, "Bool": types.Bool, "String": types.String,
}
