// Package export makes source text in other languages from functions of a program: C, Go and
// WebAssembly. It is given a checked unit and names of its functions. It lowers them and their
// derivatives to the loop form, and returns files.
//
// An exported function checks its arguments first, so that no argument makes it read outside of a
// buffer. Where the program would stop with an error, and where a derivative does not exist or is
// not finite, it returns a failure.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Options says what to export.
type Options struct {
	Functions               []string
	Grad, VJP, JVP, Hessian bool
	// By names the parameters to differentiate by, for the functions that have one of them. If it
	// is empty, derivatives are by all parameters.
	By []string
	// Typed says that the target has types for records and arrays, so that buffers cannot have
	// wrong lengths.
	Typed bool
	// Deterministic makes modules of WebAssembly compute the same digits as the other targets.
	Deterministic bool
}

// function is a function that is exported.
type function struct {
	name   string // the name in the program, with the suffix of a derivative
	suffix string // the suffix
	doc    string
	text   string    // the program's comment on it, or ""
	def    string    // its definition, on a line of its own in the text
	at     diag.Span // the place of the function, or of the function that it is the derivative of
	// params holds the names of the function's parameters, followed by the additional ones of a
	// derivative.
	params []string
	varied []int // the indices of the parameters that derivatives are by
	loop   *loop.Func
	// types holds the types of the parameters, and result that of the value.
	types  []types.Type
	result types.Type
}

// File is a file of the output.
type File struct {
	Name string
	Text []byte
}

// Functions lowers functions of a unit, and the derivatives that the options ask for.
func Functions(ctx context.Context, w *driver.World, unit *driver.Unit, o Options,
	sink *diag.List) (m *Module) {
	m = &Module{Name: unit.Info.Name, watch: stop.Of(ctx), declared: unit.Info.Interface.Types,
		deterministic: o.Deterministic}
	var text strings.Builder
	for _, name := range o.Functions {
		if !m.add(unit, name, o, &text, sink) {
			return nil
		}
	}
	if d := o.checkBy(unit); d != nil {
		sink.Add(d)
		return nil
	}
	var own diag.List
	wrapped := w.LoadText("<build>", text.String(), []*driver.Unit{unit}, &own)
	if own.Failed() {
		for _, d := range own.Sorted() {
			sink.Add(m.reword(d))
		}
		return nil
	}
	var roots []string
	for _, f := range m.functions {
		roots = append(roots, wrapped.Info.Name+"."+f.def)
	}
	program, d := driver.PrepareRoots(ctx, wrapped, roots...)
	if d != nil {
		sink.Add(d)
		return nil
	}
	defs := map[string]*core.Def{}
	program.EachDef(func(d *core.Def) { defs[d.Name] = d })
	source := lower.NewSource(program)
	source.Data, source.Ties = true, true
	source = source.Until(m.watch)
	var over *diag.Diagnostic
	defer func() {
		if over != nil {
			sink.Add(over)
			m = nil
		}
	}()
	defer stop.Catch(&over)
	for i, f := range m.functions {
		low, err := source.Definition(defs[roots[i]])
		if err == nil {
			err = withoutNodes(low)
		}
		var ragged []diag.Span
		if err == nil {
			f.loop, err = complete(source, low, f.params, !o.Typed, &ragged)
		}
		if err == nil {
			f.loop.Name, f.types, f.result = f.name, low.Params, low.Result
			dropLengths(f.loop.Body, lower.ResultShapeOf(low.Result))
			for _, f := range loop.Reached(f.loop).Funcs {
				pass.Optimize(f, pass.Options{Schedule: true, Watch: m.watch})
			}
			err = regular(f.loop, ragged)
		}
		if err != nil {
			sink.Add(f.refused(err, wrapped.File))
			return nil
		}
	}
	m.shareCalled()
	return m
}

// refused returns the diagnostic for a function that cannot be compiled. Its place is never in
// the text that defines the function, which the user did not write.
func (f *function) refused(err error, own *diag.File) *diag.Diagnostic {
	why := &lower.NotCovered{What: err.Error()}
	errors.As(err, &why)
	d := diag.Errorf(diag.CannotCompile, f.at, "`%s` cannot be compiled: %s", f.name, why.What)
	if why.At.Known() && why.At.File != own {
		d.WithRelated(why.At, "here")
	}
	if why.Hint != "" {
		d.WithHint("%s", why.Hint)
	}
	return d.WithHint("`fluxion run` and `fluxion diff` still run it")
}

// withoutNodes returns an error if an argument has a recursive type, which other languages cannot
// pass.
func withoutNodes(low *lower.Lowered) error {
	for _, t := range low.Params {
		if lower.ResultShapeOf(t) == nil {
			return &lower.NotCovered{What: "an argument of the recursive type " + types.Show(t),
				Hint: lower.RecursiveHint}
		}
	}
	return nil
}

