package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// experimentText is the text that the checker sees of an experiment:
//
//	let _fn (a, b) = f a b
//	let _at = AT
//	let _ct = COTANGENT
//	[_fn _at, _ct]
//
// There may be no cotangent, and there may be more definitions before the last line. So types are
// compared and literals typed as in any program. The user does not see this text: errors in it
// are reported in terms of the function, of --at and of --cotangent.
type experimentText struct {
	fun     string
	curried bool
	global  diag.Span // of the function

	text             string
	at, cotangent    *diag.File
	atStart, ctStart int32 // where these texts start
	more, last       int32 // where other definitions and the last line start
}

// The names of the text, and of what it defines.
const (
	experimentName      = "<experiment>"
	experimentFunction  = "_fn"
	experimentPoint     = "_at"
	experimentCotangent = "_ct"
)

func newExperimentText(e Experiment, arity int, cotangent, more string,
	global diag.Span) *experimentText {
	var params []string
	for i := range arity {
		params = append(params, fmt.Sprintf("a%d", i))
	}
	pattern := params[0]
	if arity > 1 {
		pattern = "(" + strings.Join(params, ", ") + ")"
	}
	x := &experimentText{fun: e.Fun, curried: arity > 1, global: global,
		at: diag.NewFile("--at", e.At), cotangent: diag.NewFile("--cotangent", cotangent)}
	x.text = fmt.Sprintf("let _fn %s = %s %s\nlet _at = ", pattern, e.Fun,
		strings.Join(params, " "))
	x.atStart = int32(len(x.text))
	x.text += e.At + "\n"
	last := "[_fn _at]\n"
	if cotangent != "" {
		x.text += "let _ct = "
		last = "[_fn _at, _ct]\n"
	}
	x.ctStart = int32(len(x.text))
	if cotangent != "" {
		x.text += cotangent + "\n"
	}
	x.more = int32(len(x.text))
	x.text += more
	x.last = int32(len(x.text))
	x.text += last
	return x
}

// explain rewrites diagnostics about the text.
func (x *experimentText) explain(list *diag.List) *diag.List {
	var told diag.List
	findings := list.Sorted()
	if own := slices.DeleteFunc(slices.Clone(findings), x.inMore); len(own) > 0 {
		findings = own // the others follow from these
	}
	for _, d := range findings {
		moved := *d
		about := moved.Span.File != nil && moved.Span.File.Name == experimentName &&
			moved.Span.Start >= x.last
		moved.Span = x.span(d.Span)
		moved.Message, moved.Label = x.words(d.Message), x.words(d.Label)
		moved.Related, moved.Hints = nil, nil
		for _, r := range d.Related {
			if r.Span = x.span(r.Span); r.Span != moved.Span && r.Span.File != x.at {
				r.Message = x.words(r.Message)
				moved.Related = append(moved.Related, r)
			}
		}
		for _, h := range d.Hints {
			if about && strings.HasPrefix(h, "all elements of an array") {
				continue // the user wrote no array
			}
			moved.Hints = append(moved.Hints, x.words(h))
		}
		if about && x.curried && moved.Span.File == x.at {
			moved.Hints = append(moved.Hints,
				"the arguments of a curried function are given as one tuple")
		}
		told.Add(&moved)
	}
	return &told
}

// inMore reports whether a diagnostic is about the added definitions.
func (x *experimentText) inMore(d *diag.Diagnostic) bool {
	s := d.Span
	return s.File != nil && s.File.Name == experimentName && x.more <= s.Start && s.Start < x.last
}

// span maps a place of the text to a place that the user knows.
func (x *experimentText) span(s diag.Span) diag.Span {
	if s.File == nil || s.File.Name != experimentName {
		return s
	}
	within := func(file *diag.File, start int32) diag.Span {
		n := int32(len(file.Text))
		clip := func(at int32) int32 { return min(max(at-start, 0), n) }
		return diag.Span{File: file, Start: clip(s.Start),
			End: max(clip(s.End), min(clip(s.Start)+1, n))}
	}
	switch {
	case s.Start >= x.last: // the use of _at or of _ct
		if s.Start >= x.last+int32(len("[_fn _at, ")) {
			return diag.Span{File: x.cotangent, End: int32(len(x.cotangent.Text))}
		}
		return diag.Span{File: x.at, End: int32(len(x.at.Text))}
	case s.Start >= x.more:
		if strings.HasPrefix(x.text[s.Start:], "_at") {
			return diag.Span{File: x.at, End: int32(len(x.at.Text))}
		}
		return x.global
	case s.Start >= x.ctStart:
		return within(x.cotangent, x.ctStart)
	case s.Start >= x.atStart:
		return within(x.at, x.atStart)
	}
	return x.global
}

// words replaces names of the text by the user's.
func (x *experimentText) words(text string) string {
	return strings.NewReplacer(
		"element 2 of this array", "the cotangent",
		"element 1 of this array", "the result",
		"`_gradient`", "the gradient of `"+x.fun+"`", "_gradient", "grad "+x.fun,
		"_fn", x.fun, "`_at`", "--at", "`_ct`", "--cotangent",
	).Replace(text)
}
