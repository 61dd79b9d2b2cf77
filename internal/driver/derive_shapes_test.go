package driver_test

import (
	"fmt"
	"strings"
)

// shapeTypes are the types that programs with shapes use.
const shapeTypes = "data Shape = Dot | Disc Real | Box Real {w : Real, n : Int} | Path []Real\n"

// under writes under more variables that are reals, or integers below the length.
func (g *calculus) under(reals, ints []string, write func() string) string {
	r, i := len(g.reals), len(g.ints)
	g.reals, g.ints = append(g.reals, reals...), append(g.ints, ints...)
	text := write()
	g.reals, g.ints = g.reals[:r], g.ints[:i]
	return text
}

// shaped are reals that come out of recursion, of data, of records and tuples in loops, of
// conditions on reals that end loops, and of derivatives in other forms than gradients.
func (g *calculus) shaped(depth int) []func() string {
	r := func() string { return "sin (" + g.real(depth-1) + ")" }
	a := func() string { return g.array(depth - 1) }
	small := func() int { return 1 + g.Intn(4) }
	rec := func(f, n, x, base, step string) string {
		return fmt.Sprintf("(let rec %s (%s : Int) (%s : Real) : Real = if %s <= 0 then %s else %s in %s %d (%s))", f, n, x, n, base, step, f, small(), r())
	}
	names := func() (f, n, x, y string) { return g.fresh("f"), g.fresh("n"), g.fresh("x"), g.fresh("y") }
	shape := func() string {
		return g.of(
			func() string { return "Dot" },
			func() string { return "Disc (" + r() + ")" },
			func() string { return fmt.Sprintf("Box (%s) {w = %s, n = %s}", r(), r(), g.index()) },
			func() string { return "Path (" + a() + ")" },
		)
	}
	chosen := func() string {
		return fmt.Sprintf("(if mod (%s) 2 == 0 then %s else if mod (%s) 3 == 1 then %s else %s)", g.index(), shape(), g.index(), shape(), shape())
	}
	// size is a real of a shape.
	size := func(s string) string {
		x, w, p := g.fresh("x"), g.fresh("w"), g.fresh("p")
		return fmt.Sprintf("(match %s with | Dot -> %s | Disc %s -> %s | Box %s {w = %s, n = %s} -> %s + real %s | Path %s -> %s)", s, r(),
			x, g.under([]string{x}, nil, r), x, w, p+"n", g.under([]string{x, w}, nil, r), p+"n",
			p, g.with(&g.arrays, p, r))
	}
	options := []func() string{
		func() string { // what is called is used by the rest
			f, n, x, y := names()
			step := fmt.Sprintf("(let %s = %s (%s - 1) (%s) in %s)", y, f, n, g.under([]string{x}, nil, r), g.under([]string{x, y}, nil, r))
			return rec(f, n, x, g.under([]string{x}, nil, r), step)
		},
		func() string { // twice, by one another
			f, n, x, y := names()
			z := g.fresh("x")
			step := fmt.Sprintf("(let %s = %s (%s - 1) (%s) in let %s = %s (%s - 2) (%s) in %s)", y, f, n, g.under([]string{x}, nil, r),
				z, f, n, g.under([]string{x, y}, nil, r), g.under([]string{x, y, z}, nil, r))
			return rec(f, n, x, g.under([]string{x}, nil, r), step)
		},
		func() string { // in a loop
			f, n, x, y := names()
			k := g.fresh("k")
			step := fmt.Sprintf("(loop %s = %s for %s < 2 do %s (%s - 1 - %s) (%s))", y, x, k, f, n, k, g.under([]string{x, y}, nil, r))
			return rec(f, n, x, g.under([]string{x}, nil, r), step)
		},
		func() string { // in the elements of an array
			f, n, x, y := names()
			k := g.fresh("k")
			step := fmt.Sprintf("(let %s = [%s (%s - 1 - %s) (%s) for %s < 2] in %s[0] * %s[1] + %s)", y, f, n, k, g.under([]string{x}, nil, r), k, y, y,
				g.with(&g.arrays, "["+y+"[0], "+y+"[1]"+strings.Repeat(", 0.5", g.length-2)+"]", func() string { return g.under([]string{x}, nil, r) }))
			return rec(f, n, x, g.under([]string{x}, nil, r), step)
		},
		func() string { // of arrays, which become shorter
			f, n, x, y := names()
			return fmt.Sprintf("(let rec %s (%s : []Real) : []Real = (if length %s <= 1 then %s else let %s = %s [sin u for u in array.drop 1 %s] in [(let %s = %s[0] in %s) * u for u in %s]) in sum (%s (%s)))",
				f, n, n, n, y, f, n, x, n, g.under([]string{x}, nil, r), y, f, a())
		},
		func() string { // one another
			f, n, x, y := names()
			h := g.fresh("h")
			body := func(other string) string {
				return fmt.Sprintf("if %s <= 0 then %s else (let %s = %s (%s - 1) (%s) in %s)", n, g.under([]string{x}, nil, r), y, other, n,
					g.under([]string{x}, nil, r), g.under([]string{x, y}, nil, r))
			}
			return fmt.Sprintf("(let rec %s (%s : Int) (%s : Real) : Real = %s and %s (%s : Int) (%s : Real) : Real = %s in %s %d (%s))",
				f, n, x, body(h), h, n, x, body(f), f, small(), r())
		},
		func() string { // a tuple, with an integer that the turns count
			x, y, k := g.fresh("x"), g.fresh("y"), g.fresh("k")
			next := func() string { return g.under([]string{x, y}, []string{k}, r) }
			return fmt.Sprintf("(let (%s, %s, _) = loop (%s, %s, %s) = (%s, %s, 0) while %s < %d do (%s, %s, %s + 1) in %s)",
				x, y, x, y, k, r(), r(), k, g.length, next(), next(), k, g.under([]string{x, y}, nil, r))
		},
		func() string { // a record with an array
			s, k := g.fresh("s"), g.fresh("k")
			in := func(write func() string) string {
				return g.with(&g.arrays, s+".v", func() string { return g.under([]string{s + ".x"}, nil, write) })
			}
			next := g.with(&g.ints, k, func() string { return in(func() string { return "{x = " + r() + ", v = " + a() + "}" }) })
			return fmt.Sprintf("(let %s = (loop %s = {x = %s, v = %s} for %s < %d do %s) in %s)", s, s, r(), a(), k, g.length, next, in(r))
		},
		func() string { return size(chosen()) },
		func() string { // shapes in an array
			s, k := g.fresh("s"), g.fresh("k")
			return fmt.Sprintf("sum [%s for %s in [%s for %s < %d]]", size(s), s, g.with(&g.ints, k, chosen), k, g.length)
		},
		func() string { // a shape that a loop changes
			s, k := g.fresh("s"), g.fresh("k")
			next := g.with(&g.ints, k, func() string { return fmt.Sprintf("if mod (%s) 2 == 0 then Disc (%s) else %s", g.index(), size(s), s) })
			return "(let " + s + " = (loop " + s + " = " + chosen() + fmt.Sprintf(" for %s < %d do %s) in %s)", k, g.length, next, size(s))
		},
		func() string {
			v, w := g.fresh("v"), g.fresh("w")
			row := g.with(&g.arrays, v, a)
			return fmt.Sprintf("(let %s = jacobian (fun (%s : []Real) => let row : []Real = %s in row) (%s) in inner %s[%s] (%s))", w, v, row, a(), w, g.literalIndex(), g.some(g.arrays))
		},
		func() string {
			v := g.fresh("v")
			return fmt.Sprintf("tanh (sum (vjp (fun (%s : []Real) => %s) (%s) (%s)))", v, g.with(&g.arrays, v, a), a(), a())
		},
		func() string {
			x, s, k := g.fresh("x"), g.fresh("s"), g.fresh("k")
			return fmt.Sprintf("checkpoint (fun %s => loop %s = %s for %s < %d do %s) (%s)", x, s, x, k, g.length,
				g.with(&g.ints, k, func() string { return g.under([]string{x, s}, nil, r) }), r())
		},
		func() string { // several at once
			x, y, z := g.fresh("x"), g.fresh("y"), g.fresh("x")
			return fmt.Sprintf("(let (%s, %s) = fold (fun (%s, %s) %s => (%s, %s)) (%s, %s) (%s) in %s)", x, y, x, y, z,
				g.under([]string{x, y, z}, nil, r), g.under([]string{x, y, z}, nil, r), r(), r(), a(), g.under([]string{x, y}, nil, r))
		},
		func() string {
			i, j := g.fresh("i"), g.fresh("j")
			cell := g.under(nil, []string{i, j}, r)
			return fmt.Sprintf("sum (linalg.solve [[(if %s == %s then 2.0 * real %d else 0) + %s for %s < %d] for %s < %d] (%s))", i, j, g.length, cell, j, g.length, i, g.length, a())
		},
		func() string {
			x, d := g.fresh("x"), g.fresh("d")
			return fmt.Sprintf("(withDerivative (fun %s => tanh %s) (fun %s %s => (1 - (tanh %s)^2) * %s) (%s))", x, x, x, d, x, d, r())
		},
	}
	if g.pointed {
		options = append(options, func() string { // as long as a real is small
			x, k := g.fresh("x"), g.fresh("k")
			next := func() string { return g.under([]string{x}, []string{k}, r) }
			return fmt.Sprintf("(let (%s, _) = loop (%s, %s) = (%s, 0) while %s < %d && %s < 0.4871 do (%s, %s + 1) in %s)", x, x, k, r(), k, g.length, next(),
				next(), k, x)
		}, func() string { // deeper where a comparison says so
			f, n, x, y := names()
			step := fmt.Sprintf("(if %s then %s else let %s = %s (%s - 1) (%s) in %s)", g.under([]string{x}, nil, func() string { return g.less(r) }),
				g.under([]string{x}, nil, r), y, f, n, g.under([]string{x}, nil, r), g.under([]string{x, y}, nil, r))
			return rec(f, n, x, x, step)
		})
	}
	return options
}

// literalIndex returns an index that is written as a number.
func (g *calculus) literalIndex() string { return fmt.Sprint(g.Intn(g.length)) }
