package lab

import (
	"cmp"
	"context"
	"math"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/curry"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Strategies lists the published algorithms in the order of their papers, followed by the
// language's own.
func Strategies() []papers.Strategy {
	return slices.Concat(trace.Strategies(), delta.Strategies(), curry.Strategies(),
		[]papers.Strategy{tower(), certified(), production()})
}

// variants lists algorithms that differ from the published ones. They run only if they are asked
// for by name.
func variants() []papers.Strategy { return []papers.Strategy{trace.Pruned()} }

// Experiment asks for the derivative of a function by published algorithms.
type Experiment struct {
	Unit *driver.Unit
	Fun  string // the name of a function that the unit defines
	// units whose definitions At and Cotangent see, besides those of the unit
	Sees      []*driver.Unit
	At        string // an expression for the argument; curried arguments form one tuple
	Cotangent string // an expression for the cotangent; "" for 1, if the result is a Real
	Explain   bool
	MaxOps    int64
	Each      time.Duration // the time limit of each algorithm; 0 for DefaultTime
	Settings  driver.Settings
}

// Outcome is the result of one algorithm on an experiment.
type Outcome struct {
	Strategy papers.Strategy
	Answer   *papers.Answer // nil if it failed
	Failure  *diag.Diagnostic
	Time     time.Duration
	// Allocations counts the objects that the process allocated during the run.
	Allocations uint64
}

// Differentiate prepares an experiment and runs the strategies on it, one after the other. Each
// runs within the limits of the experiment, and, if the context has a deadline, within an equal
// share of the time that is left. Errors in the experiment itself go to sink.
func Differentiate(ctx context.Context, w *driver.World, e Experiment, strategies []papers.Strategy,
	sink *diag.List) []Outcome {
	problem := Problem(ctx, w, e, sink)
	if problem == nil {
		return nil
	}
	var outcomes []Outcome
	for k, s := range strategies {
		o := Outcome{Strategy: s}
		if ctx.Err() != nil {
			o.Failure = stop.Why(ctx)
			outcomes = append(outcomes, o)
			continue
		}
		made, start := allocations(), time.Now()
		solve := func(ctx context.Context) (d *diag.Diagnostic) {
			o.Answer, d = Solve(ctx, s, problem)
			return d
		}
		limit := e.each(ctx, len(strategies)-k)
		o.Failure = limited(ctx, limit, e.Settings.Limits.Memory, e.Settings.Alone, solve)
		o.Time, o.Allocations = time.Since(start), allocations()-made
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// each returns the time limit for one algorithm, when left algorithms remain.
func (e *Experiment) each(ctx context.Context, left int) time.Duration {
	limit := cmp.Or(e.Each, DefaultTime)
	if at, ok := ctx.Deadline(); ok && left > 1 {
		limit = min(limit, max(time.Until(at)/time.Duration(left), time.Millisecond))
	}
	return limit
}

// allocations returns how many objects the process has allocated.
func allocations() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// run runs a strategy on a problem. When ctx ends, the strategy may panic as Poll of package stop
// does.
func run(ctx context.Context, s papers.Strategy, p *papers.Problem) (answer *papers.Answer,
	d *diag.Diagnostic) {
	defer stop.Catch(&d)
	return s.Run(ctx, p)
}

// Solve runs a strategy on a problem. Parts of the gradient that are not real are replaced by
// those of the point, whatever the paper has there. A failure without a place gets the place of
// the function.
func Solve(ctx context.Context, s papers.Strategy, p *papers.Problem) (*papers.Answer,
	*diag.Diagnostic) {
	answer, d := run(ctx, s, p)
	if d != nil {
		if !d.Span.Known() {
			located := *d
			located.Span = p.Fun.At
			d = &located
		}
		return nil, d
	}
	answer.Gradient = carried(p.At, answer.Gradient)
	if answer.Enclosed != nil {
		answer.Enclosed = carried(p.At, answer.Enclosed)
	}
	return answer, nil
}

// Problem checks the expressions of an experiment against the function, and returns the problem
// that the algorithms take. If there are errors it returns nil.
func Problem(ctx context.Context, w *driver.World, e Experiment, sink *diag.List) *papers.Problem {
	text, unit := load(w, e, true, "", sink)
	if unit == nil {
		return nil
	}
	at, ct, d := points(ctx, unit, e, text.at)
	var problem *papers.Problem
	if d == nil {
		problem, d = monomorphic(ctx, unit, text.global)
	}
	if d != nil {
		var own diag.List
		own.Add(d)
		sink.Append(text.explain(&own))
		return nil
	}
	problem.At, problem.Cotangent, problem.Store = at, ct, w.Store
	problem.Explain, problem.MaxOps, problem.MaxDepth = e.Explain, e.MaxOps, e.Settings.Limits.Depth
	problem.Evaluate = Evaluator(e.Settings)
	problem.Compiled = Compiler(e.Settings)
	problem.Enclose = encloser(e.Settings)
	return problem
}

// load makes the unit of an experiment, with a cotangent if asked, and with more definitions.
// Errors go to sink, and then the unit is nil.
func load(w *driver.World, e Experiment, cotangent bool, more string, sink *diag.List) (
	*experimentText, *driver.Unit) {
	global := e.Unit.Info.Interface.Value(e.Fun)
	if global == nil {
		sink.Add(e.Unit.Undefined(e.Fun))
		return nil, nil
	}
	params, result := types.Splay(global.Scheme.Type, math.MaxInt)
	if len(params) == 0 {
		sink.Add(diag.Errorf(diag.NotAFunction, global.At, "`%s` is not a function", e.Fun))
		return nil, nil
	}
	given := ""
	if cotangent {
		var d *diag.Diagnostic
		if given, d = cotangentOf(e, global.At, result); d != nil {
			sink.Add(d)
			return nil, nil
		}
	}
	text := newExperimentText(e, len(params), given, more, global.At)
	var own diag.List
	unit := w.LoadText(experimentName, text.text, append(slices.Clone(e.Sees), e.Unit), &own)
	if own.Failed() {
		sink.Append(text.explain(&own))
		return nil, nil
	}
	return text, unit
}

// points evaluates the point of an experiment and its cotangent. file holds the text of the
// point.
func points(ctx context.Context, u *driver.Unit, e Experiment, file *diag.File) (at, ct value.Value,
	d *diag.Diagnostic) {
	functions, d := u.Functions(ctx, e.Settings, experimentPoint, experimentCotangent)
	if d != nil {
		return nil, nil, d
	}
	if at, d = functions.Call(ctx, experimentPoint); d != nil {
		return nil, nil, d
	}
	if ct, d = functions.Call(ctx, experimentCotangent); d != nil {
		return nil, nil, d
	}
	if parts(at, ct) > maxParts {
		span := diag.Span{File: file, End: int32(len(e.At))}
		d = diag.Errorf(diag.StrategyLimits, span,
			"the point and its cotangent have more than %d tuples, records and constructors, "+
				"which is too many to write into a program",
			maxParts)
		return nil, nil, d.WithHint("an array of reals may have any length")
	}
	return at, ct, nil
}

// cotangentOf returns the cotangent of an experiment. For a result of type Real the default is 1.
func cotangentOf(e Experiment, at diag.Span, result types.Type) (string, *diag.Diagnostic) {
	if e.Cotangent != "" {
		return e.Cotangent, nil
	}
	if _, open := result.(*types.Param); !open && result != types.Type(types.Real) {
		d := diag.Errorf(diag.Mismatch, at, "`%s` gives %s, and only a Real has 1 as its cotangent",
			e.Fun, types.Show(result))
		return "", d.WithHint("say with --cotangent what to multiply the derivative with")
	}
	return "1.0", nil
}

// maxParts bounds the size of the values that the algorithms get as parts of programs, where each
// tuple, record and constructor takes a register.
const maxParts = 40_000

// parts counts the tuples, records, constructors and arrays in values.
func parts(values ...value.Value) int {
	n := 0
	for todo := values; len(todo) > 0 && n <= maxParts; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch v := v.(type) {
		case value.Tuple:
			n, todo = n+1, append(todo, v...)
		case value.Record:
			n++
			for _, f := range v {
				todo = append(todo, f.Value)
			}
		case value.Con:
			n, todo = n+1, append(todo, v.Args...)
		case value.Array:
			n, todo = n+1, append(todo, v...)
		case value.Table:
			n, todo = n+v.Rows, append(todo, v.Columns...)
		case value.Optional:
			n, todo = n+len(v.Missing), append(todo, v.Of)
		}
	}
	return n
}

// monomorphic returns the problem of a unit's _fn, at the type at which the unit's final
// expression uses it. The statements of _fn get the place of the function that it stands for.
func monomorphic(
	ctx context.Context, u *driver.Unit, at diag.Span,
) (*papers.Problem, *diag.Diagnostic) {
	program, d := driver.Link(u)
	if d != nil {
		return nil, d
	}
	program.Main = u.Core.Main
	mono, d := opt.Mono(program, opt.Options{Watch: stop.Of(ctx)})
	if d != nil {
		return nil, d
	}
	if d := papers.EmbedFiles(mono, func(v value.Value) bool {
		return parts(v) <= maxParts
	}); d != nil {
		return nil, d
	}
	rules.Define(mono) // the papers have no rules for whole matrices
	prefix := u.Info.Name + "." + experimentFunction
	for _, def := range mono.Defs {
		if def.Name != prefix && !strings.HasPrefix(def.Name, prefix+"<") {
			continue
		}
		f := types.Resolve(def.Type).(*types.Fun)
		for _, t := range []types.Type{f.Param, f.Result} {
			if lack := types.Member(t, types.Diff); lack != nil {
				return nil, diag.Errorf(diag.NotDiff, def.At, "derivatives are taken at types "+
					"without functions, and %s has one", types.Show(t))
			}
		}
		def.At = at
		core.Walk(def.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				let.At = at
			}
		})
		return &papers.Problem{Program: mono, Fun: wrapped(mono, def)}, nil
	}
	panic("lab: the experiment lost its function")
}

