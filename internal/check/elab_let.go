package check

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Local polymorphism]
//
// Only definitions are polymorphic in core. A local binding with type parameters is therefore
// elaborated once for each distinct choice of types that its scope uses. These copies are its
// instances. To find them, the scope is elaborated first; the instances are then emitted before
// it.
//
//	let pair x = (x, x) in (pair 1, pair true)
//
// becomes pair at Real and pair at Bool, and then the body. While an instance is elaborated its
// parameters stand for the chosen types (elaborator.subst). So an inner polymorphic binding is
// instantiated anew in each instance of an outer one, and the types that it is asked for are
// closed except for the parameters of the definition. An instance may ask for further instances
// of bindings around it, so instances are emitted from the inside out.
//
// The members of a recursive group ask for instances of one another, or of themselves, while they
// are being emitted. All instances of all members that are reachable from the scope form one
// LetRec.
//
// The number of instances can be exponential in the nesting of bindings, and infinite for
// polymorphic recursion, so it is bounded (maxInstances).
//
// A pattern whose variables are polymorphic is treated as a binding of the whole value, and a
// binding of each variable to a part of it.
//
// A binding that is not a function is evaluated even if nothing uses it. Then it gets one
// instance, at arbitrary types.

// maxInstances bounds the instances of local bindings in one module.
const maxInstances = 10_000

// family is a local polymorphic binding and its instances so far.
type family struct {
	bind      *syntax.Binding
	name      string
	scheme    *types.Scheme
	group     *group
	alias     bool         // whether the binding only renames another name
	whole     *family      // for a variable of a pattern: the family of the whole value
	variable  *syntax.PVar // for a variable of a pattern: the variable
	instances map[string]*core.Var
}

// group is a let with such bindings, and the instances that were requested but not yet emitted.
type group struct {
	let     *syntax.Let
	rec     bool
	members []*family
	queue   []pending
	mark    int           // the facts known before it
	after   *core.Builder // the code of its scope
}

type pending struct {
	family *family
	inst   []types.Type
	v      *core.Var
}

// let elaborates a chain of lets in a loop.
func (e *elaborator) let(b *core.Builder, x *syntax.Let, w want) core.Atom {
	var groups []*group
	current := b
	var body syntax.Expr = x
	for {
		let, ok := body.(*syntax.Let)
		if !ok {
			break
		}
		if g := e.letGroup(current, let); g != nil {
			groups = append(groups, g)
			current = g.after
		}
		body = let.Body
	}
	value := e.expr(current, body, w)
	code := make([]*core.Block, len(groups))
	for i := len(groups) - 1; i >= 0; i-- {
		// The scope's knowledge about sizes follows the instances, so it is undone here.
		e.facts.undo(groups[i].mark)
		code[i] = e.block(func(b *core.Builder) core.Atom {
			e.emitGroup(b, groups[i])
			return nil
		})
	}
	for i, g := range groups {
		b.Add(code[i].Stmts...)
		b.Add(g.after.Block(nil).Stmts...)
	}
	return value
}

// letGroup elaborates the bindings of one let. If some are polymorphic it returns their group,
// and the code that follows must go to group.after.
func (e *elaborator) letGroup(b *core.Builder, let *syntax.Let) *group {
	g := &group{let: let, rec: e.recursive(let.Rec, let.Bindings)}
	for _, bind := range let.Bindings {
		e.sign(bind)
		if local := e.localOf(bind); local == nil {
			g.addPattern(e, bind)
		} else if len(local.Scheme.Params) > 0 {
			g.add(e, bind, local)
		}
	}
	switch {
	case g.rec && len(g.members) > 0:
		for _, bind := range let.Bindings { // monomorphic ones are instantiated once
			if local := e.localOf(bind); e.families[local] == nil || e.families[local].group != g {
				g.add(e, bind, local)
			}
		}
	case g.rec:
		e.letRec(b, let)
	default:
		for _, bind := range let.Bindings {
			if len(g.members) == 0 {
				e.bind(b, bind.Pat, e.bound(b, bind))
			}
		}
	}
	if len(g.members) == 0 {
		return nil
	}
	g.mark = e.facts.mark()
	g.after = new(core.Builder)
	for _, f := range g.members {
		if f.name == "" && slices.ContainsFunc(e.info.pattern(f.bind.Pat).binders(nil),
			e.hasOneType) {
			e.bind(g.after, f.bind.Pat, e.instance(f, anyTypes(f.scheme), f.bind.At))
		}
	}
	return g
}

