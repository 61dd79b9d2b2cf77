package fit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [The proof of a minimum]. Let F be the objective over the reals, with the data as the
// decimals that are in the files, g its gradient and H its Hessian; exact evaluation encloses both
// on a box. For a box X around c and any matrix R of numbers, Krawczyk's operator is
//
//	K(X) = c - R g(c) + (I - R H(X)) (X - c)
//
// If K(X) lies in the interior of X, then F has exactly one stationary point in X, and that is in
// K(X) (Krawczyk 1969, Moore 1977). If moreover elimination on the symmetric matrix of sets H(X)
// finds only positive pivots, then every Hessian in X is positive definite: F is strictly convex on
// X, and the point is a strict local minimum, the only one in X.
//
// c comes from Newton's method at a high precision, so that X can be tiny. How tiny does not matter
// for the proof, but it decides how many digits are certain. A second round looks for the largest
// box around c for which the proof succeeds as well: in it, there is no other stationary
// point. What is certified is the minimum of the model as it is written: not that the model is
// right, and not that there is no lower minimum elsewhere.
//
// The derivatives have to be those of the function, and the values its own: what only the program
// says of them (rules, enclosures) is not used, whatever the options, and a stopGradient on the way
// from the parameters to the objective refuses the proof. Ties and guards of doubles play no part.
//
// The standard errors are functions of the minimum: they are evaluated on K(X).

// Certificate is the proof of a minimum.
type Certificate struct {
	Bits uint // the precision of the proof
	// of all parameters; a parameter that is held has the value it is held at
	Parameters []exact.Enclosure
	Errors     []exact.Enclosure // standard errors; Lo is nil for parameters without one
	Others     []exact.Enclosure // standard errors by JᵀJ; nil if there are none
	Objective  exact.Enclosure
	// no other stationary point exists within this many standard errors of every parameter
	Unique   float64
	Warnings []*diag.Diagnostic
}

// certifier evaluates the objective and its derivatives on boxes of the free parameters.
type certifier struct {
	*Result
	over   func() *diag.Diagnostic // returns a diagnostic once the time is up, else nil
	slopes *exact.Function         // the gradient and the Hessian
	bends  *exact.Function         // the Hessian
	errors *exact.Function         // the objective, the Hessian and JᵀJ
	free   []int
}

// The precisions that Certify tries, in bits.
const (
	doubles   = 53
	firstBits = 128
	lastBits  = 1024
)

// Certify proves that there is a minimum near the estimate, and encloses it. Each estimate is
// replaced by the double nearest to the enclosed value.
func (r *Result) Certify(ctx context.Context) *diag.Diagnostic {
	d := r.certify(ctx)
	if d == nil || stops(d) == nil {
		return d
	}
	return r.unproved("the proof was not finished").WithHint("%s", d.Message)
}

func (r *Result) certify(ctx context.Context) *diag.Diagnostic {
	c := &certifier{Result: r, free: r.free(), over: func() *diag.Diagnostic {
		if ctx.Err() != nil {
			return stop.Why(ctx)
		}
		return nil
	}}
	for _, k := range c.free {
		if side := r.coordinates[k].atBound(r.Q[k]); side != "" {
			return r.unproved("`%s` is at its %s bound, where the gradient need not be 0",
				r.Names[k], side)
		}
	}
	warnings, d := c.prepare(ctx)
	if d != nil {
		return d
	}
	var why *diag.Diagnostic
	for bits := uint(firstBits); bits <= lastBits; bits *= 2 {
		proof, reason := c.prove(bits)
		if proof != nil {
			proof.Warnings = warnings
			return r.adopt(ctx, proof)
		}
		if why = reason; stops(why) != nil {
			return why
		}
	}
	return why
}

func (r *Result) unproved(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Unproved, r.text.at,
		"it is not proved that the estimate is a minimum: "+format, args...)
}

// prepare loads the functions of the free parameters that the proof needs.
func (c *certifier) prepare(ctx context.Context) (warnings []*diag.Diagnostic, d *diag.Diagnostic) {
	product := "[[0.0]]"
	if c.GaussNewton != nil {
		product = "product' u"
	}
	for _, part := range []struct {
		f    **exact.Function
		body string
	}{
		{&c.slopes, "(grad least' u, hessian least' u)"},
		{&c.bends, "hessian least' u"},
		{&c.errors, "(least' u, hessian least' u, " + product + ")"},
	} {
		if *part.f, warnings, d = c.onBoxes(ctx, c.free, part.body); d != nil {
			return nil, d
		}
	}
	return warnings, nil
}

