package core

import (
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Builder collects the statements of one block. The zero Builder is ready for use. Nested blocks
// (branches, bodies) have Builders of their own.
//
//	var b core.Builder
//	sum := b.Let("sum", types.Real, &core.Prim{…}, at)
//	block := b.Block(sum)
type Builder struct {
	stmts []Stmt
}

// NewVar makes a variable that is different from every other.
func NewVar(name string, ty types.Type) *Var {
	return &Var{Name: name, Ty: ty, number: variables.Add(1)}
}

// Grow makes room for n more statements.
func (b *Builder) Grow(n int) { b.stmts = slices.Grow(b.stmts, n) }

// FreshLet returns `name : ty = op`, with a new variable. It allocates both together, because
// code that reads one reads the other.
func FreshLet(name string, ty types.Type, op Op, at diag.Span) *Let {
	n := &struct {
		Let
		v Var
	}{v: Var{Name: name, Ty: ty, number: variables.Add(1)}}
	n.Let = Let{Var: &n.v, Op: op, At: at}
	return &n.Let
}

// Let appends `name : ty = op` and returns the new variable.
func (b *Builder) Let(name string, ty types.Type, op Op, at diag.Span) *Var {
	let := FreshLet(name, ty, op, at)
	b.stmts = append(b.stmts, let)
	return let.Var
}

// Emit appends an operation at the type that TypeOf gives it.
func (b *Builder) Emit(name string, op Op, at diag.Span) *Var {
	return b.Let(name, TypeOf(op), op, at)
}

// Bind appends `v = op` for a variable made before.
func (b *Builder) Bind(v *Var, op Op, at diag.Span) {
	b.stmts = append(b.stmts, &Let{Var: v, Op: op, At: at})
}

// LetRec appends a group of functions that may call one another. vars are in scope in funs.
func (b *Builder) LetRec(vars []*Var, funs []*Lambda, at diag.Span) {
	b.stmts = append(b.stmts, &LetRec{Vars: vars, Funs: funs, At: at})
}

// Add appends statements.
func (b *Builder) Add(stmts ...Stmt) { b.stmts = append(b.stmts, stmts...) }

// Splice appends the statements of a block, which must not be used elsewhere, and returns its
// result.
func (b *Builder) Splice(block *Block) Atom {
	b.Add(block.Stmts...)
	return block.Result
}

// Block returns the statements with their result as a block, and empties the Builder.
func (b *Builder) Block(result Atom) *Block {
	block := &Block{Stmts: b.stmts, Result: result}
	b.stmts = nil
	return block
}

// Refill replaces the statements of a block, which keeps its result, and empties the Builder.
// Both keep their memory.
func (b *Builder) Refill(block *Block) {
	block.Stmts = append(block.Stmts[:0], b.stmts...)
	b.stmts = b.stmts[:0]
}

// Ret returns a block without statements.
func Ret(result Atom) *Block { return &Block{Result: result} }

// RealLit returns a Real literal. It keeps the value without copying it.
func RealLit(value *big.Rat) *Lit { return &Lit{Ty: types.Real, Real: value} }

// IntLit returns an Int literal.
func IntLit(n int64) *Lit { return &Lit{Ty: types.Int, Int: n} }

// BoolLit returns a Bool literal.
func BoolLit(b bool) *Lit { return &Lit{Ty: types.Bool, Bool: b} }

// StringLit returns a String literal.
func StringLit(s string) *Lit { return &Lit{Ty: types.String, Str: s} }

// UnitLit returns ().
func UnitLit() *Lit { return &Lit{Ty: types.Unit} }

// Use returns a use of a definition at the given types, one for each of its
// parameters.
func (d *Def) Use(inst ...types.Type) *Global {
	return &Global{Name: d.Name, Inst: inst, Ty: types.Subst(d.Type, d.Params, inst)}
}

// FunDef makes a definition that is a function.
func FunDef(name string, params []*types.Param, fun *Lambda, at diag.Span) *Def {
	var b Builder
	v := b.Emit("f", fun, at)
	return &Def{Name: name, Params: params, Type: v.Ty, Body: b.Block(v), At: at}
}
