package fit

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
)

// Note [The least minimum]. A fit ends at a minimum near where it began. Whether there is a lower
// one in a box of the parameters is found by branch and bound: package exact, Note [Optima in
// boxes]. A sum of squares whose residuals are affine in some parameters, as a spectrum is in the
// heights of its peaks, is searched in the others only: Note [Projection] there. If the search
// finds a lower minimum, that is the estimate. The objective is the one that Note [The proof of a
// minimum] speaks of, on the same terms.

// Global says what is proved of the least minimum in a box.
type Global struct {
	*exact.Least
	Box []exact.Enclosure // of all parameters; a parameter that is held has the value it is held at
	// Moved tells that the fit had ended at a greater minimum.
	Moved bool
}

// Globally searches a box for the least minimum, and makes that the estimate. It returns a
// diagnostic if it is not proved which that is; what is known is in Global all the same.
func (r *Result) Globally(ctx context.Context, watch func(*exact.Least)) *diag.Diagnostic {
	free := r.free()
	global := &Global{Box: make([]exact.Enclosure, len(r.Q))}
	for k, q := range r.Q {
		global.Box[k] = exact.Point(big.NewFloat(q))
	}
	goal := exact.Goal{Squares: r.sumOfSquares() && r.Robust == "", Watch: watch}
	for _, k := range free {
		c := r.within[k]
		global.Box[k] = exact.Enclosure{Lo: big.NewFloat(c.lo), Hi: big.NewFloat(c.hi)}
		goal.Box = append(goal.Box, global.Box[k])
		goal.Start = append(goal.Start, r.Q[k])
	}
	body := "least' u"
	if goal.Squares {
		body = "errorsOf' (whole'' u)"
	}
	f, _, d := r.onBoxes(ctx, free, body)
	if d != nil {
		return d
	}
	least, d := f.Minimise(goal)
	if d != nil {
		d = r.text.explain(d)
	}
	if least == nil {
		return d
	}
	r.Global, global.Least = global, least
	r.spread(free)
	if moved := r.follow(ctx, free); moved != nil {
		return moved
	}
	switch {
	case d != nil:
		return r.notLeast("the search was not finished").WithHint("%s", d.Message)
	case !least.Proved():
		return r.notLeast("parts of the box are left, which are too small to be cut")
	}
	return nil
}

func (r *Result) notLeast(why string) *diag.Diagnostic {
	return diag.Errorf(diag.Unproved, r.text.at,
		"it is not proved which minimum in the box is the least: %s", why)
}

// spread arranges the results of the search, which are of the free parameters, by all parameters.
func (r *Result) spread(free []int) {
	l, box := r.Global.Least, r.Global.Box
	whole := func(part []exact.Enclosure) []exact.Enclosure {
		if part == nil {
			return nil
		}
		all := slices.Clone(box)
		for i, k := range free {
			all[k] = part[i]
		}
		return all
	}
	l.Best = whole(l.Best)
	for i := range l.Places {
		p := &l.Places[i]
		ends := make([]int, len(box))
		for j, k := range free {
			ends[k] = p.Ends[j]
		}
		p.X, p.Ends = whole(p.X), ends
	}
	for i := range l.Open {
		l.Open[i] = whole(l.Open[i])
	}
	for i, k := range l.Linear {
		l.Linear[i] = free[k]
	}
}

// follow moves the estimate to the best point of the search, if that is better.
func (r *Result) follow(ctx context.Context, free []int) *diag.Diagnostic {
	l := r.Global.Least
	if l.Best == nil || l.Value.Hi.IsInf() {
		return nil
	}
	best := l.Best
	if len(l.Places) > 0 {
		best = slices.MinFunc(l.Places, func(p, q exact.Place) int {
			return p.Value.Hi.Cmp(q.Value.Hi)
		}).X
	}
	inside, near := true, true
	for _, k := range free {
		q, box := big.NewFloat(r.Q[k]), r.Global.Box[k]
		inside = inside && box.Lo.Cmp(q) <= 0 && q.Cmp(box.Hi) <= 0
		lo, _ := box.Lo.Float64()
		hi, _ := box.Hi.Float64()
		near = near && math.Abs(r.Q[k]-best[k].Middle()) <= 1e-6*(hi-lo)
	}
	worst, _ := l.Value.Hi.Float64()
	if inside && (near || r.Loss <= worst+1e-9*math.Abs(worst)) {
		return nil
	}
	r.Q = slices.Clone(r.Q)
	for _, k := range free {
		r.Q[k] = best[k].Middle()
	}
	r.Global.Moved = true
	loss, err := r.value(ctx, r.Q)
	if err != nil {
		return r.atStart(err)
	}
	r.Loss = loss
	if l.Proved() {
		r.Reason = proved
	}
	return r.describe(ctx)
}

// ranges finds the range of each parameter in which the least minimum is sought: that of --box, or
// that of --bound.
func (p *Problem) ranges() *diag.Diagnostic {
	if len(p.Box) == 0 && !p.Global {
		return nil
	}
	p.within = slices.Clone(p.coordinates)
	for _, b := range p.Box {
		list, d := p.selected("--box", b.Name)
		if d != nil {
			return d
		}
		first, last, ok := strings.Cut(b.Text, "..")
		var errs [2]error
		c := coordinate{}
		c.lo, errs[0] = strconv.ParseFloat(strings.TrimSpace(first), 64)
		c.hi, errs[1] = strconv.ParseFloat(strings.TrimSpace(last), 64)
		if !ok || errs[0] != nil || errs[1] != nil || !(c.lo < c.hi) {
			return refuse(option("--box", b.Name+"="+b.Text),
				"`%s` is not a range; write 0..10", b.Text)
		}
		for _, k := range list {
			p.within[k] = c
		}
	}
	for _, k := range p.free() {
		if c := p.within[k]; math.IsInf(c.lo, 0) || math.IsInf(c.hi, 0) {
			return refuse(p.text.at, "the least minimum is sought in a box, and `%s` has no bounds",
				p.Names[k]).WithHint("give them: --box %s=LO..HI", p.Names[k])
		}
	}
	return nil
}

