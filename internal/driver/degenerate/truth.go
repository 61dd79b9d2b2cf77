package degenerate

import (
	"errors"
	"math/big"
)

// A Truth is the correct answer for a derivative, or for a value, at a point.
type Truth struct {
	Kind Kind
	// Low and High are the ends of the correct answers: the derivative itself, or the slopes on
	// both sides of a kink.
	Low, High *big.Rat
	Rounded   bool // they are not rational, and are known to 15 digits
}

// Kind says which kind of answer there is.
type Kind int

const (
	// Exists: there is a derivative, Low = High.
	Exists Kind = iota
	// Kink: the function is continuous and has different slopes on its sides. On doubles the
	// answer is one of Clarke's derivatives, and in exact mode all of them.
	Kink
	// Bend is a kink of a derivative. On doubles that is an error; in exact mode an enclosure
	// of both sides is right as well.
	Bend
	// Edge: the function exists on one side only. On doubles the derivative is the one of that
	// side; in exact mode there is none.
	Edge
	// Nothing: there is no derivative; every number is wrong.
	Nothing
)

// steps bounds the work of the oracle for a case.
const steps = 20_000

// limit returns the value and the first derivatives of s, by c and up to an order, where c is c₀
// + side*ε. It returns nil if one is infinite.
func limit(s *Expr, c0 *big.Rat, side int64, order int) (list []combination, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			if err = r; !errors.Is(r, errUndefined) && !errors.Is(r, errUnsupported) {
				panic(r)
			}
		default:
			panic(r)
		}
	}()
	c := number(c0).plus(side, germ{variable(0), one})
	o := &oracle{env: map[string]germ{"c": c}, work: steps}
	list = make([]combination, order+1)
	for k := range list {
		list[k] = combination{}
	}
	for _, t := range o.terms(s) {
		if !t.derivatives(list, side) {
			return nil, nil
		}
	}
	return list, nil
}

// truthOf returns the truth of the derivative of the given order of s at c₀.
func truthOf(s *Expr, c0 *big.Rat, order int) (Truth, error) {
	at, err := limit(s, c0, 0, 0)
	if errors.Is(err, errUnsupported) {
		return Truth{}, err
	}
	if order == 0 && err == nil {
		return between(Exists, at[0], at[0]), nil
	}
	below, errBelow := limit(s, c0, -1, order)
	above, errAbove := limit(s, c0, 1, order)
	switch {
	case errors.Is(errBelow, errUnsupported), errors.Is(errAbove, errUnsupported):
		return Truth{}, errUnsupported
	case errBelow != nil && errAbove != nil:
		// undefined all around: a root that is a set may be a constant
		return Truth{}, errUnsupported
	case err != nil:
		return Truth{Kind: Nothing}, nil
	}
	kind := Exists
	switch {
	case errBelow != nil:
		below, kind = above, Edge
	case errAbove != nil:
		above, kind = below, Edge
	}
	if below == nil || above == nil || !below[0].equals(at[0]) {
		return Truth{Kind: Nothing}, nil
	}
	for k := range order {
		if !below[k].equals(above[k]) {
			return Truth{Kind: Nothing}, nil
		}
	}
	if !below[order].equals(above[order]) {
		if kind = Bend; order == 1 {
			kind = Kink
		}
	}
	return between(kind, below[order], above[order]), nil
}

// between returns the truth that lies between two numbers.
func between(kind Kind, a, b combination) Truth {
	low, high := a.value(), b.value()
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	return Truth{kind, low, high, !a.rational() || !b.rational()}
}
