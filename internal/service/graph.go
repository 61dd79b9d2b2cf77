package service

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/plot"
)

// Graph describes the graph of a function of a real.
type Graph struct {
	Fun      string // the function, as an expression that sees the document
	From, To float64
	Orders   int  // how many orders of derivatives to draw
	Band     bool // whether to draw certified ranges around the function

	Settings driver.Settings
}

// Bounds of a graph, and the number of ranges of a band.
const (
	maxOrders = 4
	bandCells = 48
)

// Graph draws a function and its derivatives, with kinks marked. The notes say what could not be
// drawn.
func (s *Service) Graph(ctx context.Context, path string, g Graph) (figure *plot.Figure,
	notes []string, err error) {
	if !(g.From < g.To) || math.IsInf(g.To-g.From, 0) {
		return nil, nil, fmt.Errorf("there is nothing from %v to %v: the range goes from the "+
			"smaller number to the larger", g.From, g.To)
	}
	ctx, done := g.Settings.Within(ctx)
	defer done()
	world := s.own(ctx)
	document, err := loadIn(world, path, "")
	if err != nil {
		return nil, nil, err
	}
	var sink diag.List
	open := []*driver.Unit{document}
	open = append(open, world.LoadInput("<expression>", g.Fun, "it", open, &sink))
	if sink.Failed() {
		return nil, nil, sink.Sorted()[0]
	}
	fun := "it"
	for order := range min(g.Orders, maxOrders) + 1 {
		name := "f" + strings.Repeat("'", order)
		sampler := world.Sampler(ctx, fun, open, g.Settings, &sink)
		if sampler == nil {
			return nil, nil, sink.Sorted()[0]
		}
		drawn, err := plot.Sample(g.From, g.To, sampler.At).Graph(false)
		switch {
		case sampler.Stopped != nil:
			return nil, nil, sampler.Stopped
		case err != nil && order == 0 && sampler.Failure != nil:
			return nil, nil, sampler.Failure
		case err != nil && order == 0:
			return nil, nil, err
		case err != nil:
			notes = append(notes, name+" has no value here")
			return figure, notes, nil
		case sampler.Failure != nil:
			notes = append(notes, fmt.Sprintf("%s has no value at some points: %s", name,
				sampler.Failure.Message))
		}
		drawn.Layers[0].Name = name
		if order == 0 {
			figure = drawn
		} else {
			figure.Layers = append(figure.Layers, drawn.Layers[0])
		}
		fun = "(deriv " + fun + ")"
	}
	if g.Band {
		if note := g.addBand(ctx, world, open, figure); note != "" {
			notes = append(notes, note)
		}
	}
	return figure, notes, nil
}

// addBand adds certified bounds of the function's values: on each of many short ranges,
// enclosures of its least and its largest value. It returns why that is impossible, or "".
func (g *Graph) addBand(ctx context.Context, w *driver.World, open []*driver.Unit,
	figure *plot.Figure) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, y := range figure.Layers[0].Ys {
		if !math.IsNaN(y) {
			lo, hi = math.Min(lo, y), math.Max(hi, y)
		}
	}
	eps := new(big.Rat).SetFloat64(math.Max((hi-lo)/500, 1e-9))
	if eps == nil {
		return "the values are too large for a band"
	}
	step := new(big.Rat).SetFloat64((g.To - g.From) / bandCells)
	at := func(k string) string {
		from := strconv.FormatFloat(g.From, 'g', -1, 64)
		return fmt.Sprintf("((%s) + (%s) / (%s) * real (%s))", from, step.Num(), step.Denom(), k)
	}
	ends := at("i") + " " + at("i + 1")
	text := fmt.Sprintf("[(minOver %s it, maxOver %[1]s it) for i < %d]", ends, bandCells)
	var sink diag.List
	unit := w.LoadText("<band>", text, open, &sink)
	if sink.Failed() {
		return sink.Sorted()[0].Message
	}
	result, d := driver.RunExact(ctx, unit, g.Settings, driver.Exactly{Eps: eps})
	if d != nil {
		return "the values cannot be enclosed: " + d.Message
	}
	band := plot.Layer{Kind: "Band", Name: "certified range"}
	width := (g.To - g.From) / bandCells
	sets := exact.Enclosures(result.Value)
	for k := 0; k+1 < len(sets); k += 2 {
		if sets[k].Lo.IsInf() || sets[k+1].Hi.IsInf() {
			continue
		}
		low, _ := sets[k].Lo.Float64()
		high, _ := sets[k+1].Hi.Float64()
		left := g.From + width*float64(k/2)
		band.Xs = append(band.Xs, left, left+width)
		// The doubles nearest to the ends are moved outwards by one, so that they stay outside.
		low, high = math.Nextafter(low, math.Inf(-1)), math.Nextafter(high, math.Inf(1))
		band.Ys = append(band.Ys, low, low)
		band.Us = append(band.Us, high, high)
	}
	figure.Layers = append([]plot.Layer{band}, figure.Layers...)
	return ""
}
