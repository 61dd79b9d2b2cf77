// Package repl is the face of a session in a terminal. A Session answers inputs in text, and Run
// feeds it from a terminal with history and completion. Package service decides what inputs mean.
package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Session is a service session that writes its answers as text.
type Session struct {
	*service.Session
	Out, Err io.Writer
	Color    bool
	JSON     bool // whether to answer each input with one JSON object on a line

	epsText string // the tolerance as the user wrote it
}

// NewSession starts a session without definitions.
func NewSession(out, err io.Writer) *Session {
	return &Session{Session: service.NewSession(), Out: out, Err: err}
}

// Bounds for laying results out on a screen. Long ones are elided.
const (
	screenWidth = 100
	maxShown    = 100
)

// Handle answers one input, which may span lines. It reports whether the user asked to leave.
func (s *Session) Handle(ctx context.Context, input string) (quit bool) {
	ctx, stop := driver.Interruptible(ctx) // Ctrl-C ends an evaluation, not the session
	defer stop()
	trimmed := strings.TrimSpace(input)
	switch {
	case trimmed == "":
	case strings.HasPrefix(trimmed, ":"):
		name, argument, _ := strings.Cut(trimmed[1:], " ")
		return s.command(ctx, name, strings.TrimSpace(argument))
	default:
		s.show(s.Submit(ctx, input), maxShown)
	}
	return false
}

// show prints an answer: types of definitions, the value, and the diagnostics. It prints at most
// `most` elements of each array, or all if that is 0.
func (s *Session) show(a *service.Answer, most int) {
	s.list(a.Defined)
	if r := a.Result; r != nil && plot.Is(r.Of) && s.Eps == nil {
		if figure, err := plot.Of(r.Value); err != nil {
			fmt.Fprintln(s.Err, err)
		} else {
			s.draw(figure)
		}
	} else if r != nil {
		layout := value.Layout{Width: screenWidth, MaxElems: most}
		fmt.Fprintln(s.Out, layout.Show(r.Value))
		if layout.Elided {
			fmt.Fprintln(s.Out, "-- … stands for what is not shown; `:all` prints the last "+
				"result whole, `:all EXPR` another")
		}
	}
	s.complain(&a.Found, nil)
}

func (s *Session) list(entries []driver.Entry) {
	for _, entry := range entries {
		fmt.Fprintln(s.Out, entry.Summary())
	}
}

func (s *Session) draw(figure *plot.Figure) {
	if err := figure.Text(s.Out); err != nil {
		fmt.Fprintln(s.Err, err)
	}
}

// complain prints diagnostics, and an error if there is one. It reports whether it printed
// anything.
func (s *Session) complain(found *diag.List, err error) bool {
	diag.RenderAll(s.Err, found, diag.Options{Color: s.Color})
	if err != nil {
		fmt.Fprintln(s.Err, err)
	}
	return found.Failed() || err != nil
}

// exactly switches to exact evaluation.
func (s *Session) exactly(_ context.Context, text string) bool {
	eps, err := driver.ParseEps(text)
	if err != nil {
		fmt.Fprintln(s.Err, err)
		return false
	}
	s.Eps, s.epsText = eps, text
	return false
}

// inDoubles switches back to evaluation in doubles.
func (s *Session) inDoubles(context.Context, string) bool {
	s.Eps = nil
	return false
}

// prompt returns the prompt, which says how inputs will be evaluated.
func (s *Session) prompt() string {
	if s.Eps != nil {
		return "eps=" + s.epsText + prompt
	}
	return prompt
}

// A metaCommand is an input that starts with a colon.
type metaCommand struct {
	name, argument, help string
	run                  func(s *Session, ctx context.Context, argument string) (quit bool)
}

