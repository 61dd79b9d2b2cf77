package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// generated returns a module of about the given number of lines, of the kind that
// people write: records, data with matches, numeric functions, local lets,
// loops and comprehensions, in which each part uses earlier ones.
func generated(lines int) string {
	var b strings.Builder
	b.WriteString("type Point = {x : Real, y : Real}\n\ndata List a = Nil | Cons a (List a)\n")
	for k, n := 0, 3; n < lines; k++ {
		before := max(k-1, 0)
		block := fmt.Sprintf(`
data Shape%[1]d = Circle%[1]d Point Real | Box%[1]d Point Point | Empty%[1]d

let rate%[1]d = 0.%[1]d

--| The area of a shape.
let area%[1]d (s : Shape%[1]d) : Real =
  match s with
  | Circle%[1]d _ r -> pi * r^2
  | Box%[1]d p q ->
    let w = abs (q.x - p.x)
    let h = abs (q.y - p.y)
    w * h
  | Empty%[1]d -> 0

let step%[1]d w x =
  let error = w * x - rate%[1]d
  let slope = 2 * error * x
  if abs slope < 1e-9 then w
  else w - rate%[1]d * slope

let rec fold%[1]d f z xs =
  match xs with
  | Nil -> z
  | Cons y ys -> fold%[1]d f (f z y) ys

let pair%[1]d x y = (x, y, fun z => (z, x))

let total%[1]d (xs : [n]Real) (p : Point) =
  let scaled = [p.x * x + p.y for x in xs]
  let sum = loop acc = 0 for x in scaled do acc + x
  let weights = [real i / 10 for i < 10]
  let best = loop (k, m) = (0, 0.0) for i < 10 do
    if weights[i] > m then (k + i, weights[i]) else (k, m)
  let id v = v
  let (first, _, _) = pair%[1]d (id sum) (id best)
  first + fold%[1]d (fun a b => a + 2 * b) 1 (Cons sum (Cons 0.5 Nil)) + step%[2]d 0.5 sum

let move%[1]d (p : Point) dx = {p with x = p.x + dx * area%[1]d (Circle%[1]d p 1)}
`, k, before)
		b.WriteString(block)
		n += strings.Count(block, "\n")
	}
	return b.String()
}

// BenchmarkCheck measures parsing and checking; lines/s is the figure that
// counts, and it should not depend on the size.
func BenchmarkCheck(b *testing.B) {
	for _, lines := range []int{1_000, 10_000, 100_000} {
		text := generated(lines)
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				checkText(b, text)
			}
			b.ReportMetric(float64(strings.Count(text, "\n"))*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkParse returns the part of BenchmarkCheck that is not this package's.
func BenchmarkParse(b *testing.B) {
	text := generated(100_000)
	for b.Loop() {
		var sink diag.List
		syntax.Parse(diag.NewFile("in.flx", text), &sink)
	}
	b.ReportMetric(float64(strings.Count(text, "\n"))*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func checkText(t testing.TB, text string) *check.Info {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
	info := check.Check(module, check.Options{Name: "in"}, &sink)
	if sink.Failed() {
		t.Fatal(rendered(&sink))
	}
	return info
}

// TestGenerated checks that the module of the benchmark is a correct one.
func TestGenerated(t *testing.T) { checkText(t, generated(200)) }
