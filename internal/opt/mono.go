package opt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Mono specialises every definition that Main and the roots reach, once for each instance at
// which it is used, and resolves the primitives of the classes. The result is at the level
// core.Mono. Definitions precede their uses, except in recursive groups, which are contiguous.
func Mono(p *core.Program, opts Options) (out *core.Program, d *diag.Diagnostic) {
	defer placed(p, &d)
	defer stop.Catch(&d)
	out, _, d = specialised(p, opts)
	return out, d
}

// specialised does the work of Mono, and also returns the groups of the definitions.
func specialised(p *core.Program, opts Options) (*core.Program, []group, *diag.Diagnostic) {
	m := &mono{defs: make(map[string]*source, len(p.Defs)), made: map[string]*core.Def{},
		names: map[string]bool{},
		datas: map[*types.DataDecl]string{}, exact: opts.Exact, maxDefs: opts.MaxDefs,
		watch: opts.Watch}
	if m.maxDefs == 0 {
		m.maxDefs = usualDefs
	}
	sources := make([]source, len(p.Defs))
	for i, d := range p.Defs {
		sources[i] = source{def: d, index: i}
		m.defs[d.Name] = &sources[i]
	}

	out := &core.Program{Datas: p.Datas}
	for _, name := range opts.Roots {
		m.instance(name, nil, diag.Span{})
	}
	if p.Main != nil {
		out.Main = &core.Def{Name: p.Main.Name, Type: p.Main.Type, At: p.Main.At}
		m.specialise(job{from: p.Main, to: out.Main})
	}
	for len(m.queue) > 0 && m.err == nil {
		next := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		m.specialise(next)
	}
	if m.err != nil {
		return nil, nil, m.err
	}
	// The order is that of the sources, then of the instances' names, so that equal programs give
	// equal results.
	slices.SortStableFunc(m.out, func(a, b ordered) int {
		if a.index != b.index {
			return a.index - b.index
		}
		return strings.Compare(a.def.Name, b.def.Name)
	})
	for _, d := range m.out {
		out.Defs = append(out.Defs, d.def)
	}
	order := groups(out.Defs, usesOf(out.Defs))
	out.Defs = inOrder(order)
	verify("Mono", out, opts)
	return out, order, nil
}

// source is a definition of the given program, with its index there.
type source struct {
	def   *core.Def
	index int
	made  bool // whether there is an instance of it

	looked, sized bool // see Note [Sizes in instances]
}

// job is a definition to specialise: to is from at inst. The place, if it is known, takes that of
// every statement: a template is where the program first uses it.
type job struct {
	from  *core.Def
	inst  []types.Type
	to    *core.Def
	place diag.Span
}

// placed returns the place of a statement that is written at one.
func (j *job) placed(at diag.Span) diag.Span {
	if j.place.Known() {
		return j.place
	}
	return at
}

type ordered struct {
	def   *core.Def
	index int
}

// foremost is the index of definitions that come before those of templates and programs.
const foremost = math.MinInt32

type mono struct {
	defs  map[string]*source
	made  map[string]*core.Def // by the key of the instance
	names map[string]bool      // of what was made
	datas map[*types.DataDecl]string
	out   []ordered
	queue []job
	size  int
	exact bool // Options.Exact
	watch *stop.Watch
	err   *diag.Diagnostic

	instances int // beyond the first of each definition; nothing else bounds them
	maxDefs   int
}

// instance returns the definition for name at inst. If it is new, it is queued to be made.
func (m *mono) instance(name string, inst []types.Type, at diag.Span) *core.Def {
	src := m.source(name)
	if src == nil || len(inst) != len(src.def.Params) {
		panic(fmt.Sprintf("opt: %s at %d types: the program is not linked", name, len(inst)))
	}
	if !src.looked {
		m.findSized(src)
	}
	if !src.sized {
		inst = mapTypes(inst, eraseSizes)
	}
	key, ok := m.key(name, inst, src.sized)
	if !ok {
		m.tooLarge(src.def, at)
		return src.def
	}
	if d := m.made[key]; d != nil {
		return d
	}
	next := job{from: src.def, inst: inst}
	if isTemplate(name) {
		next.place = at
	}
	next.to = &core.Def{Name: m.unique(key), Type: types.Subst(src.def.Type, src.def.Params, inst),
		At: next.placed(src.def.At)}
	m.add(key, next.to, src.index)
	if src.made {
		m.instances++
	}
	src.made = true
	if m.instances > m.maxDefs {
		m.tooLarge(src.def, at)
		return next.to
	}
	m.queue = append(m.queue, next)
	return next.to
}

// source returns the definition with a name, or nil.
func (m *mono) source(name string) *source {
	src := m.defs[name]
	if src == nil {
		src = m.template(name)
	}
	return src
}

// add records a definition that was made.
func (m *mono) add(key string, d *core.Def, index int) {
	m.made[key] = d
	m.out = append(m.out, ordered{d, index})
}

// unique returns a name that no other definition has.
func (m *mono) unique(name string) string {
	for m.names[name] {
		name += "'"
	}
	m.names[name] = true
	return name
}

func (m *mono) tooLarge(d *core.Def, at diag.Span) {
	if m.err != nil {
		return
	}
	m.err = diag.Errorf(diag.ProgramTooLarge, d.At, "`%s` is used at too many types, or at types "+
		"that grow without end", d.Name[strings.LastIndexByte(d.Name, '.')+1:]).
		WithRelated(at, "used here").
		WithHint("a recursive function that calls itself at a larger type, f x = … f (x, x) …, " +
			"has no end of instances")
}

