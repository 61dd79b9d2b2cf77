// Package lower makes loop form from core. It is given a function of a
// monomorphic program, whose arguments and result contain no function values,
// and hands on a function of scalars and buffers with a signature that says
// which parameter is which part of the arguments.
//
// Lowering is evaluation with symbols: a value of the program is a tree whose leaves are scalars of
// the loop form or columns of buffers (value.go), and each operation of core is carried
// out on such trees while its statements are emitted (emit.go). So function values, tuples,
// records, rows of matrices and slices cost nothing: a call is lowered where
// it stands, a slice is the same column from another place on. What remains are loops over scalars.
//
//	lower.go      the functions of the package; covers.go a quick test of what cannot be lowered
//	value.go      values; pieces.go their scalars and buffers, reals.go their reals
//	emit.go       statements, and where integers are placed; difference.go what differences of integers are
//	block.go      statements of core; choice.go branches
//	prim.go       rows of the table of primitives; structural.go, sort.go, polygamma.go some by hand
//	array.go      comprehensions; joined.go rows of different lengths, update.go updates
//	loops.go      loops; total.go what they only add to, lengths.go arrays whose lengths change
//	functions.go  functions chosen at run time; recursion.go and tail.go those that call themselves
//	variant.go    data; node.go recursive data
//	derive.go     derivatives; apart.go those that are taken in several places, ties.go kinks
//	watch.go      errors of approximations in what is differentiated
//	rules.go      derivatives of operations; ruled.go those that a program states, compare.go their test
//	shared.go     definitions that are lowered once for several functions
//
// A run of loop form may give up where a Check fails (an index out of range, an overflow, rows of
// different lengths), or where a derivative is at a kink. Its caller then
// runs the function in the interpreter, which is the meaning.
//
// It must not know how loop form is run.
package lower

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// ErrNotCovered says that a function cannot be lowered; the *NotCovered that wraps it says why.
var ErrNotCovered = errors.New("not covered by compilation")

// NotCovered is what a function cannot be lowered for, where that is, if it is known, and what
// could be done about it, or "".
type NotCovered struct {
	What string
	At   diag.Span
	Hint string
}

func (e *NotCovered) Error() string {
	text := ErrNotCovered.Error() + ": " + e.What
	if e.At.Known() {
		text += " at " + e.At.String()
	}
	return text
}

func (e *NotCovered) Unwrap() error { return ErrNotCovered }

// Lowered is a function in loop form.
type Lowered struct {
	Func *loop.Func

	// Params says of which type each argument is, Result the same of the value. Their parts are
	// parameters and results of Func in the order of Shape.
	Params []types.Type
	Result types.Type

	// Constants are definitions without parameters that the function uses. Their values
	// are further arguments, after Params.
	Constants []*core.Def

	// Rules are those that its derivatives use.
	Rules []core.Rule

	// Loops tells whether there is a loop in the function.
	Loops bool

	// Tied tells whether a derivative in the function may be tied.
	Tied bool

	// Ragged are places of checks that always fail since rows there have different lengths, which
	// is not an error of the program.
	Ragged []diag.Span

	optimised bool // but not scheduled

	// stated are the parameters that the first statements of Func check to be lengths, four
	// statements each.
	stated []*loop.Var

	after func(stage string, f *loop.Func)
}

// Program is the function and those that it calls as a program.
func (l *Lowered) Program() *loop.Program { return loop.Reached(l.Func) }

// Optimize makes the function ready for a target. Passes are told what the checks of lengths in
// front of it say, and need not go over them.
func (l *Lowered) Optimize() { l.OptimizeUntil(nil) }

// OptimizeUntil is Optimize as long as a watch allows: beyond that, it panics as Poll of the watch
// does.
func (l *Lowered) OptimizeUntil(w *stop.Watch) {
	optimize := pass.Optimize
	if l.optimised {
		optimize = pass.Schedule
	}
	body, n := l.Func.Body, 4*len(l.stated)
	checks := body.Stmts[:n:n]
	l.Func.Body = &loop.Block{Stmts: body.Stmts[n:], Yield: body.Yield}
	for _, f := range l.Program().Funcs {
		o := pass.Options{Schedule: true, After: l.after, Watch: w}
		if f == l.Func {
			o.Lengths, o.Longest = l.stated, Most
		}
		optimize(f, o)
	}
	body = l.Func.Body
	l.Func.Body = &loop.Block{Stmts: append(checks, body.Stmts...), Yield: body.Yield}
}

