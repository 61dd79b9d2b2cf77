package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Compiling match]
//
// A match is compiled in two steps: a plan, which says what to look at in which order and which
// arm that leads to, and then its code.
//
// Each arm is a row of tests "the value at this place has this head". The first remaining row
// decides what to look at next: of its tests, the one that most other rows share. A switch on
// that place has a branch for each head that some row requires. A row that requires a head goes
// into its branch, with tests of the parts instead of the test. A row that does not test the
// place goes into all branches, and into the one for all other heads. When the first row has no
// tests left, its arm is chosen. Places that every value has, the components of tuples and
// records, are opened without a test. The result is a decision tree: no path through it looks at
// a place twice.
//
// Rows that go into several branches make the tree grow, for some matches exponentially. If only
// an arm is reached from several places, it becomes a local function, which costs little. But the
// tree itself can be too large. So its size is counted, and beyond a multiple of the size of the
// patterns the plan is made again as a backtracking automaton (Augustsson 1985): if only the
// first k rows test the place to look at, they are compiled alone, and where they fail the code
// continues with the other rows, as a local function. No row is copied, so the plan is linear in
// the patterns, but it may look at a place twice.
//
// All values are computed before a match begins, so the order of the tests affects only the time
// they take.

// place is a part of the value that is matched.
type place struct {
	ty   types.Type
	name string
	atom core.Atom // its value, once the code that takes it is emitted
}

// plan is a *reach, *guarded, *stuck, *open, *choice or *attempt.
type plan interface{}

type (
	// reach chooses an arm. at holds the place of each binder of the alternative that matched.
	reach struct {
		arm int
		pat *pat
		at  map[binder]*place
	}
	// guarded chooses an arm if its condition holds, and otherwise continues.
	guarded struct {
		reach
		otherwise plan
	}
	// stuck is a place where no row is left. The surrounding attempt continues with its rest.
	// Without an attempt it is never reached, because the match is exhaustive.
	stuck struct{}
	// open takes the parts of a place whose type has only one head. A part that nothing looks at
	// is nil.
	open struct {
		of    *place
		head  head
		parts []*place
		then  plan
	}
	// choice tests a place. otherwise is nil if no other head exists.
	choice struct {
		of        *place
		branches  []*branch
		otherwise plan
	}
	branch struct {
		head  head
		parts []*place
		rows  []*matchRow
		then  plan
	}
	// attempt follows first. Where that is stuck, it follows rest.
	attempt struct{ first, rest plan }
)

// matchRow holds the tests that remain before an arm is chosen.
type matchRow struct {
	arm     int
	pat     *pat // the alternative of the arm
	guarded bool // whether the arm has a condition
	tests   []test
	at      map[binder]*place
}

type test struct {
	of *place
	p  *pat
}

// with returns the row with further patterns to match. Patterns that match anything only bind.
func (r *matchRow) with(tests ...test) *matchRow {
	next := &matchRow{arm: r.arm, pat: r.pat, guarded: r.guarded, at: r.at}
	next.tests = append(next.tests, r.tests...)
	for _, t := range tests {
		if len(t.p.binds) > 0 {
			at := make(map[binder]*place, len(next.at)+len(t.p.binds))
			for binder, of := range next.at {
				at[binder] = of
			}
			for _, binder := range t.p.binds {
				at[binder] = t.of
			}
			next.at = at
		}
		if t.p.head.kind != anything {
			next.tests = append(next.tests, t)
		}
	}
	return next
}

// test returns the row's pattern for a place, or nil, and the row without it.
func (r *matchRow) test(of *place) (*pat, *matchRow) {
	for i, t := range r.tests {
		if t.of == of {
			rest := append(append([]test(nil), r.tests[:i]...), r.tests[i+1:]...)
			return t.p, &matchRow{arm: r.arm, pat: r.pat, guarded: r.guarded, tests: rest, at: r.at}
		}
	}
	return nil, r
}

// planner makes plans.
type planner struct {
	ty        func(types.Type) types.Type // types as core has them
	backtrack bool                        // whether rows must never be copied
	budget    int                         // the remaining number of nodes, unless backtrack
	reached   map[int]int                 // how often the plan reaches each arm
}

// planMatch plans rows, as a tree if one of at most the given size exists. It also returns how
// often the plan reaches each arm.
func planMatch(ty func(types.Type) types.Type, rows []*matchRow, size int) (plan, map[int]int) {
	tree := &planner{ty: ty, budget: size, reached: map[int]int{}}
	if p := tree.plan(rows); tree.budget >= 0 {
		return p, tree.reached
	}
	linear := &planner{ty: ty, backtrack: true, reached: map[int]int{}}
	return linear.plan(rows), linear.reached
}

