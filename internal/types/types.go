// Package types is the language of types: what a type is, and how types are printed, compared,
// generalised and unified. It is given types built by package check (or read from core text) and
// knows nothing of programs.
//
// Unification works by mutation: a *Meta is an unknown that is solved once. Outside of inference
// (in core and everything after it) there are no Metas.
package types

// Type is a *Basic, *Fun, *Tuple, *Record, *Array, *Data, *Param or *Meta.
type Type interface{ isType() }

// Basic is a type without parts.
type Basic struct{ Name string }

// The basic types, compared by identity.
var (
	Real   = &Basic{"Real"}
	Int    = &Basic{"Int"}
	Bool   = &Basic{"Bool"}
	String = &Basic{"String"}
)

// Unit is the empty tuple.
var Unit = &Tuple{}

// Fun is a function type; functions of several arguments are curried.
type Fun struct{ Param, Result Type }

// Tuple has no element (unit), or at least two.
type Tuple struct{ Elems []Type }

// Record is structural: Fields are sorted by name, which makes equal records
// equal slices.
type Record struct{ Fields []Field }

// Field is a named component of a record.
type Field struct {
	Name string
	Type Type
}

// Array is an array of Elem; Size is never nil.
type Array struct {
	Size *Size
	Elem Type
}

// Data is a declared type applied to its arguments.
type Data struct {
	Decl *DataDecl
	Args []Type
}

// Param is a rigid type variable: one that a Scheme, a Scheme's enclosing definition, or a data
// declaration quantifies. Params are compared by identity.
type Param struct {
	Name    string
	Classes Classes

	// While the definition whose annotation introduces the variable is being inferred, Level is
	// the level of its body. Given says that the program states the variable's classes, so
	// inference may not add to them.
	Level int32
	Given bool
}

// Meta is an unknown of inference. Once Link is set it stands for that type.
type Meta struct {
	Link    Type
	Level   int32 // nesting depth of the let that may generalise it; see Note [Levels]
	ID      int32
	Classes Classes

	// Poisoned marks the type of an expression that was already reported. It unifies with
	// everything, so that one mistake gives one message.
	Poisoned bool

	Demands *Demand // why Classes must hold, at most one reason for each class
	Waits   *Waiter // work that can continue once the type is known
}

// Demand is the reason for a constraint: By (a node, for package check) needs the Classes.
type Demand struct {
	Classes Classes
	By      any
	Next    *Demand
}

// Waiter is work that waits until a Meta is solved. For belongs to package check.
type Waiter struct {
	For  any
	Next *Waiter
}

func (*Basic) isType()  {}
func (*Fun) isType()    {}
func (*Tuple) isType()  {}
func (*Record) isType() {}
func (*Array) isType()  {}
func (*Data) isType()   {}
func (*Param) isType()  {}
func (*Meta) isType()   {}

// DataDecl declares a data type. Two declarations are the same type only if they are the same
// object.
type DataDecl struct {
	Module string // the module that declares it
	Name   string
	Params []*Param
	Cons   []*Con

	facts *dataFacts // set by CompleteData
}

// QName returns the name that core text and messages of other modules use.
func (d *DataDecl) QName() string {
	if d.Module == "" {
		return d.Name
	}
	return d.Module + "." + d.Name
}

// Con is a constructor: its Tag is its position in Data.Cons. Fields mention
// Data.Params.
type Con struct {
	Data   *DataDecl
	Name   string
	Tag    int
	Fields []Type
}

// Scheme is a type that holds for all values of its parameters.
type Scheme struct {
	Params []*Param
	Sizes  []*Size // the quantified size variables, each with Kind SizeParam
	Type   Type

	Jacobians []Jacobian // constraints on the parameters
}

// Mono returns a scheme that quantifies nothing.
func Mono(t Type) *Scheme { return &Scheme{Type: t} }

// Resolve follows the links at the head of a type, and shortens the path for later calls.
func Resolve(t Type) Type {
	m, ok := t.(*Meta)
	if !ok || m.Link == nil {
		return t
	}
	next, ok := m.Link.(*Meta)
	if !ok || next.Link == nil {
		return m.Link
	}
	end := Resolve(next)
	m.Link = end
	return end
}

// Zonk returns the type with the links in all its parts followed.
func Zonk(t Type) Type { return Map(Resolve(t), Zonk) }

// Funs returns the curried type p1 -> … -> pn -> result.
func Funs(result Type, params ...Type) Type {
	for i := len(params) - 1; i >= 0; i-- {
		result = &Fun{params[i], result}
	}
	return result
}

// Arity returns the number of parameters of a curried type, at most n, and its
// result after them.
func Arity(t Type, n int) (params int, result Type) {
	for params < n {
		f, ok := Resolve(t).(*Fun)
		if !ok {
			break
		}
		params++
		t = f.Result
	}
	return params, Resolve(t)
}

// Splay splits up to n parameters off a curried type.
func Splay(t Type, n int) (params []Type, result Type) {
	for len(params) < n {
		f, ok := Resolve(t).(*Fun)
		if !ok {
			break
		}
		params = append(params, f.Param)
		t = f.Result
	}
	return params, Resolve(t)
}
