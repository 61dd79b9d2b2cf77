package interp

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Each benchmark runs a program and the same computation in plain Go; what
// matters is their ratio in one run.

var sink float64

// prepared compiles a program as users get it: simplified.
func prepared(b *testing.B, text, name string) *Code {
	p, d := core.Parse("bench.core", text)
	if d != nil {
		b.Fatal(d)
	}
	code, d := Compile(opt.Simplify(p, opt.Options{Roots: []string{name}}))
	if d != nil {
		b.Fatal(d)
	}
	return code
}

// versus runs a program's definition, given a machine, against Go.
func versus(b *testing.B, text, name string, args []value.Value, plain func() float64) {
	b.Run("fluxion", func(b *testing.B) {
		m := prepared(b, text, name).NewMachine()
		b.ReportAllocs()
		for b.Loop() {
			v, d := m.Call(context.Background(), DefaultLimits(), name, args...)
			if d != nil {
				b.Fatal(d)
			}
			if x, ok := v.(value.Real); ok {
				sink = float64(x)
			}
		}
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			sink = plain()
		}
	})
}

const logistic = `
def run : Int -> Real =
  let f : Int -> Real = fun (n : Int) ->
    let s0 : (Real, Real) = (0.3, 1.0)
    let r : (Real, Real) = loop (s : (Real, Real)) from s0 for (i : Int) < n do
      let x : Real = proj 0 s
      let dx : Real = proj 1 s
      let a : Real = %-[Real] 1.0 x
      let b : Real = %*[Real] 3.7 x
      let c : Real = %*[Real] b a
      let d : Real = %*[Real] 2.0 x
      let e : Real = %-[Real] 1.0 d
      let g : Real = %*[Real] 3.7 e
      let h : Real = %*[Real] g dx
      let k : Real = %*[Real] h 0.5
      let t : (Real, Real) = (c, k)
      ret t
    let x1 : Real = proj 0 r
    let x2 : Real = proj 1 r
    let y : Real = %+[Real] x1 x2
    ret y
  ret f
`

// The logistic map with its tangent.
func BenchmarkLogistic(b *testing.B) {
	const n = 1_000_000
	versus(b, logistic, "run", []value.Value{value.Int(n)}, func() float64 {
		x, dx := 0.3, 1.0
		for range n {
			x, dx = 3.7*x*(1-x), 3.7*(1-2*x)*dx*0.5
		}
		return x + dx
	})
}

const ode = `
def run : Int -> Real =
  let f : Int -> Real = fun (n : Int) ->
    let s0 : (Real, Real) = (0.3, 0.0)
    let r : (Real, Real) = loop (s : (Real, Real)) from s0 for (i : Int) < n do
      let x : Real = proj 0 s
      let v : Real = proj 1 s
      let a : Real = %sin x
      let b : Real = %neg[Real] x
      let c : Real = %exp b
      let d : Real = %*[Real] c v
      let e : Real = %cos v
      let g : Real = %+[Real] a d
      let h : Real = %*[Real] 0.001 v
      let x1 : Real = %+[Real] x h
      let k : Real = %*[Real] 0.001 g
      let l : Real = %-[Real] v k
      let m : Real = %*[Real] 0.0001 e
      let v1 : Real = %+[Real] l m
      let t : (Real, Real) = (x1, v1)
      ret t
    let x2 : Real = proj 0 r
    ret x2
  ret f
`

// A scalar loop with exp, sin and cos.
func BenchmarkODE(b *testing.B) {
	const n = 100_000
	versus(b, ode, "run", []value.Value{value.Int(n)}, func() float64 {
		x, v := 0.3, 0.0
		for range n {
			x, v = x+0.001*v, v-0.001*(math.Sin(x)+math.Exp(-x)*v)+0.0001*math.Cos(v)
		}
		return x
	})
}

const fib = `
def fib : Int -> Int =
  let f : Int -> Int = fun (n : Int) ->
    let c : Bool = %<[Int] n 2
    let r : Int = if c then
      ret n
    else
      let n1 : Int = %-[Int] n 1
      let a : Int = call @fib n1
      let n2 : Int = %-[Int] n 2
      let b : Int = call @fib n2
      let s : Int = %+[Int] a b
      ret s
    ret r
  ret f
`

func plainFib(n int) int {
	if n < 2 {
		return n
	}
	return plainFib(n-1) + plainFib(n-2)
}

func BenchmarkFib(b *testing.B) {
	versus(b, fib, "fib", []value.Value{value.Int(25)}, func() float64 { return float64(plainFib(25)) })
}

func BenchmarkDeepRecursion(b *testing.B) {
	code := compile(b, countDown, Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, d := code.Run(context.Background(), DefaultLimits()); d != nil {
			b.Fatal(d)
		}
	}
}

