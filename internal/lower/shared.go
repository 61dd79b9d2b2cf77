package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Note [Definitions that are lowered once]
//
// A program that is fitted asks for a function's value and for its gradient:
//
//	let primal input = loss input.data input.params
//	let gradient input = grad (loss input.data) input.params
//
// Both begin with the same work: loss is lowered, and optimised as far as that does not depend on a
// target. So it is done once for the program, for loss as a function of parameters of its own. The
// value takes a copy of the result and schedules it. The gradient differentiates it.
//
// That gives the code that lowering loss in its place would give, if as much is known there:
//
//   - its arguments are parameters of the function that is being lowered, each once and each array
//     as a whole, or reals of the point, which are variables in any case. A literal, or a length
//     that two arrays share, is worth a lowering of its own;
//   - loss also finds out what was found out so far about these parameters, since it checks the
//     sizes of its arguments itself;
//   - its value is the result of the function being lowered, so that nothing else is to be
//     optimised with it.
//
// A function with a rule is lowered in another way where it is differentiated, one that calls
// itself becomes a function of the loop form that belongs to one program, and ties are resolved in
// few programs. None of them is shared.

// shared is a definition in loop form. It is lowered when it is first looked at, and optimised, but
// not scheduled, when it is first used. Then it is not changed any more.
type shared struct {
	lower    task.Once
	optimise task.Once

	low     *Lowered // nil if the definition is not shared
	value   value    // its result, in terms of its variables before it was optimised
	scopes  *emitter
	emitted int // statements that it took
	options pass.Options
}

// sharedForm is the form of a definition, or nil.
func (s *Source) sharedForm(def *core.Def) *shared {
	if s.After != nil || s.Ties || s.HasRules() || s.recursive(def) {
		return nil
	}
	s.sharing.Lock()
	form := s.shared[def]
	if form == nil {
		form = &shared{}
		s.shared[def] = form
	}
	s.sharing.Unlock()
	form.lower.Do(func() { _ = form.make(s, def) }) // what is not covered is not shared
	if form.low == nil {
		return nil
	}
	return form
}

func (form *shared) make(s *Source, def *core.Def) (err error) {
	defer recoverNotCovered(&err)
	l := newLowerer(s, nil)
	l.partial = true
	fun := def.Function()
	args := make([]value, len(fun.Params))
	for i, p := range fun.Params {
		args[i] = l.param(p.Name, p.Ty)
	}
	form.value = l.owned(l.defined(l.inline(fun, nil, args)))
	low := l.finish(def.Name, form.value, fun.Body.Result.Type())
	if loop.Any(low.Func.Body, isCall) || l.ruled > 0 {
		return nil
	}
	form.low, form.scopes, form.emitted = low, l.emitter, l.emitted
	form.options = l.options(low.Func)
	return nil
}

func isCall(s loop.Stmt) bool {
	_, call := s.(*loop.Call)
	return call
}

// calledBy is the definition that a function calls and does nothing else, with the arguments, which
// are nil for the function's own parameter; nil if there is none.
func (s *Source) calledBy(f value) (def *core.Def, args []value) {
	c, ok := f.(*closure)
	if !ok || c.rec != nil {
		return nil, nil
	}
	if c.def != nil {
		if len(c.args)+1 != len(c.fun.Params) {
			return nil, nil
		}
		return c.def, append(c.args[:len(c.args):len(c.args)], nil)
	}
	if len(c.args) > 0 || len(c.fun.Params) != 1 || len(c.fun.Body.Stmts) != 1 {
		return nil, nil
	}
	let, ok := c.fun.Body.Stmts[0].(*core.Let)
	if !ok || core.Atom(let.Var) != c.fun.Body.Result {
		return nil, nil
	}
	call, ok := let.Op.(*core.Apply)
	if !ok {
		return nil, nil
	}
	def, fun := s.calls(call)
	if def == nil {
		return nil, nil
	}
	args = make([]value, len(fun.Params))
	own := false
	for i, a := range call.Args {
		v, ok := a.(*core.Var)
		if !ok {
			return nil, nil
		}
		if v == c.fun.Params[0] {
			if own {
				return nil, nil
			}
			own = true
		} else if args[i] = c.env.lookup(v); args[i] == nil {
			return nil, nil
		}
	}
	if !own {
		return nil, nil
	}
	return def, args
}

// calls is the definition that an application calls with all of its arguments, or nil.
func (s *Source) calls(call *core.Apply) (*core.Def, *core.Lambda) {
	if g, ok := call.Fun.(*core.Global); ok {
		if def := s.defs[g.Name]; def != nil {
			if fun := def.Function(); fun != nil && len(fun.Params) == len(call.Args) {
				return def, fun
			}
		}
	}
	return nil, nil
}

// sharedAt is the shared form of the definition that a function calls, to be differentiated at a
// point; nil if there is none.
func (l *lowerer) sharedAt(f, point value) *separate {
	if def, args := l.source.calledBy(f); def != nil {
		if u := l.useOf(def, args, point); u != nil {
			return u.separate()
		}
	}
	return nil
}

// use is a shared form with arguments.
type use struct {
	l    *lowerer
	form *shared
	// what the form is given: parameters of the function that is being lowered, and reals
	atoms []loop.Atom
	reals []*loop.Var             // new variables, for the reals of the point
	from  map[*loop.Var]*loop.Var // parameters of the form by what they stand for
}

