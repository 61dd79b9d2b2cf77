package delta

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// explain prints what was made of the function: the translations of all definitions that it
// reaches, module by module with its own last, and the wrapper.
func (t *dual) explain(p *core.Program, e, wrapper *core.Def) string {
	// A use of a definition that is not printed too would show its type, so
	// the whole program is printed and what is wanted kept.
	whole := t.program(p)
	texts := map[string]string{}
	for i, text := range strings.Split("\n"+core.Print(whole), "\ndef ")[1:] {
		texts[whole.Defs[i].Name] = "def " + strings.TrimSpace(text) + "\n"
	}
	var shown, own []string
	last := ""
	for _, d := range p.Defs {
		made := t.made[d.Name]
		switch module := moduleOf(d); {
		case made == nil || module == "" || module == "Δ": // not of a program
		case module == moduleOf(e):
			own = append(own, texts[made.Name])
		default:
			if module != last {
				shown = append(shown, fmt.Sprintf("-- of module %s\n", module))
				last = module
			}
			shown = append(shown, texts[made.Name])
		}
	}
	if shown != nil {
		shown = append(shown, fmt.Sprintf("-- of module %s\n", moduleOf(e)))
	}
	shown = append(shown, own...)
	if made := t.made[objectiveName(e)]; made != nil {
		shown = append(shown, texts[made.Name])
	}
	return strings.Join(append(shown, texts[wrapper.Name]), "\n")
}

// moduleOf returns the module of a definition, or of the one of which it is a
// translation: that of 𝒟{list.fold} is list. A primitive has none.
func moduleOf(d *core.Def) string {
	name, _, _ := strings.Cut(d.Name, "<")
	module, _, _ := strings.Cut(name[strings.LastIndex(name, "{")+1:], ".")
	if strings.ContainsAny(module, " }") {
		return ""
	}
	return module
}

// variables names the reals of the argument by the ways to them: s.q.x, s[0].
func variables(p *papers.Problem) []string {
	name := argument(p.Fun)
	var names []string
	var walk func(v value.Value, path string)
	each := func(vs []value.Value, path string) {
		for i, v := range vs {
			walk(v, fmt.Sprintf("%s[%d]", path, i))
		}
	}
	walk = func(v value.Value, path string) {
		switch v := v.(type) {
		case value.Real:
			names = append(names, path)
		case value.Reals:
			for i := range v {
				names = append(names, fmt.Sprintf("%s[%d]", path, i))
			}
		case value.Tuple:
			each(v, path)
		case value.Array:
			each(v, path)
		case value.Con:
			each(v.Args, path+"."+v.Name)
		case value.Record:
			for _, f := range v {
				walk(f.Value, path+"."+notation.Field(f.Name))
			}
		}
	}
	walk(p.At, name)
	return names
}

// argument returns the name of a function's argument.
func argument(e *core.Def) string {
	if fun := e.Function(); fun != nil && fun.Params[0].Name != "" {
		return fun.Params[0].Name
	}
	return "s"
}

// maxLets bounds the Lets of a Delta that are shown.
const maxLets = 1000

// showDelta prints a Delta with one Let per line, as Delta Fig. 12 does.
func showDelta(u value.Value, names []string) string {
	var out strings.Builder
	variable := func(v value.Value) string {
		id := int(v.(value.Int))
		if id <= len(names) {
			return names[id-1]
		}
		return fmt.Sprintf("x%d", id-len(names))
	}
	var term func(u value.Value) string
	term = func(u value.Value) string {
		con := u.(value.Con)
		switch con.Name {
		case "Scale", "Scale2":
			return fmt.Sprintf("Scale %s (%s)", parens(value.Show(con.Args[0])), term(con.Args[1]))
		case "Add", "Add2":
			return fmt.Sprintf("Add (%s) (%s)", term(con.Args[0]), term(con.Args[1]))
		case "Var":
			return "Var " + variable(con.Args[0])
		case "OneHot":
			return "OneHot " + variable(con.Args[0])
		}
		return "Zero"
	}
	for lets := 0; ; lets++ {
		con := u.(value.Con)
		if con.Name != "Let" {
			if lets > maxLets {
				fmt.Fprintf(&out, "… (%d more)\n", lets-maxLets)
			}
			break
		}
		u = con.Args[2]
		if lets >= maxLets {
			continue
		}
		fmt.Fprintf(&out, "Let %s = %s in\n", variable(con.Args[0]), term(con.Args[1]))
	}
	out.WriteString(term(u) + "\n")
	return out.String()
}

func parens(number string) string {
	if strings.HasPrefix(number, "-") {
		return "(" + number + ")"
	}
	return number
}
