package service

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Lens marks something that can be run: a definition without parameters, the final expression, or
// a function that can be differentiated.
type Lens struct {
	At   diag.Span
	Name string // of the definition; "" for the final expression
	Fun  bool   // whether it is a function to Real that can be differentiated
	Type string

	// Point is an argument of the function, as a program writes it. For a curried function it is
	// a tuple.
	Point string
	Curve bool // whether it is a function from Real, which can be drawn
}

// Lenses lists what can be run in a document.
func (s *Service) Lenses(path string) []Lens {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.look(path)
	if v == nil {
		return nil
	}
	var lenses []Lens
	for _, d := range v.unit.AST.Decls {
		let, ok := d.(*syntax.LetDecl)
		if !ok {
			continue
		}
		for _, b := range let.Bindings {
			p, ok := b.Pat.(*syntax.PVar)
			if !ok {
				continue
			}
			g, ok := v.unit.Info.Defs[p.Num()].(*check.Global)
			if !ok || g.Scheme == nil || len(g.Scheme.Params) > 0 {
				continue
			}
			lens := Lens{At: p.At, Name: p.Name, Type: v.unit.Info.Printer().Scheme(g.Scheme)}
			params, result := types.Splay(g.Scheme.Type, math.MaxInt)
			if len(params) > 0 {
				lens.Fun, lens.Point = true, sampleArgument(g.Scheme.Type)
				lens.Curve = len(params) == 1 && types.Resolve(params[0]) == types.Type(types.Real)
				if types.Resolve(result) != types.Type(types.Real) || lens.Point == "" {
					continue
				}
			}
			lenses = append(lenses, lens)
		}
	}
	if final := v.unit.AST.Final; final != nil {
		lenses = append(lenses, Lens{At: final.Span()})
	}
	return lenses
}

// Ask says what to evaluate.
type Ask struct {
	Name string // a definition of the document, or ""
	// an expression that sees the document, or ""; without Name and Text, the document's result
	// is meant
	Text  string
	Exact *big.Rat // the width of enclosures; nil for doubles

	// Stream, if not nil, receives the narrowing enclosures of an exact run.
	Stream func(v value.Value)

	Settings driver.Settings
}

// Evaluate runs a document, a definition of it, or an expression that sees it. It can be
// cancelled, and other requests can run meanwhile.
func (s *Service) Evaluate(ctx context.Context, path string, ask Ask) (*Result, error) {
	ctx, done := ask.Settings.Within(ctx)
	defer done()
	world := s.own(ctx)
	unit, err := loadIn(world, path, cmp.Or(ask.Text, ask.Name))
	if err != nil {
		return nil, err
	}
	var result driver.Result
	var d *diag.Diagnostic
	if ask.Exact != nil {
		e := driver.Exactly{Eps: ask.Exact, Stream: ask.Stream != nil}
		if ask.Stream != nil {
			e.Watch = func(p exact.Progress) {
				if p.Value != nil {
					ask.Stream(p.Value)
				}
			}
		}
		result, d = driver.RunExact(ctx, unit, ask.Settings, e)
	} else {
		result, d = driver.Run(ctx, unit, ask.Settings)
	}
	if d != nil {
		return nil, d
	}
	return Present(result)
}

// own returns a new world for one evaluation, with the current documents. Its loading ends with
// the context.
func (s *Service) own(ctx context.Context) *driver.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	world := driver.NewWorld(s.read).Until(ctx)
	world.Overlay = maps.Clone(s.world.Overlay)
	world.Data.Folders = s.world.Data.Folders
	return world
}

// loadIn loads a document, and an expression that sees it unless that is "".
func loadIn(world *driver.World, path, expression string) (*driver.Unit, error) {
	var sink diag.List
	unit := world.LoadFile(filepath.Clean(path), &sink)
	if unit != nil && expression != "" && !sink.Failed() {
		unit = world.LoadText(filepath.Join(filepath.Dir(path), "<expression>"), expression,
			[]*driver.Unit{unit}, &sink)
	}
	for _, d := range sink.Sorted() {
		if d.Severity == diag.Error {
			return nil, d
		}
	}
	return unit, nil
}

// Gradients holds a gradient computed by every published algorithm.
type Gradients struct {
	Text  string // the table that `fluxion diff` prints
	Brief string // the gradient, on one line
}

// Gradients differentiates a function of a document by every published algorithm at a point. If
// at is "", it chooses a point of the function's type.
func (s *Service) Gradients(ctx context.Context, path, fun, at string, settings driver.Settings) (
	*Gradients, error) {
	e := lab.Experiment{Fun: fun, At: at, MaxOps: lab.DefaultOps, Settings: settings}
	outcomes, at, err := s.Differentiate(ctx, path, e)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s\n\n", fun, at)
	lab.ShowOutcomes(&b, outcomes)
	g := &Gradients{Text: b.String(), Brief: "no algorithm answers at " + at}
	for _, o := range outcomes {
		if o.Failure == nil {
			g.Brief = fmt.Sprintf("gradient %s at %s", value.ShowAtMost(o.Answer.Gradient, 5), at)
			break
		}
	}
	return g, nil
}

// Differentiate differentiates a function of a document by every published algorithm. It returns
// the outcomes and the point, which is that of the experiment or one of the function's type.
// Curried arguments form one tuple.
func (s *Service) Differentiate(ctx context.Context, path string, e lab.Experiment) ([]lab.Outcome,
	string, error) {
	ctx, done := e.Settings.Within(ctx)
	defer done()
	world := s.own(ctx)
	unit, err := loadIn(world, path, "")
	if err != nil {
		return nil, "", err
	}
	if !unit.Defines(e.Fun) {
		return nil, "", fmt.Errorf("there is no `%s`", e.Fun)
	}
	e.Unit, e.At = unit, cmp.Or(e.At, samplePoint(unit, e.Fun))
	var sink diag.List
	outcomes := lab.Differentiate(ctx, world, e, lab.Strategies(), &sink)
	if sink.Failed() {
		return nil, "", sink.Sorted()[0]
	}
	return outcomes, e.At, nil
}

// sampleArgument returns a value that a function of a type takes, or "" if it cannot make one.
// The arguments of a curried function form one tuple.
func sampleArgument(t types.Type) string {
	params, _ := types.Splay(t, math.MaxInt)
	switch len(params) {
	case 0:
		return ""
	case 1:
		return driver.SamplePoint(params[0])
	}
	return driver.SamplePoint(&types.Tuple{Elems: params})
}