func (pl *planner) plan(rows []*matchRow) plan {
	pl.budget--
	if len(rows) == 0 || pl.budget < 0 && !pl.backtrack {
		return &stuck{}
	}
	for i, row := range rows {
		if len(row.tests) == 0 && !row.guarded {
			rows = rows[:i+1] // this row takes every value that gets there
			break
		}
	}
	first := rows[0]
	if len(first.tests) == 0 {
		pl.reached[first.arm]++
		chosen := reach{first.arm, first.pat, first.at}
		if first.guarded {
			return &guarded{chosen, pl.plan(rows[1:])}
		}
		return &chosen
	}
	next := busiest(first, rows)
	if next.p.head.single() {
		return pl.open(next.of, next.p.head, rows)
	}
	if pl.backtrack {
		k := 1
		for k < len(rows) && rows[k].looksAt(next.of) {
			k++
		}
		if k < len(rows) {
			return &attempt{pl.choice(next.of, rows[:k]), pl.plan(rows[k:])}
		}
	}
	return pl.choice(next.of, rows)
}

func (r *matchRow) looksAt(of *place) bool {
	for _, t := range r.tests {
		if t.of == of {
			return true
		}
	}
	return false
}

// busiest returns the test of the first row that most rows share, and the leftmost of several.
// Places that need no test come first, because opening them shows what there is to test.
func busiest(first *matchRow, rows []*matchRow) test {
	best, most := first.tests[0], -1
	for _, t := range first.tests {
		if t.p.head.single() {
			return t
		}
		if len(first.tests) == 1 {
			return t
		}
		n := 0
		for _, row := range rows {
			if row.looksAt(t.of) {
				n++
			}
		}
		if n > most {
			best, most = t, n
		}
	}
	return best
}

// open replaces the rows' patterns for a place by patterns for its parts.
func (pl *planner) open(of *place, h head, rows []*matchRow) plan {
	parts := pl.parts(of, h)
	used := make([]bool, len(parts))
	next := make([]*matchRow, len(rows))
	for i, row := range rows {
		p, rest := row.test(of)
		if p == nil {
			next[i] = row
			continue
		}
		for j, arg := range p.args {
			used[j] = used[j] || arg.head.kind != anything || len(arg.binds) > 0
		}
		next[i] = rest.with(testsOf(parts, p.args)...)
		nameParts(parts, p.args)
	}
	then := pl.plan(next)
	for j := range parts {
		if !used[j] {
			parts[j] = nil
		}
	}
	return &open{of, h, parts, then}
}

// choice sends each row into the branches that it belongs to.
func (pl *planner) choice(of *place, rows []*matchRow) plan {
	c := &choice{of: of}
	byHead := map[headKey]*branch{}
	var others []*matchRow
	for _, row := range rows {
		p, rest := row.test(of)
		if p == nil {
			others = append(others, row)
			for _, b := range c.branches {
				b.rows = append(b.rows, row)
			}
			continue
		}
		b := byHead[p.head.key()]
		if b == nil {
			b = &branch{head: p.head, parts: pl.parts(of, p.head),
				rows: append([]*matchRow(nil), others...)}
			byHead[p.head.key()] = b
			c.branches = append(c.branches, b)
		}
		b.rows = append(b.rows, rest.with(testsOf(b.parts, p.args)...))
		nameParts(b.parts, p.args)
	}
	for _, b := range c.branches {
		if b.then = pl.plan(b.rows); b.head.kind == arrayHead && b.head.n == 1 {
			b.then = &open{of, b.head, usedParts(b), b.then}
		}
		b.rows = nil
	}
	if n, finite := c.branches[0].head.siblings(); !finite || len(c.branches) < n {
		c.otherwise = pl.plan(others)
	}
	return c
}

// usedParts returns the parts of a branch that some row tests or binds, with nil for the others.
func usedParts(b *branch) []*place {
	used := map[*place]bool{}
	for _, row := range b.rows {
		for _, t := range row.tests {
			used[t.of] = true
		}
		for _, of := range row.at {
			used[of] = true
		}
	}
	parts := make([]*place, len(b.parts))
	for i, part := range b.parts {
		if used[part] {
			parts[i] = part
		}
	}
	return parts
}

// parts returns places for the parts of a head.
func (pl *planner) parts(of *place, h head) []*place {
	parts := make([]*place, h.arity())
	for i := range parts {
		var t types.Type
		switch ty := of.ty.(type) {
		case *types.Tuple:
			t = ty.Elems[i]
		case *types.Record:
			t = ty.Fields[i].Type
		case *types.Array:
			if t = ty.Elem; i == 1 {
				t = &types.Array{Size: types.AnySize, Elem: ty.Elem}
			}
		case *types.Data:
			t = pl.ty(types.Subst(h.con.Fields[i], h.con.Data.Params, ty.Args))
		}
		parts[i] = &place{ty: t, name: "t"}
	}
	return parts
}

// nameParts names places after the first variables that stand for them.
func nameParts(parts []*place, ps []*pat) {
	for i, p := range ps {
		if parts[i].name == "t" {
			parts[i].name = p.name()
		}
	}
}

func testsOf(parts []*place, ps []*pat) []test {
	ts := make([]test, len(ps))
	for i, p := range ps {
		ts[i] = test{parts[i], p}
	}
	return ts
}