const arrayPrograms = `
def squares : []Real -> []Real =
  let f : []Real -> []Real = fun (xs : []Real) ->
    let r : []Real = map (x : Real) in xs ->
      let a : Real = %*[Real] x x
      let b : Real = %+[Real] a 1.0
      ret b
    ret r
  ret f
def plus : []Real -> []Real -> []Real =
  let f : []Real -> []Real -> []Real = fun (xs : []Real) (ys : []Real) ->
    let r : []Real = map (x : Real) (y : Real) in xs ys ->
      let a : Real = %+[Real] x y
      ret a
    ret r
  ret f
def sum : []Real -> Real =
  let f : []Real -> Real = fun (xs : []Real) ->
    let r : Real = reduce (acc : Real) (x : Real) from 0.0 in xs ->
      let a : Real = %+[Real] acc x
      ret a
    ret r
  ret f
def inner : []Real -> []Real -> Real =
  let f : []Real -> []Real -> Real = fun (xs : []Real) (ys : []Real) ->
    let zs : [](Real, Real) = map (x : Real) (y : Real) in xs ys ->
      let p : (Real, Real) = (x, y)
      ret p
    let r : Real = reduce (acc : Real) (p : (Real, Real)) from 0.0 in zs ->
      let x : Real = proj 0 p
      let y : Real = proj 1 p
      let m : Real = %*[Real] x y
      let a : Real = %+[Real] acc m
      ret a
    ret r
  ret f
def largest : []Real -> Real =
  let f : []Real -> Real = fun (xs : []Real) ->
    let r : Real = reduce (acc : Real) (x : Real) from -1.0 in xs ->
      let a : Real = %max[Real] acc x
      ret a
    ret r
  ret f
def relu : []Real -> []Real =
  let f : []Real -> []Real = fun (xs : []Real) ->
    let r : []Real = map (x : Real) in xs ->
      let c : Bool = %>[Real] x 0.5
      let v : Real = if c then
        let y : Real = %*[Real] x 2.0
        ret y
      else
        ret 0.0
      ret v
    ret r
  ret f
def iota : Int -> []Real =
  let f : Int -> []Real = fun (n : Int) ->
    let r : []Real = build (i : Int) < n ->
      let x : Real = %real i
      let y : Real = %*[Real] x 0.5
      ret y
    ret r
  ret f
def exps : []Real -> Real =
  let f : []Real -> Real = fun (xs : []Real) ->
    let r : Real = reduce (acc : Real) (x : Real) from 0.0 in xs ->
      let e : Real = %exp x
      let a : Real = %+[Real] acc e
      ret a
    ret r
  ret f
def dotLoop : []Real -> []Real -> Real =
  let f : []Real -> []Real -> Real = fun (xs : []Real) (ys : []Real) ->
    let n : Int = %length[Real] xs
    let r : Real = loop (s : Real) from 0.0 for (i : Int) < n do
      let x : Real = index xs i
      let y : Real = index ys i
      let m : Real = %*[Real] x y
      let a : Real = %+[Real] s m
      ret a
    ret r
  ret f
`

const arraySize = 100_000

func arrayInputs() (xs, ys value.Reals) {
	xs, ys = make(value.Reals, arraySize), make(value.Reals, arraySize)
	for k := range xs {
		xs[k], ys[k] = float64(k%97)/97, float64(k%89)/89
	}
	return xs, ys
}

func BenchmarkMapSquares(b *testing.B) {
	xs, _ := arrayInputs()
	versus(b, arrayPrograms, "squares", []value.Value{xs}, func() float64 {
		r := make([]float64, len(xs))
		for k, x := range xs {
			r[k] = x*x + 1
		}
		return r[len(r)-1]
	})
}

func BenchmarkMapPlus(b *testing.B) {
	xs, ys := arrayInputs()
	versus(b, arrayPrograms, "plus", []value.Value{xs, ys}, func() float64 {
		r := make([]float64, len(xs))
		for k, x := range xs {
			r[k] = x + ys[k]
		}
		return r[len(r)-1]
	})
}

func BenchmarkSum(b *testing.B) {
	xs, _ := arrayInputs()
	versus(b, arrayPrograms, "sum", []value.Value{xs}, func() float64 {
		s := 0.0
		for _, x := range xs {
			s += x
		}
		return s
	})
}

func BenchmarkInner(b *testing.B) {
	xs, ys := arrayInputs()
	versus(b, arrayPrograms, "inner", []value.Value{xs, ys}, func() float64 {
		s := 0.0
		for k, x := range xs {
			s += x * ys[k]
		}
		return s
	})
}

func BenchmarkInnerLoop(b *testing.B) {
	xs, ys := arrayInputs()
	versus(b, arrayPrograms, "dotLoop", []value.Value{xs, ys}, func() float64 {
		s := 0.0
		for k, x := range xs {
			s += x * ys[k]
		}
		return s
	})
}

func BenchmarkLargest(b *testing.B) {
	xs, _ := arrayInputs()
	versus(b, arrayPrograms, "largest", []value.Value{xs}, func() float64 {
		s := -1.0
		for _, x := range xs {
			s = max(s, x)
		}
		return s
	})
}

func BenchmarkSelect(b *testing.B) {
	xs, _ := arrayInputs()
	versus(b, arrayPrograms, "relu", []value.Value{xs}, func() float64 {
		r := make([]float64, len(xs))
		for k, x := range xs {
			if x > 0.5 {
				r[k] = x * 2
			}
		}
		return r[len(r)-1]
	})
}

func BenchmarkIota(b *testing.B) {
	versus(b, arrayPrograms, "iota", []value.Value{value.Int(arraySize)}, func() float64 {
		r := make([]float64, arraySize)
		for k := range r {
			r[k] = float64(k) * 0.5
		}
		return r[len(r)-1]
	})
}

func BenchmarkSumExp(b *testing.B) {
	xs, _ := arrayInputs()
	versus(b, arrayPrograms, "exps", []value.Value{xs}, func() float64 {
		s := 0.0
		for _, x := range xs {
			s += math.Exp(x)
		}
		return s
	})
}
