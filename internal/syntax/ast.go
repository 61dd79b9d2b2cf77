package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// Loc is embedded in every node. It holds the node's place, and a number that is dense and unique
// among the expressions and patterns of its module. Later stages attach what they learn by that
// number (see Module.Nodes).
type Loc struct {
	At diag.Span
	ID int32
}

// Span returns the node's place in the source.
func (l *Loc) Span() diag.Span { return l.At }

// Num returns the node's number.
func (l *Loc) Num() int32 { return l.ID }

// Node is any part of the tree.
type Node interface {
	Span() diag.Span
	Num() int32
}

// Module is one file: declarations, then at most one expression.
type Module struct {
	File     *diag.File
	Doc      string // the --| comment at the top, if a blank line follows it
	Imports  []*Import
	Decls    []Decl // in source order, without imports
	Final    Expr   // nil if the file only declares
	Comments []Comment
	Nodes    int32 // one more than the largest ID
}

// Comment is a comment as written, with its delimiters.
type Comment struct {
	At   diag.Span
	Text string
}

// Import is `import list`, `import list as l`, `import "./mine.flx" as M` or
// `import array (set, gather)`.
type Import struct {
	Loc
	Path   string  // "list" or "./mine.flx"
	Quoted bool    // whether Path names a file
	Alias  Ident   // the name that this module uses for it
	HasAs  bool    // whether the alias was written
	Names  []Ident // the members that need no qualifier in this module
}

// Ident is a name and its place.
type Ident struct {
	Name string
	At   diag.Span
}

// ---- declarations

// Decl is *LetDecl, *TypeDecl or *DataDecl.
type Decl interface {
	Node
	decl()
}

// LetDecl is a top-level `let` or `let rec … and …`.
type LetDecl struct {
	Loc
	Doc      string
	Rec      bool
	Bindings []*Binding
}

// Binding is `f (x y : Real) z : T = e`, or `p = e` for a pattern p. If there are parameters, or
// if a single name is bound, Pat is a *PVar. It is never a *PAnnot: the annotation of a name
// without parameters is Result.
type Binding struct {
	Loc
	Pat    Pattern
	Params []Pattern
	Result *Signature // the annotation before '=', or nil
	Body   Expr
}

// Name returns the bound name, or "" for a pattern.
func (b *Binding) Name() string {
	if v, ok := b.Pat.(*PVar); ok {
		return v.Name
	}
	return ""
}

// Signature is a type with its constraints: `Add a => a -> a`.
type Signature struct {
	Loc
	Context []Constraint
	Type    TypeExpr
}

// Constraint is `Add a`.
type Constraint struct {
	Class, Var Ident
}

// TypeDecl is `type Surface a = a -> Real`.
type TypeDecl struct {
	Loc
	Doc    string
	Name   Ident
	Params []Ident
	Type   TypeExpr
}

// DataDecl is `data List a = Nil | Cons a (List a)`. All data declarations
// of a module may mention one another.
type DataDecl struct {
	Loc
	Doc          string
	Name         Ident
	Params       []Ident
	Constructors []*ConstructorDecl
}

// ConstructorDecl is one alternative of a data declaration.
type ConstructorDecl struct {
	Loc
	Doc    string
	Name   Ident
	Fields []TypeExpr
}

func (*LetDecl) decl()  {}
func (*TypeDecl) decl() {}
func (*DataDecl) decl() {}

