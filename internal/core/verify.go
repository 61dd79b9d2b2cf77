package core

import (
	"errors"
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// Level says how far a program has been lowered. Each level forbids more.
type Level uint8

// The levels.
const (
	// Poly is the level that check produces: definitions may be polymorphic.
	Poly Level = iota
	// Mono has no type variables, and the primitives of the classes occur only at Int and Real
	// (comparisons also at Bool and String).
	Mono
	// FirstOrder also has no function values: a lambda is the body of a definition, and every
	// call is a saturated call of a definition.
	FirstOrder
)

// maxProblems bounds the problems that Verify reports.
const maxProblems = 20

// Verify checks that a program is well formed at a level: types, scopes, instances, complete and
// unique arms. A problem is a bug in the code that made the program, never the user's. So the
// messages are for the developers of Fluxion: each names the definition and the statement.
func Verify(p *Program, level Level) error { return VerifyLinked(p, level, nil) }

// VerifyLinked verifies a module that uses definitions of other modules. extern returns them by
// name, or nil for an unknown name.
func VerifyLinked(p *Program, level Level, extern func(name string) *Def) error {
	v := &verifier{level: level, defs: map[string]*Def{}, extern: extern}
	for _, d := range p.Defs {
		if v.defs[d.Name] != nil {
			v.reportf("%s is defined twice", d.Name)
		}
		v.defs[d.Name] = d
	}
	for _, d := range p.Datas {
		v.dataDecl(d)
	}
	p.EachDef(v.defn)
	return errors.Join(v.problems...)
}

type verifier struct {
	level    Level
	defs     map[string]*Def
	extern   func(string) *Def
	problems []error

	def    *Def
	stmt   any // the statement being checked: a *Let, or text
	params map[*types.Param]bool
	scope  map[*Var]bool // true while in scope; a key with the value false was bound before
}

// reportf records a problem at the current statement.
func (v *verifier) reportf(format string, args ...any) {
	if len(v.problems) >= maxProblems {
		return
	}
	place := ""
	if v.def != nil {
		place = "def " + v.def.Name + ": "
	}
	switch s := v.stmt.(type) {
	case *Let:
		place += "let " + s.Var.Name + " = " + PrintOp(s.Op) + ": "
	case string:
		place += s + ": "
	}
	v.problems = append(v.problems, fmt.Errorf("%s%s", place, fmt.Sprintf(format, args...)))
}

func (v *verifier) dataDecl(d *types.DataDecl) {
	v.params = map[*types.Param]bool{}
	for _, p := range d.Params {
		v.params[p] = true
	}
	v.stmt = "data " + d.QName()
	seen := map[string]bool{}
	for tag, c := range d.Cons {
		if c.Data != d || c.Tag != tag {
			v.reportf("constructor %s does not know its place", c.Name)
		}
		if seen[c.Name] {
			v.reportf("constructor %s is declared twice", c.Name)
		}
		seen[c.Name] = true
		for _, f := range c.Fields {
			v.wellFormed(f, true)
		}
	}
	v.stmt = nil
}

func (v *verifier) defn(d *Def) {
	v.def, v.stmt = d, nil
	v.params = map[*types.Param]bool{}
	v.scope = map[*Var]bool{}
	if v.level > Poly && len(d.Params) > 0 {
		v.reportf("polymorphic after monomorphisation")
	}
	for _, p := range d.Params {
		if v.params[p] {
			v.reportf("type parameter %s occurs twice", p.Name)
		}
		v.params[p] = true
	}
	v.wellFormed(d.Type, v.level < FirstOrder || d.Function() != nil)
	if v.level == FirstOrder && d.Function() != nil {
		v.topFunction(d)
	} else {
		v.block(d.Body)
	}
	v.stmt = "ret"
	v.expect("result", d.Body.Result.Type(), d.Type)
	v.def, v.stmt = nil, nil
}

// topFunction checks a definition that is a function at the first-order level, which is the only
// place for a lambda.
func (v *verifier) topFunction(d *Def) {
	fun := d.Function()
	for _, p := range fun.Params {
		v.bind(p)
	}
	v.wellFormed(fun.Body.Result.Type(), false)
	v.block(fun.Body)
	v.unbind(fun.Params...)
}

// wellFormed checks a type: it has no unknowns and no parameters out of scope, data types are
// fully applied, and functions occur only where they are allowed.
func (v *verifier) wellFormed(t types.Type, functions bool) {
	switch t := t.(type) {
	case nil:
		v.reportf("a type is missing")
		return
	case *types.Meta:
		v.reportf("type %s is an unknown of inference", typeText(t))
		return
	case *types.Param:
		if v.level > Poly && v.def != nil {
			v.reportf("type parameter %s after monomorphisation", t.Name)
		} else if !v.params[t] {
			v.reportf("type parameter %s is not in scope", t.Name)
		}
	case *types.Fun:
		if !functions {
			v.reportf("function type %s at the first-order level", typeText(t))
			return
		}
	case *types.Tuple:
		if len(t.Elems) == 1 {
			v.reportf("a tuple type of one element")
		}
	case *types.Record:
		for i := 1; i < len(t.Fields); i++ {
			if t.Fields[i-1].Name >= t.Fields[i].Name {
				v.reportf("the fields of %s are not sorted", typeText(t))
			}
		}
	case *types.Array:
		if t.Size == nil {
			v.reportf("an array type without a size")
			return
		}
	case *types.Data:
		if len(t.Args) != len(t.Decl.Params) {
			v.reportf("%s has %d type arguments and needs %d", t.Decl.QName(), len(t.Args),
				len(t.Decl.Params))
		}
	}
	types.Map(t, func(part types.Type) types.Type {
		v.wellFormed(part, functions)
		return part
	})
}

func (v *verifier) bind(x *Var) {
	if _, seen := v.scope[x]; seen {
		v.reportf("variable %s is bound twice", x.Name)
	}
	v.scope[x] = true
	v.wellFormed(x.Ty, v.level < FirstOrder)
}

func (v *verifier) unbind(xs ...*Var) {
	for _, x := range xs {
		v.scope[x] = false
	}
}

func (v *verifier) block(b *Block) {
	outer := v.stmt
	var bound []*Var
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			v.stmt = s
			v.checkOp(s.Op)
			v.stmt = s
			if t := TypeOf(s.Op); t != nil {
				v.expect("the operation", t, s.Var.Ty)
			}
			v.bind(s.Var)
			bound = append(bound, s.Var)
		case *LetRec:
			v.letRec(s)
			bound = append(bound, s.Vars...)
		default:
			v.reportf("unknown statement")
		}
	}
	v.stmt = "ret"
	v.atom(b.Result)
	v.unbind(bound...)
	v.stmt = outer
}

