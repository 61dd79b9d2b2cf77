package uses

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Rows is what the compiler knows of updates of rows in a function.
type Rows struct {
	Paths map[*core.Let]*PathUpdate // the last statement of each
	Part  map[*core.Let]*core.Let   // the last statement that a statement is a part of
	Again map[*core.Let]bool        // statements that put an element back with its own rows
	Keeps map[*core.Let][]core.Atom // the arrays whose rows a statement may keep
}

// PathUpdate is root with vs at the indices js of the row at a path.
type PathUpdate struct {
	Root, Js, Vs core.Atom
	Path         []PathStep
	before       []core.Stmt // it, in its block
}

// PathStep leads from an array to a row: a field of an element, or the element itself.
type PathStep struct {
	At     core.Atom // the index of the element
	Elem   types.Type
	Fields []int // which component of the element, which component of that, and so on
}

// UpdatesRows tells whether a program updates rows.
func UpdatesRows(p *core.Program) bool {
	found := false
	p.EachDef(func(d *core.Def) {
		u, b := newRowUses(), usesOf(d.Body)
		u.findPaths(d.Body, b)
		found = found || len(u.Paths) > 0
	})
	return found
}

// RowsOf is that of the body of a function. The indices of updates live until these, which their
// liveness is to say.
func RowsOf(body *core.Block, live *Liveness) *Rows {
	u, b := newRowUses(), usesOf(body)
	u.findPaths(body, b)
	u.findKeeps(body, b)
	for last, path := range u.Paths {
		for _, step := range path.Path {
			if at, ok := step.At.(*core.Var); ok {
				live.prolong(at, path.before, last)
			}
		}
	}
	return u
}

func newRowUses() *Rows {
	return &Rows{
		Paths: map[*core.Let]*PathUpdate{}, Part: map[*core.Let]*core.Let{},
		Again: map[*core.Let]bool{}, Keeps: map[*core.Let][]core.Atom{},
	}
}

// blockUses is what the body of a function does with its variables.
type blockUses struct {
	defs     map[*core.Var]*core.Let
	uses     map[*core.Var]int // how often each is mentioned
	captured map[*core.Var]bool
}

func usesOf(body *core.Block) *blockUses {
	b := &blockUses{defs: map[*core.Var]*core.Let{}, uses: map[*core.Var]int{},
		captured: map[*core.Var]bool{}}
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
func (u *Rows) findPaths(body *core.Block, b *blockUses) {
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
func (u *Rows) join(before []core.Stmt, last *core.Let, args []core.Atom, b *blockUses) {
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
	step := PathStep{At: at, Elem: next.Type()}
	parts := []*core.Let{b.def(args[2])}
	inner := b.replaced(next, isElem, &step, &parts)
	if inner == nil {
		if again := b.rebuilt(next, isElem); again != nil {
			u.Again[last], u.Again[again], u.Again[parts[0]] = true, true, true
		}
		return
	}
	// The row must have been updated just before: nothing stands between that could change an
	// array.
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
	path := &PathUpdate{Root: args[0], Js: innerArgs[1], Vs: innerArgs[2], Path: []PathStep{step},
		before: before}
	if deeper := u.Paths[inner]; deeper != nil {
		path.Js, path.Vs, path.Path = deeper.Js, deeper.Vs, append(path.Path, deeper.Path...)
		delete(u.Paths, inner)
		for part, of := range u.Part {
			if of == inner {
				u.Part[part] = last
			}
		}
	}
	u.Paths[last] = path
	for _, part := range parts {
		u.Part[part] = last
	}
}

// replaced is the update of a row that makes next of an element, with the fields that lead to
// the row; isElem tells whether an atom is the element. Else it is nil. The statements that do
// nothing else are added to parts.
func (b *blockUses) replaced(next core.Atom, isElem func(core.Atom) bool, step *PathStep,
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
	step.Fields = append(step.Fields, changed)
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
func (u *Rows) findKeeps(body *core.Block, b *blockUses) {
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
					u.Keeps[let] = append(u.Keeps[let], a)
				}
			},
			Block: func(inner *core.Block) { u.findKeeps(inner, b) },
		}
		parts.Visit(let.Op)
	}
}

// moves tells whether an operation does nothing with arrays but to hand them on.
func (u *Rows) moves(let *core.Let) bool {
	if u.Again[let] {
		return true
	}
	switch op := let.Op.(type) {
	case *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.Apply, *core.If, *core.CheckSize:
		return true
	case *core.Loop:
		_, over := op.Head.(*core.Each)
		return !over
	case *core.Prim:
		return op.Prim.ID == prim.Length || op.Prim.ID == prim.RowSize || u.Paths[let] != nil ||
			u.Part[let] != nil
	case *core.Array:
		return u.Part[let] != nil
	}
	return false
}

// reads tells whether what the n-th statement of a block takes out of an array is only read, and is
// dead before the array can change.
func (u *Rows) reads(body *core.Block, n int, let *core.Let, of core.Atom, b *blockUses) bool {
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
func (u *Rows) joined(s *core.Let, part *core.Var) bool {
	if u.Again[s] {
		return true
	}
	if u.Part[s] == nil {
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
func (u *Rows) looks(body *core.Block, n int, s *core.Let, of core.Atom, b *blockUses) bool {
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
