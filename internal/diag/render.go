package diag

import (
	"fmt"
	"io"
	"strings"
)

// Options chooses how diagnostics are printed. The zero Options prints plain text.
type Options struct {
	Color bool
	Width int // columns of source to show; 0 means 100
}

// Colours of a terminal, as rustc uses them.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[1;34m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// Render prints a diagnostic: what is wrong, the source with the place marked, the other places,
// the hints, and where to read more. It never sends a control sequence from the source or a
// message to the terminal.
func Render(w io.Writer, d *Diagnostic, opts Options) {
	r := renderer{opts: opts}
	r.diagnostic(d)
	io.WriteString(w, r.out.String())
}

// RenderAll prints the diagnostics of a list in order, separated by blank lines, and says how
// many were left out. A name that is unknown in several places of a file is reported once, with
// its places.
func RenderAll(w io.Writer, l *List, opts Options) {
	for i, d := range distinct(l.Sorted()) {
		if i > 0 {
			io.WriteString(w, "\n")
		}
		Render(w, d, opts)
	}
	if n := l.Dropped(); n > 0 {
		fmt.Fprintf(w, "\nand %d more\n", n)
	}
}

// distinct removes diagnostics about names that differ from an earlier one only in their place.
// It adds a hint with their places to the earlier one.
func distinct(all []*Diagnostic) []*Diagnostic {
	type finding struct {
		file              *File
		code              Code
		text, said, hints string
	}
	first, again := map[finding]int{}, map[int][]Span{}
	var kept []*Diagnostic
	for _, d := range all {
		if strings.HasPrefix(string(d.Code), "E02") && d.Span.Known() && len(d.Related) == 0 {
			f := finding{d.Span.File, d.Code, d.Span.Text(), d.Message + "\n" + d.Label,
				strings.Join(d.Hints, "\n")}
			if i, seen := first[f]; seen {
				again[i] = append(again[i], d.Span)
				continue
			}
			first[f] = len(kept)
		}
		kept = append(kept, d)
	}
	for i, places := range again {
		d := *kept[i]
		d.Hints = append(d.Hints[:len(d.Hints):len(d.Hints)], "the same at "+placesOf(places))
		kept[i] = &d
	}
	return kept
}

// placesOf lists places of one file, at most four of them.
func placesOf(spans []Span) string {
	const most = 4
	var all []string
	for _, s := range spans[:min(len(spans), most)] {
		line, column := s.File.Position(s.Start)
		all = append(all, fmt.Sprintf("%d:%d", line, column))
	}
	if n := len(spans) - most; n > 0 {
		all = append(all, fmt.Sprintf("%d more places", n))
	}
	if last := len(all) - 1; last > 0 {
		return strings.Join(all[:last], ", ") + " and " + all[last]
	}
	return all[0]
}

type renderer struct {
	out    strings.Builder
	opts   Options
	gutter int // digits of the largest line number shown
}

func (r *renderer) diagnostic(d *Diagnostic) {
	tone := red
	if d.Severity == Warning {
		tone = yellow
	}
	if d.Span.Known() {
		r.put(bold, clean(d.Span.String())+": ")
	}
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	r.put(tone, head)
	r.put(bold, ": "+strings.ReplaceAll(cleanLines(d.Message), "\n", "\n  "))
	r.out.WriteByte('\n')

	r.measure(d)
	last := shownLine{}
	if d.Span.Known() {
		last = r.snippet(d.Span, d.Label, '^', tone, last)
	}
	for _, rel := range d.Related {
		if rel.Span.Known() {
			if rel.Span.File != d.Span.File {
				r.put(blue, "  --> ")
				r.out.WriteString(clean(rel.Span.String()) + "\n")
			}
			last = r.snippet(rel.Span, rel.Message, '-', blue, last)
		}
	}
	for _, hint := range d.Hints {
		r.note(hint)
	}
	if d.Code != "" {
		r.note("see `fluxion doc " + string(d.Code) + "`")
	}
}

func (r *renderer) note(text string) {
	r.put(blue, "  = ")
	r.out.WriteString(strings.ReplaceAll(cleanLines(text), "\n", "\n    ") + "\n")
}

// put writes text, in a colour if colours are on.
func (r *renderer) put(tone, text string) {
	if r.opts.Color {
		r.out.WriteString(tone + text + plain)
	} else {
		r.out.WriteString(text)
	}
}

// measure computes the width of the line numbers.
func (r *renderer) measure(d *Diagnostic) {
	widen := func(s Span) {
		if s.Known() {
			line, _ := s.File.Position(max(s.Start, s.End-1))
			r.gutter = max(r.gutter, len(itoa(line)))
		}
	}
	widen(d.Span)
	for _, rel := range d.Related {
		widen(rel.Span)
	}
}

// shownLine is a line that was shown.
type shownLine struct {
	file *File
	line int
}

// snippet shows the first and the last line of a span, marked. It does not repeat the line that
// was shown last.
func (r *renderer) snippet(s Span, label string, mark byte, tone string, last shownLine) shownLine {
	f := s.File
	start := min(max(s.Start, 0), int32(len(f.Text)))
	end := min(max(s.End, start), int32(len(f.Text)))
	first := f.LineOf(start)
	final := first
	if end > start {
		final = f.LineOf(end - 1)
	}
	from := int(start - f.LineStart(first))
	to := int(end - f.LineStart(first))
	if final == first {
		r.line(f, first, from, to, label, mark, tone, last)
		return shownLine{f, first}
	}
	r.line(f, first, from, len(f.Line(first)), "", mark, tone, last)
	if final > first+1 {
		r.put(blue, strings.Repeat(" ", r.gutter+2)+" ...")
		r.out.WriteByte('\n')
	}
	text := f.Line(final)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	to = int(end - f.LineStart(final))
	r.line(f, final, min(indent, to), to, label, mark, tone, shownLine{})
	return shownLine{f, final}
}

// line shows one line of source with the bytes from..to marked.
func (r *renderer) line(f *File, number, from, to int, label string, mark byte, tone string,
	last shownLine) {
	text := f.Line(number)
	from = min(from, len(text))
	to = min(max(to, from), len(text))
	shown, before, marked := window(text, from, to, r.width())
	if last != (shownLine{f, number}) {
		r.put(blue, fmt.Sprintf("  %*d |", r.gutter, number+f.before.line))
		if shown != "" {
			r.out.WriteString(" " + shown)
		}
		r.out.WriteByte('\n')
	}
	r.put(blue, strings.Repeat(" ", r.gutter+2)+" |")
	r.out.WriteString(" " + strings.Repeat(" ", before))
	under := strings.Repeat(string(mark), max(marked, 1))
	if label != "" {
		under += " " + strings.ReplaceAll(cleanLines(label), "\n", " ")
	}
	r.put(tone, under)
	r.out.WriteByte('\n')
}

func (r *renderer) width() int {
	if r.opts.Width <= 0 {
		return 100
	}
	return max(r.opts.Width, 20)
}
