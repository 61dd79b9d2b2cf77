package check

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Declared sizes]
//
// An annotation may declare the sizes of arrays: (x y : [n]Real). Check has refused declarations
// that visibly cannot hold. The others are checked at run time, wherever a value meets an
// annotation: parameters when the function is entered, a result before it is returned, the value
// of an annotated let, an annotated expression.
//
// A size variable gets its value from the first dimension that mentions it, in the order of
// execution. All later mentions, and all constants, are compared. A length that is mentioned once
// costs nothing. But if the length of rows has a name, it is always checked that the rows have
// equal lengths. In the body of a function the size variables of its parameters are variables of
// type Int (sizeValue).
//
// A dimension declared as a sum is compared with the value of the sum once all variables in it
// have values. If one variable has none, and the sum is linear in it, the dimension determines
// it: in (xs : [2 * n + 1]Real), n is half of the length less one, and a length that no n gives
// is an error. If several have none, the dimension waits until later ones determine them.
//
// A check is omitted where the program itself shows that it holds. The length of an array
// literal, of a comprehension, of a mapped array, or of something checked before, is known
// (facts). The static sizes that Check infers cannot be used for that. They say what must hold
// for the program to make sense, not what has been checked: in fun xs => (xs : [3]Real), the size
// of xs is inferred from the annotation that is to be checked.
//
// Arrays inside tuples and records are checked too. Arrays inside functions, inside data values,
// and inside tuples in arrays are not, because that would take time proportional to the value, or
// a wrapper around each function.

// dimension is a dimension of an array: 0 is its own length, 1 that of its
// rows, and so on.
type dimension struct {
	of  core.Atom
	dim int
}

// sizeVariable is the value of a size variable, and where it came from: the dimension that first
// mentioned it, or the value that a sum determined.
type sizeVariable struct {
	dimension
	value core.Atom // nil for a dimension
	at    diag.Span
}

// waitingSum is a dimension declared as a sum that does not yet determine its variables.
type waitingSum struct {
	size *types.Size
	dimension
	got, want diag.Span
}

// facts holds what is known about sizes at a point of a function: the lengths that are computed
// or evident, and the values of the size variables in scope.
type facts struct {
	lengths   map[dimension]core.Atom
	variables map[*types.Size]sizeVariable
	// the value of each variable, even if it was forgotten since
	last map[*types.Size]sizeVariable
	// for the result of a map, the array that it maps over, which has the same length
	mapped  map[*core.Var]core.Atom
	waiting []waitingSum
	log     []undo
}

type undo struct {
	length   dimension
	old      core.Atom // nil if it was not known
	variable *types.Size
	waiting  *[]waitingSum
}

func newFacts() *facts {
	return &facts{
		lengths: map[dimension]core.Atom{}, variables: map[*types.Size]sizeVariable{},
		last: map[*types.Size]sizeVariable{}, mapped: map[*core.Var]core.Atom{},
	}
}

// origin returns the dimension that d equals because d's array was mapped from it.
func (f *facts) origin(d dimension) dimension {
	for d.dim == 0 {
		v, ok := d.of.(*core.Var)
		if !ok || f.mapped[v] == nil {
			break
		}
		d.of = f.mapped[v]
	}
	return d
}

// mark returns a point to which undo can return.
func (f *facts) mark() int { return len(f.log) }

func (f *facts) undo(mark int) {
	for i := len(f.log) - 1; i >= mark; i-- {
		switch u := f.log[i]; {
		case u.variable != nil:
			delete(f.variables, u.variable)
		case u.waiting != nil:
			f.waiting = *u.waiting
		case u.old == nil:
			delete(f.lengths, u.length)
		default:
			f.lengths[u.length] = u.old
		}
	}
	f.log = f.log[:mark]
}

// know records a length.
func (f *facts) know(d dimension, length core.Atom) {
	if _, ok := d.of.(*core.Var); !ok || length == nil {
		return // other atoms have no identity
	}
	f.log = append(f.log, undo{length: d, old: f.lengths[d]})
	f.lengths[d] = length
}

func (f *facts) let(size *types.Size, v sizeVariable) {
	f.log = append(f.log, undo{variable: size})
	f.variables[size], f.last[size] = v, v
}

