package repl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// talk gives a session its inputs and collects what it says.
func talk(t *testing.T, inputs ...string) (s *Session, out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	s = NewSession(&o, &e)
	s.Settings = driver.Settings{Limits: interp.DefaultLimits()}
	for _, input := range inputs {
		if s.Handle(context.Background(), input) {
			break
		}
	}
	return s, o.String(), e.String()
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs []string
		out    string
	}{
		{"expression", []string{"1 + 2"}, "3\n"},
		{"definition", []string{"let f x = x + 0.5", "f 1"}, "f : Real -> Real\n1.5\n"},
		{"redefinition", []string{"let x = 1", "let x = x + 1", "x"}, "x : Real\nx : Real\n2\n"},
		{"data", []string{"data T = A | B Real", "B 2"}, "data T = A | B Real\nB 2\n"},
		{"import stays", []string{"import list", "list.length Nil"}, "0\n"},
		{"type of a name", []string{":type map"}, "(a -> b) -> [n]a -> [n]b\n"},
		{"type of an expression", []string{":type fun x => x"}, "a -> a\n"},
		{"abbreviated command", []string{":t 1"}, "Real\n"},
		{"doc of a definition", []string{"--| Doubles.\nlet twice (x : Real) = 2 * x", ":doc twice"}, "twice : Real -> Real\ntwice : (x : Real) -> Real\n  Doubles.\n"},
		{"browse the session", []string{"let x = 1", ":browse"}, "x : Real\nx : Real\n"},
		{"exact", []string{":eps 1e-4", "1/3", ":float", "1/4"}, "[0.3333, 0.3334]\n0.25\n"},
		{"the last result", []string{"1 + 2", "let y = 2 * it", "it + y", "it"}, "3\ny : Real\n9\n9\n"},
		{"the result of definitions", []string{"let a = 4\na + 1", "it + a"}, "a : Real\n5\n9\n"},
		{"a definition called it", []string{"let it = 4\nit + 1", "it"}, "it : Real\n5\n4\n"},
		{"a matrix", []string{"[[1, 20], [300, 4]]"}, "[[  1, 20],\n [300,  4]]\n"},
		{"a long array", []string{"iota 10_000", "length it"}, "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …, 9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999]\n" +
			"-- … stands for what is not shown; `:all` prints the last result whole, `:all EXPR` another\n10000\n"},
		{"quit", []string{":quit", "1"}, ""},
		{"nothing", []string{"", "   "}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, out, errors := talk(t, c.inputs...); out != c.out || errors != "" {
				t.Errorf("says %q and complains %q, want %q", out, errors, c.out)
			}
		})
	}
}

func TestComplaints(t *testing.T) {
	for input, want := range map[string]string{
		"nonsense":     "E0201",
		"div 1 0":      "E0503",
		":nothing":     "there is no command",
		":":            "there is no command",
		":type":        "needs an argument",
		":load no.flx": "E0701",
		":reload":      "no file has been loaded",
		":browse none": "there is no module",
		":eps wide":    "not a tolerance",
		":eps -1":      "not a tolerance",
		":doc sqrtt":   "did you mean `sqrt`",
	} {
		if _, out, errors := talk(t, input, "40 + 2"); !strings.Contains(errors, want) || out != "42\n" {
			t.Errorf("%s: complains %q, want %q; then says %q", input, errors, want, out)
		}
	}
}

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.flx")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("let x = 1\n")
	var out, errors bytes.Buffer
	s := NewSession(&out, &errors)
	s.Settings = driver.Settings{Limits: interp.DefaultLimits()}
	say := func(input string) string {
		out.Reset()
		errors.Reset()
		s.Handle(context.Background(), input)
		return out.String() + errors.String()
	}
	say(":load " + path)
	if got := say("x"); got != "1\n" {
		t.Errorf("after loading x is %q", got)
	}
	write("let x = 2\nlet y = x\n")
	say(":reload")
	if got := say("x + y"); got != "4\n" {
		t.Errorf("after reloading x + y is %q", got)
	}
	write("let x = oops\n")
	if got := say(":reload"); !strings.Contains(got, "E0201") {
		t.Errorf("a broken file gives %q", got)
	}
	write("let x = 3\n")
	say(":reload")
	if got := say("x"); got != "3\n" {
		t.Errorf("after mending x is %q", got)
	}
}