// Source is what functions are lowered from. Several may be lowered at once.
type Source struct {
	*program

	// Shares tells that several functions are lowered, so that what they have in common is worth
	// keeping.
	Shares bool

	// Watched tells that the notes of a program are not to be dropped.
	Watched bool

	// Data tells that arguments and results may be any that DataShapeOf has a shape for, except
	// that results are not recursive data; otherwise they are those of ShapeOf.
	Data bool

	// Ties tells that derivatives at kinks are to be resolved: Note [Ties in compiled code].
	Ties bool

	// IEEETies tells that a comparison or a rounding at a tie does not tie a derivative, which is
	// that of the branch taken.
	IEEETies bool

	// After, if not nil, is told what a function has become after each stage of its way, and so are
	// the functions that are differentiated for it.
	After func(stage string, f *loop.Func)

	watch *stop.Watch // ends lowering by a panic
}

// Until is the same source, from which is lowered as long as a watch allows: beyond that, lowering
// panics as Poll of the watch does.
func (s *Source) Until(w *stop.Watch) *Source {
	until := *s
	until.watch = w
	return &until
}

// program is what the functions of a program have in common.
type program struct {
	defs      map[string]*core.Def
	summaries map[string]summary // of definitions
	summing   sync.Mutex         // of summaries

	recursion     map[*core.Def]int // how many definitions its component of the call graph has, found when first asked for
	findRecursion sync.Once

	rules     bool // whether it has functions with rules, found when first asked for
	findRules sync.Once

	shared  map[*core.Def]*shared // Note [Definitions that are lowered once]
	sharing sync.Mutex            // of shared
}

// NewSource prepares a monomorphic program.
func NewSource(p *core.Program) *Source {
	s := &Source{program: &program{defs: map[string]*core.Def{}, summaries: map[string]summary{}, recursion: map[*core.Def]int{},
		shared: map[*core.Def]*shared{}}}
	p.EachDef(func(d *core.Def) { s.defs[d.Name] = d })
	return s
}

// Function lowers a function. Free are the variables that it captures: first-order values, which
// are parameters before its own. known gives the function that a captured variable stands for, or
// nil.
func (s *Source) Function(name string, fun *core.Lambda, free []*core.Var, known func(*core.Var) *core.Lambda) (*Lowered, error) {
	return s.function(newLowerer(s, known), name, fun, free)
}

// Resolved is Function with the ties of derivatives resolved: Note [Ties in compiled code].
func (s *Source) Resolved(name string, fun *core.Lambda, free []*core.Var) (*Lowered, error) {
	l := newLowerer(s, nil)
	l.ties = true
	return s.function(l, name, fun, free)
}

// Comparing is Function, with code that compares the rules which it uses with the derivatives that
// they replace, and gives up where they seem to be wrong: Note [Rules that compiled code compares].
// Its last result is how often each of Rules was used. It is nil if there are no rules, and if it
// is not covered.
func (s *Source) Comparing(name string, fun *core.Lambda, free []*core.Var) *Lowered {
	if !s.HasRules() {
		return nil
	}
	l := newLowerer(s, nil)
	l.comparing = true
	low, err := s.function(l, name, fun, free)
	if err != nil || len(low.Rules) == 0 {
		return nil
	}
	return low
}

func (s *Source) function(l *lowerer, name string, fun *core.Lambda, free []*core.Var) (low *Lowered, err error) {
	defer recoverNotCovered(&err)
	var args []value
	for _, v := range free {
		l.top.bind(v, l.param(v.Name, v.Ty))
		l.out.Params = append(l.out.Params, v.Ty)
	}
	for _, p := range fun.Params {
		args = append(args, l.param(p.Name, p.Ty))
		l.out.Params = append(l.out.Params, p.Ty)
	}
	l.last = lastCall(fun.Body)
	result := l.inline(fun, l.top, args)
	return l.finish(name, result, fun.Body.Result.Type()), nil
}

// Block lowers a block, as a function of its free variables.
func (s *Source) Block(name string, b *core.Block, known func(*core.Var) *core.Lambda) (*Lowered, []*core.Var, error) {
	var free []*core.Var
	for _, v := range core.FreeVars(b) {
		if known == nil || known(v) == nil {
			free = append(free, v)
		}
	}
	low, err := s.Function(name, &core.Lambda{Body: b}, free, known)
	return low, free, err
}

// Definition lowers a definition: a function, or what computes a constant.
func (s *Source) Definition(d *core.Def) (*Lowered, error) {
	d = s.meant(d)
	if fun := d.Function(); fun != nil {
		return s.Function(d.Name, fun, nil, nil)
	}
	low, _, err := s.Block(d.Name, d.Body, nil)
	return low, err
}

