package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// parseText parses a text and gives what was said about it.
func parseText(text string) (*Module, []*diag.Diagnostic) {
	var list diag.List
	m := Parse(diag.NewFile("t.flx", text), &list)
	return m, list.Sorted()
}

// TestHostile gives the parser what no one writes by hand. Each must end with one
// clear error, or none, and without a deep tree.
func TestHostile(t *testing.T) {
	const many = 100_000
	for _, c := range []struct {
		name, text string
		want       diag.Code // "" if nothing is wrong
	}{
		{"parens", strings.Repeat("(", many) + "1" + strings.Repeat(")", many), diag.TooDeep},
		{"only open", strings.Repeat("(", 10_000_000), diag.TooDeep},
		{"only close", strings.Repeat(")", 1_000_000), diag.UnmatchedClose},
		{"brackets", strings.Repeat("[", many), diag.TooDeep},
		{"braces", strings.Repeat("{x = ", many), diag.TooDeep},
		{"minus", strings.Repeat("- ", many) + "1", diag.TooDeep},
		{"powers", strings.Repeat("x^", many) + "1", diag.TooDeep},
		{"functions", strings.Repeat("fun x => ", many) + "x", diag.TooDeep},
		{"ifs", strings.Repeat("if a then b else ", many) + "x", diag.TooDeep},
		{"lets", "1 + " + strings.Repeat("let a = 1 in ", many) + "x", diag.TooDeep},
		{"matches", strings.Repeat("match a with | b -> ", many) + "x", diag.TooDeep},
		{"sum", strings.Repeat("x + ", many) + "x", diag.TooDeep},
		{"fields", "x" + strings.Repeat(".x", many), diag.TooDeep},
		{"indices", "x" + strings.Repeat("[0]", many), diag.TooDeep},
		{"sums in sums", strings.Repeat("(", 200) + "x" + strings.Repeat(strings.Repeat(" + x", 200)+")", 200), diag.TooDeep},
		{"patterns", "let " + strings.Repeat("(", many), diag.TooDeep},
		{"pattern records", "let " + strings.Repeat("{a = ", many), diag.TooDeep},
		{"function types", "type T = " + strings.Repeat("a -> ", many) + "a", diag.TooDeep},
		{"array types", "type T = " + strings.Repeat("[]", many) + "a", diag.TooDeep},
		{"paren types", "type T = " + strings.Repeat("(", many), diag.TooDeep},
		{"record types", "type T = " + strings.Repeat("{a : ", many), diag.TooDeep},
		{"power types", "type T = a" + strings.Repeat("^2", many), diag.TooDeep},
		{"long array", "[" + strings.Repeat("1, ", many) + "1]", ""},
		{"long application", "f" + strings.Repeat(" x", many), ""},
		{"many sums", "[" + strings.Repeat("a + f b.c, ", many) + "1]", ""},
		{"many arms", "match a with" + strings.Repeat(" | Some b -> b + 1", many), ""},
		{"many definitions", strings.Repeat("let f (Some a) b = a + b.c\n", many), ""},
		{"many parameters", "let f" + manyNames(many) + " = 1", ""},
		{"long name", strings.Repeat("x", 50_000_000), ""},
		{"long string", "\"" + strings.Repeat("x", 50_000_000) + "\"", ""},
		{"long comment", "--" + strings.Repeat("x", 50_000_000), ""},
		{"long number", strings.Repeat("1", 50_000_000), diag.BadNumber},
		{"nested comments", strings.Repeat("{-", many), diag.UnclosedComment},
		{"long bad line", strings.Repeat("x )", 1_000_000), diag.UnmatchedClose},
		{"too large", strings.Repeat(" ", MaxFileSize+1), diag.TooLarge},
		{"many nodes", "[" + strings.Repeat("1,", 25_000_000) + "1]", diag.TooLarge},
		{"zero bytes", strings.Repeat("\x00", many), diag.BadCharacter},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, list := parseText(c.text)
			if c.want == "" && len(list) > 0 || c.want != "" && (len(list) == 0 || list[0].Code != c.want) {
				t.Fatalf("want %q, got %v", c.want, list)
			}
			if c.want == diag.TooDeep && len(list) != 1 {
				t.Errorf("%d errors", len(list))
			}
			for _, d := range list[:min(len(list), 3)] {
				var out strings.Builder
				diag.Render(&out, d, diag.Options{})
				if out.Len() > 2000 {
					t.Errorf("the message has %d bytes", out.Len())
				}
			}
			if h := treeHeight(m); h > 2*MaxDepth+2 { // a match has its arms in between
				t.Errorf("the tree is %d high", h)
			}
		})
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " x%d", i)
	}
	return b.String()
}

