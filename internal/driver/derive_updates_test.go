package driver_test

import "fmt"

// updates are arrays that are made by updates of others: in loops, on sides of branches, of rows
// and of fields, with the old versions read, kept and handed on.
func (g *calculus) updates(depth int) []func() string {
	r := func() string { return "sin (" + g.real(depth-1) + ")" }
	a := func() string { return g.array(depth - 1) }
	under := func(names []string, write func() string) string {
		for _, name := range names {
			write = func(name string, inner func() string) func() string {
				return func() string { return g.with(&g.arrays, name, inner) }
			}(name, write)
		}
		return write()
	}
	// set is a path with a value, of the array of a name.
	set := func(path string) string { return fmt.Sprintf("%s[%s] = %s", path, g.index(), r()) }
	sets := func(path func() string) string {
		text := set(path())
		for range g.Intn(3) {
			text += ", " + set(path())
		}
		return text
	}
	bare := func() string { return "" }
	turns := func(state, init, body string) string {
		return fmt.Sprintf("(loop %s = %s for k < %d do %s)", state, init, g.length, body)
	}
	counted := func(write func() string) string { return g.with(&g.ints, "k", write) }
	return []func() string{
		func() string { return "{" + g.some(g.arrays) + " with " + sets(bare) + "}" },
		func() string { // the old version lives on
			w, u := g.fresh("w"), g.fresh("w")
			text := "(let " + w + " = " + a() + " in "
			return text + under([]string{w}, func() string {
				return "let " + u + " = {" + w + " with " + sets(bare) + "} in " + under([]string{u}, a) + " + " + w
			}) + ")"
		},
		func() string { // captured
			w, h := g.fresh("w"), g.fresh("h")
			return "(let " + w + " = " + a() + " in " + under([]string{w}, func() string {
				return "let " + h + " = (fun x => x * " + w + "[" + g.index() + "]) in scale (" + h + " 0.5) {" + w + " with " + sets(bare) + "}"
			}) + ")"
		},
		func() string {
			w := g.fresh("w")
			init := a()
			return under([]string{w}, func() string {
				return turns(w, init, counted(func() string { return "{" + w + " with " + sets(bare) + "}" }))
			})
		},
		func() string { // one after the other, some of them in branches
			w, u := g.fresh("w"), g.fresh("w")
			init := a()
			return under([]string{w}, func() string {
				return turns(w, init, counted(func() string {
					first := "{" + w + " with " + sets(bare) + "}"
					if g.Intn(2) == 0 {
						first = "(if mod k 2 == 0 then " + first + " else " + g.some([]string{w, g.some(g.arrays)}) + ")"
					}
					return "(let " + u + " = " + first + " in " + under([]string{u}, func() string {
						return "{" + g.some([]string{u, u, w}) + " with " + sets(bare) + "}"
					}) + ")"
				}))
			})
		},
		func() string { // two that swap
			p, q := g.fresh("p"), g.fresh("q")
			init := "(" + a() + ", " + a() + ")"
			return under([]string{p, q}, func() string {
				next := func() string {
					from := g.some([]string{p, q})
					if g.Intn(3) == 0 {
						return from
					}
					return "{" + from + " with " + sets(bare) + "}"
				}
				return "(fst " + turns("("+p+", "+q+")", init, counted(func() string { return "(" + next() + ", " + next() + ")" })) + ")"
			})
		},
		func() string {
			w := g.fresh("w")
			init := a()
			return under([]string{w}, func() string {
				return counted(func() string {
					more := ""
					if g.pointed {
						more = fmt.Sprintf(" && %s[%s] < 0.7", w, g.index())
					}
					body := "{" + w + " with " + sets(bare) + "}"
					return fmt.Sprintf("(fst (loop (%s, k) = (%s, 0) while k < %d%s do (%s, k + 1)))", w, init, g.length, more, body)
				})
			})
		},
		func() string { // rows, which are swapped too
			m := g.fresh("m")
			init := "[" + a() + ", " + a() + "]"
			return under([]string{m + "[0]", m + "[1]"}, func() string {
				return turns(m, init, counted(func() string {
					if g.Intn(3) == 0 {
						return "{" + m + " with [0] = " + m + "[1], [1] = " + a() + "}"
					}
					return "{" + m + " with " + sets(func() string { return "[mod k 2]" }) + "}"
				})) + "[" + fmt.Sprint(g.Intn(2)) + "]"
			})
		},
		func() string { // fields
			s := g.fresh("s")
			init := "{b = " + r() + ", xs = " + a() + ", ys = " + a() + "}"
			return under([]string{s + ".xs", s + ".ys"}, func() string {
				return turns(s, init, counted(func() string {
					return "{" + s + " with " + sets(func() string { return g.some([]string{"xs", "ys"}) }) + ", b = " + r() + "}"
				})) + "." + g.some([]string{"xs", "ys"})
			})
		},
		func() string { // three deep
			c := g.fresh("c")
			init := "[{b = 1, m = [" + a() + ", " + a() + "]}, {b = 2, m = [" + a() + ", " + a() + "]}]"
			return under([]string{c + "[0].m[1]", c + "[mod k 2].m[0]"}, func() string {
				return turns(c, init, counted(func() string {
					return "{" + c + " with " + sets(func() string { return g.some([]string{"[0].m[mod k 2]", "[mod k 2].m[1]"}) }) + "}"
				})) + "[1].m[" + fmt.Sprint(g.Intn(2)) + "]"
			})
		},
	}
}
