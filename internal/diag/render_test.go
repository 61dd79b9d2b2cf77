package diag

import (
	"encoding/json"
	"strings"
	"testing"
)

func at(f *File, text string) Span {
	i := int32(strings.Index(f.Text, text))
	return Span{f, i, i + int32(len(text))}
}

func render(d *Diagnostic, opts Options) string {
	var b strings.Builder
	Render(&b, d, opts)
	return b.String()
}

func TestRender(t *testing.T) {
	f := NewFile("descent.flx", "\n\n\n\n\n\n  if x == 0 then 0 else x\n\tlet 漢字 = e\u0301 + y\nlast\x1b[31m")
	g := NewFile("other.flx", "let y = 1")
	for _, c := range []struct {
		name string
		d    *Diagnostic
		want string
	}{
		{"plain", Errorf(RealEquality, at(f, "x == 0"), "these reals may be equal, and then this comparison has no value").
			WithHint("equality of reals is not computable; try `abs (x - y) < eps`"), `
descent.flx:7:6: error[E0312]: these reals may be equal, and then this comparison has no value
  7 |   if x == 0 then 0 else x
    |      ^^^^^^
  = equality of reals is not computable; try ` + "`abs (x - y) < eps`" + `
  = see ` + "`fluxion doc E0312`" + `
`},
		{"label and related", Warningf(UnusedName, at(f, "then"), "m").WithLabel("here").WithRelated(at(f, "else"), "and here").
			WithRelated(at(g, "y"), "and there").WithHint("two\nlines"), `
descent.flx:7:13: warning[W0102]: m
  7 |   if x == 0 then 0 else x
    |             ^^^^ here
    |                    ---- and here
  --> other.flx:1:5
  1 | let y = 1
    |     - and there
  = two
    lines
  = see ` + "`fluxion doc W0102`" + `
`},
		{"wide characters and tabs", Errorf(UnknownName, at(f, "y"), "m"), `
descent.flx:8:16: error[E0201]: m
  8 |     let 漢字 = e` + "\u0301" + ` + y
    |                    ^
  = see ` + "`fluxion doc E0201`" + `
`},
		{"several lines", Errorf(UnknownName, at(f, f.Text[6+6:]), "m").WithLabel("all"), `
descent.flx:7:7: error[E0201]: m
  7 |   if x == 0 then 0 else x
    |       ^^^^^^^^^^^^^^^^^^^
    ...
  9 | last\u{1b}[31m
    | ^^^^^^^^^^^^^^ all
  = see ` + "`fluxion doc E0201`" + `
`},
		{"no place", Errorf("", Span{}, "a\x1bb"), "\nerror: a\\u{1b}b\n"},
		{"end of file", Errorf(UnexpectedToken, Span{g, 9, 9}, "m"), `
other.flx:1:10: error[E0108]: m
  1 | let y = 1
    |          ^
  = see ` + "`fluxion doc E0108`" + `
`},
	} {
		if got := "\n" + render(c.d, Options{}); got != c.want {
			t.Errorf("%s: got%s\nwant%s", c.name, got, c.want)
		}
	}
}