// wait replaces the list of waiting sums.
func (f *facts) wait(waiting []waitingSum) {
	old := f.waiting
	f.log = append(f.log, undo{waiting: &old})
	f.waiting = waiting
}

// learn records the lengths that are evident from an operation.
func (f *facts) learn(v *core.Var, op core.Op) {
	switch op := op.(type) {
	case *core.Array:
		f.know(dimension{v, 0}, core.IntLit(int64(len(op.Elems))))
		if len(op.Elems) > 0 {
			f.know(dimension{v, 1}, f.constant(op.Elems))
		}
	case *core.Build:
		f.know(dimension{v, 0}, op.Size)
	case *core.Map:
		f.mapped[v] = op.Arrays[0]
	case *core.Scan:
		f.mapped[v] = op.Array
	case *core.Prim:
		switch op.Prim.ID {
		case prim.Length:
			f.know(f.origin(dimension{op.Args[0], 0}), v)
		case prim.Scatter, prim.Accumulate:
			f.mapped[v] = op.Args[0]
		}
	}
}

// constant returns the constant length that all arrays are known to have, or nil.
func (f *facts) constant(arrays []core.Atom) core.Atom {
	var common *core.Lit
	for _, a := range arrays {
		n, ok := f.lengths[f.origin(dimension{a, 0})].(*core.Lit)
		if !ok || common != nil && common.Int != n.Int {
			return nil
		}
		common = n
	}
	return common
}

// length returns a dimension of an array as an Int. For the rows of an array without rows it is
// -1.
func (e *elaborator) length(b *core.Builder, of core.Atom, dim int, at diag.Span) core.Atom {
	d := e.facts.origin(dimension{of, dim})
	if known := e.facts.lengths[d]; known != nil {
		return known
	}
	of = d.of
	array, value := of, core.Atom(nil)
	for range dim - 1 {
		array = e.arrayPrim(b, prim.Flatten, array, elemOf(elemOf(array.Type())), at)
	}
	if dim == 0 {
		value = e.arrayPrim(b, prim.Length, array, elemOf(array.Type()), at)
	} else {
		value = e.arrayPrim(b, prim.RowSize, array, elemOf(elemOf(array.Type())), at)
	}
	e.facts.know(dimension{of, dim}, value)
	return value
}

func (e *elaborator) arrayPrim(b *core.Builder, row prim.ID, of core.Atom, elem types.Type,
	at diag.Span) core.Atom {
	return b.Emit("n", &core.Prim{Prim: row.Row(), Inst: []types.Type{elem}, Args: []core.Atom{of}},
		at)
}

func elemOf(t types.Type) types.Type { return t.(*types.Array).Elem }

// declare checks a value against the sizes of a declared type. got is the place of the
// expression, and want that of the declaration.
func (e *elaborator) declare(b *core.Builder, t types.Type, of core.Atom, got, want diag.Span) {
	if !declaresSize(t) {
		return
	}
	switch t := types.Resolve(t).(type) {
	case *types.Tuple:
		for i, elem := range t.Elems {
			if declaresSize(elem) {
				e.declare(b, elem, b.Emit("t", &core.Proj{Of: of, Index: i}, got), got, want)
			}
		}
	case *types.Record:
		for i, f := range t.Fields {
			if declaresSize(f.Type) {
				e.declare(b, f.Type, b.Emit(f.Name, &core.Field{Of: of, Index: i}, got), got, want)
			}
		}
	case *types.Array:
		for dim := 0; ; dim++ {
			e.declareDimension(b, t.Size.Find(), dimension{of, dim}, got, want)
			inner, ok := types.Resolve(t.Elem).(*types.Array)
			if !ok {
				return
			}
			t = inner
		}
	}
}

