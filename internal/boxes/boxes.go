// Package boxes finds the roots of functions of several reals, and their optima, in boxes, and
// proves that there are no others. It is given a unit, the name of a function, and a range for each
// unknown; it hands on what is proved, as a report, JSON and a picture. The search itself is that
// of package exact.
package boxes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
)

// Question is what is sought.
type Question int

// The questions. Unasked stands for All or, if the function gives one Real for several unknowns,
// for none.
const (
	Unasked  Question = iota
	All               // every root
	One               // the only root
	Least             // the least value, and its place
	Greatest          // the greatest value, and its place
)

// Optimum tells whether a question is about the values of the function.
func (q Question) Optimum() bool { return q == Least || q == Greatest }

// search is the function of the library.
func (q Question) search() string {
	return map[Question]string{All: "roots", One: "root", Least: "argminOver",
		Greatest: "argmaxOver"}[q]
}

// String names a question, in JSON.
func (q Question) String() string {
	return map[Question]string{All: "roots", One: "root", Least: "min", Greatest: "max"}[q]
}

// Given is something that the command line gives by name.
type Given struct{ Name, Text string }

// Options say what is sought.
type Options struct {
	Function string
	Where    string // a function of the same arguments that must not be negative, "" for none
	Question Question
	Ranges   []Given           // --box
	Set      []driver.Argument // --set and --data
	Eps      *big.Rat          // the width of every number of the answer
	Picture  bool              // a picture will be asked for
	Unproved bool              // accept what is not proved, with a warning
	Watch    func(text string) // is told how far the search has come; nil for nobody
}

// Result is what a search came to.
type Result struct {
	Question Question
	Names    []string // of the unknowns
	Function string
	Proved   bool // there is nothing else than what was found
	eps      *big.Rat
	known    exact.BoxSearch
	value    exact.Enclosure // the optimum
	heights  [][][]float64   // of each real of the function, its values on a grid; nil for none
}

// Solve searches. It adds to sink why there is no answer; the result is nil if there was no search.
func Solve(
	ctx context.Context, w *driver.World, u *driver.Unit, o Options, set driver.Settings,
	sink *diag.List,
) *Result {
	s, why := newSource(ctx, w, u, o, set)
	if why != nil {
		sink.Append(why)
		return nil
	}
	unit := s.load(sink)
	if unit == nil || sink.Failed() {
		return nil
	}
	r := &Result{Question: s.o.Question, Function: o.Function, eps: o.Eps}
	for _, x := range s.unknowns {
		r.Names = append(r.Names, x.name)
	}
	if o.Picture {
		if n := len(s.unknowns); n != 2 {
			sink.Add(refuse(s.at, "boxes are drawn of two unknowns, and there are %d", n))
			return nil
		}
		r.heights = s.heights(ctx, set)
	}
	best := &best{}
	answer, d := driver.RunExact(ctx, unit, set, driver.Exactly{Eps: o.Eps, Patient: true,
		Boxes: &exact.BoxWatch{Trace: o.Picture, Says: true, Tell: func(b exact.BoxSearch) {
			now := best.add(b)
			if o.Watch != nil {
				r.take(now)
				o.Watch(r.progress())
			}
		}}})
	for _, warning := range answer.Warnings {
		sink.Add(s.explain(warning))
	}
	known := best.get()
	if known == nil {
		if d != nil {
			sink.Add(s.explain(d))
		}
		return nil
	}
	r.take(*known)
	if r.Proved = d == nil; d != nil {
		d = s.explain(d)
		if o.Unproved && r.answers() {
			d = r.accept(d)
		}
		sink.Add(d)
	}
	return r
}

// answers tells whether there is something that can be taken for an answer without a proof.
func (r *Result) answers() bool {
	if r.Question.Optimum() {
		return r.known.Best != nil
	}
	return r.Question == All && r.known.Left > 0 || len(r.known.Found) == 1
}

// accept turns the error that something is not proved into a warning.
func (r *Result) accept(d *diag.Diagnostic) *diag.Diagnostic {
	what := "that there are no other roots"
	if r.Question.Optimum() {
		what = fmt.Sprintf("that the %s is at this point", r.Question.noun())
	}
	return diag.Warningf(diag.Unproved, d.Span, "it is not proved %s: %s", what, d.Message)
}

// noun is what an optimum is called.
func (q Question) noun() string {
	if q == Least {
		return "minimum"
	}
	return "maximum"
}

// take takes what is known of the search, with places in order.
func (r *Result) take(b exact.BoxSearch) {
	order := make([]int, len(b.Found))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(k, l int) int {
		for i := range b.Found[k] {
			if c := cmp.Compare(b.Found[k][i].Middle(), b.Found[l][i].Middle()); c != 0 {
				return c
			}
		}
		return 0
	})
	found, zones := make([][]exact.Enclosure, len(order)), make([]exact.Box, len(order))
	for to, from := range order {
		found[to], zones[to] = r.rounded(b.Found[from]), b.Zones[from]
	}
	b.Found, b.Zones = found, zones
	b.Best, b.Bounds = r.rounded(b.Best), r.rounded(b.Bounds)
	r.value = exact.Enclosure{Lo: b.Value.Lo, Hi: b.Value.Hi, Eps: r.eps}
	if b.Optimum && r.Question == Least { // the search is for the maximum of the opposite
		r.value.Lo, r.value.Hi = new(big.Float).Neg(b.Value.Hi), new(big.Float).Neg(b.Value.Lo)
	}
	r.known = b
}

// rounded is a place whose numbers are shown as narrow as was asked for.
func (r *Result) rounded(x []exact.Enclosure) []exact.Enclosure {
	x = slices.Clone(x)
	for i := range x {
		x[i].Eps = r.eps
	}
	return x
}

// best is the best of what a search has told, which is made again and again with more precision.
// A run that is out of time may go on to tell for a moment.
type best struct {
	lock sync.Mutex
	now  *exact.BoxSearch // nil for nothing
}

func (k *best) get() *exact.BoxSearch {
	k.lock.Lock()
	defer k.lock.Unlock()
	return k.now
}

// add adds what was told, and gives the best.
func (k *best) add(b exact.BoxSearch) exact.BoxSearch {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.now == nil || !worse(b, *k.now) {
		k.now = &b
	}
	return *k.now
}

// worse tells whether less is known by one state of a search than by another.
func worse(b, c exact.BoxSearch) bool {
	if b.Done || c.Done {
		return !b.Done
	}
	return cmp.Or(
		cmp.Compare(width(b), width(c)),
		cmp.Compare(extent(b), extent(c)),
		cmp.Compare(len(c.Found), len(b.Found)),
		cmp.Compare(c.Looked, b.Looked)) > 0
}

// width is that of the bounds of an optimum.
func width(b exact.BoxSearch) float64 {
	if !b.Optimum {
		return 0
	}
	w := b.Value.Width()
	if w == nil {
		return math.Inf(1)
	}
	x, _ := w.Float64()
	return x
}

// extent is how wide the part of the box is where something may be left, as a part of the whole.
func extent(b exact.BoxSearch) (sum float64) {
	for i, r := range b.Hull {
		sum += (r[1] - r[0]) / (b.Box[i][1] - b.Box[i][0])
	}
	return sum
}