// useOf is the shared form of a definition with arguments, or nil: see Note [Definitions that are
// lowered once]. An argument that is nil is the point.
func (l *lowerer) useOf(def *core.Def, args []value, point value) *use {
	if !l.source.Shares || l.inside > 0 || l.ties || l.comparing || l.linear {
		return nil
	}
	u := &use{l: l}
	for _, a := range args {
		if a != nil && !u.give(a, nil, false) || a == nil && !u.give(point, nil, true) {
			return nil
		}
	}
	if u.form = l.source.sharedForm(def); u.form == nil {
		return nil
	}
	for _, d := range u.form.low.Constants {
		if !u.give(l.global(&core.Global{Name: d.Name}), nil, false) {
			return nil
		}
	}
	u.from = map[*loop.Var]*loop.Var{}
	for i, p := range u.form.low.Func.Params {
		u.from[u.atoms[i].(*loop.Var)] = p
	}
	if !u.knowsAll() {
		return nil
	}
	u.form.optimise.Do(func() {
		o := u.form.options
		o.Watch = l.until
		pass.Optimize(u.form.low.Func, o)
	})
	l.loops = l.loops || u.form.low.Loops
	l.out.Tied = l.out.Tied || u.form.low.Tied
	l.out.Ragged = append(l.out.Ragged, u.form.low.Ragged...)
	return u
}

// give adds the parts of an argument, in arrays of the given lengths. It is false if a form must
// not be given it.
func (u *use) give(v value, dims []loop.Atom, point bool) bool {
	switch v := v.(type) {
	case *scalar:
		return u.atom(v.atom, point)
	case *product:
		if v.table != nil || v.funs != nil {
			return false
		}
		for _, part := range v.parts {
			if !u.give(part, dims, point) {
				return false
			}
		}
		return true
	case *array:
		return v.loose == nil && u.atom(v.n, false) && u.give(v.elem, also(dims, v.n), point)
	case *column:
		return v.total == nil && isInt(v.base, 0) && u.l.fills(v, dims) && u.l.dense(v, dims) &&
			u.atom(v.buf, point)
	}
	return false
}

func (u *use) atom(a loop.Atom, point bool) bool {
	if k := a.AtomKind(); point && (k == loop.F64 || k == loop.F64s) {
		x := loop.NewVar("x", k)
		u.atoms, u.reals = append(u.atoms, x), append(u.reals, x)
		return true
	}
	v, ok := a.(*loop.Var)
	if !ok || !slices.Contains(u.l.params, v) || slices.Contains(u.atoms, a) {
		return false
	}
	u.atoms = append(u.atoms, v)
	return true
}

// knowsAll tells whether everything that is known about the arguments alone is known in the form
// too.
func (u *use) knowsAll() bool {
	top := u.form.scopes.open[0]
	for _, s := range u.l.open {
		for key, truth := range s.known {
			there, how := u.translated(key)
			if how == elsewhere {
				continue
			}
			if known, ok := top.known[there]; how == missing || !ok || known != truth {
				return false
			}
		}
	}
	return true
}

// translation tells whether an integer or a condition is in the form.
type translation uint8

const (
	there     translation = iota
	missing               // it is made of arguments, but the form does not compute it
	elsewhere             // it is made of other things
)

// translated is an operation on integers in the form.
func (u *use) translated(key intOp) (intOp, translation) {
	out := intOp{op: key.op}
	worst := there
	for i, o := range key.args {
		var how translation
		out.args[i], how = u.operand(o)
		worst = max(worst, how)
	}
	return out, worst
}

func (u *use) operand(o operand) (operand, translation) {
	if o.v == nil {
		return o, there
	}
	if p := u.from[o.v]; p != nil {
		return operand{v: p}, there
	}
	def := u.l.defs.Get(o.v)
	if def == nil {
		return operand{}, elsewhere
	}
	key, how := u.translated(keyOf(def.Op, def.Args))
	if how != there {
		return operand{}, how
	}
	switch a := u.form.scopes.open[0].ints[key].(type) {
	case *loop.Var:
		return operand{v: a}, there
	case *loop.Const:
		return operand{w: a.Word()}, there
	}
	return operand{}, missing
}

// separate is the form as a function of the reals of the point, to be differentiated.
func (u *use) separate() *separate {
	form := u.form.low.Func
	given := map[*loop.Var]loop.Atom{}
	for i, p := range form.Params {
		given[p] = u.atoms[i]
	}
	s := &separate{fun: &loop.Func{Name: "f", Params: u.reals,
		Body: form.Body.With(form.Params, u.atoms)}, value: u.form.value,
		reals: len(u.reals), scopes: u.form.scopes, given: given, simple: true}
	s.capture(&loop.VarMap[*loop.Let]{})
	u.l.emitted += u.form.emitted
	return s
}

// finished is what the function that is being lowered gives, if that is what a shared form gives.
type finished struct{ parts []loop.Atom }

func (finished) isValue() {}

// finishedBy is what a call gives with which the function that is being lowered ends, if the form
// of what it calls is shared; else nil.
func (l *lowerer) finishedBy(call *core.Apply, env *env) value {
	if l.emitter != l.home || len(l.open) > 1 || l.loops {
		return nil
	}
	def, _ := l.source.calls(call)
	if def == nil {
		return nil
	}
	u := l.useOf(def, l.atoms(call.Args, env), nil)
	if u == nil {
		return nil
	}
	return finished{l.emitCopy(u.form.low.Func, u.atoms)}
}

// lastCall is the statement that gives the result of a block, if that is a call; nil if there is
// none.
func lastCall(b *core.Block) *core.Let {
	if len(b.Stmts) == 0 {
		return nil
	}
	let, ok := b.Stmts[len(b.Stmts)-1].(*core.Let)
	if !ok || core.Atom(let.Var) != b.Result {
		return nil
	}
	switch op := let.Op.(type) {
	case *core.Apply:
		return let
	case *core.If:
		switch {
		case onlyFails(op.Then):
			return lastCall(op.Else)
		case onlyFails(op.Else):
			return lastCall(op.Then)
		}
	}
	return nil
}
