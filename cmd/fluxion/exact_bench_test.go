package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// benchmarkPrograms are the examples of λS, a few integrals and gradients, each with the
// tolerances at which docs/performance.md reports them.
var benchmarkPrograms = []struct {
	name, text string
	eps        []string
}{
	{"startup", "1", []string{"1e-10"}},
	{"relu", "deriv (fun c => integral01 (fun x => relu (x - c))) 0.6", []string{"1e-2", "1e-6", "1e-12"}},
	{"ray", "import surface\nsurface.raytrace (surface.circle (1, -3/4) 1) (1, 1) (1, 0)", []string{"1e-5", "1e-30"}},
	{"ray1", "import surface\nderiv (fun y => surface.raytrace (surface.circle (1, y) 1) (1, 1) (1, 0)) (-3/4)", []string{"1e-3", "1e-30"}},
	{"ray2", "import surface\nderiv (deriv (fun y => surface.raytrace (surface.circle (1, y) 1) (1, 1) (1, 0))) (-3/4)", []string{"1e-12"}},
	{"brightness", "let brightness y = integral01 (fun y0 => max 0 ((y0 - y) / sqrt (1 + (y0 - y)^2)))\nderiv brightness (1/2)", []string{"1e-3", "1e-5", "1e-12", "1e-30"}},
	{"mean", "import prob\nprob.der prob.mean prob.uniform (fun f => integral01 (fun x => (x - 1/2) * f x))", []string{"1e-3", "1e-5", "1e-30"}},
	{"variance", "import prob\nprob.der prob.variance prob.uniform (fun f => integral01 (fun x => (x - 1/2) * f x))", []string{"1e-2", "1e-10"}},
	{"hausdorff", hausdorff + "shape.hausdorffDist dist lShape (quarterCircle 0)", []string{"1e-3", "1e-6", "1e-12"}},
	{"hausdorff1", hausdorff + "deriv (fun y => shape.hausdorffDist dist lShape (quarterCircle y)) 0", []string{"1e-1", "1e-8"}},
	{"arcs", "import shape\nshape.hausdorffDist shape.dist (shape.arc (0, 0) 1 0 (pi / 2)) (shape.arc (0, 0) 2 0 (pi / 2))", []string{"1e-6"}},
	{"double", "integral01 (fun x => integral01 (fun y => abs (x - y)))", []string{"1e-12"}},
	{"gauss", "integral01 (fun x => exp (-(x^2)))", []string{"1e-100", "1e-1000"}},
	{"expsin", "integral01 (fun x => exp (sin x))", []string{"1e-100", "1e-1000"}},
	{"logistic", logistic + "loss (point 2000)", []string{"1e-6", "1e-12"}},
	{"logistic1", logistic + "grad loss (point 2000)", []string{"1e-12"}},
	{"manylogistic", logistic + "loss (point 100000)", []string{"1e-6", "1e-12"}},
	{"manylogistic1", logistic + "grad loss (point 100000)", []string{"1e-12"}},
}

// logistic is a loss of many inputs.
const logistic = `let loss (x : []Real) : Real = sum [log (1 + exp (t / 2)) for t in x]
let point (n : Int) : []Real = [real i / real n for i < n]
`

// hausdorff is λS Fig. 10, whose distance is a square root.
const hausdorff = `import shape
let lShape = shape.union (shape.map (fun x => (x, 1)) shape.unitInterval) (shape.map (fun y => (1, y)) shape.unitInterval)
let quarterCircle (y : Real) = shape.map (fun t => (cos (pi / 2 * t), sin (pi / 2 * t) + y)) shape.unitInterval
let dist (a b : Real^2) : Real = sqrt ((a[0] - b[0])^2 + (a[1] - b[1])^2)
`

// BenchmarkExact runs the command, start-up included, and reports the shortest wall time of
// its runs, the shortest processor time and the most memory.
func BenchmarkExact(b *testing.B) {
	command := filepath.Join(b.TempDir(), "fluxion")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, p := range benchmarkPrograms {
		for _, eps := range p.eps {
			b.Run(p.name+"/"+eps, func(b *testing.B) {
				wall, processor, memory := time.Hour, time.Hour, int64(0)
				for range b.N {
					var errors bytes.Buffer
					run := exec.Command(command, "eval", "--eps", eps, p.text)
					run.Stderr = &errors
					start := time.Now()
					if err := run.Run(); err != nil {
						b.Fatalf("%v\n%s", err, errors.String())
					}
					wall = min(wall, time.Since(start))
					processor = min(processor, run.ProcessState.UserTime()+run.ProcessState.SystemTime())
					peak, _ := peakMemory(run.ProcessState)
					memory = max(memory, peak)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(wall.Microseconds())/1000, "wall-ms")
				b.ReportMetric(float64(processor.Microseconds())/1000, "cpu-ms")
				b.ReportMetric(float64(memory)/(1<<20), "MiB")
			})
		}
	}
}
