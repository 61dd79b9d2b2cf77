package service

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Session is a sequence of inputs that share definitions: the lines of a terminal, or the cells
// of a notebook. An input may redefine a name; definitions made in between keep the earlier
// meaning. One goroutine uses a Session at a time.
type Session struct {
	Settings driver.Settings
	Eps      *big.Rat // the tolerance of exact evaluation; nil for doubles
	// Refined, if not nil, receives the steps of exact evaluations.
	Refined func(exact.Progress)

	world *driver.World
	files []string       // the files loaded by LoadFile, in order; Reload loads them again
	open  []*driver.Unit // the units that inputs see; later ones come first in lookups

	// constants holds the constants evaluated so far, on doubles. In exact mode a value depends
	// on the tolerance, so it is not kept.
	constants interp.Constants
}

// NewSession starts a session without definitions.
func NewSession() *Session { return &Session{world: driver.NewWorld(nil)} }

// Data returns the options for reading data, which the caller may change.
func (s *Session) Data() *driver.DataAccess { return &s.world.Data }

// It is the name by which inputs call the value of the last expression.
const It = "it"

// Answer is the response to an input.
type Answer struct {
	Defined []driver.Entry
	Result  *driver.Result // of the final expression; nil if there is none, or if it has no value
	Found   diag.List      // errors and warnings, including those of the run
}

// Submit evaluates an input and keeps its definitions.
func (s *Session) Submit(ctx context.Context, input string) *Answer {
	ctx, done := s.within(ctx)
	defer done()
	answer := &Answer{}
	unit := s.load(input, It, &answer.Found)
	if unit == nil {
		return answer
	}
	answer.Defined = definitions(unit)
	switch failed := unit.AST.Final != nil && !s.run(ctx, unit, answer); {
	case failed && onlyResult(unit):
		return answer
	case failed:
		unit.HideResult()
	case unit.Result != "": // earlier results are no longer reachable
		s.open = slices.DeleteFunc(s.open, onlyResult)
	}
	s.open = append(s.open, unit)
	return answer
}

// Evaluate evaluates an input and keeps nothing of it.
func (s *Session) Evaluate(ctx context.Context, input string) *Answer {
	ctx, done := s.within(ctx)
	defer done()
	answer := &Answer{}
	if unit := s.load(input, "", &answer.Found); unit != nil && unit.AST.Final != nil {
		s.run(ctx, unit, answer)
	}
	return answer
}

// load checks an input as a module that sees all earlier ones. The input's value gets the name
// result, unless that is "". load returns nil if there was an error.
func (s *Session) load(input, result string, found *diag.List) *driver.Unit {
	unit := s.world.LoadInput("<input>", input, result, s.open, found)
	if found.Failed() {
		return nil
	}
	return unit
}

// onlyResult reports whether a unit defines nothing but the name of its result.
func onlyResult(u *driver.Unit) bool {
	return u.Result != "" && len(u.AST.Decls) == 1 && len(u.AST.Imports) == 0
}

// definitions lists what a unit defines, without its result.
func definitions(u *driver.Unit) []driver.Entry {
	isResult := func(e driver.Entry) bool { return e.Name == u.Result }
	return slices.DeleteFunc(driver.EntriesOf(u), isResult)
}

// run evaluates a unit's expression. An exact run that fails may still have reached an enclosure.
func (s *Session) run(ctx context.Context, unit *driver.Unit, answer *Answer) bool {
	var result driver.Result
	var d *diag.Diagnostic
	if s.Eps != nil {
		result, d = driver.RunExact(ctx, unit, s.Settings,
			driver.Exactly{Eps: s.Eps, Watch: s.Refined})
	} else {
		result, d = driver.Run(ctx, unit, s.onDoubles())
	}
	if result.Value != nil {
		answer.Result = &result
	}
	for _, warning := range result.Warnings {
		answer.Found.Add(warning)
	}
	answer.Found.Add(d)
	return d == nil
}

// within returns the context of an answer that begins now. Loading and running end with it.
func (s *Session) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.limited(ctx, s.Settings)
}

// limited returns the context that within does, with the limits of other settings.
func (s *Session) limited(
	ctx context.Context, settings driver.Settings,
) (context.Context, context.CancelFunc) {
	ctx, done := settings.Within(ctx)
	whole := s.world
	s.world = whole.Until(ctx)
	return ctx, func() {
		s.world = whole
		done()
	}
}