// onBoxes loads a function of the free parameters u, for evaluation on boxes: an expression with
// least', the objective.
func (r *Result) onBoxes(ctx context.Context, free []int, body string) (
	*exact.Function, []*diag.Diagnostic, *diag.Diagnostic) {
	var b strings.Builder
	b.WriteString(r.text.b.String())
	var elems []string
	for k := range r.Names {
		if i := slices.Index(free, k); i >= 0 {
			elems = append(elems, fmt.Sprintf("u[%d]", i))
		} else {
			elems = append(elems, fmt.Sprintf("origin'[%d]", k))
		}
	}
	fmt.Fprintf(&b, "let origin' = flatten like'\nlet whole'' (u : []Real) : []Real = [%s]\n",
		strings.Join(elems, ", "))
	b.WriteString("let least' (u : []Real) : Real = objective' (whole'' u)\n")
	if r.GaussNewton != nil {
		b.WriteString("let columns' (u : []Real) : [][]Real = jacobianColumns (fun u => " +
			"errorsOf' (whole'' u)) u\n")
		b.WriteString("let product' (u : []Real) : [][]Real = let j = columns' u in [[inner a b " +
			"for b in j] for a in j]\n")
	}
	fmt.Fprintf(&b, "(fun (u : []Real) => %s, [0.0 for _ < %d])\n", body, len(free))
	var sink diag.List
	unit := r.world.LoadGiven(textName, b.String(), []*driver.Unit{r.text.unit}, &sink)
	if sink.Failed() {
		return nil, nil, r.text.explain(sink.Sorted()[0])
	}
	f, warnings, d := driver.ExactFunction(ctx, unit, r.set)
	if d != nil {
		d = r.text.explain(d)
	}
	return f, warnings, d
}

// on evaluates a function on a box, in numbers of the given precision, and returns the reals of
// its result.
func (c *certifier) on(f *exact.Function, bits uint, n jet.Multi, box []*ball.Ball) ([]*ball.Ball,
	*diag.Diagnostic) {
	sets := make([]exact.Enclosure, len(box))
	for k, x := range box {
		sets[k] = enclosure(n, x)
	}
	v, d := f.On(bits, sets)
	if d != nil {
		if stops(d) != nil {
			return nil, d
		}
		return nil, c.unproved("%s", d.Message).WithRelated(c.text.span(d.Span), "here")
	}
	var all []*ball.Ball
	for _, e := range exact.Enclosures(v) {
		if e.Lo.IsInf() || e.Hi.IsInf() {
			return nil, c.unproved("its derivatives are not bounded near the estimate")
		}
		all = append(all, setOf(n, e))
	}
	return all, nil
}

// square returns the square matrix that is stored at the beginning of a list of reals.
func square(list []*ball.Ball, size int) [][]*ball.Ball {
	rows := make([][]*ball.Ball, size)
	for k := range rows {
		rows[k] = list[k*size : (k+1)*size]
	}
	return rows
}

// sets returns a matrix of balls as one of sets.
func sets(a [][]*ball.Ball) [][]jet.Set {
	rows := make([][]jet.Set, len(a))
	for i, row := range a {
		rows[i] = make([]jet.Set, len(row))
		for j, x := range row {
			rows[i][j] = jet.OfBall(x)
		}
	}
	return rows
}

// setOf returns a ball that contains an enclosure.
func setOf(n jet.Multi, e exact.Enclosure) *ball.Ball {
	lo, _ := e.Lo.Rat(nil)
	hi, _ := e.Hi.Rat(nil)
	return n.Span(n.Rat(lo), n.Rat(hi))
}

func enclosure(n jet.Multi, x *ball.Ball) exact.Enclosure {
	lo, hi := exact.Ends(jet.OfBall(x))
	return exact.Enclosure{Lo: lo, Hi: hi}
}

