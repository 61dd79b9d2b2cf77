package check

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The declarations of testTypes, as a program.
const testDecls = `data Colour = Red | Green | Blue
data Wrapper = Wrap Colour Bool | Bare
data Bits = Nil | Cons Bool Bits
`

// writePattern prints a pattern, with variables v0, v1 … at the places of type
// Int that it does not test, and lists these places by the path to them.
func writePattern(out *strings.Builder, p *pat, ty types.Type, path []int, vars *[][]int) {
	parts := partTypes(ty, p.head)
	sub := func(i int) {
		writePattern(out, p.args[i], parts[i], append(append([]int(nil), path...), i), vars)
	}
	switch p.head.kind {
	case anything:
		if ty == types.Type(types.Int) {
			fmt.Fprintf(out, "v%d", len(*vars))
			*vars = append(*vars, path)
		} else {
			out.WriteByte('_')
		}
	case dataHead:
		out.WriteString("(" + p.head.con.Name)
		for i := range p.args {
			out.WriteByte(' ')
			sub(i)
		}
		out.WriteByte(')')
	case tupleHead:
		for i := range p.args {
			out.WriteString([]string{"(", ", "}[min(i, 1)])
			sub(i)
		}
		out.WriteByte(')')
	case recordHead:
		for i := range p.args {
			out.WriteString([]string{"{", ", "}[min(i, 1)] + p.head.record.Fields[i].Name + " = ")
			sub(i)
		}
		out.WriteByte('}')
	default:
		out.WriteString((&witness{info: &Info{}}).show(p))
	}
}

// writeValue prints a value; below the depth to which values are listed any
// will do.
func writeValue(out *strings.Builder, v *pat, ty types.Type) {
	if v.head.kind == anything {
		h := headsOf(ty)[0]
		v = &pat{head: h, args: wildcards(h.arity())}
	}
	parts := partTypes(ty, v.head)
	open, sep, end := "", "", ""
	switch v.head.kind {
	case dataHead:
		open, sep, end = "("+v.head.con.Name+" ", " ", ")"
	case tupleHead:
		open, sep, end = "(", ", ", ")"
	case recordHead:
		open, sep, end = "{", ", ", "}"
	default:
		out.WriteString((&witness{info: &Info{}}).show(v))
		return
	}
	out.WriteString(open)
	for i, arg := range v.args {
		if i > 0 {
			out.WriteString(sep)
		}
		if v.head.kind == recordHead {
			out.WriteString(v.head.record.Fields[i].Name + " = ")
		}
		writeValue(out, arg, parts[i])
	}
	out.WriteString(end)
}

// TestCompiledMatch runs random matches, compiled in both ways, and compares
// arm and variables with trying the arms one by one.
func TestCompiledMatch(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ty, pats := drawMatch(t)
		var program strings.Builder
		program.WriteString(testDecls)
		fmt.Fprintf(&program, "let f (x : %s) : Int = match x with\n", types.Show(ty))
		vars := make([][][]int, len(pats))
		for i, p := range pats {
			program.WriteString("  | ")
			writePattern(&program, p, ty, nil, &vars[i])
			fmt.Fprintf(&program, " -> %d", 100*i)
			for j := range vars[i] {
				fmt.Fprintf(&program, " + v%d", j)
			}
			program.WriteByte('\n')
		}
		program.WriteString("  | _ -> -1\n[")
		var want []string
		for i, v := range rapid.SliceOfN(rapid.SampledFrom(values(ty, patDepth)), 1, 20).Draw(t, "values") {
			if i > 0 {
				program.WriteString(", ")
			}
			program.WriteString("f ")
			program.WriteByte('(')
			writeValue(&program, v, ty)
			program.WriteByte(')')
			arm := firstMatch(pats, v)
			if arm < 0 {
				want = append(want, "-1")
				continue
			}
			result := int64(100 * arm)
			for _, path := range vars[arm] {
				at := v
				for _, i := range path {
					at = at.args[i]
				}
				result += at.head.n // 0 below the depth of values, as writeValue has it
			}
			want = append(want, fmt.Sprint(result))
		}
		program.WriteString("]\n")
		for _, factor := range []int{4, 0} {
			got := evaluate(t, program.String(), factor)
			if want := "[" + strings.Join(want, ", ") + "]"; got != want {
				t.Fatalf("tree factor %d: got %s, want %s\n%s", factor, got, want, program.String())
			}
		}
	})
}

// evaluate runs a program of monomorphic definitions.
func evaluate(t *rapid.T, text string, treeFactor int) string {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
	info := Check(module, Options{Name: "in"}, &sink)
	if !sink.Failed() {
		Patterns(nil, info, &sink)
	}
	if sink.Failed() {
		var out strings.Builder
		diag.RenderAll(&out, &sink, diag.Options{})
		t.Fatalf("%s\n%s", text, out.String())
	}
	e := newElaborator(nil, info, &sink)
	e.treeFactor = treeFactor
	program := e.module()
	if err := core.Verify(program, core.Mono); err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, core.Print(program))
	}
	return coretest.Outcome(coretest.Eval(program))
}
