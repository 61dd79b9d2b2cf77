package loop

import "testing"

// TestWith: variables stand for other atoms at any depth, the block that they were in stays as it
// was, and statements that do not read them are shared.
func TestWith(t *testing.T) {
	f := dot()
	before := f.Body
	text := f.String()
	xs := NewVar("zs", F64s)
	g := &Func{Name: "square", Params: []*Var{xs}, Body: f.Body.With(f.Params, []Atom{xs, xs, Int(2)})}
	if err := Verify(&Program{Funcs: []*Func{g}}); err != nil {
		t.Fatal(err)
	}
	out, err := Eval(g, RealsValue([]float64{1, 2, 3}))
	if err != nil || out[0].Real() != 5 {
		t.Errorf("the sum of two squares is %v, %v", out, err)
	}
	if now := f.String(); f.Body != before || now != text {
		t.Errorf("the block has become\n%s", now)
	}
	sum, was := g.Body.Stmts[0].(*For).Body.Stmts, f.Body.Stmts[0].(*For).Body.Stmts
	if sum[0] == was[0] || sum[2] != was[2] {
		t.Error("a statement that is read from is shared, or one that is not is copied")
	}
	if same := f.Body.With([]*Var{xs}, []Atom{xs}); same != f.Body {
		t.Error("a block in which nothing changes is copied")
	}
}
