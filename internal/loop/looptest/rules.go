package looptest

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
)

// Rules are derivatives of the operations that random functions have, written by hand.
func Rules(op *loop.Op) *grad.Rule { return rules[op] }

// Sharing are the same rules, but that the slopes of sigmoid and tanh are made of the parts of
// their values, as those of the language are.
func Sharing(op *loop.Op) *grad.Rule {
	if r := sharing[op]; r != nil {
		return r
	}
	return rules[op]
}

var rules, sharing = map[*loop.Op]*grad.Rule{}, map[*loop.Op]*grad.Rule{}

// partial is a rule's function of an operation's arguments and result.
func partial(op *loop.Op, body func(b *loop.Builder, a []loop.Atom) []loop.Atom) *loop.Func {
	f := &loop.Func{Name: op.Name + "'"}
	var args []loop.Atom
	for _, k := range append(op.Args[:len(op.Args):len(op.Args)], op.Result) {
		v := loop.NewVar("a", k)
		f.Params, args = append(f.Params, v), append(args, v)
	}
	var b loop.Builder
	f.Body = b.Block(body(&b, args)...)
	return f
}

type slope = func(b *loop.Builder, a []loop.Atom) loop.Atom

func rule(name string, slopes ...slope) *grad.Rule {
	r := ruleOf(name, slopes...)
	rules[loop.Lookup(name)] = r
	return r
}

func ruleOf(name string, slopes ...slope) *grad.Rule {
	op := loop.Lookup(name)
	r := &grad.Rule{Partials: make([]*loop.Func, len(op.Args))}
	for i, s := range slopes {
		if s != nil {
			r.Partials[i] = partial(op, func(b *loop.Builder, a []loop.Atom) []loop.Atom {
				return []loop.Atom{s(b, a)}
			})
		}
	}
	return r
}

// kink adds to a rule where its operation has a kink.
func kink(name string, r *grad.Rule, sides func(b *loop.Builder, a []loop.Atom) []loop.Atom) {
	r.Kink = partial(loop.Lookup(name), sides)
}

func init() {
	constant := func(x float64) slope {
		return func(*loop.Builder, []loop.Atom) loop.Atom { return loop.Real(x) }
	}
	arg := func(i int) slope {
		return func(_ *loop.Builder, a []loop.Atom) loop.Atom {
			return a[i]
		}
	}
	rule("add.f", constant(1), constant(1))
	rule("sub.f", constant(1), constant(-1))
	rule("mul.f", arg(1), arg(0))
	rule("neg.f", constant(-1))
	rule("fma", arg(1), arg(0), constant(1))
	rule("div.f", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.DivF, loop.Real(1), a[1])
	}, func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.NegF, b.Let("d", loop.DivF, a[2], a[1]))
	})
	rule("exp", arg(1))
	rule("log", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.DivF, loop.Real(1), a[0])
	})
	rule("sqrt", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.DivF, loop.Real(0.5), a[1])
	})
	rule("tanh", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.SubF, loop.Real(1), b.Let("d", loop.MulF, a[1], a[1]))
	})
	rule("sigmoid", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.MulF, a[1], b.Let("d", loop.SubF, loop.Real(1), a[1]))
	})
	sharing[loop.Lookup("sigmoid")] = ruleOf("sigmoid",
		func(b *loop.Builder, a []loop.Atom) loop.Atom {
			return b.Let("d", loop.Logistic, a[0])
		})
	sharing[loop.Lookup("tanh")] = ruleOf("tanh", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.Sech2, a[0])
	})
	rule("sin", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.Lookup("cos"), a[0])
	})
	rule("cos", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.NegF, b.Let("d", loop.Lookup("sin"), a[0]))
	})
	rule("pow.i", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		var then, otherwise loop.Builder
		v := loop.NewVar("d", loop.F64)
		p := otherwise.Let("p", loop.PowI, a[0], otherwise.Let("n", loop.SubI, a[1], loop.Int(1)))
		d := otherwise.Let("d", loop.MulF, otherwise.Let("n", loop.ToReal, a[1]), p)
		b.Add(&loop.If{Results: []*loop.Var{v}, Cond: b.Let("c", loop.EqI, a[1], loop.Int(0)),
			Then: then.Block(loop.Real(0)), Else: otherwise.Block(d)})
		return v
	})
	choice := func(op *loop.Op, x, y int, then, otherwise float64) slope {
		return func(b *loop.Builder, a []loop.Atom) loop.Atom {
			return b.Let("d", loop.SelF, b.Let("c", op, a[x], a[y]), loop.Real(then),
				loop.Real(otherwise))
		}
	}
	both := func(_ *loop.Builder, a []loop.Atom) []loop.Atom { return a[:2] }
	kink("max.f", rule("max.f", choice(loop.LtF, 1, 0, 1, 0), choice(loop.LtF, 0, 1, 1, 0)), both)
	kink("min.f", rule("min.f", choice(loop.LtF, 0, 1, 1, 0), choice(loop.LtF, 1, 0, 1, 0)), both)
	kink("abs.f", rule("abs.f", func(b *loop.Builder, a []loop.Atom) loop.Atom {
		return b.Let("d", loop.SelF, b.Let("c", loop.LtF, a[0], loop.Real(0)), loop.Real(-1),
			loop.Real(1))
	}), func(_ *loop.Builder, a []loop.Atom) []loop.Atom { return []loop.Atom{a[0], loop.Real(0)} })
	kink("floor.f", rule("floor.f", nil), func(_ *loop.Builder, a []loop.Atom) []loop.Atom {
		return []loop.Atom{a[0], a[1]}
	})
}