// TestFailedLoad: what was defined before a file that cannot be loaded keeps its
// meaning after it.
func TestFailedLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wrong.flx")
	if err := os.WriteFile(path, []byte("let x = )\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, _ := talk(t, "let x = 1", "let old () = x", ":load "+path, "let x = 20", "(x, old ())")
	if !strings.HasSuffix(out, "\n(20, 1)\n") {
		t.Errorf("says %q", out)
	}
}

// TestConstantsAreKept: a constant is evaluated by the first input that uses it, and
// by no other, unless it holds a function or the values are exact.
func TestConstantsAreKept(t *testing.T) {
	evaluated := 0
	var out, errors bytes.Buffer
	s := NewSession(&out, &errors)
	s.Settings = driver.Settings{Limits: interp.DefaultLimits(), Watch: func(string) { evaluated++ }}
	for _, c := range []struct {
		input, says string
		evaluated   int
	}{
		{"let w = progress \"w\" {a = [1, 2], b = Some \"text\"}", "w : {a : [2]Real, b : Option String}\n", 0},
		{"w", "{a = [1, 2], b = Some \"text\"}\n", 1},
		{"w.a[1]", "2\n", 0},
		{"let twice x = x + w.a[1]", "twice : Real -> Real\n", 0},
		{"(twice 1, deriv twice 1)", "(3, 1)\n", 0},
		{"let w = progress \"new\" 5", "w : Real\n", 0},
		{"(w, twice 1)", "(5, 3)\n", 1},
		{"let f = progress \"f\" (fun x => x + w)", "f : Real -> Real\n", 0},
		{"f 1", "6\n", 1},
		{"f 2", "7\n", 1},
		{"let empty = progress \"none\" None", "empty : Option a\n", 0},
		{"(match empty with | None -> 1 | Some x -> x + 1, match empty with | None -> 2 | Some s -> length [s, \"\"])", "(1, 2)\n", 2},
		{"match empty with | None -> 1 | Some x -> x + 1", "1\n", 0},
	} {
		out.Reset()
		evaluated = 0
		s.Handle(context.Background(), c.input)
		if out.String() != c.says || evaluated != c.evaluated {
			t.Errorf("%s: says %q after %d evaluations, want %q after %d", c.input, out.String(), evaluated, c.says, c.evaluated)
		}
	}
	if errors.Len() > 0 {
		t.Error(errors.String())
	}
}

// TestAll: `:all` leaves nothing out, and a result that has no value does not hide the last one.
func TestAll(t *testing.T) {
	_, out, errors := talk(t, "iota 200", "div 1 0", ":all", "length it")
	if !strings.Contains(out, " 98, 99, 100,\n 101") || !strings.HasSuffix(out, "\n200\n") || !strings.Contains(errors, "E0503") {
		t.Errorf("says %q and complains %q", out, errors)
	}
}

// TestLoadedModule: files that were loaded, and what inputs import, have documentation.
func TestLoadedModule(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "stats.flx")
	if err := os.WriteFile(path, []byte("--| Statistics.\n\n--| The middle. Of two.\nlet mean x y = (x + y) / 2\nlet n = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	names, doc := "mean : Real -> Real -> Real\nn : Real\n", "mean : (x y : Real) -> Real\n  The middle. Of two.\n"
	for _, c := range []struct{ opening, input, want string }{
		{":load " + path, ":browse stats", names},
		{":load " + path, ":doc stats", "module stats\n  Statistics.\n\nmean : (x y : Real) -> Real\n    The middle.\nn : Real\n"},
		{":load " + path, ":doc mean", doc},
		{":load " + path, ":doc stats.mean", "stats." + doc},
		{"import \"" + path + "\" as S", ":browse S", names},
		{"import \"" + path + "\" as S", ":doc S", "module S\n  Statistics.\n\nS.mean : (x y : Real) -> Real\n    The middle.\nS.n : Real\n"},
		{"import \"" + path + "\" as S", ":doc S.mean", "S." + doc},
	} {
		if _, out, errors := talk(t, c.opening, c.input); !strings.HasSuffix(out, c.want) || errors != "" {
			t.Errorf("%s: says %q and complains %q, want %q", c.input, out, errors, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	s, _, _ := talk(t, "let point = {east = 1, north = {far = 2, \"quite far\" = 3}}", "import linalg as la", "{last = 1}")
	for _, c := range []struct {
		line string
		head string
		want string // one that must be offered
	}{
		{"sqr", "", "sqrt"},
		{"1 + poi", "1 + ", "point"},
		{"point.e", "point.", "east"},
		{"list.rev", "list.", "reverse"},
		{"la.so", "la.", "solve"},
		{"2 * point.north.", "2 * point.north.", "far"},
		{"it.l", "it.", "last"},
		{"mat", "", "match"},
		{":rel", "", ":reload"},
	} {
		head, words, _ := s.Complete(c.line, len(c.line))
		if head != c.head || !slices.Contains(words, c.want) {
			t.Errorf("Complete(%q) = %q, %q; want %q after %q", c.line, head, words, c.want, c.head)
		}
	}
	if _, words, _ := s.Complete("point.x", 7); len(words) > 0 {
		t.Errorf("offers %q", words)
	}
}

func TestSeveralLines(t *testing.T) {
	var out, errors bytes.Buffer
	s := NewSession(&out, &errors)
	s.Settings = driver.Settings{Limits: interp.DefaultLimits()}
	input := "let f x =\n  let y = x * x\n  y + 1\n\nf 2\nlet g o =\n  match o with\n  | None -> 0\n  | Some v -> v\n\ng (Some 7)"
	if err := s.RunPlain(context.Background(), strings.NewReader(input)); err != nil {
		t.Fatal(err)
	}
	if want := "f : Scalar a => a -> a\n5\ng : Scalar a => Option a -> a\n7\n"; out.String() != want || errors.Len() > 0 {
		t.Errorf("says %q, complains %q, want %q", out.String(), errors.String(), want)
	}
}

func TestPrompt(t *testing.T) {
	s, _, _ := talk(t)
	for input, want := range map[string]string{":eps 1e-10": "eps=1e-10> ", ":float": "> "} {
		s.Handle(context.Background(), input)
		if s.prompt() != want {
			t.Errorf("after %s the prompt is %q, want %q", input, s.prompt(), want)
		}
	}
}

// TestExactFailure: the enclosure that was reached is printed with the complaint.
func TestExactFailure(t *testing.T) {
	_, out, errors := talk(t, ":eps 0.1", "deriv relu 0")
	if out != "[0, 1]\n" || !strings.Contains(errors, "E0901") {
		t.Errorf("says %q and complains %q", out, errors)
	}
}

func TestExplainAndPlot(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs []string
		out    string // what is said must contain this
	}{
		{"a strategy", []string{"let f x = x * x", "let p = 3.0", ":explain trace f p"}, "x : real ⊢\n  x * x\n: real"},
		{"derivatives inside", []string{"let f (x : Real) = deriv (deriv sin) x", ":explain trace f 2"}, "⊢ 1.rd_2(x : real. deriv(f)(x)) ⇒ -0.9092974268256817"},
		{"all", []string{"let f x = x * x", ":explain all f 3"}, "all 10 agree exactly"},
		{"the last definition", []string{"let f x = x * x", "let f x = x * 5", ":explain delta f 3"}, "delta     5 "},
		{"a curried function", []string{"let f x y = x * y", ":explain delta f (2, 3)"}, "(3, 2)"},
		{"not covered", []string{"let f x = integral01 (fun y => x * y)", ":explain delta f 3"}, "error[E0801]: delta has no rule for `integral`"},
		{"a wrong point", []string{"let f x = x * 1.5", `:explain delta f "a"`}, "error[E0301]: the argument of `f`"},
		{"no such strategy", []string{"let f x = x * x", ":explain f 3"}, "there is no strategy `f`; there are trace, "},
		{"no point", []string{"let f (x : Real) = 7 * x", ":explain delta f"}, "delta     7 "},
		{"no function", []string{":explain delta"}, "give a function and a point, as in `:explain delta f 2`"},
		{"no such function", []string{":explain delta g 3"}, "this session defines no `g`"},
		{"a curve", []string{"let slope = 2", ":plot (fun x => slope * x) (-1) 1"}, "-2 ⣠⠴⠚⠉"},
		{"in exact mode", []string{":eps 0.1", ":plot abs (-1) 1"}, "kink"},
		{"no range", []string{":plot sin"}, "as in `:plot sin 0 6.3`"},
		{"a range backwards", []string{":plot sin 1 0"}, "nothing between 1 and 0"},
		{"no values", []string{":plot sqrt (-2) (-1)"}, "no value from -2 to -1"},
		{"infinite slopes", []string{":plot (deriv sqrt) 0 1"}, "0.5 ⡀"},
		{"no function", []string{":plot 3 0 1"}, "argument 1 of `plot` should be a function"},
		{"a plot of a definition called plot", []string{"let plot x = x + 1", ":plot sin 0 1", "plot 1"}, "\n2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, out, errors := talk(t, c.inputs...); !strings.Contains(out+errors, c.out) {
				t.Errorf("%s\n%s\ndo not contain %s", out, errors, c.out)
			}
		})
	}
}
