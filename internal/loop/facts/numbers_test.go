package facts_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// TestNumbers: equal operations on equal parts have one number, whatever the order of what commutes,
// and a number says which operation it is of.
func TestNumbers(t *testing.T) {
	var n facts.Numbers
	x, y := loop.NewVar("x", loop.I64), loop.NewVar("y", loop.I64)
	n.Bind(x, n.Fresh())
	n.Bind(y, n.Fresh())
	a, b := n.Atom(x), n.Atom(y)
	sum := n.Applied(loop.AddI, [3]int32{a, b})
	if n.Applied(loop.AddI, [3]int32{b, a}) != sum {
		t.Error("x + y is not y + x")
	}
	less := n.Applied(loop.SubI, [3]int32{a, b})
	if n.Applied(loop.SubI, [3]int32{b, a}) == less || less == sum {
		t.Error("x - y is y - x or x + y")
	}
	if of, ok := n.Application(less); !ok || of.X != a || of.Y != b || of.Commutes {
		t.Errorf("x - y is %v", of)
	}
	of, ok := n.Application(sum)
	other, _ := n.Application(n.Applied(loop.AddI, [3]int32{a, sum}))
	if !ok || !of.Commutes || of.Op != other.Op {
		t.Errorf("x + y is %v, x + (x + y) %v", of, other)
	}
	for _, id := range []int32{a, n.Atom(loop.Int(3)), n.Atom(loop.Int(1 << 40))} {
		if _, ok := n.Application(id); ok {
			t.Errorf("%d is an application", id)
		}
	}
	for _, pair := range [][2]*loop.Const{{loop.Int(3), loop.Int(3)}, {loop.Int(1 << 40), loop.Int(1 << 40)},
		{loop.Real(0.1), loop.Real(0.1)}} {
		if n.Literal(pair[0]) != n.Literal(pair[1]) {
			t.Errorf("%v has two numbers", pair[0])
		}
	}
	if n.Literal(loop.Real(1)) == n.Literal(loop.Int(1)) ||
		n.Literal(loop.Real(0)) == n.Literal(loop.Real(math.Copysign(0, -1))) {
		t.Error("1.0 is 1, or 0 is -0")
	}
	buf := loop.NewVar("b", loop.F64s)
	n.BindSized(buf, n.Fresh(), sum)
	if n.Lens.Get(buf) != sum {
		t.Error("a length is lost")
	}
	n.Clear()
	if n.Of.Get(x) != 0 || n.Lens.Get(buf) != 0 {
		t.Error("numbers stay where all was cleared")
	}
}
