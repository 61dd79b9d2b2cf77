package curry

// environment is Curry Fig. 5: dependently typed curry and eval. A function is
// code and an environment of captured values; the code does not vary, so the
// tangent of the function is that of its environment. A function's pullback
// gives it together with the tangent of the argument,
//
//	τ ⇝ σ = ∃τ♭. Π(x:τ). Σ(y:σ). T[y] → (τ♭, T[x])       (Def. 5.1)
//
// and curry's pullback has nothing to run again. The existential witness τ♭ is
// erased, and what stands for it at run time is the code: EnvTangent.
//
// In the figure combinators have a witness too, and comp collects those of its
// parts. Only function values capture something, so that what it collects is
// units alone; it is left out, and a rep-function that is not a function value
// is as in Fig. 2. The figure's comp, curry and eval as printed are in
// fig5_test.go, which compares the two.
type environment struct{ m *machine }

// EnvTangent is the tangent of a function value: one of the environment that
// it captures. Code tells the witness types apart: a Curry or Fix.
type EnvTangent struct {
	Code any
	Env  Tangents
}

// captured returns the tangent of an environment of n values, out of that of a
// function with the given code. This is the cast that the erased version
// makes; that it never fails is what the dependent types prove.
func captured(g Tangent, code any, n int) Tangents {
	if isZero(g) {
		return zeros(n)
	}
	t := g.(*EnvTangent)
	if t.Code != code || len(t.Env) != n {
		panic("curry: the tangent of a function is one of another environment")
	}
	return t.Env
}

func envTangent(code any, env Tangents) Tangent {
	if isZero(tangents(env)) {
		return Zero{}
	}
	return &EnvTangent{code, env}
}

// closed returns a function that captures nothing: exT () f.
func (environment) closed(arity int, name string, f rep) *Fun {
	return &Fun{Arity: arity, Name: name, call: func(x Product) (Value, Pullback) {
		y, pb := f(x)
		return y, func(g Tangent) Tangent { return Tangents{Zero{}, pb(g)} }
	}}
}

// curry (exT τ♭ f) = exT () new_f where new_f t =
//
//	let gf s = let (r, pullback) = f (t, s)
//	           in (r, λgr. let (cte, (ctt, cts)) = pullback gr
//	                       in ((cte, ctt), cts))
//	    g = exT (τ♭, T[t]) gf
//	    new_pb env = env
//	in (g, new_pb)
//
// Here cte is () always, since f is a combinator.
func (e environment) curry(c *Curry, name string, arity int, f rep, t Product) (*Fun, Pullback) {
	g := &Fun{Arity: arity, Name: name, captured: t}
	g.call = func(s Product) (Value, Pullback) {
		r, pullback := f(concat(t, s))
		return r, func(gr Tangent) Tangent {
			ctt, cts := e.m.split(pullback(gr), len(t), len(t)+arity)
			return Tangents{envTangent(c, ctt), tangents(cts)}
		}
	}
	g.again = func(t Product) *Fun { again, _ := e.curry(c, name, arity, f, t); return again }
	g.owed = func(ts Tangents) Tangent { return envTangent(c, ts) }
	return g, func(env Tangent) Tangent { return tangents(captured(env, c, len(t))) }
}

// eval = exT () new_f where new_f (exT τ♭ f, x) =
//
//	let (y, pb) = f x in (y, λg. ((), pb g))
func (e environment) eval(f *Fun, x Product) (Value, Pullback) {
	y, pb := f.call(x)
	return y, func(g Tangent) Tangent {
		pair := e.m.components(pb(g), 2)
		return tangents(append(Tangents{pair[0]}, e.m.components(pair[1], len(x))...))
	}
}

// fix does the work of curry for functions that call one another. Their environment is (t, F…),
// and taking T[F] for part of its own tangent space would make a space part of itself. But all
// functions of the group capture the same t, and T[F] = T[t] solves the equation: the tangent of
// an F is added to that of t.
func (e environment) fix(c *Fix, fs []rep, t Product) (Product, Pullback) {
	funs := make(Product, len(fs))
	env := append(concat(t, nil), funs...) // filled in below, to tie the knot
	shared := func(sum Tangent, gs Tangents) Tangent {
		for _, g := range gs {
			sum = e.m.add(sum, tangents(captured(g, c, len(t))))
		}
		return sum
	}
	for i, f := range fs {
		arity := len(c.Curry[i].Params)
		fun := &Fun{Arity: arity, Name: c.Names[i], captured: t}
		fun.call = func(s Product) (Value, Pullback) {
			r, pullback := f(concat(env, s))
			return r, func(gr Tangent) Tangent {
				cte, cts := e.m.split(pullback(gr), len(env), len(env)+arity)
				ctt := shared(tangents(cte[:len(t):len(t)]), cte[len(t):])
				return Tangents{envTangent(c, e.m.components(ctt, len(t))), tangents(cts)}
			}
		}
		fun.again = func(t Product) *Fun { group, _ := e.fix(c, fs, t); return group[i].(*Fun) }
		fun.owed = func(ts Tangents) Tangent { return envTangent(c, ts) }
		funs[i] = fun
	}
	copy(env[len(t):], funs)
	return funs, func(g Tangent) Tangent { return shared(Zero{}, e.m.components(g, len(fs))) }
}