// treeHeight returns the height of a tree, found without recursion.
func treeHeight(m *Module) (height int) {
	type entry struct {
		n     Node
		depth int
	}
	var stack []entry
	push := func(depth int) func(Node) { return func(n Node) { stack = append(stack, entry{n, depth}) } }
	for _, d := range m.Decls {
		push(1)(d)
	}
	if m.Final != nil {
		push(1)(m.Final)
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		height = max(height, e.depth)
		children(e.n, push(e.depth+1))
	}
	return height
}

// TestLinear counts tokens: each is made once, however much goes wrong.
func TestLinear(t *testing.T) {
	for _, unit := range []string{
		"let f x = x + 1\n",
		"let f x = (x + \n",
		"let f x =\n  let y = ) 1\n  y\n",
		"let f x = match x with | A -> ( | B -> ]\n",
		"let f = [1, (2 +, 3]\n",
		"import\ntype\ndata\n",
		"if then else\n",
		"{a = 1, = 2 } ]\n",
		"f (a\nb) c\n",
	} {
		count := func(n int) int {
			p := newParser(nil, diag.NewFile("t.flx", strings.Repeat(unit, n)), new(diag.List))
			p.module()
			return p.lex.tokens
		}
		few, many := count(100), count(1000)
		if many > 10*few+100 {
			t.Errorf("%q: %d tokens for 100, %d for 1000", unit, few, many)
		}
	}
}

func TestIncomplete(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"1 + 2", false},
		{"1 +", true},
		{"f (1, 2", true},
		{"let x = 1", false},
		{"let x =", true},
		{"let f x =\n  let y = 1", true},
		{"let f x =\n  let y = 1\n  y", false},
		{"if a then b", true},
		{"match x with", true},
		{"match x with\n| A -> 1", false},
		{"fun x =>", true},
		{"[1, 2,", true},
		{"{- comment", true},
		{"{x = 1", true},
		{"1 + )", false},
		{"\"abc", false},
		{"let x = ) +", false},
		{"loop s = 0 for i < 10 do", true},
		{"data T =", true},
	} {
		if got := Incomplete(c.text); got != c.want {
			t.Errorf("Incomplete(%q) = %v", c.text, got)
		}
	}
}

// generated returns a module of about n lines of the kind that people write.
func generated(n int) string {
	var b strings.Builder
	for i := range n / 8 {
		fmt.Fprintf(&b, "--| Function number %d.\nlet f%d (x y : Real) (z : Int) : Real =\n", i, i)
		fmt.Fprintf(&b, "  let a = x * y + %d.5 -- a comment\n  let b = if a < 0 then -a else g (a + 1) z\n", i)
		fmt.Fprintf(&b, "  match h b with\n  | Some (u, v) -> u + v^2 + p.x\n  | None -> xs[z] + sum [real i * b for i < z]\n\n")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	const lines = 100_000
	text := generated(lines)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		file := diag.NewFile("bench.flx", text)
		var list diag.List
		if Parse(file, &list); list.Failed() {
			b.Fatal(list.Sorted()[0])
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkLex(b *testing.B) {
	const lines = 100_000
	file := diag.NewFile("bench.flx", generated(lines))
	b.SetBytes(int64(len(file.Text)))
	for b.Loop() {
		l := newLexer(nil, file, new(diag.List))
		for l.next().kind != kEOF {
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkFormat(b *testing.B) {
	const lines = 10_000
	m, _ := parseText(generated(lines))
	for b.Loop() {
		Format(m, FormatOptions{})
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