// wrapped returns the function that a definition calls, if the definition does nothing else, so
// that explanations are about it. Otherwise it returns the definition itself.
func wrapped(p *core.Program, def *core.Def) *core.Def {
	fun := def.Function()
	if fun == nil || len(fun.Params) != 1 || len(fun.Body.Stmts) != 1 {
		return def
	}
	let, ok := fun.Body.Stmts[0].(*core.Let)
	if !ok || fun.Body.Result != core.Atom(let.Var) {
		return def
	}
	call, ok := let.Op.(*core.Apply)
	if !ok || len(call.Args) != 1 || call.Args[0] != core.Atom(fun.Params[0]) {
		return def
	}
	if g, ok := call.Fun.(*core.Global); ok {
		for _, d := range p.Defs {
			if d.Name == g.Name {
				return d
			}
		}
	}
	return def
}

// Evaluator returns a function that runs programs for the algorithms and counts their operations.
func Evaluator(s driver.Settings) func(context.Context, *core.Program, int64) (value.Value, int64,
	*diag.Diagnostic) {
	return func(ctx context.Context, p *core.Program, maxOps int64) (value.Value, int64,
		*diag.Diagnostic) {
		limited := s
		limited.Limits.Prims = maxOps
		v, ops, d := count(ctx, p, limited)
		if d == nil && maxOps > 0 && ops > maxOps {
			return nil, ops, papers.OverBudget(diag.Span{}, "the program", maxOps)
		}
		return v, ops, d
	}
}

