package looptest

import "github.com/fluxion-lang/fluxion/internal/loop"

// called are functions that random functions may call: each has two reals, the number of calls that
// may still nest in it, and a buffer of doubles and one of integers.
type called struct {
	funcs []*loop.Func
	kinds [][]loop.Kind // of the results of each
	fuel  loop.Atom     // where statements are being made; how many more calls may nest
	depth int           // from which on there may be calls
	sites int           // how many more calls there may be in the function
}

// callable makes one or two functions that call themselves and each other.
func (g *generator) callable() {
	g.called = &called{depth: 1}
	c := g.called
	for range 1 + g.IntN(2) {
		kinds := []loop.Kind{loop.F64}
		for _, k := range []loop.Kind{loop.F64, loop.I64, loop.Bool, loop.F64s, loop.F64s,
			loop.I64s} {
			if g.IntN(3) == 0 {
				kinds = append(kinds, k)
			}
		}
		g.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		c.funcs, c.kinds = append(c.funcs,
			&loop.Func{Name: []string{"ping", "pong"}[len(c.funcs)]}), append(c.kinds, kinds)
	}
	for i, f := range c.funcs {
		x, y, fuel := loop.NewVar("x", loop.F64), loop.NewVar("y", loop.F64), loop.NewVar("fuel",
			loop.I64)
		xs, ks := loop.NewVar("xs", loop.F64s), loop.NewVar("ks", loop.I64s)
		f.Params = []*loop.Var{x, y, fuel, xs, ks}
		var b loop.Builder
		n, m := b.Length(xs), b.Length(ks)
		sc := &scope{reals: []loop.Atom{x, y}, ints: []loop.Atom{fuel}, lens: []loop.Atom{n},
			bufs: []buffer{{xs, n}, {ks, m}}}
		c.fuel, c.sites = fuel, 2
		g.stmts(&b, sc, max(g.o.Depth-1, 1))
		g.call(&b, sc)
		f.Body = b.Block(g.values(&b, sc, c.kinds[i])...)
	}
	c.fuel, c.depth, c.sites = loop.Int(2), max(g.o.Depth-1, 1), 2
}

// values are some of given kinds.
func (g *generator) values(b *loop.Builder, sc *scope, kinds []loop.Kind) (out []loop.Atom) {
	for _, k := range kinds {
		switch k {
		case loop.F64:
			out = append(out, g.real(b, sc))
		case loop.F64s, loop.I64s:
			out = append(out, g.bufferOf(sc, k).v)
		default:
			out = append(out, g.atom(sc, k))
		}
	}
	return out
}

// bufferOf is a buffer of a kind; there is one of each.
func (g *generator) bufferOf(sc *scope, k loop.Kind) buffer {
	for {
		if b := recent(g, sc.bufs); b.v.Kind == k {
			return b
		}
	}
}

// call calls a function if more calls may nest, and otherwise takes other values for its results.
func (g *generator) call(b *loop.Builder, sc *scope) {
	c := g.called
	if c.sites--; c.sites < 0 {
		return
	}
	i := g.IntN(len(c.funcs))
	var then, otherwise loop.Builder
	// Values stay small, and buffers short: those that grow with each call would not be.
	small := then.Let("x", loop.Lookup("sin"), g.real(&then, sc))
	call := &loop.Call{Func: c.funcs[i],
		Args: append([]loop.Atom{small}, g.values(&then, sc, []loop.Kind{loop.F64})...)}
	call.Args = append(call.Args, then.Let("fuel", loop.SubI, c.fuel, loop.Int(1)))
	call.Args = append(call.Args, g.values(&then, sc, []loop.Kind{loop.F64s, loop.I64s})...)
	s := &loop.If{Cond: b.Let("more", loop.LtI, loop.Int(0), c.fuel),
		Else: otherwise.Block(g.values(&otherwise, sc, c.kinds[i])...)}
	var results []loop.Atom
	for _, k := range c.kinds[i] {
		r := loop.NewVar("r", k)
		call.Results, results = append(call.Results, r), append(results, r)
		s.Results = append(s.Results, loop.NewVar("r", k))
	}
	then.Add(call)
	s.Then = then.Block(results...)
	b.Add(s)
	for _, v := range s.Results {
		if v.Kind.IsBuffer() {
			sc.bufs = append(sc.bufs, buffer{v, b.Length(v)})
		} else {
			g.add(sc, v)
		}
	}
}
