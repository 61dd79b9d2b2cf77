package exact

import (
	"slices"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Parts]. The components of a result climb the ladder one by one. In
//
//	(sqrt 2, integral 0 1 f, hard)
//
// the first two are narrow after a rung, and are not evaluated again; however long the third
// takes, and whether or not it ends in time, they are known. So the result is
// taken apart: expressions that build tuples, records, arrays and data values become nodes of a
// tree, and what they are built from becomes its leaves, the parts.
//
// Parts share work, as in `let s = hard in (s, 2 * s)`. So that nothing is computed twice on a
// rung, each statement that the result is computed with becomes a definition of its own, and a rung
// computes the definitions that a part needs and that no part has needed before.

// result is the tree of a result: a node with a constructor, or a leaf.
type result struct {
	op    core.Op // Tuple, Record, Array or Construct; nil for a leaf
	elems []result
	part  *part // of a leaf
}

// part is a component of the result, or what the result does not need but must not fail.
type part struct {
	def   *core.Def // its value; nil for a part that is not shown
	needs []string  // the definitions that are not functions and that it needs, in their order
}

// takeApart finds the parts of a program's result, and the definitions that compute them. Main
// is among these; if whole is set, it is the only part. Beyond what the watch allows, takeApart
// panics as its Poll does.
func takeApart(w *stop.Watch, p *core.Program, whole bool) (defs []*core.Def, parts []*part, tree result) {
	s := splitter{watch: w, defs: map[string]*core.Def{p.Main.Name: p.Main}, lifted: map[string][]*core.Def{}, nodes: map[string]bool{}}
	for _, def := range p.Defs {
		s.defs[def.Name] = def
	}
	main := p.Main.Use()
	if whole {
		tree = s.leaf(main)
	} else {
		tree = s.split(main)
	}
	for _, def := range append(p.Defs[:len(p.Defs):len(p.Defs)], p.Main) {
		defs = append(append(defs, s.lifted[def.Name]...), s.defs[def.Name])
	}
	for _, p := range s.parts {
		defs = append(defs, p.def)
	}
	return defs, s.plan(defs), tree
}

// splitter takes a result apart.
type splitter struct {
	watch  *stop.Watch
	defs   map[string]*core.Def
	lifted map[string][]*core.Def // the definitions that a definition was taken apart into
	nodes  map[string]bool        // definitions that are nodes of the tree
	parts  []*part
}

func (s *splitter) leaf(a core.Atom) result {
	p := &part{def: &core.Def{Name: "$" + strconv.Itoa(len(s.parts)), Type: a.Type(), Body: core.Ret(a)}}
	s.parts = append(s.parts, p)
	s.defs[p.def.Name] = p.def
	return result{part: p}
}

// split takes apart what an atom stands for.
func (s *splitter) split(a core.Atom) result {
	s.watch.Step()
	use, ok := a.(*core.Global)
	if !ok {
		return s.leaf(a)
	}
	def := s.defs[use.Name]
	switch {
	case def.Function() != nil:
		return s.leaf(a)
	case len(def.Body.Stmts) == 0:
		s.nodes[use.Name] = true
		return s.split(def.Body.Result)
	case len(def.Body.Stmts) > 1:
		s.lift(def)
		s.nodes[use.Name] = true
		return s.split(s.defs[use.Name].Body.Result)
	}
	let, ok := def.Body.Stmts[0].(*core.Let)
	if !ok || def.Body.Result != core.Atom(let.Var) {
		return s.leaf(a)
	}
	var elems []core.Atom
	switch op := let.Op.(type) {
	case *core.Tuple:
		elems = op.Elems
	case *core.Record:
		elems = op.Elems
	case *core.Construct:
		elems = op.Args
	case *core.Array:
		if types.Resolve(op.Elem) == types.Int || !slices.ContainsFunc(op.Elems, computed) {
			return s.leaf(a)
		}
		elems = op.Elems
	default:
		return s.leaf(a)
	}
	s.nodes[use.Name] = true
	tree := result{op: let.Op, elems: make([]result, len(elems))}
	for k, e := range elems {
		tree.elems[k] = s.split(e)
	}
	return tree
}