// localOf returns the variable that a binding of a name introduces, or nil for a
// pattern.
func (e *elaborator) localOf(bind *syntax.Binding) *Local {
	if bind.Name() == "" {
		return nil
	}
	return e.info.Defs[bind.Pat.Num()].(*Local)
}

// letRec elaborates a group of monomorphic functions.
func (e *elaborator) letRec(b *core.Builder, let *syntax.Let) {
	vars := make([]*core.Var, len(let.Bindings))
	for i, bind := range let.Bindings {
		local := e.localOf(bind)
		vars[i] = core.NewVar(local.Name, e.ty(local.Scheme.Type))
		e.env[local] = vars[i]
	}
	funs := make([]*core.Lambda, len(vars))
	for i, bind := range let.Bindings {
		funs[i] = e.boundFunction(bind)
	}
	b.LetRec(vars, funs, let.At)
}

// hasOneType reports whether a binder is monomorphic: a variable without type parameters, or an
// annotation that declares sizes.
func (e *elaborator) hasOneType(b binder) bool {
	return b.node == nil || len(e.info.Defs[b.node.ID].(*Local).Scheme.Params) == 0
}

// add makes a family for a binding of a name.
func (g *group) add(e *elaborator, bind *syntax.Binding, local *Local) {
	e.families[local] = g.family(&family{bind: bind, name: local.Name, scheme: local.Scheme,
		alias: !g.rec && e.isAlias(bind)})
}

// addPattern makes families for a pattern with polymorphic variables: a nameless one for the
// whole value, and one for each such variable.
func (g *group) addPattern(e *elaborator, bind *syntax.Binding) {
	var whole *family
	patternNames(bind.Pat, func(v *syntax.PVar) {
		local := e.info.Defs[v.ID].(*Local)
		if len(local.Scheme.Params) == 0 {
			return
		}
		if whole == nil {
			whole = g.family(&family{bind: bind, scheme: types.Mono(e.info.Types[bind.Pat.Num()]),
				alias: e.isAlias(bind)})
		}
		for _, p := range local.Scheme.Params {
			if !slices.Contains(whole.scheme.Params, p) {
				whole.scheme.Params = append(whole.scheme.Params, p)
			}
		}
		e.families[local] = g.family(&family{bind: bind, name: local.Name, scheme: local.Scheme,
			whole: whole, variable: v})
	})
}

func (g *group) family(f *family) *family {
	f.group, f.instances = g, map[string]*core.Var{}
	g.members = append(g.members, f)
	return f
}

// isAlias reports whether the body of a binding is just a name, so that its instances are those
// of the name.
func (e *elaborator) isAlias(bind *syntax.Binding) bool {
	if len(bind.Params) > 0 || e.resultOf(bind.Result) != nil {
		return false
	}
	use := e.use(unparen(bind.Body))
	if use == nil {
		return false
	}
	switch use.Object.(type) {
	case *Local, *Global:
		return true
	}
	return false
}

// instance returns the variable of a family at closed types.
func (e *elaborator) instance(f *family, inst []types.Type, at diag.Span) core.Atom {
	if f.alias {
		var value core.Atom
		e.at(f, inst, func() { value = e.expr(nil, f.bind.Body, want{}) }) // a name emits no code
		return value
	}
	key := e.key(inst)
	if v := f.instances[key]; v != nil {
		return v
	}
	var v *core.Var
	e.at(f, inst, func() {
		if f.whole != nil { // the whole must be emitted first
			e.instance(f.whole, e.parameters(f.whole.scheme), at)
		}
		v = core.NewVar(cmp.Or(f.name, "t"), e.ty(f.scheme.Type))
	})
	f.instances[key] = v
	if e.instances++; e.instances == maxInstances {
		d := diag.Errorf(diag.ProgramTooLarge, at, "`%s` and other local definitions are used at "+
			"too many different types", f.bind.Pat.Span().Text())
		e.sink.Add(d.WithHint("each type makes a copy of the definition, and a module may have "+
			"%d: move it to the top level", maxInstances))
	}
	if e.instances < maxInstances {
		f.group.queue = append(f.group.queue, pending{f, inst, v})
	}
	return v
}

// at calls do while the parameters of a family stand for the given types.
func (e *elaborator) at(f *family, inst []types.Type, do func()) {
	params := f.scheme.Params
	old := make([]types.Type, len(params))
	for i, p := range params {
		old[i] = e.subst[p]
		e.subst[p] = inst[i]
	}
	outer := e.mapped
	e.mapped = nil
	do()
	e.mapped = outer
	for i, p := range params {
		if old[i] == nil {
			delete(e.subst, p)
		} else {
			e.subst[p] = old[i]
		}
	}
}