// DefOf is the definition of a name, or nil.
func (s *Source) DefOf(name string) *core.Def { return s.defs[name] }

// FunctionOf is the function that a definition is, or nil.
func (s *Source) FunctionOf(name string) *core.Lambda {
	if def := s.defs[name]; def != nil {
		return def.Function()
	}
	return nil
}

// meant is the definition that a definition is another name of.
func (s *Source) meant(d *core.Def) *core.Def {
	for len(d.Body.Stmts) == 0 {
		g, ok := d.Body.Result.(*core.Global)
		if !ok || s.defs[g.Name] == nil {
			break
		}
		d = s.defs[g.Name]
	}
	return d
}

// Gradient lowers the value of a definition, a function whose result is a real, together with its
// gradient by all arguments: a pair.
func (s *Source) Gradient(d *core.Def) (low *Lowered, err error) {
	defer recoverNotCovered(&err)
	l := newLowerer(s, nil)
	fun := d.Function()
	if fun == nil || types.Resolve(fun.Body.Result.Type()) != types.Type(types.Real) {
		l.fail("the gradient of what is not a function with a real result")
	}
	point := &product{}
	var params []types.Type
	for _, p := range fun.Params {
		point.parts = append(point.parts, l.param(p.Name, p.Ty))
		params = append(params, p.Ty)
	}
	sep := l.separately(func(x value) value { return l.inline(fun, nil, x.(*product).parts) }, point)
	v, cotangent := l.pullBack(sep, l.reverseOf(sep), point, &scalar{loop.Real(1)})
	l.out.Params = params
	gradient := types.Type(&types.Tuple{Elems: params})
	if len(params) == 1 {
		gradient, cotangent = params[0], cotangent.(*product).parts[0]
	}
	return l.finish(d.Name, &product{parts: []value{v, cotangent}}, &types.Tuple{Elems: []types.Type{types.Real, gradient}}), nil
}

// recoverNotCovered gives the *NotCovered that lowering panics with as an error.
func recoverNotCovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case *NotCovered:
		*err = r
	default:
		panic(r)
	}
}

// lowerer lowers one function.
type lowerer struct {
	*emitter
	source  *Source
	known   func(*core.Var) *core.Lambda
	out     *Lowered
	params  []*loop.Var
	top     *env      // captured variables
	last    *core.Let // the call that gives the function's result, or nil
	partial bool      // the function becomes a part of others, which state the lengths

	home      *emitter                // of the whole function
	rule      bool                    // it is a rule: integers do not overflow, rounded reals stay reals, and choices are selections
	at        diag.Span               // of the operation being lowered
	calls     int                     // that are being lowered where they stand
	constants map[*core.Def]value     // that are parameters
	zeroed    map[*loop.Var]bool      // buffers of zeroes that nothing writes
	copies    map[*loop.Var]*loop.Var // of what buffers are copies that may be updated
	emits     map[*loop.Func]bool     // whose bodies have been emitted
	unmade    map[*core.Var]bool      // rows that are not made: Note [Rows that are written]
	joins     bool                    // the array that is to be made is joined at once: Note [Rows of different lengths]

	funcs    map[string]*loop.Func // of recursive functions, by the key of what they are called with
	inside   int                   // how many of them are being lowered
	unrolled int                   // calls of them that are being lowered where they stand: see isDecided

	separating int  // how many times what is being lowered will be differentiated
	comparing  bool // rules are compared where they are used: Note [Rules that compiled code compares]
	linear     bool // it is a rule, which may be transposed besides: Note [Rules in compiled code]
	ruled      int  // calls of functions with rules that were lowered as such
	ties       bool // they are resolved
}

func newLowerer(s *Source, known func(*core.Var) *core.Lambda) *lowerer {
	e := newEmitter(s.watch)
	return &lowerer{emitter: e, home: e, source: s, known: known, ties: s.Ties, out: &Lowered{after: s.After}, top: newEnv(nil),
		constants: map[*core.Def]value{}, funcs: map[string]*loop.Func{}, zeroed: map[*loop.Var]bool{}, copies: map[*loop.Var]*loop.Var{},
		emits: map[*loop.Func]bool{}, unmade: map[*core.Var]bool{}}
}

// fail gives up.
func (l *lowerer) fail(format string, args ...any) {
	l.failWith("", format, args...)
}

// failWith gives up, and says what could be done.
func (l *lowerer) failWith(hint, format string, args ...any) {
	panic(&NotCovered{fmt.Sprintf(format, args...), l.at, hint})
}

