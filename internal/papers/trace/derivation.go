package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// derivation is the derivation of a judgement, written down while it is found:
// each judgement is a line, and its premises are the lines below it that are
// indented further.
//
//	{x ↦ 3} ⊢ 1.rd_2(y : real. x * y) ⇒ 3
//	  {x ↦ 3} ⊢ 1.rd_2(y : real. x * y) ⇝ D1
//	    …
//
// What the functions of the library do is left out, except for the derivatives
// that they take and for what they call.
type derivation struct {
	lines []judgement
	depth int
	more  int // judgements without a line
	terms printer
	vars  map[*core.Var]*Var // which have the names of the variables of programs
	named map[Term]string    // the traces and derivatives that judgements mention
	count map[string]int     // of those, by the first letters of their names
}

// judgement is a line, and its conclusion, which may be a term of many lines.
type judgement struct {
	depth           int
	text, concluded string
}

const (
	maxJudgements = 60  // of a derivation
	maxTerm       = 200 // nodes of a term in one
)

// full reports whether there is no room for another judgement, and counts it.
func (d *derivation) full() bool {
	if len(d.lines) < maxJudgements {
		return false
	}
	d.more++
	return true
}

// open begins a judgement, whose premises follow until close.
func (d *derivation) open(text string) int {
	d.depth++
	d.lines = append(d.lines, judgement{d.depth, text, ""})
	return len(d.lines) - 1
}

// close ends a judgement.
func (d *derivation) close(line int, conclusion string) {
	d.depth--
	d.lines[line].concluded = conclusion
}

// note adds a judgement without premises.
func (d *derivation) note(text, conclusion string) { d.close(d.open(text), conclusion) }

// String lays a derivation out.
func (d *derivation) String() string {
	var b strings.Builder
	for _, j := range d.lines {
		indent := strings.Repeat("  ", j.depth)
		b.WriteString(indent + j.text + strings.ReplaceAll(j.concluded, "\n", "\n"+indent+"    ") +
			"\n")
	}
	if d.more > 0 {
		fmt.Fprintf(&b, "  … and %d more judgements\n", d.more)
	}
	return b.String()
}

// variable returns a name for a variable of a program, which no other one has.
func (d *derivation) variable(x *core.Var) string {
	if d.vars == nil {
		d.vars = map[*core.Var]*Var{}
	}
	if d.vars[x] == nil {
		d.vars[x] = &Var{Name: x.Name}
	}
	return d.terms.name(d.vars[x])
}

// name binds a trace or a derivative to a name.
func (d *derivation) name(letter string, c Term) string {
	if d.named == nil {
		d.named, d.count = map[Term]string{}, map[string]int{}
	}
	d.count[letter]++
	d.named[c] = fmt.Sprint(letter, d.count[letter])
	return d.named[c]
}

// term returns a trace term after an arrow or an equals sign: its name if it has one, and on the
// same line if it has no let. A large term is only counted.
func (d *derivation) term(c Term) string {
	if name := d.named[c]; name != "" && !isValue(c) {
		return " " + name
	}
	if isFlat(c) {
		return " " + d.terms.flat(c, 0, "")
	}
	if n := Size(c); n > maxTerm {
		return fmt.Sprintf(" a term of %d nodes", n)
	}
	return "\n" + d.terms.show(c, "")
}

// noted reports whether a statement has a line.
func noted(let *core.Let) bool {
	if papers.InLibrary(let.At) {
		return false
	}
	switch op := let.Op.(type) {
	case *core.Prim:
		return !isDerivative(op.Prim) // it has lines of its own
	case *core.Apply, *core.If, *core.Case, *core.Build, *core.Map, *core.Reduce, *core.Scan,
		*core.Loop:
		return true
	}
	return false
}

// statement returns the redex of a statement, with its operands written by atom; one
// with blocks in it as in the source.
func statement(let *core.Let, atom func(core.Atom) expression) string {
	switch let.Op.(type) {
	case *core.Prim, *core.Apply, *core.If:
		return cut(redex(let.Op, atom).text)
	}
	return cut(let.At.Text())
}

// environment is ρ at the variables that a judgement is about: "{x ↦ 3} ⊢ ".
type environment struct {
	names  []string
	values []value.Value
}

func (e *environment) add(name string, v value.Value) {
	if !slices.Contains(e.names, name) {
		e.names, e.values = append(e.names, name), append(e.values, v)
	}
}

func (e *environment) String() string {
	if len(e.names) == 0 {
		return "⊢ "
	}
	words := make([]string, len(e.names))
	for i, name := range e.names {
		words[i] = name + " ↦ " + valueText(e.values[i])
	}
	return "{" + strings.Join(words, ", ") + "} ⊢ "
}

// ---- ordinary evaluation

// noteRedex evaluates φ | ρ ⊢ R ⇒ V and records it with its premises.
func (o ordinary) noteRedex(let *core.Let, rho *env[value.Value]) value.Value {
	if o.notes.full() {
		return o.op(let.Op, let.At, rho)
	}
	var about environment
	text := statement(let, func(a core.Atom) expression { return o.atomText(a, rho, &about) })
	line := o.notes.open(about.String() + text)
	v := o.op(let.Op, let.At, rho)
	o.notes.close(line, " ⇒ "+o.resultText(v))
	return v
}

