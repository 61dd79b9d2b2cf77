package driver_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"time"
)

func TestTry(t *testing.T) {
	for _, text := range []string{
		"1 + 2", "sqrt 2", "deriv sin 1", "deriv (deriv (deriv sin)) 1", "grad (fun v => v[0] * sin v[1]) [2, 3]",
		"deriv abs 0", "deriv (fun x => max (max x 0) x + min 0 x) 0", "if 0.1 + 0.2 < 0.3 then 1 else 2", "if 0.5 < 0.5 then 1 else 2",
		"integral 0 1 (fun x => x^2)", "integral 0 1 sqrt", "integral01 (fun x => 1 / sqrt x)", "deriv (fun c => integral01 (fun x => if x < c then 0 else 1)) 0.3",
		"integral 0 1 log", "integralFrom 1 (fun x => 1/x^2)", "integralFrom 0 (fun x => exp (-x^2))",
		"deriv (fun c => integral01 (fun x => argmax01 (fun y => cos (4 * pi * y) + (x - c) * y))) 0.4",
		"(deriv (fun a => maxOver 0 4 (fun x => a * x - x^2)) 3, deriv (fun a => argmaxOver 0 4 (fun x => a * x - x^2)) 3)",
		"deriv (fun a => root 0 3 (fun x => x^2 - a)) 2",
		"deriv (deriv (fun a => root 0 3 (fun x => x^2 - a))) 2",
		"firstRoot (fun x => x - 0.3)", "cutRoot (fun x => 17 - x)",
		"integral01 (fun x => integral01 (fun y => sin (x * y)))",
		"deriv (fun c => integral01 (fun x => integral01 (fun y => if x + y < c then 1 else 0))) 0.7",
		"deriv (deriv (fun c => integral01 (fun x => abs (x - c)))) 0.3",
		"deriv (fun x => deriv cbrt x * x) 0",
		"deriv (fun x => sqrt x) 0",
		"deriv (fun x => (cbrt x)^3) 0",
		"deriv (fun x => x * deriv (fun y => x + y) 1) 1",
		"(1.5 : Real) ** 2.5",
		"deriv (deriv (fun x => (1 + x) ** x)) 0",
		"integral01 (fun x => abs (x - 0.3))",
		"deriv (fun c => integral01 (fun x => abs (x - c))) 0.3",
	} {
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
		if list.Failed() {
			t.Errorf("%s: %v", text, list.Sorted()[0])
			continue
		}
		linked, d := driver.Link(unit)
		if d != nil {
			t.Fatal(d)
		}
		p, d := opt.Mono(linked, opt.Options{})
		if d != nil {
			t.Fatal(d)
		}
		start := time.Now()
		v, d := coretest.Denote(p, 100_000)
		if d != nil {
			t.Logf("%s: %v %v", text, d, time.Since(start))
			continue
		}
		t.Logf("%s = %v %v", text, v, time.Since(start))
	}
}
