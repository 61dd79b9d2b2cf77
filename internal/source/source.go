// Package source writes programs of the loop form in languages with statements, variables and
// structured loops. It walks a program, chooses names, and hands each statement to a Language,
// which knows the syntax; packages c and golang are languages. Operations that vmath defines become
// functions of the output.
package source

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Language writes statements. Arguments that are strings are names or expressions that it has made.
type Language interface {
	// Func begins a function; End ends it, as every block. A math function has one result, a
	// scalar.
	Func(f *Function)
	// Let binds a scalar that does not change; Declare one that does, or a buffer, with a first
	// value if init is not empty; Set changes it.
	Let(name string, k loop.Kind, expr string)
	Declare(name string, k loop.Kind, init string)
	Set(name string, k loop.Kind, expr string)
	// Drop says that a variable that was declared is not read.
	Drop(name string)

	Const(c *loop.Const) string
	Op(op *loop.Op, args []string) string
	// Math is a call of a math function.
	Math(name string, args []string) string

	Alloc(name string, k loop.Kind, n string, zero bool)
	Copy(name string, k loop.Kind, buf string)
	Length(buf string) string
	Element(buf, at string) string
	Assign(element, value string)
	Add(element, value string)

	// For begins a loop over index, which may not be used; simd says that its turns may run in
	// vectors, with the totals given.
	For(index, count string, used, simd bool, totals []Total)
	Forever()
	BreakIf(cond string)
	If(cond string)
	Else()
	End()
	// Mark remembers how much memory is in use; Release frees what is beyond it, but keeps the
	// buffers given.
	Mark(name string)
	Release(name string, keep []Named)

	// FailIf stops the function if cond holds. In a math function of x it returns what the
	// language's own library gives.
	FailIf(f *Function, cond string)
	Call(f *Function, args []Named, results []Named)
	Return(f *Function, results []Named)
}

// Named is a variable or an expression with its kind.
type Named struct {
	Name string
	Kind loop.Kind
}

// Total is a total of a loop.
type Total struct {
	Op   *loop.Op
	Name string
}

// Function is what a Language has to know of a function.
type Function struct {
	Name    string
	Params  []Named
	Results []loop.Kind
	// Adds is how many of the parameters, the last ones, are buffers that the function adds to.
	Adds int
	// Math is the operation that the function defines, or nil.
	Math *loop.Op
}

// Program writes the functions of a program, math functions first. names has a name for each
// function, which must be an identifier of the language. Beyond what the program's Watch allows,
// Program panics as Poll of the Watch does.
func Program(l Language, p *loop.Program, names map[*loop.Func]string) {
	w := &walker{l: l, watch: p.Watch, funcs: map[*loop.Func]*Function{},
		math: map[*loop.Op]*Function{}}
	for _, f := range p.Funcs {
		w.defineMath(f.Body)
	}
	for _, f := range p.Funcs {
		w.declare(f, names[f], nil)
	}
	for _, f := range p.Funcs {
		w.function(f)
	}
}

// Signature is the function as a Language sees it.
func Signature(l Language, f *loop.Func, name string) *Function {
	w := &walker{l: l, funcs: map[*loop.Func]*Function{}}
	w.declare(f, name, nil)
	return w.funcs[f]
}

// MathName is the name of a math function in the output.
func MathName(op *loop.Op) string { return "fx_" + strings.ReplaceAll(op.Name, ".", "_") }

// Identifier makes a name of letters, digits and underscores; it may be a keyword or empty.
func Identifier(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
			return r
		}
		return '_'
	}, name)
}

// Reserving is a Language in which variables have the names of the program, with a number only
// where a name is taken. In others every variable has a number.
type Reserving interface {
	// Reserved tells whether a variable of a function must not have a name.
	Reserved(function, name string) bool
}

// Facing is a Language that gives some functions parameters of its own, and says which expressions
// of them are those of the loop form.
type Facing interface {
	// Face gives the expressions, or nil for a function with the parameters of the loop form. fresh
	// makes a name that nothing else in the function has.
	Face(f *loop.Func, fresh func(base string) string) []string
}

