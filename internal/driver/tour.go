package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
)

// Stop is an example of a paper: a program to differentiate, and the point of
// doing so.
type Stop struct {
	Title, Paper, Point string
	Source, Fun, At     string
}

// Stops are the examples of the tour.
func Stops() []Stop {
	return []Stop{
		{
			Title: "Gradient descent", Paper: "A–P §2",
			Point:  "the loss of a descent; at 0 its slope is -6",
			Source: "let loss (w : Real) : Real = (w - 3)^2 + 1\n",
			Fun:    "loss", At: "0",
		},
		{
			Title: "A conditional", Paper: "A–P §3",
			Point:  "a conditional has the derivative of the branch that is taken; at 2 that is 4",
			Source: "let f (x : Real) : Real = if x < 1 then 2 * x - 1 else x * x\n",
			Fun:    "f", At: "2",
		},
		{
			Title: "Rotating a vector by a quaternion", Paper: "Delta Fig. 12",
			Point: "the worked example, at the point of the figure (`fluxion diff examples/quaternion.flx … --explain` shows its Delta)",
			Source: "type V = {x : Real, y : Real, z : Real}\ntype Q = {w : Real, x : Real, y : Real, z : Real}\n" +
				"let dot (p q : V) : Real = p.x * q.x + p.y * q.y + p.z * q.z\n" +
				"let rotateX ((q, v) : (Q, V)) : Real =\n  let u = {x = q.x, y = q.y, z = q.z}\n" +
				"  2 * dot u v * u.x + (q.w * q.w - dot u u) * v.x + 2 * q.w * (u.y * v.z - u.z * v.y)\n",
			Fun: "rotateX", At: "({x = 1.1, y = 2.2, z = 3.3, w = 4.4}, {x = 5.5, y = 6.6, z = 7.7})",
		},
		{
			Title: "A recurrent network", Paper: "Curry §2",
			Point: "a fold of a closure over the parameters, as it stands",
			Source: "import list\nlet runRNN (w u : Real) (start : Real) (xs : List Real) : Real =\n" +
				"  list.fold (fun h x => tanh (w * h + u * x)) start xs\n",
			Fun: "runRNN", At: "(0.5, -0.3, 0.1, Cons 1 (Cons 0.5 (Cons (-1) Nil)))",
		},
	}
}

// Family is a program that grows, and the algorithms whose costs to compare on
// it.
type Family struct {
	Title, Point string
	Sizes        []int
	Strategies   []string
	Program      func(n int) (source, at string) // defines f
}

// Families are the programs that tell the algorithms apart.
func Families() []Family {
	return []Family{
		{
			Title:      "The sharing chain: x1 = x0 + x0, x2 = x1 + x1, …",
			Point:      "Delta §7: reverse2 repeats what is shared, delta names it; A–P Fig. 6 differentiates the body of a let twice",
			Sizes:      []int{4, 8, 12, 16, 20, 24},
			Strategies: []string{"trace", "reverse1", "reverse2", "delta"},
			Program: func(n int) (string, string) {
				var b strings.Builder
				b.WriteString("let f (x0 : Real) : Real =\n")
				for i := 1; i <= n; i++ {
					fmt.Fprintf(&b, "  let x%d = x%d + x%d\n", i, i-1, i-1)
				}
				fmt.Fprintf(&b, "  x%d\n", n)
				return b.String(), "1"
			},
		},
		{
			Title:      "A sum of squares over a vector",
			Point:      "Delta §5: with a whole gradient at each real the cost grows with the square of the length, as it does for forward mode",
			Sizes:      []int{4, 8, 16, 32, 64},
			Strategies: []string{"forward", "reverse1", "reverse2", "delta"},
			Program: func(n int) (string, string) {
				return "let f (xs : []Real) : Real = sum [x * x for x in xs]\n", fmt.Sprintf("[real i for i < %d]", n)
			},
		},
		{
			Title:      "Functions inside one another",
			Point:      "Curry §5: curry-list runs a function again to learn what is due to its environment, curry-env does not",
			Sizes:      []int{2, 4, 6, 8, 10, 12},
			Strategies: []string{"curry-list", "curry-env"},
			Program: func(n int) (string, string) {
				body := "x"
				for i := n; i > 0; i-- {
					body = fmt.Sprintf("(fun y%d => y%d * %s) (x + 1)", i, i, body)
				}
				return "let f (x : Real) : Real = " + body + "\n", "1.1"
			},
		},
	}
}

// Visit differentiates a stop by every algorithm.
func (s Stop) Visit(ctx context.Context, settings Settings, sink *diag.List) []Outcome {
	return experiment(ctx, s.Source, s.Fun, s.At, Strategies(), settings, sink)
}

// Grow counts what each of a family's algorithms executes, forward and
// backward, at a size; -1 stands for more than the bound.
func (f Family) Grow(ctx context.Context, n int, settings Settings, sink *diag.List) []int64 {
	source, at := f.Program(n)
	chosen := slices.DeleteFunc(Strategies(), func(s papers.Strategy) bool { return !slices.Contains(f.Strategies, s.Name) })
	counts := []int64{}
	for _, o := range experiment(ctx, source, "f", at, chosen, settings, sink) {
		if o.Answer == nil {
			counts = append(counts, -1)
		} else {
			counts = append(counts, o.Answer.Ops.Forward+o.Answer.Ops.Backward)
		}
	}
	return counts
}

// MaxTourOps bounds each algorithm of the tour; what is exponential shows it
// well before.
const MaxTourOps = 1_000_000

func experiment(ctx context.Context, source, fun, at string, strategies []papers.Strategy, settings Settings, sink *diag.List) []Outcome {
	w := NewWorld(func(string) (string, error) { return source, nil })
	unit := w.LoadFile("example.flx", sink)
	if sink.Failed() {
		return nil
	}
	e := Experiment{Unit: unit, Fun: fun, At: at, MaxOps: MaxTourOps, Settings: settings}
	return w.Differentiate(ctx, e, strategies, sink)
}
