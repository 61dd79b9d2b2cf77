package delta_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// figure12 is the Delta that the paper prints in Fig. 12, of which the x
// coordinate of the result is x40: each variable with the summands
// `Scale c v` of what it is let to, where `Var v` has the coefficient 1.
const figure12 = `
x1 = 5.5 qy + 2.2 vx
x2 = 6.6 qx + 1.1 vy
x3 = 1 x2 + -1.0 x1
x4 = 7.7 qx + 1.1 vz
x5 = 5.5 qz + 3.3 vx
x6 = 1 x5 + -1.0 x4
x7 = 6.6 qz + 3.3 vy
x8 = 7.7 qy + 2.2 vz
x9 = 1 x8 + -1.0 x7
x10 =
x11 = 4.4 x10 + 2 qw
x12 = -4.84 x11 + 8.8 x3
x13 = 9.68 x11 + 8.8 x6
x14 = -4.84 x11 + 8.8 x9
x15 = 3.3 qz + 3.3 qz
x16 = 2.2 qy + 2.2 qy
x17 = 1.1 qx + 1.1 qx
x18 = 1 x17 + 1 x16
x19 = 1 x18 + 1 x15
x20 = 4.4 qw + 4.4 qw
x21 = 1 x20 + -1.0 x19
x22 = 7.7 x21 + 2.42 vz
x23 = 6.6 x21 + 2.42 vy
x24 = 5.5 x21 + 2.42 vx
x25 = 7.7 qz + 3.3 vz
x26 = 6.6 qy + 2.2 vy
x27 = 5.5 qx + 1.1 vx
x28 = 1 x27 + 1 x26
x29 = 1 x28 + 1 x25
x30 =
x31 = 45.98 x30 + 2 x29
x32 = 3.3 x31 + 91.96 qz
x33 = 2.2 x31 + 91.96 qy
x34 = 1.1 x31 + 91.96 qx
x35 = 1 x32 + 1 x22
x36 = 1 x33 + 1 x23
x37 = 1 x34 + 1 x24
x38 = 1 x35 + 1 x12
x39 = 1 x36 + 1 x13
x40 = 1 x37 + 1 x14`

