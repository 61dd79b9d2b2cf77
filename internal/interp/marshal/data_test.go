package marshal

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// Shapes of the rows of `data List = Nil | Cons Real List` and of `data Tree = Leaf Real | Node
// Tree Tree`.
var (
	listRow = &lower.Shape{Kind: lower.VariantShape, Cons: []int{1, 1}, Parts: []*lower.Shape{
		{Kind: lower.IntShape}, {Kind: lower.RealShape}, {Kind: lower.InnerNodeShape}}}
	treeRow = &lower.Shape{Kind: lower.VariantShape, Cons: []int{1, 2}, Parts: []*lower.Shape{
		{Kind: lower.IntShape}, {Kind: lower.RealShape}, {Kind: lower.InnerNodeShape}, {Kind: lower.InnerNodeShape}}}
)

func cons(x float64, rest object.Ref) object.Ref {
	return &object.Cell{Tag: 1, W: math.Float64bits(x), P: rest}
}

func branch(l, r object.Ref) object.Ref {
	n := &object.Node{Tag: 1}
	n.SetRef(0, l)
	n.SetRef(1, r)
	return n
}

// marshalled numbers nodes, and gives the arguments that they become.
func marshalled(t *testing.T, row *lower.Shape, roots []object.Ref) *Writer {
	t.Helper()
	m := &Writer{Left: math.MaxInt}
	if !m.nodeColumn(&lower.Shape{Kind: lower.NodeShape, Parts: []*lower.Shape{row}}, roots) {
		t.Fatal("not made")
	}
	return m
}

// TestTables: deep data has a row for each node, in time that is linear, and shared data too.
func TestTables(t *testing.T) {
	const deep, few = 1_000_000, 10_000
	empty := object.Ref(&object.Cell{})
	list, short, tree := empty, empty, object.Ref(&object.Node{})
	for i := range deep {
		list = cons(float64(i), list)
	}
	for i := range few {
		short = cons(float64(i), short)
		tree = branch(tree, tree) // 2^few leaves
	}
	for _, c := range []struct {
		name  string
		row   *lower.Shape
		roots []object.Ref
		rows  int
	}{
		{"a list", listRow, []object.Ref{list}, deep + 1},
		{"the same list twice", listRow, []object.Ref{short, short}, few + 1},
		{"lists with a common end", listRow, []object.Ref{short, cons(1, short), cons(2, short)}, few + 3},
		{"lists of their own", listRow, []object.Ref{cons(1, empty), empty, cons(2, cons(3, empty))}, 4},
		{"no lists", listRow, nil, 1},
		{"a tree", treeRow, []object.Ref{tree}, few + 1},
		{"no trees", treeRow, nil, 1},
	} {
		m := marshalled(t, c.row, c.roots)
		if rows := int(m.Args[1].Word); rows != c.rows {
			t.Errorf("%s: %d rows instead of %d", c.name, rows, c.rows)
		}
		if used := math.MaxInt - m.Left; used > c.rows {
			t.Errorf("%s: %d nodes were numbered for %d rows", c.name, used, c.rows)
		}
	}
}

// TestTableContents: a table says what the data says.
func TestTableContents(t *testing.T) {
	end := cons(7, &object.Cell{})
	m := marshalled(t, listRow, []object.Ref{cons(1, cons(2, end)), &object.Cell{}, end})
	read := func(at int64) (xs []float64) {
		for m.Args[2].I[at] == 1 {
			xs = append(xs, m.Args[3].F[at])
			at = m.Args[4].I[at]
		}
		return xs
	}
	for k, want := range [][]float64{{1, 2, 7}, {}, {7}} {
		got := read(m.Args[0].I[k])
		if len(got) != len(want) {
			t.Fatalf("list %d is %v instead of %v", k, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("list %d is %v instead of %v", k, got, want)
			}
		}
	}
}

// TestTablesBounded: no more nodes are numbered than may be.
func TestTablesBounded(t *testing.T) {
	list := object.Ref(&object.Cell{})
	for range 1000 {
		list = cons(1, list)
	}
	for _, roots := range [][]object.Ref{{list}, {list, list}} {
		m := &Writer{Left: 500}
		if m.nodeColumn(&lower.Shape{Kind: lower.NodeShape, Parts: []*lower.Shape{listRow}}, roots) || m.Left != 0 {
			t.Errorf("1000 nodes were numbered where 500 may be; %d are left", m.Left)
		}
	}
}
