package repl

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// TestPaste: however a stream is cut, a pasted text becomes one line, and the rest stays.
func TestPaste(t *testing.T) {
	stream := "1 + 2\r\x1b[A" + pasteStart + "let f x =\r\n\tx + 1\rlet y = f 2\nf y\n\n" + pasteEnd + "\r" +
		pasteStart + "a" + pasteEnd + "b\x1b"
	want := "1 + 2\r\x1b[A" + "let f x =⏎  x + 1⏎let y = f 2⏎f y" + "\r" + "ab\x1b"
	for size := 1; size <= len(stream); size++ {
		var f pasteFilter
		got, rest := "", stream
		for rest != "" {
			n := min(size, len(rest))
			if strings.HasSuffix(rest[:n], "\x1b") && n < len(rest) {
				n++ // terminals send the first two characters of a mark together
			}
			got += f.next(rest[:n])
			rest = rest[n:]
		}
		if got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

// pasted reads one line at a time, as the editor gives them.
type pasted []string

func (p *pasted) Line(string) (string, error) {
	line := strings.ReplaceAll((*p)[0], newLineMark, "\n")
	*p = (*p)[1:]
	if line == "" {
		return "", errAborted
	}
	return line, nil
}

func (*pasted) Remember(string) {}

// TestPastedInput: definitions that are pasted together are one input, which means what it means
// in a file: the use of n below decides its type.
func TestPastedInput(t *testing.T) {
	var out, errors bytes.Buffer
	s := NewSession(&out, &errors)
	s.Settings = driver.Settings{Limits: interp.DefaultLimits()}
	input, err := readInput(&pasted{oneLine("let n = 3\nlet xs = [0, 10, 20, 30]\n\nlet g o =\n  match o with\n  | None -> 0\n  | Some v -> v\n(xs[n], g (Some n))\n")}, "")
	if err != nil {
		t.Fatal(err)
	}
	s.Handle(context.Background(), input)
	want := "n : Int\nxs : [4]Real\ng : Scalar a => Option a -> a\n(30, 3)\n"
	if out.String() != want || errors.Len() > 0 {
		t.Errorf("says %q, complains %q, want %q", out.String(), errors.String(), want)
	}
}
