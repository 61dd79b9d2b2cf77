package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// wholeRow is a row over arrays: what its definition says, or an evaluator that
// verifies its result.
func (c *compiler[T]) wholeRow(s *core.Let, op *core.Prim, want *place) place {
	m, at := c.m, s.At
	into := c.into(want, shapeOf(s.Var.Ty))
	verified := map[string]func(at diag.Span, args []matrix[T]) (matrix[T], error){
		"solve": m.solve, "eigSym": m.eigSym, "expm": m.expm,
	}[op.Prim.Name]
	if verified == nil {
		body := diff.Defined(op, at)
		if body == nil {
			panic("exact: no evaluator of the row " + op.Prim.Name)
		}
		result := c.fresh(shapeOf(s.Var.Ty)) // the arguments may be where the result goes
		c.steps = append(c.steps, c.block(0, body, result, false)...)
		c.move(into, result)
		return into
	}
	from := make([]operand, len(op.Args))
	for k, a := range op.Args {
		from[k] = c.ref(a)
	}
	d := into.p[0].n
	c.emit(func(f *regs[T]) error {
		args := make([]matrix[T], len(from))
		for k, o := range from {
			var err error
			if args[k], err = matrixOf(at, f.arrayAt(o)); err != nil {
				return err
			}
		}
		r, err := verified(at, args)
		if err != nil {
			return err
		}
		rows := makeArray[T](len(r), shape{p: 1})
		for k, row := range r {
			rows.p[k] = &array[T]{len(row), slots[T]{r: row}}
		}
		f.p[local][d] = rows
		return nil
	})
	return into
}

// matrix is a regular matrix of jets, by rows.
type matrix[T any] [][]jet.Jet[T]

func matrixOf[T any](at diag.Span, rows *array[T]) (matrix[T], error) {
	a := make(matrix[T], rows.n)
	for k := range a {
		row := rows.p[k].(*array[T])
		a[k] = row.r
		if row.n != len(a[0]) {
			return nil, diag.Errorf(diag.SizesDiffer, at, "the rows should have one length, but row 0 has %d and row %d has %d", len(a[0]), k, row.n)
		}
	}
	return a, nil
}

func (a matrix[T]) cols() int {
	if len(a) == 0 {
		return 0
	}
	return len(a[0])
}

// solve is X with A X = B.
func (m *machine[T]) solve(at diag.Span, args []matrix[T]) (matrix[T], error) {
	a, b := args[0], args[1]
	if len(a) != a.cols() || len(a) != len(b) {
		return nil, diag.Errorf(diag.SizesDiffer, at, "solve: the shapes %d × %d and %d × %d do not fit", len(a), a.cols(), len(b), b.cols())
	}
	x, ok := m.Solve(a, b)
	if !ok {
		m.report(trouble{diag.BadMatrix, at, "the matrix of this system may be singular"})
		return m.unknown(len(b), b.cols()), nil
	}
	return x, nil
}

// eigSym is a row of the eigenvalues and then a row for each eigenvector.
func (m *machine[T]) eigSym(at diag.Span, args []matrix[T]) (matrix[T], error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, diag.Errorf(diag.SizesDiffer, at, "eigSym needs a square matrix, and this one is %d × %d", len(a), a.cols())
	}
	values, vectors, simple, ok := m.EigSym(a)
	switch {
	case !ok:
		m.report(trouble{diag.EffortSpent, at, "the eigenvalues are not separated from what rounding does to them"})
	case values == nil:
		m.report(trouble{diag.BadMatrix, at, "eigSym has no derivative where two eigenvalues are equal, and they may be here"})
	case !simple:
		m.report(trouble{diag.BadMatrix, at, "the eigenvectors of a multiple eigenvalue are not determined, and two may be equal here"})
	}
	if values == nil {
		return m.unknown(len(a)+1, len(a)), nil
	}
	return append(matrix[T]{values}, vectors...), nil
}

// expm is the exponential of a matrix. Its derivatives are not enclosed.
func (m *machine[T]) expm(at diag.Span, args []matrix[T]) (matrix[T], error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, diag.Errorf(diag.SizesDiffer, at, "expm needs a square matrix, and this one is %d × %d", len(a), a.cols())
	}
	e, ok := m.Expm(a)
	if !ok {
		m.report(trouble{diag.EffortSpent, at, "exact evaluation encloses `expm` of a bounded matrix, and not its derivatives"})
		return m.unknown(len(a), len(a)), nil
	}
	return e, nil
}

// unknown is a matrix of which nothing is known.
func (m *machine[T]) unknown(rows, cols int) matrix[T] {
	x := make(matrix[T], rows)
	for i := range x {
		x[i] = make([]jet.Jet[T], cols)
		for j := range x[i] {
			x[i][j] = m.Unknown()
		}
	}
	return x
}