// noteDerivative evaluates φ | ρ ⊢ W.rd_V(x:T. N) ⇒ X and records it with its premises, both of
// which symbolic evaluation has.
func (o ordinary) noteDerivative(s *symbolic, row *prim.Prim, args []sym,
	at diag.Span) value.Value {
	if o.notes.full() {
		return s.derivative(row, args, at).val
	}
	var about environment
	text := s.differentialText(row, args, &about)
	line := o.notes.open(about.String() + text)
	v := s.derivative(row, args, at).val
	x := v
	if pair, ok := v.(value.Tuple); ok {
		x = pair[1] // the value of the function is beside it
	}
	o.notes.close(line, " ⇒ "+valueText(x))
	return v
}

// atomText writes an operand: a real by its name, whose value is then in ρ, and a function by its
// text.
func (o ordinary) atomText(a core.Atom, rho *env[value.Value], about *environment) expression {
	x, ok := a.(*core.Var)
	if !ok {
		return constantText(a)
	}
	switch v := rho.get(x).(type) {
	case *closure[value.Value]:
		return o.functionText(v, about)
	case value.Bool, value.Int:
		return literalText(v)
	default:
		name := o.notes.variable(x)
		about.add(name, v)
		return expression{name, true}
	}
}

func (o ordinary) functionText(f *closure[value.Value], about *environment) expression {
	return o.closureText(f.fun, f.given, func(a core.Atom) expression {
		if x, ok := a.(*core.Var); ok {
			if g, ok := f.env.get(x).(*closure[value.Value]); ok {
				return o.captured(x, g.fun)
			}
		}
		return o.atomText(a, f.env, about)
	})
}

// captured writes a function inside a function by its name, because it may have captured itself.
func (m *machine) captured(x *core.Var, fun *core.Lambda) expression {
	if name := m.definitionOf(fun); name != "" {
		return expression{name, true}
	}
	return expression{x.Name, true}
}

// resultText returns the V of a redex.
func (o ordinary) resultText(v value.Value) string {
	if f, ok := v.(*closure[value.Value]); ok {
		return o.functionText(f, &environment{}).text
	}
	return valueText(v)
}

// closureText writes a function: a definition by its name and what it is given,
// another one as a lambda.
func (m *machine) closureText(fun *core.Lambda, given int,
	atom func(core.Atom) expression) expression {
	name := m.definitionOf(fun)
	if name == "" {
		return lambdaText(fun, given, atom)
	}
	if given > 0 {
		args := make([]string, given)
		for i, p := range fun.Params[:given] {
			args[i] = atom(p).text
		}
		name += "(" + strings.Join(args, ", ") + ")"
	}
	return expression{name, true}
}

// definitionOf returns the name of the definition that is a function, or "".
func (m *machine) definitionOf(fun *core.Lambda) string {
	for _, def := range m.defs {
		if def.Function() == fun {
			return shortName(def.Name)
		}
	}
	return ""
}

// valueText writes the part of a value that is shown, without functions in it.
func valueText(v value.Value) string { return cut(value.ShowAtMost(shown(v, 0), maxShown)) }

// shown returns the part of a value that ShowAtMost looks at, without functions.
func shown(v value.Value, depth int) value.Value {
	switch v := v.(type) {
	case *closure[value.Value], *closure[sym]:
		return value.Func{Type: "…"}
	case value.Array:
		if len(v) > maxShown+1 {
			return shown(v[:maxShown+1:maxShown+1], depth)
		}
	}
	if depth > 2*maxShown {
		return value.Unknown{}
	}
	return mapChildren(v, func(_ int, c value.Value) value.Value { return shown(c, depth+1) })
}

// ---- symbolic evaluation

// noteRedex evaluates φ | ρ ⊢ R ⇝ C and records it with its premises.
func (s *symbolic) noteRedex(let *core.Let, rho *env[sym]) sym {
	if s.notes.full() {
		return s.op(let, rho)
	}
	var about environment
	text := statement(let, func(a core.Atom) expression { return s.atomText(a, rho, &about) })
	line := s.notes.open(about.String() + text)
	r := s.op(let, rho)
	s.notes.close(line, " ⇝"+s.resultText(r))
	return r
}

func (s *symbolic) atomText(a core.Atom, rho *env[sym], about *environment) expression {
	if x, ok := a.(*core.Var); ok {
		return s.symText(rho.get(x), about)
	}
	return constantText(a)
}

func (s *symbolic) functionText(f *closure[sym], about *environment) expression {
	return s.closureText(f.fun, f.given, s.insideText(f, about))
}

// insideText writes the atoms of a function's body.
func (s *symbolic) insideText(f *closure[sym], about *environment) func(core.Atom) expression {
	return func(a core.Atom) expression {
		if x, ok := a.(*core.Var); ok {
			if g, ok := f.env.get(x).val.(*closure[sym]); ok {
				return s.captured(x, g.fun)
			}
		}
		return s.atomText(a, f.env, about)
	}
}

