package check

// Note [Usefulness]
//
// Both questions about a match are instances of one (Maranget, "Warnings for
// pattern matching", 2007): is there a value that a given row of patterns
// matches and none of the rows above it does? A row without one is redundant;
// a match is exhaustive if a row of wildcards added at its end has none.
//
// A matrix has one row for each arm and one column for each value looked at.
// The first column decides: for a head h, the matrix specialised to h keeps the
// rows that allow h there and replaces the column by the parts of h; the
// default matrix keeps the rows that allow anything there and drops the
// column. If the heads in the column are all that the type has, a value is
// missed exactly if one specialised matrix misses one. If they are not, one is
// missed already if the default matrix misses one: any head that does not
// occur completes it.
//
// The problem is NP-complete, so the work is counted, in rows looked at, and
// ends undecided (matrix.tooMuch) when the budget is spent. Real matches need a
// few hundred.

// matrixWork bounds the rows looked at for one match.
const matrixWork = 5_000_000

// matrix answers questions about rows of patterns within a budget.
type matrix struct {
	work    int
	tooMuch bool // the budget is spent; answers are not to be relied on
}

func newMatrix() *matrix { return &matrix{work: matrixWork} }

func (m *matrix) spend(rows int) bool {
	if m.work -= rows + 1; m.work < 0 {
		m.tooMuch = true
	}
	return !m.tooMuch
}

// specialise keeps the rows that allow h in the first column, with the parts
// of h in its place.
func specialise(rows [][]*pat, h head) [][]*pat {
	var kept [][]*pat
	for _, row := range rows {
		if row := specialiseRow(row, h); row != nil {
			kept = append(kept, row)
		}
	}
	return kept
}

func specialiseRow(row []*pat, h head) []*pat {
	first := row[0]
	args := first.args
	switch {
	case first.head.kind == anything:
		args = wildcards(h.arity())
	case !first.head.same(h):
		return nil
	}
	return append(append(make([]*pat, 0, len(args)+len(row)-1), args...), row[1:]...)
}

// defaults keeps the rows that allow anything in the first column, without it.
func defaults(rows [][]*pat) [][]*pat {
	var kept [][]*pat
	for _, row := range rows {
		if row[0].head.kind == anything {
			kept = append(kept, row[1:])
		}
	}
	return kept
}

// firstColumn lists the heads in the first column, each once, in order.
func firstColumn(rows [][]*pat) []head {
	var heads []head
	seen := map[headKey]bool{}
	for _, row := range rows {
		if h := row[0].head; h.kind != anything && !seen[h.key()] {
			seen[h.key()] = true
			heads = append(heads, h)
		}
	}
	return heads
}

// complete tells whether heads, of one type and each once, are all that the
// type has.
func complete(heads []head) bool {
	all, finite := heads[0].siblings()
	return finite && len(heads) == len(all)
}

// absent lists heads of the type that are not among those given, which are not
// none: all of them, or one for a type without end.
func absent(heads []head) []head {
	seen := map[headKey]bool{}
	for _, h := range heads {
		seen[h.key()] = true
	}
	all, finite := heads[0].siblings()
	if !finite {
		// The smallest number from 0, or the shortest text of a's.
		fresh := head{kind: heads[0].kind}
		for seen[fresh.key()] {
			if fresh.kind == intHead {
				fresh.n++
			} else {
				fresh.s += "a"
			}
		}
		return []head{fresh}
	}
	var missing []head
	for _, h := range all {
		if !seen[h.key()] {
			missing = append(missing, h)
		}
	}
	return missing
}

// useful tells whether some value matches row and none of rows.
func (m *matrix) useful(rows [][]*pat, row []*pat) bool {
	if !m.spend(len(rows)) {
		return true
	}
	if len(row) == 0 {
		return len(rows) == 0
	}
	if len(rows) == 0 {
		return true
	}
	if h := row[0].head; h.kind != anything {
		return m.useful(specialise(rows, h), specialiseRow(row, h))
	}
	heads := firstColumn(rows)
	if len(heads) == 0 || !complete(heads) {
		return m.useful(defaults(rows), row[1:])
	}
	for _, h := range heads {
		if m.useful(specialise(rows, h), specialiseRow(row, h)) {
			return true
		}
	}
	return false
}

// missing gives up to limit rows of patterns, width wide, no value of which
// matches any of rows; none if rows cover everything.
func (m *matrix) missing(rows [][]*pat, width, limit int) [][]*pat {
	if limit <= 0 || !m.spend(len(rows)) {
		return nil
	}
	if len(rows) == 0 {
		return [][]*pat{wildcards(width)}
	}
	if width == 0 {
		return nil
	}
	heads := firstColumn(rows)
	if len(heads) == 0 {
		return prepend(wildcard, m.missing(defaults(rows), width-1, limit))
	}
	var found [][]*pat
	if !complete(heads) {
		rests := m.missing(defaults(rows), width-1, limit)
		for _, h := range absent(heads) {
			found = append(found, prepend(&pat{head: h, args: wildcards(h.arity())}, rests)...)
		}
	}
	// The heads that do occur can be incomplete inside. When others are absent
	// altogether these only add examples, so they come after them.
	for _, h := range heads {
		for _, row := range m.missing(specialise(rows, h), h.arity()+width-1, limit-len(found)) {
			n := h.arity()
			found = append(found, append([]*pat{{head: h, args: row[:n]}}, row[n:]...))
		}
	}
	return found[:min(limit, len(found))]
}

func prepend(first *pat, rests [][]*pat) [][]*pat {
	rows := make([][]*pat, len(rests))
	for i, rest := range rests {
		rows[i] = append([]*pat{first}, rest...)
	}
	return rows
}