// prove attempts the proof at a precision. It returns the proof, or why there is none.
func (c *certifier) prove(bits uint) (*Certificate, *diag.Diagnostic) {
	n := jet.NewMulti(bits)
	center := make([]*ball.Ball, len(c.free))
	for i, k := range c.free {
		center[i] = n.Float(c.Q[k])
	}
	center, inverse, gradient, d := c.refine(n, center)
	if d != nil {
		return nil, d
	}
	// The box has room for the remainder of the gradient, and for some more digits.
	box := make([]*ball.Ball, len(center))
	for i, k := range c.free {
		left := n.Mag(row(n, inverse[i], gradient)).MulFloat(4)
		box[i] = n.Widen(center[i], left.Max(jet.MagOf(c.size(k)*0x1p-70)))
	}
	image, why := c.contracts(n, bits, center, gradient, inverse, box)
	if image == nil {
		return nil, why
	}
	proof := &Certificate{Bits: bits, Parameters: make([]exact.Enclosure, len(c.Q)),
		Errors: make([]exact.Enclosure, len(c.Q))}
	for k, q := range c.Q {
		proof.Parameters[k] = exact.Point(big.NewFloat(q))
	}
	for i, k := range c.free {
		proof.Parameters[k] = enclosure(n, image[i])
	}
	if d := c.deviations(n, proof, image); d != nil {
		return nil, d
	}
	// How far the point is the only stationary one.
	for _, t := range []float64{3, 1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6} {
		for i, k := range c.free {
			box[i] = n.Widen(center[i], jet.MagOf(c.spread(k)*t))
		}
		image, why := c.contracts(n, doubles, center, gradient, inverse, box)
		if why != nil && stops(why) != nil {
			return nil, why
		}
		if image != nil {
			proof.Unique = t
			break
		}
	}
	return proof, nil
}

// size returns the number that the digits of a parameter are counted relative to.
func (c *certifier) size(k int) float64 {
	if q := math.Abs(c.Q[k]); q > 0 {
		return q
	}
	return c.spread(k)
}

// spread returns the standard error of a parameter, or a substitute if there is none.
func (c *certifier) spread(k int) float64 {
	if s := c.Result.Errors[k]; s > 0 && !math.IsInf(s, 1) {
		return s
	}
	return max(1e-6, math.Abs(c.Q[k])*1e-6)
}

// refine improves a center to a stationary point, as far as the precision allows. It also returns
// an approximate inverse of the Hessian and the gradient there.
func (c *certifier) refine(n jet.Multi, center []*ball.Ball) (at []*ball.Ball,
	inverse [][]*ball.Ball, gradient []*ball.Ball, d *diag.Diagnostic) {
	for range 12 {
		if d := c.over(); d != nil {
			return nil, nil, nil, d
		}
		v, d := c.on(c.slopes, n.Bits(), n, center)
		if d != nil {
			return nil, nil, nil, d
		}
		size := len(center)
		system, ok := jet.NewSystem(jet.Balls{Of: n}, sets(square(v[size:], size)))
		if !ok {
			return nil, nil, nil, c.unproved("the Hessian may be singular there")
		}
		inverse = make([][]*ball.Ball, size)
		for i, row := range system.Inverse() {
			inverse[i] = make([]*ball.Ball, size)
			for j, x := range row {
				inverse[i][j] = n.Mid(x.Ball)
			}
		}
		gradient = v[:size]
		next, done := make([]*ball.Ball, len(center)), true
		for i, k := range c.free {
			step := n.Mid(row(n, inverse[i], gradient))
			done = done && n.Mag(step).Less(jet.MagOf(c.size(k)*0x1p-75))
			next[i] = n.Mid(n.Sub(center[i], step))
		}
		if done {
			return center, inverse, gradient, nil
		}
		center = next
	}
	return center, inverse, gradient, nil
}

// row returns the product of a row of a matrix with a vector.
func row(n jet.Multi, a, x []*ball.Ball) *ball.Ball {
	sum := n.Float(0)
	for k := range a {
		sum = n.Add(sum, n.Mul(a[k], x[k]))
	}
	return sum
}

// contracts returns K(X) if it lies in the interior of X and F is strictly convex on X; otherwise
// nil. The Hessian is evaluated in numbers of the given precision.
func (c *certifier) contracts(
	n jet.Multi, bits uint, center, gradient []*ball.Ball, r [][]*ball.Ball, box []*ball.Ball,
) ([]*ball.Ball, *diag.Diagnostic) {
	v, d := c.on(c.bends, bits, n, box)
	if d != nil {
		return nil, d
	}
	h := square(v, len(box))
	if !positive(n, h, c.over) {
		if d := c.over(); d != nil {
			return nil, d
		}
		return nil, c.unproved("the Hessian may not be positive definite there")
	}
	size := len(box)
	image := make([]*ball.Ball, size)
	for i := range size {
		if d := c.over(); d != nil {
			return nil, d
		}
		image[i] = n.Sub(center[i], row(n, r[i], gradient))
		for j := range size {
			e := n.Float(0)
			if i == j {
				e = n.Float(1)
			}
			for k := range size {
				e = n.Sub(e, n.Mul(r[i][k], h[k][j]))
			}
			image[i] = n.Add(image[i], n.Mul(e, n.Sub(box[j], center[j])))
		}
		if !n.Less(n.Lower(box[i]), image[i]) || !n.Less(image[i], n.Upper(box[i])) {
			return nil, c.unproved("Krawczyk's operator does not map a box around it into itself")
		}
	}
	return image, nil
}

