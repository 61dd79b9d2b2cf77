package curry

import (
	"strings"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// callList is Curry Fig. 3: simply typed curry and eval. The tangent of a
// function is the list of its calls, each with the tangent of its result:
// T[τ ⇝ σ] = [(τ, T[σ])]. To learn what the calls owe to what the function
// captures, the pullback of curry runs the function again at each of them.
type callList struct{ m *machine }

// Calls is a list of calls. Lists are joined without being copied; an inner
// node has no call of its own.
type Calls struct {
	left, right *Calls
	call
}

type call struct {
	args   Product
	result Tangent
	owed   Tangents // see Note [Uses that are not calls]; then there are no args
}

// Note [Uses that are not calls]
//
// A function is not only called: a program may take its derivative. How f′(x)
// varies with f is not said by any list of pairs (x, g), which stand for sums of
// multiples of values of f: T[τ ⇝ σ] = [(τ, T[σ])] has no place for it. (§6.1
// leaves vjp inside programs open.) Such a use is an entry that holds what it
// owes to the values that the function captured, as all tangents of functions do
// in Fig. 5.

// each visits the calls in order.
func (c *Calls) each(f func(call)) {
	stack := []*Calls{c}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.left != nil {
			stack = append(stack, c.right, c.left)
		} else {
			f(c.call)
		}
	}
}

// eachCall visits the calls of a function's tangent; Zero is the empty list.
// Calls whose result has tangent 0 are left out: §4.1, "Forgetting Results",
// has [(x, 0)] and [] equivalent.
func eachCall(grs Tangent, f func(call)) {
	if isZero(grs) {
		return
	}
	grs.(*Calls).each(func(c call) {
		if c.owed != nil || !isZero(c.result) {
			f(c)
		}
	})
}

func (l callList) closed(arity int, name string, f rep) *Fun {
	return &Fun{Arity: arity, Name: name, call: f}
}

func owed(ts Tangents) Tangent {
	if isZero(tangents(ts)) {
		return Zero{}
	}
	return &Calls{call: call{owed: ts}}
}

// curry f = new_f where new_f t =
//
//	let new_g s    = let (r, pb) = f (t, s) in (r, λgr. snd (pb gr))
//	    new_pb grs = let aux (s, gr) = fst (snd (f (t, s)) gr)
//	                 in sum (map aux grs)
//	in (new_g, new_pb)
func (l callList) curry(code *Curry, name string, arity int, f rep, t Product) (*Fun, Pullback) {
	all := len(t) + arity
	newG := &Fun{Arity: arity, Name: name, captured: t, owed: owed}
	newG.call = func(s Product) (Value, Pullback) {
		r, pb := f(concat(t, s))
		return r, func(gr Tangent) Tangent {
			_, snd := l.m.split(pb(gr), len(t), all)
			return tangents(snd)
		}
	}
	newG.again = func(t Product) *Fun { again, _ := l.curry(code, name, arity, f, t); return again }
	return newG, func(grs Tangent) Tangent {
		var sum Tangent = Zero{}
		eachCall(grs, func(c call) {
			if c.owed != nil {
				sum = l.m.add(sum, c.owed)
				return
			}
			_, pb := f(concat(t, c.args))
			fst, _ := l.m.split(pb(c.result), len(t), all)
			sum = l.m.add(sum, tangents(fst))
		})
		return sum
	}
}

// eval (f, x) = let (y, pb) = f x in (y, λg. ([(x, g)], pb g))
func (l callList) eval(f *Fun, x Product) (Value, Pullback) {
	y, pb := f.call(x)
	return y, func(g Tangent) Tangent {
		called := &Calls{call: call{args: x, result: g}}
		return append(Tangents{called}, l.m.components(pb(g), len(x))...)
	}
}

// fix does the work of new_f for functions that call one another. Running a function again at one
// of its calls yields the calls that it makes itself, which must be run again in turn. So the
// calls of one recursion are run once for each call around them.
func (l callList) fix(c *Fix, fs []rep, t Product) (Product, Pullback) {
	funs := make(Product, len(fs))
	env := append(concat(t, nil), funs...) // filled in below, to tie the knot
	for i, f := range fs {
		arity := len(c.Curry[i].Params)
		fun := &Fun{Arity: arity, Name: c.Names[i], captured: t, owed: owed}
		fun.call = func(s Product) (Value, Pullback) {
			r, pb := f(concat(env, s))
			return r, func(gr Tangent) Tangent {
				_, snd := l.m.split(pb(gr), len(env), len(env)+arity)
				return tangents(snd)
			}
		}
		fun.again = func(t Product) *Fun { group, _ := l.fix(c, fs, t); return group[i].(*Fun) }
		funs[i] = fun
	}
	copy(env[len(t):], funs)
	return funs, func(g Tangent) Tangent {
		var sum Tangent = Zero{}
		pending := []Tangents{l.m.components(g, len(fs))}
		for len(pending) > 0 {
			lists := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			for i, grs := range lists {
				eachCall(grs, func(called call) {
					if called.owed != nil {
						sum = l.m.add(sum, called.owed)
						return
					}
					_, pb := fs[i](concat(env, called.args))
					fst, _ := l.m.split(pb(called.result), len(env), len(env)+len(called.args))
					sum = l.m.add(sum, tangents(fst[:len(t):len(t)]))
					pending = append(pending, fst[len(t):])
				})
			}
		}
		return sum
	}
}

// showArgs writes the arguments of a call as explanations do.
func showArgs(args Product) string {
	words := make([]string, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case float64, *Node:
			words[i] = value.Show(value.Real(plain(a).(float64)))
		case int64:
			words[i] = value.Show(value.Int(a))
		case bool:
			words[i] = value.Show(value.Bool(a))
		case string:
			words[i] = value.Show(value.String(a))
		case Product:
			words[i] = "(" + showArgs(a) + ")"
		case *Data:
			words[i] = strings.TrimSpace(a.Con.Name + " " + showArgs(a.Fields))
		case *Fun:
			words[i] = a.Name
		}
	}
	return strings.Join(words, " ")
}
