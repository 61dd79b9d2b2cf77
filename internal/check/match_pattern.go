package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// pat is a pattern reduced to what matching is about: a value either must
// have the given head, and its parts must match args, or (head.kind anything)
// it may be whatever it is. The exhaustiveness test and the compilation of
// match both work on it.
type pat struct {
	head  head
	args  []*pat   // one for each part of head
	binds []binder // what happens with the value if the whole match succeeds
}

// binder is a variable that a pattern gives to the value, or (sig) an
// annotation that declares its type; exactly one is set.
type binder struct {
	node *syntax.PVar
	sig  *syntax.Signature
	at   diag.Span
}

// head is the outermost layer of a value.
type head struct {
	kind   headKind
	con    *types.Con    // dataHead
	record *types.Record // recordHead
	n      int64         // intHead; boolHead: 0 or 1; tupleHead: the number of elements
	s      string        // stringHead
}

type headKind uint8

const (
	anything headKind = iota
	dataHead
	tupleHead
	recordHead
	boolHead
	intHead
	stringHead
)

// same compares heads of one type, so that two record heads always agree.
func (h head) same(g head) bool {
	return h.kind == g.kind && h.con == g.con && h.n == g.n && h.s == g.s
}

// headKey identifies a head among those of its type.
type headKey struct {
	con *types.Con
	n   int64
	s   string
}

func (h head) key() headKey { return headKey{h.con, h.n, h.s} }

// arity is the number of parts.
func (h head) arity() int {
	switch h.kind {
	case dataHead:
		return len(h.con.Fields)
	case tupleHead:
		return int(h.n)
	case recordHead:
		return len(h.record.Fields)
	}
	return 0
}

// single tells whether every value of the type has this head, so that there
// is nothing to test.
func (h head) single() bool { return h.kind == tupleHead || h.kind == recordHead }

// siblings counts the heads of the type, or gives false if there is no end to
// them.
func (h head) siblings() (n int, finite bool) {
	switch h.kind {
	case dataHead:
		return len(h.con.Data.Cons), true
	case boolHead:
		return 2, true
	case tupleHead, recordHead:
		return 1, true
	}
	return 0, false
}

// sibling is one of the heads that siblings counts.
func (h head) sibling(i int) head {
	switch h.kind {
	case dataHead:
		return head{kind: dataHead, con: h.con.Data.Cons[i]}
	case boolHead:
		return head{kind: boolHead, n: int64(1 - i)}
	}
	return h
}

var wildcard = &pat{}

// wildcards is n patterns that match anything.
func wildcards(n int) []*pat {
	ps := make([]*pat, n)
	for i := range ps {
		ps[i] = wildcard
	}
	return ps
}

// size counts the heads of a pattern.
func (p *pat) size() int {
	n := 1
	for _, arg := range p.args {
		n += arg.size()
	}
	return n
}

// binders lists all binders of a pattern, in source order.
func (p *pat) binders(into []binder) []binder {
	into = append(into, p.binds...)
	for _, arg := range p.args {
		into = arg.binders(into)
	}
	return into
}

// pattern reduces a pattern of the source. Record patterns are completed to
// all fields of the type, and parentheses vanish.
func (info *Info) pattern(p syntax.Pattern) *pat {
	switch p := p.(type) {
	case *syntax.PVar:
		return &pat{binds: []binder{{node: p, at: p.At}}}
	case *syntax.PNumber:
		n, ok := syntax.Integer(p.Text)
		if !ok {
			return wildcard // reported by Patterns
		}
		return &pat{head: head{kind: intHead, n: n}}
	case *syntax.PString:
		return &pat{head: head{kind: stringHead, s: p.Value}}
	case *syntax.PBool:
		h := head{kind: boolHead}
		if p.Value {
			h.n = 1
		}
		return &pat{head: h}
	case *syntax.PCon:
		con := info.Uses[p.ID].Object.(*Constructor).Con
		return &pat{head: head{kind: dataHead, con: con}, args: info.patterns(p.Args)}
	case *syntax.PTuple:
		return &pat{head: head{kind: tupleHead, n: int64(len(p.Elems))}, args: info.patterns(p.Elems)}
	case *syntax.PRecord:
		record := types.Resolve(info.Types[p.ID]).(*types.Record)
		args := wildcards(len(record.Fields))
		for _, f := range p.Fields {
			args[record.Index(f.Name.Name)] = info.pattern(f.Pat)
		}
		return &pat{head: head{kind: recordHead, record: record}, args: args}
	case *syntax.PParen:
		return info.pattern(p.X)
	case *syntax.PAnnot:
		inner := *info.pattern(p.X)
		inner.binds = append([]binder{{sig: p.Type, at: p.At}}, inner.binds...)
		return &inner
	}
	return wildcard
}

func (info *Info) patterns(ps []syntax.Pattern) []*pat {
	args := make([]*pat, len(ps))
	for i, p := range ps {
		args[i] = info.pattern(p)
	}
	return args
}
