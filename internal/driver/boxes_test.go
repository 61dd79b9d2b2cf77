package driver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// boxFamilies are searches in boxes with closed forms, as functions of p, and the ranges of its
// components in hundredths.
var boxFamilies = []struct {
	name, search, closed string
	ranges               [][2]int
}{
	{"root", "let (x, y) = root (-3, -3) (3.1, 3.3) (fun (x, y) => (2 * (x - p[0]) + sin (y - p[1]), (y - p[1]) + (x - p[0]) * (y + 4) / 8)) in p[2] * x + x * y",
		"p[2] * p[0] + p[0] * p[1]", [][2]int{{-250, 250}, {-250, 250}, {-100, 100}}},
	{"root in an array", "let x = root [-2, -2, -2, -2] [2, 2.1, 2.2, 2.3] (fun x => [4 * (x[i] - p[i]) + (x[mod (i + 1) 4] - p[mod (i + 1) 4])^2 / 8 for i < 4]) in x[0] * x[1] + x[2] * x[3]",
		"p[0] * p[1] + p[2] * p[3]", [][2]int{{-150, 150}, {-150, 150}, {-150, 150}, {-150, 150}}},
	{"root beyond moving bounds", "let (x, y) = root (p[0] - 1, p[1]) (p[2], p[2] + p[1]) (fun (x, y) => (x + y - 2, x - y)) in x + y * p[2]",
		"1 + p[2]", [][2]int{{10, 90}, {10, 90}, {200, 300}}},
	{"roots", "sum [x * y + x for (x, y) in roots (-4, -9) (4.1, 9.2) (fun (x, y) => ((x - p[0]) * (x - p[1]), (y - x - p[2]) * (y - p[3])))]",
		"(p[0] + p[1]) * p[3] + p[0] * (p[0] + p[2]) + p[1] * (p[1] + p[2]) + 2 * (p[0] + p[1])", [][2]int{{-300, -50}, {50, 300}, {-100, 100}, {450, 600}}},
	{"summit", "maxOver (-3, -3) (3, 3) (fun (x, y) => p[2] - p[3] * (x - p[0])^2 - (x + y - p[0] - p[1])^2 + p[0] * p[1])",
		"p[2] + p[0] * p[1]", [][2]int{{-250, 250}, {-250, 250}, {-100, 100}, {50, 300}}},
	{"place of a summit", "let s = argmaxOver {a = -3, b = [-3, -3]} {a = 3, b = [3, 3]} (fun s => cos (s.a - p[0]) / 4 - (s.a - p[0])^2 - (s.b[0] - p[1])^2 * (1 + s.b[1]^2) - (s.b[1] - s.a * p[2])^2) in s.a * s.b[0] + s.b[1]",
		"p[0] * p[1] + p[0] * p[2]", [][2]int{{-140, 140}, {-250, 250}, {-200, 200}}},
	{"many minima", "let x = argminOver [-2, -2, -2] [2.1, 2.1, 2.1] (fun x => sum [(x[i] - p[i])^2 + 0.5 * (1 - cos (6 * (x[i] - p[i]))) for i < 3]) in x[0] * x[1] * x[2]",
		"p[0] * p[1] * p[2]", [][2]int{{-150, 150}, {-150, 150}, {-150, 150}}},
	{"clamped", "minOver (0, 0) (1, 1) (fun (x, y) => (x - p[0] - 0.005)^2 + p[2] * (y - p[1] - 0.005)^2)",
		"(min 0 (p[0] + 0.005) + max 0 (p[0] - 0.995))^2 + p[2] * (min 0 (p[1] + 0.005) + max 0 (p[1] - 0.995))^2", [][2]int{{-100, 200}, {-100, 200}, {10, 200}}},
	{"clamped place", "let (x, y) = argminOver (0, 0) (1, 1) (fun (x, y) => (x - p[0] - 0.005)^2 + p[2] * (y - p[1] - 0.005)^2) in x + 2 * y",
		"min 1 (max 0 (p[0] + 0.005)) + 2 * min 1 (max 0 (p[1] + 0.005))", [][2]int{{-100, 200}, {-100, 200}, {10, 200}}},
	{"corner", "maxOver (p[0], 0) (p[1], p[2]) (fun (x, y) => x * y + x)",
		"p[1] * p[2] + p[1]", [][2]int{{-100, 90}, {100, 300}, {10, 300}}},
	{"edge", "maxOver (p[0], -3) (p[1], 3) (fun (x, y) => p[2] * x - (x - y)^2)",
		"p[2] * p[1]", [][2]int{{-100, 90}, {100, 290}, {10, 300}}},
	{"peak with kinks", "maxOver (-3, -3) (3, 3) (fun (x, y) => p[2] * x + y - 3 * abs (x - p[0]) - 2 * abs (y - p[1] + x))",
		"p[2] * p[0] + p[1] - p[0]", [][2]int{{-140, 140}, {-140, 140}, {-90, 90}}},
	{"peak with a kink", "maxOver (-3, -3) (3, 3) (fun (x, y) => p[2] * x - 3 * abs (x - p[0]) - (y - p[1] + x)^2)",
		"p[2] * p[0]", [][2]int{{-140, 140}, {-140, 140}, {-90, 90}}},
	{"nearest in a disc", "let (x, y) = argminWhere (-4, -4) (4, 4) (fun (x, y) => [(p[2] + 0.005)^2 - x^2 - y^2]) (fun (x, y) => (x - p[0])^2 + (y - p[1])^2) in x + x * y",
		"let k = min 1 ((p[2] + 0.005) / sqrt (p[0]^2 + p[1]^2)) in k * p[0] + k^2 * p[0] * p[1]", [][2]int{{10, 250}, {-250, 250}, {50, 250}}},
	{"nearest outside of a disc", "let (x, y) = argminWhere (-4, -4) (4, 4) (fun (x, y) => [x^2 + y^2 - p[2]^2]) (fun (x, y) => (x - p[0])^2 + (y - p[1])^2) in x - y",
		"p[2] * (p[0] - p[1]) / sqrt (p[0]^2 + p[1]^2)", [][2]int{{10, 120}, {-120, 120}, {200, 350}}},
	{"halfspace", "let s = argminWhere {a = [-9, -9], b = -9} {a = [9, 9], b = 9} (fun s => [p[3] + 0.005 - sum s.a - s.b, 30 + s.b - s.a[0]]) (fun s => (s.a[0] - p[0])^2 + (s.a[1] - p[1])^2 + (s.b - p[2])^2) in s.a[0] * s.a[1] + s.b^2",
		"let t = max 0 ((p[0] + p[1] + p[2] - p[3] - 0.005) / 3) in (p[0] - t) * (p[1] - t) + (p[2] - t)^2", [][2]int{{-200, 200}, {-200, 200}, {-200, 200}, {-100, 100}}},
	{"line and bound", "let (x, y) = argminWhere (0, p[3]) (p[2], 5) (fun (x, y) => [p[1] - x - 2 * y, 20 - x * y]) (fun (x, y) => -x - y) in x * y",
		"p[2] * (p[1] - p[2]) / 2", [][2]int{{0, 1}, {200, 400}, {50, 150}, {-100, 0}}},
	{"two constraints", "let (x, y) = argminWhere (-3, -3) (3, 3) (fun (x, y) => [p[0]^2 - x^2 - y^2, x - p[1], 4 - x + y]) (fun (x, y) => x + p[2] * y + x * y / 9) in x * y",
		"-p[1] * sqrt (p[0]^2 - p[1]^2)", [][2]int{{150, 250}, {20, 140}, {10, 60}}},
	{"one unknown", "argminWhere (-3) 3 (fun x => [x - p[0] - 0.005, 3 - exp x]) (fun x => (x - p[1])^2 + (x - p[1])^4)",
		"min (log 3) (max p[1] (p[0] + 0.005))", [][2]int{{-200, 100}, {-200, 200}}},
	{"largest product", "let x = argminWhere [0, 0, 0] [4, 4, 4] (fun x => [p[0] - x[0] - p[1] * x[1] - 3 * x[2]]) (fun x => -product x) in x[0] * x[1] * x[2]",
		"p[0]^3 / (81 * p[1])", [][2]int{{200, 400}, {100, 300}}},
	{"peak with kinks inside", "let (x, y) = argminWhere (-3, -3) (3, 3) (fun (x, y) => [9 - x^2 - y^2]) (fun (x, y) => 3 * abs (x - p[0]) + 2 * abs (y - p[1] + x) - p[2] * x) in x * y",
		"p[0] * (p[1] - p[0])", [][2]int{{-100, 100}, {-100, 100}, {-90, 90}}},
	{"integral", "integral (0, p[0]) (p[1], p[2]) (fun (x, y) => x * y^2 + p[0])",
		"p[1]^2 / 2 * (p[2]^3 - p[0]^3) / 3 + p[0] * p[1] * (p[2] - p[0])", [][2]int{{-200, 200}, {-200, 200}, {-200, 200}}},
	{"integral inside of an optimum", "maxOver (-2, -2) (2, 2) (fun (x, y) => integral 0 1 (fun t => 2 * t * (x * p[0] - x^2) - 3 * t^2 * (y - p[1])^2))",
		"p[0]^2 / 4", [][2]int{{-300, 300}, {-150, 150}}},
}

