package lower

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
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

	home *emitter // of the whole function
	// it is a rule: integers do not overflow, rounded reals stay reals, and choices are selections
	rule      bool
	at        diag.Span               // of the operation being lowered
	calls     int                     // that are being lowered where they stand
	constants map[*core.Def]value     // that are parameters
	zeroed    map[*loop.Var]bool      // buffers of zeroes that nothing writes
	copies    map[*loop.Var]*loop.Var // of what buffers are copies that may be updated
	emits     map[*loop.Func]bool     // whose bodies have been emitted
	unmade    map[*core.Var]bool      // rows that are not made: Note [Rows that are written]
	// the array that is to be made is joined at once: Note [Rows of different lengths]
	joins bool

	// of recursive functions, by the key of what they are called with
	funcs  map[string]*loop.Func
	inside int // how many of them are being lowered
	// calls of them that are being lowered where they stand: see isDecided
	unrolled int

	separating int // how many times what is being lowered will be differentiated
	// rules are compared where they are used: Note [Rules that compiled code compares]
	comparing bool
	linear    bool // it is a rule, which may be transposed besides: Note [Rules in compiled code]
	ruled     int  // calls of functions with rules that were lowered as such
	ties      bool // they are resolved
}

func newLowerer(s *Source, known func(*core.Var) *core.Lambda) *lowerer {
	e := newEmitter(s.watch)
	return &lowerer{emitter: e, home: e, source: s, known: known, ties: s.Ties,
		out: &Lowered{after: s.After}, top: newEnv(nil),
		constants: map[*core.Def]value{}, funcs: map[string]*loop.Func{},
		zeroed: map[*loop.Var]bool{}, copies: map[*loop.Var]*loop.Var{},
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
	RecursiveHint = "an array with indices in place of the references is compiled, and so are " +
		"functions that only read recursive data"
	textHint    = "texts are compiled only where they are messages of `fail`"
	closureHint = "a function that captures no other functions of its kind is compiled, and so " +
		"is an array of numbers in its place"
)

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

// after tells what a function has become.
func (l *lowerer) after(stage string, f *loop.Func) {
	if l.source.After != nil {
		l.source.After(stage, f)
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
