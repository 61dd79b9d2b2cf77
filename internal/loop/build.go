package loop

import "github.com/fluxion-lang/fluxion/internal/diag"

// Builder collects the statements of a block.
type Builder struct {
	Stmts []Stmt
	old   []Stmt // the statements of the block being rebuilt, as long as Stmts are its first ones
}

// Rebuild returns a builder for the new version of a block. As long as the statements are those
// of the block, none are copied.
func Rebuild(b *Block) *Builder { return &Builder{Stmts: b.Stmts[:0:0], old: b.Stmts} }

// Add appends statements.
func (b *Builder) Add(s ...Stmt) {
	for _, x := range s {
		b.add(x)
	}
}

func (b *Builder) add(s Stmt) {
	if n := len(b.Stmts); n < len(b.old) && b.old[n] == s {
		b.Stmts = b.old[: n+1 : n+1]
	} else {
		b.append(s)
	}
}

// append appends a statement that is not the next one of the block being rebuilt.
func (b *Builder) append(s Stmt) {
	if b.old != nil {
		b.Stmts = append(make([]Stmt, 0, len(b.old)+4), b.Stmts...)
		b.old = nil
	}
	b.Stmts = append(b.Stmts, s)
}

// Nested returns the index of the next statement with blocks, from a given index on, in the block
// being rebuilt, or its length if there is none. The statements before it are appended unchanged.
// The caller appends the new version of that statement.
func (b *Builder) Nested(in *Block, from int) int {
	to := from
	for to < len(in.Stmts) && !Compound(in.Stmts[to]) {
		to++
	}
	if b.old != nil && len(b.Stmts) == from {
		b.Stmts = b.old[:to:to]
		return to
	}
	for _, s := range in.Stmts[from:to] {
		b.append(s)
	}
	return to
}

// Rebuilt returns the new version of a block: the block itself if neither its statements nor what
// it yields have changed.
func (b *Builder) Rebuilt(from *Block, yield []Atom) *Block {
	if alike(b.Stmts, from.Stmts) && alike(yield, from.Yield) {
		return from
	}
	return &Block{Stmts: b.Stmts, Yield: yield}
}

// alike reports whether two slices are the same.
func alike[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Block returns the collected statements as a block that yields the given atoms.
func (b *Builder) Block(yield ...Atom) *Block { return &Block{Stmts: b.Stmts, Yield: yield} }

// Let appends an operation. An operation on literals is evaluated instead.
func (b *Builder) Let(name string, op *Op, args ...Atom) Atom {
	if c := Fold(op, args); c != nil {
		return c
	}
	s := FreshLet(name, op, args...)
	b.Add(s)
	return s.Var
}

// Fold returns an operation's result if its arguments are literals, and nil otherwise.
func Fold(op *Op, args []Atom) *Const {
	for _, a := range args {
		if _, ok := a.(*Const); !ok {
			return nil
		}
	}
	words := make([]uint64, len(args))
	for i, a := range args {
		words[i] = a.(*Const).Word()
	}
	return Literal(op.Result, op.Eval(words))
}

// Word returns the literal as a word.
func (c *Const) Word() uint64 {
	if c.Kind == F64 {
		return word(c.F)
	}
	return uint64(c.I)
}

// Literal returns the literal of a kind that a word stands for.
func Literal(k Kind, w uint64) *Const {
	if k == F64 {
		return Real(double(w))
	}
	return &Const{Kind: k, I: int64(w)}
}

// Alloc appends an allocation of a buffer.
func (b *Builder) Alloc(name string, k Kind, n Atom, zero bool) *Var {
	v := NewVar(name, k)
	b.Add(&Alloc{Var: v, Len: n, Zero: zero})
	return v
}

// Length appends the length of a buffer.
func (b *Builder) Length(buf *Var) *Var {
	v := NewVar("n", I64)
	b.Add(&Length{Var: v, Buf: buf})
	return v
}

// Load appends a read.
func (b *Builder) Load(name string, buf *Var, at Atom) *Var {
	s := FreshLoad(name, buf, at)
	b.Add(s)
	return s.Var
}

// Store appends a write.
func (b *Builder) Store(buf *Var, at, value Atom) { b.Add(&Store{Buf: buf, At: at, Value: value}) }

// Accum appends an addition to an element.
func (b *Builder) Accum(buf *Var, at, value Atom) { b.Add(&Accum{Buf: buf, At: at, Value: value}) }

// Check appends a condition that must hold.
func (b *Builder) Check(cond Atom, at diag.Span) { b.Add(&Check{Cond: cond, At: at}) }

// Parallel appends a parallel loop without totals.
func (b *Builder) Parallel(name string, count Atom, body func(b *Builder, i *Var)) {
	i, inner := NewVar(name, I64), &Builder{}
	body(inner, i)
	b.Add(&For{Index: i, Count: count, Parallel: true, Body: inner.Block()})
}

// Sum appends a parallel loop with one total, of doubles.
func (b *Builder) Sum(name string, count Atom, body func(b *Builder, i *Var) Atom) *Var {
	i, inner, total := NewVar(name, I64), &Builder{}, NewVar("sum", F64)
	x := body(inner, i)
	b.Add(&For{Index: i, Count: count, Parallel: true, Body: inner.Block(x),
		Reds: []Red{{Op: AddF, Init: Real(0), Result: total}}})
	return total
}