// Nesting is a Language in which a scalar that one statement uses is written there, not bound to a
// name.
type Nesting interface {
	// Nests tells whether an expression is short enough for that.
	Nests(expr string) bool
}

// scope chooses the names of a function's variables.
type scope struct {
	reserved func(string) bool // nil for a language that is not Reserving
	taken    map[string]bool
	count    int
}

func (w *walker) newScope(function string) *scope {
	s := &scope{taken: map[string]bool{}}
	if l, ok := w.l.(Reserving); ok {
		s.reserved = func(name string) bool { return l.Reserved(function, name) }
	}
	return s
}

// name chooses a name that is not a keyword, and that no other variable of the function has.
func (s *scope) name(base string) string {
	base = strings.Trim(Identifier(base), "_")
	if base == "" || '0' <= base[0] && base[0] <= '9' {
		base = "x" + base
	}
	s.count++
	if s.reserved == nil {
		return fmt.Sprintf("%s_%d", base, s.count-1)
	}
	if s.reserved(base) && s.reserved(base+"2") { // all names that begin so are
		base = "x" + base
	}
	name, separator := base, ""
	if last := base[len(base)-1]; '0' <= last && last <= '9' {
		separator = "_"
	}
	for n := 2; s.taken[name] || s.reserved(name); n++ {
		name = fmt.Sprintf("%s%s%d", base, separator, n)
	}
	s.taken[name] = true
	return name
}

type walker struct {
	l     Language
	watch *stop.Watch
	funcs map[*loop.Func]*Function
	math  map[*loop.Op]*Function

	f     *Function
	names map[*loop.Var]string
	used  map[*loop.Var]bool // read somewhere in the function
	scope *scope
	// scopes are those of the functions whose parameters have names.
	scopes map[*loop.Func]*scope
	// once are the scalars that can be written where they are used; negated has the opposites of
	// those that are comparisons.
	once    map[*loop.Var]bool
	negated map[*loop.Var]string
	depth   int                   // of loops
	part    map[loop.Stmt]element // what goes through a part of a buffer
	rows    map[*loop.Load]pass.Cell
	lengths map[loop.Atom]bool      // scalars that are lengths of buffers
	longAs  map[*loop.Var]loop.Atom // the lengths of buffers
	checked map[loop.Atom]bool      // totals that hold behind their loops
	reused  map[*loop.Alloc]bool    // buffers that are made once for all turns of a loop
	held    map[*loop.Var]bool      // buffers that something else may hold
}

// defineMath writes the math functions that a block uses and that have not been written.
func (w *walker) defineMath(b *loop.Block) {
	define := func(op *loop.Op) {
		def := vmath.Define(op)
		if def == nil || w.math[op] != nil {
			return
		}
		w.defineMath(def.Body)
		w.declare(def, MathName(op), op)
		w.math[op] = w.funcs[def]
		w.function(def)
	}
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Let:
			define(s.Op)
		case *loop.For:
			for _, r := range s.Reds {
				define(r.Op)
			}
		}
	})
}

func (w *walker) declare(f *loop.Func, name string, math *loop.Op) {
	g := &Function{Name: name, Adds: f.Adds, Math: math}
	in := w.newScope(name)
	var face []string
	if l, ok := w.l.(Facing); ok && math == nil {
		face = l.Face(f, in.name)
	}
	for i, p := range f.Params {
		if face != nil {
			g.Params = append(g.Params, Named{face[i], p.Kind})
		} else {
			g.Params = append(g.Params, Named{in.name(p.Name), p.Kind})
		}
	}
	if w.scopes == nil {
		w.scopes = map[*loop.Func]*scope{}
	}
	w.scopes[f] = in
	for _, a := range f.Body.Yield {
		g.Results = append(g.Results, a.AtomKind())
	}
	w.funcs[f] = g
}

