package driver

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Argument is the value that the command line gives to a parameter of `main`.
type Argument struct {
	Name string
	Text string // an expression, or the path of a data file
	File bool
}

// flag returns the flag by which the command line gives the argument.
func (a *Argument) flag() string {
	if a.File {
		return "--data"
	}
	return "--set"
}

// Note [Arguments]. `main` is applied to its arguments by a text that is loaded like any input of
// a session:
//
//	main
//	 (file "people.csv"
//	 )
//	 (0.1
//	 )
//
// So the types of the parameters decide how files are read and what literals mean, in every
// engine. The user does not see this text: errors in it are reported in terms of --data and
// --set.

// Parameter is a parameter of a definition.
type Parameter struct {
	Name    string // "" for a pattern
	Pattern syntax.Pattern
	Type    types.Type
	At      diag.Span
}

const argumentsName = "<arguments>"

// Apply applies a unit's `main` to its arguments, and returns the unit of the application. If
// there are no arguments and main has no parameters, it returns the unit itself.
func (w *World) Apply(u *Unit, args []Argument, sink *diag.List) *Unit {
	params := mainParameters(u)
	if len(params) == 0 && len(args) == 0 {
		return u
	}
	given, d := matchArguments(u, params, args)
	if d != nil {
		sink.Add(d)
		return nil
	}
	text := &argumentsText{text: "main\n", params: params}
	for k, a := range given {
		if d := text.add(a, params[k]); d != nil {
			sink.Append(d)
			return nil
		}
	}
	var own diag.List
	applied := w.LoadGiven(argumentsName, text.text, []*Unit{u}, &own)
	for _, d := range own.Sorted() {
		sink.Add(text.explain(d))
	}
	return applied
}

// mainParameters returns the parameters that a unit's `main` names, or nil if the unit's result
// is its final expression.
func mainParameters(u *Unit) []Parameter {
	if u.AST.Final != nil || u.Info.Interface.Value("main") == nil {
		return nil
	}
	return u.Parameters("main")
}

// Parameters returns the parameters that a definition writes, or nil if there is no such
// definition.
func (u *Unit) Parameters(name string) []Parameter {
	global := u.Info.Interface.Value(name)
	if global == nil {
		return nil
	}
	var patterns []syntax.Pattern
	for _, decl := range u.AST.Decls {
		let, ok := decl.(*syntax.LetDecl)
		if !ok {
			continue
		}
		for _, b := range let.Bindings {
			if b.Name() == name {
				patterns = b.Params
				if fun, ok := b.Body.(*syntax.Fun); ok && len(patterns) == 0 {
					patterns = fun.Params
				}
			}
		}
	}
	ts, _ := types.Splay(global.Scheme.Type, math.MaxInt)
	var params []Parameter
	for k, p := range patterns[:min(len(patterns), len(ts))] {
		params = append(params, Parameter{PatternName(p), p, ts[k], p.Span()})
	}
	return params
}

// PatternName returns the name that a pattern gives to all that it matches, or "".
func PatternName(p syntax.Pattern) string {
	switch p := p.(type) {
	case *syntax.PVar:
		return p.Name
	case *syntax.PAnnot:
		return PatternName(p.X)
	case *syntax.PParen:
		return PatternName(p.X)
	}
	return ""
}

// matchArguments finds the argument of each parameter.
func matchArguments(u *Unit, params []Parameter, args []Argument) ([]Argument, *diag.Diagnostic) {
	if len(params) == 0 {
		why := "`main` has no parameters"
		if u.AST.Final != nil {
			why = "the program ends in an expression: only `main` has parameters"
		} else if u.Info.Interface.Value("main") == nil {
			why = "the program defines no `main`"
		}
		a := args[0]
		return nil, diag.Errorf(diag.MainArguments, a.span(), "%s", why).
			WithHint("write `let main (%s : …) = …`", a.Name)
	}
	show := u.Info.Printer()
	var names, signature []string
	for _, p := range params {
		if p.Name == "" {
			return nil, diag.Errorf(diag.MainArguments, p.At,
				"a parameter of `main` that is given on the command line needs a name")
		}
		names = append(names, p.Name)
		signature = append(signature, fmt.Sprintf("`%s : %s`", p.Name, show.Type(p.Type)))
	}
	given := make([]Argument, len(params))
	for _, a := range args {
		k := slices.Index(names, a.Name)
		if k < 0 {
			d := diag.Errorf(diag.MainArguments, a.span(), "`main` has no parameter `%s`", a.Name)
			if near := suggest.Nearest(a.Name, names); near != "" {
				d.WithHint("did you mean `%s`?", near)
			}
			return nil, d.WithHint("it has %s", strings.Join(signature, ", "))
		}
		if given[k].Name != "" {
			return nil, diag.Errorf(diag.MainArguments, a.span(), "`%s` is given twice", a.Name)
		}
		given[k] = a
	}
	var first *Parameter
	var missing, flags []string
	for k, p := range params {
		if given[k].Name != "" {
			continue
		}
		if first == nil {
			first = &params[k]
		}
		missing = append(missing, signature[k])
		flags = append(flags, suggestedFlag(p))
	}
	if first == nil {
		return given, nil
	}
	d := diag.Errorf(diag.MainArguments, first.At, "`main` needs %s", strings.Join(missing, ", "))
	return nil, d.WithHint("give it on the command line: %s", strings.Join(flags, " "))
}