// regular returns an error if a function makes rows of different lengths at one of the given
// places. Other engines leave such places to the interpreter.
func regular(f *loop.Func, ragged []diag.Span) error {
	var err error
	for _, f := range loop.Reached(f).Funcs {
		loop.Walk(f.Body, func(s loop.Stmt) {
			c, ok := s.(*loop.Check)
			if !ok || !slices.Contains(ragged, c.At) {
				return
			}
			if always, ok := c.Cond.(*loop.Const); ok && always.I == 0 {
				err = &lower.NotCovered{What: "rows of different lengths", At: c.At,
					Hint: lower.RaggedHint}
			}
		})
	}
	return err
}

// shareCalled merges equal recursive functions that several functions call.
func (m *Module) shareCalled() {
	one := map[string]*loop.Func{}
	for _, f := range m.functions {
		m.watch.Look()
		loop.Walk(f.loop.Body, func(s loop.Stmt) {
			if c, ok := s.(*loop.Call); ok {
				text := loop.Print(loop.Reached(c.Func))
				if one[text] == nil {
					one[text] = c.Func
				}
				c.Func = one[text]
			}
		})
	}
}

// reword turns a diagnostic about the text that defines the functions into one about the program.
func (m *Module) reword(d *diag.Diagnostic) *diag.Diagnostic {
	if !d.Span.Known() {
		return d
	}
	f := m.functions[d.Span.File.LineOf(d.Span.Start)-1]
	return diag.Errorf(d.Code, f.at, "`%s` cannot be made: %s", f.name, d.Message)
}

// Module is a set of functions to print.
type Module struct {
	Name      string
	functions []*function
	watch     *stop.Watch // ends the work on the module
	// deterministic is Options.Deterministic.
	deterministic bool
	// declared holds the types of the program; Go types take their names.
	declared map[string]*check.TypeName
}

// add adds a function and its derivatives, and appends their definitions to a text.
func (m *Module) add(unit *driver.Unit, name string, o Options, text *strings.Builder,
	sink *diag.List) bool {
	global := unit.Info.Interface.Value(name)
	if global == nil {
		sink.Add(unit.Undefined(name))
		return false
	}
	if len(global.Scheme.Params) > 0 {
		sink.Add(diag.Errorf(diag.CannotCompile, global.At,
			"`%s` has the type %s, with types that are open", name,
			(&types.Printer{Sizes: true}).Scheme(global.Scheme)).
			WithHint("give its parameters types, as in `let %s (x : Real) = …`", name))
		return false
	}
	params, result := types.Splay(global.Scheme.Type, 1<<20)
	var args, point, tangents, own, more, names []string
	var varied []int
	written := unit.Parameters(name)
	by := o.by(written)
	for i := range params {
		args = append(args, fmt.Sprintf("a%d", i))
		param := "x"
		if i < len(written) {
			param = cmp.Or(written[i].Name, param)
		}
		own = append(own, ascii(param))
		if len(by) == 0 || slices.Contains(by, i) {
			point, tangents = append(point, args[i]), append(tangents, fmt.Sprintf("d%d", i))
			varied, names, more = append(varied, i), append(names, own[i]),
				append(more, "d_"+own[i])
		}
	}
	ty := unit.Info.Printer().Type(global.Scheme.Type)
	define := func(suffix, doc, params, body string) {
		f := &function{name: name + suffix, suffix: suffix, doc: doc, varied: varied,
			def:    fmt.Sprintf("_build%d", len(m.functions)),
			at:     global.At,
			params: own}
		switch suffix {
		case "_vjp":
			f.params = append(own[:len(own):len(own)], "cotangent")
		case "_jvp":
			f.params = append(own[:len(own):len(own)], more...)
		}
		m.functions = append(m.functions, f)
		fmt.Fprintf(text, "let %s %s = %s\n", f.def, params, body)
	}
	all := strings.Join(args, " ")
	define("", fmt.Sprintf("`%s : %s`", name, ty), all, name+" "+all)
	m.functions[len(m.functions)-1].text = global.Doc
	if !o.Grad && !o.VJP && !o.JVP && !o.Hessian {
		return true
	}
	if len(params) == 0 {
		sink.Add(diag.Errorf(diag.NotAFunction, global.At, "`%s` is not a function", name))
		return false
	}
	at, tangent, fun, whole := tuple(point), tuple(tangents), name, ""
	if len(args) > 1 {
		fun = fmt.Sprintf("(fun %s => %s %s)", at, name, all)
	}
	if len(by) > 0 || len(args) > 1 {
		whole = " by " + strings.Join(names, ", ")
	}
	if (o.Grad || o.Hessian) && types.Resolve(result) != types.Type(types.Real) {
		sink.Add(diag.Errorf(diag.Mismatch, global.At,
			"`%s` gives %s, and only a Real has a gradient", name, types.Show(result)).
			WithHint("--vjp and --jvp differentiate every function"))
		return false
	}
	if o.Grad {
		define("_grad", fmt.Sprintf("the gradient of `%s : %s`%s", name, ty, whole), all,
			fmt.Sprintf("grad %s %s", fun, at))
	}
	if o.VJP {
		define("_vjp",
			fmt.Sprintf("the derivative of `%s : %s`, transposed, of a cotangent, the last "+
				"argument", name, ty),
			all+" ct", fmt.Sprintf("vjp %s %s ct", fun, at))
	}
	if o.JVP {
		define("_jvp", fmt.Sprintf("the derivative of `%s : %s` in a direction, the last arguments",
			name, ty),
			all+" "+strings.Join(tangents, " "), fmt.Sprintf("jvp %s %s %s", fun, at, tangent))
	}
	if o.Hessian {
		define("_hessian", fmt.Sprintf("the second derivative of `%s : %s`%s", name, ty, whole),
			all, fmt.Sprintf("hessian %s %s", fun, at))
	}
	return true
}

