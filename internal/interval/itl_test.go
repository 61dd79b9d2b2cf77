package interval

import (
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// The public interval test suites of IEEE 1788, as the table of facts
// testdata/itl.txt that cmd/itl writes; its package comment has the format.

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

// An itlCase is one line of the table.
type itlCase struct {
	line      int
	op        string
	args, res []itlValue
	decorated bool // a decoration is mentioned
	nai       bool // an interval that is not one is mentioned
}

// readITL reads the table.
func readITL(path string) ([]itlCase, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []itlCase
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if line[0] == '#' {
			continue
		}
		tc, err := itlLine(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %v", path, n, err)
		}
		tc.line = n
		out = append(out, tc)
	}
	return out, nil
}

func itlLine(line string) (itlCase, error) {
	op, rest, _ := strings.Cut(line, " ")
	tc := itlCase{op: op, decorated: strings.HasPrefix(op, "d-")}
	into := &tc.args
	for rest != "" {
		w, err := strconv.QuotedPrefix(rest)
		if err != nil {
			w, _, _ = strings.Cut(rest, " ")
		}
		rest = strings.TrimPrefix(rest[len(w):], " ")
		if w == "=" {
			into = &tc.res
			continue
		}
		v, err := itlParse(w)
		if err != nil {
			return tc, err
		}
		tc.decorated = tc.decorated || v.dec != ""
		tc.nai = tc.nai || v.dec == "nai"
		*into = append(*into, v)
	}
	return tc, nil
}

func itlParse(w string) (itlValue, error) {
	switch w[0] {
	case '"':
		return itlValue{kind: 's', text: strings.Trim(w, `"`)}, nil
	case '[':
		body, dec, _ := strings.Cut(w[1:], "]")
		switch body {
		case "nai":
			return itlValue{kind: 'i', iv: Empty(), dec: body}, nil
		case "empty":
			return itlValue{kind: 'i', iv: Empty(), dec: dec}, nil
		}
		lo, hi, _ := strings.Cut(body, ",")
		a, err := strconv.ParseFloat(lo, 64)
		if err != nil {
			return itlValue{}, err
		}
		b, err := strconv.ParseFloat(hi, 64)
		return itlValue{kind: 'i', iv: Interval{a, b}, dec: dec}, err
	}
	if x, err := strconv.ParseFloat(w, 64); err == nil {
		return itlValue{kind: 'n', num: x, text: w}, nil
	}
	return itlValue{kind: 'w', text: w}, nil
}

// itlOp holds operations by the standard's names. Tightest ones are marked.
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
	cases, err := readITL("testdata/itl.txt")
	if err != nil {
		t.Fatal(err)
	}
	var bare, decorated, nai, tightest, accurate int
	skipped := map[string]int{}
	for _, tc := range cases {
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
					t.Errorf("itl.txt:%d: %s %v: %v", tc.line, tc.op, tc.args, err)
				case n == 0:
					tightest++
				case op.tight || n > 1:
					t.Errorf("itl.txt:%d: %s %v = %x, %v ulp wider than %x", tc.line, tc.op, tc.args, g.iv, n, w.iv)
				default:
					accurate++
				}
			case 'n':
				if !same {
					t.Errorf("itl.txt:%d: %s %v = %v, want %v", tc.line, tc.op, tc.args, g, w)
				}
			default:
				if g.text != w.text {
					t.Errorf("itl.txt:%d: %s %v = %v, want %v", tc.line, tc.op, tc.args, g, w)
				}
			}
		}
	}
	t.Logf("%d cases: %d bare, %d decorated, %d with NaI results run; interval results: %d tightest, %d one ulp wide", len(cases), bare, decorated, nai, tightest, accurate)
	var names []string
	for k, n := range skipped {
		names = append(names, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(names)
	t.Logf("not run: %s", strings.Join(names, ", "))
	if bare < 3937 || decorated < 884 {
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
