package service

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// apply carries out edits of one document.
func apply(text string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return int(b.At.Start - a.At.Start) })
	for _, e := range edits {
		text = text[:e.At.Start] + e.Text + text[e.At.End:]
	}
	return text
}

const path = "/tmp/document.flx"

// TestFixes: each mistake is mended by the first action that is offered for it.
func TestFixes(t *testing.T) {
	for _, mistake := range []string{
		"let n = length [1, 2]\nn / 2\n",
		"1.5 + length [1, 2]\n",
		"let f (x : Real) (y : Real) : Real = x * y\nf (1, 2)\n",
		"let f (p : (Real, Real)) : Real = p[0]\nf 1 2\n",
		"squrt 2\n",
		"matMul [[1]] [[2]]\n",
		"linalg.det [[1]]\n",
		"if 1 = 2 then 3 else 4\n",
		"let x = 1\n2x + 1\n",
		".5 + 1\n",
		"1. + 1\n",
		"let p = {mass = 1}\np.mas\n",
		"let f (x : Rael) : Real = x\nf 2\n",
		"True\n",
		"data S = A | B | C Real\nlet f (s : S) : Real =\n  match s with\n  | A -> 1\nf B\n",
		"import linalg\n\n1\n",
		"let f (x : Real) : Real =\n  let y = 2\n  x\nf 1\n",
		"1 <> 2\n",
		"true && false and true\n",
		"let xs = [1.0, 2]\nsin xs\n",
		"let xs = [1.0, 2]\nmax xs 0\n",
		"let xs = [1.0, 2]\n2 * xs\n",
		"let xs = [1.0, 2]\n1 + xs\n",
		"let x = 1\n0 < x < 2\n",
		"√2\n",
		"let f (x : Real) : Real = x\nf -1\n",
		"math.sin 2\n",
		"np.det [[1]]\n",
		"let f (xs : [2n]Real) (ys : [n]Real) : Real = xs[0] + ys[0]\nf [1, 2] [1]\n",
		"type Rows = [n]Real\nlet f (r : Rows) : Real = r[0]\nf [1]\n",
		"let f = fun x -> x + 1\nf 1\n",
		"let f x = match x with | None => 1 | Some y -> y\nf None\n",
		"let p = {x: 1}\np.x\n",
		"let f (p : {x = Real}) = p.x\nf {x = 1}\n",
		"[1; 2]\n",
		"let b = true\n!b\n",
		"let x = 1\nif x > 0 and x < 2 then 1 else 0\n",
		"let x = 1\nif x > 0 or x < 2 then 1 else 0\n",
		"let x = 1\nif x > 0 then 1 elif x < 2 then 2 else 0\n",
		"x = 5\nx + 1\n",
		"let xs = [1.0, 2]\nxs [0]\n",
		"let xs = [1.0, 2]\nxs.length + 1\n",
		"let f (x : Real) : Real = x ^ 0.5\nf 2\n",
		"float 2\n",
		"sorted [2.0, 1]\n",
		"let n = 3\nloop s = 0 for i <= n do s + i\n",
		"let n = 3\n[i for i <= n - 1]\n",
		"sum(2 * x for x in [1.0, 2])\n",
		"sum(1:10)\n",
		"sum(zeros(3))\n",
		"[i for i in 3]\n",
		"let xs = [1.0, 2]\nxs ** 0.5\n",
		"let xs = [1.0, 2]\nxs[[0, 1]]\n",
		"let loss = 1.5\n\"loss {loss:.3f}\"\n",
		"type T = A | B\nA\n",
		"let f (x y : a) (z : a) : a = x * y + z + 1.0\nf 1 2 3\n",
		"let p = {x = 1}\np .x\n",
		"[i + j for i < 2, j < 3 if i < j]\n",
		"let f (xs : [n / 2]Real) : Real = sum xs\nf [1]\n",
		"int 2.5\n",
	} {
		s := New()
		s.Open(path, mistake, 1)
		before := s.Diagnostics(path)
		if len(before) == 0 {
			t.Errorf("nothing is wrong with %q", mistake)
			continue
		}
		actions := s.Actions(path, 0, len(mistake))
		if len(actions) == 0 || actions[0].Mends == nil {
			t.Errorf("nothing is offered for %q: %s", mistake, before[0].Error())
			continue
		}
		mended := apply(mistake, actions[0].Edits)
		s.Open(path, mended, 2)
		for _, d := range s.Diagnostics(path) {
			t.Errorf("%q became %q, where %s", mistake, mended, d.Error())
		}
	}
}

// asks is a hint that says what to write.
var asks = regexp.MustCompile("[wW]rite `([^`]+)`")

// withoutEdit are the hints that say what to write and cannot be carried out, because they show the
// form of something of which the program has only a part.
var withoutEdit = map[string]string{
	"length xs":                            "which array has the size is not known where it is not a parameter's own",
	"if c then … else fail \"why\"":        "the program has no reason to give",
	"[if x > 0 then a else b for x in xs]": "which of the arguments are arrays is not known",
	"[xs[2 * i] for i < n]":                "the length depends on the array",
	"if c then a else b":                   "where the condition starts is not known to the lexer, which meets the `?`",
	"match … with | A x | B x -> …":        "the definition has to be rewritten",
	"f (g x)":                              "where the argument ends is not known to the lexer, which meets the `$`",
	"let x = e in body":                    "the body is missing, or inside the value",
	"[e for x in xs if c]":                 "the other value of the `if` is missing",
	"data = …":                             "the value is missing",
	"type = …":                             "the pattern is missing",
	"A = …":                                "the pattern is missing",
	"(x y : Real) z":                       "the parameters have to be regrouped",
	"import list":                          "the name is missing",
	"import \"./mine.flx\" as M":           "the name is missing",
	"for i < n":                            "the bound is missing",
	"_":                                    "which names an arm does not use is not known to the parser",
	"\\n":                                  "where the string ends is not known",
}