// ---- expressions

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// The kinds of expressions.
type (
	// Var is a lower-case name.
	Var struct {
		Loc
		Name string
	}
	// Con is an upper-case name: a constructor, or (under a Field) a module.
	Con struct {
		Loc
		Name string
	}
	// Number is a literal as written: 2, 0.1, 1e-3, 0x1F, 1_000.
	Number struct {
		Loc
		Text string
	}
	// String is a string literal. Value is the text that it denotes.
	String struct {
		Loc
		Value string
	}
	// Text is a string literal with expressions in it: `"x = {x}"`. The Strings stand before,
	// between and after the Holes, so there is one more of them.
	Text struct {
		Loc
		Strings []string
		Holes   []Expr
	}
	// Bool is true or false.
	Bool struct {
		Loc
		Value bool
	}
	// Paren is `(e)`, kept so that printing gives back what was written.
	Paren struct {
		Loc
		X Expr
	}
	// Annot is `(e : T)`. The parentheses are part of it.
	Annot struct {
		Loc
		X    Expr
		Type *Signature
	}
	// Tuple is `()` or `(a, b, …)`; never one element.
	Tuple struct {
		Loc
		Elems []Expr
	}
	// Record is `{x = 1, y = 2}`.
	Record struct {
		Loc
		Fields []FieldInit
	}
	// Update is `{p with x = 3}` or `{xs with [i] = 3}`.
	Update struct {
		Loc
		X      Expr
		Fields []FieldInit
	}
	// Array is `[a, b, c]`.
	Array struct {
		Loc
		Elems []Expr
	}
	// Comp is `[e for i < n, x in xs]`. Each clause is an array dimension, the first the
	// outermost. A Flat one has a single dimension: it has several `for`, as in `[e for x in xs
	// for y in ys if c]`, or a condition.
	Comp struct {
		Loc
		Body    Expr
		Clauses []Clause
		Flat    bool
	}
	// Field is `p.x`, or a qualified name `list.map`, `M.Nil`.
	Field struct {
		Loc
		X    Expr
		Name Ident
	}
	// Index is `m[i, j]`.
	Index struct {
		Loc
		X       Expr
		Indices []Expr
	}
	// Slice is `xs[a:b]`; either end may be nil. In `m[a:b, j]`, Rest holds the remaining
	// indices, `row[j]`, which are applied to each element of the slice, bound by Row. In `m[i,
	// a:b]`, X is `m[i]`, and Joined says that they share one pair of brackets.
	Slice struct {
		Loc
		X      Expr
		Row    *PVar
		Rest   Expr // *Index or *Slice, or nil
		Joined bool
		Lo, Hi Expr
	}
	// Apply is a function applied to at least one argument.
	Apply struct {
		Loc
		Fun  Expr
		Args []Expr
	}
	// Binary is an infix operator. OpAt is the place of the operator itself.
	Binary struct {
		Loc
		Op   Op
		OpAt diag.Span
		L, R Expr
	}
	// Neg is unary minus.
	Neg struct {
		Loc
		X Expr
	}
	// OpFun is an operator as a function: `(+)`.
	OpFun struct {
		Loc
		Op Op
	}
	// Section is an operator with one of its operands: `(+ 1)` or `(2 *)`. Body is the whole
	// operation, in which the variable that Hole binds stands for the missing operand.
	Section struct {
		Loc
		Hole *PVar
		Body *Binary
	}
	// Fun is `fun p … => e`.
	Fun struct {
		Loc
		Params []Pattern
		Body   Expr
	}
	// If is `if c then a else b`.
	If struct {
		Loc
		Cond, Then, Else Expr
	}
	// Match is `match e with | p -> e …`.
	Match struct {
		Loc
		X    Expr
		Arms []*Arm
	}
	// Let is a local `let`.
	Let struct {
		Loc
		Rec      bool
		Bindings []*Binding
		Body     Expr
	}
	// Loop is `loop p = init HEAD do e`. Its head is a clause, a condition, or a clause followed
	// by a condition.
	Loop struct {
		Loc
		State  Pattern
		Init   Expr
		Clause *Clause // for i < n, for x in xs
		While  Expr    // the condition, or nil
		Until  bool    // whether the loop ends when the condition holds
		Body   Expr
	}
	// Bad stands where no expression could be parsed; an error was reported.
	Bad struct {
		Loc
	}
)

// FieldInit is `x = e` in a record; `{x}` is short for `{x = x}`. In an update it may also be
// `[i] = e`, which has an Index and no Name. If the path to the replaced part is longer, as in
// `x[i] = e`, then Old binds the part that this step leads to, and Value is the update of that
// part.
type FieldInit struct {
	Name  Ident
	Index Expr
	Old   *PVar
	Value Expr
}

// Clause is `i < n` (In false, Pat a *PVar or *PWild) or `x in xs`.
type Clause struct {
	Pat Pattern
	In  bool
	X   Expr // the bound or the array
	If  Expr // the condition after the clause, in a flat comprehension, or nil
}

// Arm is `| p -> e` or `| p if c -> e`.
type Arm struct {
	Loc
	Pat   Pattern
	Guard Expr // c, or nil
	Body  Expr
}

func (*Var) expr()     {}
func (*Con) expr()     {}
func (*Number) expr()  {}
func (*String) expr()  {}
func (*Bool) expr()    {}
func (*Paren) expr()   {}
func (*Annot) expr()   {}
func (*Tuple) expr()   {}
func (*Record) expr()  {}
func (*Update) expr()  {}
func (*Array) expr()   {}
func (*Comp) expr()    {}
func (*Field) expr()   {}
func (*Index) expr()   {}
func (*Slice) expr()   {}
func (*Apply) expr()   {}
func (*Binary) expr()  {}
func (*Neg) expr()     {}
func (*OpFun) expr()   {}
func (*Section) expr() {}
func (*Text) expr()    {}
func (*Fun) expr()     {}
func (*If) expr()      {}
func (*Match) expr()   {}
func (*Let) expr()     {}
func (*Loop) expr()    {}
func (*Bad) expr()     {}

// ---- patterns

// Pattern is a pattern.
type Pattern interface {
	Node
	pattern()
}

