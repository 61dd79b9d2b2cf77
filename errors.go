package fluxion

import (
	"context"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Error reports why a call or a load failed: it holds at least one diagnostic. If a context ended
// the call, errors.Is finds its context.Canceled or context.DeadlineExceeded.
type Error struct {
	Diagnostics []Diagnostic

	cause    error
	rendered string
}

// Diagnostic is one finding about a program: an error or a warning.
type Diagnostic struct {
	Code    string   // such as E0301; `fluxion doc E0301` explains it
	Warning bool     // whether this is a warning rather than an error
	Message string   // a sentence without a full stop
	Place   Place    // where the finding is
	Related []Place  // other places that contribute to the finding
	Hints   []string // what the user can do about it
}

// Place is a range of a file. Lines and columns count from 1, and a column is a character. The
// zero Place is nowhere.
type Place struct {
	File               string
	Line, Column       int
	EndLine, EndColumn int
	Message            string // how the place contributes to the finding
}

// Error returns the diagnostics as the command prints them, with the lines of the program.
func (e *Error) Error() string { return e.rendered }

// Unwrap returns the error of the context that ended the call, or nil.
func (e *Error) Unwrap() error { return e.cause }

// failures makes an error of a list of diagnostics.
func failures(list *diag.List) error {
	var b strings.Builder
	e := &Error{}
	for i, d := range list.Sorted() {
		if i > 0 {
			b.WriteByte('\n')
		}
		d = forGo(d)
		diag.Render(&b, d, diag.Options{})
		e.Diagnostics = append(e.Diagnostics, diagnosticOf(d))
		switch d.Code {
		case diag.Interrupted:
			e.cause = context.Canceled
		case diag.TimeLimit:
			e.cause = context.DeadlineExceeded
		}
	}
	e.rendered = strings.TrimRight(b.String(), "\n")
	return e
}

// limitOptions replaces names of command-line flags by the options of this package.
var limitOptions = strings.NewReplacer("--timeout", "the option Timeout", "--memory",
	"the option Memory",
	"--depth", "the option Depth")

// forGo returns the diagnostic with hints that name options of this package instead of flags.
func forGo(d *diag.Diagnostic) *diag.Diagnostic {
	hints := slices.Clone(d.Hints)
	for i, hint := range hints {
		hints[i] = limitOptions.Replace(hint)
	}
	again := *d
	again.Hints = hints
	return &again
}

// failure makes an error of one diagnostic.
func failure(_ context.Context, d *diag.Diagnostic) error {
	var list diag.List
	list.Add(d)
	return failures(&list)
}

func diagnosticOf(d *diag.Diagnostic) Diagnostic {
	out := Diagnostic{Code: string(d.Code), Warning: d.Severity == diag.Warning, Message: d.Message,
		Place: placeOf(d.Span, d.Label), Hints: d.Hints}
	for _, r := range d.Related {
		out.Related = append(out.Related, placeOf(r.Span, r.Message))
	}
	return out
}

func placeOf(s diag.Span, message string) Place {
	if !s.Known() {
		return Place{Message: message}
	}
	p := Place{File: s.File.Name, Message: message}
	p.Line, p.Column = s.File.Position(s.Start)
	p.EndLine, p.EndColumn = s.File.Position(s.End)
	return p
}
