// Package core is the typed core: a small calculus in A-normal form. Package check elaborates
// programs into it, and every evaluator, differentiation algorithm and compiler pass takes it. It
// has a textual form that can be printed and parsed, and a verifier.
//
// A program is a list of definitions. Only definitions are polymorphic; each use of one states
// its types (Global.Inst). Package opt removes the polymorphism. The first-order level, without
// function values, is the same data type under a stricter verifier.
package core

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Program is a module, or several linked together: every Global refers to a
// Def of the program or, before linking, of a module it imports.
type Program struct {
	Datas []*types.DataDecl
	Defs  []*Def // each group of mutually recursive definitions is contiguous
	Main  *Def   // the final expression, or nil
}

// Def is a top-level definition. A function is a definition whose body is a single lambda.
type Def struct {
	Name   string // qualified: "list.map"
	Params []*types.Param
	Type   types.Type
	Body   *Block
	At     diag.Span
}

// Block is a sequence of bindings and a result: `let x1 = o1; … in a`. If the result is the
// variable of the last binding, that binding is in tail position.
type Block struct {
	Stmts  []Stmt
	Result Atom
}

// Stmt is *Let or *LetRec.
type Stmt interface{ stmt() }

// Let binds the result of one operation.
type Let struct {
	Var *Var
	Op  Op
	At  diag.Span // the source that the operation comes from
}

// LetRec binds functions that may call one another.
type LetRec struct {
	Vars []*Var
	Funs []*Lambda
	At   diag.Span
}

func (*Let) stmt()    {}
func (*LetRec) stmt() {}

// ---- atoms

// Atom is an argument of an operation: a *Var, *Lit or *Global. Evaluating one costs nothing and
// cannot fail.
type Atom interface {
	Type() types.Type
	atom()
}

// Var is a local variable, compared by identity. Names need not be unique; the printer makes them
// unique.
type Var struct {
	Name string
	Ty   types.Type

	number uint64 // set by NewVar, for VarMap
}

// Lit is a literal. The field that Ty selects holds its value. In a polymorphic definition Ty may
// be a parameter of class Num. Then Int and Real both hold the number, and an instance of the
// definition chooses.
type Lit struct {
	Ty   types.Type // Real, Int, Bool, String or Unit
	Real *big.Rat   // exactly as written
	Int  int64
	Bool bool
	Str  string

	// Data is the content of the file with that name, if the literal is the argument of the
	// primitive `file`.
	Data *value.Value
}

// Global is a use of a definition at given types.
type Global struct {
	Name string
	Inst []types.Type // one for each of the definition's Params
	Ty   types.Type   // the definition's type at Inst
}

// Type returns the variable's type.
func (v *Var) Type() types.Type { return v.Ty }

// Type returns the literal's type.
func (l *Lit) Type() types.Type { return l.Ty }

// Type returns the definition's type at the instance.
func (g *Global) Type() types.Type { return g.Ty }

func (*Var) atom()    {}
func (*Lit) atom()    {}
func (*Global) atom() {}

// ---- operations

// Op is the right-hand side of a Let.
type Op interface{ op() }

