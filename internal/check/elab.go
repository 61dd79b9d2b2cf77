package check

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Elaborate turns a module that Check and Patterns have accepted into core, with one definition
// for each top-level name. The program is not linked: it refers to the definitions of other
// modules by their qualified names. Main is the final expression, as a definition called
// "<module>.$main", or nil.
//
// Errors that only elaboration can find go to sink: values defined by recursion, numbers that no
// Int can hold, local polymorphism beyond the limit. After such an error the program must not be
// used. If the watch ends the work, Elaborate panics as Poll does.
func Elaborate(w *stop.Watch, info *Info, sink *diag.List) *core.Program {
	return newElaborator(w, info, sink).module()
}

func newElaborator(w *stop.Watch, info *Info, sink *diag.List) *elaborator {
	return &elaborator{
		watch: w, info: info, sink: sink, program: &core.Program{},
		env: map[*Local]core.Atom{}, families: map[*Local]*family{},
		subst: map[*types.Param]types.Type{}, params: map[*types.Param]bool{},
		facts: newFacts(), signed: map[Object]*syntax.Binding{},
		treeFactor: 4, filed: map[*DataFile]bool{},
	}
}

func (e *elaborator) module() *core.Program {
	info := e.info
	for _, decl := range info.Module.Decls {
		switch decl := decl.(type) {
		case *syntax.DataDecl:
			if named := info.Interface.Types[decl.Name.Name]; named != nil && named.Data != nil {
				e.program.Datas = append(e.program.Datas, named.Data)
			}
		case *syntax.LetDecl:
			e.topLevel(decl)
		}
	}
	if final := info.Module.Final; final != nil {
		e.program.Main = e.define(info.Name+".$main", types.Mono(info.Types[final.Num()]),
			final.Span(),
			func(b *core.Builder) core.Atom { return e.expr(b, final, want{}) })
	}
	return e.program
}

// elaborator is the state of elaborating a module.
type elaborator struct {
	watch   *stop.Watch
	info    *Info
	sink    *diag.List
	program *core.Program

	// env maps the monomorphic variables in scope to their values, and families maps the
	// polymorphic ones to their instances. Entries that went out of scope remain; objects are
	// unique, so nothing looks them up.
	env      map[*Local]core.Atom
	families map[*Local]*family

	// params holds the type parameters of the definition. subst maps those of the enclosing local
	// polymorphic bindings to their types in the instance being elaborated (Note [Local
	// polymorphism]).
	params map[*types.Param]bool
	subst  map[*types.Param]types.Type
	// mapped caches the results of ty for types with parts, as long as subst and params stay the
	// same. The types of nested functions, or of a tuple that grows, are parts of one another.
	mapped map[types.Type]types.Type

	// given maps expressions whose values are computed earlier than the code in which they stand
	// to their values.
	given map[syntax.Expr]core.Atom

	facts     *facts                     // Note [Declared sizes]
	signed    map[Object]*syntax.Binding // functions whose declaration says the size of the result
	instances int                        // of local polymorphic bindings so far
	keys      map[any]int                // numbers for what the keys of instances mention
	// treeFactor bounds decision trees, as a multiple of the size of their patterns. 0 means that
	// no tree is built (Note [Compiling match]).
	treeFactor int

	hidden int                // hidden definitions so far
	filed  map[*DataFile]bool // the files that already have a definition
}

// want says what is required of an expression besides its value.
type want struct {
	name   string  // for the variable that holds it, if it needs one
	result *result // the sizes that it must have as the result of a function
}

// bug panics because Check, Patterns or the elaborator itself broke a promise.
func bug(at diag.Span, format string, args ...any) {
	panic(fmt.Sprintf("check: %s: bug in Fluxion: %s", at, fmt.Sprintf(format, args...)))
}

// ---- definitions

// define elaborates one definition.
func (e *elaborator) define(name string, scheme *types.Scheme, at diag.Span,
	body func(*core.Builder) core.Atom) *core.Def {
	clear(e.params)
	e.mapped = nil
	for _, p := range scheme.Params {
		e.params[p] = true
	}
	e.facts.undo(0)
	var b core.Builder
	result := body(&b)
	return &core.Def{Name: name, Params: scheme.Params, Type: e.ty(scheme.Type),
		Body: b.Block(result), At: at}
}

func (e *elaborator) topLevel(decl *syntax.LetDecl) {
	// only for its report: definitions may always refer to one another
	e.recursive(decl.Rec, decl.Bindings)
	for _, bind := range decl.Bindings {
		e.sign(bind)
	}
	for _, bind := range decl.Bindings {
		if bind.Name() == "" {
			e.topLevelPattern(bind)
			continue
		}
		global := e.info.Defs[bind.Pat.Num()].(*Global)
		def := e.define(global.QName, global.Scheme, bind.Span(), func(b *core.Builder) core.Atom {
			return e.bound(b, bind)
		})
		e.program.Defs = append(e.program.Defs, def)
	}
}

