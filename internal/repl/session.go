// Package repl is the interactive face: a Session answers one input after the
// other, and Run feeds it from a terminal with history and completion. It adds
// no meaning of its own; everything is asked of package driver.
package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Session is the state between inputs: the definitions made so far.
type Session struct {
	Out, Err io.Writer
	Color    bool
	Settings driver.Settings
	JSON     bool // answer each input with one JSON object on a line

	eps     *big.Rat // the tolerance of exact evaluation; nil for doubles
	epsText string   // as the user wrote it

	world *driver.World
	files []string       // loaded with :load, in order, to be loaded again by :reload
	open  []*driver.Unit // what inputs see, later ones first looked at

	constants interp.Constants // evaluated so far, in doubles: in exact mode a value depends on what is asked of it
}

// NewSession starts a session without definitions.
func NewSession(out, err io.Writer) *Session {
	return &Session{Out: out, Err: err, world: driver.NewWorld(nil)}
}

// AllowRead lets inputs and files read data below these folders too.
func (s *Session) AllowRead(folders []string) { s.world.Data.Folders = folders }

// Results are laid out for a screen, and long ones elided.
const (
	screenWidth = 100
	maxShown    = 100
)

// it is what inputs call the value of the last expression.
const it = "it"

// Handle answers one input, which may span lines. It tells whether the user
// asked to leave.
func (s *Session) Handle(ctx context.Context, input string) (quit bool) {
	trimmed := strings.TrimSpace(input)
	switch {
	case trimmed == "":
	case strings.HasPrefix(trimmed, ":"):
		name, argument, _ := strings.Cut(trimmed[1:], " ")
		return s.command(ctx, name, strings.TrimSpace(argument))
	default:
		s.evaluate(ctx, input)
	}
	return false
}

// load checks an input as a module that sees all earlier ones. It is nil if
// there was an error, which has been reported.
func (s *Session) load(input string) *driver.Unit { return s.loadAs(input, "") }

// loadAs is load for an input whose value later ones call result.
func (s *Session) loadAs(input, result string) *driver.Unit {
	var list diag.List
	unit := s.world.LoadInput("<input>", input, result, s.open, &list)
	diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
	if list.Failed() {
		return nil
	}
	return unit
}

// evaluate keeps the definitions of an input and prints their types, and
// prints the value of its expression.
func (s *Session) evaluate(ctx context.Context, input string) {
	unit := s.loadAs(input, it)
	if unit == nil {
		return
	}
	s.browse(unit)
	switch failed := unit.AST.Final != nil && !s.run(ctx, unit, maxShown); {
	case failed && onlyResult(unit):
		return
	case failed:
		unit.HideResult()
	case unit.Result != "": // earlier results are out of reach
		s.open = slices.DeleteFunc(s.open, onlyResult)
	}
	s.open = append(s.open, unit)
}

// onlyResult tells whether a unit defines nothing but the name of its result.
func onlyResult(u *driver.Unit) bool {
	return u.Result != "" && len(u.AST.Decls) == 1 && len(u.AST.Imports) == 0
}

// run evaluates a unit's expression and prints at most so many elements of each
// array in it, or all if that is 0; Ctrl-C stops it and not the session.
func (s *Session) run(ctx context.Context, unit *driver.Unit, most int) bool {
	ctx, stop := driver.Interruptible(ctx)
	defer stop()
	var result driver.Result
	var d *diag.Diagnostic
	if s.eps != nil {
		result, d = driver.RunExact(ctx, unit, s.Settings, driver.Exactly{Eps: s.eps})
	} else {
		settings := s.Settings
		settings.Constants = &s.constants
		result, d = driver.Run(ctx, unit, settings)
	}
	if d == nil && s.eps == nil && plot.Is(result.Of) {
		figure, err := plot.Of(result.Value)
		if err == nil {
			err = figure.Text(s.Out)
		}
		if err != nil {
			fmt.Fprintln(s.Err, err)
		}
		return err == nil
	}
	if result.Value != nil { // an exact run that fails may have reached an enclosure
		layout := value.Layout{Width: screenWidth, MaxElems: most}
		fmt.Fprintln(s.Out, layout.Show(result.Value))
		if layout.Elided {
			fmt.Fprintln(s.Out, "-- … stands for what is not shown; `:all` prints the last result whole, `:all EXPR` another")
		}
	}
	for _, warning := range result.Warnings {
		diag.Render(s.Err, warning, diag.Options{Color: s.Color})
	}
	if d != nil {
		diag.Render(s.Err, d, diag.Options{Color: s.Color})
		return false
	}
	return true
}

