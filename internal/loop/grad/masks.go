package grad

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Masks]
//
// A value often depends on few of the directions: the motion of a bone on the angles of its finger.
// So outside of segments a variable that has tangents has a *mask* beside it, an integer whose bit
// k says that the tangent in direction k may be other than zero. The mask of a result is that of
// the arguments, one or the other. It says what a value depends on, and not what its tangent is: a
// zero tangent that meets an infinite slope is not skipped because of its value.
//
// A buffer has one mask, which is that of all that is stored in it; but one that a parallel loop
// fills row by row,
//
//	for b < n { …; m[r·b + j] = …; … }          with 0 ≤ j < r
//
// has a mask for each row. A loop or branch in a segment is one step: its results have the masks of
// all that it reads. A while loop, which may walk along the rows of a buffer, has masks for states.
//
// Masks are used twice. In a loop whose turns cannot run in lanes, a segment is skipped if no
// direction moves what it computes. In one whose turns can, a sum over the rows of a buffer adds
// each row in the directions that move it, of which there is a list:
//
//	for i < m { for k < n { for b < rows { s[k] += w[i, b] · dm[r·b, k] } } }
//	for i < m { for b < rows { x = w[i, b]; for q < count[b] { k = list[b·n + q]; s[k] += x · dm[r·b, k] } } }
//
// If the weights have tangents too, x · dm and dx · m are added apart, each in the directions of
// its own.

// allDirections is the mask of what may depend on every direction.
var allDirections = loop.Int(-1)

// rows are the masks of the rows of a buffer.
type rows struct {
	buf   *loop.Var // with an element more than rows, for what is read in vain
	size  int64     // elements in a row
	count loop.Atom // rows
	any   loop.Atom // the mask of all
}

func newMasks(f *loop.Func) *masks {
	m := &masks{of: map[*loop.Var]loop.Atom{}, rows: map[*loop.Var]*rows{}, level: map[*loop.Var]int{},
		turn: map[*loop.Var]loop.Atom{}, made: map[*loop.Var]*loop.Alloc{}, zeros: map[*loop.Var]bool{}, read: map[*loop.Var]bool{}, write: map[*loop.Var]int{},
		rowOf: map[rowKey]loop.Atom{}, lens: map[*loop.Var]loop.Atom{}, home: map[*loop.Var]*loop.Block{},
		parts: map[loop.Atom][]loop.Atom{}, ors: map[orKey]loop.Atom{}, ints: newRowForms(f), sums: map[*loop.For]*rowSum{}}
	n := 0
	bound := func(v *loop.Var) {
		n++
		m.order.Set(v, n)
	}
	for _, p := range f.Params {
		bound(p)
	}
	loop.Walk(f.Body, func(s loop.Stmt) {
		loop.Params(s, bound)
		loop.Defs(s, bound)
	})
	return m
}

// sorted gives old variables in their order, which does not depend on that of a map.
func (m *masks) sorted(vars iter.Seq[*loop.Var]) []*loop.Var {
	return slices.SortedFunc(vars, func(v, w *loop.Var) int { return cmp.Compare(m.order.Get(v), m.order.Get(w)) })
}

func isWord(a loop.Atom, n int64) bool {
	c, ok := a.(*loop.Const)
	return ok && c.I == n
}

// or is the mask of what depends on two things.
func (d *directions) or(x, y loop.Atom) loop.Atom {
	switch {
	case isWord(x, 0) || x == y || isWord(y, -1):
		return y
	case isWord(y, 0) || isWord(x, -1):
		return x
	}
	a, b := d.masks.partsOf(x), d.masks.partsOf(y)
	both := slices.Clone(a)
	for _, part := range b {
		if !slices.Contains(both, part) {
			both = append(both, part)
		}
	}
	switch len(both) {
	case len(a):
		return x
	case len(b):
		return y
	}
	key := orKey{d.b, x, y}
	if m := d.masks.ors[key]; m != nil {
		return m
	}
	m := d.b.Let("mask", loop.OrI, x, y)
	d.masks.ors[key] = m
	if len(both) <= mostParts {
		d.masks.parts[m] = both
	}
	return m
}

// orKey is a mask that a block computes of two.
type orKey struct {
	block *loop.Builder
	x, y  loop.Atom
}

// mostParts bounds the masks that one is known to be made of.
const mostParts = 16

// partsOf are the masks that one is made of.
func (k *masks) partsOf(m loop.Atom) []loop.Atom {
	if parts := k.parts[m]; parts != nil {
		return parts
	}
	return []loop.Atom{m}
}

// mask is the mask of an old atom: of a buffer that of all elements.
func (d *directions) mask(a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || !d.act.active(v) {
		return loop.Int(0)
	}
	if r := d.masks.rows[v]; r != nil {
		return r.any
	}
	if m := d.masks.of[v]; m != nil {
		return m
	}
	return allDirections
}

// element is the mask of an element of an old buffer, whose place depends on nothing inside.
func (d *directions) element(buf *loop.Var, at loop.Atom, inside map[*loop.Var]bool) loop.Atom {
	r := d.masks.rows[buf]
	if r == nil {
		return d.mask(buf)
	}
	place, ok := d.masks.ints.row(at, r.size)
	varies := func(m multiple) bool {
		return slices.ContainsFunc(m.of, func(v *loop.Var) bool { return inside[v] })
	}
	if !ok || slices.ContainsFunc(place, varies) {
		return d.mask(buf)
	}
	if inside != nil { // in a loop or branch that may not run
		row := d.row(place)
		row = d.b.Let("row", loop.MaxI, d.b.Let("row", loop.MinI, row, r.count), loop.Int(0))
		return d.b.Load("mask", r.buf, row)
	}
	key, one := d.rowKey(r.buf, place)
	if m := d.masks.rowOf[key]; one && m != nil {
		return m
	}
	m := d.b.Load("mask", r.buf, d.row(place))
	if one {
		d.masks.rowOf[key] = m
	}
	return m
}

// rowKey is a row whose mask a block loads: that of a multiple of an atom and a constant.
type rowKey struct {
	block    *loop.Builder
	masks    *loop.Var
	of       loop.Atom // or nil
	factor   int64
	constant int64
}

// rowKey returns the key of a row, and whether it has one.
func (d *directions) rowKey(masks *loop.Var, place row) (key rowKey, one bool) {
	key = rowKey{block: d.b, masks: masks}
	for _, m := range place {
		switch {
		case len(m.of) == 0:
			key.constant = m.factor
		case len(m.of) == 1 && key.of == nil:
			key.of, key.factor = d.env.Atom(m.of[0]), m.factor
		default:
			return rowKey{}, false
		}
	}
	return key, true
}

// row emits the row of an element.
func (d *directions) row(place row) loop.Atom {
	row := loop.Atom(loop.Int(0))
	for _, m := range slices.Backward(place) { // the constant first
		x := loop.Atom(loop.Int(m.factor))
		for i, v := range m.of {
			if i == 0 {
				x = d.b.Let("row", loop.MulI, d.env.Atom(v), x)
			} else {
				x = d.b.Let("row", loop.MulI, x, d.env.Atom(v))
			}
		}
		if c, ok := row.(*loop.Const); ok && c.I == 0 && len(m.of) == 0 {
			row = x
		} else {
			row = d.b.Let("row", loop.AddI, row, x)
		}
	}
	return row
}

// written notes that something of a mask is stored in a buffer.
func (d *directions) written(buf *loop.Var, m loop.Atom) {
	k := d.masks
	switch {
	case k.rows[buf] != nil: // a second loop
		delete(k.rows, buf)
		k.of[buf] = allDirections
	case k.level[buf] == k.now && k.of[buf] != nil:
		k.of[buf] = d.or(k.of[buf], m)
	case k.turn[buf] != nil:
		k.turn[buf] = d.or(k.turn[buf], m)
	default:
		k.turn[buf] = m
	}
}

