package suite

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// problem is an instance in the form that the programs take.
type problem struct {
	input     any       // for the program in Fluxion, as JSON
	numbers   []float64 // for the program in C
	reference []float64 // the gradient, or nil if no reference exists
}

// random returns the source of generated instances, the same each time.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// uniform draws numbers from low to high.
func uniform(r *rand.Rand, n int, low, high float64) []float64 {
	xs := make([]float64, n)
	for k := range xs {
		xs[k] = low + (high-low)*r.Float64()
	}
	return xs
}

// rows cuts a list into rows.
func rows(xs []float64, columns int) [][]float64 {
	all := [][]float64{}
	for ; len(xs) > 0; xs = xs[columns:] {
		all = append(all, xs[:columns])
	}
	return all
}

// tokens are the words of a file, read in order. The first failure sticks.
type tokens struct {
	words []string
	err   error
}

// readTokens splits a file at white space and at colons.
func readTokens(path string) *tokens {
	text, err := os.ReadFile(path)
	if err != nil {
		return &tokens{err: err}
	}
	split := func(r rune) bool {
		return r == ':' || r == ' ' || r == '\n' || r == '\r' || r == '\t'
	}
	return &tokens{words: strings.FieldsFunc(string(text), split)}
}

func (t *tokens) word() string {
	if len(t.words) == 0 {
		if t.err == nil {
			t.err = io.ErrUnexpectedEOF
		}
		return "0"
	}
	w := t.words[0]
	t.words = t.words[1:]
	return w
}

func (t *tokens) real() float64 {
	x, err := strconv.ParseFloat(t.word(), 64)
	if err != nil && t.err == nil {
		t.err = err
	}
	return x
}

func (t *tokens) int() int {
	n, err := strconv.Atoi(t.word())
	if (err != nil || n < -1 || n > 1<<28) && t.err == nil {
		t.err = fmt.Errorf("a count is %d", n)
	}
	return n
}

func (t *tokens) reals(n int) []float64 {
	if t.err != nil || n > len(t.words) {
		t.words = nil
		t.word()
		return nil
	}
	xs := make([]float64, n)
	for k := range xs {
		xs[k] = t.real()
	}
	return xs
}

// readReference reads a gradient, a number a line; nil if there is no such file.
func readReference(folder, name string) ([]float64, error) {
	file, err := os.Open(filepath.Join(folder, "ref", name+".grad.txt"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var xs []float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		x, err := strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return xs, nil
}

// gmm returns a Gaussian mixture in d dimensions, of k components, with 1,000 points.
func gmm(d, k int) func(string) (*problem, error) {
	const n = 1000
	name := fmt.Sprintf("d%d_K%d", d, k)
	triangle := d * (d - 1) / 2
	return func(folder string) (*problem, error) {
		r := random()
		alpha, mu, x := uniform(r, k, -1, 1), uniform(r, k*d, 0, 1), uniform(r, n*d, -1, 1)
		icf := uniform(r, k*(d+triangle), -1, 1)
		gamma, m := 1.0, 0
		var reference []float64
		if folder != "" {
			t := readTokens(filepath.Join(folder, "data", "gmm", "1k", "gmm_"+name+".txt"))
			if t.int() != d || t.int() != k || t.int() != n {
				return nil, fmt.Errorf("gmm_%s.txt is not what its name says (%v)", name, t.err)
			}
			alpha, mu, icf, x = t.reals(k), t.reals(k*d), t.reals(k*(d+triangle)), t.reals(n*d)
			gamma, m = t.real(), t.int()
			if t.err != nil {
				return nil, t.err
			}
			var err error
			if reference, err = readReference(folder, "gmm/1k_"+name); err != nil {
				return nil, err
			}
		}
		var q, l [][]float64
		numbers := []float64{float64(d), float64(k), n, float64(m), gamma}
		for _, row := range rows(icf, d+triangle) {
			q, l = append(q, row[:d]), append(l, row[d:])
		}
		numbers = append(append(numbers, alpha...), mu...)
		for _, part := range [][][]float64{q, l, {x}} {
			for _, row := range part {
				numbers = append(numbers, row...)
			}
		}
		input := map[string]any{"d": d, "k": k, "n": n, "m": m, "gamma": gamma, "x": rows(x, d),
			"alpha": alpha, "mu": rows(mu, d), "q": q, "l": l}
		return &problem{input, numbers, reference}, nil
	}
}

// ba returns bundle adjustment with n cameras, m points and p observations.
func ba(number, n, m, p int) func(string) (*problem, error) {
	return func(folder string) (*problem, error) {
		r := random()
		cam := append(uniform(r, 6, -1, 1), 400, 5, -8, 0.08, 0.002)
		x, w, feat := []float64{3, 2, 9}, 0.4, []float64{270, 830}
		if folder != "" {
			t := readTokens(filepath.Join(folder, "data", "ba",
				fmt.Sprintf("ba%d_n%d_m%d_p%d.txt", number, n, m, p)))
			t.reals(3)
			cam, x, w, feat = t.reals(11), t.reals(3), t.real(), t.reals(2)
			if t.err != nil {
				return nil, t.err
			}
		}
		numbers := []float64{float64(n), float64(m), float64(p)}
		for range n {
			numbers = append(numbers, cam...)
		}
		for range m {
			numbers = append(numbers, x...)
		}
		for range p {
			numbers = append(numbers, w)
		}
		for range p {
			numbers = append(numbers, feat...)
		}
		input := map[string]any{"n": n, "m": m, "p": p, "cam": cam, "x": x, "w": w, "feat": feat}
		return &problem{input: input, numbers: numbers}, nil
	}
}

// lstm returns a network of l layers on a text of c characters of 14 bits.
func lstm(l, c int) func(string) (*problem, error) {
	return func(folder string) (*problem, error) {
		b := 14
		r := random()
		params, extra, state := uniform(r, 8*l*b, 0, 1), uniform(r, 3*b, 0, 1),
			uniform(r, 2*l*b, 0, 1)
		sequence := make([]float64, c*b)
		for k := range sequence {
			sequence[k] = float64(r.IntN(2))
		}
		var reference []float64
		if folder != "" {
			name := fmt.Sprintf("l%d_c%d", l, c)
			t := readTokens(filepath.Join(folder, "data", "lstm", "lstm_"+name+".txt"))
			if t.int() != l || t.int() != c {
				return nil, fmt.Errorf("lstm_%s.txt is not what its name says (%v)", name, t.err)
			}
			b = t.int()
			params, extra, state, sequence = t.reals(8*l*b), t.reals(3*b), t.reals(2*l*b),
				t.reals(c*b)
			if t.err != nil {
				return nil, t.err
			}
			var err error
			if reference, err = readReference(folder, "lstm/"+name); err != nil {
				return nil, err
			}
		}
		numbers := []float64{float64(l), float64(c), float64(b)}
		for _, part := range [][]float64{params, extra, state, sequence} {
			numbers = append(numbers, part...)
		}
		input := map[string]any{"main_params": rows(params, 4*b), "extra_params": rows(extra, b),
			"state": rows(state, b), "sequence": rows(sequence, b)}
		return &problem{input, numbers, reference}, nil
	}
}
