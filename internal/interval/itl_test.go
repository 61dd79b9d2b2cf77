package interval

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// The public interval test suites in ITL, the text format of the IEEE 1788
// test framework. A statement is `operation argument … = result … [signal s];`.

const itlFolder = "../../../shared/data/itl"

// An itlValue is one argument or result.
type itlValue struct {
	kind byte // 'i' interval, 'n' number, 's' quoted text, 'w' word
	iv   Interval
	dec  string // decoration, "" for bare
	num  float64
	text string
}

func (v itlValue) String() string {
	switch v.kind {
	case 'i':
		return fmt.Sprintf("[%x, %x]%s", v.iv.Lo, v.iv.Hi, v.dec)
	case 'n':
		return fmt.Sprintf("%x", v.num)
	}
	return v.text
}

type itlCase struct {
	file, op  string
	line      int
	args, res []itlValue
	decorated bool
	nai       bool
}

// readITL parses one file.
func readITL(path string) ([]itlCase, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []itlCase
	src := string(data)
	var words []string
	line, start := 1, 1
	for i := 0; i < len(src); {
		rest := src[i:]
		c := rest[0]
		if len(words) == 0 {
			start = line
		}
		switch {
		case c == '\n':
			line++
			i++
		case unicode.IsSpace(rune(c)):
			i++
		case strings.HasPrefix(rest, "//"):
			i += strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/") + 2
			line += strings.Count(rest[:n], "\n")
			i += n
		case c == '{' || c == '}':
			words = nil // `testcase name {` and its end
			i++
		case c == ';':
			tc, err := itlStatement(words)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %v", path, start, err)
			}
			tc.file, tc.line = filepath.Base(path), start
			out = append(out, tc)
			words = nil
			i++
		default:
			n := 1
			switch c {
			case '[': // up to the bracket, and a decoration
				n = strings.IndexByte(rest, ']') + 1
				for n < len(rest) && (rest[n] == '_' || unicode.IsLetter(rune(rest[n]))) {
					n++
				}
			case '"':
				n = strings.IndexByte(rest[1:], '"') + 2
			case '=':
			default:
				n = strings.IndexAny(rest, " \t\r\n;{}")
			}
			words = append(words, rest[:n])
			i += n
		}
	}
	return out, nil
}

func itlStatement(words []string) (itlCase, error) {
	tc := itlCase{op: words[0]}
	into := &tc.args
	for i := 1; i < len(words); i++ {
		switch w := words[i]; w {
		case "=":
			into = &tc.res
		case "signal":
			return tc, nil
		default:
			v, err := itlParse(w)
			if err != nil {
				return tc, err
			}
			tc.decorated = tc.decorated || v.dec != ""
			tc.nai = tc.nai || v.dec == "nai"
			*into = append(*into, v)
		}
	}
	tc.decorated = tc.decorated || strings.HasPrefix(tc.op, "d-")
	return tc, nil
}

// itlParse reads a value; number literals are rounded to nearest.
func itlParse(w string) (itlValue, error) {
	switch {
	case w[0] == '"':
		return itlValue{kind: 's', text: strings.Trim(w, `"`)}, nil
	case w[0] == '[':
		body, dec, _ := strings.Cut(w[1:], "]")
		dec = strings.TrimPrefix(dec, "_")
		body = strings.ToLower(strings.TrimSpace(body))
		v := itlValue{kind: 'i', dec: dec}
		switch body {
		case "nai":
			v.iv, v.dec = Empty(), "nai"
			return v, nil
		case "empty", "":
			v.iv = Empty()
			return v, nil
		case "entire", ",":
			v.iv = Entire()
			return v, nil
		}
		lo, hi, two := strings.Cut(body, ",")
		if !two {
			hi = lo
		}
		a, err := itlNumber(lo)
		if err != nil {
			return v, err
		}
		b, err := itlNumber(hi)
		v.iv = Interval{a, b}
		return v, err
	}
	if x, err := itlNumber(w); err == nil {
		return itlValue{kind: 'n', num: x, text: w}, nil
	}
	return itlValue{kind: 'w', text: w}, nil
}

func itlNumber(s string) (float64, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Contains(s, "0x") && !strings.Contains(s, "p") {
		s += "p0"
	}
	return strconv.ParseFloat(s, 64)
}

// Operations by the standard's names. Tightest ones are marked.
type itlOp struct {
	tight bool
	run   func(a []itlValue) []itlValue
}

func itlUnary(f func(Interval) Interval, tight bool) itlOp {
	return itlOp{tight, func(a []itlValue) []itlValue { return []itlValue{{kind: 'i', iv: f(a[0].iv)}} }}
}

