package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Profile holds the objective as a function of one parameter, minimised over all other
// parameters. The confidence interval ends where the profile exceeds the minimum by what the
// confidence level allows. The interval need not be symmetric.
type Profile struct {
	Parameter    int
	Lower, Upper float64 // infinite if the profile does not rise far enough
	// values of the parameter, and by how much the deviance there exceeds the least one, relative
	// to its limit
	Xs, Ys []float64
}

// profile computes the profiles that are asked for.
func (r *Result) profile(ctx context.Context) *diag.Diagnostic {
	p := r.Problem
	names := p.Profile
	if slices.Equal(names, []string{"all"}) {
		names = p.Names
	}
	for _, name := range names {
		list, d := p.selected("--profile", name)
		if d != nil {
			return d
		}
		for _, k := range list {
			if p.coordinates[k].held || math.IsNaN(r.Errors[k]) {
				r.warnf("there is no profile of `%s`, which has no standard error", p.Names[k])
				continue
			}
			profile, err := r.profileOf(ctx, k)
			if d := stops(err); d != nil {
				return d
			}
			r.Profiles = append(r.Profiles, profile)
		}
	}
	return nil
}

// allowed returns by how much the objective may exceed its minimum within the confidence
// interval.
func (r *Result) allowed() float64 {
	if r.Freedom > 0 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(r.Freedom)}.Quantile((1 + r.Level) / 2)
		return t * t * r.Variance / 2
	}
	return distuv.ChiSquared{K: 1}.Quantile(r.Level) * r.Variance / 2
}

func (r *Result) profileOf(ctx context.Context, k int) (Profile, error) {
	held := *r.Problem
	held.coordinates = slices.Clone(r.coordinates)
	held.coordinates[k].held = true
	c := r.coordinates[k]
	at := c.inverse(r.Q[k])
	_, slope, _ := c.natural(at)
	sd := r.Errors[k] / math.Abs(slope)
	limit := r.allowed()
	out := Profile{Parameter: k, Xs: []float64{r.Q[k]}, Ys: []float64{0}}
	// excess returns the profile at a coordinate of the parameter, relative to the limit. The
	// other parameters start from their values at the neighbouring point.
	excess := func(u float64, from []float64) (float64, []float64, error) {
		q := slices.Clone(from)
		q[k], _, _ = c.natural(u)
		q, f, err := held.descend(ctx, q)
		if err != nil {
			return math.Inf(1), from, err
		}
		out.Xs, out.Ys = append(out.Xs, q[k]), append(out.Ys, (f-r.Loss)/limit)
		return (f - r.Loss) / limit, q, nil
	}
	end := func(side float64) (float64, error) {
		lo, from, step := at, r.Q, sd
		for range 12 { // outwards, until the profile has risen far enough
			u := lo + side*step
			y, q, err := excess(u, from)
			if err != nil && stops(err) != nil {
				return 0, err
			}
			if y >= 1 {
				hi := u
				for range 50 {
					middle := lo + (hi-lo)/2
					y, next, err := excess(middle, from)
					if stops(err) != nil {
						return 0, err
					}
					if y < 1 {
						lo, from = middle, next
					} else {
						hi = middle
					}
					if math.Abs(y-1) < 1e-6 || math.Abs(hi-lo) < 1e-7*sd {
						lo = middle
						break
					}
				}
				for part := 0.25; part < 1; part += 0.25 { // points for the picture
					if _, _, err := excess(at+part*(lo-at), r.Q); stops(err) != nil {
						return 0, err
					}
				}
				x, _, _ := c.natural(lo)
				return x, nil
			}
			lo, from, step = u, q, 1.5*step
		}
		return side * math.Inf(1), nil
	}
	a, err := end(-1)
	if err != nil {
		return out, err
	}
	b, err := end(1)
	if err != nil {
		return out, err
	}
	out.Lower, out.Upper = min(a, b), max(a, b)
	out.sort()
	return out, nil
}

func (f *Profile) sort() {
	order := make([]int, len(f.Xs))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if f.Xs[a] < f.Xs[b] {
			return -1
		} else if f.Xs[a] > f.Xs[b] {
			return 1
		}
		return 0
	})
	xs, ys := slices.Clone(f.Xs), slices.Clone(f.Ys)
	for i, k := range order {
		f.Xs[i], f.Ys[i] = xs[k], ys[k]
	}
}

// descend minimises from a point, by the method that suits the problem, and returns where it
// ended.
func (p *Problem) descend(ctx context.Context, q []float64) ([]float64, float64, error) {
	s := p.space(q)
	if len(s.free) == 0 {
		f, err := p.value(ctx, q)
		return q, f, err
	}
	kind := methods[p.suits()]
	m := kind.make(p.Options, s.point(q)).method()
	for range kind.iterations {
		end, err := m.step(ctx, s)
		if err != nil {
			return nil, math.Inf(1), err
		}
		if end != goOn {
			break
		}
	}
	u, f, _ := m.where()
	return s.natural(u), f, nil
}
