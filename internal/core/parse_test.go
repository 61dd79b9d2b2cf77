package core_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

func TestParseErrors(t *testing.T) {
	cases := []struct{ text, place, want string }{
		{"let x = 1", "1:1", `expected data, def or main, found "let"`},
		{"main : Int = ret x", "1:18", "x is not in scope"},
		{"main : Int = ret 99999999999999999999", "1:18", "does not fit an Int"},
		{"main : Real = ret 1e999999999", "1:19", "the exponent of 1e999999999 is too large"},
		{"main : Real = ret 1/0", "1:19", "malformed number"},
		{"main : Nowhere = ret 1", "1:8", "no type is called Nowhere"},
		{"main : Int = let x : Int = %nothing 1 ret x", "1:28", "no primitive is called nothing"},
		{"main : Int = let x : Int = call @f 1 ret x", "1:34", "no definition is called f"},
		{"main : Int = let x : Int = Some 1 ret x", "1:28", "the constructor Some where the type is no data type"},
		{"main : Int = let x : Int = [1] ret x", "1:28", "an array where the type is none"},
		{"main : Int = ret 1 main : Int = ret 2", "1:20", "a program has one main"},
		{"def f : Int = ret 1 def f : Int = ret 2", "1:25", "f is defined twice"},
		{"data T = A data T = B", "1:17", "data type T is declared twice"},
		{"def f [a : Huh] : a = ret 1", "1:12", "no class is called Huh"},
		{"main : Int = ret", "1:17", "expected an atom, found the end of the text"},
		{"main : String = ret \"\\q\"", "1:21", "malformed string"},
		{"main : Int = ret $", "1:18", `expected an atom, found "$"`},
		{"main : " + strings.Repeat("[]", 100_000) + "Int = ret 1", "1:10006", "nested more than 5000 levels deep"},
		{"main : Int = " + strings.Repeat("let x : Int = if true then ", 100_000), "1:134968", "nested more than 5000 levels deep"},
	}
	for _, c := range cases {
		_, d := core.Parse("t", c.text)
		shown := c.text[:min(len(c.text), 60)]
		switch {
		case d == nil:
			t.Errorf("%s: accepted", shown)
		case d.Code != diag.BadCore || !strings.Contains(d.Message, c.want) || d.Span.String() != "t:"+c.place:
			t.Errorf("%s: got %s, want %s: %s", shown, d.Error(), c.place, c.want)
		}
	}
}

// FuzzReadCore: reading never panics; what it accepts prints to a text that
// reads back as the same program; the verifier and the measures take it.
func FuzzReadCore(f *testing.F) {
	for _, name := range []string{"list", "everything"} {
		text, err := os.ReadFile("testdata/poly/" + name + ".core")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(prelude + "main : Int = ret 1")
	f.Add("def f [a : Num] : a = ret (2 : a)")
	f.Fuzz(func(t *testing.T, text string) {
		p, d := core.Parse("fuzz", text)
		if d != nil {
			return
		}
		printed := core.Print(p)
		q, d := core.Parse("fuzz", printed)
		if d != nil {
			t.Fatalf("%v\n%s", d, printed)
		}
		if again := core.Print(q); again != printed {
			t.Fatalf("printed\n%s\nand then\n%s", printed, again)
		}
		if !core.Equal(p, q) {
			t.Fatalf("another program:\n%s", printed)
		}
		if (core.Verify(p, core.Poly) == nil) != (core.Verify(q, core.Poly) == nil) {
			t.Fatal("the verifier changed its mind")
		}
		p.Size()
	})
}
