package messages

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reals is a list of numbers that JSON writes with null for those that are not finite.
type reals []float64

// MarshalJSON writes the numbers.
func (xs reals) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for k, x := range xs {
		if k > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, x, 'g', -1, 64)
		}
	}
	return append(out, ']'), nil
}

func matrix(rows [][]float64) []reals {
	var out []reals
	for _, row := range rows {
		out = append(out, row)
	}
	return out
}

// figure is a picture as the page draws it.
type figure struct {
	Title   string   `json:"title"`
	X       string   `json:"x"`
	Y       string   `json:"y"`
	LogX    bool     `json:"logX"`
	LogY    bool     `json:"logY"`
	Layers  []layer  `json:"layers"`
	Columns int      `json:"columns,omitempty"`
	Facets  []figure `json:"facets,omitempty"`
}

type layer struct {
	Kind   string   `json:"kind"`
	Name   string   `json:"name"`
	Xs     reals    `json:"xs,omitempty"`
	Ys     reals    `json:"ys,omitempty"`
	Us     reals    `json:"us,omitempty"`
	Vs     reals    `json:"vs,omitempty"`
	Bins   int      `json:"bins,omitempty"`
	Rows   []reals  `json:"rows,omitempty"`
	Ranges [2]reals `json:"ranges"`
	Levels reals    `json:"levels,omitempty"`
}

func figureOf(f *plot.Figure) *figure {
	if f == nil {
		return nil
	}
	out := &figure{Title: f.Title, X: f.X, Y: f.Y, LogX: f.LogX, LogY: f.LogY, Columns: f.Columns}
	for _, l := range f.Layers {
		out.Layers = append(out.Layers, layer{
			Kind: l.Kind, Name: l.Name, Xs: l.Xs, Ys: l.Ys, Us: l.Us, Vs: l.Vs, Bins: l.Bins,
			Rows: matrix(l.Rows), Ranges: [2]reals{l.Ranges[0][:], l.Ranges[1][:]},
			Levels: l.Levels,
		})
	}
	for _, part := range f.Facets {
		out.Facets = append(out.Facets, *figureOf(part))
	}
	return out
}

// part is a value in its presentations.
type part struct {
	Name     string              `json:"name,omitempty"`
	Text     string              `json:"text"`
	Table    *service.Table      `json:"table,omitempty"`
	Figure   *figure             `json:"figure,omitempty"`
	Picture  []reals             `json:"picture,omitempty"`
	Enclosed []service.Enclosure `json:"enclosed,omitempty"`
}

func partsOf(r *service.Result) []part {
	parts := []part{}
	for _, p := range r.Parts {
		drawn, picture := figureOf(p.Figure), matrix(p.Picture)
		parts = append(parts, part{p.Name, p.Text, p.Table, drawn, picture, p.Enclosed})
	}
	return parts
}

// maxDigits bounds the digits that a page may ask for, because it waits for the answer.
const maxDigits = 10_000

func (s *Session) run(ctx context.Context, r *request, send func(any)) (any, error) {
	ask := service.Ask{Name: r.Name, Text: r.Expr, Settings: s.settings}
	ask.Settings.Watch = func(text string) { send(map[string]any{"progress": text}) }
	ask.Settings.Debug = func(line string) { send(map[string]any{"debug": line}) }
	if r.Digits > 0 {
		if r.Digits > maxDigits {
			return nil, fmt.Errorf("the page shows at most %d digits; the command has --digits",
				maxDigits)
		}
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.Digits)), nil)
		ask.Exact = new(big.Rat).SetFrac(big.NewInt(1), scale)
		last := ""
		ask.Stream = func(v value.Value) {
			shown, err := service.Present(driver.Result{Value: v})
			if err == nil && shown.Text != last {
				last = shown.Text
				send(map[string]any{"narrower": partsOf(shown)})
			}
		}
	}
	result, err := s.service.Evaluate(ctx, r.Path, ask)
	if err != nil {
		return nil, err
	}
	warnings := []failure{}
	for _, d := range result.Warnings {
		warnings = append(warnings, s.finding(d))
	}
	return map[string]any{"type": result.Type, "parts": partsOf(result), "warnings": warnings}, nil
}

func (s *Session) graph(ctx context.Context, r *request, _ func(any)) (any, error) {
	g := service.Graph{
		Fun: r.Expr, From: r.From, To: r.To, Orders: r.Orders, Band: r.Band, Settings: s.settings,
	}
	drawn, notes, err := s.service.Graph(ctx, r.Path, g)
	if err != nil {
		return nil, err
	}
	if notes == nil {
		notes = []string{}
	}
	return map[string]any{"figure": figureOf(drawn), "notes": notes}, nil
}

// outcome is the result of one algorithm on a function.
type outcome struct {
	Strategy    string   `json:"strategy"`
	Paper       string   `json:"paper"`
	Gradient    string   `json:"gradient,omitempty"`
	Primal      int64    `json:"primal"`
	Forward     int64    `json:"forward"`  // -1 if it was not counted
	Backward    int64    `json:"backward"` // -1 if it was not counted
	Cells       int64    `json:"cells,omitempty"`
	Allocations uint64   `json:"allocations"`
	Seconds     float64  `json:"seconds"`
	Explanation string   `json:"explanation,omitempty"`
	Failure     *failure `json:"failure,omitempty"`
}

func (s *Session) lab(ctx context.Context, r *request, _ func(any)) (any, error) {
	if r.Name == "" {
		return nil, errors.New("choose a function")
	}
	e := lab.Experiment{
		Fun: r.Name, At: r.Expr, Explain: true, MaxOps: lab.DefaultOps, Settings: s.settings,
	}
	outcomes, at, err := s.service.Differentiate(ctx, r.Path, e)
	if err != nil {
		return nil, err
	}
	rows := []outcome{}
	for _, o := range outcomes {
		row := outcome{
			Strategy: o.Strategy.Name, Paper: o.Strategy.Paper,
			Allocations: o.Allocations, Seconds: o.Time.Seconds(),
		}
		if a := o.Answer; a != nil {
			shown := a.Gradient
			if a.Enclosed != nil {
				shown = a.Enclosed
			}
			row.Gradient = value.ShowAtMost(shown, 20)
			row.Explanation, row.Cells = a.Explanation, a.Cells
			row.Primal, row.Forward, row.Backward = a.Ops.Primal, a.Ops.Forward, a.Ops.Backward
			if a.Ops.Uncounted {
				row.Forward, row.Backward = -1, -1
			}
		} else {
			f := s.failure(o.Failure)
			row.Failure = &f
		}
		rows = append(rows, row)
	}
	worst := lab.Agreement(outcomes)
	agree := lab.Agree(outcomes)
	return map[string]any{"at": at, "outcomes": rows, "agree": agree, "apart": reals{worst}}, nil
}
