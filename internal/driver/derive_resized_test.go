package driver_test

import "fmt"

// resized are arrays that come out of loops whose arrays have another length in each turn: they
// grow at either end, shrink, are there or not, or keep what a comparison leaves.
func (g *calculus) resized(depth int) []func() string {
	r := func() string { return "sin (" + g.real(depth-1) + ")" }
	a := func() string { return g.array(depth - 1) }
	// inside is a real in a turn of a loop, in terms of an element of the array and of an integer
	// less than the length.
	inside := func(element, i string) string {
		return g.with(&g.reals, element, func() string { return g.with(&g.ints, i, r) })
	}
	names := func() (s, x, k string) { return g.fresh("s"), g.fresh("x"), g.fresh("k") }
	options := []func() string{
		func() string {
			s, x, k := names()
			return fmt.Sprintf("(loop %s = [%s] for %s < %d do (let %s = %s[0] in array.concat %s [%s]))", s, r(), k, g.length-1, x, s, s, inside(x, k))
		},
		func() string {
			s, x, k := names()
			return fmt.Sprintf("(loop %s = [%s] for %s < %d do (let %s = %s[0] in array.concat [%s] [0.5 * y + %s[0] for y in %s]))",
				s, r(), k, g.length-1, x, s, inside(x, k), s, s)
		},
		func() string { // a triangle
			s, x, k := names()
			m := g.fresh("m")
			return fmt.Sprintf("(loop %s = array.concat (%s) (%s) for %s < %d do (let %s = %d - %s in [(let %s = %s[j + 1] in %s + 0.5 * %s[j]) for j < %s]))",
				s, a(), a(), k, g.length, m, 2*g.length-1, k, x, s, inside(x, k), s, m)
		},
		func() string {
			s, x, k := names()
			return fmt.Sprintf("(let (%s, _) = loop (%s, %s) = ([], 0) while %s < %d do (let %s = %s in (array.concat [%s] %s, %s + 1)) in %s)",
				s, s, k, k, g.length, x, r(), inside(x, k), s, k, s)
		},
		func() string { // two that change places; their types do not say how long they are
			s, x, k := names()
			return fmt.Sprintf("(let (%s, t) = loop (%s, t) = ([y for y in %s if 0 < 1], [y for y in [%s] if 0 < 1]) for %s < %d do (let %s = %s[0] in (t, [y * %s for y in %s])) in [%s[0] + t[0] + y for y in %s])",
				s, s, a(), r(), k, g.length, x, s, inside(x, k), s, s, g.some(g.arrays))
		},
		func() string { // one in another
			s, x, k := names()
			return fmt.Sprintf("(loop %s = %s for %s < %d do (let %s = mean (loop u = %s for q < %s do array.concat u [tanh (u[q] * %s[q])]) in [y + %s for y in %s]))",
				s, a(), k, g.length, x, s, k, s, inside(x, k), s)
		},
		func() string {
			s, x, k := names()
			return fmt.Sprintf("(match (loop %s = None for %s < %d do (match %s with | None -> if %s > 0 then Some (%s) else None | Some w -> "+
				"if %s == 1 then None else (let %s = w[0] in Some [y * %s for y in w]))) with | None -> %s | Some w -> w)",
				s, k, g.length, s, k, a(), g.index(), x, inside(x, k), g.some(g.arrays))
		},
	}
	if g.pointed {
		options = append(options, func() string {
			s, x, k := names()
			return fmt.Sprintf("(let %s = (loop %s = %s for %s < %d do (let %s = %s in [y * %s for y in %s if y < %s])) in [sum %s + y for y in %s])",
				s, s, a(), k, g.length, x, r(), inside(x, k), s, x, s, g.some(g.arrays))
		})
	}
	return options
}
