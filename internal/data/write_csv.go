package data

import (
	"bufio"
	"errors"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// writeDelimited writes CSV or TSV.
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
			if !there && len(g.columns) == 1 {
				// A blank line would be skipped when it is read.
				if of := optionOf(c.ty); of == types.Type(types.String) {
					return errors.New("missing texts in a single column cannot be told from blank lines; write JSON")
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

// cellWriter writes cells and what separates them.
type cellWriter struct {
	*bufio.Writer
	comma byte
	any   bool // whether the line has a cell
}

func (w *cellWriter) plain(s string) {
	if w.any {
		w.WriteByte(w.comma)
	}
	w.any = true
	w.WriteString(s)
}

// text writes a text, in quotes where it needs them.
func (w *cellWriter) text(s string) {
	if s == "" || strings.ContainsAny(s, "\"\r\n;,\t") || s[0] == ' ' || s[len(s)-1] == ' ' || strings.HasPrefix(s, "\uFEFF") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	w.plain(s)
}

func (w *cellWriter) endLine() error {
	w.any = false
	return w.WriteByte('\n')
}
