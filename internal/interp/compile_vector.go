package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// vvalue is a slot inside a vector body: a value that differs from element to
// element, one that does not, or an accumulator.
type vvalue struct {
	kind  layout.Kind
	state vstate
	reg   int          // varying: the vector value; folded: what is folded
	slot  machine.Slot // invariant
	acc   int          // accumulator, folded: which
	op    vector.Op    // folded: how
}

type vstate uint8

const (
	varying vstate = iota
	invariant
	accumulator // the accumulator as the body gets it
	folded      // the accumulator combined with a varying value
)

// vectorizer compiles a body to a kernel. It gives up by panicking with
// notVector, which is caught in attempt.
type vectorizer struct {
	c      *funCompiler
	k      *machine.Kernel
	env    map[*core.Var][]vvalue
	values [2]int // made so far
	fixed  [2]map[int]bool
	made   [2]map[int]int // the instruction that makes a value
	splats map[slotKey]int
	loads  map[machine.Column]int // columns read at the loop's index
	branch int                    // depth of Ifs around
	uses   *core.VarMap[int]
	index  int // the value that is the loop's index, or -1
}

type slotKey struct {
	kind    layout.Kind
	isConst bool
	reg     uint16
	bits    int64
}

type notVector struct{}

// attempt compiles the body of a loop with compile and emits the kernel, or
// nothing if the body is not of the kind.
func (c *funCompiler) attempt(loop *counting, body *core.Block, whole func() *machine.Whole, compile func(v *vectorizer)) {
	if c.opts.NoVector || len(body.Stmts) > 100 || !plausible(body) {
		return
	}
	v := &vectorizer{
		c: c, k: &machine.Kernel{Code: vector.Code{Iota: [2]int{-1, -1}}, Index: loop.index.Reg, Bound: loop.bound.Reg, Strip: vector.StripSize, Least: machine.MinVector},
		env: map[*core.Var][]vvalue{}, splats: map[slotKey]int{}, loads: map[machine.Column]int{}, index: -1,
		uses: &c.live.Uses,
	}
	if c.opts.Strip > 0 {
		v.k.Strip, v.k.Least = c.opts.Strip, 1
	}
	for kd := range v.fixed {
		v.fixed[kd], v.made[kd] = map[int]bool{}, map[int]int{}
	}
	ok := func() (ok bool) {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case notVector:
				ok = false
			default:
				panic(r)
			}
		}()
		compile(v)
		return true
	}()
	if !ok {
		return
	}
	v.k.AssignRegisters(v.values, v.fixed)
	if !c.opts.Count {
		v.k.Prims = 0
	}
	v.k.Whole = whole()
	c.emit(machine.Instr{Op: machine.OpVector, K: c.lib.Kernel(v.k)})
}

