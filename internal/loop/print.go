package loop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Print writes a program in its textual form:
//
//	func dot(xs : f64s, ys : f64s, n : i64) {
//	  for i < n parallel, add.f from 0.0 {
//	    x = xs[i]
//	    y = ys[i]
//	    p = mul.f x y
//	    yield p
//	  } gives sum : f64
//	  yield sum
//	}
//
// Parse reads it back.
func Print(p *Program) string {
	w := printer{funcs: map[*Func]string{}}
	used := map[string]bool{}
	for _, f := range p.Funcs {
		w.funcs[f] = fresh(f.Name, used)
	}
	for i, f := range p.Funcs {
		if i > 0 {
			w.b.WriteByte('\n')
		}
		w.fun(f)
	}
	return w.b.String()
}

// String returns the function in its textual form.
func (f *Func) String() string { return Print(&Program{Funcs: []*Func{f}}) }

var kindNames = [...]string{F64: "f64", I64: "i64", Bool: "bool", F64s: "f64s", I64s: "i64s"}

// String returns the kind's name in the textual form.
func (k Kind) String() string { return kindNames[k] }

type printer struct {
	b     strings.Builder
	depth int
	names map[*Var]string
	used  map[string]bool
	funcs map[*Func]string
}

func (w *printer) fun(f *Func) {
	w.names, w.used = map[*Var]string{}, map[string]bool{}
	var params []string
	for i, p := range f.Params {
		text := w.bind(p) + " : " + p.Kind.String()
		if i >= len(f.Params)-f.Adds {
			text += " added"
		}
		params = append(params, text)
	}
	w.line("func %s(%s) {", w.funcs[f], strings.Join(params, ", "))
	w.block(f.Body)
	w.line("}")
}

func (w *printer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// bind gives a variable a unique name.
func (w *printer) bind(v *Var) string {
	name := fresh(v.Name, w.used)
	w.names[v] = name
	return name
}

// fresh makes a name that can be read back and is not used yet, and marks it as used.
func fresh(name string, used map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if strings.ContainsRune(punctuation, r) || !unicode.IsPrint(r) || unicode.IsSpace(r) ||
			r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	if base == "" || reserved[base] || strings.ContainsRune("0123456789.+-?", rune(base[0])) {
		base = "t" + base
	}
	name = base
	for n := 1; used[name]; n++ {
		if n == 16 { // many of one name: do not try them all
			n = len(used)
		}
		name = base + "." + strconv.Itoa(n)
	}
	used[name] = true
	return name
}

// punctuation are the characters that end a name.
const punctuation = "()[]{},:=<"

// reserved are the words that are not names of variables.
var reserved = map[string]bool{
	"func": true, "for": true, "while": true, "if": true, "else": true, "do": true, "check": true,
	"call":  true,
	"yield": true, "alloc": true, "length": true, "copy": true, "with": true, "gives": true,
	"zero":     true,
	"parallel": true, "lanes": true, "from": true, "true": true, "false": true, "nan": true,
	"inf": true, "+": true,
}

// callee returns the name of a function that is called.
func (w *printer) callee(f *Func) string {
	if name, ok := w.funcs[f]; ok {
		return name
	}
	return f.Name
}

func (w *printer) atom(a Atom) string {
	switch a := a.(type) {
	case *Var:
		if name, ok := w.names[a]; ok {
			return name
		}
		return "?" + a.Name
	case *Const:
		switch {
		case a.Kind == I64:
			return strconv.FormatInt(a.I, 10)
		case a.Kind == Bool:
			return strconv.FormatBool(a.I != 0)
		}
		return formatReal(a.F)
	}
	return "?"
}

// formatReal writes a double so that it differs from an integer and reads back.
func formatReal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func (w *printer) atoms(as []Atom) string {
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = w.atom(a)
	}
	return strings.Join(out, " ")
}

func (w *printer) binds(vs []*Var) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = w.bind(v) + " : " + v.Kind.String()
	}
	return strings.Join(out, ", ")
}

func (w *printer) block(b *Block) {
	w.depth++
	for _, s := range b.Stmts {
		w.stmt(s)
	}
	if len(b.Yield) > 0 {
		w.line("yield %s", w.atoms(b.Yield))
	}
	w.depth--
}

func (w *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Let:
		args := w.atoms(s.Args)
		w.line("%s = %s %s", w.bind(s.Var), s.Op, args)
	case *Alloc:
		n, zero := w.atom(s.Len), ""
		if s.Zero {
			zero = " zero"
		}
		w.line("%s = alloc %s %s%s", w.bind(s.Var), s.Var.Kind, n, zero)
	case *Length:
		b := w.atom(s.Buf)
		w.line("%s = length %s", w.bind(s.Var), b)
	case *Load:
		b, at := w.atom(s.Buf), w.atom(s.At)
		w.line("%s = %s[%s]", w.bind(s.Var), b, at)
	case *Store:
		w.line("%s[%s] = %s", w.atom(s.Buf), w.atom(s.At), w.atom(s.Value))
	case *Accum:
		w.line("%s[%s] += %s", w.atom(s.Buf), w.atom(s.At), w.atom(s.Value))
	case *Update:
		b, at, x := w.atom(s.Buf), w.atom(s.At), w.atom(s.Value)
		w.line("%s = %s with [%s] = %s", w.bind(s.Var), b, at, x)
	case *Copy:
		b := w.atom(s.Buf)
		w.line("%s = copy %s", w.bind(s.Var), b)
	case *For:
		w.loop(s)
	case *While:
		head := w.states(s.States)
		w.line("while%s {", head)
		w.block(s.Cond)
		w.line("} do {")
		w.block(s.Body)
		w.line("}%s", w.results(s.States, nil))
	case *If:
		w.line("if %s {", w.atom(s.Cond))
		w.block(s.Then)
		w.line("} else {")
		w.block(s.Else)
		if len(s.Results) == 0 {
			w.line("}")
			return
		}
		w.line("} gives %s", w.binds(s.Results))
	case *Check:
		w.line("check %s", w.atom(s.Cond))
	case *Call:
		args := w.atoms(s.Args)
		if len(s.Results) == 0 {
			w.line("call %s %s", w.callee(s.Func), args)
			return
		}
		w.line("call %s %s gives %s", w.callee(s.Func), args, w.binds(s.Results))
	}
}

func (w *printer) loop(s *For) {
	count := w.atom(s.Count)
	reds := ""
	for _, r := range s.Reds {
		reds += fmt.Sprintf(", %s from %s", r.Op, w.atom(r.Init))
	}
	states := w.states(s.States)
	how := ""
	if s.Parallel {
		how = " parallel"
	}
	if s.Lanes {
		how += " lanes"
	}
	if s.Thrifty {
		how += " thrifty"
	}
	w.line("for %s < %s%s%s%s {", w.bind(s.Index), count, how, states, reds)
	w.block(s.Body)
	w.line("}%s", w.results(s.States, s.Reds))
}

func (w *printer) states(states []State) string {
	out := ""
	for _, s := range states {
		init := w.atom(s.Init)
		out += fmt.Sprintf(", %s : %s = %s", w.bind(s.Var), s.Var.Kind, init)
	}
	return out
}

func (w *printer) results(states []State, reds []Red) string {
	if len(states)+len(reds) == 0 {
		return ""
	}
	var vs []*Var
	results(states, reds, func(v *Var) { vs = append(vs, v) })
	return " gives " + w.binds(vs)
}