// TestQuaternion returns the worked example of Fig. 12: the gradient of rotateX is
// what the published Delta evaluates to.
func TestQuaternion(t *testing.T) {
	source, err := os.ReadFile("../../../examples/quaternion.flx")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	at := text[strings.LastIndex(text, "\nrotateX")+len("\nrotateX"):]
	p := problem(t, strings.TrimSuffix(text, "rotateX"+at), "rotateX", at)
	p.Cotangent, p.Explain = value.Real(1), true

	// records have their fields by name: q is w, x, y, z
	inputs := []string{"qw", "qx", "qy", "qz", "vx", "vy", "vz"}
	id := map[string]int64{}
	for i, name := range inputs {
		id[name] = int64(i + 1)
	}
	lines := strings.Split(strings.TrimSpace(figure12), "\n")
	var rhs []value.Value
	for i, line := range lines {
		name, terms, _ := strings.Cut(line, " =")
		u := value.Value(value.Con{Name: "Zero"})
		for k, term := range strings.Split(terms, " + ") {
			var c float64
			var v string
			if n, _ := fmt.Sscan(term, &c, &v); n < 2 {
				continue
			}
			scaled := value.Con{Name: "Scale", Args: []value.Value{value.Real(c),
				value.Con{Name: "Var", Args: []value.Value{value.Int(id[v])}}}}
			if k == 0 {
				u = scaled
			} else {
				u = value.Con{Name: "Add", Args: []value.Value{u, scaled}}
			}
		}
		rhs = append(rhs, u)
		id[name] = int64(len(inputs) + i + 1)
	}
	published := value.Value(value.Con{Name: "Var", Args: []value.Value{value.Int(id["x40"])}})
	for i := len(rhs) - 1; i >= 0; i-- {
		published = value.Con{Name: "Let", Args: []value.Value{value.Int(int64(len(inputs) + i + 1)), rhs[i], published}}
	}
	want := delta.EvalDelta(published, len(inputs))

	for _, s := range delta.Strategies() {
		answer, d := s.Run(context.Background(), p)
		if d != nil {
			t.Fatal(d.Message)
		}
		if !near(value.RealsOf(answer.Gradient), want, 1e-13) {
			t.Errorf("%s: the gradient is %v, want %v", s.Name, value.RealsOf(answer.Gradient), want)
		}
		if s.Name != "delta" {
			continue
		}
		// The lets are those of the figure, in another order of evaluation;
		// the last one is the product with the cotangent.
		_, ours, _ := strings.Cut(answer.Explanation, "\nLet ")
		ours = regexp.MustCompile(`Var p\[0\]\.`).ReplaceAllString(ours, "Var q")
		ours = regexp.MustCompile(`Var p\[1\]\.`).ReplaceAllString(ours, "Var v")
		got := strings.Split(ours, "\nLet ")
		got = shapes(got[:len(got)-1])
		figure := strings.NewReplacer(" x10 ", " Zero ", " x30 ", " Zero ").Replace(figure12)
		figure = regexp.MustCompile(`([-0-9.]+) ([a-zA-Z0-9]+)`).ReplaceAllString(figure, "(Scale $1 (Var $2))")
		published := shapes(strings.Split(strings.TrimSpace(figure), "\n"))
		if len(published) != 38 || !slices.Equal(got, published) {
			t.Errorf("the lets are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(published, "\n"))
		}
	}
}

// shapes returns the right-hand sides of lets, sorted, with x for all variables
// that were let and numbers rounded; Scale 1 is left out, and so are lets of
// Zero, which are written out where they are used.
func shapes(lets []string) []string {
	var out []string
	for _, let := range lets {
		_, rhs, _ := strings.Cut(let, "=")
		var terms []string
		for _, term := range regexp.MustCompile(`(?:Scale \(?([-0-9.]+)\)? \()?(Var [a-z0-9]+|Zero|Var Zero)`).FindAllStringSubmatch(rhs, -1) {
			c := 1.0
			if term[1] != "" {
				c, _ = strconv.ParseFloat(term[1], 64)
			}
			v := regexp.MustCompile(`^x[0-9]+$`).ReplaceAllString(strings.TrimPrefix(term[2], "Var "), "x")
			terms = append(terms, fmt.Sprintf("%.6f %s", c, v))
		}
		if len(terms) > 0 {
			out = append(out, strings.Join(terms, " + "))
		}
	}
	slices.Sort(out)
	return out
}

// ops runs a strategy and gives its counts.
func ops(t *testing.T, name string, p *papers.Problem) papers.Ops {
	t.Helper()
	answer, d := strategy(name).Run(context.Background(), p)
	if d != nil {
		t.Fatal(d.Message)
	}
	return answer.Ops
}

// TestSharingChain counts on the program of §7, let x1 = x + x; x2 = x1 + x1;
// …: without sharing the backward pass doubles with each let, with it each
// costs the same.
func TestSharingChain(t *testing.T) {
	chain := func(n int) *papers.Problem {
		var b strings.Builder
		b.WriteString("let f (x0 : Real) : Real =\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "  let x%d = x%d + x%d\n", i, i-1, i-1)
		}
		fmt.Fprintf(&b, "  x%d", n)
		return problem(t, b.String(), "f", "0.5")
	}
	for n := 4; n <= 12; n++ {
		few, many := ops(t, "reverse2", chain(n)).Backward, ops(t, "reverse2", chain(n+1)).Backward
		if ratio := float64(many) / float64(few); ratio < 1.9 || ratio > 2.1 {
			t.Errorf("reverse2: %d operations for %d lets and %d for one more", few, n, many)
		}
	}
	total := func(n int) int64 { o := ops(t, "delta", chain(n)); return o.Forward + o.Backward }
	step := total(9) - total(8)
	for _, n := range []int{16, 64, 200} {
		if got, want := total(n), total(8)+int64(n-8)*step; got != want {
			t.Errorf("delta: %d operations for %d lets, want %d", got, n, want)
		}
	}
}

// TestUpdateAt: Fig. 8's updateAt writes in place, so that the memory of R²{e}
// does not grow with the square of the number of inputs.
func TestUpdateAt(t *testing.T) {
	bytes := func(n int) int64 {
		source := "let f (xs : []Real) : Real = sum [x * x for x in xs]"
		p := problem(t, source, "f", fmt.Sprintf("[real i for i < %d]", n))
		var most int64
		p.Evaluate = func(ctx context.Context, program *core.Program, _ int64) (value.Value, int64, *diag.Diagnostic) {
			code, d := interp.CompileWith(program, interp.Options{Count: true})
			if d != nil {
				return nil, 0, d
			}
			m := code.NewMachine()
			defer m.Release()
			v, d := m.Run(ctx, interp.DefaultLimits())
			most = max(most, m.Stats().Bytes)
			return v, m.Stats().Prims, d
		}
		if _, d := strategy("reverse2").Run(context.Background(), p); d != nil {
			t.Fatal(d)
		}
		return most
	}
	if few, many := bytes(500), bytes(2000); many > 5*few {
		t.Errorf("%d bytes for 500 inputs and %d for 2000", few, many)
	}
}

// TestGradientSize counts on a sum of squares over vectors of growing length:
// 𝒟←1 carries n reals beside each of n reals (§6), forward mode runs n times,
// and 𝒟← does a fixed number of operations an element.
func TestGradientSize(t *testing.T) {
	squares := func(n int) *papers.Problem {
		source := "let f (xs : []Real) : Real = sum [x * x for x in xs]"
		return problem(t, source, "f", fmt.Sprintf("[real i for i < %d]", n))
	}
	total := func(name string, n int) float64 {
		o := ops(t, name, squares(n))
		return float64(o.Forward + o.Backward)
	}
	for _, test := range []struct {
		name     string
		exponent float64
	}{{"forward", 4}, {"reverse1", 4}, {"delta", 2}} {
		ratio := total(test.name, 160) / total(test.name, 80)
		if ratio < test.exponent-0.3 || ratio > test.exponent+0.1 {
			t.Errorf("%s: twice the length costs %.2f times as much, want about %g", test.name, ratio, test.exponent)
		}
	}
}
