// Command itl turns interval test suites in ITL, the text format of the
// IEEE 1788 test framework, into the table of facts that the interval tests
// read:
//
//	go run ./internal/interval/cmd/itl FOLDER > internal/interval/testdata/itl.txt
//
// It is given a folder of .itl files. A statement there is
// `operation argument … = result … [signal s];`. It prints one line a statement,
//
//	add [0x1p+00,0x1p+01]com [0x1p+00,0x1p+00]com = [0x1p+01,0x1.8p+01]com
//
// in the order of the files, which a line `# NAME` starts. Numbers are the
// doubles nearest to what the file says, as hexadecimal floats. A decoration
// follows its interval; an interval that is not one is `[nai]`. Texts are quoted
// and other words stand as they are.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: itl FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.itl"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no .itl files", folder)
	}
	out := bufio.NewWriter(os.Stdout)
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "#", strings.TrimSuffix(filepath.Base(path), ".itl"))
		if err := table(out, string(src)); err != nil {
			return fmt.Errorf("%s: %v", path, err)
		}
	}
	return out.Flush()
}

// table prints the statements of one file.
func table(out *bufio.Writer, src string) error {
	var words []string
	for src != "" {
		c := src[0]
		n := 1 // the length of what is read next
		switch {
		case unicode.IsSpace(rune(c)):
		case strings.HasPrefix(src, "//"):
			n = through(src, "\n")
		case strings.HasPrefix(src, "/*"):
			n = through(src, "*/")
		case c == '{' || c == '}':
			words = nil // `testcase name {` and its end
		case c == ';':
			line, err := statement(words)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, line)
			words = nil
		default:
			n = word(src)
			words = append(words, src[:n])
		}
		src = src[n:]
	}
	return nil
}

// through returns the length of src up to and including end.
func through(src, end string) int {
	if i := strings.Index(src, end); i >= 0 {
		return i + len(end)
	}
	return len(src)
}

// word returns the length of the word that src begins with.
func word(src string) int {
	switch src[0] {
	case '=':
		return 1
	case '"':
		return 1 + through(src[1:], `"`)
	case '[': // up to the bracket, and a decoration
		n := through(src, "]")
		for n < len(src) && (src[n] == '_' || unicode.IsLetter(rune(src[n]))) {
			n++
		}
		return n
	}
	if n := strings.IndexAny(src, " \t\r\n;{}"); n >= 0 {
		return n
	}
	return len(src)
}

// statement returns the line of one statement. Exceptions that are signalled
// are left out: nothing here signals any.
func statement(words []string) (string, error) {
	var line []string
	for i, w := range words {
		if w == "signal" {
			break
		}
		if i > 0 && w[0] == '[' {
			v, err := bounds(w)
			if err != nil {
				return "", err
			}
			w = v
		} else if x, err := number(w); i > 0 && err == nil {
			w = hex(x)
		}
		line = append(line, w)
	}
	return strings.Join(line, " "), nil
}

// bounds returns an interval as the table has it.
func bounds(w string) (string, error) {
	body, decoration, _ := strings.Cut(w[1:], "]")
	decoration = strings.TrimPrefix(decoration, "_")
	body = strings.ToLower(strings.TrimSpace(body))
	switch body {
	case "nai":
		return "[nai]", nil
	case "empty", "":
		return "[empty]" + decoration, nil
	case "entire", ",":
		return "[-Inf,+Inf]" + decoration, nil
	}
	lo, hi, two := strings.Cut(body, ",")
	if !two {
		hi = lo
	}
	a, err := number(lo)
	if err != nil {
		return "", err
	}
	b, err := number(hi)
	if err != nil {
		return "", err
	}
	return "[" + hex(a) + "," + hex(b) + "]" + decoration, nil
}

// number reads a decimal or hexadecimal number, rounded to nearest.
func number(s string) (float64, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Contains(s, "0x") && !strings.Contains(s, "p") {
		s += "p0"
	}
	return strconv.ParseFloat(s, 64)
}

func hex(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }
