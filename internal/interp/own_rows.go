package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Updates of rows]
//
// {m with [i, j] = v} is, in core,
//
//	row = index m i
//	…
//	next = scatter row [j] [v]
//	result = scatter m [i] [next]
//
// and each of the two updates would copy: m holds the row beside the register.
// The compiler joins them into one instruction (opScatterPath), which changes
// the row where it is if m is owned and the row is m's own. An array has a mark for
// each of its rows (refs.mine) that says so. Only this instruction sets it, on a row that
// it has just copied. {rs with [i].w[j] = v} is the same with an array of records: the row is taken
// out of the element, and put into a record of the element's other fields, which stay where they are.
// An update of one of those, {rs with [i].b = x}, puts the rows of the element back, and keeps the marks.
//
// The marks of m go (opKeepRows) before an operation that may copy a
// reference to a row out of m to where it lives on, which is any operation but
//
//   - one that moves m itself, or tells its length: whoever gets m obeys the
//     same rules;
//   - an index whose rows are read, and are dead before m can change. That is so if
//     there is a later use of m in the block, since m is not changed before its last use, or
//     if nothing stands between that could change anything.
//
// A closure, a data value or an array that m gets into makes it shared, so that
// it does not change any more (Note [Updates in place]).

// rowUses is what the compiler knows of updates of rows in a function.
type rowUses struct {
	paths map[*core.Let]*pathUpdate // the last statement of each
	part  map[*core.Let]*core.Let   // the last statement that a statement is a part of
	again map[*core.Let]bool        // statements that put an element back with its own rows
	keeps map[*core.Let][]core.Atom // the arrays whose rows a statement may keep
}

// pathUpdate is root with vs at the indices js of the row at a path.
type pathUpdate struct {
	root, js, vs core.Atom
	path         []pathStep
}

// pathStep leads from an array to a row: a field of an element, or the element itself.
type pathStep struct {
	at     core.Atom // the index of the element
	elem   types.Type
	fields []int // which component of the element, which component of that, and so on
}

// updatesRows tells whether a program updates rows.
func updatesRows(p *core.Program) bool {
	found := false
	p.EachDef(func(d *core.Def) {
		u, b := newRowUses(), usesOf(d.Body)
		u.findPaths(d.Body, b)
		found = found || len(u.paths) > 0
	})
	return found
}

// rowUsesOf is that of the body of a function.
func rowUsesOf(body *core.Block) *rowUses {
	u, b := newRowUses(), usesOf(body)
	u.findPaths(body, b)
	u.findKeeps(body, b)
	return u
}

func newRowUses() *rowUses {
	return &rowUses{
		paths: map[*core.Let]*pathUpdate{}, part: map[*core.Let]*core.Let{},
		again: map[*core.Let]bool{}, keeps: map[*core.Let][]core.Atom{},
	}
}

// blockUses is what the body of a function does with its variables.
type blockUses struct {
	defs     map[*core.Var]*core.Let
	uses     map[*core.Var]int // how often each is mentioned
	captured map[*core.Var]bool
}

func usesOf(body *core.Block) *blockUses {
	b := &blockUses{defs: map[*core.Var]*core.Let{}, uses: map[*core.Var]int{}, captured: map[*core.Var]bool{}}
	core.Atoms(body, func(a core.Atom) {
		if v, ok := a.(*core.Var); ok {
			b.uses[v]++
		}
	})
	core.Walk(body, func(s core.Stmt) {
		switch s := s.(type) {
		case *core.Let:
			b.defs[s.Var] = s
			if fun, ok := s.Op.(*core.Lambda); ok {
				b.capture(fun)
			}
		case *core.LetRec:
			for _, fun := range s.Funs {
				b.capture(fun)
			}
		}
	})
	return b
}

func (b *blockUses) capture(fun *core.Lambda) {
	for _, v := range core.OpFreeVars(fun) {
		b.captured[v] = true
	}
}

// def is the operation that gives an atom, with its statement.
func (b *blockUses) def(a core.Atom) *core.Let {
	v, ok := a.(*core.Var)
	if !ok {
		return nil
	}
	return b.defs[v]
}

// only is the one element of an array literal, or nil.
func (b *blockUses) only(a core.Atom) core.Atom {
	if let := b.def(a); let != nil {
		if array, ok := let.Op.(*core.Array); ok && len(array.Elems) == 1 {
			return array.Elems[0]
		}
	}
	return nil
}

// findPaths joins the updates of rows in a block and the blocks in it.
func (u *rowUses) findPaths(body *core.Block, b *blockUses) {
	for n, s := range body.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			for _, fun := range s.(*core.LetRec).Funs {
				u.findPaths(fun.Body, b)
			}
			continue
		}
		parts := core.Parts{Block: func(inner *core.Block) { u.findPaths(inner, b) }}
		parts.Visit(let.Op)
		if args := scattered(let); args != nil {
			u.join(body.Stmts[:n], let, args, b)
		}
	}
}

// scattered is the arguments of a statement that replaces elements.
func scattered(let *core.Let) []core.Atom {
	if p, ok := let.Op.(*core.Prim); ok && p.Prim.ID == prim.Scatter {
		return p.Args
	}
	return nil
}

// join makes one update of the last statement and an update of a row before it, if that is what
// they are.
func (u *rowUses) join(before []core.Stmt, last *core.Let, args []core.Atom, b *blockUses) {
	at, next := b.only(args[1]), b.only(args[2])
	if at == nil || next == nil || b.uses[args[2].(*core.Var)] != 1 {
		return
	}
	isElem := func(a core.Atom) bool {
		let := b.def(a)
		if let == nil {
			return false
		}
		index, ok := let.Op.(*core.Index)
		return ok && index.Of == args[0] && sameIndex(index.At, at)
	}
	step := pathStep{at: at, elem: next.Type()}
	parts := []*core.Let{b.def(args[2])}
	inner := b.replaced(next, isElem, &step, &parts)
	if inner == nil {
		if again := b.rebuilt(next, isElem); again != nil {
			u.again[last], u.again[again], u.again[parts[0]] = true, true, true
		}
		return
	}
	// The row must have been updated just before: nothing stands between that could change an array.
	for i := len(before) - 1; ; i-- {
		if i < 0 {
			return
		}
		if before[i] == core.Stmt(inner) {
			break
		}
		if let, ok := before[i].(*core.Let); !ok || !isLiteral(let.Op) && !isQuiet(let.Op) {
			return
		}
	}
	innerArgs := scattered(inner)
	path := &pathUpdate{root: args[0], js: innerArgs[1], vs: innerArgs[2], path: []pathStep{step}}
	if deeper := u.paths[inner]; deeper != nil {
		path.js, path.vs, path.path = deeper.js, deeper.vs, append(path.path, deeper.path...)
		delete(u.paths, inner)
		for part, of := range u.part {
			if of == inner {
				u.part[part] = last
			}
		}
	}
	u.paths[last] = path
	for _, part := range parts {
		u.part[part] = last
	}
}

// replaced is the update of a row that makes next of an element, with the fields that lead to
// the row; isElem tells whether an atom is the element. Else it is nil. The statements that do
// nothing else are added to parts.
func (b *blockUses) replaced(next core.Atom, isElem func(core.Atom) bool, step *pathStep,
	parts *[]*core.Let) *core.Let {
	let := b.def(next)
	if let == nil || b.uses[let.Var] != 1 {
		return nil
	}
	*parts = append(*parts, let)
	if args := scattered(let); args != nil {
		if isElem(args[0]) {
			return let
		}
		return nil
	}
	elems, changed := components(let.Op), -1
	for k, a := range elems {
		if b.isComponent(a, k, isElem) {
			continue
		}
		if changed >= 0 {
			return nil
		}
		changed = k
	}
	if changed < 0 {
		return nil
	}
	step.fields = append(step.fields, changed)
	isPart := func(a core.Atom) bool { return b.isComponent(a, changed, isElem) }
	return b.replaced(elems[changed], isPart, step, parts)
}

// rebuilt is the statement that makes next, a record or tuple, of an element with its own rows and
// something else than rows, or nil.
func (b *blockUses) rebuilt(next core.Atom, isElem func(core.Atom) bool) *core.Let {
	let := b.def(next)
	if let == nil || b.uses[let.Var] != 1 {
		return nil
	}
	for k, a := range components(let.Op) {
		if holdsArrays(a.Type()) && !b.isComponent(a, k, isElem) {
			return nil
		}
	}
	if len(components(let.Op)) == 0 {
		return nil
	}
	return let
}

// components are those of which a record or tuple is made.
func components(op core.Op) []core.Atom {
	switch op := op.(type) {
	case *core.Record:
		return op.Elems
	case *core.Tuple:
		return op.Elems
	}
	return nil
}

// isComponent tells whether an atom is the k-th component of a record or tuple.
func (b *blockUses) isComponent(a core.Atom, k int, isWhole func(core.Atom) bool) bool {
	if let := b.def(a); let != nil {
		of, index := component(let.Op)
		return of != nil && index == k && isWhole(of)
	}
	return false
}

// component is of what an operation takes a component, and which.
func component(op core.Op) (of core.Atom, index int) {
	switch op := op.(type) {
	case *core.Field:
		return op.Of, op.Index
	case *core.Proj:
		return op.Of, op.Index
	}
	return nil, 0
}

func isLiteral(op core.Op) bool {
	_, ok := op.(*core.Array)
	return ok
}

func sameIndex(a, b core.Atom) bool {
	x, ok1 := a.(*core.Lit)
	y, ok2 := b.(*core.Lit)
	return a == b || ok1 && ok2 && x.Int == y.Int
}

// findKeeps finds the statements that may keep rows.
func (u *rowUses) findKeeps(body *core.Block, b *blockUses) {
	for n, s := range body.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			for _, fun := range s.(*core.LetRec).Funs {
				u.findKeeps(fun.Body, b)
			}
			continue
		}
		index, ok := let.Op.(*core.Index)
		keeps := !u.moves(let) && !(ok && u.reads(body, n, let, index.Of, b))
		parts := core.Parts{
			Atom: func(a core.Atom) {
				if _, ok := a.(*core.Var); ok && keeps && holdsRows(a.Type()) {
					u.keeps[let] = append(u.keeps[let], a)
				}
			},
			Block: func(inner *core.Block) { u.findKeeps(inner, b) },
		}
		parts.Visit(let.Op)
	}
}

// moves tells whether an operation does nothing with arrays but to hand them on.
func (u *rowUses) moves(let *core.Let) bool {
	if u.again[let] {
		return true
	}
	switch op := let.Op.(type) {
	case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.Apply, *core.If, *core.CheckSize:
		return true
	case *core.Loop:
		_, over := op.Head.(*core.Each)
		return !over
	case *core.Prim:
		return op.Prim.ID == prim.Length || op.Prim.ID == prim.RowSize || u.paths[let] != nil || u.part[let] != nil
	case *core.Array:
		return u.part[let] != nil
	}
	return false
}

// reads tells whether what the n-th statement of a block takes out of an array is only read, and is
// dead before the array can change.
func (u *rowUses) reads(body *core.Block, n int, let *core.Let, of core.Atom, b *blockUses) bool {
	if !holdsArrays(let.Var.Ty) {
		return true
	}
	if b.captured[let.Var] {
		return false
	}
	left, last, quiet, needsLater := b.uses[let.Var], n, true, false
	for i := n + 1; i < len(body.Stmts) && left > 0; i++ {
		s, ok := body.Stmts[i].(*core.Let)
		if !ok {
			return false
		}
		used := 0
		core.OpAtoms(s.Op, func(a core.Atom) {
			if a == core.Atom(let.Var) {
				used++
			}
		})
		left -= used
		if used > 0 && !u.joined(s, let.Var) {
			if !u.looks(body, i, s, of, b) {
				return false
			}
			last, needsLater = i, !quiet
		}
		quiet = quiet && isQuiet(s.Op)
	}
	return left == 0 && (!needsLater || usedAfter(body, last, of))
}

// joined tells whether a statement takes part in an update of a row, which finds what it needs by
// itself, or puts a row back where it was.
func (u *rowUses) joined(s *core.Let, part *core.Var) bool {
	if u.again[s] {
		return true
	}
	if u.part[s] == nil {
		return false
	}
	switch s.Op.(type) {
	case *core.Record, *core.Tuple:
		return true
	}
	args := scattered(s)
	return args != nil && args[0] == core.Atom(part)
}

// looks tells whether a statement only looks into what was taken out of an array.
func (u *rowUses) looks(body *core.Block, n int, s *core.Let, of core.Atom, b *blockUses) bool {
	switch op := s.Op.(type) {
	case *core.Index:
		return u.reads(body, n, s, op.Of, b)
	case *core.Field, *core.Proj:
		return u.reads(body, n, s, of, b)
	case *core.Prim:
		return op.Prim.ID == prim.Length
	}
	return false
}

// isQuiet tells whether an operation cannot change an array.
func isQuiet(op core.Op) bool {
	switch op := op.(type) {
	case *core.Index, *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.CheckSize:
		return true
	case *core.Prim:
		for _, a := range op.Args {
			if _, ok := types.Resolve(a.Type()).(*types.Basic); !ok && op.Prim.ID != prim.Length {
				return false
			}
		}
		return true
	}
	return false
}

// usedAfter tells whether a block mentions an atom after its n-th statement.
func usedAfter(body *core.Block, n int, a core.Atom) bool {
	found := body.Result == a
	for _, s := range body.Stmts[n+1:] {
		if let, ok := s.(*core.Let); ok {
			core.OpAtoms(let.Op, func(used core.Atom) { found = found || used == a })
		}
	}
	return found
}

// holdsRows tells whether a value of a type may hold arrays of arrays.
func holdsRows(t types.Type) bool {
	found := false
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		t = types.Resolve(t)
		switch t := t.(type) {
		case *types.Array:
			found = found || holdsArrays(t.Elem)
		case *types.Tuple, *types.Record:
			types.Map(t, walk)
		}
		return t
	}
	walk(t)
	return found
}

// holdsArrays tells whether a value of a type may hold arrays.
func holdsArrays(t types.Type) bool {
	switch types.Resolve(t).(type) {
	case *types.Array:
		return true
	case *types.Tuple, *types.Record:
		found := false
		types.Map(types.Resolve(t), func(part types.Type) types.Type {
			found = found || holdsArrays(part)
			return part
		})
		return found
	}
	return false
}

// ---- code

// keepRows removes the marks of the rows that a statement may keep.
func (c *funCompiler) keepRows(s *core.Let) {
	if c.rows == nil {
		return
	}
	for _, a := range c.rows.keeps[s] {
		for _, slot := range c.atom(a) {
			if slot.kind == kP && !slot.isConst {
				c.emit(instr{op: opKeepRows, a: slot.reg})
			}
		}
	}
}

// partOfPath tells whether a statement is part of an update of a row that a later one does. What dies
// with it dies with that one.
func (c *funCompiler) partOfPath(s *core.Let) bool {
	if c.rows == nil || c.rows.part[s] == nil {
		return false
	}
	last := c.rows.part[s]
	c.live.dies[last] = append(c.live.dies[last], c.live.dies[s]...)
	c.live.dies[s] = nil
	return true
}

// updatePath generates an update of a row.
func (c *funCompiler) updatePath(s *core.Let, u *pathUpdate) []slot {
	args := c.atoms([]core.Atom{u.root, u.js, u.vs})
	for _, step := range u.path {
		args = append(args, c.atom(step.at)[0], constI(c.columnOf(step)))
	}
	in := instr{op: opScatterPath, b: c.list(args)}
	root := args[0]
	if !root.isConst && !slices.Contains(args[1:], root) && c.holders(root, c.dying(s)) == 0 {
		in.k = 1
	}
	return c.single(s, kP, in).slots
}

// columnOf is which of the references of an element a step leads to.
func (c *funCompiler) columnOf(step pathStep) int64 {
	column, t := 0, types.Resolve(step.elem)
	for _, k := range step.fields {
		var parts []types.Type
		switch t := t.(type) {
		case *types.Tuple:
			parts = t.Elems
		case *types.Record:
			for _, f := range t.Fields {
				parts = append(parts, f.Type)
			}
		}
		for _, before := range parts[:k] {
			column += c.of(before).shape().p
		}
		t = types.Resolve(parts[k])
	}
	return int64(column)
}

// ---- the machine

func keepRows(r ref) {
	switch a := r.(type) {
	case *refs:
		if a.mine != nil { // an array of the program's code is not written to
			a.mine = nil
		}
	case *table:
		if a.mine != nil {
			a.mine = nil
		}
	}
}

// scatterPath replaces elements of the row at a path: indices and columns in turn.
func (m *Machine) scatterPath(root ref, path []int64, at *ints, vs ref, inPlace bool) (ref, *diag.Diagnostic) {
	if !inPlace {
		copied, d := m.copyArray(root)
		if d != nil {
			return nil, d
		}
		own(copied)
		root = copied
	}
	row := root
	for ; len(path) > 0; path = path[2:] {
		rows, mine, d := m.rowsOf(row, path[1])
		if d != nil {
			return nil, d
		}
		k := path[0]
		if uint64(k) >= uint64(len(rows)) {
			return nil, outOfRange(k, len(rows))
		}
		if !mine[k] {
			copied, d := m.copyArray(rows[k])
			if d != nil {
				return nil, d
			}
			rows[k], mine[k] = copied, true
		}
		row = rows[k]
	}
	_, d := m.scatter(row, at, vs, false, true)
	return root, d
}

// rowsOf is a column of rows, with marks for those that nothing else refers to.
func (m *Machine) rowsOf(array ref, column int64) ([]ref, []bool, *diag.Diagnostic) {
	marks := func(n int) ([]bool, *diag.Diagnostic) {
		if d := m.charge(int64(n)); d != nil {
			return nil, d
		}
		return make([]bool, n), nil
	}
	var d *diag.Diagnostic
	switch a := array.(type) {
	case *refs:
		if a.mine == nil {
			a.mine, d = marks(len(a.v))
		}
		return a.v, a.mine, d
	case *table:
		if a.mine == nil {
			a.mine = make([][]bool, len(a.p))
		}
		if a.mine[column] == nil {
			a.mine[column], d = marks(a.n)
		}
		return a.p[column], a.mine[column], d
	}
	panic("interp: an array without rows")
}

// copyArray copies an array. Its rows belong to both.
func (m *Machine) copyArray(xs ref) (ref, *diag.Diagnostic) {
	n := arrayLen(xs)
	r, d := m.allocArray(arrayShape(xs), int64(n))
	if d != nil {
		return nil, d
	}
	m.elements(n)
	copyInto(r, 0, xs)
	keepRows(xs)
	return r, nil
}
