package driver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Ruled is a definition that reaches a function with a rule of the program's own, and how the
// rule compares with the derivative of its function.
type Ruled struct {
	Name    string
	Rules   int    // that were compared
	Points  int    // at which they were
	Wrong   bool   // one of them differs from the derivative
	Because string // if there are none: why
}

// rulePoints is at how many points each definition is differentiated.
const rulePoints = 8

// ruleEps is how closely the definitions are enclosed, which makes enclosures of the program's own
// be compared with their functions.
var ruleEps = big.NewRat(1, 1000)

// CheckRules differentiates each definition of a unit that reaches a rule at points of its
// arguments' types, over the reals and on doubles, so that enclosures are compared with their
// functions, and rules with the derivatives of theirs. Wrong ones go to sink, each once. The time of
// the settings is that of one point.
func (w *World) CheckRules(ctx context.Context, u *Unit, s Settings, sink *diag.List) (found []Ruled) {
	reaches := reachesRules(u)
	wrong := map[diag.Span]bool{}
	for _, name := range u.Info.Interface.Order {
		global := u.Info.Interface.Value(name)
		if global == nil || !reaches[u.Info.Name+"."+name] || strings.HasPrefix(name, "_") {
			continue
		}
		r := Ruled{Name: name}
		given, result := types.Splay(global.Scheme.Type, math.MaxInt)
		rules := map[diag.Span]bool{}
		compared := 0
		s.Compile.TrustRules = false
		s.Compile.RuleCompared = func(a core.Agreement) {
			rules[a.At] = true
			compared++
		}
		for k := range rulePoints {
			text, because := sampled(name, given, result, k)
			if because != "" {
				r.Because = because
				break
			}
			var own diag.List
			unit := w.LoadText("<point>", text, []*Unit{u}, &own)
			if own.Failed() || unit == nil {
				r.Because = "no point of its arguments' types is known"
				break
			}
			before := compared
			point, done := s.Within(ctx)
			_, d := RunExact(point, unit, s, Exactly{Eps: ruleEps}) // compares enclosures
			if d == nil || d.Code != diag.WrongRule && ctx.Err() == nil {
				_, d = Run(point, unit, s)
			}
			done()
			if d != nil && (d.Code == diag.WrongRule || d.Code == diag.CapturedByRule) {
				if !wrong[d.Span] {
					wrong[d.Span] = true
					sink.Add(d)
				}
				r.Wrong = true
				break
			}
			if d != nil && ctx.Err() != nil {
				sink.Add(d)
				return found
			}
			if compared > before {
				r.Points++
			} else if d != nil && r.Because == "" {
				r.Because = "it fails: " + d.Message
			}
		}
		if r.Rules = len(rules); r.Rules == 0 && r.Because == "" {
			r.Because = "no point led to the rule, or its function has no derivative there"
		}
		found = append(found, r)
	}
	return found
}

// reachesRules is the names of the definitions of a unit from which the functions of the prelude
// that make rules are reached, by definitions of the unit itself.
func reachesRules(u *Unit) map[string]bool {
	makes := func(name string) bool {
		switch name {
		case "prelude.withDerivative", "prelude.withPullback", "prelude.fromDerivatives", "prelude.withEnclosure":
			return true
		}
		return false
	}
	reaches := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, d := range u.Core.Defs {
			if reaches[d.Name] {
				continue
			}
			core.Atoms(d.Body, func(a core.Atom) {
				if g, ok := a.(*core.Global); ok && (makes(g.Name) || reaches[g.Name]) && !reaches[d.Name] {
					reaches[d.Name], changed = true, true
				}
			})
		}
	}
	return reaches
}

// sampled is a program that differentiates a definition at its k-th point, or why there is none.
func sampled(name string, given []types.Type, result types.Type, k int) (text, because string) {
	if len(given) == 0 {
		return "", "it is not a function"
	}
	if types.Member(result, types.Diff) != nil {
		return "", "its result contains a function"
	}
	p := &sampler{k: uint64(k)}
	var params, points []string
	for i, t := range given {
		points = append(points, p.expression(t, 0))
		params = append(params, fmt.Sprintf("a%d", i))
	}
	if p.because != "" {
		return "", p.because
	}
	point, pattern := points[0], params[0]
	if len(params) > 1 {
		point, pattern = "("+strings.Join(points, ", ")+")", "("+strings.Join(params, ", ")+")"
	}
	return fmt.Sprintf("let p = %s\njvp (fun %s => %s %s) p p\n", point, pattern, name, strings.Join(params, " ")), ""
}

// SamplePoint is a value of a type as a program writes it, with reals between 0 and 1; "" where
// none can be made.
func SamplePoint(t types.Type) string {
	p := &sampler{k: 1, short: true}
	text := p.expression(t, 0)
	if p.because != "" {
		return ""
	}
	return text
}

// sampler makes values of types.
type sampler struct {
	k, n    uint64 // which point, and how many numbers have been made
	short   bool   // numbers have two digits, for people to read
	because string // there is none
}

// number is between -3 and 3, and at every other point between 0 and 1.
func (p *sampler) number() float64 {
	p.n++
	h := (p.k*1009 + p.n) * 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	x := float64((h^h>>31)>>54) / 1024
	if p.k%2 == 0 {
		return (x+0.5/1024)*6 - 3
	}
	return x + 0.5/1024
}

// real is a number as a program writes it.
func (p *sampler) real() string {
	if p.short {
		return fmt.Sprintf("%.2g", p.number())
	}
	return fmt.Sprintf("(%v)", p.number())
}

// expression is a value of a type as a program writes it.
func (p *sampler) expression(t types.Type, depth int) string {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		return p.real()
	case types.Int:
		return fmt.Sprint(1 + int(3*math.Abs(p.number()))%3)
	case types.Bool:
		return fmt.Sprint(p.number() > 0.3)
	case types.String:
		return `"a"`
	}
	list := func(ts []types.Type) []string {
		var parts []string
		for _, t := range ts {
			parts = append(parts, p.expression(t, depth+1))
		}
		return parts
	}
	switch t := t.(type) {
	case *types.Param, *types.Meta:
		return p.real()
	case *types.Tuple:
		return "(" + strings.Join(list(t.Elems), ", ") + ")"
	case *types.Record:
		var parts []string
		for _, f := range t.Fields {
			parts = append(parts, f.Name+" = "+p.expression(f.Type, depth+1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *types.Array:
		return "[" + strings.Join(list([]types.Type{t.Elem, t.Elem, t.Elem}), ", ") + "]"
	case *types.Data:
		return p.construct(t, depth)
	case *types.Fun:
		p.because = "an argument of it is a function"
	default:
		p.because = "an argument of it has no values that could be chosen"
	}
	return "()"
}

// construct is a value of a data type: any constructor near the top, and soon one without fields.
func (p *sampler) construct(t *types.Data, depth int) string {
	cons := t.Decl.Cons
	con := cons[int(1024*math.Abs(p.number()))%len(cons)]
	for _, c := range cons {
		if depth > 4 && len(c.Fields) < len(con.Fields) {
			con = c
		}
	}
	if depth > 16 {
		p.because = "an argument of it has no small value"
		return "()"
	}
	parts := []string{con.Name}
	for _, f := range con.FieldTypes(t) {
		parts = append(parts, p.expression(f, depth+1))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
