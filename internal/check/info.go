// Package check gives programs their meaning: it resolves names, infers types
// and array sizes, tests patterns for exhaustiveness, and elaborates what
// passes into the typed core. It is given parsed modules and the interfaces of
// the modules they import; it knows nothing of files or of how imports are
// found (package driver does that), nor of how core is run.
//
// The work is in two steps. Check infers and records what it learns in an
// Info, by the numbers of the nodes; Elaborate turns the module and its Info
// into core. Diagnostics go to a diag.List; a module with errors is not
// elaborated.
package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TypeName is a declared type: exactly one of Data and Alias is set.
type TypeName struct {
	Name  string
	Doc   string
	At    diag.Span
	Data  *types.DataDecl
	Alias *Alias
}

// Alias is a type abbreviation.
type Alias struct {
	Params []*types.Param
	Type   types.Type
}

// Object is what a name in an expression or pattern refers to: *Local,
// *Global, *Constructor or *Primitive.
type Object interface{ object() }

// The objects.
type (
	// Local is a variable bound inside a definition. Only those that a Let
	// introduces can have a scheme with parameters.
	Local struct {
		Name    string
		Scheme  *types.Scheme
		At      diag.Span
		Used    bool
		Size    *types.Size // for a size variable of a signature, which is an Int in the body
		oneType oneType
	}
	// Global is a top-level definition.
	Global struct {
		Name    string // as written in its module
		QName   string // qualified, as in core
		Scheme  *types.Scheme
		Doc     string
		At      diag.Span
		info    *Info // what Check learnt where it is defined
		oneType oneType
	}
	// Constructor is a constructor of a data type.
	Constructor struct{ Con *types.Con }
	// Primitive is a row of the table.
	Primitive struct{ Prim *prim.Prim }
)

// oneType says why the uses of a variable decide its type, the same for all of
// them.
type oneType uint8

const (
	mayDiffer    oneType = iota // they do not
	isParameter                 // it is a parameter or another variable of a pattern
	noParameters                // it is defined without parameters
	takesFields                 // its definition takes fields of records that nothing else decides
)

func (*Local) object()       {}
func (*Global) object()      {}
func (*Constructor) object() {}
func (*Primitive) object()   {}

// Use is what a node refers to, and the types at which it is used there: one
// for each parameter of the object's scheme (for a constructor, of its data
// type).
type Use struct {
	Object Object
	Inst   []types.Type
}

// Info is what Check learns of a module. Slices are indexed by node number.
// After a successful check no type in it has an unsolved Meta.
type Info struct {
	Module *syntax.Module
	Name   string // the module's name in qualified names

	// Types holds the type of each expression and pattern; that of a binding's
	// Pat is the type of the whole bound value.
	Types []types.Type

	// Uses tells what each Var, Con, OpFun, Binary and Neg refers to, each
	// Field that is a qualified name (nil for a field of a record), and each
	// PCon. && || and |> have none: they are syntax.
	Uses []*Use

	// Defs holds, for each PVar, the *Local or *Global that it introduces.
	Defs []Object

	// Signatures holds the type that each annotation denotes, its declared
	// sizes included: one *types.Size object for each size variable in scope.
	Signatures map[*syntax.Signature]types.Type

	// Files are the uses of `file`, in source order. Whoever loads the module reads them, and sets
	// their Value, before it is elaborated.
	Files []*DataFile

	Interface *Interface

	// Opened has the names that the import lists of the module bring into scope.
	Opened *Interface

	abbreviations []types.Abbreviation // the names of record types in scope
}

// DataFile is a file that the module reads as data.
type DataFile struct {
	Path   string // as written
	Type   types.Type
	PathAt diag.Span
	Value  value.Value

	apply *syntax.Apply
}

// Printer prints types with the names that the module has for them.
func (info *Info) Printer() *types.Printer {
	return &types.Printer{Sizes: true, Abbreviations: info.abbreviations}
}

// SchemeOf returns the type of an expression: for a name, the most general one.
func (info *Info) SchemeOf(e syntax.Expr) *types.Scheme {
	if use := info.Uses[e.Num()]; use != nil {
		switch object := use.Object.(type) {
		case *Global:
			return object.Scheme
		case *Primitive:
			return object.Prim.Scheme
		}
	}
	return types.Mono(info.Types[e.Num()])
}

// Options is what Check is told of the world around a module.
type Options struct {
	Name    string                        // the module's own qualified name
	Imports map[*syntax.Import]*Interface // nil entries: the import failed and was reported
	Open    []*Interface                  // names visible unqualified, later ones first: the prelude, earlier REPL inputs
	// Modules are known by these names without an import, which may hide them:
	// those that earlier inputs of a session imported. Session tells that the
	// module is such an input, so that later ones may use what it imports.
	Modules map[string]*Interface
	Session bool
	Library bool // whether `import builtin` gives the hidden primitives
	// Rows are primitives of the module's own, besides those of the table.
	Rows map[string]*prim.Prim

	// Declared, if not nil, has the types of the module, which another Check has declared.
	Declared *Interface
	// Before, if not nil, tells that the module is one definition of a larger one, and finds the
	// definitions above it by their names. What matters for a module as a whole, such as unused
	// imports, is then not looked at.
	Before func(name string) *Global

	// Libraries gives the modules that could be imported, by their names. It is
	// called only when a name is unknown, for suggestions, and may be nil.
	Libraries func() map[string]*Interface

	// Watch ends Check by a panic, as Poll of it does.
	Watch *stop.Watch
}