func (w *walker) function(f *loop.Func) {
	w.watch.Look()
	w.f, w.scope = w.funcs[f], w.scopes[f]
	w.names, w.used = map[*loop.Var]string{}, map[*loop.Var]bool{}
	w.part, w.rows = map[loop.Stmt]element{}, nil
	w.lengths, w.checked = map[loop.Atom]bool{}, map[loop.Atom]bool{}
	w.longAs = map[*loop.Var]loop.Atom{}
	if l, ok := w.l.(Rowed); ok && w.f.Math == nil {
		w.rows = l.Rows(f)
	}
	for i, p := range f.Params {
		w.names[p] = w.f.Params[i].Name
	}
	w.reused, w.held = map[*loop.Alloc]bool{}, map[*loop.Var]bool{}
	w.findUsed(f.Body)
	w.findHeld(f.Body)
	w.findOnce(f)
	w.l.Func(w.f)
	w.stmts(f.Body)
	w.l.Return(w.f, w.named(f.Body.Yield))
	w.l.End()
}

// findUsed finds the variables that have an influence: on a statement other than the binding of a
// scalar, on what a block yields, or on such a binding that is used itself.
func (w *walker) findUsed(b *loop.Block) {
	bindings := map[*loop.Var]loop.Stmt{}
	var use func(a loop.Atom)
	use = func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && !w.used[v] {
			w.used[v] = true
			if s := bindings[v]; s != nil {
				w.uses(s, use)
			}
		}
	}
	var visit func(b *loop.Block)
	visit = func(b *loop.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Let:
				bindings[s.Var] = s
			case *loop.Load:
				bindings[s.Var] = s
			case *loop.Length:
				bindings[s.Var] = s
			default:
				loop.Uses(s, use)
			}
			// That a state keeps its value does not read it.
			var states []loop.State
			switch s := s.(type) {
			case *loop.For:
				states = s.States
			case *loop.While:
				states = s.States
			}
			loop.Blocks(s, func(b *loop.Block) {
				visit(b)
				for i, a := range b.Yield {
					if i >= len(states) || a != states[i].Var {
						use(a)
					}
				}
			})
		}
	}
	visit(b)
	for _, a := range b.Yield {
		use(a)
	}
}

// bind chooses a variable's name.
func (w *walker) bind(v *loop.Var) string {
	w.names[v] = w.scope.name(v.Name)
	return w.names[v]
}

func (w *walker) atom(a loop.Atom) string {
	if c, ok := a.(*loop.Const); ok {
		return w.l.Const(c)
	}
	return w.names[a.(*loop.Var)]
}

func (w *walker) atoms(as []loop.Atom) []string {
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = w.atom(a)
	}
	return out
}

func (w *walker) named(as []loop.Atom) []Named {
	out := make([]Named, len(as))
	for i, a := range as {
		out[i] = Named{w.atom(a), a.AtomKind()}
	}
	return out
}

func (w *walker) op(op *loop.Op, args []string) string {
	if f := w.math[op]; f != nil {
		return w.l.Math(f.Name, args)
	}
	return w.l.Op(op, args)
}

func (w *walker) stmts(b *loop.Block) {
	for i, s := range b.Stmts {
		if s, ok := s.(*loop.For); ok {
			w.findChecked(s, b.Stmts[i+1:], b.Yield)
		}
		w.stmt(s)
	}
}

// let binds a scalar, unless nothing reads it, or it is written where it is used.
func (w *walker) let(v *loop.Var, expr string) {
	switch {
	case !w.used[v]:
	case w.once[v] && w.l.(Nesting).Nests(expr):
		w.names[v] = expr
	default:
		w.l.Let(w.bind(v), v.Kind, expr)
	}
}

