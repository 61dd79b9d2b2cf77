package check

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// TestManyConstructors: a match on a type with many constructors is decided with
// work in proportion to its arms, whatever stands inside.
func TestManyConstructors(t *testing.T) {
	const n = 20_000
	decl := &types.DataDecl{Name: "T"}
	var rows [][]*pat
	for range n {
		con := &types.Con{Name: "C", Data: decl, Fields: []types.Type{types.Bool}}
		decl.Cons = append(decl.Cons, con)
		for _, truth := range []int64{0, 1} {
			inner := &pat{head: head{kind: boolHead, n: truth}}
			rows = append(rows, []*pat{{head: head{kind: dataHead, con: con}, args: []*pat{inner}}})
		}
	}
	m := newMatrix(nil)
	if missed := m.missing(rows, 1, 3); len(missed) > 0 || m.tooMuch {
		t.Errorf("all constructors are matched, but %d cases are missed", len(missed))
	}
	if missed := m.missing(rows[:len(rows)-1], 1, 3); len(missed) != 1 {
		t.Errorf("one case is missed, not %d", len(missed))
	}
	before := &above{byHead: map[headKey][][]*pat{}}
	for _, row := range rows {
		if !m.useful(before.like(row), row) {
			t.Fatal("an arm is thought to be redundant")
		}
		before.add(row)
	}
	if last := rows[len(rows)-1]; m.useful(before.like(last), last) {
		t.Error("an arm that is there twice is thought to be of use")
	}
	if work := matrixWork - m.work; work > 20*len(rows) {
		t.Errorf("%d rows took %d steps", len(rows), work)
	}
}
