package value

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/notation"
)

// Layout prints values for reading on a screen: on one line if they fit, a matrix as rows with
// aligned columns, and anything else with one component per line. It shows both ends of a long
// array.
type Layout struct {
	Width    int  // of a line, in characters
	MaxElems int  // the length of the longest array that is shown whole; 0 for no bound
	Elided   bool // set if something was left out
}

// Show lays a value out.
func (l *Layout) Show(v Value) string { return l.show(v, 0) }

// show lays out a value that starts after indent characters of its line.
func (l *Layout) show(v Value, indent int) string {
	if rows := l.matrix(v); rows != nil {
		return "[" + strings.Join(rows, separator(indent+1)) + "]"
	}
	if cells, ok := l.cells(v); ok {
		return "[" + l.fill(cells, indent+1) + "]"
	}
	open, parts, end := l.parts(v)
	if parts == nil {
		return l.atom(v)
	}
	flat, broken := open, open
	for i, p := range parts {
		text := p.name + l.show(p.value, indent+1+utf8.RuneCountInString(p.name))
		if i > 0 {
			flat += ", "
			broken += separator(indent + 1)
		}
		flat += text
		broken += text
	}
	if strings.Contains(flat, "\n") || indent+utf8.RuneCountInString(flat+end) > l.Width {
		return broken + end
	}
	return flat + end
}

func separator(indent int) string { return ",\n" + strings.Repeat(" ", indent) }

// matrix returns the rows of an array of at least two arrays of numbers or other atoms, or nil.
func (l *Layout) matrix(v Value) []string {
	array, ok := v.(Array)
	if !ok || len(array) < 2 {
		return nil
	}
	var rows [][]string
	var widths []int
	for _, row := range l.ends(len(array)) {
		if row < 0 {
			rows = append(rows, nil)
			continue
		}
		cells, ok := l.cells(array[row])
		if !ok {
			return nil
		}
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
		rows = append(rows, cells)
	}
	texts := make([]string, len(rows))
	for r, row := range rows {
		if row == nil {
			texts[r] = "…"
			continue
		}
		padded := make([]string, len(row))
		for i, cell := range row {
			padded[i] = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + cell
		}
		texts[r] = "[" + strings.Join(padded, ", ") + "]"
	}
	return texts
}

// cells returns the elements of an array of numbers or other atoms. ok is false for any other
// value.
func (l *Layout) cells(v Value) (cells []string, ok bool) {
	var n int
	var text func(int) string
	switch v := v.(type) {
	case Reals:
		n, text = len(v), func(i int) string { return Decimal(v[i]) }
	case Ints:
		n, text = len(v), func(i int) string { return strconv.FormatInt(v[i], 10) }
	case Array:
		for _, e := range v {
			switch e.(type) {
			case Real, Int, Bool, String, Number:
			default:
				return nil, false
			}
		}
		n, text = len(v), func(i int) string { return Show(v[i]) }
	default:
		return nil, false
	}
	cells = []string{}
	for _, i := range l.ends(n) {
		if i < 0 {
			cells = append(cells, "…")
		} else {
			cells = append(cells, text(i))
		}
	}
	return cells, true
}

// maxEdge is how many elements of a long array are shown at each end.
const maxEdge = 10

// ends lists the indices of an array of n elements that are shown. -1 stands for the elements
// left out in between.
func (l *Layout) ends(n int) []int {
	var shown []int
	elide := l.MaxElems > 0 && n > l.MaxElems
	for i := 0; i < n; i++ {
		if edge := min(maxEdge, max(1, l.MaxElems/2)); elide && i == edge {
			l.Elided = true
			shown = append(shown, -1)
			i = n - edge
		}
		shown = append(shown, i)
	}
	return shown
}

// fill writes cells one after the other, on as many lines as needed.
func (l *Layout) fill(cells []string, indent int) string {
	var b strings.Builder
	column := indent
	for i, cell := range cells {
		width := utf8.RuneCountInString(cell) + len(",")
		switch {
		case i == 0:
		case column+len(" ")+width > l.Width:
			b.WriteString(separator(indent))
			column = indent
		default:
			b.WriteString(", ")
			column++
		}
		b.WriteString(cell)
		column += width
	}
	return b.String()
}

// component is a part of a value and the text written before it.
type component struct {
	name  string
	value Value
}

// parts splits an array, tuple or record into components. The list is nil for any other value.
func (l *Layout) parts(v Value) (open string, parts []component, end string) {
	switch v := v.(type) {
	case Tuple:
		for _, e := range v {
			parts = append(parts, component{value: e})
		}
		return "(", parts, ")"
	case Array:
		for _, i := range l.ends(len(v)) {
			if i < 0 {
				parts = append(parts, component{value: ellipsis{}})
			} else {
				parts = append(parts, component{value: v[i]})
			}
		}
		return "[", parts, "]"
	case Record:
		for _, f := range v {
			parts = append(parts, component{notation.Field(f.Name) + " = ", f.Value})
		}
		return "{", parts, "}"
	}
	return "", nil, ""
}

// atom prints a value on one line.
func (l *Layout) atom(v Value) string {
	p := &Printer{MaxElems: l.MaxElems, MaxNesting: l.MaxElems}
	text := p.Show(v)
	l.Elided = l.Elided || p.elided
	return text
}
