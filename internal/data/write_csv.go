package data

import (
	"bufio"
	"errors"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// writeText writes plain text: a text as it is, texts as lines, or a table with columns separated
// by blanks.
func writeText(out *bufio.Writer, t types.Type, v value.Value) error {
	if text, ok := v.(value.String); ok {
		_, err := out.WriteString(string(text))
		return err
	}
	if !isLines(t) {
		return writeDelimited(out, spaces, t, v)
	}
	n, _ := value.Len(v)
	for i := range n {
		line := string(value.At(v, i).(value.String))
		if strings.ContainsAny(line, "\r\n") {
			return errors.New("a text of several lines cannot be one line of the file; write JSON")
		}
		out.WriteString(line)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// isLines reports whether a type is an array of texts.
func isLines(t types.Type) bool {
	a, ok := types.Resolve(t).(*types.Array)
	return ok && types.Resolve(a.Elem) == types.Type(types.String)
}

// writeDelimited writes CSV, TSV, or cells separated by blanks.
func writeDelimited(out *bufio.Writer, comma byte, t types.Type, v value.Value) error {
	g, err := gridOf(t, v, isCell)
	if err != nil {
		return err
	}
	w := &cellWriter{Writer: out, comma: comma}
	for _, name := range g.names {
		w.text(name)
	}
	if g.names != nil {
		w.endLine()
	}
	for row := range g.rows {
		for _, c := range g.columns {
			cell, there := c.cell(row)
			if !there && (len(g.columns) == 1 || comma == spaces) {
				// When read back, a blank line would be skipped, and so would a cell of blanks.
				if of := optionOf(c.ty); of == types.Type(types.String) {
					return errors.New(
						"a text that is missing cannot be told from blanks here; write JSON",
					)
				}
				w.plain("NA")
				continue
			}
			if !there {
				w.plain("")
				continue
			}
			switch cell := cell.(type) {
			case value.Real:
				w.plain(value.Decimal(float64(cell)))
			case value.Int:
				w.plain(strconv.FormatInt(int64(cell), 10))
			case value.Bool:
				w.plain(strconv.FormatBool(bool(cell)))
			case value.String:
				w.text(string(cell))
			case value.Con:
				w.plain(cell.Name)
			}
		}
		if err := w.endLine(); err != nil {
			return err
		}
	}
	return nil
}

// cellWriter writes cells and their separators.
type cellWriter struct {
	*bufio.Writer
	comma byte
	any   bool // whether the current line has a cell
}

func (w *cellWriter) plain(s string) {
	if w.any {
		w.WriteByte(w.comma)
	}
	w.any = true
	w.WriteString(s)
}

// text writes a text, quoted if necessary.
func (w *cellWriter) text(s string) {
	special := "\"\r\n;,\t"
	if w.comma == spaces {
		special += " #"
	}
	if s == "" || strings.ContainsAny(s, special) || s[0] == ' ' || s[len(s)-1] == ' ' ||
		strings.HasPrefix(s, "\uFEFF") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	w.plain(s)
}

func (w *cellWriter) endLine() error {
	w.any = false
	return w.WriteByte('\n')
}