// TestBoxes: searches in boxes, and their derivatives of first and second order, against closed
// forms: exact enclosures meet, and what is found on doubles agrees. Whatever is refused, with a
// reason, is counted. RAPID_CHECKS=50000 takes ten thousand cases.
func TestBoxes(t *testing.T) {
	random := rand.New(rand.NewPCG(31, property.First()))
	cases, refused := 0, map[string]int{}
	for range property.Rounds(20) {
		family := boxFamilies[random.IntN(len(boxFamilies))]
		order := random.IntN(3)
		text := drawnPoint(random, family.ranges, order)
		cases++
		label := fmt.Sprint(family.name, " ", order)
		want, d := solved(t, text(family.closed), 14)
		if d != nil {
			t.Fatalf("%s: %s", text(family.closed), d.Message)
		}
		got, d := solved(t, text(family.search), 9)
		if d != nil {
			refused[label+" exact "+string(d.Code)]++
		} else {
			for i := range want {
				if got[i].Hi.Cmp(want[i].Lo) < 0 || want[i].Hi.Cmp(got[i].Lo) < 0 {
					t.Errorf("%s: %s, closed form %s", text(family.search), got[i].Fluxion(), want[i].Fluxion())
				}
			}
		}
		doubles, d := realsFound(t, text(family.search))
		if d != nil {
			refused[label+" doubles "+string(d.Code)]++
			continue
		}
		for i := range want {
			x, _ := want[i].Lo.Float64()
			if math.Abs(doubles[i]-x) > 1e-7*math.Max(1, math.Abs(x)) {
				t.Errorf("%s on doubles: %v, closed form %v", text(family.search), doubles[i], x)
			}
		}
	}
	total := 0
	for label, n := range refused {
		t.Logf("refused %d times: %s", n, label)
		total += n
	}
	if total > cases/10 {
		t.Errorf("%d of %d searches were refused", total, 2*cases)
	}
}