func (e *elaborator) declareDimension(b *core.Builder, size *types.Size, d dimension, got,
	want diag.Span) {
	d = e.facts.origin(d)
	switch size.Kind {
	case types.SizeConst:
		e.checkDimension(b, core.SizeLength, size, d, core.IntLit(size.N), got, want)
	case types.SizeParam:
		v, known := e.facts.variables[size]
		switch {
		case !known:
			if d.dim > 0 { // this fails if the rows have different lengths
				e.length(b, d.of, d.dim, got)
			}
			e.decide(b, size, sizeVariable{d, nil, want})
		case v.value != nil:
			e.checkDimension(b, core.SizeLength, size, d, v.value, got, v.at)
		case v.dimension != d:
			e.checkDimension(b, core.SizeLength, size, d, e.length(b, v.of, v.dim, v.at), got, v.at)
		}
	case types.SizeSum:
		e.declareSum(b, waitingSum{size, d, got, want})
	}
}

// checkDimension compares a dimension with what it should be.
func (e *elaborator) checkDimension(
	b *core.Builder, kind core.SizeCheck, size *types.Size, d dimension, expected core.Atom, got,
	want diag.Span,
) {
	actual := e.length(b, d.of, d.dim, got)
	if sameLength(actual, expected) {
		return
	}
	check := &core.CheckSize{Name: size.String(), Of: kind, Got: actual, Want: expected,
		WantAt: want}
	b.Let("ok", types.Unit, check, got)
	if d.dim == 0 { // rows also pass if there are none
		e.facts.know(d, expected)
	}
}

// decide sets the value of a size variable, and retries the sums that waited for it.
func (e *elaborator) decide(b *core.Builder, size *types.Size, v sizeVariable) {
	e.facts.let(size, v)
	waiting := e.facts.waiting
	if len(waiting) == 0 {
		return
	}
	e.facts.wait(nil)
	for _, sum := range waiting {
		e.declareSum(b, sum)
	}
}

func sameLength(a, b core.Atom) bool {
	x, isLit := a.(*core.Lit)
	y, ok := b.(*core.Lit)
	if isLit && ok {
		return x.Int == y.Int
	}
	return a == b
}

// declaresSize reports whether a type declares a size that declare checks.
func declaresSize(t types.Type) bool {
	found := false
	eachSize(t, func(size *types.Size) {
		found = found || isDeclared(size)
	})
	return found
}

// isDeclared reports whether a size says something that can be checked.
func isDeclared(size *types.Size) bool {
	return size.Kind == types.SizeConst || size.Kind == types.SizeParam ||
		size.Kind == types.SizeSum
}

// eachSize calls do with the sizes of a type that declare checks.
func eachSize(t types.Type, do func(*types.Size)) {
	switch t := types.Resolve(t).(type) {
	case *types.Tuple:
		for _, elem := range t.Elems {
			eachSize(elem, do)
		}
	case *types.Record:
		for _, f := range t.Fields {
			eachSize(f.Type, do)
		}
	case *types.Array:
		do(t.Size.Find())
		if inner, ok := types.Resolve(t.Elem).(*types.Array); ok {
			eachSize(inner, do)
		}
	}
}

// sizeValue returns the value of a size variable as an Int: the dimension that first mentioned
// it. For the row length of an array without rows it is 0.
func (e *elaborator) sizeValue(b *core.Builder, size *types.Size, at diag.Span) core.Atom {
	v, ok := e.facts.last[size.Find()]
	if !ok {
		bug(at, "the size `%s` has no value", size.Name)
	}
	if v.value != nil {
		return v.value
	}
	n := e.length(b, v.of, v.dim, at)
	if v.dim == 0 {
		return n
	}
	positive := &core.Prim{Prim: prim.Max.Row(), Inst: []types.Type{types.Int},
		Args: []core.Atom{core.IntLit(0), n}}
	return b.Let(size.Name, types.Int, positive, at)
}

// ---- results

// Note [Results and tail calls]
//
// The declared size of a function's result is checked at the leaves of its body, where the result
// comes from, and not around the body. A check after a call would take the call out of tail
// position, and a loop written as a recursive function would need memory for each iteration.
//
//	let rec go (i : Int) (xs : [n]Real) : [n]Real =
//	  if i == 0 then xs else go (i - 1) (step xs)
//
// A leaf may be a call of a function of this module with a declared result. It needs no check
// afterwards, because that function checks its result against the sizes of its arguments. It is
// enough to compare the sizes of the arguments with what is wanted, before the call. Here the
// length of step xs must be n.

// result is a declared type that the value in tail position must have.
type result struct {
	ty types.Type
	at diag.Span
}

