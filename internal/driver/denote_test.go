package driver_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// TestDenote holds Denote itself to values that are known by other means, to
// ten digits and, where it is to have none, to the reason.
func TestDenote(t *testing.T) {
	w := driver.NewWorld(nil)
	for text, want := range map[string]string{
		"deriv (deriv (deriv sin)) 1":                                           "-0.54030230586813971740",
		"deriv (fun x => x * deriv (fun y => x + y) 1) 1":                       "1",
		"deriv (deriv (fun x => (1 + x) ** x)) 0":                               "2",
		"deriv (fun x => max (max x 0) x + min 0 x) 0":                          "1",
		"deriv (fun x => (cbrt x)^3) 0":                                         "1",
		"(vjp (fun (x, y) => (x * y, sin x)) (2, 3) (1, 10))[0]":                "-1.1614683654714238700",
		"(jacobian (fun v => [v[0] * v[1], v[0]]) [2, 3])[0][1]":                "2",
		"integral 0 1 (fun x => 1 / sqrt x)":                                    "2",
		"integralLine (fun x => exp (-(x^2)))":                                  "1.7724538509055160273",
		"deriv (fun c => integral01 (fun x => if x < c then x * c else 1)) 0.3": "-0.865",
		"deriv (deriv (fun c => integral01 (fun x => abs (x - c)))) 0.3":        "2",
		"deriv (fun c => integral01 (fun x => real (floor (c * x)))) 3.5":       "0.48979591836734693878",
		"deriv (deriv (fun a => root 0 3 (fun x => x^2 - a))) 2":                "-0.088388347648318440550",
		"deriv (fun a => firstRoot (fun t => sin (3 * t) - a)) 0.4":             "0.36369648372665393",
		"cutRoot (fun x => 17.5 - x)":                                           "17.5",
		"deriv (fun a => maxOver 0 4 (fun x => a * x - x^2)) 3":                 "1.5",
		"deriv (fun a => argmaxOver 0 4 (fun x => a * x - exp x)) 3":            "0.33333333333333333333",
		"(fun c => maxOver 0 1 (fun x => c) + c) 0.25":                          "0.5",
		"argmaxOver 0 1 (fun x => -(abs (x - 0.3)))":                            "0.3",

		"if 0.5 < 0.5 then 1 else 2":                "E0803",
		"if 0.1 + 0.2 < 0.3 then 1 else 2":          "E0902",
		"deriv (fun x => if x < 1 then x else x) 1": "E0803",
		"deriv abs 0":                       "E0904",
		"deriv sqrt 0":                      "E0904",
		"log (-1)":                          "E0904",
		"1 / (0.1 + 0.2 - 0.3)":             "E0902",
		"deriv cbrt 0":                      "E0902",
		"deriv (fun x => real (floor x)) 2": "E0904",
		"integral01 (fun x => 1 / x)":       "E0902",
		"argmaxOver 0 1 (fun x => 3)":       "E0902",
		"vjp (fun x => Some x) 1 None":      "E0807",
		"deriv (fun x => if x < 1 then fail \"small\" else x) 0.5": "E0507",
	} {
		var list diag.List
		unit := w.LoadText("in.flx", text+"\n", nil, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", text, list.Sorted()[0])
		}
		v, d := coretest.Denote(monomorphic(t, unit), 500_000)
		if d != nil {
			if string(d.Code) != want {
				t.Errorf("%s is %s, but %v", text, want, d)
			}
			continue
		}
		x, err := ball.Parse(want, 100)
		if err != nil || !agreesTo(v.(*ball.Ball), x) {
			t.Errorf("%s is %s, but denotes %v", text, want, v)
		}
	}
}

// agreesTo reports whether two reals differ by less than 1e-10.
func agreesTo(x, y *ball.Ball) bool {
	return new(ball.Ball).Abs(new(ball.Ball).Sub(x, y, 100)).Less(ball.FromFloat64(1e-10))
}

// TestDenoteTranspose: A–P Fig. 7's clause for rd. The inner product of a
// cotangent with the derivative along a tangent is that of its reverse
// derivative with the tangent.
func TestDenoteTranspose(t *testing.T) {
	w := driver.NewWorld(nil)
	for seed := range int64(20) {
		g := &calculus{Rand: rand.New(rand.NewSource(seed)), length: 3, nested: true}
		text := fmt.Sprintf("let f : []Real -> []Real = fun v => %s\nlet (p, d, b) = (%s, %s, %s)\n",
			g.with(&g.arrays, "v", func() string { return g.array(2) }), g.point(), g.point(), g.point())
		var list diag.List
		unit := w.LoadText("in.flx", text+"(inner b (jvp f p d), inner (vjp f p b) d)\n", nil, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", text, list.Sorted()[0])
		}
		v, d := coretest.Denote(monomorphic(t, unit), 500_000)
		if d != nil {
			t.Errorf("%s\n%v", text, d)
			continue
		}
		if pair := v.(coretest.Tuple); !coretest.Agree(pair[0], pair[1]) {
			t.Errorf("%s\nforwards %v, backwards %v", text, pair[0], pair[1])
		}
		w.Forget()
	}
}
