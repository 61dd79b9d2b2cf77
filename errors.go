package fluxion

import (
	"context"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Error is what went wrong: at least one diagnostic. errors.Is finds context.Canceled and
// context.DeadlineExceeded in the error of a call that a context has ended.
type Error struct {
	Diagnostics []Diagnostic

	cause    error
	rendered string
}

// Diagnostic is a finding about a program.
type Diagnostic struct {
	Code    string   // such as E0301; `fluxion doc E0301` explains it
	Warning bool     // it is not an error
	Message string   // a sentence without a full stop
	Place   Place    // where it is
	Related []Place  // other places that contribute
	Hints   []string // what to do
}

// Place is a part of a file. Lines and columns count from 1; a column is a character. The zero
// Place is nowhere.
type Place struct {
	File               string
	Line, Column       int
	EndLine, EndColumn int
	Message            string // what the place has to do with it
}

// Error returns the diagnostics as the command prints them, with the lines of the program.
func (e *Error) Error() string { return e.rendered }

// Unwrap returns the error of the context that has ended the call, or nil.
func (e *Error) Unwrap() error { return e.cause }

// failures makes an error of a list.
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

// limitOptions are the options of this package for those of the command.
var limitOptions = strings.NewReplacer("--timeout", "the option Timeout", "--memory", "the option Memory",
	"--depth", "the option Depth")

// forGo returns a diagnostic whose hints name options of this package.
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
