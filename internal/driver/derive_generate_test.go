package driver_test

import (
	"fmt"
	"math/rand"
	"strings"
)

// calculus writes random well-typed functions of an array of reals that are
// smooth almost everywhere and of moderate size: what derivatives are compared
// on. Arrays have one length, so that any two fit.
type calculus struct {
	*rand.Rand
	length  int  // of the arrays
	nested  bool // derivatives inside
	pointed bool // maximum, comparisons and rounding too
	search  bool // integrals, roots and optima too
	chosen  bool // functions that are chosen when they run
	updated bool // arrays that are updated
	resizes bool // arrays whose lengths change in loops
	shapes  bool // recursion, data, records, and loops of several states: needs shapeTypes
	names   int

	reals, arrays, functions, ints []string
}

func (g *calculus) fresh(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

func (g *calculus) of(options ...func() string) string { return options[g.Intn(len(options))]() }

func (g *calculus) some(names []string) string { return names[g.Intn(len(names))] }

// with writes under more variables.
func (g *calculus) with(list *[]string, name string, write func() string) string {
	*list = append(*list, name)
	text := write()
	*list = (*list)[:len(*list)-1]
	return text
}

// function returns the text of a function of an array.
func (g *calculus) function(depth int) string {
	return "fun v => " + g.with(&g.arrays, "v", func() string { return g.real(depth) })
}

func (g *calculus) literal() string { return g.some([]string{"0.5", "1.25", "2", "0.75", "(-0.5)"}) }

func (g *calculus) index() string {
	if len(g.ints) > 0 && g.Intn(3) > 0 {
		return g.of(
			func() string { return g.some(g.ints) },
			func() string {
				return fmt.Sprintf("mod (%d * %s + %d) %d", 1+g.Intn(9), g.some(g.ints), g.Intn(9), g.length)
			},
		)
	}
	return fmt.Sprint(g.Intn(g.length))
}

// real writes a real.
func (g *calculus) real(depth int) string {
	if depth <= 0 {
		return g.of(
			g.literal,
			func() string { return g.array(0) + "[" + g.index() + "]" },
			func() string {
				if len(g.reals) == 0 {
					return g.array(0) + "[" + g.index() + "]"
				}
				return g.some(g.reals)
			},
			func() string {
				if len(g.ints) == 0 {
					return g.literal()
				}
				return "0.1 * real " + g.some(g.ints)
			},
		)
	}
	r := func() string { return g.real(depth - 1) }
	a := func() string { return g.array(depth - 1) }
	options := []func() string{
		func() string { return "(" + r() + " + " + r() + ")" },
		func() string { return "(" + r() + " - " + r() + ")" },
		func() string { return "(" + r() + " * " + r() + ")" },
		func() string { return "(" + r() + " / (2 + (" + r() + ")^2))" },
		func() string {
			return g.some([]string{"sin", "cos", "tanh", "atan", "sigmoid", "square", "(fun x => sqrt (1 + x^2))", "(fun x => exp (sin x))"}) + " (" + r() + ")"
		},
		func() string {
			x := g.fresh("x")
			return "(let " + x + " = " + r() + " in " + g.with(&g.reals, x, r) + ")"
		},
		func() string {
			x := g.fresh("a")
			return "(let " + x + " = " + a() + " in " + g.with(&g.arrays, x, r) + ")"
		},
		func() string {
			f := g.fresh("f")
			return "(let " + f + " = " + g.realFunction(depth-1) + " in " + g.with(&g.functions, f, r) + ")"
		},
		func() string {
			if len(g.functions) == 0 {
				return r()
			}
			return g.some(g.functions) + " (" + r() + ")"
		},
		func() string { return "mean (" + a() + ")" },
		func() string { return "tanh (inner (" + a() + ") (" + a() + "))" },
		func() string { return "norm (" + a() + ")" },
		func() string { return "logsumexp (" + a() + ")" },
		func() string {
			acc, x := g.fresh("s"), g.fresh("x")
			body := g.with(&g.reals, acc, func() string { return g.with(&g.reals, x, r) })
			return "fold (fun " + acc + " " + x + " => tanh (" + body + ")) (" + r() + ") (" + a() + ")"
		},
		func() string {
			acc, i := g.fresh("s"), g.fresh("i")
			body := g.with(&g.reals, acc, func() string { return g.with(&g.ints, i, r) })
			return fmt.Sprintf("(loop %s = %s for %s < %d do sin (%s))", acc, r(), i, g.length, body)
		},
		func() string {
			p := g.fresh("p")
			return "(match Cons (" + r() + ") (Cons (" + r() + ") Nil) with | Cons " + p + " _ -> " + g.with(&g.reals, p, r) + " | Nil -> 0)"
		},
	}
	if g.nested {
		options = append(options,
			func() string { return "tanh (deriv " + g.realFunction(depth-1) + " (" + r() + "))" },
			func() string {
				v := g.fresh("v")
				return "tanh (grad (fun " + v + " => " + g.with(&g.arrays, v, r) + ") (" + a() + "))[" + g.index() + "]"
			},
			func() string {
				v := g.fresh("v")
				return "tanh (jvp (fun " + v + " => " + g.with(&g.arrays, v, r) + ") (" + a() + ") (" + a() + "))"
			},
		)
	}
	if g.search {
		options = append(options,
			func() string { return "integral (" + r() + ") 1 " + g.realFunction(depth-1) },
			func() string { return "integralFrom 0 (fun x => exp (-x) * (" + g.with(&g.reals, "x", r) + "))" },
			func() string { return "root (-2) 2 (fun x => x^3 + x + tanh (" + r() + "))" },
			func() string { return "cutRoot (fun x => tanh (" + r() + ") - x)" },
			func() string { return "firstRoot (fun x => x - sigmoid (" + r() + "))" },
			func() string { return "maxOver (-1) 1 " + g.realFunction(depth-1) },
			func() string { return "argmaxOver (-2) 2 (fun x => x * tanh (" + r() + ") - x^2)" },
		)
	}
	if g.shapes {
		options = append(options, g.shaped(depth)...)
	}
	if g.pointed {
		options = append(options,
			func() string { return g.some([]string{"max", "min"}) + " (" + r() + ") (" + r() + ")" },
			func() string { return "abs (" + r() + ")" },
			func() string { return g.some([]string{"maximum", "minimum"}) + " (" + a() + ")" },
			func() string { return "(if " + g.less(r) + " then " + r() + " else " + r() + ")" },
			func() string { return "real (floor (3 * (" + r() + ")))" },
		)
	}
	return g.of(options...)
}

func (g *calculus) realFunction(depth int) string {
	if g.chosen && depth > 0 && g.Intn(2) == 0 {
		return g.chosenFunction(depth)
	}
	x := g.fresh("x")
	return "(fun " + x + " => " + g.with(&g.reals, x, func() string { return g.real(depth) }) + ")"
}

// chosenFunction writes a function that is known only when the program runs, as far as there are
// integers to choose by.
func (g *calculus) chosenFunction(depth int) string {
	f := func() string {
		if len(g.functions) > 0 && g.Intn(3) == 0 {
			return g.some(g.functions)
		}
		return g.realFunction(depth - 1)
	}
	options := []func() string{
		func() string { return "(if mod (" + g.index() + ") 2 == 0 then " + f() + " else " + f() + ")" },
		func() string { return "[" + f() + ", " + f() + ", " + f() + "][mod (" + g.index() + ") 3]" },
		func() string {
			i := g.fresh("i")
			return fmt.Sprintf("[%s for %s < %d][%s]", g.with(&g.ints, i, f), i, g.length, g.index())
		},
		func() string {
			h, i := g.fresh("h"), g.fresh("i")
			next := g.with(&g.ints, i, func() string {
				return "if mod (" + g.index() + ") 2 == 1 then " + f() + " else " + h
			})
			return fmt.Sprintf("(loop %s = %s for %s < %d do %s)", h, f(), i, g.length, next)
		},
		func() string {
			return "(match (if " + g.index() + " > 1 then Some " + f() + " else None) with | Some h -> h | None -> " + f() + ")"
		},
	}
	if g.pointed {
		options = append(options, func() string {
			return "(if " + g.less(func() string { return g.real(depth - 1) }) + " then " + f() + " else " + f() + ")"
		})
	}
	return g.of(options...)
}

// array writes an array of reals.
func (g *calculus) array(depth int) string {
	if depth <= 0 || g.Intn(4) == 0 {
		return g.some(g.arrays)
	}
	r := func() string { return g.real(depth - 1) }
	a := func() string { return g.array(depth - 1) }
	options := []func() string{
		func() string {
			i := g.fresh("i")
			return fmt.Sprintf("[%s for %s < %d]", g.with(&g.ints, i, r), i, g.length)
		},
		func() string {
			x := g.fresh("x")
			return "[" + g.with(&g.reals, x, r) + " for " + x + " in " + a() + "]"
		},
		func() string {
			x, y := g.fresh("x"), g.fresh("y")
			body := g.with(&g.reals, x, func() string { return g.with(&g.reals, y, r) })
			return "[" + body + " for (" + x + ", " + y + ") in zip (" + a() + ") (" + a() + ")]"
		},
		func() string { return "map " + g.realFunction(depth-1) + " (" + a() + ")" },
		func() string {
			acc, x := g.fresh("s"), g.fresh("x")
			body := g.with(&g.reals, acc, func() string { return g.with(&g.reals, x, r) })
			return "scan (fun " + acc + " " + x + " => sin (" + body + ")) (" + r() + ") (" + a() + ")"
		},
		func() string { return "softmax (" + a() + ")" },
		func() string { return "(" + a() + " + " + a() + ")" },
		func() string { return "(" + a() + " - " + a() + ")" },
		func() string { return "scale (" + r() + ") (" + a() + ")" },
		func() string { return "array.reverse (" + a() + ")" },
		func() string {
			return fmt.Sprintf("array.accumulate (%s) [mod (%d * i) %d for i < %d] (%s)", a(), 1+g.Intn(5), 1+g.Intn(g.length), g.length, a())
		},
		func() string {
			row, i, j := g.fresh("a"), g.fresh("i"), g.fresh("j")
			cell := g.with(&g.ints, i, func() string { return g.with(&g.ints, j, r) })
			return fmt.Sprintf("[mean %s for %s in [%s for %s < %d, %s < 3]]", row, row, cell, i, g.length, j)
		},
	}
	if g.updated {
		options = append(options, g.updates(depth)...)
	}
	if g.resizes {
		options = append(options, g.resized(depth)...)
	}
	if g.nested {
		options = append(options, func() string {
			v := g.fresh("v")
			return "(map tanh (grad (fun " + v + " => " + g.with(&g.arrays, v, r) + ") (" + a() + ")))"
		})
	}
	if g.pointed {
		options = append(options,
			func() string { return "(if " + g.less(r) + " then " + a() + " else " + a() + ")" },
			func() string { return "array.sort (" + a() + ")" },
		)
	}
	return g.of(options...)
}

// less returns a comparison. Programs with shapes compute a real in many ways, so that rounding
// would decide whether it is less than itself.
func (g *calculus) less(r func() string) string {
	if g.shapes {
		return fmt.Sprintf("%s + %.4f < %s", r(), g.Float64()/8, r())
	}
	return r() + " < " + r()
}

// point returns a literal array of numbers without coincidences.
func (g *calculus) point() string {
	words := make([]string, g.length)
	for k := range words {
		words[k] = fmt.Sprintf("%.4f", 2*g.Float64()-1)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
