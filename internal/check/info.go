// Package check gives programs their meaning. It resolves names, infers types and array sizes,
// tests patterns for exhaustiveness, and elaborates correct modules into the typed core. It is
// given parsed modules and the interfaces of the modules they import. It does not know about
// files or how imports are found (package driver does that), or how core is run.
//
// The work has two steps. Check infers, and records what it learns in an Info, by the numbers of
// the nodes. Elaborate turns the module and its Info into core. Diagnostics go to a diag.List. A
// module with errors is not elaborated.
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

// Object is what a name in an expression or pattern refers to: a *Local, *Global, *Constructor or
// *Primitive.
type Object interface{ object() }

// The kinds of Object.
type (
	// Local is a variable bound inside a definition. Only variables that a Let introduces can
	// have a scheme with parameters.
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
		info    *Info // what Check learnt about the module that defines it
		oneType oneType
	}
	// Constructor is a constructor of a data type.
	Constructor struct{ Con *types.Con }
	// Primitive is a row of the table.
	Primitive struct{ Prim *prim.Prim }
)

// oneType says why all uses of a variable must have the same type.
type oneType uint8

const (
	mayDiffer    oneType = iota // they may have different types
	isParameter                 // it is a parameter or another pattern variable
	noParameters                // it is defined without parameters
	// its definition takes fields of records that nothing else determines
	takesFields
)

func (*Local) object()       {}
func (*Global) object()      {}
func (*Constructor) object() {}
func (*Primitive) object()   {}

// Use is what a node refers to, and the types at which it is used there, one for each parameter
// of the object's scheme. For a constructor these are the parameters of its data type.
type Use struct {
	Object Object
	Inst   []types.Type
}

// Info is what Check learns about a module. Slices are indexed by node number. After a successful
// check no type in it has an unsolved Meta.
type Info struct {
	Module *syntax.Module
	Name   string // the module's name in qualified names

	// Types holds the type of each expression and pattern. For the Pat of a binding it is the
	// type of the whole bound value.
	Types []types.Type

	// Uses holds what each Var, Con, OpFun, Binary, Neg and PCon refers to, and each Field that
	// is a qualified name (nil for a field of a record). && || and |> have none, because they are
	// syntax.
	Uses []*Use

	// Defs holds, for each PVar, the *Local or *Global that it introduces.
	Defs []Object

	// Signatures holds the type that each annotation denotes, with its declared sizes. There is
	// one *types.Size object for each size variable in scope.
	Signatures map[*syntax.Signature]types.Type

	// Files lists the uses of `file`, in source order. The code that loads the module reads the
	// files, and sets their Value, before the module is elaborated.
	Files []*DataFile

	Interface *Interface

	// Opened holds the names that the import lists of the module bring into scope.
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

// Printer returns a printer of types that uses the names that the module has for them.
func (info *Info) Printer() *types.Printer {
	return &types.Printer{Sizes: true, Abbreviations: info.abbreviations}
}

// SchemeOf returns the type of an expression. For a name it is the most general one.
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

// Options says what Check must know about the world around a module.
type Options struct {
	Name    string                        // the module's own qualified name
	Imports map[*syntax.Import]*Interface // nil entries are imports that failed and were reported
	// whose names are visible unqualified, later ones first: the prelude, earlier REPL inputs
	Open []*Interface
	// Modules holds modules that are known by name without an import: those that earlier inputs
	// of a session imported. An import may hide them. Session says that the module is such an
	// input, so that later ones may use its imports.
	Modules map[string]*Interface
	Session bool
	Library bool // whether `import builtin` gives the hidden primitives
	// Rows holds primitives that only this module has, besides those of the table.
	Rows map[string]*prim.Prim

	// Declared, if not nil, holds the types of the module, which another Check has declared.
	Declared *Interface
	// Before, if not nil, says that the module is one definition of a larger one. It returns the
	// definitions above it by name. Lints about a whole module, such as unused imports, are then
	// skipped.
	Before func(name string) *Global

	// Libraries returns the modules that could be imported, by name. It is called only for
	// suggestions, when a name is unknown, and may be nil.
	Libraries func() map[string]*Interface

	// Watch ends Check by a panic, as its Poll does.
	Watch *stop.Watch
}