// The kinds of operations.
type (
	// Prim applies a primitive to all of its arguments. Inst instantiates the scheme of the row.
	Prim struct {
		Prim *prim.Prim
		Inst []types.Type
		Args []Atom
	}
	// Lambda is a function of at least one parameter. It is curried: applied to fewer arguments
	// it returns a function of the rest.
	Lambda struct {
		Params []*Var
		Body   *Block
	}
	// Apply applies a function value to at least one argument. There may be more or fewer
	// arguments than the lambda has parameters.
	Apply struct {
		Fun  Atom
		Args []Atom
	}
	// Tuple builds a tuple of at least two elements.
	Tuple struct{ Elems []Atom }
	// Proj takes a component of a tuple.
	Proj struct {
		Of    Atom
		Index int
	}
	// Record builds a record; Elems are in the order of Ty.Fields.
	Record struct {
		Ty    *types.Record
		Elems []Atom
	}
	// Field takes a component of a record, by its position in the type.
	Field struct {
		Of    Atom
		Index int
	}
	// Construct builds a data value.
	Construct struct {
		Con  *types.Con
		Ty   *types.Data
		Args []Atom
	}
	// Case takes a data value apart. Each constructor has at most one arm. Default is nil only if
	// all constructors have one.
	Case struct {
		Of      Atom
		Arms    []Arm
		Default *Block
	}
	// If chooses by a Bool. Only the chosen block runs.
	If struct {
		Cond       Atom
		Then, Else *Block
	}
	// Array builds an array from its elements.
	Array struct {
		Elem  types.Type
		Elems []Atom
	}
	// Build is [body for Index < Size].
	Build struct {
		Size  Atom
		Index *Var
		Body  *Block
	}
	// Map is [body for (Params…) in zip Arrays…]. All lengths must agree.
	Map struct {
		Params []*Var
		Arrays []Atom
		Body   *Block
	}
	// Index is Of[At].
	Index struct{ Of, At Atom }
	// Slice is Of[Lo:Hi].
	Slice struct{ Of, Lo, Hi Atom }
	// Reduce combines the elements of an array from the left, starting from Init. Body is
	// associative (the program promises it), so back ends may split the work. After fusion Body
	// may also compute the element that it combines: Note [Fused reductions] in package opt.
	Reduce struct {
		Acc, Elem   *Var
		Init, Array Atom
		Body        *Block
	}
	// Scan is a Reduce that keeps the result after each element.
	Scan struct {
		Acc, Elem   *Var
		Init, Array Atom
		Body        *Block
	}
	// Loop runs Body with State, starting from Init, as often as its Head says. The result of
	// Body is the next State.
	Loop struct {
		State *Var
		Init  Atom
		Head  Head
		Body  *Block
	}
	// CheckSize fails unless Got = Want, or one of them is not known; see Failure. Its value is
	// unit.
	CheckSize struct {
		Name      string // the size as written
		Of        SizeCheck
		Got, Want Atom
		WantAt    diag.Span // where the other size comes from
	}
)

// Arm is one constructor's case; Vars bind its fields.
type Arm struct {
	Con  *types.Con
	Vars []*Var
	Body *Block
}

// Head says how often a Loop runs: *Range, *Each or *While.
type Head interface{ head() }

// The kinds of heads.
type (
	// Range runs for Index = 0 … Bound-1.
	Range struct {
		Index *Var
		Bound Atom
	}
	// Each runs for each element of an array.
	Each struct {
		Elem  *Var
		Array Atom
	}
	// While runs as long as Cond, which sees the State, is true.
	While struct{ Cond *Block }
)

func (*Prim) op()      {}
func (*Lambda) op()    {}
func (*Apply) op()     {}
func (*Tuple) op()     {}
func (*Proj) op()      {}
func (*Record) op()    {}
func (*Field) op()     {}
func (*Construct) op() {}
func (*Case) op()      {}
func (*If) op()        {}
func (*Array) op()     {}
func (*Build) op()     {}
func (*Map) op()       {}
func (*Index) op()     {}
func (*Slice) op()     {}
func (*Reduce) op()    {}
func (*Scan) op()      {}
func (*Loop) op()      {}
func (*CheckSize) op() {}

func (*Range) head() {}
func (*Each) head()  {}
func (*While) head() {}

// Function returns the lambda of a definition that is a function, and nil for others.
func (d *Def) Function() *Lambda {
	if len(d.Body.Stmts) != 1 {
		return nil
	}
	let, ok := d.Body.Stmts[0].(*Let)
	if !ok || d.Body.Result != Atom(let.Var) {
		return nil
	}
	fun, _ := let.Op.(*Lambda)
	return fun
}