// json returns what is proved for machines.
func (g *Global) json(r *Result) any {
	list := func(x []exact.Enclosure) map[string]any {
		out := map[string]any{}
		for k, e := range x {
			if !r.coordinates[k].held {
				out[r.Names[k]] = certain(e)
			}
		}
		return out
	}
	places := []any{}
	for _, p := range g.Places {
		places = append(places,
			map[string]any{"estimate": list(p.X), "objective": certain(p.Value)})
	}
	box, eliminated := map[string]any{}, []string{}
	for k, e := range g.Box {
		if !r.coordinates[k].held {
			box[r.Names[k]] = []any{bound(e.Lo), bound(e.Hi)}
		}
	}
	for _, k := range g.Linear {
		eliminated = append(eliminated, r.Names[k])
	}
	out := map[string]any{"proved": g.Proved(), "box": box, "places": places,
		"objective": certain(g.Value), "open": len(g.Open), "searched": g.Boxes, "bits": g.Bits,
		"eliminated": eliminated, "moved": g.Moved}
	if len(g.Open) > 0 {
		out["left"] = list(hull(g.Open))
	}
	return out
}

// certain returns an enclosed number for machines: its certain digits, and its bounds.
func certain(e exact.Enclosure) map[string]any {
	text, n := Decimal(e, mostCertain)
	return map[string]any{"value": text, "digits": n, "lower": bound(e.Lo), "upper": bound(e.Hi)}
}

// bound returns a bound as a decimal, or null if it is infinite.
func bound(x *big.Float) any {
	switch {
	case x.IsInf():
		return nil
	case x.Sign() == 0:
		return "0"
	}
	return x.Text('g', 25)
}

// hull returns the smallest box that contains all.
func hull(boxes [][]exact.Enclosure) []exact.Enclosure {
	all := slices.Clone(boxes[0])
	for _, box := range boxes[1:] {
		for k, e := range box {
			if e.Lo.Cmp(all[k].Lo) < 0 {
				all[k].Lo = e.Lo
			}
			if e.Hi.Cmp(all[k].Hi) > 0 {
				all[k].Hi = e.Hi
			}
		}
	}
	return all
}

// write prints what is proved for people.
func (g *Global) write(w io.Writer, r *Result) {
	scale, what := big.NewFloat(1), "objective"
	if r.linear != nil && r.Robust == "" && r.sumOfSquares() {
		scale, what = big.NewFloat(2), "sum of squares"
	}
	show := func(e exact.Enclosure) string {
		if e.Lo.IsInf() || e.Hi.IsInf() {
			return fmt.Sprintf("[%s, %s]", shortly(e.Lo), shortly(e.Hi))
		}
		lo, hi := new(big.Float).Mul(e.Lo, scale), new(big.Float).Mul(e.Hi, scale)
		if text, n := Decimal(exact.Enclosure{Lo: lo, Hi: hi}, mostCertain); n >= 3 {
			return text
		}
		return fmt.Sprintf("between %s and %s", shortly(lo), shortly(hi))
	}
	switch {
	case !g.Proved():
		fmt.Fprintf(w, "\nglobal: not proved; the least %s in the box is %s\n", what, show(g.Value))
	case len(g.Places) == 1:
		fmt.Fprintf(w, "\nglobal: no other point of the box has so small a value; %s %s\n", what,
			show(g.Value))
	default:
		fmt.Fprintf(w, "\nglobal: the least %s in the box is %s, at one of %s\n", what,
			show(g.Value), plural(len(g.Places), "place"))
	}
	if g.Moved {
		fmt.Fprintln(w, "the fit had ended at a greater minimum; the estimate is the least one")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "parameter\tbox")
	for i := range g.Places {
		name := "place"
		if len(g.Places) > 1 {
			name = fmt.Sprintf("place %d", i+1)
		}
		fmt.Fprintf(table, "\t%s", name)
	}
	if len(g.Open) > 0 {
		fmt.Fprint(table, "\tleft")
	}
	fmt.Fprintln(table)
	for k, e := range g.Box {
		if r.coordinates[k].held {
			continue
		}
		fmt.Fprintf(table, "%s\t%s … %s", r.Names[k], shortly(e.Lo), shortly(e.Hi))
		for _, p := range g.Places {
			text, n := Decimal(p.X[k], 12)
			if n < 2 && p.X[k].Lo.Cmp(p.X[k].Hi) < 0 {
				text = shortly(p.X[k].Lo) + " … " + shortly(p.X[k].Hi)
			}
			fmt.Fprintf(table, "\t%s", text)
		}
		if len(g.Open) > 0 {
			left := hull(g.Open)[k]
			fmt.Fprintf(table, "\t%s … %s", shortly(left.Lo), shortly(left.Hi))
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	eliminated := ""
	if len(g.Linear) > 0 {
		var names []string
		for _, k := range g.Linear {
			names = append(names, r.Names[k])
		}
		eliminated = fmt.Sprintf("; the model is linear in %s, which %s eliminated",
			strings.Join(firstFew(names), ", "), isOrAre(len(names)))
	}
	fmt.Fprintf(w, "%s searched%s\n", plural(g.Boxes, "box"), eliminated)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// shortly returns a number with few digits.
func shortly(x *big.Float) string {
	if x.Sign() == 0 {
		return "0" // without a sign
	}
	return x.Text('g', 6)
}
