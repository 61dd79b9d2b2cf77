package fit

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [Coordinates]. A parameter with bounds is a function of a coordinate that has none:
//
//	lo < q       q = lo + exp u
//	q < hi       q = hi - exp u
//	lo < q < hi  q = lo + (hi - lo) / (1 + exp (-u))
//
// Methods work with the coordinates of the parameters that are not held. Since each
// parameter depends on one coordinate, derivatives by coordinates are those by parameters, scaled:
//
//	∂f/∂u = f_q q'      ∂²f/∂u∂v = f_qr q' r' + [u = v] f_q q''

// coordinate is the range of a parameter.
type coordinate struct {
	lo, hi float64 // infinite if there is no bound
	held   bool
}

// natural returns a parameter as a function of its coordinate, with two derivatives.
func (c coordinate) natural(u float64) (q, d, dd float64) {
	switch below, above := !math.IsInf(c.lo, 0), !math.IsInf(c.hi, 0); {
	case below && above:
		s, t := 1/(1+math.Exp(-u)), 1/(1+math.Exp(u))
		w := c.hi - c.lo
		if q = c.lo + w*s; u > 0 {
			q = c.hi - w*t
		}
		return q, w * s * t, w * s * t * (t - s)
	case below:
		e := math.Exp(u)
		return c.lo + e, e, e
	case above:
		e := math.Exp(u)
		return c.hi - e, -e, -e
	}
	return u, 1, 0
}

// inverse returns the coordinate of a parameter.
func (c coordinate) inverse(q float64) float64 {
	switch below, above := !math.IsInf(c.lo, 0), !math.IsInf(c.hi, 0); {
	case below && above:
		return math.Log((q - c.lo) / (c.hi - q))
	case below:
		return math.Log(q - c.lo)
	case above:
		return math.Log(c.hi - q)
	}
	return q
}

// logSlope returns log |dq/du| and its derivative with respect to u.
func (c coordinate) logSlope(u float64) (l, d float64) {
	switch below, above := !math.IsInf(c.lo, 0), !math.IsInf(c.hi, 0); {
	case below && above:
		a := math.Abs(u)
		return math.Log(c.hi-c.lo) - a - 2*math.Log1p(math.Exp(-a)), -math.Tanh(u / 2)
	case below, above:
		return u, 1
	}
	return 0, 0
}

// atBound reports which bound a parameter is at, up to rounding: "lower", "upper" or "".
func (c coordinate) atBound(q float64) string {
	near := func(bound float64) bool {
		scale := math.Max(math.Abs(bound), math.Min(1, math.Abs(c.hi-c.lo)))
		return !math.IsInf(bound, 0) && math.Abs(q-bound) <= 1e-7*scale
	}
	switch {
	case near(c.lo):
		return "lower"
	case near(c.hi):
		return "upper"
	}
	return ""
}

// selected returns the parameters that a name on the command line stands for: one parameter, or
// all those in a part of the structure.
func (p *Problem) selected(flag, name string) ([]int, *diag.Diagnostic) {
	var list []int
	for k, own := range p.Names {
		rest, ok := strings.CutPrefix(own, name)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') ||
			name == p.text.params[0].Name && !(p.Noise && own == sigmaName) {
			list = append(list, k)
		}
	}
	if list == nil {
		return nil, nearest(refuse(option(flag, name), "there is no parameter `%s`", name), name,
			p.Names).
			WithHint("there are %s", strings.Join(firstFew(p.Names), ", "))
	}
	return list, nil
}

func firstFew(names []string) []string {
	if len(names) > 12 {
		return append(names[:10:10], "…")
	}
	return names
}