func count(
	ctx context.Context, p *core.Program, s driver.Settings,
) (value.Value, int64, *diag.Diagnostic) {
	prepared, d := opt.Mono(p, opt.Options{Verify: s.Verify, Watch: stop.Of(ctx)})
	if d != nil {
		return nil, 0, d
	}
	options := s.Compile
	options.Count = true
	code, d := interp.CompileWith(prepared, options)
	if d != nil {
		return nil, 0, d
	}
	machine := code.NewMachine()
	defer machine.Release()
	v, d := machine.Run(ctx, s.Limits)
	stats := machine.Stats()
	return v, stats.Prims + stats.Swept, d
}

// Agreement returns the largest distance between the gradients of outcomes, relative to the
// largest component, or NaN if their shapes differ. A point inside a set has distance 0 from it.
func Agreement(outcomes []Outcome) float64 {
	var first []span
	worst := 0.0
	for _, o := range outcomes {
		if o.Answer == nil {
			continue
		}
		xs := spans(o.Answer)
		if first == nil {
			first = xs
			continue
		}
		if len(xs) != len(first) {
			return math.NaN()
		}
		scale := 0.0
		for _, x := range first {
			scale = math.Max(scale, math.Max(math.Abs(x.lo), math.Abs(x.hi)))
		}
		for i, x := range xs {
			if gap := math.Max(x.lo-first[i].hi, first[i].lo-x.hi); !(gap <= 0) {
				worst = math.Max(worst, gap/scale)
			}
		}
	}
	return worst
}

// carried returns a gradient in which leaves that are not real are those of the point. Such
// leaves have no derivative, and the papers write different things there.
func carried(at, gradient value.Value) value.Value {
	switch at := at.(type) {
	case value.Real, value.Reals:
		return gradient
	case value.Tuple:
		if g, ok := gradient.(value.Tuple); ok && len(g) == len(at) {
			return value.Tuple(carriedAll(at, g))
		}
	case value.Array:
		if g, ok := gradient.(value.Array); ok && len(g) == len(at) {
			return value.Array(carriedAll(at, g))
		}
	case value.Record:
		if g, ok := gradient.(value.Record); ok && len(g) == len(at) {
			fields := make(value.Record, len(at))
			for i, f := range at {
				fields[i] = value.Field{Name: f.Name, Value: carried(f.Value, g[i].Value)}
			}
			return fields
		}
	case value.Con:
		if g, ok := gradient.(value.Con); ok && g.Name == at.Name && len(g.Args) == len(at.Args) {
			return value.Con{Name: at.Name, Args: carriedAll(at.Args, g.Args)}
		}
	default:
		return at
	}
	return gradient
}

func carriedAll(at, gradient []value.Value) []value.Value {
	all := make([]value.Value, len(at))
	for i := range at {
		all[i] = carried(at[i], gradient[i])
	}
	return all
}