// positive reports whether elimination proves that every symmetric matrix in a is positive
// definite. It reports false if the time is up before.
func positive(n jet.Multi, a [][]*ball.Ball, over func() *diag.Diagnostic) bool {
	w := make([][]*ball.Ball, len(a))
	for i := range a {
		w[i] = slices.Clone(a[i])
	}
	for k := range w {
		if n.Sign(w[k][k]) <= 0 || over() != nil {
			return false
		}
		for i := k + 1; i < len(w); i++ {
			factor := n.Quo(w[k][i], w[k][k])
			for j := i; j < len(w); j++ {
				w[i][j] = n.Sub(w[i][j], n.Mul(factor, w[k][j]))
			}
		}
	}
	return true
}

// deviations encloses the standard errors at a point of a box.
func (c *certifier) deviations(n jet.Multi, proof *Certificate, at []*ball.Ball) *diag.Diagnostic {
	v, d := c.on(c.errors, n.Bits(), n, at)
	if d != nil {
		return d
	}
	size := len(at)
	proof.Objective = enclosure(n, v[0])
	if c.Robust != "" && c.sumOfSquares() || c.Covariance == nil {
		return nil
	}
	variance := n.Float(1)
	if c.Freedom > 0 {
		variance = n.Quo(n.Mul(n.Float(2), v[0]), n.Int(int64(c.Freedom)))
	}
	roots := func(a [][]*ball.Ball) []exact.Enclosure {
		system, ok := jet.NewSystem(jet.Balls{Of: n}, sets(a))
		if !ok {
			return nil
		}
		out := make([]exact.Enclosure, len(c.Q))
		for i, x := range system.Inverse() {
			out[c.free[i]] = enclosure(n, new(ball.Ball).Sqrt(n.Mul(variance, x[i].Ball), n.Bits()))
		}
		return out
	}
	if proof.Errors = roots(square(v[1:], size)); proof.Errors == nil {
		return c.unproved("the Hessian may be singular there")
	}
	if c.GaussNewton != nil {
		proof.Others = roots(square(v[1+size*size:], size))
	}
	return nil
}

// adopt replaces the estimates by the certified values. Since the minimum is proved to exist, the
// fit counts as converged however the method ended, and everything reported about the estimate is
// computed again.
func (r *Result) adopt(ctx context.Context, proof *Certificate) *diag.Diagnostic {
	r.Certificate = proof
	for k, e := range proof.Parameters {
		r.Q[k] = e.Middle()
		if proof.Errors[k].Lo != nil {
			r.Errors[k] = proof.Errors[k].Middle()
		}
		if proof.Others != nil && proof.Others[k].Lo != nil {
			r.GaussNewton[k] = proof.Others[k].Middle()
		}
	}
	r.Loss = proof.Objective.Middle()
	if !r.Converged() {
		errors, gaussNewton := r.Errors, r.GaussNewton
		r.Reason, r.Q = proved, slices.Clone(r.Q)
		if d := r.describe(ctx); d != nil {
			return d
		}
		if len(errors) == len(r.Errors) {
			r.Errors, r.GaussNewton = errors, gaussNewton
		}
	}
	if r.linear != nil && r.Robust == "" && r.sumOfSquares() {
		r.linear.squares = 2 * r.Loss
	}
	return nil
}

// Decimal returns the certain digits of an enclosed number, at most `most` of them, and how many
// there are. Whichever number of the enclosure is rounded, the decimal is the same up to one unit
// of its last digit.
func Decimal(e exact.Enclosure, most int) (text string, certain int) {
	if e.Lo == nil || e.Lo.IsInf() || e.Hi.IsInf() {
		return "–", 0
	}
	for n := most; n > 0; n-- {
		lo, hi := e.Lo.Text('e', n-1), e.Hi.Text('e', n-1)
		if lo == hi {
			return plain(lo), n
		}
	}
	return "0", 0
}

// plain returns a decimal without an exponent if that is short.
func plain(text string) string {
	x, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	if err != nil {
		return text
	}
	mantissa, _, _ := strings.Cut(text, "e")
	count := len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "-"))
	if size, _ := new(big.Float).Abs(x).Float64(); size >= 1e-5 && size < 1e15 {
		decade := int(math.Floor(math.Log10(size)))
		if _, exponent, ok := strings.Cut(text, "e"); ok {
			fmt.Sscanf(exponent, "%d", &decade)
		}
		return x.Text('f', max(0, count-1-decade))
	}
	return text
}
