package lower

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// pieces takes values apart into the scalars and buffers that they are made of: those of arrays, of
// what functions capture, and of tables. What is left is described by a key, so that values of one
// key differ only in their pieces.
type pieces struct {
	l      *lowerer
	key    strings.Builder
	atoms  []loop.Atom
	tables []*table       // that recursive data belongs to, in the order of its first occurrence
	funs   []*core.Lambda // functions among the values
	used   []constant     // that they use

	fresh bool     // the pieces become new parameters, and values are rebuilt of them
	from  []*table // then: the tables that are rebuilt
}

// constant is a definition that is a parameter.
type constant struct {
	def   *core.Def
	value value
}

// parameters makes values like those that were taken apart, in the same order, of new parameters.
func (p *pieces) parameters() *pieces { return &pieces{l: p.l, fresh: true, used: p.used} }

// piece notes an atom, or makes a parameter like it.
func (p *pieces) piece(name string, a loop.Atom) loop.Atom {
	fmt.Fprintf(&p.key, "%d", a.AtomKind())
	if p.fresh {
		v := p.l.fresh(name, a.AtomKind())
		p.l.params = append(p.l.params, v)
		return v
	}
	p.atoms = append(p.atoms, a)
	return a
}

// value takes a value apart, and rebuilds it.
func (p *pieces) value(v value) value {
	if !p.fresh {
		v = p.l.defined(v)
		if _, function := v.(*closure); !function {
			v = p.l.owned(v)
		}
	}
	return p.inside(v, nil)
}

func (p *pieces) inside(v value, dims []loop.Atom) value {
	switch v := v.(type) {
	case *scalar:
		return &scalar{p.piece("x", v.atom)}
	case *column:
		v.free()
		buf := p.piece("xs", v.buf).(*loop.Var)
		if p.fresh {
			p.l.sizes[buf] = p.l.size(dims)
		}
		return &column{v.kind, buf, loop.Int(0), p.l.rowMajor(dims), nil}
	case *product:
		p.key.WriteByte('(')
		if v.funs != nil {
			for _, a := range v.funs.of {
				fmt.Fprintf(&p.key, "%p/%d,", a.fun, a.args)
			}
		}
		out := v.fresh()
		for i, part := range v.parts {
			out.parts[i] = p.inside(part, dims)
		}
		if v.table != nil {
			out.table = p.table(v.table)
		}
		p.key.WriteByte(')')
		return out
	case *array:
		p.key.WriteByte('[')
		n := p.length(v.n)
		out := &array{n: n, elem: p.inside(v.elem, also(dims, n))}
		p.key.WriteByte(']')
		return out
	case *closure:
		return p.function(v)
	case *text:
		p.key.WriteByte('t')
		return v
	case *pending:
		panic(notTotal{})
	}
	p.l.fail("a value that is not known, of a recursive function")
	return nil
}

func (p *pieces) length(n loop.Atom) loop.Atom {
	n = p.piece("n", n)
	if v, ok := n.(*loop.Var); ok && p.fresh {
		p.l.spans.Set(v, &natural)
	}
	return n
}

// table is the one that stands for a table among the pieces.
func (p *pieces) table(t *table) *table {
	if t == nowhere {
		p.key.WriteByte('!')
		return t
	}
	known := p.tables
	if p.fresh {
		known = p.from
	}
	for k, other := range known {
		if other == t {
			fmt.Fprintf(&p.key, "@%d", k)
			return p.tables[k]
		}
	}
	fmt.Fprintf(&p.key, "@%d", len(known))
	out := t
	if p.fresh {
		p.from = append(p.from, t)
		out = &table{data: t.data}
	}
	p.tables = append(p.tables, out)
	return out
}

// rows takes the tables apart, which comes after the values that belong to them.
func (p *pieces) rows() {
	for k := 0; k < len(p.tables); k++ {
		t := p.tables[k]
		if p.fresh {
			t = p.from[k]
		}
		rows := p.inside(t.rows, nil).(*array)
		if p.fresh {
			p.tables[k].rows = rows
		}
	}
}

// constants takes the constants apart that functions among the values use, or makes parameters of
// them.
func (p *pieces) constants() {
	if p.fresh {
		for _, c := range p.used {
			p.l.constants[c.def] = p.value(c.value)
		}
		return
	}
	for _, def := range p.l.constantsOf(p.funs) {
		fmt.Fprintf(&p.key, "=%s", def.Name)
		p.used = append(p.used, constant{def, p.value(p.l.global(&core.Global{Name: def.Name}))})
	}
}

// function takes apart what a function captures, and what it is applied to.
func (p *pieces) function(c *closure) value {
	p.funs = append(p.funs, c.fun)
	if c.rec != nil {
		p.funs = append(p.funs, c.rec.Funs...)
	}
	fmt.Fprintf(&p.key, "%p{", c.fun)
	out := *c
	if c.def == nil {
		out.env = newEnv(nil)
		for _, v := range captured(c) {
			out.env.bind(v, p.inside(p.captive(v, c.env), nil))
		}
		if c.rec != nil {
			bindGroup(c.rec, out.env)
		}
	}
	out.args = make([]value, len(c.args))
	for i, a := range c.args {
		out.args[i] = p.inside(p.whole(a), nil)
	}
	p.key.WriteByte('}')
	if p.key.Len() > maxKey {
		p.l.fail("a recursive function that is given ever new functions")
	}
	return &out
}

// maxKey bounds the description of functions that capture functions.
const maxKey = 10_000

// captive is what a captured variable stands for.
func (p *pieces) captive(v *core.Var, env *env) value { return p.whole(p.l.atom(v, env)) }

// whole is a value whose columns are all of a buffer.
func (p *pieces) whole(v value) value {
	if _, function := v.(*closure); function || p.fresh {
		return v
	}
	return p.l.owned(v)
}

// captured are the variables that a closure captures: those of its group, if it is one of several
// functions that call each other.
func captured(c *closure) []*core.Var {
	if c.rec == nil {
		return core.OpFreeVars(c.fun)
	}
	var free []*core.Var
	seen := map[*core.Var]bool{}
	for _, v := range c.rec.Vars {
		seen[v] = true
	}
	for _, fun := range c.rec.Funs {
		for _, v := range core.OpFreeVars(fun) {
			if !seen[v] {
				seen[v] = true
				free = append(free, v)
			}
		}
	}
	return free
}

// bindGroup binds functions that may call each other.
func bindGroup(rec *core.LetRec, env *env) {
	for i, v := range rec.Vars {
		env.bind(v, &closure{fun: rec.Funs[i], env: env, rec: rec})
	}
}

// eachTable calls f on the tables of a value.
func eachTable(v value, f func(*table)) {
	switch v := v.(type) {
	case *product:
		if v.table != nil {
			f(v.table)
		}
		for _, part := range v.parts {
			eachTable(part, f)
		}
	case *array:
		eachTable(v.elem, f)
	}
}