// realsFound is the reals of a program's value on doubles.
func realsFound(t *testing.T, text string) ([]float64, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("test", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	r, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d != nil {
		return nil, d
	}
	return value.RealsOf(r.Value), nil
}

// TestBoxesNested: the largest values of random functions of two reals, and their derivatives, by
// one search in a box and by two along lines.
func TestBoxesNested(t *testing.T) {
	random := rand.New(rand.NewPCG(32, property.First()))
	compared := 0
	for range property.Rounds(4) {
		part := func() string { return fmt.Sprintf("%.1f", float64(random.IntN(41)-20)/10) }
		body := fmt.Sprintf("sin (%s * x + %s * c) * cos (%s * y) + (%s) * x * y + (%s) * max x (c * y)",
			part(), part(), part(), part(), part())
		along := "deriv (fun c => maxOver (-1) 1 (fun x => maxOver (-1) 1 (fun y => " + body + "))) 0.3"
		in := "deriv (fun c => maxOver (-1, -1) (1, 1) (fun (x, y) => " + body + ")) 0.3"
		want, d := solved(t, along, 6)
		if d != nil {
			continue
		}
		got, d := solved(t, in, 9)
		if d != nil {
			continue
		}
		compared++
		if got[0].Hi.Cmp(want[0].Lo) < 0 || want[0].Hi.Cmp(got[0].Lo) < 0 {
			t.Errorf("%s: %s, along lines %s", in, got[0].Fluxion(), want[0].Fluxion())
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestBoxesWhere: minima of random functions under random constraints are feasible, no point of a
// grid that satisfies the constraints is lower, and derivatives are limits of differences.
func TestBoxesWhere(t *testing.T) {
	random := rand.New(rand.NewPCG(34, property.First()))
	found, refused := 0, 0
	for range property.Rounds(12) {
		part := func() string { return fmt.Sprintf("(%.1f)", float64(random.IntN(41)-20)/10) }
		body := func(squares string) string {
			return fmt.Sprintf("%s * x + %s * y + %s * x * y + %s * c * x + %s * y^2 + %s * cos (2 * x + c) + %s",
				part(), part(), part(), part(), part(), part(), squares)
		}
		text := fmt.Sprintf(`let f (c : Real) (x y : Real) : Real = %s
let g (c : Real) (x y : Real) : []Real = [%s, %s]
let place (c : Real) : Real^2 = argminWhere (-2, -2) (2, 2) (fun (x, y) => g c x y) (fun (x, y) => f c x y)
let values (c : Real) (x y : Real) : Real = if minimum (g c x y) > 0 then f c x y else 1e9
let steps = [minimum [values 0.3 (real i / 20 - 2) (real j / 20 - 2) for j < 81] for i < 81]
let (x, y) = place 0.3
let at (h : Real) : Real^2 = (0.5 / h) .* (place (0.3 + h) - place (0.3 - h))
((f 0.3 x y, minimum (g 0.3 x y), minimum steps), jvp place 0.3 1, at 2e-6, at 1e-6)`,
			body("0"), body("2 - x^2 - y^2"), body("0.5"))
		got, d := realsFound(t, text)
		if d != nil {
			if d.Code != diag.NoOptimum && d.Code != diag.NotCertified {
				t.Errorf("%s: %s", text, d.Message)
			}
			refused++
			continue
		}
		found++
		if got[1] < -1e-9 || got[2] < got[0]-1e-9 {
			t.Errorf("%s: %v", text, got)
		}
		for i := 3; i < 5; i++ {
			slope, far, near := got[i], got[i+2], got[i+4]
			if math.Abs(slope-near) > 4*math.Abs(far-near)+1e-5*(1+math.Abs(slope)) {
				t.Errorf("%s: derivative %v, differences %v and %v", text, slope, far, near)
			}
		}
	}
	if t.Logf("%d found, %d refused", found, refused); refused > found {
		t.Errorf("%d found, %d refused", found, refused)
	}
}