// TestSameWord says once what is wrong with a word that is used several times, and lists its
// places.
func TestSameWord(t *testing.T) {
	f := NewFile("a.flx", "x + x\nx x x x x y")
	var l List
	for i, c := range f.Text {
		if c == 'x' || c == 'y' {
			l.Add(Errorf(UnknownName, Span{f, int32(i), int32(i) + 1}, "m").WithHint("h"))
		}
	}
	var b strings.Builder
	RenderAll(&b, &l, Options{})
	want := `a.flx:1:1: error[E0201]: m
  1 | x + x
    | ^
  = h
  = the same at 1:5, 2:1, 2:3, 2:5 and 2 more places
  = see ` + "`fluxion doc E0201`" + `

a.flx:2:11: error[E0201]: m
  2 | x x x x x y
    |           ^
  = h
  = see ` + "`fluxion doc E0201`" + `
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if h := l.Sorted()[0].Hints; len(h) != 1 {
		t.Errorf("the diagnostic itself has the hints %q", h)
	}
}

func TestColor(t *testing.T) {
	f := NewFile("a.flx", "x")
	got := render(Errorf(UnknownName, Span{f, 0, 1}, "m"), Options{Color: true})
	for _, want := range []string{"\x1b[1;31merror[E0201]\x1b[0m", "\x1b[1;31m^\x1b[0m", "\x1b[1;34m  1 |\x1b[0m"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// TestLongLines shows only what is around the mark, and finds the column of a
// place in fifty million characters without counting them each time.
func TestLongLines(t *testing.T) {
	for _, unit := range []string{"x", "α"} {
		half := strings.Repeat(unit, 25_000_000)
		f := NewFile("long.flx", half+"!!!"+half)
		for range 20 {
			got := render(Errorf(BadCharacter, at2(f, len(half), 3), "m"), Options{Width: 60})
			lines := strings.Split(got, "\n")
			if !strings.HasPrefix(lines[0], "long.flx:1:25000001: ") {
				t.Fatal(lines[0])
			}
			source, marks := []rune(lines[1]), []rune(lines[2])
			if len(source) > 80 || !strings.HasPrefix(lines[1], "  1 | …") || !strings.HasSuffix(lines[1], "…") {
				t.Fatalf("%q", lines[1])
			}
			for i, r := range marks {
				if (r == '^') != (source[i] == '!') {
					t.Fatalf("\n%s\n%s", lines[1], lines[2])
				}
			}
		}
	}
}

func at2(f *File, start, n int) Span { return Span{f, int32(start), int32(start + n)} }

func TestPosition(t *testing.T) {
	f := NewFile("p", "\uFEFFaé\nb\r\n")
	for _, c := range []struct {
		offset       int32
		line, column int
	}{{3, 1, 1}, {4, 1, 2}, {6, 1, 3}, {7, 2, 1}, {8, 2, 2}, {10, 3, 1}, {99, 3, 1}, {-1, 1, 1}} {
		if line, column := f.Position(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d is %d:%d, not %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	if f.Line(2) != "b" || f.Lines() != 3 || f.LineOf(7) != 2 {
		t.Error("lines")
	}
}

func TestJSON(t *testing.T) {
	f := NewFile("a.flx", "let x\nin y")
	d := Errorf(UnknownName, at(f, "y"), "no `y`").WithLabel("l").WithHint("h").WithRelated(at(f, "x"), "r")
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"code":"E0201","severity":"error","message":"no ` + "`y`" + `","file":"a.flx","line":2,"column":4,"endLine":2,"endColumn":5,` +
		`"label":"l","related":[{"file":"a.flx","line":1,"column":5,"endLine":1,"endColumn":6,"message":"r"}],"hints":["h"]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestList(t *testing.T) {
	f := NewFile("a.flx", strings.Repeat("x", 500))
	var l List
	for i := range 300 {
		l.Add(Errorf(UnknownName, at2(f, 299-i, 1), "m"))
	}
	l.Add(nil)
	if l.Errors() != 300 || l.Dropped() != 300-MaxReported || len(l.Sorted()) != MaxReported {
		t.Error(l.Errors(), l.Dropped(), len(l.Sorted()))
	}
	var all List
	all.Append(&l)
	if all.Errors() != 300 || all.Dropped() != 100 {
		t.Error(all.Errors(), all.Dropped())
	}
	var b strings.Builder
	RenderAll(&b, &all, Options{})
	if !strings.HasSuffix(b.String(), "\nand 100 more\n") {
		t.Error(b.String()[b.Len()-40:])
	}
}

func TestLongMessage(t *testing.T) {
	out := render(Errorf(Mismatch, Span{}, "no `%s`", strings.Repeat("é", 1_000_000)), Options{})
	if len(out) > 2*maxText || !strings.Contains(out, "é…\n") {
		t.Errorf("%d bytes, ending in %q", len(out), out[len(out)-60:])
	}
}