// checkBy returns a diagnostic if no function has one of the parameters named by By.
func (o *Options) checkBy(unit *driver.Unit) *diag.Diagnostic {
	var known []string
	for _, name := range o.Functions {
		for _, p := range unit.Parameters(name) {
			known = append(known, p.Name)
		}
	}
	for _, name := range o.By {
		if !slices.Contains(known, name) {
			d := diag.Errorf(diag.CannotCompile, diag.Span{},
				"none of the functions has a parameter `%s`", name)
			if near := suggest.Nearest(name, known); near != "" {
				d.WithHint("did you mean `%s`?", near)
			}
			return d.WithHint("their parameters are %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// by returns the indices of the parameters that derivatives are by. An empty list means all.
func (o *Options) by(params []driver.Parameter) []int {
	var by []int
	for i, p := range params {
		if slices.Contains(o.By, p.Name) {
			by = append(by, i)
		}
	}
	return by
}

func tuple(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// complete prepends to a function the values of constants and, if checked, checks of the
// arguments, and names its parameters. It appends to ragged the Lowered.Ragged of the function
// and of the constants.
func complete(source *lower.Source, low *lower.Lowered, params []string, checked bool,
	ragged *[]diag.Span) (*loop.Func, error) {
	*ragged = append(*ragged, low.Ragged...)
	var b loop.Builder
	c := loop.NewCopier()
	f := &loop.Func{Name: low.Func.Name}
	rest := low.Func.Params
	for i, t := range low.Params {
		shape, parts := lower.ResultShapeOf(t), valueOf(t).Leaves(params[i])
		var own []loop.Atom
		for _, part := range leaves(shape) {
			if part == derivedLength { // the length of the next parameter, a buffer
				own, rest = append(own, rest[0]), rest[1:]
				continue
			}
			p := c.Bind(rest[0])
			p.Name = ascii(parts[0].Name)
			checkConstructor(&b, p, parts[0].Cons)
			parts = parts[1:]
			f.Params = append(f.Params, p)
			own, rest = append(own, p), rest[1:]
		}
		for j, a := range own {
			if v := a.(*loop.Var); j+1 < len(own) && leaves(shape)[j] == derivedLength {
				own[j] = b.Length(own[j+1].(*loop.Var))
				c.Set(v, own[j])
			}
		}
		if checked {
			checkLengths(&b, shape, own, nil)
		}
	}
	for _, d := range low.Constants {
		constant, err := source.Definition(d)
		if err != nil {
			return nil, err
		}
		value, err := complete(source, constant, nil, checked, ragged)
		if err != nil {
			return nil, err
		}
		inner := loop.NewCopier().Block(value.Body)
		b.Add(inner.Stmts...)
		for _, a := range inner.Yield {
			c.Set(rest[0], a)
			rest = rest[1:]
		}
	}
	body := c.Block(low.Func.Body)
	b.Add(body.Stmts...)
	f.Body = b.Block(body.Yield...)
	return f, loop.Verify(loop.Reached(f))
}

// dropLengths drops the lengths that the results themselves have.
func dropLengths(b *loop.Block, s *lower.Shape) {
	all := b.Yield
	b.Yield = nil
	for i, p := range leaves(s) {
		if p != derivedLength {
			b.Yield = append(b.Yield, all[i])
		}
	}
}

// part says what a parameter or result is: a scalar, a buffer, or the length of an array. The
// length of an array of scalars is derived from a buffer.
type part uint8

const (
	leaf part = iota
	length
	derivedLength
)

// leaves lists the parts of a shape.
func leaves(s *lower.Shape) []part { return leavesIn(s, false) }

func leavesIn(s *lower.Shape, inArray bool) []part {
	var inner []part
	for _, p := range s.Parts {
		inner = append(inner, leavesIn(p, inArray || s.Kind == lower.ArrayShape)...)
	}
	switch {
	case s.Kind == lower.ArrayShape && !inArray && len(inner) > 0 &&
		!slices.ContainsFunc(inner, func(p part) bool { return p != leaf }):
		return append([]part{derivedLength}, inner...)
	case s.Kind == lower.ArrayShape:
		return append([]part{length}, inner...)
	case s.Kind == lower.ProductShape || s.Kind == lower.VariantShape:
		return inner
	}
	return []part{leaf}
}

// checkConstructor checks that a parameter is the index of one of cons constructors, or holds
// such indices. If cons is 0, the parameter is not an index.
func checkConstructor(b *loop.Builder, p *loop.Var, cons int) {
	check := func(b *loop.Builder, n loop.Atom) {
		b.Check(b.Let("c", loop.And, b.Let("c", loop.LeI, loop.Int(0), n),
			b.Let("c", loop.LtI, n, loop.Int(int64(cons)))), diag.Span{})
	}
	switch {
	case cons == 0:
	case p.Kind.IsBuffer():
		b.Parallel("i", b.Length(p), func(b *loop.Builder, i *loop.Var) {
			check(b, b.Load("n", p, i))
		})
	default:
		check(b, p)
	}
}

// checkLengths checks that buffers have the lengths that the arguments before them state. dims
// holds the lengths of the surrounding arrays.
func checkLengths(b *loop.Builder, s *lower.Shape, own, dims []loop.Atom) []loop.Atom {
	switch s.Kind {
	case lower.ProductShape, lower.VariantShape:
		for _, p := range s.Parts {
			own = checkLengths(b, p, own, dims)
		}
		return own
	case lower.ArrayShape:
		n := own[0]
		if slices.Contains(leaves(s), length) || len(dims) > 0 {
			b.Check(b.Let("c", loop.LeI, loop.Int(0), n), diag.Span{})
		}
		return checkLengths(b, s.Parts[0], own[1:], append(dims[:len(dims):len(dims)], n))
	}
	if len(dims) > 0 {
		total := dims[0]
		for _, d := range dims[1:] {
			b.Check(b.Let("c", loop.Not, b.Let("o", loop.MulOver, total, d)), diag.Span{})
			total = b.Let("n", loop.MulI, total, d)
		}
		b.Check(b.Let("c", loop.EqI, b.Length(own[0].(*loop.Var)), total), diag.Span{})
	}
	return own[1:]
}

// ascii returns a name in ASCII letters, digits and underscores. Other characters are replaced by
// their numbers.
func ascii(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
			b.WriteRune(r)
		case r == '\'':
			b.WriteString("_prime")
		case r == '.' || r == '-':
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "u%04x", r)
		}
	}
	out := strings.Trim(b.String(), "_")
	if out == "" || '0' <= out[0] && out[0] <= '9' {
		out = "m" + out
	}
	return out
}

// named gives each function a unique name made from its name in the program. Then it names the
// recursive functions that they call.
func (m *Module) named(make, inner func(name string) string) (names map[*loop.Func]string,
	called []*loop.Func) {
	names = map[*loop.Func]string{}
	used := map[string]bool{}
	name := func(f *loop.Func, base string) {
		names[f] = base
		for n := 2; used[names[f]]; n++ {
			names[f] = fmt.Sprintf("%s_%d", base, n)
		}
		used[names[f]] = true
	}
	for _, f := range m.functions {
		name(f.loop, make(f.name))
	}
	for _, f := range m.functions {
		for _, g := range loop.Reached(f.loop).Funcs[1:] {
			if names[g] == "" {
				_, own, _ := strings.Cut(g.Name, ".") // the name without the module
				name(g, inner(cmp.Or(own, g.Name)))
				called = append(called, g)
			}
		}
	}
	return names, called
}

// program returns the functions, and more, as a program.
func (m *Module) program(more ...*loop.Func) *loop.Program {
	p := &loop.Program{Watch: m.watch}
	for _, f := range m.functions {
		p.Funcs = append(p.Funcs, f.loop)
	}
	p.Funcs = append(p.Funcs, more...)
	return p
}

// comment returns a text that fits on a line of a comment. It changes a line that gofmt would
// take for a build constraint.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " "), "+build"); ok {
		text = "+ build" + rest
	}
	return strings.ReplaceAll(text, "*/", "* /")
}

// goPackage returns a package's name.
func goPackage(name string) string {
	name = strings.ToLower(ascii(name))
	if token.IsKeyword(name) || name == "main" || name == "init" {
		name += "flx"
	}
	return name
}

// goName returns the name of an exported function of Go.
func goName(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(ascii(name), "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	if b.String() == "ErrRange" {
		return "ErrRange_"
	}
	return b.String()
}