// resultOf returns the requirement that a signature states, or nil if it states none.
func (e *elaborator) resultOf(sig *syntax.Signature) *result {
	if sig == nil || !declaresSize(e.info.Signatures[sig]) {
		return nil
	}
	return &result{e.info.Signatures[sig], sig.At}
}

func (e *elaborator) checkResult(b *core.Builder, r *result, value core.Atom, at diag.Span) {
	if r != nil {
		e.declare(b, r.ty, value, at, r.at)
	}
}

// sign remembers a function that declares the size of its result.
func (e *elaborator) sign(bind *syntax.Binding) {
	if e.info.promisesSize(bind) {
		e.signed[e.info.Defs[bind.Pat.Num()]] = bind
	}
}

// promisesSize reports whether a binding is a function that declares the size of its result.
func (info *Info) promisesSize(bind *syntax.Binding) bool {
	return len(bind.Params) > 0 && bind.Name() != "" && bind.Result != nil &&
		declaresSize(info.Signatures[bind.Result])
}

// signatureOf returns the binding of a function of this module that declares the size of its
// result, with the types of its annotations. It returns nil for other objects. The function may
// be a definition that was checked separately.
func (e *elaborator) signatureOf(obj Object) (*syntax.Binding, map[*syntax.Signature]types.Type) {
	g, ok := obj.(*Global)
	if !ok || g.info == e.info {
		return e.signed[obj], e.info.Signatures
	}
	if g.info.Name == e.info.Name {
		let := g.info.Module.Decls[0].(*syntax.LetDecl) // its only declaration
		for _, bind := range let.Bindings {
			if g.info.Defs[bind.Pat.Num()] == obj && g.info.promisesSize(bind) {
				return bind, g.info.Signatures
			}
		}
	}
	return nil, nil
}

// checkCall reports whether a call of obj is guaranteed to have a required result. It emits the
// checks of the arguments that ensure this.
func (e *elaborator) checkCall(b *core.Builder, r *result, obj Object, args []core.Atom,
	at diag.Span) bool {
	if r == nil {
		return false
	}
	bind, signatures := e.signatureOf(obj)
	if bind == nil || len(bind.Params) != len(args) {
		return false
	}
	wanted, ok1 := types.Resolve(r.ty).(*types.Array)
	promised, ok2 := types.Resolve(signatures[bind.Result]).(*types.Array)
	if !ok1 || !ok2 {
		return false
	}
	// First decide whether all of it follows, then emit the checks.
	var needs []func()
	for {
		size, promise := wanted.Size.Find(), promised.Size.Find()
		switch {
		case !isDeclared(size):
		case size.Kind == types.SizeConst && promise.Kind == types.SizeConst && size.N == promise.N:
		case promise.Kind == types.SizeParam || promise.Kind == types.SizeSum:
			d, ok := argumentOf(bind, signatures, promise, args)
			if !ok {
				return false
			}
			needs = append(needs, func() { e.declareDimension(b, size, d, at, r.at) })
		default:
			return false
		}
		inner, ok1 := types.Resolve(wanted.Elem).(*types.Array)
		deeper, ok2 := types.Resolve(promised.Elem).(*types.Array)
		if !ok1 || !ok2 {
			break
		}
		wanted, promised = inner, deeper
	}
	for _, need := range needs {
		need()
	}
	return true
}

// argumentOf returns the dimension of an argument that determines a size of a function's
// signature. That is the first mention of the size, if it is in the annotation of a whole
// parameter.
func argumentOf(
	bind *syntax.Binding, signatures map[*syntax.Signature]types.Type, size *types.Size,
	args []core.Atom,
) (dimension, bool) {
	for i, param := range bind.Params {
		for {
			paren, ok := param.(*syntax.PParen)
			if !ok {
				break
			}
			param = paren.X
		}
		annot, ok := param.(*syntax.PAnnot)
		if !ok {
			continue
		}
		array, ok := types.Resolve(signatures[annot.Type]).(*types.Array)
		for dim := 0; ok; dim++ {
			if types.SameSize(array.Size, size) {
				return dimension{args[i], dim}, true
			}
			array, ok = types.Resolve(array.Elem).(*types.Array)
		}
	}
	return dimension{}, false
}