// topLevelPattern defines the value that a pattern takes apart, under a hidden name, and then
// each of the pattern's variables as a part of it.
func (e *elaborator) topLevelPattern(bind *syntax.Binding) {
	p := e.info.pattern(bind.Pat)
	e.hidden++
	whole := e.info.Types[bind.Pat.Num()]
	scheme := &types.Scheme{Params: types.Params(whole), Type: whole}
	def := e.define(fmt.Sprintf("%s.$%d", e.info.Name, e.hidden), scheme, bind.Span(),
		func(b *core.Builder) core.Atom {
			value := e.bound(b, bind)
			for _, binder := range p.binds {
				e.binder(b, binder, value)
			}
			return value
		})
	e.program.Defs = append(e.program.Defs, def)
	for _, binder := range p.binders(nil) {
		if binder.node == nil {
			continue
		}
		global := e.info.Defs[binder.node.ID].(*Global)
		part := e.define(global.QName, global.Scheme, binder.at, func(b *core.Builder) core.Atom {
			inst := make([]types.Type, len(def.Params))
			for i, param := range def.Params {
				inst[i] = e.ty(param)
			}
			return e.part(b, p, def.Use(inst...), binder.node, binder.at)
		})
		e.program.Defs = append(e.program.Defs, part)
	}
}

// part returns the part of a value that a pattern binds to a variable, or nil if the pattern does
// not bind it.
func (e *elaborator) part(b *core.Builder, p *pat, value core.Atom, v *syntax.PVar,
	at diag.Span) core.Atom {
	for _, binder := range p.binds {
		if binder.node == v {
			return value
		}
	}
	for i, arg := range p.args {
		if !arg.mentions(v) {
			continue
		}
		return e.part(b, arg, e.take(b, p.head, value, i, v.Name, at), v, at)
	}
	return nil
}

func (p *pat) mentions(v *syntax.PVar) bool {
	for _, binder := range p.binders(nil) {
		if binder.node == v {
			return true
		}
	}
	return false
}

// ---- types

// typeOf returns the type of a node, as core has it.
func (e *elaborator) typeOf(n syntax.Node) types.Type { return e.ty(e.info.Types[n.Num()]) }

// ty returns a type in the form that core has: without metas, and with the parameters of
// enclosing local bindings replaced. Constant sizes are kept, because zero reads them. Size
// variables are removed, because they mean nothing outside of their scope.
//
// A parameter that is not in scope comes from a binding that is more general than its use
// requires, so any type will do.
func (e *elaborator) ty(t types.Type) types.Type {
	switch t := types.Resolve(t).(type) {
	case *types.Meta:
		return anyMember(t.Classes)
	case *types.Param:
		if by, ok := e.subst[t]; ok {
			return by
		}
		if !e.params[t] {
			return anyMember(t.Classes)
		}
		return t
	case *types.Basic:
		return t
	default:
		known := e.mapped[t]
		if known == nil {
			known = e.compound(t)
			if e.mapped == nil {
				e.mapped = map[types.Type]types.Type{}
			}
			e.mapped[t] = known
		}
		return known
	}
}

// compound does the work of ty for a type with parts.
func (e *elaborator) compound(t types.Type) types.Type {
	array, ok := t.(*types.Array)
	if !ok {
		return types.Map(t, e.ty)
	}
	size := array.Size.Find()
	if size.Kind != types.SizeConst {
		size = types.AnySize
	}
	elem := e.ty(array.Elem)
	if size == array.Size && elem == array.Elem {
		return array
	}
	return &types.Array{Size: size, Elem: elem}
}

func (e *elaborator) tys(ts []types.Type) []types.Type {
	if len(ts) == 0 {
		return nil
	}
	mapped := make([]types.Type, len(ts))
	for i, t := range ts {
		mapped[i] = e.ty(t)
	}
	return mapped
}

// anyMember returns a type that has all of the classes.
func anyMember(c types.Classes) types.Type {
	switch {
	case c&(types.Eq|types.Ord) != 0:
		return types.Int
	case c&(types.Scalar|types.Num|types.Vec|types.Add|types.Cmp) != 0:
		return types.Real
	}
	return types.Unit
}

// ---- emission

// emit binds the value of an operation.
func (e *elaborator) emit(b *core.Builder, w want, ty types.Type, op core.Op,
	at diag.Span) core.Atom {
	name := w.name
	if name == "" {
		name = "t"
	}
	v := b.Let(name, ty, op, at)
	e.facts.learn(v, op)
	return v
}

// block elaborates into a new block. Afterwards it forgets what it learnt about sizes, because
// the block's variables go out of scope.
func (e *elaborator) block(body func(*core.Builder) core.Atom) *core.Block {
	mark := e.facts.mark()
	var b core.Builder
	result := body(&b)
	e.facts.undo(mark)
	return b.Block(result)
}
