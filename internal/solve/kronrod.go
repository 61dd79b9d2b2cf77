package solve

import "math"

// Gauss's rule with 10 nodes inside Kronrod's with 21, on [-1, 1]. Both are symmetric: entry i
// stands for the nodes ±(1 - margin[i]), and the last one for the middle. Gauss's nodes are the
// odd entries. (The values are those of QUADPACK's qk21; the test checks the degrees for which
// they are exact.)
var (
	// margin is the distance of a node from the nearer end, not its distance
	// from the middle, so that nodes near an end are placed to full precision.
	margin = [11]float64{
		1 - 0.995657163025808080735527280689003,
		1 - 0.973906528517171720077964012084452,
		1 - 0.930157491355708226001207180059508,
		1 - 0.865063366688984510732096688423493,
		1 - 0.780817726586416897063717578345042,
		1 - 0.679409568299024406234327365114874,
		1 - 0.562757134668604683339000099272694,
		1 - 0.433395394129247190799265943165784,
		1 - 0.294392862701460198131126603103866,
		1 - 0.148874338981631210884826001129720,
		1,
	}
	kronrod = [11]float64{
		0.011694638867371874278064396062192,
		0.032558162307964727478818972459390,
		0.054755896574351996031381300244580,
		0.075039674810919952767043140916190,
		0.093125454583697605535065465083366,
		0.109387158802297641899210590325805,
		0.123491976262065851077958109585166,
		0.134709217311473325928054001771707,
		0.142775938577060080797094273138717,
		0.147739104901338491374841515972068,
		0.149445554002916905664936468389821,
	}
	gauss = [11]float64{
		1: 0.066671344308688137593568809893332,
		3: 0.149451349150580593145863396957658,
		5: 0.219086362515982043995534934228163,
		7: 0.269266719309996355091226921569469,
		9: 0.295524224714752870173815619188769,
	}
)

const (
	nodes   = 21
	epsilon = 0x1p-52
	// floor is the uncertainty that every sum of doubles has, relative to the
	// sum of the absolute values.
	floor = 4 * epsilon
	// fewDoubles is the displacement from which on a cell has so few doubles that the rules say
	// little.
	fewDoubles = 1e-3
)

// toEnd extrapolates: the polynomial through the values at the nodes, in the
// order of samples, has at the upper end the value Σ toEnd[i]·value[i].
var toEnd = extrapolation()

func extrapolation() (weights [nodes]float64) {
	place := func(i int) float64 {
		x := 1 - margin[i/2]
		if i%2 == 0 {
			return -x
		}
		return x
	}
	for i := range weights {
		weights[i] = 1
		for k := range weights {
			if k != i {
				weights[i] *= (1 - place(k)) / (place(i) - place(k))
			}
		}
	}
	return weights
}

// cell is a part of the range, with the integral over it.
type cell struct {
	tail   *tail // the tail that the cell belongs to; nil if the cell is a range of x
	panel  int   // its panel in the tail
	lo, hi float64

	value, abs, err float64 // ∫f, ∫|f|, uncertainty of value
	least           float64 // the lower bound of err, however small the cell

	// The value at the middle and those at the ends, NaN where they are not known; see Note [Ends
	// of cells].
	middle, atLo, atHi float64

	// stuck counts the generations in which halving did not help and what
	// remains is small.
	stuck int
	// displacement is how far a node may be off its place because of the spacing of doubles,
	// relative to the width.
	displacement float64
	// runLo and runHi count the generations in which the trouble was at the
	// same lower (upper) end.
	runLo, runHi int

	given    bool    // given up: it must not be improved
	key      float64 // the error relative to what is tolerable
	relative float64 // that error relative to ∫|f| over the cell
}

func (c *cell) width() float64 { return c.hi - c.lo }

// node returns the place of a node, and how dx depends on the cell's coordinate.
func (c *cell) node(i int) (x, weight float64) {
	offset := c.width() / 2 * margin[i/2]
	w := c.lo + offset
	if i%2 == 1 {
		w = c.hi - offset
	}
	if c.tail == nil {
		return w, 1
	}
	return c.tail.place(c.panel, w)
}

// ends returns the ends as values of x, in any order.
func (c *cell) ends() (float64, float64) {
	if c.tail == nil {
		return c.lo, c.hi
	}
	lo, _ := c.tail.place(c.panel, c.lo)
	hi, _ := c.tail.place(c.panel, c.hi)
	return lo, hi
}

// improvable reports whether halving the cell would help. If a cell has few doubles, least says
// little, because it may hide a singularity.
func (c *cell) improvable() bool {
	return !c.given && (c.err > 2*c.least || c.displacement > fewDoubles && c.err > 2*floor*c.abs)
}

// samples holds the values at the nodes of one cell: those at 2i and 2i+1 are of the nodes
// ±(1 - margin[i]), the last one is of the middle.
type samples [nodes]float64

// apply fills in the cell's integrals from samples.
func (s *samples) apply(c *cell) {
	half := c.width() / 2
	middle := s[nodes-1]
	k, lost, g := 0.0, 0.0, 0.0
	abs := kronrod[10] * math.Abs(middle)
	for i := range 10 {
		u, v := s[2*i], s[2*i+1]
		add(&k, &lost, kronrod[i]*(u+v))
		g += gauss[i] * (u + v)
		abs += kronrod[i] * (math.Abs(u) + math.Abs(v))
	}
	add(&k, &lost, kronrod[10]*middle)
	k += lost
	mean := k / 2
	spread := kronrod[10] * math.Abs(middle-mean)
	for i := range 10 {
		spread += kronrod[i] * (math.Abs(s[2*i]-mean) + math.Abs(s[2*i+1]-mean))
	}
	// Displacements are as good as random, and nodes many: a quarter of
	// the worst case is cautious.
	least := floor*abs + c.displacement*spread/4
	c.value, c.abs, c.least = k*half, abs*half, least*half
	blind := margin[0] * (s.surprise(c.atLo, 1) + s.surprise(c.atHi, 0))
	// Where f is smooth Kronrod's rule is far better than its difference
	// from Gauss's, but near a kink, or with noise, it is not: twice the
	// difference is honest, and costs little more than a cleverer guess.
	c.err = math.Max(2*math.Abs(k-g)+blind, least) * half
	c.middle = middle
}

// Note [Ends of cells]: between the outermost nodes and the ends of a cell, about 1/460 of its
// width, no rule sees anything. A kink there goes unnoticed, and once the cell's halves look
// smooth, they are not examined again. The value at an end is known if the end was the middle of
// a larger cell. So it is compared with the value that the nodes lead one to expect; the
// difference may extend over the whole blind stretch.

// surprise returns by how much the value at an end, if known, differs from what the samples
// suggest. other is 0 for the upper end and 1 for the lower end, which exchanges the nodes of
// each pair.
func (s *samples) surprise(end float64, other int) float64 {
	if math.IsNaN(end) {
		return 0
	}
	expected := toEnd[nodes-1] * s[nodes-1]
	for i := range nodes - 1 {
		expected += toEnd[i] * s[i^other]
	}
	return math.Abs(end - expected)
}
