package suite

import "math/rand/v2"

// Our own problems, made up.

// normals draws normal numbers with a standard deviation.
func normals(r *rand.Rand, n int, deviation float64) []float64 {
	xs := make([]float64, n)
	for k := range xs {
		xs[k] = deviation * r.NormFloat64()
	}
	return xs
}

// joined puts lists of numbers after one another.
func joined(lists ...[]float64) []float64 {
	var all []float64
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// counts returns integers as doubles.
func counts(ns ...int) []float64 {
	xs := make([]float64, len(ns))
	for k, n := range ns {
		xs[k] = float64(n)
	}
	return xs
}

// mlp returns a perceptron with one hidden layer.
func mlp(inputs, hidden, outputs, batch int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		w1, b1 := normals(r, inputs*hidden, 0.05), normals(r, hidden, 0.1)
		w2, b2 := normals(r, hidden*outputs, 0.1), normals(r, outputs, 0.1)
		images := uniform(r, batch*inputs, 0, 1)
		labels := make([]int, batch)
		for k := range labels {
			labels[k] = r.IntN(outputs)
		}
		params := map[string]any{"w1": rows(w1, hidden), "b1": b1, "w2": rows(w2, outputs),
			"b2": b2}
		input := map[string]any{"params": params, "images": rows(images, inputs), "labels": labels}
		numbers := joined(counts(inputs, hidden, outputs, batch), w1, b1, w2, b2, images,
			counts(labels...))
		return &problem{input: input, numbers: numbers}, nil
	}
}

// rnn returns a recurrent network with as many inputs as states.
func rnn(states, steps int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		w, u, b := normals(r, states*states, 0.15), normals(r, states*states, 0.15),
			normals(r, states, 0.1)
		inputs, target := normals(r, steps*states, 1), normals(r, states, 1)
		params := map[string]any{"w": rows(w, states), "u": rows(u, states), "b": b}
		input := map[string]any{"params": params, "inputs": rows(inputs, states), "target": target}
		return &problem{input: input, numbers: joined(counts(states, steps), w, u, b, inputs,
			target)}, nil
	}
}

// blackScholes returns an option and a number of paths.
func blackScholes(paths int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		zs := normals(random(), paths, 1)
		market := map[string]any{"spot": 100, "rate": 0.03, "volatility": 0.2}
		input := map[string]any{"market": market, "strike": 105, "years": 0.5, "normals": zs}
		return &problem{input: input, numbers: joined([]float64{100, 0.03, 0.2, 105, 0.5},
			counts(paths), zs)}, nil
	}
}

// chain returns a chain of so many links, for its sparse Hessian.
func chain(links int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		xs := uniform(random(), links, 0.2, 0.8)
		return &problem{input: map[string]any{"chain": xs}, numbers: joined(counts(links), xs)}, nil
	}
}

// lotka returns a model of predators and prey.
func lotka(steps int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		rates := map[string]any{"birth": 1.1, "eaten": 0.4, "death": 0.4, "growth": 0.1}
		input := map[string]any{"rates": rates, "start": []float64{10, 5}, "time": 20,
			"steps": steps}
		return &problem{input: input, numbers: joined([]float64{1.1, 0.4, 0.4, 0.1, 10, 5, 20},
			counts(steps))}, nil
	}
}

// kalman returns a series of measurements of a level that drifts.
func kalman(steps int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		seen := make([]float64, steps)
		level := 0.0
		for k := range seen {
			level += 0.1 * r.NormFloat64()
			seen[k] = level + 0.5*r.NormFloat64()
		}
		input := map[string]any{"variances": map[string]any{"noise": 0.3, "drift": 0.02},
			"seen": seen}
		return &problem{input: input, numbers: joined([]float64{0.3, 0.02}, counts(steps), seen)},
			nil
	}
}

// conv returns some images and some kernels, all square.
func conv(images, side, kernels, width int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		squares := func(n, side int) (all [][][]float64) {
			for range n {
				all = append(all, rows(normals(r, side*side, 1), side))
			}
			return all
		}
		return &problem{input: map[string]any{"kernels": squares(kernels, width),
			"images": squares(images, side)}}, nil
	}
}

// transformer returns a block with some heads for tokens of a width.
func transformer(tokens, width, heads int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		matrix := func(n, m int) [][]float64 { return rows(normals(r, n*m, 0.2), m) }
		matrices := func() (all [][][]float64) {
			for range heads {
				all = append(all, matrix(width, width/heads))
			}
			return all
		}
		params := map[string]any{"query": matrices(), "key": matrices(), "value": matrices(),
			"out": matrix(width, width), "up": matrix(width, 4*width),
			"down": matrix(4*width, width)}
		return &problem{input: map[string]any{"params": params, "tokens": matrix(tokens, width)}},
			nil
	}
}

// hmc returns a path on the eight schools.
func hmc(steps int) func(string) (*problem, error) {
	return func(string) (*problem, error) {
		r := random()
		point := func() any {
			return map[string]any{"mean": r.NormFloat64(), "logSpread": r.NormFloat64(),
				"effects": normals(r, 8, 1)}
		}
		return &problem{input: map[string]any{"start": point(), "push": point(), "size": 0.05,
			"steps":  steps,
			"seen":   []float64{28, 8, -3, 7, -1, 1, 18, 12},
			"errors": []float64{15, 10, 16, 11, 9, 11, 10, 18}}}, nil
	}
}
