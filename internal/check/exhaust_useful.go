package check

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Usefulness]
//
// Both questions about a match are instances of one (Maranget, "Warnings for pattern matching",
// 2007): is there a value that a given row of patterns matches and none of the rows above it
// does? If there is none the row is redundant. A match is exhaustive if there is none for a row
// of wildcards added at its end.
//
// A matrix has one row for each arm and one column for each value looked at. The first column
// decides. For a head h, the matrix specialised to h keeps the rows that allow h there, and
// replaces the column by the parts of h. The default matrix keeps the rows that allow anything
// there, and drops the column. If the heads in the column are all that the type has, a value is
// missed exactly if one of the specialised matrices misses one. Otherwise a value is missed as
// soon as the default matrix misses one: any head that does not occur completes it.
//
// The problem is NP-complete. So the work is counted, in rows looked at, and the algorithm gives
// up undecided (matrix.tooMuch) when the budget is spent. Real matches need a few hundred.

// matrixWork bounds the rows looked at for one match.
const matrixWork = 5_000_000

// matrix answers questions about rows of patterns within a budget.
type matrix struct {
	watch   *stop.Watch
	work    int
	tooMuch bool // the budget is spent, and answers are not reliable
}

func newMatrix(w *stop.Watch) *matrix { return &matrix{watch: w, work: matrixWork} }

func (m *matrix) spend(rows int) bool {
	m.watch.Poll()
	if m.work -= rows + 1; m.work < 0 {
		m.tooMuch = true
	}
	return !m.tooMuch
}

// specialiseRow returns a row with the parts of h in place of its first column, or nil if the row
// does not allow h there.
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

// column is the first column of a matrix: its heads, each once, in order.
type column struct {
	rows  [][]*pat
	heads []head
	own   [][]int // for each head, the rows that require it
	open  []int   // the rows that allow anything
}

func firstColumn(rows [][]*pat) *column {
	c := &column{rows: rows}
	index := map[headKey]int{}
	for i, row := range rows {
		h := row[0].head
		if h.kind == anything {
			c.open = append(c.open, i)
			continue
		}
		at, known := index[h.key()]
		if !known {
			at = len(c.heads)
			index[h.key()] = at
			c.heads = append(c.heads, h)
			c.own = append(c.own, nil)
		}
		c.own[at] = append(c.own[at], i)
	}
	return c
}

// specialise returns the matrix specialised to a head of the column. It looks only at rows that
// it keeps, so that the total cost for all heads is proportional to their results.
func (c *column) specialise(at int) [][]*pat {
	own, open := c.own[at], c.open
	kept := make([][]*pat, 0, len(own)+len(open))
	for len(own)+len(open) > 0 {
		from := &own
		if len(own) == 0 || len(open) > 0 && open[0] < own[0] {
			from = &open
		}
		kept = append(kept, specialiseRow(c.rows[(*from)[0]], c.heads[at]))
		*from = (*from)[1:]
	}
	return kept
}

// defaults returns the rows that allow anything in the first column, without that column.
func (c *column) defaults() [][]*pat {
	kept := make([][]*pat, len(c.open))
	for i, at := range c.open {
		kept[i] = c.rows[at][1:]
	}
	return kept
}

// complete reports whether the heads, of which there is at least one, are all that the type has.
func (c *column) complete() bool {
	n, finite := c.heads[0].siblings()
	return finite && len(c.heads) == n
}

// absent lists up to limit heads of the type that are not among the heads of the column. The
// column must have at least one head. For an infinite type it lists one.
func (c *column) absent(limit int) []head {
	seen := map[headKey]bool{}
	for _, h := range c.heads {
		seen[h.key()] = true
	}
	like := c.heads[0]
	n, finite := like.siblings()
	if !finite {
		// The smallest number from 0 on, or the shortest text of the letter a.
		fresh := head{kind: like.kind}
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
	for i := 0; i < n && len(missing) < limit; i++ {
		if h := like.sibling(i); !seen[h.key()] {
			missing = append(missing, h)
		}
	}
	return missing
}

// useful reports whether some value matches row and none of rows.
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
		var kept [][]*pat
		for _, other := range rows {
			if other := specialiseRow(other, h); other != nil {
				kept = append(kept, other)
			}
		}
		return m.useful(kept, specialiseRow(row, h))
	}
	c := firstColumn(rows)
	if len(c.heads) == 0 || !c.complete() {
		return m.useful(c.defaults(), row[1:])
	}
	for i, h := range c.heads {
		if m.useful(c.specialise(i), specialiseRow(row, h)) {
			return true
		}
	}
	return false
}

// missing returns up to limit rows of patterns, of the given width, whose values match none of
// rows. It returns none if rows cover everything.
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
	c := firstColumn(rows)
	if len(c.heads) == 0 {
		return prepend(wildcard, m.missing(c.defaults(), width-1, limit))
	}
	var found [][]*pat
	if !c.complete() {
		rests := m.missing(c.defaults(), width-1, limit)
		for _, h := range c.absent(limit) {
			found = append(found, prepend(&pat{head: h, args: wildcards(h.arity())}, rests)...)
		}
	}
	// The heads that occur can be incomplete inside. If other heads are absent altogether these
	// are only additional examples, so they come after them.
	for i, h := range c.heads {
		if len(found) >= limit || m.tooMuch {
			break
		}
		n := h.arity()
		for _, row := range m.missing(c.specialise(i), n+width-1, limit-len(found)) {
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

// above holds the rows above an arm, by the head of their first column. So an arm is compared
// only with rows that could match the same values.
type above struct {
	all    [][]*pat
	open   [][]*pat // the rows that allow anything there
	byHead map[headKey][][]*pat
}

func (a *above) add(row []*pat) {
	a.all = append(a.all, row)
	if h := row[0].head; h.kind == anything {
		a.open = append(a.open, row)
	} else {
		a.byHead[h.key()] = append(a.byHead[h.key()], row)
	}
}

// like returns the rows that could match a value that row matches.
func (a *above) like(row []*pat) [][]*pat {
	h := row[0].head
	if h.kind == anything {
		return a.all
	}
	return slices.Concat(a.open, a.byHead[h.key()])
}