// coordinate sets the coordinate of each parameter from the options for bounds and for held
// parameters.
func (p *Problem) coordinate() *diag.Diagnostic {
	p.coordinates = make([]coordinate, len(p.Start))
	for k := range p.coordinates {
		p.coordinates[k] = coordinate{lo: math.Inf(-1), hi: math.Inf(1)}
	}
	if p.Noise {
		p.coordinates[len(p.Start)-1].lo = 0
	}
	for _, b := range p.Bounds {
		at := option("--bound", b.Name+"="+b.Text)
		list, d := p.selected("--bound", b.Name)
		if d != nil {
			return d
		}
		c, ok := parseRange(b.Text)
		if !ok {
			return refuse(at, "`%s` is not a range; write 0:10, 0: or :1", b.Text)
		}
		for _, k := range list {
			p.coordinates[k] = c
			if q := p.Start[k]; !(c.lo < q && q < c.hi) {
				return refuse(at, "`%s` starts at %v, which is not inside of its bounds",
					p.Names[k], q).
					WithHint("bounds are open: a parameter comes as near to them as it likes, " +
						"and stays inside")
			}
		}
	}
	for _, name := range p.Hold {
		list, d := p.selected("--hold", name)
		if d != nil {
			return d
		}
		for _, k := range list {
			p.coordinates[k].held = true
		}
	}
	for _, g := range p.Priors {
		if _, d := p.selected("--prior", g.Name); d != nil {
			return d
		}
	}
	if len(p.free()) == 0 {
		return refuse(diag.Span{}, "all parameters are held, so there is nothing to fit")
	}
	return p.ranges()
}

// parseRange parses lo:hi, where one of the two may be missing.
func parseRange(text string) (c coordinate, ok bool) {
	lo, hi, ok := strings.Cut(text, ":")
	c = coordinate{lo: math.Inf(-1), hi: math.Inf(1)}
	for end, word := range map[*float64]string{&c.lo: strings.TrimSpace(lo),
		&c.hi: strings.TrimSpace(hi)} {
		if word != "" {
			x, err := strconv.ParseFloat(word, 64)
			*end, ok = x, ok && err == nil
		}
	}
	return c, ok && c.lo < c.hi && !(math.IsInf(c.lo, 0) && math.IsInf(c.hi, 0))
}

// free returns the indices of the parameters that are not held.
func (p *Problem) free() []int {
	var list []int
	for k, c := range p.coordinates {
		if !c.held {
			list = append(list, k)
		}
	}
	return list
}

// space holds the coordinates of the free parameters of a problem. The held parameters have their
// values in q.
type space struct {
	p    *Problem
	free []int
	q    []float64
}

// space returns the coordinates of the free parameters, with the held ones at their values in q.
func (p *Problem) space(q []float64) *space { return &space{p, p.free(), q} }

// at returns the natural parameters at a point, and the derivatives of the free ones.
func (s *space) at(u []float64) (q, d, dd []float64) {
	q = append([]float64(nil), s.q...)
	d, dd = make([]float64, len(u)), make([]float64, len(u))
	for i, k := range s.free {
		q[k], d[i], dd[i] = s.p.coordinates[k].natural(u[i])
	}
	return q, d, dd
}

func (s *space) natural(u []float64) []float64 {
	q, _, _ := s.at(u)
	return q
}

// point returns the coordinates of natural parameters.
func (s *space) point(q []float64) []float64 {
	u := make([]float64, len(s.free))
	for i, k := range s.free {
		u[i] = s.p.coordinates[k].inverse(q[k])
	}
	return u
}

// pull converts a gradient by parameters to a gradient by coordinates.
func (s *space) pull(g, d []float64) []float64 {
	out := make([]float64, len(d))
	for i, k := range s.free {
		out[i] = g[k] * d[i]
	}
	return out
}

// pullHessian converts a Hessian by parameters to a Hessian by coordinates.
func (s *space) pullHessian(g []float64, h *mat.SymDense, d, dd []float64) *mat.SymDense {
	n := len(d)
	out := mat.NewSymDense(n, nil)
	for i, k := range s.free {
		for j := i; j < n; j++ {
			x := h.At(k, s.free[j]) * d[i] * d[j]
			if i == j {
				x += g[k] * dd[i]
			}
			out.SetSym(i, j, x)
		}
	}
	return out
}
