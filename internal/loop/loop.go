// Package loop is the loop form, an intermediate form of the compiler below core. A function of
// the loop form computes with scalars and with buffers, in structured loops whose independence is
// known. Package lower makes it from core; grad differentiates it; passes improve it. The
// reference evaluator (eval.go), the machine-code generator and the printers of C, Go and
// WebAssembly run it. It has a textual form and a verifier.
//
// Scalars are immutable and bound once. Buffers are memory, used in two phases: Note [Buffers].
// Loops say what each iteration passes to the next and what all iterations are combined to: Note
// [Loops]. The target chooses how a loop is scheduled (lanes, tiles, threads); the form only says
// what is allowed.
//
// It must not know core, types or how programs are written.
package loop

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Buffers]
//
// A buffer is a row of doubles or of integers with a length, handled by
// reference. An Alloc makes one, Store and Accum write it, Load reads it. All
// writes come before all reads:
//
//   - a buffer is first written by Store, each element at most once, or by
//     Accum, after an Alloc that zeroes it, any number of times;
//   - it is read only after the outermost statement that writes it, in the block
//     of its Alloc, has ended.
//
// So the turns of a parallel loop may write to one buffer: by Store if no two
// write the same element, by Accum always. A pass may move a read over anything that
// comes after the last write, and the derivative of a write is a read of the
// cotangent, whose own writes have all happened by then.
//
// Update is the exception: it gives the buffer with an element replaced, and does so in place,
// since the old one is not used any more: neither under its own name nor under another that it may
// have, as what a loop starts with or a branch gives. What a buffer that is a parameter holds never
// changes, unless it is one of those that the function writes to (Func.Adds). The function does not
// read these: for its caller, a call is one write. So it writes by Store only elements that nobody
// else writes to, before the call or after, and it adds to what the caller has zeroed.
//
// A buffer lives in the block of its Alloc, unless the block yields it.

// Note [Loops]
//
// A For runs its body for Index = 0 … Count-1. Each State has a value before the
// first turn, which its variable stands for in the body, and each turn yields the
// next one. Each Red is a total: a turn yields what it contributes, which Op
// combines, in any order; the body does not see the total so far. After the loop
// the Result of each has the last value.
//
// A loop is Parallel if its turns may run in any order, or at once: it has no
// States and, of the buffers from outside, does not read those that it writes. A loop with
// states runs in order.
//
// The Yield of a body has the next value of each state and then the contribution to each
// total.

// Program is a set of functions that may call each other; the first is the entry.
type Program struct {
	Funcs []*Func
	// Watch ends later work on the program, by a panic.
	Watch *stop.Watch
}

// Reached returns a program of a function and those that it calls, in any number of steps.
func Reached(f *Func) *Program {
	p := &Program{Funcs: []*Func{f}}
	seen := map[*Func]bool{f: true}
	for i := 0; i < len(p.Funcs); i++ {
		Walk(p.Funcs[i].Body, func(s Stmt) {
			if c, ok := s.(*Call); ok && !seen[c.Func] {
				seen[c.Func] = true
				p.Funcs = append(p.Funcs, c.Func)
			}
		})
	}
	return p
}

// Func is a function of scalars and buffers; its results are what its body
// yields.
type Func struct {
	Name   string
	Params []*Var
	Body   *Block
	// Adds is the number of parameters at the end that are buffers which the function writes to:
	// by Accum, by Store, or by passing them on to such a parameter. The function does not read
	// them. The entry of a program has none.
	Adds int
	// Rule is the derivative that replaces that of the function's body, or nil. Package grad uses
	// it: when everything is differentiated, calls of such functions are replaced by their bodies
	// (InlineRuled).
	Rule *Rule
}

// AddedTo returns the arguments of a call that the function writes to.
func (s *Call) AddedTo() []*Var {
	var out []*Var
	for _, a := range s.Args[len(s.Args)-s.Func.Adds:] {
		out = append(out, a.(*Var))
	}
	return out
}

// Kind is what a variable holds.
type Kind uint8

// The kinds.
const (
	F64  Kind = iota // a double
	I64              // an integer, in two's complement; arithmetic wraps
	Bool             // false or true
	F64s             // a buffer of doubles
	I64s             // a buffer of integers; booleans are kept as 0 and 1
)

// IsBuffer reports whether the kind is that of a buffer.
func (k Kind) IsBuffer() bool { return k >= F64s }

// Elem returns the kind of a buffer's elements.
func (k Kind) Elem() Kind {
	if k == F64s {
		return F64
	}
	return I64
}

// Var is a variable, bound once, compared by identity. Names need not be
// unique; the printer makes them so.
type Var struct {
	Name   string
	Kind   Kind
	number uint64 // set by NewVar, for VarMap
}

// Const is a scalar literal; F holds a double, I an integer or a Boolean.
type Const struct {
	Kind Kind
	F    float64
	I    int64
}

// Atom is what a statement is applied to: *Var or *Const.
type Atom interface{ AtomKind() Kind }