func (v *verifier) letRec(s *LetRec) {
	if v.level == FirstOrder {
		v.stmt = "let rec"
		v.reportf("a local function at the first-order level")
	}
	if len(s.Vars) != len(s.Funs) || len(s.Vars) == 0 {
		v.stmt = "let rec"
		v.reportf("%d variables for %d functions", len(s.Vars), len(s.Funs))
		return
	}
	for _, x := range s.Vars {
		v.stmt = "let rec " + x.Name
		v.bind(x)
	}
	for i, fun := range s.Funs {
		v.stmt = "let rec " + s.Vars[i].Name
		v.lambda(fun)
		v.stmt = "let rec " + s.Vars[i].Name
		v.expect("the function", TypeOf(fun), s.Vars[i].Ty)
	}
}

func (v *verifier) atom(a Atom) {
	switch a := a.(type) {
	case *Var:
		if !v.scope[a] {
			v.reportf("variable %s is not in scope", a.Name)
		}
	case *Lit:
		v.literal(a)
	case *Global:
		v.global(a)
		if v.level == FirstOrder {
			if _, isFun := types.Resolve(a.Ty).(*types.Fun); isFun {
				v.reportf("%s is used as a value at the first-order level", a.Name)
			}
		}
	default:
		v.reportf("unknown atom %T", a)
	}
}

func (v *verifier) atoms(as []Atom) {
	for _, a := range as {
		v.atom(a)
	}
}

func (v *verifier) literal(l *Lit) {
	switch l.Ty {
	case types.Real:
		if l.Real == nil {
			v.reportf("a Real literal without its value")
		}
	case types.Int, types.Bool, types.String:
	default:
		if param, ok := l.Ty.(*types.Param); ok && param.Classes&types.Scalar != 0 &&
			l.Real != nil {
			v.wellFormed(l.Ty, true) // in scope, and so not in monomorphic core
			return
		}
		if t, ok := l.Ty.(*types.Tuple); !ok || len(t.Elems) > 0 {
			v.reportf("a literal of type %s", typeText(l.Ty))
		}
	}
}

func (v *verifier) global(g *Global) {
	d := v.defs[g.Name]
	if d == nil && v.extern != nil {
		d = v.extern(g.Name)
	}
	switch {
	case d == nil:
		v.reportf("%s is not defined", g.Name)
		return
	case len(g.Inst) != len(d.Params):
		v.reportf("%s has %d type arguments and needs %d", g.Name, len(g.Inst), len(d.Params))
		return
	}
	for _, t := range g.Inst {
		v.wellFormed(t, true)
	}
	v.expect(g.Name, g.Ty, types.Subst(d.Type, d.Params, g.Inst))
}

// expect reports a difference between two types.
func (v *verifier) expect(what string, got, want types.Type) {
	if got == nil || want == nil {
		v.reportf("%s has no type", what)
		return
	}
	if !types.Equal(got, want) {
		v.reportf("%s has type %s, want %s", what, typeText(got), typeText(want))
	}
}

// typeText prints any type, for messages.
func typeText(t types.Type) string {
	pr := newPrinter(&Program{})
	pr.ty(t, looseType)
	return pr.out.String()
}