// emitGroup emits all requested instances, and those that they request in turn.
func (e *elaborator) emitGroup(b *core.Builder, g *group) {
	for _, f := range g.members {
		if len(f.instances) == 0 && !f.alias && !isFunction(f.bind) && f.whole == nil {
			e.instance(f, anyTypes(f.scheme), f.bind.At)
		}
	}
	var vars []*core.Var
	var funs []*core.Lambda
	for i := 0; i < len(g.queue); i++ { // the queue grows
		p := g.queue[i]
		e.at(p.family, p.inst, func() {
			if g.rec {
				vars, funs = append(vars, p.v), append(funs, e.boundFunction(p.family.bind))
				return
			}
			e.rename(b, p.v, e.block(func(b *core.Builder) core.Atom {
				return e.member(b, p.family)
			}), p.family.bind.At)
		})
	}
	if len(vars) > 0 {
		b.LetRec(vars, funs, g.let.At)
	}
}

// member elaborates a binding of a group at the current types of its parameters.
func (e *elaborator) member(b *core.Builder, f *family) core.Atom {
	if f.whole == nil {
		return e.bound(b, f.bind)
	}
	whole := e.instance(f.whole, e.parameters(f.whole.scheme), f.bind.At)
	return e.part(b, e.info.pattern(f.bind.Pat), whole, f.variable, f.variable.At)
}

// parameters returns the types that the parameters of a scheme currently stand for.
func (e *elaborator) parameters(s *types.Scheme) []types.Type {
	ts := make([]types.Type, len(s.Params))
	for i, p := range s.Params {
		ts[i] = e.ty(p)
	}
	return ts
}

// anyTypes returns arbitrary types for the parameters of a scheme.
func anyTypes(s *types.Scheme) []types.Type {
	ts := make([]types.Type, len(s.Params))
	for i, p := range s.Params {
		ts[i] = anyMember(p.Classes)
	}
	for _, j := range s.Jacobians {
		at := func(t types.Type) types.Type { return types.Subst(t, s.Params, ts) }
		if p, ok := types.Resolve(j.Result).(*types.Param); ok {
			ts[slices.Index(s.Params, p)], _ = types.DerivativeType(at(j.Source), at(j.Target), nil)
		}
	}
	return ts
}

// rename makes v the variable of a value; code elsewhere already refers to v. If the value comes
// from the last statement, nothing else refers to that statement's variable, and v replaces it.
// Otherwise the value is copied, by way of a pair, because core has no operation that just
// copies.
func (e *elaborator) rename(b *core.Builder, v *core.Var, code *core.Block, at diag.Span) {
	value := b.Splice(code)
	if n := len(code.Stmts); n > 0 {
		if let, ok := code.Stmts[n-1].(*core.Let); ok && core.Atom(let.Var) == value {
			let.Var = v
			return
		}
	}
	pair := b.Emit("t", &core.Tuple{Elems: []core.Atom{value, core.UnitLit()}}, at)
	b.Bind(v, &core.Proj{Of: pair, Index: 0}, at)
}

// key returns equal keys for two lists of types only if core cannot distinguish them. Constant
// sizes count, because zero reads them.
func (e *elaborator) key(ts []types.Type) string {
	var out []byte
	var write func(t types.Type)
	id := func(p any) {
		if e.keys == nil {
			e.keys = map[any]int{}
		}
		if _, ok := e.keys[p]; !ok {
			e.keys[p] = len(e.keys)
		}
		out = strconv.AppendInt(out, int64(e.keys[p]), 10)
	}
	write = func(t types.Type) {
		switch t := t.(type) {
		case *types.Basic, *types.Param:
			id(t)
		case *types.Fun:
			out = append(out, '>')
		case *types.Tuple:
			out = append(out, '(')
		case *types.Record:
			out = append(out, '{')
			for _, f := range t.Fields {
				out = append(append(out, f.Name...), ',')
			}
		case *types.Array:
			out = append(append(out, '['), t.Size.String()...)
		case *types.Data:
			out = append(out, 'D')
			id(t.Decl)
		}
		out = append(out, ' ')
		types.Map(t, func(part types.Type) types.Type {
			write(part)
			return part
		})
		out = append(out, ')')
	}
	for _, t := range ts {
		write(t)
	}
	return string(out)
}
