package degenerate

import (
	"errors"
	"math/big"
)

// A Truth is what is true of a derivative, or of a value, at a point.
type Truth struct {
	Kind Kind
	// Low and High are the ends of what may be answered: the derivative itself, or the slopes
	// on both sides of a kink.
	Low, High *big.Rat
}

// Kind says what there is.
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
	// side, and in exact mode there is none.
	Edge
	// Nothing: there is no derivative; every number is wrong.
	Nothing
)

// steps bounds the work of the oracle for a case.
const steps = 20_000

// limit evaluates s where c is c₀ + side*ε.
func limit(s *Expr, c0 *big.Rat, side int64) (v germ, err error) {
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
	return o.eval(s), nil
}

// truthOf is the truth of the derivative of the given order of s at c₀.
func truthOf(s *Expr, c0 *big.Rat, order int) (Truth, error) {
	at, err := limit(s, c0, 0)
	if errors.Is(err, errUndefined) {
		return Truth{Kind: Nothing}, nil
	} else if err != nil {
		return Truth{}, err
	}
	value := at.standard()
	if order == 0 {
		return Truth{Exists, value, value}, nil
	}
	below, undefinedBelow, err := derivatives(s, c0, -1, order)
	if err != nil {
		return Truth{}, err
	}
	above, undefinedAbove, err := derivatives(s, c0, 1, order)
	if err != nil {
		return Truth{}, err
	}
	if undefinedBelow && undefinedAbove {
		return Truth{Kind: Nothing}, nil
	}
	if undefinedBelow || undefinedAbove {
		side := below
		if undefinedBelow {
			side = above
		}
		if side == nil || side[0].Cmp(value) != 0 {
			return Truth{Kind: Nothing}, nil
		}
		return Truth{Edge, side[order], side[order]}, nil
	}
	if below == nil || above == nil || below[0].Cmp(value) != 0 {
		return Truth{Kind: Nothing}, nil
	}
	for k := range order {
		if below[k].Cmp(above[k]) != 0 {
			return Truth{Kind: Nothing}, nil
		}
	}
	low, high := below[order], above[order]
	switch low.Cmp(high) {
	case 0:
		return Truth{Exists, low, high}, nil
	case 1:
		low, high = high, low
	}
	if order == 1 {
		return Truth{Kink, low, high}, nil
	}
	return Truth{Bend, low, high}, nil
}

// derivatives gives the one-sided limits of s and its derivatives, nil if one is infinite.
func derivatives(s *Expr, c0 *big.Rat, side int64, order int) (list []*big.Rat, undefined bool, err error) {
	v, err := limit(s, c0, side)
	if errors.Is(err, errUndefined) {
		return nil, true, nil
	} else if err != nil {
		return nil, false, err
	}
	list, ok := v.taylor(order + 1)
	if !ok {
		return nil, false, nil
	}
	if side < 0 {
		for k := 1; k <= order; k += 2 {
			list[k].Neg(list[k])
		}
	}
	return list, false, nil
}
