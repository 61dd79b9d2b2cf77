package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/service"
)

// definition is twenty lines that are new to a session.
const definition = `
let softplus%[1]d (x : Real) : Real =
  let big = x > 30
  if big then x else log (1 + exp x)

type Model%[1]d = {weight : Real, bias : Real, scale : Real}

let predict%[1]d (m : Model%[1]d) (x : Real) : Real =
  let z = m.weight * x + m.bias
  let s = softplus%[1]d z
  m.scale * s / (1 + s)

let loss%[1]d (m : Model%[1]d) (xs : []Real) : Real =
  let n = real (length xs)
  let errors = [square (predict%[1]d m x - x) for x in xs]
  let penalty = m.weight^2 + m.bias^2 + m.scale^2
  sum errors / n + 0.01 * penalty

let fitted%[1]d (xs : []Real) : Real =
  let m = {weight = 1.5, bias = 0.25, scale = 2}
  let slope = grad (fun m => loss%[1]d m xs) m
  slope.weight + slope.bias + slope.scale
`

// timed is compiled code that tells how long it runs.
type timed struct {
	loop.Code
	total *time.Duration
}

func (c timed) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	start := time.Now()
	defer func() { *c.total += time.Since(start) }()
	return c.Code.RunInto(into, args, opts)
}

// timedSession returns a session whose compiled code adds the time in which it runs to a total.
func timedSession(t testing.TB, ran *time.Duration) (submit func(text string)) {
	s := service.NewSession()
	s.Settings.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
		code, err := jit.Compile(p, jit.Options{})
		if err != nil {
			return nil, err
		}
		return timed{code, ran}, nil
	}
	return func(text string) {
		if answer := s.Submit(context.Background(), text); answer.Found.Failed() {
			t.Fatal(answer.Found.Sorted()[0])
		}
	}
}

// TestStart: the gradient of a function of a constant, which is an argument of nothing that is
// compiled, is compiled at once if the constant is large.
func TestStart(t *testing.T) {
	if _, err := jit.Compile(&loop.Program{Funcs: []*loop.Func{{Body: &loop.Block{}}}}, jit.Options{}); err != nil {
		t.Skip(err)
	}
	var ran time.Duration
	submit := timedSession(t, &ran)
	submit("let xs = [real i / 1000000 for i < 200000]")
	submit(fmt.Sprintf(definition, 0))
	ran = 0
	submit("fitted0 xs")
	if ran == 0 {
		t.Error("the interpreter has run it")
	}
}

// BenchmarkStart: how long it takes from entering a new definition over 10⁶ elements to its first
// result, without the time in which the compiled code runs.
func BenchmarkStart(b *testing.B) {
	var ran time.Duration
	submit := timedSession(b, &ran)
	submit("let xs = [real i / 1000000 for i < 1000000]")
	submit("sum xs")
	ran = 0
	n := 0
	for b.Loop() {
		submit(fmt.Sprintf(definition, n))
		submit(fmt.Sprintf("fitted%d xs", n))
		n++
	}
	total := b.Elapsed()
	b.ReportMetric(float64((total-ran).Microseconds())/float64(n)/1e3, "start-ms")
	b.ReportMetric(float64(ran.Microseconds())/float64(n)/1e3, "run-ms")
}