// suggestedFlag returns the flag that a parameter of its type is likely to be given by.
func suggestedFlag(p Parameter) string {
	switch types.Resolve(p.Type).(type) {
	case *types.Array, *types.Record:
		return "--data " + p.Name + "=FILE"
	}
	return "--set " + p.Name + "=VALUE"
}

// span returns the argument as a place on the command line.
func (a *Argument) span() diag.Span {
	file := diag.NewFile(a.flag(), a.Name+"="+a.Text)
	return diag.Span{File: file, End: int32(len(a.Name))}
}

// argumentsText builds the text that applies main.
type argumentsText struct {
	text   string
	params []Parameter
	pieces []piece
}

// piece locates an argument in the text.
type piece struct {
	file       *diag.File // name=TEXT
	start, end int32      // in the text
	skip       int32      // the offset of TEXT in file
}

// add appends an argument.
func (t *argumentsText) add(a Argument, p Parameter) *diag.List {
	expr := a.Text
	written := types.Resolve(p.Type) == types.Type(types.String) && !a.File && !strings.HasPrefix(
		strings.TrimSpace(expr), `"`)
	switch {
	case a.File:
		expr = "file " + notation.Quote(a.Text)
	case written: // a text argument may be given without quotes
		expr = notation.Quote(a.Text)
	default:
		var own diag.List
		file := diag.NewFile("--set "+a.Name, a.Text)
		if m := syntax.Parse(file, &own); own.Failed() || m.Final == nil ||
			len(m.Decls)+len(m.Imports) > 0 {
			if !own.Failed() {
				own.Add(diag.Errorf(diag.MainArguments, a.span(),
					"--set takes an expression: `--set %s=0.1`", a.Name))
			}
			return &own
		}
	}
	t.text += " ("
	start := int32(len(t.text))
	t.text += expr
	t.pieces = append(t.pieces, piece{diag.NewFile(a.flag(), a.Name+"="+a.Text), start,
		int32(len(t.text)), int32(len(a.Name) + 1)})
	t.text += "\n )\n"
	return nil
}

// explain rewrites a diagnostic about the text in terms of the command line.
func (t *argumentsText) explain(d *diag.Diagnostic) *diag.Diagnostic {
	moved := *d
	moved.Related = nil
	about := t.about(d.Span)
	moved.Span = t.span(d.Span)
	for _, r := range d.Related {
		if r.Span = t.span(r.Span); r.Span.File != moved.Span.File {
			moved.Related = append(moved.Related, r)
		}
	}
	if about >= 0 {
		p := t.params[about]
		shown := (&types.Printer{Sizes: true}).Type(p.Type)
		moved.Hints = append(slices.Clone(d.Hints),
			fmt.Sprintf("the parameter `%s` of `main` has the type %s", p.Name, shown))
	}
	return &moved
}

// about returns the index of the argument at a place, or -1.
func (t *argumentsText) about(s diag.Span) int {
	if !s.Known() || s.File.Name != argumentsName {
		return -1
	}
	return slices.IndexFunc(t.pieces, func(p piece) bool {
		return p.start <= s.Start && s.Start <= p.end
	})
}

// span maps a place of the text to a place on the command line.
func (t *argumentsText) span(s diag.Span) diag.Span {
	if !s.Known() || s.File.Name != argumentsName {
		return s
	}
	k := t.about(s)
	if k < 0 {
		return t.params[0].At
	}
	p := t.pieces[k]
	whole := int32(len(p.file.Text))
	if p.end-p.start != whole-p.skip { // the text was quoted
		return diag.Span{File: p.file, Start: p.skip, End: whole}
	}
	return diag.Span{File: p.file, Start: p.skip + s.Start - p.start,
		End: min(p.skip+s.End-p.start, whole)}
}