// specialise makes the body of a queued definition.
func (m *mono) specialise(j job) {
	s := &specialiser{m: m, job: j, types: map[types.Type]types.Type{}}
	s.mapper = core.Mapper{Type: s.ty, Atom: s.atom, Bind: s.bind, Block: s.block}
	s.at = j.placed(j.from.At)
	j.to.Body = s.block(j.from.Body)
	m.size += j.to.Body.Size()
	if m.size > maxSize {
		m.tooLarge(j.from, diag.Span{})
	}
}

// specialiser copies one definition at one instance.
type specialiser struct {
	job
	m      *mono
	subst  core.VarMap[core.Atom]
	types  map[types.Type]types.Type
	mapper core.Mapper
	at     diag.Span // of the statement being copied
}

func (s *specialiser) ty(t types.Type) types.Type {
	if len(s.from.Params) == 0 {
		return t
	}
	u, ok := s.types[t]
	if !ok {
		u = types.Subst(t, s.from.Params, s.inst)
		s.types[t] = u
	}
	return u
}

func (s *specialiser) atom(a core.Atom) core.Atom {
	switch a := a.(type) {
	case *core.Var:
		return s.subst.Get(a)
	case *core.Lit:
		if ty := s.ty(a.Ty); ty != a.Ty { // an overloaded literal
			return &core.Lit{Ty: ty, Int: a.Int, Real: a.Real}
		}
	case *core.Global:
		if s.m.err != nil {
			return a
		}
		d := s.m.instance(a.Name, mapTypes(a.Inst, s.ty), s.at)
		return &core.Global{Name: d.Name, Ty: s.ty(a.Ty)}
	}
	return a
}

func (s *specialiser) bind(v *core.Var) *core.Var {
	w := core.NewVar(v.Name, s.ty(v.Ty))
	s.subst.Set(v, w)
	return w
}

func (s *specialiser) block(b *core.Block) *core.Block {
	var out core.Builder
	out.Grow(len(b.Stmts))
	for _, stmt := range b.Stmts {
		s.m.watch.Step()
		switch stmt := stmt.(type) {
		case *core.Let:
			at := s.placed(stmt.At)
			s.at = at
			op := s.mapper.Op(stmt.Op)
			s.at = at
			if p, ok := op.(*core.Prim); ok {
				e := &expander{m: s.m, out: &out, at: at, name: stmt.Var.Name}
				s.subst.Set(stmt.Var, e.prim(p, s.ty(stmt.Var.Ty)))
				continue
			}
			s.subst.Set(stmt.Var, out.Let(stmt.Var.Name, s.ty(stmt.Var.Ty), op, at))
		case *core.LetRec:
			vars, funs := make([]*core.Var, len(stmt.Vars)), make([]*core.Lambda, len(stmt.Funs))
			for i, v := range stmt.Vars {
				vars[i] = s.bind(v)
			}
			for i, fun := range stmt.Funs {
				funs[i] = s.mapper.Lambda(fun)
			}
			out.LetRec(vars, funs, s.placed(stmt.At))
		}
	}
	return out.Block(s.atom(b.Result))
}

func mapTypes(ts []types.Type, f func(types.Type) types.Type) []types.Type {
	if len(ts) == 0 {
		return nil
	}
	mapped := make([]types.Type, len(ts))
	for i, t := range ts {
		mapped[i] = f(t)
	}
	return mapped
}

// Note [Sizes in instances]
//
// Instances that differ only in the sizes of arrays share one definition, because running it does
// not depend on the sizes. There is one exception: `zero` at a type variable needs the shape. So
// a definition is called sized if it uses zero at a type that mentions a parameter, or a sized
// definition at such a type. Instances of a sized definition are distinguished by their constant
// sizes, and keep them. From all other instances the sizes are erased; otherwise the sizes of
// whichever use came first would be taken for those of all.

// findSized determines whether a definition is sized, and the same for the definitions that it
// uses, as far as that matters.
func (m *mono) findSized(of *source) {
	of.looked = true
	found := []*source{of}
	users := map[*source][]*source{} // which definitions use each at a type with parameters
	var queue []*source
	mark := func(src *source) {
		if !src.sized {
			src.sized = true
			queue = append(queue, src)
		}
	}
	open := func(ts []types.Type) bool {
		return slices.ContainsFunc(ts, func(t types.Type) bool { return len(types.Params(t)) > 0 })
	}
	for i := 0; i < len(found); i++ {
		src := found[i]
		if len(src.def.Params) == 0 {
			continue
		}
		core.Walk(src.def.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				if p, ok := let.Op.(*core.Prim); ok && p.Prim.ID == prim.Zero && open(p.Inst) {
					mark(src)
				}
			}
		})
		core.Atoms(src.def.Body, func(a core.Atom) {
			g, ok := a.(*core.Global)
			if !ok || !open(g.Inst) {
				return
			}
			used := m.source(g.Name)
			switch {
			case used == nil:
			case !used.looked:
				used.looked = true
				found = append(found, used)
				users[used] = append(users[used], src)
			case used.sized:
				mark(src)
			default:
				users[used] = append(users[used], src)
			}
		})
	}
	for len(queue) > 0 {
		src := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, user := range users[src] {
			mark(user)
		}
	}
}

// eraseSizes makes every array []a.
func eraseSizes(t types.Type) types.Type {
	t = types.Map(types.Resolve(t), eraseSizes)
	if a, ok := t.(*types.Array); ok && a.Size != types.AnySize {
		return &types.Array{Size: types.AnySize, Elem: a.Elem}
	}
	return t
}