// What could be done about what is not covered.
const (
	RaggedHint    = "give all rows one length; zeros may fill them up"
	RecursiveHint = "an array with indices in place of the references is compiled, and so are functions that only read recursive data"
	textHint      = "texts are compiled only where they are messages of `fail`"
	closureHint   = "a function that captures no other functions of its kind is compiled, and so is an array of numbers in its place"
)

// finish makes the function that gives a value.
func (l *lowerer) finish(name string, result value, ty types.Type) *Lowered {
	s := DataShapeOf(ty)
	if s != nil && s.hasNodes() {
		l.failWith(RecursiveHint, "a result of type %s", types.Show(ty))
	}
	if hasFunctions(ty) || s != nil && !l.source.Data && hasVariants(ty) {
		l.fail("a result of type %s", types.Show(ty))
	}
	var yield []loop.Atom
	if done, ok := result.(finished); ok {
		yield, l.out.optimised = done.parts, true
	} else {
		yield = l.parts(l.owned(l.defined(result)))
	}
	l.out.Result = ty
	l.out.Func = &loop.Func{Name: name, Params: l.params, Body: l.scope().Block(yield...)}
	l.inlineRuled()
	if !l.partial {
		for _, f := range l.out.Program().Funcs {
			if grad.Watches(f) {
				f.Body = writtenOut(f.Body)
			}
		}
		l.out.stated = l.stateLengths(l.out.Func, nil)
	}
	l.out.Loops = l.loops
	l.after("lowered", l.out.Func)
	return l.out
}

// after tells what a function has become.
func (l *lowerer) after(stage string, f *loop.Func) {
	if l.source.After != nil {
		l.source.After(stage, f)
	}
}

// inlineRuled puts the bodies of functions with rules where they are called. If rules are compared,
// the function's last result is how often each was used.
func (l *lowerer) inlineRuled() {
	var counts *loop.Var
	if l.comparing && len(l.out.Rules) > 0 {
		counts = loop.NewVar("counts", loop.F64s)
	}
	for _, f := range l.out.Program().Funcs {
		if f != l.out.Func && loop.InlineRuled(f, nil) {
			l.fail("the comparison of rules in a recursive function")
		}
	}
	f := l.out.Func
	loop.InlineRuled(f, counts)
	if counts != nil {
		alloc := &loop.Alloc{Var: counts, Len: loop.Int(int64(len(l.out.Rules))), Zero: true}
		f.Body = &loop.Block{Stmts: append([]loop.Stmt{alloc}, f.Body.Stmts...), Yield: append(slices.Clone(f.Body.Yield), counts)}
	}
}

// stateLengths checks in front of a function that its parameters which are lengths are such, so
// that passes know it too, but for those that are known to be. It gives those that are checked.
func (l *lowerer) stateLengths(f *loop.Func, known []*loop.Var) []*loop.Var {
	var b loop.Builder
	var stated []*loop.Var
	for _, p := range f.Params {
		if l.isLength(p) && !slices.Contains(known, p) {
			b.Check(b.Let("length", loop.LeI, loop.Int(0), p), diag.Span{})
			b.Check(b.Let("length", loop.LeI, p, loop.Int(Most)), diag.Span{})
			stated = append(stated, p)
		}
	}
	f.Body.Stmts = append(b.Stmts, f.Body.Stmts...)
	return stated
}

// isLength tells whether a parameter is a length.
func (l *lowerer) isLength(p *loop.Var) bool { return p.Kind == loop.I64 && l.span(p) == natural }

// statedLengths are the parameters of a separate function that are lengths, and parameters of the
// whole function, which states that.
func (l *lowerer) statedLengths(f *loop.Func) []*loop.Var {
	var known []*loop.Var
	for _, p := range f.Params {
		if l.isLength(p) && slices.Contains(l.params, p) {
			known = append(known, p)
		}
	}
	return known
}

// levels is how often something is differentiated and whether it is transposed.
type levels struct {
	times  int
	linear bool
}

// env says what variables stand for. A block that is lowered in several places has an env in
// each.
type env struct {
	outer *env
	vars  map[*core.Var]value
}

func newEnv(outer *env) *env { return &env{outer, map[*core.Var]value{}} }

func (e *env) bind(v *core.Var, x value) { e.vars[v] = x }

func (e *env) lookup(v *core.Var) value {
	for ; e != nil; e = e.outer {
		if x, ok := e.vars[v]; ok {
			return x
		}
	}
	return nil
}
