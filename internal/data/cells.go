package data

import (
	"bytes"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// cells splits a stream into lines and cells.
type cells struct {
	*source
	comma byte
	names []firstCell // the names of the columns, or the contents of the first line
	after bool        // whether a line end follows the cell that was read last
	clean []byte      // the text of a quoted cell that contains quotes
}

// firstLine reads the first line that is not blank.
func (c *cells) firstLine() ([]firstCell, *diag.Diagnostic) {
	more, d := c.nextLine()
	if d != nil {
		return nil, d
	}
	if !more {
		return nil, c.errorf(diag.BadData, "the file is empty")
	}
	if c.comma == ',' { // many programs write CSV with semicolons
		head := c.peek(4096)
		if line, _, _ := bytes.Cut(head, []byte("\n")); !bytes.ContainsRune(line, ',') &&
			bytes.ContainsRune(line, ';') {
			c.comma = ';'
		}
	}
	var all []firstCell
	for bytes := 0; ; {
		text, quoted, last, d := c.cell()
		if d != nil {
			return nil, d
		}
		if bytes += len(text); len(all) >= maxColumns || bytes > 4*maxToken {
			return nil, c.errorf(diag.DataLimit, "there are more than %d columns", len(all))
		}
		cell := firstCell{text: string(text), quoted: quoted}
		if len(all) < 100 {
			cell.at = c.cellSpan(len(text))
		}
		all = append(all, cell)
		if last {
			c.names = all
			return all, nil
		}
	}
}

// addFirst adds the first line as data.
func (c *cells) addFirst(columns []column, first []firstCell) *diag.Diagnostic {
	for k, cell := range first {
		if p := columns[k].cell([]byte(cell.text), cell.quoted); p != nil {
			d := c.complain(p, []byte(cell.text), k)
			d.Span = cell.at
			return d
		}
	}
	return nil
}

// nextLine skips to the next line that is not blank, and reports whether there is one.
func (c *cells) nextLine() (bool, *diag.Diagnostic) {
	for {
		c.begin()
		if c.after {
			c.lineEnd()
		}
		if c.pos == c.end && !c.more() {
			return false, c.failed()
		}
		switch ch := c.buf[c.pos]; {
		case (ch == '\n' || ch == '\r') && c.comma != lines:
			c.after = true
		case c.comma == spaces && isBlank(ch):
			c.pos++
		case c.comma == spaces && ch == '#':
			c.comment()
		default:
			return true, nil
		}
	}
}

// lineEnd skips a line end.
func (c *cells) lineEnd() {
	c.after = false
	if c.pos == c.end && !c.more() {
		return
	}
	ch := c.buf[c.pos]
	c.pos++
	if ch == '\r' && (c.pos < c.end || c.more()) && c.buf[c.pos] == '\n' {
		c.pos++
	}
	c.newLine()
}

// cell reads a cell and the separator after it. last reports that it is the last cell of its
// line.
func (c *cells) cell() (text []byte, quoted, last bool, d *diag.Diagnostic) {
	c.begin()
	if c.pos == c.end && !c.more() {
		return nil, false, true, c.failed()
	}
	if c.buf[c.pos] == '"' && c.comma != lines {
		return c.quotedCell()
	}
	if c.comma == spaces {
		return c.spacedCell()
	}
	at := c.pos
	comma := c.comma
	for {
		buf := c.buf[:c.end]
		for at < len(buf) {
			ch := buf[at]
			if ch == comma {
				text = buf[c.tok:at]
				c.pos = at + 1
				return text, false, false, nil
			}
			if ch < ' ' && (ch == '\n' || ch == '\r') {
				text = buf[c.tok:at]
				c.pos, c.after = at, true
				return text, comma == lines, true, nil
			}
			if ch == '"' && comma != lines {
				c.pos = at + 1
				return nil, false, false, c.errorf(
					diag.BadData,
					"a quote inside a cell that does not begin with one",
				).
					WithHint(
						"a cell with quotes is written in quotes, and each of its own quotes twice",
					)
			}
			at++
		}
		c.pos = at
		if at-c.tok > maxToken {
			return nil, false, false, c.errorf(
				diag.DataLimit,
				"a cell of more than %d bytes",
				maxToken,
			)
		}
		if !c.more() {
			return c.buf[c.tok:c.pos], comma == lines, true, c.failed()
		}
		at = c.pos
	}
}

// Separators of plain text: cells separated by any number of blanks, or one cell per line.
const spaces, lines = ' ', '\x00'

// wholeText reads a file as one text.
func (b *builders) wholeText() (value.Value, *diag.Diagnostic) {
	all, d := b.rest(maxToken)
	if d != nil {
		return nil, d
	}
	to := &stringColumn{b: b}
	if p := to.add(bytes.TrimPrefix(all, []byte("\uFEFF"))); p != nil {
		return nil, b.errorf(p.code, "the text %s", p.message).WithHint("%s", p.hint)
	}
	return value.String(to.v[0]), nil
}

func isBlank(ch byte) bool { return ch == ' ' || ch == '\t' }

// comment skips the rest of a line.
func (c *cells) comment() {
	for (c.pos < c.end || c.more()) && c.buf[c.pos] != '\n' && c.buf[c.pos] != '\r' {
		c.pos++
		c.begin()
	}
}

// spacedCell reads a cell that ends at a blank, and the blanks after it.
func (c *cells) spacedCell() (text []byte, quoted, last bool, d *diag.Diagnostic) {
	ends := func(ch byte) bool { return isBlank(ch) || ch == '\n' || ch == '\r' }
	for (c.pos < c.end || c.more()) && !ends(c.buf[c.pos]) {
		if c.pos++; c.pos-c.tok > maxToken {
			return nil, false, false, c.errorf(
				diag.DataLimit,
				"a cell of more than %d bytes",
				maxToken,
			)
		}
	}
	size := c.pos - c.tok
	for (c.pos < c.end || c.more()) && isBlank(c.buf[c.pos]) {
		if c.pos++; c.pos-c.tok > maxToken {
			return nil, false, false, c.errorf(diag.DataLimit, "more than %d blanks", maxToken)
		}
	}
	text = c.buf[c.tok : c.tok+size] // more may have moved the buffer
	if c.pos == c.end {
		return text, false, true, c.failed()
	}
	if ch := c.buf[c.pos]; ch == '\n' || ch == '\r' {
		c.after, last = true, true
	}
	return text, false, last, nil
}

// quotedCell reads a cell in quotes, which may span lines.
func (c *cells) quotedCell() (text []byte, quoted, last bool, d *diag.Diagnostic) {
	c.pos++
	c.clean = c.clean[:0]
	for {
		if c.pos == c.end && !c.more() {
			if d := c.failed(); d != nil {
				return nil, false, false, d
			}
			return nil, false, false, c.errorf(diag.BadData, "this quote is never closed")
		}
		if len(c.clean) > maxToken {
			return nil, false, false, c.errorf(
				diag.DataLimit,
				"a cell of more than %d bytes",
				maxToken,
			).
				WithHint(
					"is its quote closed?",
				)
		}
		ch := c.buf[c.pos]
		c.pos++
		switch ch {
		case '"':
			if c.pos == c.end && !c.more() {
				return c.clean, true, true, c.failed()
			}
			switch next := c.buf[c.pos]; next {
			case '"':
				c.pos++
			case c.comma:
				c.pos++
				return c.clean, true, false, nil
			case '\n', '\r':
				c.after = true
				return c.clean, true, true, nil
			default:
				c.begin()
				c.pos++
				return nil, false, false, c.errorf(
					diag.BadData,
					"a cell ends at its closing quote, but something follows",
				).
					WithHint(
						"each quote inside a cell is written twice",
					)
			}
		case '\n':
			c.newLine()
		}
		c.clean = append(c.clean, ch)
	}
}

// ragged reports a row with too few or too many cells.
func (c *cells) ragged(n int, last bool, width int) *diag.Diagnostic {
	has := count(n, "cell")
	if !last {
		has = "more"
	}
	return c.errorf(
		diag.BadData,
		"the first line has %s, but this one has %s",
		count(width, "cell"),
		has,
	).
		WithHint(
			"a cell with `%c` in it is written in quotes",
			c.comma,
		)
}

// complain reports an error in a cell.
func (c *cells) complain(p *complaint, text []byte, k int) *diag.Diagnostic {
	shown := shorten(text)
	at := c.cellSpan(len(text))
	name := ""
	if k < len(c.names) && !isHeaderless(c.names[k]) {
		name = " of column " + notation.Field(strings.TrimSpace(c.names[k].text))
	}
	subject := "`" + shown + "`" + name
	if len(text) == 0 {
		subject = "this cell" + name
	}
	d := diag.Errorf(p.code, at, "%s %s", subject, p.message)
	if p.hint != "" {
		d.WithHint("%s", p.hint)
	}
	return d
}

// cellSpan returns the place of the cell that was read last. n is the length of its text.
func (c *cells) cellSpan(n int) diag.Span {
	end := c.pos
	if c.tok < c.end && c.buf[c.tok] != '"' {
		end = min(end, c.tok+n)
	}
	return c.spanTo(end)
}

func isHeaderless(cell firstCell) bool {
	_, v := parseNumber(trim([]byte(cell.text)))
	return v == isNumber || cell.text == ""
}

// shorten returns a text, shortened for a message.
func shorten(text []byte) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "…"
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