// applied writes f(x), or N if f is x ↦ N.
func (s *symbolic) applied(f *closure[sym], x string, about *environment) string {
	if s.definitionOf(f.fun) == "" && f.missing() == 1 {
		return cut(bodyText(f.fun, []string{x}, s.insideText(f, about)))
	}
	return s.functionText(f, about).text + "(" + x + ")"
}

// symText writes a symbolic value: its term, whose variables are then in ρ, or,
// where it has no reals, the value.
func (s *symbolic) symText(v sym, about *environment) expression {
	if f, ok := v.val.(*closure[sym]); ok {
		return s.functionText(f, about)
	}
	if isUnit(typeOf(v.term)) {
		return expression{valueText(v.val), true}
	}
	visit(v.term, func(c Term) {
		if x, ok := c.(*Var); ok {
			if known, ok := s.known[x]; ok {
				about.add(s.notes.terms.name(x), known)
			}
		}
	})
	r, constant := v.term.(Const)
	return expression{cut(s.notes.terms.flat(v.term, 0, "")), !constant || r >= 0}
}

// resultText returns the C of a redex: what its let binds, if it has one.
func (s *symbolic) resultText(r sym) string {
	if isUnit(typeOf(r.term)) { // a function, too
		return " " + s.symText(r, &environment{}).text
	}
	if n := len(s.lets); n > 0 && r.term == Term(s.lets[n-1].v) {
		return s.notes.term(s.lets[n-1].c)
	}
	return s.notes.term(r.term)
}

// differentialText returns W.rd_V(x:T. N). The other derivatives are written alike.
func (s *symbolic) differentialText(row *prim.Prim, args []sym, about *environment) string {
	f, v := args[0].function(), args[1]
	letters := map[prim.ID]string{prim.Reverse: "rd", prim.Forward: "fd",
		prim.Jacobian: "jacobian"}[row.ID]
	result := types.Resolve(f.fun.Body.Result.Type())
	if letters == "fd" && Equal(typeOf(v.term), Real) && result == types.Type(types.Real) {
		letters = "rd" // see derivative
	}
	x := f.fun.Params[f.given].Name
	text := fmt.Sprintf("%s_%s(%s : %s. %s)", letters,
		s.symText(v, about).operand(), x, ShowType(typeOf(v.term)), s.applied(f, x, about))
	if len(args) == 3 {
		text = s.symText(args[2], about).operand() + "." + text
	}
	return text
}

// differential writes down
//
//	φ | ρ ⊢ W.rd_V(x:T. N) ⇝ W.R_V(x:T. C)    φ | ρ ⊢ W.R_V(x:T. C) ⇒ X
//
// and their premises, in the order in which symbolic evaluation finds them.
// Without notes it only differentiates.
type differential struct {
	*symbolic
	notes      *derivation // nil if there is no room
	f          *closure[sym]
	line, body int
	d          string   // the name of W.R_V(x:T. C)
	values     []string // the judgements about values
}

func (s *symbolic) noteDifferential(row *prim.Prim, args []sym) *differential {
	n := &differential{symbolic: s, f: args[0].function()}
	if s.notes != nil && !s.notes.full() {
		n.notes = s.notes
		var about environment
		text := s.differentialText(row, args, &about)
		n.line = n.notes.open(about.String() + text)
	}
	return n
}

// tracing begins the judgement φ | ρ[V′/x] ⊢ N ⇝ C.
func (n *differential) tracing(x *Var, v value.Value) {
	if n.notes == nil {
		return
	}
	var about environment
	name := n.notes.terms.name(x)
	text := n.applied(n.f, name, &about)
	about.add(name, v)
	n.body = n.notes.open(about.String() + text)
}

// traced ends the judgement that tracing began.
func (n *differential) traced(c Term) {
	if n.notes != nil {
		shown := n.notes.term(c)
		n.notes.close(n.body, " ⇝ "+n.notes.name("C", c)+" ="+shown)
	}
}

// reversed returns W.R_V(x:T. C), and records it.
func (n *differential) reversed(w, v Term, x *Var, c Term) Term {
	d := n.reverse(w, v, x, c)
	if n.notes != nil {
		shown := n.notes.term(d)
		n.d = n.notes.name("D", d)
		show := func(c Term) string { return n.notes.terms.flat(c, atomStrength, "") }
		text := fmt.Sprintf("%s.R_%s(%s : %s. %s)", show(w), show(v), show(x), ShowType(x.Type),
			n.notes.named[c])
		n.notes.note(text, " = "+n.d+" ="+shown)
	}
	return d
}

// evaluated records φ | ρ ⊢ W.R_V(x:T. C) ⇒ X.
func (n *differential) evaluated(d sym) {
	if n.notes != nil {
		n.values = append(n.values, n.d+" ⇒ "+valueText(d.val))
	}
}

// done ends the judgement.
func (n *differential) done() {
	if n.notes != nil {
		n.notes.close(n.line, " ⇝ "+n.d)
		for _, v := range n.values {
			n.notes.note("⊢ "+v, "")
		}
	}
}
