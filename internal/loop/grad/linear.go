package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// linearForms knows integers as sums of multiples of variables.
type linearForms struct {
	defs   loop.VarMap[*loop.Let]
	counts map[*loop.Var]int64 // of the loops of known counts, by their indices
}

// linear is a constant and multiples of variables; unknown if a sum was too long.
type linear struct {
	constant int64
	terms    []linearTerm
	unknown  bool
}

type linearTerm struct {
	v      *loop.Var
	factor int64
}

const (
	mostLinearTerms  = 8
	mostLinearFactor = 1 << 30
)

func newLinearForms(f *loop.Func) *linearForms {
	l := &linearForms{counts: map[*loop.Var]int64{}}
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op == loop.AddI || s.Op == loop.SubI || s.Op == loop.MulI {
				l.defs.Set(s.Var, s)
			}
		case *loop.For:
			if k, ok := s.Count.(*loop.Const); ok {
				l.counts[s.Index] = k.I
			}
		}
	})
	return l
}

// of is an integer as a linear form.
func (l *linearForms) of(a loop.Atom) linear { return l.form(a, 0) }

// deepestForm bounds how far definitions are followed.
const deepestForm = 16

func (l *linearForms) form(a loop.Atom, depth int) linear {
	v, ok := a.(*loop.Var)
	if !ok {
		return linear{constant: a.(*loop.Const).I}
	}
	def := l.defs.Get(v)
	if def == nil || depth == deepestForm {
		return linear{terms: []linearTerm{{v, 1}}}
	}
	x, y := l.form(def.Args[0], depth+1), l.form(def.Args[1], depth+1)
	switch {
	case def.Op == loop.AddI:
		return x.plus(y)
	case def.Op == loop.SubI:
		return x.plus(y.times(-1))
	case len(y.terms) == 0 && !y.unknown:
		return x.times(y.constant)
	case len(x.terms) == 0 && !x.unknown:
		return y.times(x.constant)
	}
	return linear{terms: []linearTerm{{v, 1}}}
}

func (x linear) plus(y linear) linear {
	out := linear{constant: x.constant + y.constant, unknown: x.unknown || y.unknown}
	out.terms = append(out.terms, x.terms...)
next:
	for _, t := range y.terms {
		for i := range out.terms {
			if out.terms[i].v == t.v {
				out.terms[i].factor += t.factor
				continue next
			}
		}
		out.terms = append(out.terms, t)
	}
	return out.bounded()
}

func (x linear) times(k int64) linear {
	if k > mostLinearFactor || k < -mostLinearFactor {
		return linear{unknown: true}
	}
	out := linear{constant: x.constant * k, unknown: x.unknown}
	for _, t := range x.terms {
		out.terms = append(out.terms, linearTerm{t.v, t.factor * k})
	}
	return out.bounded()
}

// bounded drops terms that have vanished, and gives up on what is too large.
func (x linear) bounded() linear {
	kept := x.terms[:0]
	large := func(n int64) bool { return n > mostLinearFactor || n < -mostLinearFactor }
	x.unknown = x.unknown || large(x.constant)
	for _, t := range x.terms {
		x.unknown = x.unknown || large(t.factor)
		if t.factor != 0 {
			kept = append(kept, t)
		}
	}
	x.terms, x.unknown = kept, x.unknown || len(kept) > mostLinearTerms
	return x
}

// factor is that of a variable.
func (x linear) factor(v *loop.Var) int64 {
	for _, t := range x.terms {
		if t.v == v && !x.unknown {
			return t.factor
		}
	}
	return 0
}

// only tells whether a form is just a variable.
func (x linear) only(v *loop.Var) bool {
	return !x.unknown && x.constant == 0 && len(x.terms) == 1 && x.terms[0] == linearTerm{v, 1}
}

func (x linear) equal(y linear) bool {
	z := x.plus(y.times(-1))
	return !z.unknown && z.constant == 0 && len(z.terms) == 0
}

// row is at div size, if what is left of at is known to be from 0 to below size.
func (l *linearForms) row(at loop.Atom, size int64) (row linear, ok bool) {
	x := l.of(at)
	if x.unknown || size <= 0 {
		return linear{}, false
	}
	rest := x.constant % size
	if rest < 0 {
		rest += size
	}
	row.constant = (x.constant - rest) / size
	for _, t := range x.terms {
		if t.factor%size == 0 {
			row.terms = append(row.terms, linearTerm{t.v, t.factor / size})
			continue
		}
		n, known := l.counts[t.v]
		if !known || t.factor < 0 || n <= 0 {
			return linear{}, false
		}
		rest += t.factor * (n - 1)
	}
	return row, rest < size
}
