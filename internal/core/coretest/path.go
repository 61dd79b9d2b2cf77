package coretest

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// path is the list of the discrete choices that an evaluation makes. Between two
// arguments of a function with one path, it is one composition of primitives.
type path struct {
	choices []choice
	noted   bool // whether a caller wants to know them
}

// choice is one of several ways. If it compares two reals, these are x and y.
type choice struct {
	which int
	x, y  *ball.Ball
}

func (p *path) note(which int) { p.order(which, nil, nil) }

func (p *path) order(which int, x, y *ball.Ball) {
	if p.noted {
		p.choices = append(p.choices, choice{which, x, y})
	}
}

// along returns the choices of one computation, which are not recorded here.
func (p *path) along(compute func()) []choice {
	outer := *p
	*p = path{noted: true}
	compute()
	inner := p.choices
	*p = outer
	return inner
}

// aside computes without recording its choices.
func (p *path) aside(compute func()) {
	outer := *p
	*p = path{}
	compute()
	*p = outer
}

// common returns the number of choices with which two paths begin alike.
func common(p, q []choice) int {
	n := 0
	for n < len(p) && n < len(q) && p[n].which == q[n].which {
		n++
	}
	return n
}

func samePath(p, q []choice) bool {
	return slices.EqualFunc(p, q, func(a, b choice) bool { return a.which == b.which })
}
