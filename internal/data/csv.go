package data

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Tables of text]. A CSV or TSV file is read as
//
//	[]{a : A, b : B}     a row a record; the header names the fields, other columns are ignored
//	{a : []A, b : []B}   the same, by columns
//	[](A, B)             a row a tuple, by position
//	[][]A                a row an array, all of one length
//	[]A                  one column
//
// The last three need no header. If a column of them is of numbers, a first line without any number
// is a header and is skipped: a line in which some cell is a number is data, so that a
// misspelt number is never taken for a header.
//
// Lines end in \n, \r\n or \r, mixed as they may be. Blank lines are skipped.

// table is how the cells of a file become a value.
type table struct {
	columns []column // by position in the file; nil for those that are ignored
	header  bool     // whether the first line names the columns
	finish  func(rows int) (value.Value, string)
	byRow   bool // whether a row is an array, with as many columns as the first line
	numeric bool // whether some column is of numbers
}

// delimited reads CSV or TSV.
func (b *builders) delimited(comma byte, t types.Type) (value.Value, *diag.Diagnostic) {
	c := &cells{source: b.source, comma: comma}
	names, d := c.firstLine()
	if d != nil {
		return nil, d
	}
	plan, d := b.plan(t, names, c)
	if d != nil {
		return nil, d
	}
	if !plan.header && !(plan.numeric && isHeader(names)) {
		if d := c.addFirst(plan.columns, names); d != nil {
			return nil, d
		}
		b.rows++
	}
	if d := b.tableRows(c, plan); d != nil {
		return nil, d
	}
	v, wrong := plan.finish(b.rows)
	if wrong != "" {
		return nil, c.errorf(diag.WrongData, "%s", wrong)
	}
	return v, nil
}

// isHeader tells whether no cell is a number.
func isHeader(first []firstCell) bool {
	for _, cell := range first {
		if _, v := parseNumber(trim([]byte(cell.text))); v == isNumber {
			return false
		}
	}
	return true
}

// plan says which column goes where.
func (b *builders) plan(t types.Type, first []firstCell, c *cells) (*table, *diag.Diagnostic) {
	switch t := types.Resolve(t).(type) {
	case *types.Record: // of arrays
		fields := make([]types.Field, len(t.Fields))
		sizes := make([]*types.Size, len(t.Fields))
		for k, f := range t.Fields {
			array, ok := types.Resolve(f.Type).(*types.Array)
			if !ok {
				return nil, notTable(c, t)
			}
			fields[k], sizes[k] = types.Field{Name: f.Name, Type: array.Elem}, array.Size
		}
		columns, byPosition, d := b.named(fields, first, c)
		return &table{columns: byPosition, header: true, finish: func(rows int) (value.Value, string) {
			record := make(value.Record, len(fields))
			for k, f := range fields {
				record[k] = value.Field{Name: f.Name, Value: columns[k].array()}
				if wrong := b.checkSize(sizes[k], int64(rows)); wrong != "" {
					return nil, wrong
				}
			}
			return record, ""
		}}, d
	case *types.Array:
		whole := func(of column) func(int) (value.Value, string) {
			return func(rows int) (value.Value, string) { return of.array(), b.checkSize(t.Size, int64(rows)) }
		}
		switch elem := types.Resolve(t.Elem).(type) {
		case *types.Record:
			columns, byPosition, d := b.named(elem.Fields, first, c)
			names := make([]string, len(elem.Fields))
			for k, f := range elem.Fields {
				names[k] = f.Name
			}
			return &table{columns: byPosition, header: true, finish: func(rows int) (value.Value, string) {
				return value.Table{Rows: rows, Names: names, Columns: arrays(columns)}, b.checkSize(t.Size, int64(rows))
			}}, d
		case *types.Tuple:
			if len(first) != len(elem.Elems) {
				return nil, c.errorf(diag.WrongData, "there are %s, but the type %s has %d components",
					count(len(first), "column"), types.Show(elem), len(elem.Elems))
			}
			columns := b.columns(elem.Elems)
			return &table{columns: columns, numeric: anyNumeric(elem.Elems...), finish: func(rows int) (value.Value, string) {
				return value.Table{Rows: rows, Columns: arrays(columns)}, b.checkSize(t.Size, int64(rows))
			}}, nil
		case *types.Array:
			return b.matrix(t, elem, len(first)), nil
		default:
			if len(first) != 1 {
				d := c.errorf(diag.WrongData, "there are %d columns, but the type %s has room for one", len(first), types.Show(t))
				return nil, d.WithHint("name the columns that you need: []{%s : %s, …}", notation.Field(first[0].text), types.Show(elem))
			}
			of := b.column(elem)
			return &table{columns: []column{of}, numeric: anyNumeric(elem), finish: whole(of)}, nil
		}
	}
	return nil, notTable(c, t)
}