func (w *walker) stmt(s loop.Stmt) {
	w.watch.Step()
	switch s := s.(type) {
	case *loop.Let:
		if !w.used[s.Var] {
			return
		}
		args := w.atoms(s.Args)
		if not := opposite[s.Op]; not != nil && w.once[s.Var] {
			if s.Op == loop.LtI || s.Op == loop.LeI { // not a < b is b <= a
				w.negated[s.Var] = w.op(not, []string{args[1], args[0]})
			} else {
				w.negated[s.Var] = w.op(not, args)
			}
		}
		w.let(s.Var, w.op(s.Op, args))
	case *loop.Alloc:
		n := w.atom(s.Len)
		if w.longAs[s.Var] = s.Len; w.reused[s] {
			w.l.(Reusing).Reuse(w.names[s.Var], s.Var.Kind, n, s.Zero)
			return
		}
		w.l.Alloc(w.bind(s.Var), s.Var.Kind, n, s.Zero)
		w.drop(s.Var)
	case *loop.Copy:
		buf := w.atom(s.Buf)
		w.l.Copy(w.bind(s.Var), s.Var.Kind, buf)
		w.drop(s.Var)
	case *loop.Length:
		w.let(s.Var, w.l.Length(w.atom(s.Buf)))
		w.lengths[s.Var] = true
		if w.longAs[s.Buf] == nil {
			w.longAs[s.Buf] = s.Var
		}
	case *loop.Load:
		w.let(s.Var, w.element(s, s.Buf, s.At))
	case *loop.Store:
		w.l.Assign(w.element(s, s.Buf, s.At), w.atom(s.Value))
	case *loop.Accum:
		w.l.Add(w.element(s, s.Buf, s.At), w.atom(s.Value))
	case *loop.Update:
		w.l.Assign(w.l.Element(w.atom(s.Buf), w.atom(s.At)), w.atom(s.Value))
		w.names[s.Var] = w.names[s.Buf]
	case *loop.For:
		w.loop(s)
	case *loop.While:
		w.while(s)
	case *loop.If:
		w.choice(s)
	case *loop.Check:
		if !w.checked[s.Cond] {
			w.l.FailIf(w.f, w.not(s.Cond))
		}
	case *loop.Call:
		args := w.named(s.Args)
		results := make([]Named, len(s.Results))
		for i, v := range s.Results {
			results[i] = Named{w.bind(v), v.Kind}
			w.l.Declare(results[i].Name, v.Kind, "")
			w.drop(v)
		}
		w.l.Call(w.funcs[s.Func], args, results)
	}
}

// opposite has the comparison that holds when another does not. Reals that are not numbers are
// neither less than others nor at least as great.
var opposite = map[*loop.Op]*loop.Op{loop.LtI: loop.LeI, loop.LeI: loop.LtI, loop.EqI: loop.NeI,
	loop.NeI: loop.EqI,
	loop.EqF: loop.NeF, loop.NeF: loop.EqF}

// not is the opposite of a condition.
func (w *walker) not(a loop.Atom) string {
	if v, ok := a.(*loop.Var); ok && w.negated[v] != "" {
		return w.negated[v]
	}
	return w.l.Op(loop.Not, []string{w.atom(a)})
}

// drop marks a variable that nothing reads.
func (w *walker) drop(v *loop.Var) {
	if !w.used[v] {
		w.l.Drop(w.names[v])
	}
}

// begin declares the states of a loop.
func (w *walker) begin(states []loop.State) {
	for _, st := range states {
		init := w.atom(st.Init)
		w.l.Declare(w.bind(st.Var), st.Var.Kind, init)
		w.names[st.Result] = w.names[st.Var]
		if !w.used[st.Var] && !w.used[st.Result] {
			w.l.Drop(w.names[st.Var])
		}
	}
}

// advance gives the states their next values. One that is another's value goes through a copy.
func (w *walker) advance(states []loop.State, next []loop.Atom) {
	values := make([]string, len(states))
	for i, st := range states {
		values[i] = w.atom(next[i])
		for _, other := range states {
			if other.Var != st.Var && values[i] == w.names[other.Var] {
				copied := w.scope.name("next")
				w.l.Declare(copied, st.Var.Kind, values[i])
				values[i] = copied
				break
			}
		}
	}
	for i, st := range states {
		if name := w.names[st.Var]; name != values[i] {
			w.l.Set(name, st.Var.Kind, values[i])
		}
	}
}