func itlBinary(f func(x, y Interval) Interval, tight bool) itlOp {
	return itlOp{tight, func(a []itlValue) []itlValue { return []itlValue{{kind: 'i', iv: f(a[0].iv, a[1].iv)}} }}
}

func itlPower(f func(x Interval, n int) Interval, tight bool) itlOp {
	return itlOp{tight, func(a []itlValue) []itlValue { return []itlValue{{kind: 'i', iv: f(a[0].iv, int(a[1].num))}} }}
}

func itlWord(f func(a []itlValue) string) itlOp {
	return itlOp{true, func(a []itlValue) []itlValue { return []itlValue{{kind: 'w', text: f(a)}} }}
}

func itlTest(f func(x Interval) bool) itlOp {
	return itlWord(func(a []itlValue) string { return strconv.FormatBool(f(a[0].iv)) })
}

func itlRelation(f func(x, y Interval) bool) itlOp {
	return itlWord(func(a []itlValue) string { return strconv.FormatBool(f(a[0].iv, a[1].iv)) })
}

func itlNumbers(f func(x Interval) []float64) itlOp {
	return itlOp{true, func(a []itlValue) []itlValue {
		var out []itlValue
		for _, v := range f(a[0].iv) {
			out = append(out, itlValue{kind: 'n', num: v})
		}
		return out
	}}
}

func itlOne(f func(x Interval) float64) itlOp {
	return itlNumbers(func(x Interval) []float64 { return []float64{f(x)} })
}

func itlText(decorated bool) itlOp {
	return itlOp{true, func(a []itlValue) []itlValue {
		var v Interval
		var err error
		if decorated {
			v, err = parseDecorated(a[0].text)
		} else {
			v, err = Parse(a[0].text)
		}
		if err != nil {
			v = Empty()
		}
		return []itlValue{{kind: 'i', iv: v}}
	}}
}

func itlNums(a []itlValue) []itlValue {
	v, _ := New(a[0].num, a[1].num)
	return []itlValue{{kind: 'i', iv: v}}
}

var itlOps = map[string]itlOp{
	"add": itlBinary(Add, true), "sub": itlBinary(Sub, true), "mul": itlBinary(Mul, true), "div": itlBinary(Div, true),
	"fma": {true, func(a []itlValue) []itlValue { return []itlValue{{kind: 'i', iv: FMA(a[0].iv, a[1].iv, a[2].iv)}} }},
	"neg": itlUnary(Neg, true), "pos": itlUnary(func(x Interval) Interval { return x }, true),
	"sqr": itlUnary(Sqr, true), "sqrt": itlUnary(Sqrt, true), "recip": itlUnary(Recip, true), "abs": itlUnary(Abs, true),
	"min": itlBinary(Min, true), "max": itlBinary(Max, true),
	"pown": itlPower(Pown, true), "rootn": itlPower(Rootn, false), "pow": itlBinary(Pow, false),
	"exp": itlUnary(Exp, false), "exp2": itlUnary(Exp2, false), "exp10": itlUnary(Exp10, false),
	"log": itlUnary(Log, false), "log2": itlUnary(Log2, false), "log10": itlUnary(Log10, false),
	"sin": itlUnary(Sin, false), "cos": itlUnary(Cos, false), "tan": itlUnary(Tan, false),
	"asin": itlUnary(Asin, false), "acos": itlUnary(Acos, false), "atan": itlUnary(Atan, false), "atan2": itlBinary(Atan2, false),
	"sinh": itlUnary(Sinh, false), "cosh": itlUnary(Cosh, false), "tanh": itlUnary(Tanh, false),
	"asinh": itlUnary(Asinh, false), "acosh": itlUnary(Acosh, false), "atanh": itlUnary(Atanh, false),
	"floor": itlUnary(Floor, true), "ceil": itlUnary(Ceil, true), "trunc": itlUnary(Trunc, true), "sign": itlUnary(Sign, true),
	"roundTiesToAway": itlUnary(Round, true), "roundTiesToEven": itlUnary(RoundToEven, true),
	"convexHull": itlBinary(Hull, true), "intersection": itlBinary(Intersect, true),
	"intervalPart": itlUnary(func(x Interval) Interval { return x }, true),
	"newDec":       itlUnary(func(x Interval) Interval { return x }, true),
	"inf":          itlOne(Interval.Inf), "sup": itlOne(Interval.Sup), "mid": itlOne(Interval.Mid), "rad": itlOne(Interval.Rad),
	"wid": itlOne(Interval.Width), "mag": itlOne(Interval.Mag), "mig": itlOne(Interval.Mig),
	"midRad":  itlNumbers(func(x Interval) []float64 { return []float64{x.Mid(), x.Rad()} }),
	"isEmpty": itlTest(Interval.IsEmpty), "isEntire": itlTest(Interval.IsEntire),
	"equal": itlRelation(Interval.Equal), "subset": itlRelation(Interval.Subset), "interior": itlRelation(Interval.Interior),
	"disjoint": itlRelation(Interval.Disjoint), "less": itlRelation(Interval.Less), "strictLess": itlRelation(Interval.StrictLess),
	"precedes":         itlRelation(Interval.Precedes),
	"strictPrecedes":   itlRelation(Interval.CertainlyLess),
	"overlap":          itlWord(func(a []itlValue) string { return OverlapOf(a[0].iv, a[1].iv).String() }),
	"b-numsToInterval": {true, itlNums}, "d-numsToInterval": {true, itlNums},
	"b-textToInterval": itlText(false), "d-textToInterval": itlText(true),
}