// matrix is the plan for arrays of arrays: one column takes all cells, in the order of the file.
func (b *builders) matrix(t, row *types.Array, width int) *table {
	all := b.column(row.Elem)
	columns := make([]column, width)
	for k := range columns {
		columns[k] = all
	}
	return &table{columns: columns, byRow: true, numeric: anyNumeric(row.Elem), finish: func(rows int) (value.Value, string) {
		flat := all.array()
		matrix := make(value.Array, rows)
		for k := range matrix {
			matrix[k] = part(flat, k*width, (k+1)*width)
		}
		if rows > 0 {
			if wrong := b.checkSize(row.Size, int64(width)); wrong != "" {
				return nil, wrong
			}
		}
		return matrix, b.checkSize(t.Size, int64(rows))
	}}
}

// part is a slice of an array, which shares its elements where it can.
func part(v value.Value, from, to int) value.Value {
	switch v := v.(type) {
	case value.Reals:
		return v[from:to:to]
	case value.Ints:
		return v[from:to:to]
	case value.Bools:
		return v[from:to:to]
	case value.Strings:
		return v[from:to:to]
	case value.Numerals:
		texts := map[int]string(nil)
		for i := from; i < to && len(v.Texts) > 0; i++ {
			if s, ok := v.Texts[i]; ok {
				if texts == nil {
					texts = map[int]string{}
				}
				texts[i-from] = s
			}
		}
		return value.Numerals{Near: v.Near[from:to:to], Texts: texts}
	case value.Optional:
		return value.Optional{Missing: v.Missing[from:to:to], Of: part(v.Of, from, to)}
	case value.Array:
		return v[from:to:to]
	}
	rows := make(value.Array, to-from)
	for i := range rows {
		rows[i] = value.At(v, from+i)
	}
	return rows
}

func anyNumeric(ts ...types.Type) bool {
	for _, t := range ts {
		t = types.Resolve(t)
		if of := optionOf(t); of != nil {
			t = of
		}
		if t == types.Real || t == types.Int {
			return true
		}
	}
	return false
}

func notTable(c *cells, t types.Type) *diag.Diagnostic {
	return c.errorf(diag.WrongData, "a table is not read as %s", types.Show(t)).
		WithHint("its rows are an array of records: []{a : Real, b : String}")
}

// named finds the columns of fields.
func (b *builders) named(fields []types.Field, first []firstCell, c *cells) (columns, byPosition []column, d *diag.Diagnostic) {
	at := map[string]int{}
	var names []string
	for k, cell := range first {
		name := strings.TrimSpace(cell.text)
		if _, twice := at[name]; twice {
			at[name] = -1 - k
			continue
		}
		at[name] = k
		names = append(names, name)
	}
	byPosition = make([]column, len(first))
	for _, f := range fields {
		k, found := at[f.Name]
		switch {
		case !found:
			d := diag.Errorf(diag.NoColumn, first[0].at, "there is no column `%s`", f.Name)
			if near := suggest.Nearest(f.Name, names); near != "" {
				d.WithHint("did you mean `%s`?", notation.Field(near))
			}
			return nil, nil, d.WithHint("the columns are %s", list(names))
		case k < 0:
			return nil, nil, diag.Errorf(diag.BadData, first[-1-k].at, "there are two columns `%s`", f.Name)
		}
		column := b.column(f.Type)
		columns = append(columns, column)
		byPosition[k] = column
	}
	return columns, byPosition, nil
}