func (s *Session) onDoubles() driver.Settings {
	settings := s.Settings
	settings.Constants = &s.constants
	return settings
}

// TypeOf checks an input without running it. It returns what the input defines, or the type of
// its expression.
func (s *Session) TypeOf(
	ctx context.Context, input string, found *diag.List,
) (ty string, defined []driver.Entry) {
	_, done := s.within(ctx)
	defer done()
	unit := s.load(input, "", found)
	if unit == nil {
		return "", nil
	}
	if unit.AST.Final == nil {
		return "", definitions(unit)
	}
	return unit.Info.Printer().Scheme(unit.Info.SchemeOf(unit.AST.Final)), nil
}

// LoadFile makes the definitions of a file visible to later inputs, and lists them.
func (s *Session) LoadFile(ctx context.Context, path string, found *diag.List) []driver.Entry {
	_, done := s.within(ctx)
	defer done()
	return s.loadFile(path, found)
}

func (s *Session) loadFile(path string, found *diag.List) []driver.Entry {
	unit := s.world.LoadFile(path, found)
	if unit == nil || unit.Core == nil {
		s.world.Forget() // so that it is read again the next time
		return nil
	}
	s.files = append(s.files, path)
	s.open = append(s.open, unit)
	return definitions(unit)
}

// ErrNoFile says that Reload has nothing to load.
var ErrNoFile = errors.New("no file has been loaded")

// Reload forgets all inputs and loads the files again.
func (s *Session) Reload(
	ctx context.Context, found *diag.List,
) (defined []driver.Entry, err error) {
	_, done := s.within(ctx)
	defer done()
	if len(s.files) == 0 {
		return nil, ErrNoFile
	}
	files := s.files
	s.files, s.open = nil, nil
	s.world.Forget()
	for _, path := range files {
		defined = append(defined, s.loadFile(path, found)...)
	}
	s.files = files // including those that have errors now
	return defined, nil
}

// Browse lists the definitions of a module, or of the session if name is "".
func (s *Session) Browse(name string) ([]driver.Entry, error) {
	if name == "" {
		var all []driver.Entry
		for _, unit := range s.open {
			all = append(all, definitions(unit)...)
		}
		return all, nil
	}
	unit := s.module(name)
	if unit == nil {
		library := strings.Join(driver.LibraryNames(), ", ")
		return nil, fmt.Errorf("there is no module `%s`; the library has %s", name, library)
	}
	return definitions(unit), nil
}

// module returns a module by the name that inputs have for it, or nil.
func (s *Session) module(name string) *driver.Unit {
	var sink diag.List
	if unit := s.view("", &sink).module(name); unit != nil {
		return unit
	}
	return s.world.Library(name, &sink)
}

// Describe returns the documentation of a definition of the session, of what it loads or imports,
// or of anything that `fluxion doc` knows. If there is none, the text says so.
func (s *Session) Describe(name string) (text string, ok bool) {
	for _, unit := range slices.Backward(s.open) {
		for _, entry := range driver.EntriesOf(unit) {
			if entry.Name == name {
				return entry.String(), true
			}
		}
	}
	owner, member, _ := strings.Cut(name, ".")
	if unit := s.module(owner); unit != nil && !unit.File.Library {
		if member == "" {
			prefix := owner + "."
			if slices.Contains(s.open, unit) {
				prefix = "" // inputs see its definitions without a qualifier
			}
			return driver.DescribeUnit(owner, prefix, unit), true
		}
		for _, entry := range driver.EntriesOf(unit) {
			if entry.Name == member {
				entry.Name = name
				return entry.String(), true
			}
		}
	}
	return s.world.Describe(name)
}

// view checks an input that is still being written. It keeps nothing of it, and does not read
// from Console.
func (s *Session) view(text string, found *diag.List) *view {
	whole := s.world
	_, done := s.limited(context.Background(), checking)
	defer done()
	console := s.world.Data.Console
	s.world.Data.Console = nil
	defer func() { s.world.Data.Console = console }()
	unit := s.world.LoadText("<input>", text, s.open, found)
	s.world.Discard(unit)
	return &view{world: whole, unit: unit, open: s.open, supposing: func(text string) *view {
		return s.view(text, &diag.List{})
	}}
}

