package driver

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// BenchmarkGradient runs functions and their derivatives; what matters is the
// ratio of the two in one run.
func BenchmarkGradient(b *testing.B) {
	for _, c := range []struct{ name, text, primal, derivative string }{
		{"sum of 10^7 terms", "let f (c : Real) : Real = sum [sin (c * real i) for i < 10000000]", "f 2", "grad f 2"},
		{"sum over 10^7 variables", "let f (xs : []Real) : Real = sum [x * x for x in xs]\n\nlet xs = [real i for i < 10000000]",
			"f xs + xs[5]", "(grad f xs)[5] + xs[5]"},
		{"loop of 10^6 steps", "let f (c : Real) : Real = loop x = 0.5 for i < 1000000 do c * x / (1 + x * x) + 0.1 * c", "f 1.2", "grad (fun c => f c) 1.2"},
		{"loop of 10^6 steps, forward", "let f (c : Real) : Real = loop x = 0.5 for i < 1000000 do c * x / (1 + x * x) + 0.1 * c", "f 1.2", "deriv (fun c => f c) 1.2"},
		{"recurrent network, 1000 steps of 32", `
let step (w : [][]Real) (h : []Real) (x : Real) : []Real = [tanh (inner row h + x) for row in w]

let f (w : [][]Real) : Real = sum (fold (step w) [0 for _ < 32] [sin (real i) for i < 1000])

let w = [[cos (real (i * j)) / 8 for j < 32] for i < 32]`, "f w", "(grad f w)[3][4]"},
		{"hessian, 50 variables", "let f (xs : []Real) : Real = sum [(xs[i + 1] - xs[i]^2)^2 for i < 49]\n\nlet xs = [sin (real i) for i < 50]", "f xs", "(hessian f xs)[3][4]"},
		{"product of matrices, 200", `
import linalg

let a = [[sin (real (i + 2 * j)) for j < 200] for i < 200]

let f (b : [][]Real) : Real = sum [sum row for row in linalg.matMul a b]`, "f a", "(grad f a)[3][4]"},
		{"product of matrices, 400, both", `
import linalg

let a = [[sin (real (i + 2 * j)) for j < 400] for i < 400]

let f (a : [][]Real, b : [][]Real) : Real = inner (linalg.matMul a b) a`, "loop s = 0 for _ < 5 do s + f (a, a)",
			"loop s = 0 for _ < 5 do let (b, c) = grad f (a, a) in s + b[3][4] + c[3][4]"},
		{"network 784-128-10, batch of 64", network + `
let loss (p : {a : nn.Dense, b : nn.Dense}) : Real =
  let outputs = nn.denseAll p.b [map tanh row for row in nn.denseAll p.a xs]
  mean [logsumexp o - o[y] for (o, y) in zip outputs ys]`, "loop p = p for _ < 10 do p - loss p .* p", "loop p = p for _ < 10 do p - grad loss p"},
		{"network 784-128-10, 64 examples", network + `
let loss (p : {a : nn.Dense, b : nn.Dense}) : Real =
  mean [
    let o = nn.dense p.b (map tanh (nn.dense p.a x)) in logsumexp o - o[y]
    for (x, y) in zip xs ys
  ]`, "loop p = p for _ < 10 do p - loss p .* p", "loop p = p for _ < 10 do p - grad loss p"},
		{"10^5 updates of an array", `
import array

let f (c : Real) : Real = sum (loop xs = [0 for _ < 100000] for i < 100000 do array.set xs i (c * real i))`,
			"f 2", "grad f 2"},
		{"10^4 small gradients", smallGradients, "sum [f b for b in blocks]", "sum [(vjp f b 1)[0] for b in blocks]"},
		{"10^4 small tangents", smallGradients, "sum [f b for b in blocks]", "sum [jvp f b b for b in blocks]"},
	} {
		for _, part := range []struct{ name, text string }{{"primal", c.primal}, {"derivative", c.derivative}} {
			b.Run(c.name+"/"+part.name, func(b *testing.B) {
				var list diag.List
				unit := NewWorld(nil).LoadText("bench", c.text+"\n\n"+part.text+"\n", nil, &list)
				if list.Failed() {
					b.Fatal(list.Sorted()[0])
				}
				program, d := Prepare(context.Background(), unit, false)
				if d != nil {
					b.Fatal(d)
				}
				code, d := interp.CompileWith(program, Settings{Engine: BestEngine()}.Options())
				if d != nil {
					b.Fatal(d)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, d := code.Run(context.Background(), interp.DefaultLimits()); d != nil {
						b.Fatal(d)
					}
				}
			})
		}
	}
}

// network has the data and the parameters of a classifier; ten gradients are
// taken in a run, since making them takes longer than one.
const network = `
import array
import nn
import random

let xs : [][]Real = array.reshape 784 (random.normals (64 * 784) (random.key 1))

let ys : []Int = [mod i 10 for i < 64]

let p = {a = nn.newDense 784 128 (random.key 2), b = nn.newDense 128 10 (random.key 3)}
`

// smallGradients has many functions of 15 variables.
const smallGradients = `
let blocks = [[sin (real (i * 15 + j)) for j < 15] for i < 10000]

let f (v : []Real) : Real =
  (v[0] * v[1] + sin v[2]) * (v[3] - v[4] * v[5]) + exp (0.1 * v[6]) * v[7] + v[8] * v[9] * v[10] +
    cos v[11] * v[12] + v[13] / (2 + v[14])`