// list is names for a message.
func list(names []string) string {
	const most = 20
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for k, name := range names {
		if len(name) > 40 {
			name = strings.ToValidUTF8(name[:40], "") + "…"
		}
		quoted[k] = notation.Field(name)
	}
	return strings.Join(quoted, ", ") + more
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tableRows reads the rows after the first line.
func (b *builders) tableRows(c *cells, plan *table) *diag.Diagnostic {
	width := len(plan.columns)
	for {
		more, d := c.nextLine()
		if !more {
			return d
		}
		for k := 0; ; k++ {
			text, quoted, last, d := c.cell()
			if d != nil {
				return d
			}
			if k >= width || last && k+1 < width {
				return c.ragged(k+1, last, width)
			}
			if column := plan.columns[k]; column != nil {
				if p := column.cell(text, quoted); p != nil {
					return c.complain(p, text, k)
				}
			}
			if last {
				break
			}
		}
		b.rows++
	}
}

// ---- cells

// firstCell is a cell of the first line.
type firstCell struct {
	text   string
	quoted bool
	at     diag.Span
}

// cells splits a stream into lines and cells.
type cells struct {
	*source
	comma byte
	names []firstCell // of the columns, or what stands in the first line
	after bool        // whether a line end follows the cell that was read last
	clean []byte      // the text of a quoted cell with quotes in it
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
		if line, _, _ := bytes.Cut(head, []byte("\n")); !bytes.ContainsRune(line, ',') && bytes.ContainsRune(line, ';') {
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

// nextLine goes to the next line that is not blank, and tells whether there is one.
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

// lineEnd passes over a line end.
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

// cell reads a cell and what separates it from the next one. last says that no other follows in
// its line.
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
				return nil, false, false, c.errorf(diag.BadData, "a quote inside a cell that does not begin with one").
					WithHint("a cell with quotes is written in quotes, and each of its own quotes twice")
			}
			at++
		}
		c.pos = at
		if at-c.tok > maxToken {
			return nil, false, false, c.errorf(diag.DataLimit, "a cell of more than %d bytes", maxToken)
		}
		if !c.more() {
			return c.buf[c.tok:c.pos], comma == lines, true, c.failed()
		}
		at = c.pos
	}
}

// Of plain text: cells are separated by any number of blanks, or each line is a cell.
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

// comment passes over the rest of a line.
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
			return nil, false, false, c.errorf(diag.DataLimit, "a cell of more than %d bytes", maxToken)
		}
	}
	size := c.pos - c.tok
	for (c.pos < c.end || c.more()) && isBlank(c.buf[c.pos]) {
		if c.pos++; c.pos-c.tok > maxToken {
			return nil, false, false, c.errorf(diag.DataLimit, "more than %d blanks", maxToken)
		}
	}
	text = c.buf[c.tok : c.tok+size] // more may have moved it
	if c.pos == c.end {
		return text, false, true, c.failed()
	}
	if ch := c.buf[c.pos]; ch == '\n' || ch == '\r' {
		c.after, last = true, true
	}
	return text, false, last, nil
}

// quotedCell reads a cell in quotes. Lines may end in it.
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
			return nil, false, false, c.errorf(diag.DataLimit, "a cell of more than %d bytes", maxToken).
				WithHint("is its quote closed?")
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
				return nil, false, false, c.errorf(diag.BadData, "a cell ends at its closing quote, but something follows").
					WithHint("each quote inside a cell is written twice")
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
	return c.errorf(diag.BadData, "the first line has %s, but this one has %s", count(width, "cell"), has).
		WithHint("a cell with `%c` in it is written in quotes", c.comma)
}

// complain reports a cell.
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

// cellSpan is the place of the cell that was read last, of which n bytes are text.
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

// shorten is a text for a message.
func shorten(text []byte) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "…"
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