// Complete returns completions of the word before an offset of an input. The library needs no
// import.
func (s *Session) Complete(text string, offset int) Completion {
	var sink diag.List
	c := s.view(text, &sink).complete(offset)
	for i := range c.Items {
		c.Items[i].Import = ""
	}
	return c
}

// Hover describes what stands at an offset of an input. It returns nil if there is nothing to
// say.
func (s *Session) Hover(text string, offset int) *Hover {
	var sink diag.List
	return s.view(text, &sink).hover(offset)
}

// Explain differentiates a function of the session by one published algorithm, or by all of them,
// as `fluxion diff --explain` does. If at is "", it chooses a point of the parameter's type.
func (s *Session) Explain(
	ctx context.Context, how, fun, at string, found *diag.List,
) (string, error) {
	ctx, done := s.within(ctx)
	defer done()
	strategies, err := lab.ChooseStrategies(how)
	if err != nil {
		return "", err
	}
	var unit *driver.Unit
	for _, u := range s.open {
		if u.Defines(fun) {
			unit = u
		}
	}
	if unit == nil {
		return "", fmt.Errorf("this session defines no `%s`", fun)
	}
	if at == "" {
		if at = samplePoint(unit, fun); at == "" {
			return "", fmt.Errorf("give a point: a value of the parameter of `%s`", fun)
		}
	}
	experiment := lab.Experiment{
		Unit: unit, Sees: s.open, Fun: fun, At: at, Explain: how != "all",
		MaxOps: lab.DefaultOps, Settings: s.Settings,
	}
	outcomes := lab.Differentiate(ctx, s.world, experiment, strategies, found)
	if len(outcomes) == 1 && outcomes[0].Failure != nil {
		found.Add(outcomes[0].Failure)
		return "", nil
	}
	if outcomes == nil {
		return "", nil
	}
	var b strings.Builder
	lab.ShowOutcomes(&b, outcomes)
	return b.String(), nil
}

// samplePoint returns a point to differentiate a function at, or "" if there is none.
func samplePoint(u *driver.Unit, fun string) string {
	g := u.Info.Interface.Value(fun)
	if g == nil || g.Scheme == nil {
		return ""
	}
	return sampleArgument(g.Scheme.Type)
}

// plotting defines the function that Plot applies to its arguments, so that they are parsed and
// checked, with the usual diagnostics.
const plotting = "let plot (f : Real -> Real) (from : Real) (to : Real) = {f, from, to}\n"

// ErrNoRange says which arguments Plot needs.
var ErrNoRange = errors.New("give a function and the range to draw it on")

// Plot draws a function of a real on doubles. Its arguments are the function and the ends of the
// range. The curve has a gap where the function has no value.
func (s *Session) Plot(
	ctx context.Context, arguments string, found *diag.List,
) (*plot.Figure, error) {
	ctx, done := s.within(ctx)
	defer done()
	plotter := s.world.LoadText("<plot>", plotting, nil, found)
	open := append(s.open[:len(s.open):len(s.open)], plotter)
	input := s.world.LoadInput("<input>", "plot "+arguments, It, open, found)
	if found.Failed() {
		return nil, nil
	}
	if _, waits := types.Resolve(input.Info.Interface.Value(It).Scheme.Type).(*types.Fun); waits {
		return nil, ErrNoRange
	}
	open = append(open, input)
	bounds := s.world.LoadText("<plot>", "(it.from, it.to)", open, found)
	result, d := driver.Run(ctx, bounds, s.onDoubles())
	if d != nil {
		found.Add(d)
		return nil, nil
	}
	ends := result.Value.(value.Tuple)
	from, to := float64(ends[0].(value.Real)), float64(ends[1].(value.Real))
	if !(from < to) {
		const wrong = "there is nothing between %s and %s: the range goes from the smaller " +
			"number to the larger"
		return nil, fmt.Errorf(wrong, value.Decimal(from), value.Decimal(to))
	}
	sampler := s.world.Sampler(ctx, "it.f", open, s.onDoubles(), found)
	if sampler == nil {
		return nil, nil
	}
	figure, err := plot.Sample(from, to, sampler.At).Graph(false)
	if sampler.Stopped != nil {
		found.Add(sampler.Stopped)
		return nil, nil
	}
	if err != nil {
		const wrong = "the function has no value from %s to %s"
		return nil, fmt.Errorf(wrong, value.Decimal(from), value.Decimal(to))
	}
	return figure, nil
}