// allocates tells whether a block makes buffers that its end can free.
func allocates(b *loop.Block) bool {
	found := false
	loop.Walk(b, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Alloc, *loop.Copy, *loop.Call:
			found = true
		}
	})
	return found
}

// mark remembers the memory in use before a loop, if its turns make buffers; release then frees
// what a turn has made, but for the buffers of the loop's states.
func (w *walker) mark(blocks ...*loop.Block) string {
	for _, b := range blocks {
		if allocates(b) {
			name := w.scope.name("mark")
			w.l.Mark(name)
			return name
		}
	}
	return ""
}

func (w *walker) release(mark string, states []loop.State) {
	if mark == "" {
		return
	}
	var keep []Named
	for _, st := range states {
		if st.Var.Kind.IsBuffer() {
			keep = append(keep, Named{w.names[st.Var], st.Var.Kind})
		}
	}
	w.l.Release(mark, keep)
}

func (w *walker) loop(s *loop.For) {
	count := w.atom(s.Count)
	w.begin(s.States)
	totals := make([]Total, len(s.Reds))
	for i, r := range s.Reds {
		if w.checked[r.Result] {
			continue
		}
		init := w.atom(r.Init)
		totals[i] = Total{r.Op, w.bind(r.Result)}
		w.l.Declare(totals[i].Name, r.Result.Kind, init)
		w.drop(r.Result)
	}
	mark := w.mark(s.Body)
	w.reuse(s)
	simd := s.Lanes && len(s.Body.Stmts) > 0 && straight(s.Body)
	parts := w.parts(s)
	branch := w.bindParts(parts, s.Count)
	w.l.For(w.bind(s.Index), count, w.used[s.Index], simd, totals)
	w.depth++
	w.stmts(s.Body)
	w.depth--
	for i, t := range totals {
		if r := s.Reds[i]; w.checked[r.Result] {
			w.l.FailIf(w.f, w.not(s.Body.Yield[len(s.States)+i]))
			continue
		}
		x := w.atom(s.Body.Yield[len(s.States)+i])
		w.l.Set(t.Name, s.Reds[i].Result.Kind, w.op(t.Op, []string{t.Name, x}))
	}
	w.advance(s.States, s.Body.Yield)
	w.release(mark, s.States)
	w.l.End()
	if branch {
		w.l.End()
	}
}

// straight tells whether a body is free of loops, branches, checks and buffers of its own.
func straight(b *loop.Block) bool {
	for _, s := range b.Stmts {
		switch s.(type) {
		case *loop.Let, *loop.Load, *loop.Store, *loop.Length:
		default:
			return false
		}
	}
	return true
}

func (w *walker) while(s *loop.While) {
	w.begin(s.States)
	mark := w.mark(s.Cond, s.Body)
	w.reuse(s)
	w.l.Forever()
	w.depth++
	w.stmts(s.Cond)
	w.l.BreakIf(w.not(s.Cond.Yield[0]))
	w.stmts(s.Body)
	w.depth--
	w.advance(s.States, s.Body.Yield)
	w.release(mark, s.States)
	w.l.End()
}

func (w *walker) choice(s *loop.If) {
	for _, v := range s.Results {
		w.l.Declare(w.bind(v), v.Kind, "")
		w.drop(v)
	}
	branch := func(b *loop.Block) {
		w.stmts(b)
		for i, a := range b.Yield {
			w.l.Set(w.names[s.Results[i]], s.Results[i].Kind, w.atom(a))
		}
	}
	w.l.If(w.atom(s.Cond))
	branch(s.Then)
	if len(s.Else.Stmts)+len(s.Else.Yield) > 0 {
		w.l.Else()
		branch(s.Else)
	}
	w.l.End()
}

// Math writes the math functions that a program uses.
func Math(l Language, p *loop.Program) {
	w := &walker{l: l, funcs: map[*loop.Func]*Function{}, math: map[*loop.Op]*Function{}}
	for _, f := range p.Funcs {
		w.defineMath(f.Body)
	}
}