// captured is the mask of all that a statement with blocks reads.
func (d *directions) captured(s loop.Stmt) loop.Atom {
	inside := map[*loop.Var]bool{}
	bind := func(v *loop.Var) { inside[v] = true }
	whole := &loop.Block{Stmts: []loop.Stmt{s}}
	loop.Walk(whole, func(s loop.Stmt) {
		loop.Defs(s, bind)
		loop.Params(s, bind)
	})
	m := loop.Atom(loop.Int(0))
	use := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && !inside[v] {
			m = d.or(m, d.mask(v))
		}
	}
	loop.Walk(whole, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Load:
			if !inside[s.Buf] && d.act.active(s.Buf) {
				m = d.or(m, d.element(s.Buf, s.At, inside))
			}
		case *loop.Store:
			use(s.Value)
		case *loop.Accum:
			use(s.Value)
		case *loop.Length:
		default:
			loop.Uses(s, use)
			loop.Blocks(s, func(b *loop.Block) {
				for _, a := range b.Yield {
					use(a)
				}
			})
		}
	})
	return m
}

// value emits a statement as it is, and gives the mask of what it computes.
func (d *directions) value(s loop.Stmt) loop.Atom {
	if w, ok := s.(*loop.While); ok && d.act.touches(s) {
		return d.maskedWhile(w)
	}
	emit(d.b, d.env, s)
	m := loop.Atom(loop.Int(0))
	switch s := s.(type) {
	case *loop.Let:
		for _, a := range s.Args {
			m = d.or(m, d.mask(a))
		}
	case *loop.Load:
		if d.act.active(s.Buf) {
			m = d.element(s.Buf, s.At, nil)
		}
	case *loop.Store:
		m = d.mask(s.Value)
		d.written(s.Buf, m)
	case *loop.Accum:
		m = d.mask(s.Value)
		d.written(s.Buf, m)
	case *loop.Alloc:
		d.masks.of[s.Var], d.masks.level[s.Var], d.masks.lens[s.Var] = loop.Int(0), d.masks.now, s.Len
		d.masks.home[s.Var] = d.masks.side
		return m
	case *loop.Copy:
		m = d.mask(s.Buf)
	case *loop.For, *loop.While, *loop.If:
		m = d.captured(s)
		written := map[*loop.Var]bool{}
		loop.Blocks(s, func(b *loop.Block) {
			loop.Walk(b, func(s loop.Stmt) {
				switch s := s.(type) {
				case *loop.Alloc:
					written[s.Var] = true // here and nowhere else
				case *loop.Store:
					if !written[s.Buf] {
						written[s.Buf] = true
						d.written(s.Buf, m)
					}
				case *loop.Accum:
					if !written[s.Buf] {
						written[s.Buf] = true
						d.written(s.Buf, m)
					}
				}
			})
		})
	}
	loop.Defs(s, func(v *loop.Var) {
		if d.act.active(v) {
			d.masks.of[v] = m
		}
	})
	return m
}