// TestFixesOfPrograms: what a diagnostic offers does away with it, in the programs that people
// coming from other languages may write and in all others of which a hint says what to write; and
// that is always offered, except for the hints of withoutEdit.
func TestFixesOfPrograms(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no programs")
	}
	seen, s, after := map[string]bool{}, New(), New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !asks.Match(text) && !strings.Contains(file, "habits") {
			continue
		}
		for _, part := range txtar.Parse(text).Files {
			if !strings.HasSuffix(part.Name, ".flx") {
				continue
			}
			s.Open(path, string(part.Data), 1)
			for _, d := range s.Diagnostics(path) {
				for _, hint := range d.Hints {
					asked := asks.FindStringSubmatch(hint)
					if asked == nil || len(d.Fixes) > 0 {
						continue
					}
					if seen[asked[1]] = true; withoutEdit[asked[1]] == "" {
						t.Errorf("%s: nothing is offered for %q of: %s", file, hint, d.Error())
					}
				}
				for _, fix := range d.Fixes {
					mended := apply(string(part.Data), s.look(path).fixed(fix))
					after.Open(path, mended, 1)
					if slices.ContainsFunc(after.Diagnostics(path), func(e *diag.Diagnostic) bool {
						return e.Code == d.Code && e.Span.Start == d.Span.Start && e.Message == d.Message
					}) {
						t.Errorf("%s: %q does not mend: %s", file, fix.Title, d.Error())
					}
				}
			}
		}
	}
	for hint := range withoutEdit {
		if !seen[hint] {
			t.Errorf("no program has the hint %q without an edit", hint)
		}
	}
}

func TestRewritings(t *testing.T) {
	text := "let f (x : Real) =\n  x * 2 + sin x\n\nf 1\n"
	s := New()
	s.Open(path, text, 1)
	find := func(title string, start, end int) string {
		for _, a := range s.Actions(path, start, end) {
			if strings.HasPrefix(a.Title, title) {
				return apply(text, a.Edits)
			}
		}
		t.Fatalf("%s is not offered", title)
		return ""
	}
	at := strings.Index(text, "f")
	if got := find("Write the inferred type", at, at); !strings.HasPrefix(got, "let f (x : Real) : Real =\n") {
		t.Errorf("annotated: %s", got)
	}
	at = strings.Index(text, "x * 2")
	got := find("Extract", at, at+5)
	want := "let extracted (x : Real) : Real =\n  x * 2\n\nlet f (x : Real) =\n  (extracted x) + sin x\n\nf 1\n"
	if got != want {
		t.Errorf("extracted: %s", got)
	}
	s.Open(path, got, 2)
	if found := s.Diagnostics(path); len(found) > 0 {
		t.Errorf("after the extraction: %v", found[0])
	}
	if a, ok := s.look(path).extract(strings.Index(got, "sin x"), strings.Index(got, "sin x")+5); !ok || !strings.HasPrefix(a.Edits[0].Text, "let extracted2 ") {
		t.Errorf("a second extraction: %v", a)
	}
}

// TestFolds: a loop and the fold that it becomes have the same value.
func TestFolds(t *testing.T) {
	for _, c := range []struct{ loop, fold string }{
		{"loop s = 0 for x in [1, 2, 3] do s * 10 + x", "fold (fun s x => s * 10 + x) 0 [1, 2, 3]"},
		{"loop s = -1 for i < 2 + 3 do s + real i", "fold (fun s i => s + real i) (-1) (iota (2 + 3))"},
		{"loop (a, b) = (0, 1) for _ < 10 do\n  let c = a + b\n  (b, c)", "fold (fun (a, b) _ =>\n  let c = a + b\n  (b, c)) (0, 1) (iota 10)"},
		{"loop (s : Real) = sin 1 for (x, y) in [(1, 2)] do s + x * y", "fold (fun (s : Real) (x, y) => s + x * y) (sin 1) [(1, 2)]"},
		{"loop x = 8 while x > 1 do x / 2", ""},
		{"let fold x = x\nloop s = 0 for x in [1] do fold s + x", ""},
	} {
		s := New()
		s.Open(path, c.loop+"\n", 1)
		got := ""
		for _, a := range s.Actions(path, strings.Index(c.loop, "loop"), strings.Index(c.loop, "loop")) {
			if strings.HasPrefix(a.Title, "Turn") {
				got = strings.TrimSuffix(apply(c.loop+"\n", a.Edits), "\n")
			}
		}
		if got != c.fold {
			t.Errorf("%s becomes %s, want %s", c.loop, got, c.fold)
		} else if got != "" {
			if a, b := result(t, c.loop+"\n", nil).Text, result(t, got+"\n", nil).Text; a != b {
				t.Errorf("%s is %s, and %s is %s", c.loop, a, got, b)
			}
		}
	}
}