// The kinds of patterns.
type (
	// PVar binds a name.
	PVar struct {
		Loc
		Name string
	}
	// PWild is `_`.
	PWild struct{ Loc }
	// PNumber matches an integer; Text may start with '-'.
	PNumber struct {
		Loc
		Text string
	}
	// PString matches a string.
	PString struct {
		Loc
		Value string
	}
	// PBool matches true or false.
	PBool struct {
		Loc
		Value bool
	}
	// PCon is `Cons x xs` or `M.Cons x xs` (Module.Name "" if unqualified).
	PCon struct {
		Loc
		Module Ident
		Name   Ident
		Args   []Pattern
	}
	// PTuple is `()` or `(p, q, …)`.
	PTuple struct {
		Loc
		Elems []Pattern
	}
	// PRecord is `{x = p, y}`. Other fields are ignored.
	PRecord struct {
		Loc
		Fields []FieldPattern
	}
	// PParen is `(p)`.
	PParen struct {
		Loc
		X Pattern
	}
	// PAnnot is `(p : T)`, or one of the names of `(x y : T)`, all of which share the same Type.
	// Group says that the next parameter belongs to the same group.
	PAnnot struct {
		Loc
		X     Pattern
		Type  *Signature
		Group bool
	}
	// PAs is `p as x`. x binds the whole value that p matches.
	PAs struct {
		Loc
		X    Pattern
		Name *PVar
	}
	// POr is `p | q`, with at least two alternatives that bind the same names.
	POr struct {
		Loc
		Alts []Pattern
	}
	// PArray is `[p, q]`, or `[p, q, ..r]` if Rest is not nil. r matches the array of the
	// remaining elements.
	PArray struct {
		Loc
		Elems []Pattern
		Rest  Pattern
	}
	// PBad stands where no pattern could be parsed.
	PBad struct{ Loc }
)

// FieldPattern is `x = p`; `x` alone is short for `x = x`.
type FieldPattern struct {
	Name Ident
	Pat  Pattern
}

func (*PVar) pattern()    {}
func (*PWild) pattern()   {}
func (*PNumber) pattern() {}
func (*PString) pattern() {}
func (*PBool) pattern()   {}
func (*PCon) pattern()    {}
func (*PTuple) pattern()  {}
func (*PRecord) pattern() {}
func (*PParen) pattern()  {}
func (*PAnnot) pattern()  {}
func (*PAs) pattern()     {}
func (*POr) pattern()     {}
func (*PArray) pattern()  {}
func (*PBad) pattern()    {}

// ---- types

// TypeExpr is a type as written.
type TypeExpr interface {
	Node
	typeExpr()
}

// The kinds of type expressions.
type (
	// TName is a named type with its arguments: Real, List a, M.Shape.
	TName struct {
		Loc
		Module Ident // "" if unqualified
		Name   Ident
		Args   []TypeExpr
	}
	// TVar is a type variable.
	TVar struct {
		Loc
		Name string
	}
	// TFun is `a -> b`.
	TFun struct {
		Loc
		Param, Result TypeExpr
	}
	// TTuple is `()` or `(a, b)`.
	TTuple struct {
		Loc
		Elems []TypeExpr
	}
	// TProduct is `a * b * c`, another spelling of a tuple.
	TProduct struct {
		Loc
		Elems []TypeExpr
	}
	// TPower is `Real^3`.
	TPower struct {
		Loc
		Elem TypeExpr
		N    int
	}
	// TRecord is `{x : a, y : b}`.
	TRecord struct {
		Loc
		Fields []FieldType
	}
	// TArray is `[3]a`, `[n + 1]a` or `[]a`.
	TArray struct {
		Loc
		Size SizeExpr // nil for []
		Elem TypeExpr
	}
	// TParen is `(t)`.
	TParen struct {
		Loc
		X TypeExpr
	}
	// TBad stands where no type could be parsed.
	TBad struct{ Loc }
)

// SizeExpr is the size between the brackets of an array type: a *SizeAtom or *SizeOp.
type SizeExpr interface {
	Node
	sizeExpr()
}

// The kinds of size expressions. Parentheses are not kept.
type (
	// SizeAtom is a number, a size variable or `_`.
	SizeAtom struct {
		Loc
		Name string
	}
	// SizeOp is `n + 1`, `n - 1` or `2 * n`.
	SizeOp struct {
		Loc
		Op   Op // OpAdd, OpSub or OpMul
		L, R SizeExpr
	}
)

func (*SizeAtom) sizeExpr() {}
func (*SizeOp) sizeExpr()   {}

// FieldType is `x : T`.
type FieldType struct {
	Name Ident
	Type TypeExpr
}

func (*TName) typeExpr()    {}
func (*TVar) typeExpr()     {}
func (*TFun) typeExpr()     {}
func (*TTuple) typeExpr()   {}
func (*TProduct) typeExpr() {}
func (*TPower) typeExpr()   {}
func (*TRecord) typeExpr()  {}
func (*TArray) typeExpr()   {}
func (*TParen) typeExpr()   {}
func (*TBad) typeExpr()     {}

// ---- operators

// Op is an infix operator.
type Op uint8

// The operators, from the loosest to the tightest.
const (
	OpPipe  Op = iota // |>
	OpOr              // ||
	OpAnd             // &&
	OpEq              // ==
	OpNe              // !=
	OpLt              // <
	OpLe              // <=
	OpGt              // >
	OpGe              // >=
	OpAdd             // +
	OpSub             // -
	OpMul             // *
	OpDiv             // /
	OpScale           // .*
	OpPow             // ^
	OpPowR            // **
)

var opNames = [...]string{"|>", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/",
	".*", "^", "**"}

// String returns the ASCII spelling.
func (op Op) String() string { return opNames[op] }