// metaCommands returns the list of meta commands. It is a function rather than a variable because
// :help reads it.
func metaCommands() []metaCommand {
	return []metaCommand{
		{"type", "EXPR", "the type of an expression", (*Session).showType},
		{"doc", "NAME", "documentation of a name, a module or an error code", (*Session).doc},
		{"browse", "[MODULE]", "names and types of a module, or of this session",
			(*Session).browse},
		{"load", "FILE", "load a file and see its definitions", (*Session).loadFile},
		{"reload", "", "load the files again", (*Session).reload},
		{"all", "[EXPR]", "print the last result, or the value of an expression, whole",
			(*Session).all},
		{"time", "EXPR", "evaluate and say how long it took", (*Session).time},
		{"eps", "E", "evaluate exactly: every real as an interval at most E wide",
			(*Session).exactly},
		{"float", "", "evaluate in doubles again", (*Session).inDoubles},
		{"explain", "HOW NAME [VALUE]", "what a strategy of `fluxion diff` makes of a function " +
			"at a point, or all of them side by side", (*Session).explain},
		{"plot", "FUNCTION FROM TO", "draw a function of a real", (*Session).plot},
		{"help", "", "this list", (*Session).help},
		{"quit", "", "leave (Ctrl-D does so too)", func(*Session, context.Context, string) bool {
			return true
		}},
	}
}

// command runs the meta command of that name, or the first whose name starts with it.
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

func (s *Session) help(context.Context, string) bool {
	for _, m := range metaCommands() {
		fmt.Fprintf(s.Out, "  :%-24s %s\n", m.name+" "+m.argument, m.help)
	}
	fmt.Fprintln(s.Out, "Anything else is a definition to keep or an expression to evaluate. An "+
		"input that")
	fmt.Fprintln(s.Out, "is not finished goes on in the next line; an empty line ends it.")
	return false
}

func (s *Session) explain(ctx context.Context, argument string) bool {
	how, rest, _ := strings.Cut(argument, " ")
	fun, at, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if fun == "" {
		fmt.Fprintf(s.Err, "give a function and a point, as in `:explain %s f 2`\n", how)
		return false
	}
	var found diag.List
	text, err := s.Explain(ctx, how, fun, strings.TrimSpace(at), &found)
	fmt.Fprint(s.Out, text)
	s.complain(&found, err)
	return false
}

func (s *Session) showType(ctx context.Context, expr string) bool {
	var found diag.List
	ty, defined := s.TypeOf(ctx, expr, &found)
	s.list(defined)
	if ty != "" {
		fmt.Fprintln(s.Out, ty)
	}
	s.complain(&found, nil)
	return false
}

func (s *Session) doc(_ context.Context, name string) bool {
	text, ok := s.Describe(name)
	if !ok {
		fmt.Fprint(s.Err, text)
		return false
	}
	fmt.Fprint(s.Out, text)
	return false
}

// all prints a value without eliding anything.
func (s *Session) all(ctx context.Context, expr string) bool {
	s.show(s.Evaluate(ctx, cmp.Or(expr, service.It)), 0)
	return false
}

func (s *Session) browse(_ context.Context, name string) bool {
	entries, err := s.Browse(name)
	s.list(entries)
	s.complain(&diag.List{}, err)
	return false
}

func (s *Session) loadFile(ctx context.Context, path string) bool {
	var found diag.List
	defined := s.LoadFile(ctx, strings.Trim(path, `"`), &found)
	s.complain(&found, nil)
	s.list(defined)
	return false
}

func (s *Session) reload(ctx context.Context, _ string) bool {
	var found diag.List
	defined, err := s.Reload(ctx, &found)
	if errors.Is(err, service.ErrNoFile) {
		err = fmt.Errorf("%w; `:load FILE` does it", err)
	}
	s.complain(&found, err)
	s.list(defined)
	return false
}

func (s *Session) time(ctx context.Context, expr string) bool {
	start := time.Now()
	answer := s.Evaluate(ctx, expr)
	took := time.Since(start)
	s.show(answer, maxShown)
	if answer.Result != nil && !answer.Found.Failed() {
		fmt.Fprintf(s.Out, "took %v\n", took.Round(10*time.Microsecond))
	}
	return false
}

func (s *Session) plot(ctx context.Context, arguments string) bool {
	var found diag.List
	figure, err := s.Plot(ctx, arguments, &found)
	if figure != nil {
		s.draw(figure)
	}
	if errors.Is(err, service.ErrNoRange) {
		err = fmt.Errorf("%w, as in `:plot sin 0 6.3`", err)
	}
	s.complain(&found, err)
	return false
}
