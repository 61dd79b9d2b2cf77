package suite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// handModel is a hand at rest.
type handModel struct {
	Parents   []int         `json:"parents"`
	Relatives [][][]float64 `json:"base_relatives"`
	Inverses  [][][]float64 `json:"inverse_base_absolutes"`
	Positions [][]float64   `json:"base_positions"`
	Weights   [][]float64   `json:"weights"`
	Triangles [][]int       `json:"triangles"`
	Mirrored  bool          `json:"is_mirrored"`
}

// handInput is what the program takes.
type handInput struct {
	Theta []float64   `json:"theta"`
	Us    [][]float64 `json:"us"`
	Data  handData    `json:"data"`
}

type handData struct {
	Model           handModel   `json:"model"`
	Correspondences []int       `json:"correspondences"`
	Points          [][]float64 `json:"points"`
}

// The size of the small model.
const (
	handBones     = 22
	handVertices  = 544
	handTriangles = 1084
)

// hand returns hand tracking with some points, which lie at vertices or, if it is complicated, in
// triangles.
func hand(number, points int, complicated bool) func(string) (*problem, error) {
	return func(folder string) (*problem, error) {
		input := madeUpHand(random(), handVertices, points, complicated)
		var reference []float64
		if folder != "" {
			var err error
			if input, err = readHand(folder, number, points, complicated); err != nil {
				return nil, err
			}
			name := fmt.Sprintf("hand/%s_small_hand%d", handKind(complicated), number)
			if reference, err = readReference(folder, name); err != nil {
				return nil, err
			}
		}
		return &problem{input, input.numbers(), reference}, nil
	}
}

func handKind(complicated bool) string {
	if complicated {
		return "complicated"
	}
	return "simple"
}

// madeUpHand returns a hand of the right shape, with some vertices.
func madeUpHand(r *rand.Rand, vertices, points int, complicated bool) *handInput {
	in := &handInput{Theta: uniform(r, 26, -0.5, 0.5), Us: [][]float64{}}
	affine := func() [][]float64 {
		m := rows(uniform(r, 12, -0.6, 0.6), 4)
		return append(m, []float64{0, 0, 0, 1})
	}
	model := &in.Data.Model
	for b := range handBones {
		parent := b - 1
		if b%4 == 1 {
			parent = 0 // a finger starts at the wrist
		}
		model.Parents = append(model.Parents, parent)
		model.Relatives, model.Inverses = append(model.Relatives, affine()),
			append(model.Inverses, affine())
	}
	for range vertices {
		model.Positions = append(model.Positions, append(uniform(r, 3, -1, 1), 1))
		weights := make([]float64, handBones)
		for range 4 {
			weights[r.IntN(handBones)] = r.Float64()
		}
		model.Weights = append(model.Weights, weights)
	}
	for range handTriangles {
		model.Triangles = append(model.Triangles, []int{r.IntN(vertices), r.IntN(vertices),
			r.IntN(vertices)})
	}
	of := vertices
	if complicated {
		of = handTriangles
	}
	for range points {
		in.Data.Correspondences = append(in.Data.Correspondences, r.IntN(of))
		in.Data.Points = append(in.Data.Points, uniform(r, 3, -1, 1))
		if complicated {
			in.Us = append(in.Us, uniform(r, 2, 0, 0.5))
		}
	}
	return in
}

// readHand reads a hand and what was seen of it.
func readHand(folder string, number, points int, complicated bool) (*handInput, error) {
	folder = filepath.Join(folder, "data", "hand")
	in := &handInput{Us: [][]float64{}}
	model := &in.Data.Model
	bones := readTokens(filepath.Join(folder, "model", "bones.txt"))
	for bones.err == nil && len(bones.words) > 0 {
		bones.word() // the name
		model.Parents = append(model.Parents, bones.int())
		model.Relatives = append(model.Relatives, rows(bones.reals(16), 4))
		model.Inverses = append(model.Inverses, rows(bones.reals(16), 4))
	}
	vertices := readTokens(filepath.Join(folder, "model", "vertices.txt"))
	for vertices.err == nil && len(vertices.words) > 0 {
		model.Positions = append(model.Positions, append(vertices.reals(3), 1))
		vertices.reals(5)
		weights := make([]float64, len(model.Parents))
		for range vertices.int() {
			if b := vertices.int(); 0 <= b && b < len(weights) {
				weights[b] = vertices.real()
			} else if vertices.err == nil {
				vertices.err = fmt.Errorf("a vertex has a weight for bone %d", b)
			}
		}
		model.Weights = append(model.Weights, weights)
	}
	triangles := readTokens(filepath.Join(folder, "model", "triangles.txt"))
	for triangles.err == nil && len(triangles.words) > 0 {
		model.Triangles = append(model.Triangles, []int{triangles.int(), triangles.int(),
			triangles.int()})
	}
	t := readTokens(filepath.Join(folder, handKind(complicated)+"_small",
		fmt.Sprintf("hand%d_t26_c%d.txt", number, points)))
	t.reals(2)
	for range points {
		in.Data.Correspondences = append(in.Data.Correspondences, t.int())
		in.Data.Points = append(in.Data.Points, t.reals(3))
	}
	for range points {
		if complicated {
			in.Us = append(in.Us, t.reals(2))
		}
	}
	in.Theta = t.reals(26)
	for _, read := range []*tokens{bones, vertices, triangles, t} {
		if read.err != nil {
			return nil, read.err
		}
	}
	return in, nil
}

// numbers lists a hand for the program in C.
func (in *handInput) numbers() []float64 {
	model := &in.Data.Model
	complicated := 0.0
	if len(in.Us) > 0 {
		complicated = 1
	}
	xs := []float64{float64(len(model.Parents)), float64(len(model.Positions)),
		float64(len(model.Triangles)),
		float64(len(in.Data.Points)), complicated}
	for _, p := range model.Parents {
		xs = append(xs, float64(p))
	}
	for b := range model.Parents {
		for _, m := range [][][]float64{model.Relatives[b], model.Inverses[b]} {
			for _, row := range m {
				xs = append(xs, row...)
			}
		}
	}
	for v, position := range model.Positions {
		xs = append(append(xs, position[:3]...), model.Weights[v]...)
	}
	for _, corners := range model.Triangles {
		for _, c := range corners {
			xs = append(xs, float64(c))
		}
	}
	for i, c := range in.Data.Correspondences {
		xs = append(append(xs, float64(c)), in.Data.Points[i]...)
	}
	for _, u := range in.Us {
		xs = append(xs, u...)
	}
	return append(xs, in.Theta...)
}
