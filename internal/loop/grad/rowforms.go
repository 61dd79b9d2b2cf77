package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// rowForms finds the rows of buffers that indices are in.
type rowForms struct {
	facts.Forms
	counts map[*loop.Var]int64 // of the loops of known counts, by their indices
}

// deepestForm bounds how far definitions are followed.
const deepestForm = 16

func newRowForms(f *loop.Func) *rowForms {
	var defs loop.VarMap[*loop.Let]
	l := &rowForms{counts: map[*loop.Var]int64{}}
	l.Def, l.Most = func(v *loop.Var) *loop.Let { return defs.Get(v) }, deepestForm
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op == loop.AddI || s.Op == loop.SubI || s.Op == loop.MulI {
				defs.Set(s.Var, s)
			}
		case *loop.For:
			if k, ok := s.Count.(*loop.Const); ok {
				l.counts[s.Index] = k.I
			}
		}
	})
	return l
}

// row is the index of a row: a sum of terms.
type row []multiple

// multiple is a product of variables with a factor.
type multiple struct {
	factor int64
	of     []*loop.Var // none for a constant
}

// row returns the quotient of at by size, and reports whether the remainder is known to be from 0
// to below size.
func (l *rowForms) row(at loop.Atom, size int64) (out row, ok bool) {
	form := l.Of(at)
	if form == nil || size <= 0 {
		return nil, false
	}
	rest := form.Constant() - size*loop.FloorDiv(form.Constant(), size)
	whole := form.Constant() - rest
	for _, t := range form {
		vars := l.Factors(t.M)
		if len(vars) == 0 {
			t.C = whole
		}
		if t.C%size == 0 {
			if t.C != 0 {
				out = append(out, multiple{t.C / size, vars})
			}
			continue
		}
		if len(vars) != 1 || t.C < 0 || t.C > facts.MostFactor {
			return nil, false
		}
		n, known := l.counts[vars[0]]
		if !known || n <= 0 || n > facts.MostFactor {
			return nil, false
		}
		rest += t.C * (n - 1)
	}
	return out, rest < size
}

// only reports whether a row is the value of a variable.
func (r row) only(v *loop.Var) bool {
	return len(r) == 1 && r[0].factor == 1 && len(r[0].of) == 1 && r[0].of[0] == v
}

// factor returns the coefficient of a variable in the polynomial of an integer; 0 if it is not
// known.
func (l *rowForms) factor(at loop.Atom, v *loop.Var) int64 {
	for _, t := range l.Of(at) {
		if vars := l.Factors(t.M); len(vars) == 1 && vars[0] == v {
			return t.C
		}
	}
	return 0
}

// isMultiple reports whether an integer is another one times size.
func (l *rowForms) isMultiple(a, b loop.Atom, size int64) bool {
	product := l.Of(b).Scaled(facts.Poly{}, facts.Term{C: size})
	rest := l.Of(a).Plus(facts.Poly{}, product, -1)
	return rest != nil && len(rest) == 0
}