// ulpsBetween counts doubles from a to b, a ≤ b.
func ulpsBetween(a, b float64) float64 {
	key := func(x float64) int64 {
		t := int64(math.Float64bits(x))
		if t < 0 {
			t = math.MinInt64 - t
		}
		return t
	}
	return float64(key(b) - key(a))
}

// excess returns by how many doubles got is wider than want at its worse end,
// or an error when it does not contain it.
func excess(got, want Interval) (float64, error) {
	if want.IsEmpty() || got.IsEmpty() {
		if want.IsEmpty() != got.IsEmpty() {
			return 0, fmt.Errorf("got %v, want %v", got, want)
		}
		return 0, nil
	}
	if !want.Subset(got) {
		return 0, fmt.Errorf("%x does not contain %x", got, want)
	}
	return math.Max(ulpsBetween(got.Lo, want.Lo), ulpsBetween(want.Hi, got.Hi)), nil
}

// TestITL runs every supported case: containment always, tightest where
// promised, at most one ulp wider elsewhere.
func TestITL(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(itlFolder, "*.itl"))
	if len(files) == 0 {
		t.Skip("the ITL suites are not at ../shared/data/itl")
	}
	var total, bare, decorated, nai, tightest, accurate int
	skipped := map[string]int{}
	for _, f := range files {
		cases, err := readITL(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range cases {
			total++
			op, ok := itlOps[tc.op]
			switch {
			case !ok:
				skipped[tc.op+" (no such operation here)"]++
				continue
			case tc.nai:
				// Not-an-interval has no counterpart without decorations,
				// except that constructors report failure.
				if !strings.HasSuffix(tc.op, "ToInterval") {
					skipped["NaI argument"]++
					continue
				}
				nai++
			case tc.decorated:
				decorated++
			default:
				bare++
			}
			got := op.run(tc.args)
			for i, w := range tc.res {
				g := got[i]
				same := g.num == w.num || (g.num != g.num && w.num != w.num)
				switch w.kind {
				case 'i':
					n, err := excess(g.iv, w.iv)
					switch {
					case err != nil:
						t.Errorf("%s:%d: %s %v: %v", tc.file, tc.line, tc.op, tc.args, err)
					case n == 0:
						tightest++
					case op.tight || n > 1:
						t.Errorf("%s:%d: %s %v = %x, %v ulp wider than %x", tc.file, tc.line, tc.op, tc.args, g.iv, n, w.iv)
					default:
						accurate++
					}
				case 'n':
					if !same {
						t.Errorf("%s:%d: %s %v = %v, want %v", tc.file, tc.line, tc.op, tc.args, g, w)
					}
				default:
					if g.text != w.text {
						t.Errorf("%s:%d: %s %v = %v, want %v", tc.file, tc.line, tc.op, tc.args, g, w)
					}
				}
			}
		}
	}
	t.Logf("%d cases: %d bare, %d decorated, %d with NaI results run; interval results: %d tightest, %d one ulp wide", total, bare, decorated, nai, tightest, accurate)
	var names []string
	for k, n := range skipped {
		names = append(names, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(names)
	t.Logf("not run: %s", strings.Join(names, ", "))
	if bare < 3748 || decorated < 789 {
		t.Errorf("only %d bare and %d decorated cases were run", bare, decorated)
	}
}

// parseDecorated reads a literal with an optional decoration, which must be
// one that the interval admits, and strips it.
func parseDecorated(s string) (Interval, error) {
	body, dec, has := strings.Cut(s, "_")
	v, err := Parse(body)
	if err != nil || !has {
		return v, err
	}
	ok := map[string]bool{"trv": true, "def": !v.IsEmpty(), "dac": !v.IsEmpty(),
		"com": !v.IsEmpty() && (v.IsBounded() || strings.Trim(body, "0123456789.?+-eE[] ") == "" && !strings.Contains(body, "??"))}[strings.ToLower(dec)]
	if !ok {
		return Empty(), fmt.Errorf("bad decoration %q", dec)
	}
	return v, nil
}