// computed tells whether an atom is not a literal.
func computed(a core.Atom) bool {
	_, literal := a.(*core.Lit)
	return !literal
}

// lift makes a definition of each statement of a definition, which then only names its result.
func (s *splitter) lift(def *core.Def) {
	subst := map[*core.Var]core.Atom{}
	var all []*core.Def
	declare := func(v *core.Var, at diag.Span) *core.Def {
		d := &core.Def{Name: def.Name + "$" + strconv.Itoa(len(all)), Type: v.Ty, At: at}
		all = append(all, d)
		s.defs[d.Name] = d
		subst[v] = d.Use()
		return d
	}
	define := func(d *core.Def, op core.Op) {
		v := core.NewVar(d.Name, d.Type)
		let := &core.Let{Var: v, Op: core.NewCopier(subst).Op(op), At: d.At}
		d.Body = &core.Block{Stmts: []core.Stmt{let}, Result: v}
	}
	for _, st := range def.Body.Stmts {
		s.watch.Step()
		switch st := st.(type) {
		case *core.Let:
			define(declare(st.Var, st.At), st.Op)
		case *core.LetRec:
			for _, v := range st.Vars {
				declare(v, st.At)
			}
			for k, fun := range st.Funs {
				define(all[len(all)-len(st.Funs)+k], fun)
			}
		}
	}
	s.lifted[def.Name] = all
	body := core.Ret(core.NewCopier(subst).Atom(def.Body.Result))
	s.defs[def.Name] = &core.Def{Name: def.Name, Type: def.Type, Body: body, At: def.At}
}

// plan finds what each part needs. What none of them needs, a check of a size say, is a part that
// is not shown, and comes first.
func (s *splitter) plan(defs []*core.Def) []*part {
	position := map[string]int{}
	for k, def := range defs {
		position[def.Name] = k
	}
	reached := map[string]bool{}
	for _, p := range s.parts {
		p.needs = s.needs(position, p.def.Use())
		for _, name := range p.needs {
			reached[name] = true
		}
	}
	var rest []core.Atom
	for _, def := range defs {
		if !reached[def.Name] && !s.nodes[def.Name] && def.Function() == nil {
			rest = append(rest, def.Use())
		}
	}
	if rest == nil {
		return s.parts
	}
	return append([]*part{{needs: s.needs(position, rest...)}}, s.parts...)
}

// needs lists the definitions that are not functions and that atoms need, by their positions.
func (s *splitter) needs(position map[string]int, atoms ...core.Atom) []string {
	reached := map[string]bool{}
	var names []string
	var visit func(core.Atom)
	visit = func(a core.Atom) {
		use, ok := a.(*core.Global)
		if !ok || reached[use.Name] {
			return
		}
		s.watch.Step()
		reached[use.Name] = true
		def := s.defs[use.Name]
		if def.Function() == nil {
			names = append(names, use.Name)
		}
		core.Atoms(def.Body, visit)
	}
	for _, a := range atoms {
		visit(a)
	}
	slices.SortFunc(names, func(a, b string) int { return position[a] - position[b] })
	return names
}

// assemble is the result of which leaf gives the parts.
func (r result) assemble(leaf func(*part) value.Value) value.Value {
	elems := make([]value.Value, len(r.elems))
	for k, e := range r.elems {
		elems[k] = e.assemble(leaf)
	}
	switch op := r.op.(type) {
	case *core.Tuple:
		return value.Tuple(elems)
	case *core.Array:
		return value.Array(elems)
	case *core.Construct:
		return value.Con{Name: op.Con.Name, Args: elems}
	case *core.Record:
		record := make(value.Record, len(elems))
		for k, f := range op.Ty.Fields {
			record[k] = value.Field{Name: f.Name, Value: elems[k]}
		}
		return record
	}
	return leaf(r.part)
}
