package curry

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Term is a combinator: an arrow from one object to another, without variables. Curry §2 lists
// id, curry, eval, prod, ∘, const and proj; the rest is what §6.2 leaves to be added in the same
// way. Names in terms are only for the reader.
//
// A combinator with a body that runs in a context takes the context Δ first and its own operands
// after it, and passes Δ on to the body.
type Term interface {
	// run is the rep-function of the term: Fig. 2.
	run(m *machine, x Value) (Value, Pullback)
}

// The combinators.
type (
	// Id is the identity.
	Id struct{}
	// Comp runs its steps one after the other: f ; g ; …
	Comp struct{ Steps []Term }
	// Prod gives all of its parts the same input: ⟨f, g, …⟩. Names, where they
	// are not nil, say what the components are called from there on.
	Prod struct {
		Parts []Term
		Names []string
	}
	// Proj is a component of a product.
	Proj struct {
		Index int
		Name  string // of the variable or field; "" for a tuple
	}
	// Const ignores its input.
	Const struct{ Value Value }
	// Global is Const of a definition of the program.
	Global struct{ Name string }
	// Prim is a primitive, of the product of its arguments.
	Prim struct {
		Row  *prim.Prim
		Inst []types.Type
		Args []types.Type // the arguments' types, for show
		At   diag.Span
	}

	// Curry makes functions: if Body is (Δ, x) ⇝ σ it is Δ ⇝ (x ⇝ σ), where x
	// is a product of the parameters.
	Curry struct {
		Params []string
		Body   Term
	}
	// Eval applies the function that comes first to the components after it.
	Eval struct{ At diag.Span }
	// Fix makes functions that call one another: if each Body is (Δ, F…, x) ⇝ σ
	// it is Δ ⇝ (F…).
	Fix struct {
		Names []string
		Curry []*Curry
	}

	// Inject builds a data value from the product of its fields.
	Inject struct{ Con *types.Con }
	// Case is (Δ, sum) ⇝ σ; an arm is (Δ, fields…) ⇝ σ, Default Δ ⇝ σ.
	Case struct {
		Arms    []Arm
		Default Term
	}
	// If is (Δ, Bool) ⇝ σ; its branches are Δ ⇝ σ.
	If struct{ Then, Else Term }

	// Build is (Δ, size) ⇝ [σ]; its body is (Δ, index) ⇝ σ.
	Build struct {
		Index string
		Body  Term
		At    diag.Span
	}
	// Map is (Δ, arrays…) ⇝ [σ]; its body is (Δ, elements…) ⇝ σ.
	Map struct {
		Params []string
		Body   Term
		At     diag.Span
	}
	// Index is (array, index) ⇝ σ, Slice (array, from, to) ⇝ [σ].
	Index struct{ At diag.Span }
	Slice struct{ At diag.Span }
	// Fold is (Δ, init, array) ⇝ σ; its body is (Δ, acc, element) ⇝ σ. If All,
	// it keeps the result after each element and is (Δ, init, array) ⇝ [σ].
	Fold struct {
		Acc, Elem string
		All       bool
		Body      Term
	}
	// For is (Δ, init, count) ⇝ σ; its body is (Δ, state, index) ⇝ σ.
	For struct {
		State, Index string
		Body         Term
	}
	// While is (Δ, init) ⇝ σ; Cond is (Δ, state) ⇝ Bool, Body (Δ, state) ⇝ σ.
	While struct {
		State      string
		Cond, Body Term
	}
	// CheckSize is (got, want) ⇝ ().
	CheckSize struct {
		Check *core.CheckSize
		At    diag.Span
	}
)

// Arm is the case of one constructor.
type Arm struct {
	Con    *types.Con
	Fields []string
	Body   Term
}

// comp composes, by the laws of id and by associativity.
func comp(steps ...Term) Term {
	var flat []Term
	for _, s := range steps {
		switch s := s.(type) {
		case Id:
		case *Comp:
			flat = append(flat, s.Steps...)
		default:
			flat = append(flat, s)
		}
	}
	switch len(flat) {
	case 0:
		return Id{}
	case 1:
		return flat[0]
	}
	return &Comp{flat}
}