// maskedWhile emits a loop with masks of its states.
func (d *directions) maskedWhile(s *loop.While) loop.Atom {
	out := &loop.While{}
	var moving []int
	for i, st := range s.States {
		out.States = append(out.States, loop.State{Init: d.env.Atom(st.Init)})
		if d.act.active(st.Var) || d.act.active(st.Result) {
			moving = append(moving, i)
		}
	}
	for _, i := range moving {
		out.States = append(out.States, newState("mask", loop.I64, d.mask(s.States[i].Init)))
	}
	for i, st := range s.States {
		out.States[i].Var = d.env.Bind(st.Var)
	}
	for k, i := range moving {
		d.masks.of[s.States[i].Var] = out.States[len(s.States)+k].Var
	}
	cond, _ := d.inner(func() {
		for _, x := range s.Cond.Stmts {
			d.value(x)
		}
	})
	out.Cond = cond.Block(d.env.Atom(s.Cond.Yield[0]))
	var next []loop.Atom
	body, _ := d.inner(func() {
		for _, x := range s.Body.Stmts {
			d.value(x)
		}
		next = d.atoms(s.Body.Yield)
		for _, i := range moving {
			next = append(next, d.mask(s.Body.Yield[i]))
		}
	})
	out.Body = body.Block(next...)
	m := loop.Atom(loop.Int(0))
	for i, st := range s.States {
		out.States[i].Result = d.env.Bind(st.Result)
	}
	d.b.Add(out)
	for k, i := range moving {
		r := out.States[len(s.States)+k].Result
		d.masks.of[s.States[i].Result] = r
		m = d.or(m, r)
	}
	return m
}

// choices are the masks that the two sides of a branch leave different.
type choices struct {
	at    map[*loop.Var]loop.Atom // the map that has them
	v     *loop.Var
	sides [2]loop.Atom
}

// merge is the masks after a branch: further results where its sides leave different ones.
func (m *masks) merge(before map[*loop.Var]loop.Atom, sides [2]map[*loop.Var]loop.Atom) []choices {
	var out []choices
	seen := map[*loop.Var]bool{}
	for _, side := range sides {
		changed := map[*loop.Var]bool{}
		for v := range side {
			if !seen[v] && (sides[0][v] != before[v] || sides[1][v] != before[v]) {
				seen[v], changed[v] = true, true
			}
		}
		for _, v := range m.sorted(maps.Keys(changed)) {
			c := choices{at: before, v: v}
			for k, side := range sides {
				if c.sides[k] = side[v]; c.sides[k] == nil {
					c.sides[k] = loop.Int(0)
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// leftBy are the masks that are still of use after a branch: of its results and of buffers from
// outside.
func (d *directions) leftBy(s *loop.If, all []choices) []choices {
	inside := map[*loop.Var]bool{}
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) {
			loop.Defs(s, func(v *loop.Var) { inside[v] = true })
			loop.Params(s, func(v *loop.Var) { inside[v] = true })
		})
	})
	return slices.DeleteFunc(all, func(c choices) bool { return inside[c.v] })
}

// join is a result of a branch that is one of several buffers.
type join struct {
	result *loop.Var
	from   []*loop.Var   // the old buffers that have masks
	zeros  []*loop.Alloc // tangents of those that nothing moves
}

// masks is what is known of the masks of old variables.
type masks struct {
	of    map[*loop.Var]loop.Atom
	rows  map[*loop.Var]*rows       // of buffers with a mask for each row
	level map[*loop.Var]int         // of the block that makes a buffer: 1 inside of a loop
	now   int                       // the level of the block being done
	turn  map[*loop.Var]loop.Atom   // masks of what a turn has written to buffers of level 0
	made  map[*loop.Var]*loop.Alloc // the statements that make wide tangents
	zeros map[*loop.Var]bool        // buffers whose tangents are zero where segments are skipped
	read  map[*loop.Var]bool        // those read where no direction may move them: Note [Uncleared tangents]
	write map[*loop.Var]int         // how many segments write to a wide tangent
	joins []*join
	rowOf map[rowKey]loop.Atom      // the masks of rows that a block has loaded
	lens  map[*loop.Var]loop.Atom   // the old lengths of old buffers
	home  map[*loop.Var]*loop.Block // the sides of branches that make buffers
	side  *loop.Block               // the one being done
	parts map[loop.Atom][]loop.Atom // of masks
	ors   map[orKey]loop.Atom       // the masks that a block has computed of two
	ints  *rowForms
	lanes bool                  // the turns of the loop around can run in lanes
	sums  map[*loop.For]*rowSum // over the rows of a buffer, in the loop being done
	order loop.VarMap[int]      // of old variables, in which the function binds them
}
