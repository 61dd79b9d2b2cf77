package derive

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// jacobian runs the function once and sweeps for each variable, or for each
// result if there are fewer of them.
func (j *differentiation) jacobian() (object.Slots, *diag.Diagnostic) {
	if d := j.run(); d != nil {
		return object.Slots{}, d
	}
	rows, cols := len(j.out.Reals), j.count
	j.record = j.needsRecord(nil)
	matrix := make([][]float64, rows)
	if d := j.m.Charge(int64(rows) * (int64(cols)*8 + layout.RefBytes + object.HeaderBytes)); d != nil {
		return object.Slots{}, d
	}
	for r := range matrix {
		matrix[r] = absent(cols)
	}
	times, ok := j.resolutions(func() bool {
		if cols <= rows {
			return j.columns(matrix)
		}
		return j.rows(matrix)
	})
	if !ok {
		return object.Slots{}, j.t.Failed()
	}
	keep := false
	table := make([]object.Ref, rows)
	for r, row := range matrix {
		j.average(row, times)
		if d := j.checkFinite(row, j.undefined(r), func(s *tape.Sweep) bool {
			s.To(j.out.Reals[r], 1)
			return s.Backward()
		}); d != nil {
			return object.Slots{}, d
		}
		for c, x := range row {
			row[c] = j.t.Leave(j.region, tape.Present(x))
			keep = keep || tape.IsBox(row[c])
		}
		table[r] = &object.Reals{V: row}
	}
	if d := j.t.Failed(); d != nil {
		return object.Slots{}, d
	}
	j.end(keep)
	return object.Slots{P: []object.Ref{&object.Refs{V: table}}}, nil
}

// columns is forward mode: a sweep for each variable.
func (j *differentiation) columns(matrix [][]float64) bool {
	unit := make([]float64, j.count)
	column, none := make([]float64, len(matrix)), absent(len(matrix))
	for c := range unit {
		unit[c] = 1
		copy(column, none)
		if !j.pushForward(unit, column) {
			return false
		}
		unit[c] = 0
		j.addTo(func(r int) *float64 { return &matrix[r][c] }, column)
	}
	return true
}

// rows is reverse mode: a sweep for each result.
func (j *differentiation) rows(matrix [][]float64) bool {
	for r, x := range j.out.Reals {
		var gradient []float64
		if !j.pullBack([]float64{x}, []float64{1}, &gradient) {
			return false
		}
		j.addTo(func(c int) *float64 { return &matrix[r][c] }, gradient)
	}
	return true
}

func (j *differentiation) addTo(entry func(k int) *float64, list []float64) {
	s := &tape.Sweep{Tape: j.t, Record: j.record}
	for k, x := range list {
		if e := entry(k); tape.IsAbsent(*e) {
			*e = x
		} else if !tape.IsAbsent(x) {
			*e = s.Sum(*e, x)
		}
	}
}
