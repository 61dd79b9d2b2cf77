package driver

import (
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Orders of primitives]
//
// A primitive of the host may lack second derivatives, or all derivatives. Differentiating it
// more often than it allows is an error of the call. If every call would have this error, it is
// reported when the function is bound. orders finds these cases: it follows the definition, and
// records for each variable which derivatives in progress its value certainly depends on. It
// draws no conclusion about branches, unknown functions, or components whose dependencies it does
// not know.

// levels is a set of derivatives in progress, with one bit for each.
type levels uint64

type orders struct {
	defs    map[string]*core.Def
	of      map[*core.Var]levels
	made    map[*core.Var]core.Op // the operation that made each variable
	next    levels                // the bit of the next derivative
	depth   int                   // the depth of the calls that are followed
	failure *diag.Diagnostic
}

// lacking returns a diagnostic if a definition certainly needs a derivative that a primitive of
// the host does not have.
func lacking(p *core.Program, root *core.Def) *diag.Diagnostic {
	o := &orders{defs: map[string]*core.Def{}, of: map[*core.Var]levels{},
		made: map[*core.Var]core.Op{}, next: 1}
	p.EachDef(func(d *core.Def) { o.defs[d.Name] = d })
	if fun := root.Function(); fun != nil {
		o.block(fun.Body, true)
	}
	return o.failure
}

func (o *orders) atom(a core.Atom) levels {
	if v, ok := a.(*core.Var); ok {
		return o.of[v]
	}
	return 0
}

// any returns the union of the levels that the atoms depend on.
func (o *orders) any(list []core.Atom) (l levels) {
	for _, a := range list {
		l |= o.atom(a)
	}
	return l
}

func (o *orders) all(list []core.Atom) levels {
	l := ^levels(0)
	for _, a := range list {
		l &= o.atom(a)
	}
	return l
}

// block follows a block. sure says that the block certainly runs.
func (o *orders) block(b *core.Block, sure bool) levels {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok {
			o.made[let.Var] = let.Op
			l := o.op(let, sure)
			if ty := types.Resolve(let.Var.Ty); ty != types.Type(types.Int) && ty != types.Type(
				types.Bool) {
				o.of[let.Var] = l
			}
		}
	}
	return o.atom(b.Result)
}

func (o *orders) op(let *core.Let, sure bool) levels {
	switch op := let.Op.(type) {
	case *core.Prim:
		return o.primitive(op, sure, let.At)
	case *core.Apply:
		fun := o.function(op.Fun)
		if fun == nil || len(fun.Params) != len(op.Args) {
			return 0
		}
		for i, v := range fun.Params {
			o.of[v] = o.atom(op.Args[i])
		}
		return o.call(fun, sure)
	case *core.Tuple:
		return o.all(op.Elems)
	case *core.Record:
		return o.all(op.Elems)
	case *core.Array:
		return o.all(op.Elems)
	case *core.Proj:
		if v, ok := op.Of.(*core.Var); ok {
			if tuple, ok := o.made[v].(*core.Tuple); ok {
				return o.atom(tuple.Elems[op.Index])
			}
		}
		return o.atom(op.Of)
	case *core.Field:
		if v, ok := op.Of.(*core.Var); ok {
			if record, ok := o.made[v].(*core.Record); ok {
				return o.atom(record.Elems[op.Index])
			}
		}
		return o.atom(op.Of)
	case *core.Index:
		return o.atom(op.Of)
	case *core.Slice:
		return o.atom(op.Of)
	case *core.If:
		return o.block(op.Then, false) & o.block(op.Else, false)
	case *core.Build:
		return o.block(op.Body, sure)
	case *core.Map:
		for i, v := range op.Params {
			o.of[v] = o.atom(op.Arrays[i])
		}
		return o.block(op.Body, sure)
	case *core.Reduce:
		o.of[op.Acc], o.of[op.Elem] = o.atom(op.Init), o.atom(op.Array)
		return o.block(op.Body, sure)
	}
	return 0
}

// primitive follows an application of a row of the table or of the host.
func (o *orders) primitive(op *core.Prim, sure bool, at diag.Span) levels {
	row := op.Prim
	if row.Kind == prim.Derivation {
		fun := o.function(op.Args[0])
		if fun == nil || len(fun.Params) != 1 {
			return 0
		}
		bit := o.next
		o.next <<= 1
		o.of[fun.Params[0]] = o.atom(op.Args[1]) | bit
		return o.call(fun, sure)&^bit | o.any(op.Args[1:])
	}
	if row.Kind != prim.Ordinary {
		return 0
	}
	l := o.any(op.Args)
	if n := bits.OnesCount64(uint64(l)); sure && row.Orders > 0 && n >= row.Orders &&
		o.failure == nil {
		lacks := "Grad"
		if row.Orders > 1 {
			lacks = "Higher"
		}
		o.failure = diag.Errorf(diag.CannotBind, at,
			"the primitive `%s` is differentiated %s, and lacks %s",
			row.Name, [...]string{"", "once", "twice"}[min(n, 2)], lacks)
	}
	return l
}

// call follows the body of a function, up to a maximal depth.
func (o *orders) call(fun *core.Lambda, sure bool) levels {
	if o.depth > 20 || o.next == 0 {
		return 0
	}
	o.depth++
	defer func() { o.depth-- }()
	return o.block(fun.Body, sure)
}

// function returns the function that an atom denotes, or nil if that is not known.
func (o *orders) function(a core.Atom) *core.Lambda {
	switch a := a.(type) {
	case *core.Var:
		fun, _ := o.made[a].(*core.Lambda)
		return fun
	case *core.Global:
		if def := o.defs[a.Name]; def != nil {
			return def.Function()
		}
	}
	return nil
}
