package check

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The types that random patterns have: small ones, so that all values that
// patterns of bounded depth can tell apart can be listed.
var (
	colour  = dataType("Colour", nil, con("Red"), con("Green"), con("Blue"))
	wrapper = dataType("Wrapper", nil, con("Wrap", colour, types.Bool), con("Bare"))
	list    = func() *types.Data {
		decl := &types.DataDecl{Name: "Bits"}
		self := &types.Data{Decl: decl}
		return fill(decl, con("Nil"), con("Cons", types.Bool, self))
	}()
	testTypes = []types.Type{
		types.Bool, types.Int, types.String, colour, wrapper, list,
		&types.Tuple{Elems: []types.Type{colour, types.Int}},
		&types.Tuple{Elems: []types.Type{list, list}},
		&types.Tuple{Elems: []types.Type{types.Bool, types.Bool, wrapper}},
		&types.Record{Fields: []types.Field{{Name: "x", Type: wrapper}, {Name: "y", Type: types.Bool}}},
	}
)

func con(name string, fields ...types.Type) *types.Con {
	return &types.Con{Name: name, Fields: fields}
}

func dataType(name string, params []*types.Param, cons ...*types.Con) *types.Data {
	return fill(&types.DataDecl{Name: name, Params: params}, cons...)
}

func fill(decl *types.DataDecl, cons ...*types.Con) *types.Data {
	for i, c := range cons {
		c.Data, c.Tag = decl, i
	}
	decl.Cons = cons
	return &types.Data{Decl: decl}
}

// headsOf lists heads of a type; for those without end, the few that patterns
// use and one that they do not.
func headsOf(t types.Type) []head {
	switch t := t.(type) {
	case *types.Tuple:
		return []head{{kind: tupleHead, n: int64(len(t.Elems))}}
	case *types.Record:
		return []head{{kind: recordHead, record: t}}
	case *types.Data:
		return siblings(head{kind: dataHead, con: t.Decl.Cons[0]})
	}
	switch t {
	case types.Bool:
		return siblings(head{kind: boolHead})
	case types.Int:
		return []head{{kind: intHead, n: 0}, {kind: intHead, n: 1}, {kind: intHead, n: 7}}
	}
	return []head{{kind: stringHead, s: ""}, {kind: stringHead, s: "a"}, {kind: stringHead, s: "never"}}
}

// siblings lists the heads of a type with an end.
func siblings(h head) []head {
	n, _ := h.siblings()
	all := make([]head, n)
	for i := range all {
		all[i] = h.sibling(i)
	}
	return all
}

func partTypes(t types.Type, h head) []types.Type {
	if h.kind == anything {
		return nil
	}
	switch t := t.(type) {
	case *types.Tuple:
		return t.Elems
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		for i, f := range t.Fields {
			ts[i] = f.Type
		}
		return ts
	case *types.Data:
		return h.con.FieldTypes(t)
	}
	return nil
}

// patGen draws a pattern of a type, at most depth heads deep.
func patGen(t *rapid.T, ty types.Type, depth int) *pat {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "wild") == 0 {
		return wildcard
	}
	heads := headsOf(ty)
	if ty == types.Int || ty == types.String {
		heads = heads[:2]
	}
	h := rapid.SampledFrom(heads).Draw(t, "head")
	p := &pat{head: h}
	for _, part := range partTypes(ty, h) {
		p.args = append(p.args, patGen(t, part, depth-1))
	}
	return p
}

// values lists the values of a type to a depth: patterns without wildcards,
// but for what lies deeper.
func values(ty types.Type, depth int) []*pat {
	if depth == 0 {
		return []*pat{wildcard}
	}
	var all []*pat
	for _, h := range headsOf(ty) {
		rows := [][]*pat{nil}
		for _, part := range partTypes(ty, h) {
			var next [][]*pat
			for _, row := range rows {
				for _, v := range values(part, depth-1) {
					next = append(next, append(append([]*pat(nil), row...), v))
				}
			}
			rows = next
		}
		for _, row := range rows {
			all = append(all, &pat{head: h, args: row})
		}
	}
	return all
}

// matches returns the meaning of patterns.
func matches(p, value *pat) bool {
	if p.head.kind == anything {
		return true
	}
	if !p.head.same(value.head) {
		return false
	}
	for i, arg := range p.args {
		if !matches(arg, value.args[i]) {
			return false
		}
	}
	return true
}

const patDepth = 3

func drawMatch(t *rapid.T) (types.Type, []*pat) {
	ty := rapid.SampledFrom(testTypes).Draw(t, "type")
	n := rapid.IntRange(1, 7).Draw(t, "arms")
	pats := make([]*pat, n)
	for i := range pats {
		pats[i] = patGen(t, ty, patDepth)
	}
	return ty, pats
}

func firstMatch(pats []*pat, value *pat) int {
	for i, p := range pats {
		if matches(p, value) {
			return i
		}
	}
	return -1
}