// AtomKind returns the variable's kind.
func (v *Var) AtomKind() Kind { return v.Kind }

// AtomKind returns the literal's kind.
func (c *Const) AtomKind() Kind { return c.Kind }

// Block is a list of statements and what it yields to the enclosing statement.
type Block struct {
	Stmts []Stmt
	Yield []Atom
}

// Stmt is a statement.
type Stmt interface{ stmt() }

// The statements.
type (
	// Let binds the result of a scalar operation.
	Let struct {
		Var  *Var
		Op   *Op
		Args []Atom
	}
	// Alloc makes a buffer of Len elements, zeroes if Zero. A negative Len stops
	// the function.
	Alloc struct {
		Var  *Var
		Len  Atom
		Zero bool
	}
	// Length binds the number of elements of a buffer.
	Length struct {
		Var *Var
		Buf *Var
	}
	// Load reads Buf[At]. The index is in range; where that is not evident, an earlier Check
	// ensures it. An element that was never written has an arbitrary value, and may be used only
	// where a selection drops it.
	Load struct {
		Var *Var
		Buf *Var
		At  Atom
	}
	// Store writes Buf[At]; no other store writes that element.
	Store struct {
		Buf       *Var
		At, Value Atom
	}
	// Accum adds Value, a double, to Buf[At].
	Accum struct {
		Buf       *Var
		At, Value Atom
	}
	// Update binds Buf with element At replaced by Value. Buf is not used after it.
	Update struct {
		Var       *Var
		Buf       *Var
		At, Value Atom
	}
	// Copy binds a buffer with the elements of another, which may be updated.
	Copy struct {
		Var *Var
		Buf *Var
	}
	// For is a counted loop: Note [Loops]. A negative Count means 0.
	For struct {
		Index    *Var
		Count    Atom
		Parallel bool
		States   []State
		Reds     []Red
		Body     *Block
		// Lanes asks the target to run several iterations of a parallel loop at once, in the
		// elements of vectors. It is a schedule: Note [Lanes].
		Lanes bool
		// Thrifty asks reverse derivatives to keep few of the states at the beginnings of
		// iterations, and to run iterations again: Note [Checkpoints] of package grad.
		Thrifty bool
	}
	// While runs its body as long as Cond, which sees the state variables, yields true.
	While struct {
		States []State
		Cond   *Block
		Body   *Block
	}
	// If runs one of two blocks; Results are bound to what it yields.
	If struct {
		Results    []*Var
		Cond       Atom
		Then, Else *Block
	}
	// Check stops the function unless Cond is true. The interpreter then runs the call again, and
	// finds out what went wrong. At is for people who read the form.
	Check struct {
		Cond Atom
		At   diag.Span
	}
	// Call calls a function of the program.
	Call struct {
		Results []*Var
		Func    *Func
		Args    []Atom
	}
)

// State is a value that an iteration of a loop passes to the next.
type State struct {
	Var    *Var // in the body
	Init   Atom
	Result *Var // after the loop
}

// Red is a total over the iterations of a loop. Op is associative and commutative, up to
// rounding: addition, multiplication, max, min, and, or.
type Red struct {
	Op     *Op
	Init   Atom
	Result *Var
}

// Note [Lanes]
//
// A parallel loop with Lanes is meant to be run W turns at a time, one in each element of a
// vector. A variable of its body *varies* if it depends on the loop's index
// other than through what all turns share (Varying); it then is a vector, and
// the others stay scalars. The pass that sets Lanes has made sure that
//
//   - no If, and no count of a loop in the body, varies: branches have become selections;
//   - no Check in the body varies, unless the target can test a vector at once;
//   - buffers made in the body have lengths that do not vary.
//
// A buffer made in the body that holds something that varies has W elements for each
// of its own, side by side. A Load or Store of a buffer from outside at an index that is the
// loop's index plus something shared is a vector access; at another index that varies it is
// a gather or scatter. An Accum at an index that is shared goes to accumulators of W
// elements, which are summed after the loop.

func (*Let) stmt()    {}
func (*Alloc) stmt()  {}
func (*Length) stmt() {}
func (*Load) stmt()   {}
func (*Store) stmt()  {}
func (*Accum) stmt()  {}
func (*Update) stmt() {}
func (*Copy) stmt()   {}
func (*For) stmt()    {}
func (*While) stmt()  {}
func (*If) stmt()     {}
func (*Check) stmt()  {}
func (*Call) stmt()   {}

// Real, Int and Truth are literals.
func Real(x float64) *Const { return &Const{Kind: F64, F: x} }

// Int returns an integer literal.
func Int(n int64) *Const { return &Const{Kind: I64, I: n} }

// Truth returns a Boolean literal.
func Truth(b bool) *Const {
	if b {
		return &Const{Kind: Bool, I: 1}
	}
	return &Const{Kind: Bool}
}

// NewVar makes a variable.
func NewVar(name string, k Kind) *Var {
	m := makers.Get().(*maker)
	v := &Var{Name: name, Kind: k, number: m.number()}
	makers.Put(m)
	return v
}
