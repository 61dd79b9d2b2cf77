package driver

import (
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// weights returns an array of numbers of no particular kind, as the program and as
// the test have them.
func weights(n, from int) (string, []float64) {
	text, xs := "[", make([]float64, n)
	for i := range xs {
		xs[i] = math.Round(1000*math.Sin(float64(7*(i+from)))) / 1000
		text += fmt.Sprintf("%v, ", xs[i])
	}
	return text[:len(text)-2] + "]", xs
}

func sameReals(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
			return
		}
	}
}

// TestConvolutions compares with the sums that define them.
func TestConvolutions(t *testing.T) {
	const inputs, outputs, width, height, kw, kh = 2, 3, 6, 5, 3, 2
	kt, k := weights(outputs*inputs*kh*kw, 1)
	xt, x := weights(inputs*height*width, 50)
	bt, b := weights(outputs, 99)
	expr := fmt.Sprintf(`let cut (n : Int) (xs : []a) : [][]a = array.reshape n xs
let kernels = cut %d (cut %d (cut %d %s))
flatten (nn.conv2 {kernels, bias = %s} (cut %d (cut %d %s)))`, inputs, kh, kw, kt, bt, height, width, xt)
	var want []float64
	for o := range outputs {
		for y := range height - kh + 1 {
			for z := range width - kw + 1 {
				sum := b[o]
				for c := range inputs {
					for i := range kh {
						for j := range kw {
							sum += k[((o*inputs+c)*kh+i)*kw+j] * x[(c*height+y+i)*width+z+j]
						}
					}
				}
				want = append(want, sum)
			}
		}
	}
	sameReals(t, "conv2", valueOf(t, expr).(value.Reals), want)

	xt, x = weights(inputs*width, 50)
	kt, k = weights(outputs*inputs*kw, 1)
	expr = fmt.Sprintf("flatten (nn.conv1 {kernels = array.reshape %d (array.reshape %d %s), bias = %s} (array.reshape %d %s))", inputs, kw, kt, bt, width, xt)
	want = nil
	for o := range outputs {
		for z := range width - kw + 1 {
			sum := b[o]
			for c := range inputs {
				for j := range kw {
					sum += k[(o*inputs+c)*kw+j] * x[c*width+z+j]
				}
			}
			want = append(want, sum)
		}
	}
	sameReals(t, "conv1", valueOf(t, expr).(value.Reals), want)
}

// TestCells compares the recurrent cells, with one input and one state, with
// their equations.
func TestCells(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	cell := func(w, u, b float64) string {
		return fmt.Sprintf("{input = [[%v]], state = [[%v]], bias = [%v]}", w, u, b)
	}
	const x, h, c = 0.7, -0.4, 0.9
	i, f := sigmoid(0.1*x+0.2*h+0.3), sigmoid(-0.5*x+0.6*h+1)
	o, g := sigmoid(0.8*x-0.3*h), math.Tanh(1.1*x+0.4*h-0.2)
	next := f*c + i*g
	lstm := fmt.Sprintf("flatten (nn.lstm {input = %s, forget = %s, output = %s, candidate = %s} {hidden = [%v], cell = [%v]} [%v])",
		cell(0.1, 0.2, 0.3), cell(-0.5, 0.6, 1), cell(0.8, -0.3, 0), cell(1.1, 0.4, -0.2), h, c, x)
	sameReals(t, "lstm", valueOf(t, lstm).(value.Reals), []float64{next, o * math.Tanh(next)})

	u, r := sigmoid(0.1*x+0.2*h+0.3), sigmoid(-0.5*x+0.6*h+1)
	n := math.Tanh(0.8*x - 0.3*r*h)
	gru := fmt.Sprintf("nn.gru {update = %s, reset = %s, candidate = %s} [%v] [%v]", cell(0.1, 0.2, 0.3), cell(-0.5, 0.6, 1), cell(0.8, -0.3, 0), h, x)
	sameReals(t, "gru", valueOf(t, gru).(value.Reals), []float64{(1-u)*h + u*n})

	rnn := fmt.Sprintf("nn.rnn %s [%v] [%v]", cell(0.1, 0.2, 0.3), h, x)
	sameReals(t, "rnn", valueOf(t, rnn).(value.Reals), []float64{math.Tanh(0.1*x + 0.2*h + 0.3)})
}

// TestTraining: full batches of gradient descent are gradient descent, and
// every example counts once in each pass whatever the batches.
func TestTraining(t *testing.T) {
	const data = "[(1, 3), (2, 5), (4, 9), (5, 12)]"
	x, y := []float64{1, 2, 4, 5}, []float64{3, 5, 9, 12}
	w, losses := 0.0, []float64{}
	for range 5 {
		loss, gradient := 0.0, 0.0
		for i := range x {
			loss += (w*x[i] - y[i]) * (w*x[i] - y[i]) / 4
			gradient += 2 * (w*x[i] - y[i]) * x[i] / 4
		}
		losses = append(losses, loss)
		w -= 0.01 * gradient
	}
	train := "nn.train {epochs = 5, batch = %d} (optim.gradientDescent %s) (fun w (x, y) => (w * x - y)^2) " + data + " (random.key 1) 0"
	near(t, "("+fmt.Sprintf(train, 4, "0.01")+").parameters", w, 1e-12)
	sameReals(t, "losses", valueOf(t, "("+fmt.Sprintf(train, 10, "0.01")+").losses").(value.Reals), losses)
	// with no rate at all the mean loss of every pass is the loss
	sameReals(t, "losses", valueOf(t, "("+fmt.Sprintf(train, 3, "0")+").losses").(value.Reals), []float64{losses[0], losses[0], losses[0], losses[0], losses[0]})
}
