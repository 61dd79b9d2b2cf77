package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Severity ranks a diagnostic; only errors make a run fail.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Related is another place that contributes to a diagnostic, with its message.
type Related struct {
	Span    Span
	Message string
}

// Diagnostic is one finding. Message is a sentence without a full stop, in the user's terms.
// Label, if any, is shown beside the caret. Hints say what to do; each starts a line.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     Span
	Message  string
	Label    string
	Related  []Related
	Hints    []string
	Fixes    []Fix
}

// Fix is the edit that a hint asks for, for tools that can apply it.
type Fix struct {
	Title  string
	At     Span // the text to replace
	Text   string
	Import string // a library module that must be imported for it, or ""
}

// Error returns the diagnostic in one line, as a Go error.
func (d *Diagnostic) Error() string {
	return fmt.Sprintf("%s: %s[%s]: %s", d.Span, d.Severity, d.Code, d.Message)
}

// Errorf starts an error diagnostic.
func Errorf(code Code, at Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Code: code, Severity: Error, Span: at, Message: fmt.Sprintf(format, args...)}
}

// Warningf starts a warning.
func Warningf(code Code, at Span, format string, args ...any) *Diagnostic {
	d := Errorf(code, at, format, args...)
	d.Severity = Warning
	return d
}

// WithFix adds the edit that the last hint asks for: it replaces a place by a text.
func (d *Diagnostic) WithFix(at Span, text string) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Title: "Write `" + strings.TrimSpace(text) + "`", At: at,
		Text: text})
	return d
}

// WithEdit adds an edit with a title, for edits that their text does not describe.
func (d *Diagnostic) WithEdit(title string, at Span, text string) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Title: title, At: at, Text: text})
	return d
}

// WithImport adds an edit whose text needs a library module to be imported.
func (d *Diagnostic) WithImport(module string, at Span, text string) *Diagnostic {
	d.Fixes = append(d.Fixes, Fix{Title: "Import `" + module + "` and write `" + text + "`", At: at,
		Text: text, Import: module})
	return d
}

// WithRemoval adds the edit that removes a place and the line end after it.
func (d *Diagnostic) WithRemoval(at Span) *Diagnostic {
	if at.Known() && int(at.End) < len(at.File.Text) && at.File.Text[at.End] == '\n' {
		at.End++
	}
	d.Fixes = append(d.Fixes, Fix{Title: "Remove it", At: at})
	return d
}

// WithLabel sets the text beside the caret.
func (d *Diagnostic) WithLabel(format string, args ...any) *Diagnostic {
	d.Label = fmt.Sprintf(format, args...)
	return d
}

// WithRelated adds another place that contributes.
func (d *Diagnostic) WithRelated(at Span, format string, args ...any) *Diagnostic {
	if at.Known() {
		d.Related = append(d.Related, Related{at, fmt.Sprintf(format, args...)})
	}
	return d
}

// WithHint adds a line that says what to do.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hints = append(d.Hints, fmt.Sprintf(format, args...))
	return d
}

// MaxReported bounds how many diagnostics a List keeps, so that a hostile file cannot fill the
// memory.
const MaxReported = 200

// List collects diagnostics of one run. The zero List is ready for use.
type List struct {
	items   []*Diagnostic
	errors  int
	dropped int
}

// Add appends d; a nil d is ignored.
func (l *List) Add(d *Diagnostic) {
	if d == nil {
		return
	}
	if d.Severity == Error {
		l.errors++
	}
	if len(l.items) >= MaxReported {
		l.dropped++
		return
	}
	l.items = append(l.items, d)
}

// Failed reports whether an error was added.
func (l *List) Failed() bool { return l.errors > 0 }

// Errors counts the errors added, dropped ones included.
func (l *List) Errors() int { return l.errors }

// Dropped counts the diagnostics that were not kept.
func (l *List) Dropped() int { return l.dropped }

// Sorted returns the diagnostics, each once. They are in the order in which their files were
// first mentioned, and then by place.
func (l *List) Sorted() []*Diagnostic {
	rank := map[*File]int{}
	for _, d := range l.items {
		if _, seen := rank[d.Span.File]; !seen {
			rank[d.Span.File] = len(rank)
		}
	}
	sorted := slices.Clone(l.items)
	slices.SortStableFunc(sorted, func(a, b *Diagnostic) int {
		return cmp.Or(cmp.Compare(rank[a.Span.File], rank[b.Span.File]),
			cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
	})
	return slices.CompactFunc(sorted, func(a, b *Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && a.Message == b.Message
	})
}

// Append adds all of another list.
func (l *List) Append(other *List) {
	kept := 0
	for _, d := range other.items {
		l.Add(d)
		if d.Severity == Error {
			kept++
		}
	}
	l.dropped += other.dropped
	l.errors += other.errors - kept
}
