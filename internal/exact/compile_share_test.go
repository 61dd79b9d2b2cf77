package exact_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/exact"
)

// TestSharedValues: expressions with equal texts have values of their own in each turn of a loop,
// in each branch and in each call. The arguments are elements of an array, so that nothing is a
// literal.
func TestSharedValues(t *testing.T) {
	for _, c := range []struct{ of, at, want string }{
		{"fold (fun s t => s * s + (s * s) * t) x [0.5, 0.25]", "1", "2.8125!"},
		{"(fold (fun s t => s * t + x * x) x [x, 2]) + x * x", "3", "54!"},
		{"sum [t * t + x * x + t * t for t in [x, 2, 3]] + x * x", "2", "50!"},
		{"(if x > 0 then exp x * exp x else 2 * exp x) + exp x", "-1", "1.10363832351432696478"},
		{"(if x > 0 then exp x * exp x else 2 * exp x) + exp x * exp x", "1", "14.77811219786130037862"},
		{"(let f = fun y => y * y + x * x in f x + f 2 + x * x)", "3", "40!"},
		{"deriv (fun y => y * y * x * 1 + (y - 0) * (y - 0) * x) x", "2", "16!"},
		{"grad (fun (y, z) => (y - 0) * z * (1 * z) + y * z^1) (x, 2) |> (fun (a, b) => a + 10 * b)", "3", "156!"},
		{"(2^2 + 2 * 2 - cos 0 * 1) * x^2 + (x + 0)^1 - 0 * x", "3", "66!"},
	} {
		check(t, "let f (x : Real) : Real = "+c.of+"\n\nmap f ["+c.at+"]", "1e-12", c.want)
	}
}

// TestSharedOperations: what is written twice is computed once, and literals before the search.
func TestSharedOperations(t *testing.T) {
	search := func(of string) int { return operations(t, "root 0 2 (fun x => "+of+" - 1)") }
	short := search("(let s = sin x in let q = s^2 + 0.5 in q^2)")
	for _, long := range []string{
		"(sin x * sin x + 0.5) * (sin x * sin x + 0.5)",
		"((sin x - 0) * (0 + sin x) * 1 + 0.5) * (sin x^2 + 0.5)",
		"(sin x * sin x + 0.5)^2",
	} {
		if n := search(long); n != short {
			t.Errorf("%s takes %d operations, not %d", long, n, short)
		}
	}
	constants := search("(cos 0.9 * cos 0.9 + sin 0.9 * sin 0.9 * 2) * x") - search("1.5 * x")
	if constants > 20 {
		t.Errorf("constants take %d operations", constants)
	}
}

// TestSquare: both factors of x * x are the same point.
func TestSquare(t *testing.T) {
	f, _ := exact.NewFunction(context.Background(), prepared(t, "(fun (x : Real) => x * x, 0.5)"), exact.Options{Eps: big.NewRat(1, 1000)})
	box := []exact.Enclosure{{Lo: big.NewFloat(-1), Hi: big.NewFloat(2)}}
	for _, bits := range []uint{53, 128} {
		v, d := f.On(bits, box)
		if d != nil {
			t.Fatal(d)
		}
		lo, _ := reals(v)[0].Lo.Float64()
		hi, _ := reals(v)[0].Hi.Float64()
		if lo < -1e-30 || hi != 4 {
			t.Errorf("with %d bits x * x is in [%v, %v] for x in [-1, 2]", bits, lo, hi)
		}
	}
}
