package trace

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// eval computes φ | ρ ⊢ C ⇒ V of a trace term: Figs. 2–3 without the rules that trace terms do
// not need. The bound variables of C are different, so ρ can be one map, to which they are added.
func (m *machine) eval(c Term, rho map[*Var]Val) Val {
	for {
		m.step(diag.Span{})
		switch t := c.(type) {
		case *Var:
			v, ok := rho[t]
			if !ok {
				panic("trace: " + t.Name + " is not bound")
			}
			return v
		case Const:
			return float64(t)
		case *Add:
			l, r := m.eval(t.L, rho), m.eval(t.R, rho)
			m.count(1, diag.Span{})
			return l.(float64) + r.(float64)
		case *Apply:
			return m.ev(t.Op, m.eval(t.Arg, rho))
		case *Let:
			rho[t.Var] = m.eval(t.Bound, rho)
			c = t.Body
		case *Tuple:
			vs := make(Vals, len(t.Elems))
			for i, e := range t.Elems {
				vs[i] = m.eval(e, rho)
			}
			return vs
		case *Proj:
			return m.eval(t.Of, rho).(Vals)[t.Index]
		}
	}
}