// exactly turns to exact evaluation.
func (s *Session) exactly(_ context.Context, text string) bool {
	eps, err := driver.ParseEps(text)
	if err != nil {
		fmt.Fprintln(s.Err, err)
		return false
	}
	s.eps, s.epsText = eps, text
	return false
}

// inDoubles turns back to evaluation in doubles.
func (s *Session) inDoubles(context.Context, string) bool {
	s.eps = nil
	return false
}

// prompt says how inputs will be evaluated.
func (s *Session) prompt() string {
	if s.eps != nil {
		return "eps=" + s.epsText + prompt
	}
	return prompt
}

// browse lists the definitions of a unit with their types.
func (s *Session) browse(unit *driver.Unit) {
	for _, entry := range driver.EntriesOf(unit) {
		if entry.Name != unit.Result {
			fmt.Fprintln(s.Out, entry.Summary())
		}
	}
}

// A metaCommand is an input that starts with a colon.
type metaCommand struct {
	name, argument, help string
	run                  func(s *Session, ctx context.Context, argument string) (quit bool)
}

// metaCommands is a function and not a variable because :help reads it.
func metaCommands() []metaCommand {
	return []metaCommand{
		{"type", "EXPR", "the type of an expression", (*Session).showType},
		{"doc", "NAME", "documentation of a name, a module or an error code", (*Session).doc},
		{"browse", "[MODULE]", "names and types of a module, or of this session", (*Session).browseModule},
		{"load", "FILE", "load a file and see its definitions", (*Session).loadFile},
		{"reload", "", "load the files again", (*Session).reload},
		{"all", "[EXPR]", "print the last result, or the value of an expression, whole", (*Session).all},
		{"time", "EXPR", "evaluate and say how long it took", (*Session).time},
		{"eps", "E", "evaluate exactly: every real as an interval at most E wide", (*Session).exactly},
		{"float", "", "evaluate in doubles again", (*Session).inDoubles},
		{"explain", "HOW NAME VALUE", "what a strategy of `fluxion diff` makes of a function at a point, or all of them side by side", (*Session).explain},
		{"plot", "FUNCTION FROM TO", "draw a function of a real", (*Session).plot},
		{"help", "", "this list", (*Session).help},
		{"quit", "", "leave (Ctrl-D does so too)", func(*Session, context.Context, string) bool { return true }},
	}
}

// command runs the meta command of that name, or the first that it begins.
func (s *Session) command(ctx context.Context, name, argument string) (quit bool) {
	for _, m := range metaCommands() {
		if name == "" || !strings.HasPrefix(m.name, name) {
			continue
		}
		if argument == "" && m.argument != "" && m.argument[0] != '[' {
			fmt.Fprintf(s.Err, "`:%s` needs an argument: :%s %s\n", m.name, m.name, m.argument)
			return false
		}
		return m.run(s, ctx, argument)
	}
	fmt.Fprintf(s.Err, "there is no command `:%s`; `:help` lists them\n", name)
	return false
}

// explain differentiates a function of the session by published algorithms, as
// `fluxion diff --explain` does one of a file.
func (s *Session) explain(ctx context.Context, argument string) bool {
	name, rest, _ := strings.Cut(argument, " ")
	strategies, err := lab.ChooseStrategies(name)
	if err != nil {
		fmt.Fprintln(s.Err, err)
		return false
	}
	fun, at, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if at = strings.TrimSpace(at); at == "" {
		fmt.Fprintf(s.Err, "give a function and a point, as in `:explain %s f 2`\n", name)
		return false
	}
	ctx, stop := driver.Interruptible(ctx)
	defer stop()
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i].Info.Interface.Values[fun] == nil {
			continue
		}
		var list diag.List
		outcomes := lab.Differentiate(ctx, s.world, lab.Experiment{Unit: s.open[i], Sees: s.open, Fun: fun, At: at, Explain: name != "all",
			MaxOps: lab.DefaultOps, Settings: s.Settings}, strategies, &list)
		if len(outcomes) == 1 && outcomes[0].Failure != nil {
			list.Add(outcomes[0].Failure)
		} else if outcomes != nil {
			lab.ShowOutcomes(s.Out, outcomes)
		}
		diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
		return false
	}
	fmt.Fprintf(s.Err, "this session defines no `%s`\n", fun)
	return false
}