// TestUsefulness compares the test of exhaustiveness and redundancy with
// looking at all values.
func TestUsefulness(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ty, pats := drawMatch(t)
		all := values(ty, patDepth)
		reached := make([]bool, len(pats))
		covered := true
		for _, v := range all {
			if i := firstMatch(pats, v); i >= 0 {
				reached[i] = true
			} else {
				covered = false
			}
		}
		rows := make([][]*pat, len(pats))
		for i, p := range pats {
			rows[i] = []*pat{p}
		}
		m := newMatrix(nil)
		missed := m.missing(rows, 1, maxWitnesses)
		if covered != (len(missed) == 0) {
			t.Fatalf("covered %v, but %d witnesses", covered, len(missed))
		}
		for _, w := range missed {
			some := false
			for _, v := range all {
				if !matches(w[0], v) && !mentionsFresh(w[0]) {
					continue
				}
				some = true
				if matches(w[0], v) && firstMatch(pats, v) >= 0 {
					t.Fatalf("witness %s is matched", (&witness{info: &Info{}}).show(w[0]))
				}
			}
			if !some {
				t.Fatalf("witness %s stands for nothing", (&witness{info: &Info{}}).show(w[0]))
			}
		}
		for i := range rows {
			if got := m.useful(rows[:i], rows[i]); got != reached[i] {
				t.Fatalf("arm %d: useful is %v, want %v", i, got, reached[i])
			}
		}
	})
}

// mentionsFresh reports whether a witness has a literal that values does not
// list, having one of its own that no pattern uses.
func mentionsFresh(p *pat) bool {
	if p.head.kind == intHead && p.head.n > 1 || p.head.kind == stringHead && len(p.head.s) > 1 {
		return true
	}
	for _, arg := range p.args {
		if mentionsFresh(arg) {
			return true
		}
	}
	return false
}

// follow runs a plan on a value.
func follow(p plan, at map[*place]*pat) int {
	switch p := p.(type) {
	case *reach:
		return p.arm
	case *stuck:
		return -1
	case *attempt:
		if arm := follow(p.first, at); arm >= 0 {
			return arm
		}
		return follow(p.rest, at)
	case *open:
		putParts(at, p.parts, at[p.of])
		return follow(p.then, at)
	case *choice:
		v := at[p.of]
		for _, b := range p.branches {
			if b.head.same(v.head) {
				putParts(at, b.parts, v)
				return follow(b.then, at)
			}
		}
		return follow(p.otherwise, at)
	}
	panic("unknown plan")
}

func putParts(at map[*place]*pat, parts []*place, v *pat) {
	for i, part := range parts {
		if part != nil {
			at[part] = v.args[i]
		}
	}
}

func planSize(p plan) int {
	n := 1
	switch p := p.(type) {
	case *attempt:
		n += planSize(p.first) + planSize(p.rest)
	case *open:
		n += planSize(p.then)
	case *choice:
		for _, b := range p.branches {
			n += planSize(b.then)
		}
		if p.otherwise != nil {
			n += planSize(p.otherwise)
		}
	}
	return n
}

// TestPlans compares decision trees and backtracking automata with trying the
// arms one by one.
func TestPlans(t *testing.T) {
	same := func(t types.Type) types.Type { return t }
	property.Check(t, func(t *rapid.T) {
		ty, pats := drawMatch(t)
		whole := &place{ty: ty, name: "t"}
		rows := make([]*matchRow, len(pats))
		for i, p := range pats {
			rows[i] = (&matchRow{arm: i}).with(test{whole, p})
		}
		tree := &planner{ty: same, budget: 1 << 20, reached: map[int]int{}}
		linear := &planner{ty: same, backtrack: true, reached: map[int]int{}}
		for name, p := range map[string]plan{"tree": tree.plan(rows), "automaton": linear.plan(rows)} {
			for _, v := range values(ty, patDepth) {
				if got, want := follow(p, map[*place]*pat{whole: v}), firstMatch(pats, v); got != want {
					t.Fatalf("%s: arm %d, want %d for %s", name, got, want, (&witness{info: &Info{}}).show(v))
				}
			}
		}
	})
}

// TestPlanIsLinear gives a family of matches whose decision trees are
// exponential: row i wants a Green in column i and nothing else.
func TestPlanIsLinear(t *testing.T) {
	same := func(t types.Type) types.Type { return t }
	for _, n := range []int{8, 16, 32, 64} {
		parts := make([]*place, 2*n)
		for i := range parts {
			parts[i] = &place{ty: colour, name: "t"}
		}
		var rows []*matchRow
		size := 0
		heads := headsOf(colour)
		for i := range n {
			args := wildcards(2 * n)
			args[i] = &pat{head: heads[i%3]}
			args[2*n-1-i] = &pat{head: heads[(i+1)%3]}
			rows = append(rows, (&matchRow{arm: i}).with(testsOf(parts, args)...))
			size += 2 * n
		}
		rows = append(rows, &matchRow{arm: n})
		p, _ := planMatch(same, rows, 4*size)
		if got := planSize(p); got > 8*size+128 {
			t.Errorf("%d rows, %d patterns: a plan of %d nodes", n, size, got)
		}
	}
}

// TestUsefulnessIsBounded asks a question that would take exponential time,
// and wants to hear soon that there is no answer.
func TestUsefulnessIsBounded(t *testing.T) {
	const n = 40
	heads := headsOf(colour)
	var rows [][]*pat
	for i := range n {
		for k := range 3 {
			row := wildcards(2 * n)
			row[i], row[2*n-1-i] = &pat{head: heads[k]}, &pat{head: heads[(k+1)%3]}
			rows = append(rows, row)
		}
	}
	m := &matrix{work: 100_000}
	m.useful(rows, wildcards(2*n))
	if m.work < -10*len(rows) {
		t.Errorf("it went on for %d rows after its budget", -m.work)
	}
}
