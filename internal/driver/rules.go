package driver

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Ruled reports on a definition that reaches a function with a rule of the program, and how the
// rule compares with the derivative of its function.
type Ruled struct {
	Name    string
	Rules   int       // how many rules were compared
	Points  int       // at how many points
	Orders  []Compare // comparisons of derivatives, from the first order on
	Values  int       // how often an enclosure was compared with its function
	Least   float64   // the smallest magnitude of a nonzero number; 0 if there was none
	Largest float64   // the largest magnitude
	Shorter int       // the fewest reals of an argument
	Longer  int       // the most reals of an argument
	Wrong   bool      // whether a rule differs from the derivative
	Because string    // why nothing was compared
}

// Compare counts the comparisons at one order of derivatives.
type Compare struct {
	Times int
	Off   float64 // the largest difference, relative to the largest component
}

// ruleOrders is the highest order up to which definitions are differentiated.
const ruleOrders = 3

// ruleEps is the tolerance of the enclosures by which the program's own enclosures are compared
// with their functions.
var ruleEps = big.NewRat(1, 1000)

// add records a comparison that found a rule to be right.
func (r *Ruled) add(a core.Agreement) {
	if a.Order == 0 {
		r.Values++
		return
	}
	for len(r.Orders) < a.Order {
		r.Orders = append(r.Orders, Compare{})
	}
	o := &r.Orders[a.Order-1]
	o.Times++
	o.Off = max(o.Off, a.Off)
	if a.Reals == nil {
		return
	}
	if r.Longer == 0 || len(a.Reals) < r.Shorter {
		r.Shorter = len(a.Reals)
	}
	r.Longer = max(r.Longer, len(a.Reals))
	for _, x := range a.Reals {
		x = math.Abs(x)
		if r.Largest = max(r.Largest, x); x != 0 && (x < r.Least || r.Least == 0) {
			r.Least = x
		}
	}
}

// CheckRules tests the rules and enclosures that a unit states. It differentiates each definition
// that reaches a rule, at points in many regions, over the reals and on doubles, up to the third
// order. Each evaluation compares enclosures with their functions, and rules with the derivatives
// of theirs. Each wrong rule is reported to sink once. The timeout of the settings applies to
// each point.
func (w *World) CheckRules(ctx context.Context, u *Unit, s Settings, sink *diag.List) (
	found []Ruled) {
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
			r.add(a)
		}
		done := map[string]bool{}
		for k, at := range regions {
			point, because := sampled(name, given, result, k, at)
			if because != "" {
				r.Because = because
				break
			}
			if done[point(1)] {
				continue // the type has no numbers, or no arrays
			}
			done[point(1)] = true
			before := compared
			d := w.checkAt(ctx, u, s, point, at == region{})
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

// checkAt differentiates a definition at a point, to the highest order at which that works. If
// enclose, it also encloses the derivative there.
func (w *World) checkAt(ctx context.Context, u *Unit, s Settings, point func(order int) string,
	enclose bool) (d *diag.Diagnostic) {
	for order := ruleOrders; order > 0; order-- {
		var own diag.List
		unit := w.LoadText("<point>", point(order), []*Unit{u}, &own)
		if own.Failed() || unit == nil {
			return diag.Errorf(diag.ShapesDiffer, diag.Span{},
				"no value of its arguments' types was found")
		}
		within, done := s.Within(ctx)
		if d = nil; enclose && order == 1 {
			_, d = RunExact(within, unit, s, Exactly{Eps: ruleEps}) // this compares enclosures
		}
		if d == nil || d.Code != diag.WrongRule && ctx.Err() == nil {
			_, d = Run(within, unit, s)
		}
		done()
		if ctx.Err() != nil || d != nil &&
			(d.Code == diag.WrongRule || d.Code == diag.CapturedByRule) || d == nil && !enclose {
			break
		}
	}
	return d
}

// reachesRules returns the names of a unit's definitions that reach a function of the prelude
// that makes a rule, by way of definitions of the unit.
func reachesRules(u *Unit) map[string]bool {
	makes := func(name string) bool {
		switch name {
		case "prelude.withDerivative", "prelude.withPullback", "prelude.fromDerivatives",
			"prelude.withEnclosure":
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
				if g, ok := a.(*core.Global); ok && (makes(g.Name) || reaches[g.Name]) &&
					!reaches[d.Name] {
					reaches[d.Name], changed = true, true
				}
			})
		}
	}
	return reaches
}