func (s *Session) help(context.Context, string) bool {
	for _, m := range metaCommands() {
		fmt.Fprintf(s.Out, "  :%-22s %s\n", m.name+" "+m.argument, m.help)
	}
	fmt.Fprintln(s.Out, "Anything else is a definition to keep or an expression to evaluate. An input that")
	fmt.Fprintln(s.Out, "is not finished goes on in the next line; an empty line ends it.")
	return false
}

func (s *Session) showType(_ context.Context, expr string) bool {
	unit := s.load(expr)
	switch {
	case unit == nil:
	case unit.AST.Final == nil:
		s.browse(unit)
	default:
		fmt.Fprintln(s.Out, unit.Info.Printer().Scheme(unit.Info.SchemeOf(unit.AST.Final)))
	}
	return false
}

func (s *Session) doc(_ context.Context, name string) bool {
	for i := len(s.open) - 1; i >= 0; i-- {
		for _, entry := range driver.EntriesOf(s.open[i]) {
			if entry.Name == name {
				fmt.Fprint(s.Out, entry)
				return false
			}
		}
	}
	owner, member, _ := strings.Cut(name, ".")
	if unit := s.module(owner); unit != nil && !unit.File.Library {
		if member == "" {
			prefix := owner + "."
			if slices.Contains(s.open, unit) {
				prefix = "" // inputs see its definitions
			}
			fmt.Fprint(s.Out, driver.DescribeUnit(owner, prefix, unit))
			return false
		}
		for _, entry := range driver.EntriesOf(unit) {
			if entry.Name == member {
				entry.Name = name
				fmt.Fprint(s.Out, entry)
				return false
			}
		}
	}
	text, ok := s.world.Describe(name)
	if !ok {
		fmt.Fprint(s.Err, text)
		return false
	}
	fmt.Fprint(s.Out, text)
	return false
}

// all prints a value without leaving anything out.
func (s *Session) all(ctx context.Context, expr string) bool {
	if unit := s.load(cmp.Or(expr, it)); unit != nil && unit.AST.Final != nil {
		s.run(ctx, unit, 0)
	}
	return false
}

func (s *Session) browseModule(_ context.Context, name string) bool {
	if name == "" {
		for _, unit := range s.open {
			s.browse(unit)
		}
		return false
	}
	unit := s.module(name)
	if unit == nil {
		fmt.Fprintf(s.Err, "there is no module `%s`; the library has %s\n", name, strings.Join(driver.LibraryNames(), ", "))
		return false
	}
	s.browse(unit)
	return false
}

func (s *Session) loadFile(_ context.Context, path string) bool {
	path = strings.Trim(path, `"`)
	var list diag.List
	unit := s.world.LoadFile(path, &list)
	diag.RenderAll(s.Err, &list, diag.Options{Color: s.Color})
	if unit == nil || unit.Core == nil {
		s.world.Forget() // so that the next :load reads the file anew
		return false
	}
	s.files = append(s.files, path)
	s.open = append(s.open, unit)
	s.browse(unit)
	return false
}

func (s *Session) reload(ctx context.Context, _ string) bool {
	if len(s.files) == 0 {
		fmt.Fprintln(s.Err, "no file has been loaded; `:load FILE` does it")
		return false
	}
	files := s.files
	s.files, s.open = nil, nil
	s.world.Forget()
	for _, path := range files {
		s.loadFile(ctx, path)
	}
	s.files = files
	return false
}

func (s *Session) time(ctx context.Context, expr string) bool {
	unit := s.load(expr)
	if unit == nil || unit.AST.Final == nil {
		return false
	}
	start := time.Now()
	if s.run(ctx, unit, maxShown) {
		fmt.Fprintf(s.Out, "took %v\n", time.Since(start).Round(10*time.Microsecond))
	}
	return false
}
