package trace

import "fmt"

// Check types a trace term: Γ ⊢ C : T by the rules of Fig. 1, of which there
// is at most one such T. Γ lists the free variables. The annotations of the
// term are checked, not believed; an error says what does not fit.
func Check(gamma []*Var, c Term) (Type, error) {
	scope := map[*Var]int{}
	for _, v := range gamma {
		scope[v]++
	}
	return check(scope, c)
}

func check(gamma map[*Var]int, c Term) (Type, error) {
	switch c := c.(type) {
	case *Var:
		if gamma[c] == 0 {
			return nil, fmt.Errorf("trace: %s is not in scope", c.Name)
		}
		return c.Type, nil
	case Const:
		return Real, nil
	case *Add:
		for _, side := range []Term{c.L, c.R} {
			t, err := check(gamma, side)
			if err != nil {
				return nil, err
			}
			if !Equal(t, Real) {
				return nil, fmt.Errorf("trace: a sum of %s", ShowType(t))
			}
		}
		return Real, nil
	case *Apply:
		t, err := check(gamma, c.Arg)
		if err != nil {
			return nil, err
		}
		if !Equal(t, c.Op.Dom) {
			return nil, fmt.Errorf("trace: %s takes %s, not %s", c.Op.Name, ShowType(c.Op.Dom),
				ShowType(t))
		}
		return c.Op.Cod, nil
	case *Let:
		t, err := check(gamma, c.Bound)
		if err != nil {
			return nil, err
		}
		if !Equal(t, c.Var.Type) {
			return nil, fmt.Errorf("trace: %s : %s is bound to %s", c.Var.Name,
				ShowType(c.Var.Type), ShowType(t))
		}
		gamma[c.Var]++
		defer func() { gamma[c.Var]-- }()
		return check(gamma, c.Body)
	case *Tuple:
		if len(c.Elems) != len(c.Type.Elems) {
			return nil, fmt.Errorf("trace: %d components of %s", len(c.Elems), ShowType(c.Type))
		}
		for i, e := range c.Elems {
			t, err := check(gamma, e)
			if err != nil {
				return nil, err
			}
			if !Equal(t, c.Type.Elems[i]) {
				return nil, fmt.Errorf("trace: component %d of %s is %s", i, ShowType(c.Type),
					ShowType(t))
			}
		}
		return c.Type, nil
	case *Proj:
		t, err := check(gamma, c.Of)
		if err != nil {
			return nil, err
		}
		if !Equal(t, c.Type) || c.Index < 0 || c.Index >= len(c.Type.Elems) {
			return nil, fmt.Errorf("trace: component %d of %s, annotated as %s", c.Index,
				ShowType(t), ShowType(c.Type))
		}
		return c.Type.Elems[c.Index], nil
	}
	return nil, fmt.Errorf("trace: no term: %T", c)
}
