package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// wholeRow is a row over arrays: an evaluator that verifies its result, or what its definition says
// if there is none, or if it knows nothing.
func (c *compiler) wholeRow(s *core.Let, op *core.Prim, want *place) place {
	m, at := c.m, s.At
	into := c.into(want, shapeOf(s.Var.Ty))
	verified := map[prim.ID]func(at diag.Span, args []matrix) (matrix, error){
		prim.Solve: m.solve, prim.EigSym: m.eigSym, prim.Expm: m.expm, prim.Cholesky: m.cholesky, prim.Det: m.det, prim.Qr: m.qr,
	}[op.Prim.ID]
	var defined []step
	if body := rules.Defined(op, at); body != nil && (verified == nil || op.Prim.ID == prim.Det) {
		result := c.fresh(shapeOf(s.Var.Ty)) // the arguments may be where the result goes
		outer := c.steps
		c.steps = c.block(0, body, result, false)
		c.move(into, result)
		defined, c.steps = c.steps, outer
	}
	if verified == nil {
		if defined == nil {
			panic("exact: no evaluator of the row " + op.Prim.Name)
		}
		c.steps = append(c.steps, defined...)
		return into
	}
	from := make([]operand, len(op.Args))
	for k, a := range op.Args {
		from[k] = c.ref(a)
	}
	c.emit(func(f *regs) error {
		args := make([]matrix, len(from))
		for k, o := range from {
			var err error
			if args[k], err = matrixOf(at, f.arrayAt(o)); err != nil {
				return err
			}
		}
		r, err := verified(at, args)
		switch {
		case err != nil:
			return err
		case r == nil:
			return run(defined, f)
		case len(into.r) > 0:
			f.r[local][into.r[0].n] = r[0][0]
			return nil
		}
		rows := makeArray(len(r), shape{p: 1})
		for k, row := range r {
			rows.p[k] = &array{len(row), slots{r: row}}
		}
		f.p[local][into.p[0].n] = rows
		return nil
	})
	return into
}

// matrix is a regular matrix of jets, by rows.
type matrix [][]jet.Jet

func matrixOf(at diag.Span, rows *array) (matrix, error) {
	a := make(matrix, rows.n)
	for k := range a {
		row := rows.p[k].(*array)
		a[k] = row.r
		if row.n != len(a[0]) {
			return nil, diag.Errorf(diag.SizesDiffer, at, "the rows should have one length, but row 0 has %d and row %d has %d", len(a[0]), k, row.n)
		}
	}
	return a, nil
}

func (a matrix) cols() int {
	if len(a) == 0 {
		return 0
	}
	return len(a[0])
}

// solve is X with A X = B.
func (m *machine) solve(at diag.Span, args []matrix) (matrix, error) {
	a, b := args[0], args[1]
	if len(a) != a.cols() || len(a) != len(b) {
		return nil, diag.Errorf(diag.SizesDiffer, at, "solve: the shapes %d × %d and %d × %d do not fit", len(a), a.cols(), len(b), b.cols())
	}
	x, ok := m.Solve(a, b)
	if !ok {
		m.report(trouble{code: diag.BadMatrix, at: at, what: "the matrix of this system may be singular"})
		return m.unknown(len(b), b.cols()), nil
	}
	return x, nil
}

// eigSym is a row of the eigenvalues and then a row for each eigenvector.
func (m *machine) eigSym(at diag.Span, args []matrix) (matrix, error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, notSquare(at, "eigSym", a)
	}
	values, vectors, simple, ok := m.EigSym(a)
	switch {
	case !ok:
		m.report(trouble{code: diag.EffortSpent, at: at, what: "the eigenvalues are not separated from what rounding does to them"})
	case values == nil:
		m.report(trouble{code: diag.BadMatrix, at: at, what: "eigSym has no derivative where two eigenvalues are equal, and they may be here"})
	case !simple:
		m.report(trouble{code: diag.BadMatrix, at: at, what: "the eigenvectors of a multiple eigenvalue are not determined, and two may be equal here"})
	}
	if values == nil {
		return m.unknown(len(a)+1, len(a)), nil
	}
	return append(matrix{values}, vectors...), nil
}

// expm is the exponential of a matrix.
func (m *machine) expm(at diag.Span, args []matrix) (matrix, error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, notSquare(at, "expm", a)
	}
	e, ok := m.Expm(a)
	if !ok {
		m.report(trouble{code: diag.EffortSpent, at: at, what: "exact evaluation encloses `expm` of a bounded matrix"})
		return m.unknown(len(a), len(a)), nil
	}
	return e, nil
}

// cholesky is the lower triangular factor of a matrix.
func (m *machine) cholesky(at diag.Span, args []matrix) (matrix, error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, notSquare(at, "cholesky", a)
	}
	l, ok := m.Cholesky(a)
	if !ok {
		m.report(trouble{code: diag.BadMatrix, at: at, what: "the matrix may not be positive definite"})
		return m.unknown(len(a), len(a)), nil
	}
	return m.plain(l), nil
}

// det is the determinant, as a matrix; nil if the matrix is not known to be regular.
func (m *machine) det(at diag.Span, args []matrix) (matrix, error) {
	a := args[0]
	if len(a) != a.cols() {
		return nil, notSquare(at, "det", a)
	}
	det, ok := m.Det(a)
	if !ok {
		return nil, nil
	}
	return matrix{{det}}, nil
}

// qr is the rows of an orthogonal and those of a triangular factor.
func (m *machine) qr(at diag.Span, args []matrix) (matrix, error) {
	a := args[0]
	if len(a) < a.cols() {
		return nil, diag.Errorf(diag.SizesDiffer, at,
			"qr needs at least as many rows as columns, and this matrix is %d × %d", len(a), a.cols())
	}
	q, r, ok := m.Qr(a)
	if !ok {
		m.report(trouble{code: diag.BadMatrix, at: at, what: "the columns of the matrix may be dependent"})
		return m.unknown(len(a)+a.cols(), a.cols()), nil
	}
	return m.plain(append(q[:len(q):len(q)], r...)), nil
}

func notSquare(at diag.Span, name string, a matrix) error {
	return diag.Errorf(diag.SizesDiffer, at,
		"%s needs a square matrix, and this one is %d × %d", name, len(a), a.cols())
}

// plain is a matrix as a value of the program.
func (m *machine) plain(x matrix) matrix {
	for _, row := range x {
		for j := range row {
			row[j] = m.Plain(row[j])
		}
	}
	return x
}

// unknown is a matrix of which nothing is known.
func (m *machine) unknown(rows, cols int) matrix {
	x := make(matrix, rows)
	for i := range x {
		x[i] = make([]jet.Jet, cols)
		for j := range x[i] {
			x[i][j] = m.Unknown()
		}
	}
	return x
}
