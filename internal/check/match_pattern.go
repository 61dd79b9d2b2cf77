package check

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// pat is a pattern reduced to what matters for matching. Either the value must have the given
// head, and its parts must match args, or (head.kind anything) it may be any value. The
// exhaustiveness test and the compilation of match both work on it.
type pat struct {
	head  head
	args  []*pat   // one for each part of head
	binds []binder // what to do with the value if the whole match succeeds
}

// binder is a variable that a pattern binds to the value, or (sig) an annotation that declares
// its type. Exactly one is set.
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
	n      int64         // intHead; boolHead, arrayHead: 0 or 1; tupleHead: the number of elements
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
	arrayHead // an empty array, or (n = 1) a first element and the array of the others
)

// same reports whether two heads of the same type are equal. Two record heads are always equal.
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

// arity returns the number of parts.
func (h head) arity() int {
	switch h.kind {
	case dataHead:
		return len(h.con.Fields)
	case tupleHead:
		return int(h.n)
	case recordHead:
		return len(h.record.Fields)
	case arrayHead:
		return 2 * int(h.n)
	}
	return 0
}

// single reports whether every value of the type has this head, so that no test is necessary.
func (h head) single() bool { return h.kind == tupleHead || h.kind == recordHead }

// siblings returns the number of heads that the type has, or false if it is infinite.
func (h head) siblings() (n int, finite bool) {
	switch h.kind {
	case dataHead:
		return len(h.con.Data.Cons), true
	case boolHead, arrayHead:
		return 2, true
	case tupleHead, recordHead:
		return 1, true
	}
	return 0, false
}

// sibling returns the i-th of the heads that siblings counts.
func (h head) sibling(i int) head {
	switch h.kind {
	case dataHead:
		return head{kind: dataHead, con: h.con.Data.Cons[i]}
	case boolHead:
		return head{kind: boolHead, n: int64(1 - i)}
	case arrayHead:
		return head{kind: arrayHead, n: int64(i)}
	}
	return h
}

var wildcard = &pat{}

// wildcards returns n patterns that match anything.
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

// alternative is a pattern in which one side of each `|` is chosen.
type alternative struct {
	pat *pat
	via []syntax.Pattern // the chosen sides
}

// pattern reduces a source pattern without alternatives.
func (info *Info) pattern(p syntax.Pattern) *pat { return info.alternatives(p)[0].pat }

// alternatives reduces a source pattern to the patterns that its alternatives stand for. Record
// patterns are completed to all fields of the type, and parentheses are removed. The pattern [p,
// q, ..r] becomes one of a first element and the array of the others.
func (info *Info) alternatives(p syntax.Pattern) []alternative {
	switch p := p.(type) {
	case *syntax.PVar:
		return only(&pat{binds: []binder{{node: p, at: p.At}}})
	case *syntax.PNumber:
		n, ok := syntax.Integer(p.Text)
		if !ok {
			return only(wildcard) // reported by Patterns
		}
		return only(&pat{head: head{kind: intHead, n: n}})
	case *syntax.PString:
		return only(&pat{head: head{kind: stringHead, s: p.Value}})
	case *syntax.PBool:
		h := head{kind: boolHead}
		if p.Value {
			h.n = 1
		}
		return only(&pat{head: h})
	case *syntax.PCon:
		con := info.Uses[p.ID].Object.(*Constructor).Con
		return info.headed(head{kind: dataHead, con: con}, p.Args)
	case *syntax.PTuple:
		return info.headed(head{kind: tupleHead, n: int64(len(p.Elems))}, p.Elems)
	case *syntax.PRecord:
		record := types.Resolve(info.Types[p.ID]).(*types.Record)
		args := make([]syntax.Pattern, len(record.Fields))
		for _, f := range p.Fields {
			args[record.Index(f.Name.Name)] = f.Pat
		}
		return info.headed(head{kind: recordHead, record: record}, args)
	case *syntax.PArray:
		rest := only(&pat{head: head{kind: arrayHead}})
		if p.Rest != nil {
			rest = info.alternatives(p.Rest)
		}
		for i := len(p.Elems) - 1; i >= 0; i-- {
			rest = product(head{kind: arrayHead, n: 1}, info.alternatives(p.Elems[i]), rest)
		}
		return rest
	case *syntax.PParen:
		return info.alternatives(p.X)
	case *syntax.PAnnot:
		return info.named(p.X, binder{sig: p.Type, at: p.At})
	case *syntax.PAs:
		return info.named(p.X, binder{node: p.Name, at: p.Name.At})
	case *syntax.POr:
		var all []alternative
		for _, side := range p.Alts {
			for _, alt := range info.alternatives(side) {
				all = append(all, alternative{alt.pat, append([]syntax.Pattern{side}, alt.via...)})
			}
		}
		return all
	}
	return only(wildcard)
}

func only(p *pat) []alternative { return []alternative{{pat: p}} }

// named adds a binder to the alternatives of a pattern.
func (info *Info) named(p syntax.Pattern, by binder) []alternative {
	all := info.alternatives(p)
	for i := range all {
		inner := *all[i].pat
		inner.binds = append([]binder{by}, inner.binds...)
		all[i].pat = &inner
	}
	return all
}

// headed returns the alternatives of a head with the given arguments. A nil argument matches any
// value.
func (info *Info) headed(h head, args []syntax.Pattern) []alternative {
	parts := make([][]alternative, len(args))
	for i, arg := range args {
		parts[i] = info.alternatives(arg)
	}
	return product(h, parts...)
}

// product combines the alternatives of the parts of a head in all ways.
func product(h head, parts ...[]alternative) []alternative {
	all := only(&pat{head: h, args: []*pat{}})
	for _, part := range parts {
		var longer []alternative
		for _, a := range all {
			for _, b := range part {
				args := append(a.pat.args[:len(a.pat.args):len(a.pat.args)], b.pat)
				via := append(a.via[:len(a.via):len(a.via)], b.via...)
				longer = append(longer, alternative{&pat{head: h, args: args}, via})
			}
		}
		all = longer
	}
	return all
}

// countAlternatives returns len(alternatives(p)), or a number beyond maxAlternatives.
func countAlternatives(p syntax.Pattern) int {
	sum, product := 0, 1
	syntax.Inspect(p, func(n syntax.Node) bool {
		if n == syntax.Node(p) {
			return true
		}
		if q, ok := n.(syntax.Pattern); ok {
			count := countAlternatives(q)
			sum = min(sum+count, 2*maxAlternatives)
			product = min(product*count, 2*maxAlternatives)
		}
		return false
	})
	if _, ok := p.(*syntax.POr); ok {
		return sum
	}
	return product
}

// alternativesIn returns an or-pattern inside a pattern, or nil.
func alternativesIn(p syntax.Pattern) (found *syntax.POr) {
	syntax.Inspect(p, func(n syntax.Node) bool {
		if or, ok := n.(*syntax.POr); ok && found == nil {
			found = or
		}
		return found == nil
	})
	return found
}