// plausible is a quick look at a body: nested loops and calls never work.
func plausible(b *core.Block) bool {
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			return false
		}
		switch op := let.Op.(type) {
		case *core.Prim, *core.Tuple, *core.Record, *core.Proj, *core.Field, *core.Index:
		case *core.If:
			if !plausible(op.Then) || !plausible(op.Else) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// ---- the loops

func (c *funCompiler) vectorBuild(op *core.Build, array machine.Slot, loop *counting) {
	whole := func() *machine.Whole { return c.whole(op, nil, nil) }
	c.nest(op, op.Body, whole, loop, []machine.Slot{array})
	c.attempt(loop, op.Body, whole, func(v *vectorizer) {
		v.env[op.Index] = []vvalue{v.loopIndex()}
		v.store(v.block(op.Body), array)
	})
}

func (c *funCompiler) vectorMap(op *core.Map, arrays []machine.Slot, array machine.Slot, loop *counting) {
	whole := func() *machine.Whole { return c.whole(op, nil, nil) }
	c.nest(op, op.Body, whole, loop, []machine.Slot{array})
	c.attempt(loop, op.Body, whole, func(v *vectorizer) {
		for n, p := range op.Params {
			v.element(p, arrays[n])
		}
		v.store(v.block(op.Body), array)
	})
}

func (c *funCompiler) vectorReduce(op *core.Reduce, acc []machine.Slot, array machine.Slot, loop *counting) {
	c.vectorFold(op, op.Init, op.Acc, op.Elem, op.Body, acc, array, loop)
}

// vectorFold is for loops over an array with an accumulator.
func (c *funCompiler) vectorFold(op core.Op, init core.Atom, accVar, elemVar *core.Var, body *core.Block, acc []machine.Slot, array machine.Slot, loop *counting) {
	whole := func() *machine.Whole { return c.whole(op, init, acc) }
	c.nest(op, body, whole, loop, acc)
	c.attempt(loop, body, whole, func(v *vectorizer) {
		v.accumulators(accVar, acc)
		v.element(elemVar, array)
		v.fold(v.block(body), acc)
	})
}

// vectorRange is for loops over indices with an accumulator.
func (c *funCompiler) vectorRange(op *core.Loop, stateVar, index *core.Var, body *core.Block, acc []machine.Slot, loop *counting) {
	whole := func() *machine.Whole { return c.whole(op, op.Init, acc) }
	c.nest(op, body, whole, loop, acc)
	c.attempt(loop, body, whole, func(v *vectorizer) {
		v.accumulators(stateVar, acc)
		v.env[index] = []vvalue{v.loopIndex()}
		v.fold(v.block(body), acc)
	})
}

// accumulators binds the state of a loop.
func (v *vectorizer) accumulators(state *core.Var, acc []machine.Slot) {
	slots := make([]vvalue, len(acc))
	for n, s := range acc {
		slots[n] = vvalue{kind: s.Kind, state: accumulator, acc: n}
	}
	v.env[state] = slots
}

func (v *vectorizer) loopIndex() vvalue {
	x := v.fresh(layout.I)
	v.fixed[layout.I][x] = true
	v.index = x // k.iota is set when something needs it in a strip
	return vvalue{kind: layout.I, reg: x}
}

// realIndex is the loop's index as a real.
func (v *vectorizer) realIndex() vvalue {
	if v.k.Iota[layout.F] < 0 {
		v.k.Iota[layout.F] = v.fresh(layout.F)
		v.fixed[layout.F][v.k.Iota[layout.F]] = true
	}
	return vvalue{kind: layout.F, reg: v.k.Iota[layout.F]}
}

// element binds a variable to the elements of an array at the loop's index.
func (v *vectorizer) element(p *core.Var, array machine.Slot) {
	if v.uses.Get(p) == 0 {
		return
	}
	var at layout.Shape
	l := v.c.Of(p.Ty)
	slots := make([]vvalue, len(l))
	for n, k := range l {
		slots[n] = v.column(k, array, at.Next(k))
	}
	v.env[p] = slots
}

// column is a column read at the loop's index.
func (v *vectorizer) column(k layout.Kind, array machine.Slot, col int) vvalue {
	if k == layout.P || array.IsConst {
		panic(notVector{})
	}
	key := machine.Column{Kind: k, Array: array.Reg, Col: col}
	x, ok := v.loads[key]
	if !ok {
		x = v.fresh(k)
		v.fixed[k][x] = true
		v.loads[key] = x
		key.Reg = x
		v.k.Columns = append(v.k.Columns, key)
	}
	return vvalue{kind: k, reg: x}
}

// store makes the results of a body the columns of an array.
func (v *vectorizer) store(result []vvalue, array machine.Slot) {
	var at layout.Shape
	for _, r := range result {
		if r.kind == layout.P {
			panic(notVector{})
		}
		x := v.vector(r)
		// An instruction's result is written where it belongs; anything else,
		// and a second column of the same value, is copied there.
		if _, ok := v.made[r.kind][x]; !ok || v.fixed[r.kind][x] {
			from := x
			x = v.emit(vector.Instr{Op: [...]vector.Op{vector.CopyF, vector.CopyI}[r.kind], B: from})
		}
		v.fixed[r.kind][x] = true
		v.k.Outs = append(v.k.Outs, machine.Column{Kind: r.kind, Reg: x, Array: array.Reg, Col: at.Next(r.kind)})
	}
	if len(v.k.Outs) == 0 {
		panic(notVector{})
	}
}

// fold makes the results of a body the next accumulators.
func (v *vectorizer) fold(result []vvalue, acc []machine.Slot) {
	for n, r := range result {
		switch {
		case r.state == accumulator && r.acc == n: // it stays as it is
		case r.state == folded && r.acc == n:
			v.k.Folds, v.k.Accs = append(v.k.Folds, v.foldOf(r)), append(v.k.Accs, acc[n].Reg)
		default:
			panic(notVector{})
		}
	}
	if len(v.k.Folds) == 0 {
		panic(notVector{})
	}
}

// foldOf folds a value, or the product that it is, which then needs no place.
func (v *vectorizer) foldOf(r vvalue) vector.Fold {
	last := len(v.k.Instrs) - 1
	if r.op == vector.AddF && last >= 0 && v.k.Instrs[last].Op == vector.MulF && v.k.Instrs[last].A == r.reg && v.onlyNow(r.reg) {
		product := v.k.Instrs[last]
		v.k.Instrs = v.k.Instrs[:last]
		return vector.Fold{Op: vector.MulAddF, Kind: vector.F, Reg: product.B, Another: product.C}
	}
	return vector.Fold{Op: r.op, Kind: vector.Kind(r.kind), Reg: r.reg, Another: r.reg}
}

// ---- bodies

func (v *vectorizer) fresh(k layout.Kind) int {
	v.values[k]++
	return v.values[k] - 1
}

// emit appends an instruction with a new result.
func (v *vectorizer) emit(in vector.Instr) int {
	k := layout.Kind(vector.KindOf(in.Op))
	in.A = v.fresh(k)
	v.made[k][in.A] = len(v.k.Instrs)
	v.k.Instrs = append(v.k.Instrs, in)
	return in.A
}

// vector is the vector value of a slot; a scalar is spread over one.
func (v *vectorizer) vector(x vvalue) int {
	switch x.state {
	case varying:
		if x.kind == layout.I && x.reg == v.index {
			v.k.Iota[layout.I] = v.index
		}
		return x.reg
	case invariant:
		if x.kind == layout.P {
			break
		}
		key := slotKey{x.kind, x.slot.IsConst, x.slot.Reg, x.slot.I}
		if x.kind == layout.F {
			key.bits = bitsOf(x.slot.F)
		}
		reg, ok := v.splats[key]
		if !ok {
			reg = v.fresh(x.kind)
			v.fixed[x.kind][reg] = true
			v.splats[key] = reg
			v.k.Splats = append(v.k.Splats, machine.Splat{Kind: x.kind, To: reg, Value: x.slot})
		}
		return reg
	}
	panic(notVector{})
}

func (v *vectorizer) atom(a core.Atom) []vvalue {
	if x, ok := a.(*core.Var); ok {
		if slots, ok := v.env[x]; ok {
			return slots
		}
	}
	slots := v.c.atom(a)
	values := make([]vvalue, len(slots))
	for n, s := range slots {
		values[n] = vvalue{kind: s.Kind, state: invariant, slot: s}
	}
	return values
}

func (v *vectorizer) atoms(as []core.Atom) []vvalue {
	var values []vvalue
	for _, a := range as {
		values = append(values, v.atom(a)...)
	}
	return values
}

func (v *vectorizer) block(b *core.Block) []vvalue {
	for _, s := range b.Stmts {
		let := s.(*core.Let)
		v.env[let.Var] = v.op(let)
	}
	return v.atom(b.Result)
}

func (v *vectorizer) op(let *core.Let) []vvalue {
	switch op := let.Op.(type) {
	case *core.Tuple:
		return v.atoms(op.Elems)
	case *core.Record:
		return v.atoms(op.Elems)
	case *core.Proj:
		tuple := types.Resolve(op.Of.Type()).(*types.Tuple)
		from := 0
		for _, e := range tuple.Elems[:op.Index] {
			from += len(v.c.Of(e))
		}
		return v.atom(op.Of)[from : from+len(v.c.Of(tuple.Elems[op.Index]))]
	case *core.Field:
		record := types.Resolve(op.Of.Type()).(*types.Record)
		from := 0
		for _, f := range record.Fields[:op.Index] {
			from += len(v.c.Of(f.Type))
		}
		return v.atom(op.Of)[from : from+len(v.c.Of(record.Fields[op.Index].Type))]
	case *core.If:
		return v.choice(op)
	case *core.Index:
		return v.gather(op)
	case *core.Prim:
		v.k.Prims++
		return []vvalue{v.prim(op)}
	}
	panic(notVector{})
}

// choice computes both sides and selects.
func (v *vectorizer) choice(op *core.If) []vvalue {
	cond := v.atom(op.Cond)[0]
	mask := v.vector(cond)
	v.branch++
	// What one side binds is not visible in the other, and needs no undoing:
	// no variable is bound twice.
	then, otherwise := v.block(op.Then), v.block(op.Else)
	v.branch--
	result := make([]vvalue, len(then))
	for n, x := range then {
		y := otherwise[n]
		if x.kind == layout.P {
			panic(notVector{})
		}
		sel := [...]vector.Op{vector.SelF, vector.SelI}[x.kind]
		result[n] = vvalue{kind: x.kind, reg: v.emit(vector.Instr{Op: sel, B: v.vector(x), C: v.vector(y), D: mask})}
	}
	return result
}

// gather loads from an array that does not change in the loop.
func (v *vectorizer) gather(op *core.Index) []vvalue {
	of, at := v.atom(op.Of)[0], v.atom(op.At)[0]
	if of.state != invariant || of.slot.IsConst || v.branch > 0 {
		panic(notVector{})
	}
	l := v.c.Of(elem(op.Of.Type()))
	result := make([]vvalue, len(l))
	var col layout.Shape
	for n, k := range l {
		if k == layout.P {
			panic(notVector{})
		}
		c := col.Next(k)
		if at.state == varying && v.index >= 0 && at.reg == v.index {
			result[n] = v.column(k, of.slot, c)
			continue
		}
		load := [...]vector.Op{vector.AtF, vector.AtI}[k]
		in := vector.Instr{Op: load, B: v.vector(at), Table: v.table(k, of.slot, c)}
		result[n] = vvalue{kind: k, reg: v.emit(in)}
	}
	return result
}

// table is the number of a column that gathers read.
func (v *vectorizer) table(k layout.Kind, array machine.Slot, col int) int {
	n := 0
	for _, t := range v.k.Tables {
		if t.Kind != k {
			continue
		}
		if t.Array == array.Reg && t.Col == col {
			return t.Reg
		}
		n++
	}
	v.k.Tables = append(v.k.Tables, machine.Column{Kind: k, Reg: n, Array: array.Reg, Col: col})
	return n
}

// whole describes an operation; nil if it depends on more than numbers and
// arrays of them. An accumulator starts from init, whose value acc holds. The
// constants of the program that the operation reads are parameters too.
func (c *funCompiler) whole(op core.Op, init core.Atom, acc []machine.Slot) *machine.Whole {
	if !c.taped {
		return nil
	}
	free := core.OpFreeVars(op)
	slots := make([][]machine.Slot, len(free))
	for k, v := range free {
		if slots[k] = c.env[v].Slots; core.Atom(v) == init {
			slots[k] = acc
		}
	}
	copier := core.NewCopier(nil)
	copier.Defs = map[string]core.Atom{}
	core.OpAtoms(op, func(a core.Atom) {
		if g, ok := a.(*core.Global); ok && copier.Defs[g.Name] == nil {
			v := core.NewVar(g.Name, g.Ty)
			copier.Defs[g.Name] = v
			free = append(free, v)
			if slots = append(slots, nil); machine.Numeric(g.Ty) {
				slots[len(slots)-1] = c.atom(g)
			}
		}
	})
	result := core.NewVar("r", core.TypeOf(op))
	if len(free) == 0 || !machine.Numeric(result.Ty) {
		return nil
	}
	w := &machine.Whole{Result: result.Ty, Reals: c.Layouts.HasReals(result.Ty), Pulls: map[string]*machine.Derived{}}
	for k, v := range free {
		if !machine.Numeric(v.Ty) {
			return nil
		}
		w.Params = append(w.Params, machine.WholeParam{Type: v.Ty, Slots: slots[k], Shape: c.Of(v.Ty).Shape()})
	}
	body := &core.Block{Stmts: []core.Stmt{&core.Let{Var: result, Op: copier.Op(op), At: c.at}}, Result: result}
	w.Fun = &core.Lambda{Params: free, Body: body}
	return w
}