// sampled returns a function that makes the text of a program, which differentiates a definition
// `order` times at its k-th point in a region. If there is none, because says why.
func sampled(name string, given []types.Type, result types.Type, k int, at region) (
	text func(order int) string, because string) {
	if len(given) == 0 {
		return nil, "it is not a function"
	}
	if types.Member(result, types.Diff) != nil {
		return nil, "its result contains a function"
	}
	p := &sampler{k: uint64(k), region: at}
	var params, points []string
	for i, t := range given {
		points = append(points, p.expression(t, 0))
		params = append(params, fmt.Sprintf("a%d", i))
	}
	if p.because != "" {
		return nil, p.because
	}
	point, pattern := points[0], params[0]
	if len(params) > 1 {
		point, pattern = "("+strings.Join(points, ", ")+")", "("+strings.Join(params, ", ")+")"
	}
	return func(order int) string {
		f := fmt.Sprintf("(fun %s => %s %s)", pattern, name, strings.Join(params, " "))
		for range order - 1 {
			f = fmt.Sprintf("(fun q => jvp %s q v)", f)
		}
		return fmt.Sprintf("let p = %s\nlet v = %s\njvp %s p v\n", point, point, f)
	}, ""
}

// region says how large the numbers of a point are, and how long its arrays. Zero fields stand
// for the usual numbers and lengths.
type region struct {
	// the magnitude of the numbers, which are up to twice as large; a negative size makes
	// negative numbers
	size   float64
	only   string // the numbers to use, separated by spaces
	length int    // the length of arrays; -1 for empty ones
}

// regions lists where rules are compared: at usual points, at numbers of every magnitude and
// sign, at special numbers, and for arrays of several lengths.
var regions = func() []region {
	list := make([]region, 8)
	for e := -8; e <= 8; e += 2 {
		list = append(list, region{size: math.Pow10(e)}, region{size: -math.Pow10(e)})
	}
	for _, only := range []string{"0", "1", "-1", "0 1 -1 2 0.5", "10", "100"} {
		list = append(list, region{only: only})
	}
	for _, n := range []int{-1, 1, 2, 4, 9, 30, 100} {
		list = append(list, region{length: n}, region{length: n, size: 1})
	}
	return list
}()

// SamplePoint returns a value of a type as a program writes it, with reals between 0 and 1. It
// returns "" if it cannot make one.
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
	region
	k, n    uint64 // the index of the point, and how many numbers have been made
	short   bool   // whether numbers have two digits, for people to read
	because string // why there is no value
}

// number returns a number of the region. The usual numbers are between -3 and 3, and at every
// other point between 0 and 1.
func (p *sampler) number() float64 {
	p.n++
	h := (p.k*1009 + p.n) * 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	x := float64((h^h>>31)>>54) / 1024
	if only := strings.Fields(p.only); len(only) > 0 {
		x, _ = strconv.ParseFloat(only[h>>32%uint64(len(only))], 64)
		return x
	}
	if p.size != 0 {
		return p.size * (1 + x)
	}
	if p.k%2 == 0 {
		return (x+0.5/1024)*6 - 3
	}
	return x + 0.5/1024
}

// real returns a number as a program writes it.
func (p *sampler) real() string {
	if p.short {
		return fmt.Sprintf("%.2g", p.number())
	}
	return fmt.Sprintf("(%v)", p.number())
}

// expression returns a value of a type as a program writes it.
func (p *sampler) expression(t types.Type, depth int) string {
	t = types.Resolve(t)
	switch t {
	case types.Real:
		return p.real()
	case types.Int:
		switch {
		case p.length != 0:
			return fmt.Sprint(max(p.length, 0))
		case p.size != 0 || p.only != "":
			return "2"
		}
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
		n := p.length
		if n == 0 || depth > 1 && n > usualLength {
			n = usualLength
		}
		return "[" + strings.Join(list(slices.Repeat([]types.Type{t.Elem}, max(n, 0))), ", ") + "]"
	case *types.Data:
		return p.construct(t, depth)
	case *types.Fun:
		p.because = "an argument of it is a function"
	default:
		p.because = "an argument of it has no values that could be chosen"
	}
	return "()"
}

// usualLength is the usual length of arrays.
const usualLength = 3

// construct returns a value of a data type. Near the top it uses any constructor, and deeper down
// one with few fields.
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
