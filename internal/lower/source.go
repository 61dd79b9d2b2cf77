package lower

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
)

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

	// how many definitions its component of the call graph has, found when first asked for
	recursion     map[*core.Def]int
	findRecursion sync.Once

	rules     bool // whether it has functions with rules, found when first asked for
	findRules sync.Once

	shared  map[*core.Def]*shared // Note [Definitions that are lowered once]
	sharing sync.Mutex            // of shared
}

// NewSource prepares a monomorphic program.
func NewSource(p *core.Program) *Source {
	s := &Source{program: &program{defs: map[string]*core.Def{}, summaries: map[string]summary{},
		recursion: map[*core.Def]int{},
		shared:    map[*core.Def]*shared{}}}
	p.EachDef(func(d *core.Def) { s.defs[d.Name] = d })
	return s
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
