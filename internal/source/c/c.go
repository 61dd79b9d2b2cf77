// Package c prints programs of the loop form as C99: a file of functions and a header, which C++
// takes too. The output depends on the standard library alone. Each function returns a status;
// buffers that it makes are in an arena that its caller provides. Math functions are those of
// package vmath, so that results are those of every other target, bit for bit, if the compiler does
// not contract products and sums (-ffp-contract=off) and loops are not run in vectors (FX_SIMD).
package c

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/source"
)

// Export says of a function that others may call it.
type Export struct {
	Doc     string   // a comment on it, or ""
	Results []string // their names, which are identifiers; nil for result0, result1, …
}

// Enum is a type of integers with names, which are identifiers.
type Enum struct {
	Doc   string // a comment on it
	Names []string
}

// Print gives a C file and its header. names has the name of each function, an identifier; header
// is the name of the header's file. A function is static if it is not in exported.
func Print(p *loop.Program, names map[*loop.Func]string, exported map[*loop.Func]Export,
	enums []Enum, header string) (c, h string) {
	g := &printer{static: map[string]bool{}, results: map[string][]string{},
		taken: map[string]bool{}}
	for _, name := range names {
		g.taken[name] = true
	}
	for f, e := range exported {
		g.results[names[f]] = e.Results
	}
	var decls strings.Builder
	for _, e := range enums {
		fmt.Fprintf(&decls, "\n/* %s */\nenum { %s };\n", e.Doc, strings.Join(e.Names, ", "))
		for _, name := range e.Names {
			g.taken[name] = true
		}
	}
	for _, f := range p.Funcs {
		sig := source.Signature(g, f, names[f])
		if e, ok := exported[f]; ok {
			if e.Doc != "" {
				fmt.Fprintf(&decls, "\n/* %s */\n", e.Doc)
			}
			decls.WriteString(g.signature(sig, "FX_RESTRICT") + ";\n")
		} else {
			g.static[sig.Name] = true
			fmt.Fprintf(&g.b, "static %s;\n", g.signature(sig, "restrict"))
		}
	}
	source.Program(g, p, names)
	guard := "FX_" + strings.ToUpper(source.Identifier(header))
	h = fmt.Sprintf("#ifndef %s\n#define %s\n\n%s%s%s", guard, guard, headerText, decls.String(),
		headerEnd)
	return fmt.Sprintf("#include %q\n", header) + prelude + g.b.String(), h
}

const headerText = `#include <stddef.h>
#include <stdint.h>

#ifndef FX_ARENA
#define FX_ARENA
/* An arena is memory in which functions make their buffers, those of their results among them. Set top to 0 to
 * use it again. */
typedef struct {
    char *base;
    size_t size, top;
    int depth;
} fx_arena;

/* What functions return. */
enum {
    FX_OK = 0,
    FX_CHECK = 1,  /* an index, a size or a whole number is out of range */
    FX_MEMORY = 2, /* the arena is too small: call again with a larger one */
    FX_DEPTH = 3   /* too many calls within each other */
};

#ifdef __cplusplus
#define FX_RESTRICT __restrict
#else
#define FX_RESTRICT restrict
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A buffer is a pointer and a number of elements. A function returns FX_CHECK for a negative number. */
`

const headerEnd = `
#ifdef __cplusplus
}
#endif

#endif
`

const prelude = `#include <math.h>
#include <string.h>

/* A derivative may not need all that it is given, nor every buffer's number of elements. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif

/* Loops that may run in vectors: compile with -fopenmp-simd -DFX_SIMD. */
#ifdef FX_SIMD
#define FX_PRAGMA(x) _Pragma(#x)
#define FX_LANES(...) FX_PRAGMA(omp simd __VA_ARGS__)
#else
#define FX_LANES(...)
#endif

#define FX_MAX_DEPTH 5000

static inline int64_t fx_bits(double x) { int64_t w; memcpy(&w, &x, 8); return w; }
static inline double fx_double(int64_t w) { double x; memcpy(&x, &w, 8); return x; }
static inline int64_t fx_floordiv(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t fx_floormod(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b * (uint64_t)fx_floordiv(a, b));
}
static inline int64_t fx_int(double x) { return fabs(x) < 0x1p63 ? (int64_t)x : INT64_MIN; }
static inline int fx_over_add(int64_t a, int64_t b) { return b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b; }
static inline int fx_over_sub(int64_t a, int64_t b) { return b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b; }
static inline int fx_over_mul(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == -1) return b == INT64_MIN;
    if (b == -1) return a == INT64_MIN;
    int64_t p = (int64_t)((uint64_t)a * (uint64_t)b);
    return p / b != a;
}

/* fx_alloc makes n elements of 8 bytes each, or gives a null pointer. */
static inline void *fx_alloc(fx_arena *arena, int64_t n) {
    if ((uint64_t)n > (arena->size - arena->top) / 8) return NULL;
    void *p = arena->base + arena->top;
    arena->top += 8 * (size_t)n;
    return p;
}
static inline void fx_copy(void *to, const void *from, int64_t n) {
    if (n > 0) memcpy(to, from, 8 * (size_t)n);
}

/* fx_release frees what was made beyond mark, but for the buffers given, which move there. */
typedef struct {
    void *p;
    int64_t n;
} fx_kept;
static inline int fx_release(fx_arena *arena, size_t mark, fx_kept *kept, int count) {
    char *from = arena->base + mark, *to = arena->base + arena->top;
    for (int i = 0; i < count; i++) {
        char *p = kept[i].p;
        if (p < from || p >= to) continue;
        void *q = fx_alloc(arena, kept[i].n);
        if (q == NULL) return 0;
        fx_copy(q, p, kept[i].n);
        kept[i].p = q;
    }
    arena->top = mark;
    for (int i = 0; i < count; i++) {
        char *p = kept[i].p;
        if (p < to) continue;
        kept[i].p = fx_alloc(arena, kept[i].n);
        memmove(kept[i].p, p, 8 * (size_t)kept[i].n);
    }
    return 1;
}

`

// printer is C as a source.Language.
type printer struct {
	b      strings.Builder
	depth  int
	static map[string]bool
	fresh  int

	results map[string][]string // the names of the results of a function, by its own name
	taken   map[string]bool     // those of functions and constants
	begun   int                 // where the text of the function begins
}

// Reserved tells whether a variable of a function must not have a name: keywords, what the output
// defines or includes, its results and the numbers of elements.
func (g *printer) Reserved(function, name string) bool {
	for _, prefix := range []string{"fx_", "FX_", "INT", "UINT", "NULL", "status", "result"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(name, size("")) || g.taken[name] ||
		slices.Contains(g.results[function], name) || keywords[name]
}

// FunctionName is a name for a function made of two words that an underscore joins: the name
// itself, unless it is a keyword, or in the namespace of the output, of the standard headers or of
// POSIX.
func FunctionName(name string) string {
	last := name[strings.LastIndexByte(name, '_')+1:]
	if keywords[name] || strings.HasPrefix(name, "fx_") || last == "t" || last == "r" ||
		name == "quick_exit" {
		return name + "_"
	}
	return name
}

// keywords are those of C and C++, the names that headers may define as macros, and the functions
// that the output calls.
var keywords = func() map[string]bool {
	list := `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
		char8_t class co_await co_return co_yield compl complex concept const const_cast consteval constexpr
		constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false
		float for friend goto if imaginary inline int long mutable namespace new noexcept not not_eq nullptr
		operator or or_eq private protected public register reinterpret_cast requires restrict return short
		signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
		typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq linux
		unix errno assert offsetof arena isnan isinf isfinite signbit fabs fma sqrt floor ceil trunc rint
		nearbyint fmin fmax sin cos tan memcpy memset memmove NAN INFINITY HUGE_VAL size_t int64_t uint64_t
		int32_t uint32_t`
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}()

func (g *printer) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("    ", g.depth))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

// open writes a line and goes a block deeper.
func (g *printer) open(format string, args ...any) {
	g.line(format, args...)
	g.depth++
}

func ctype(k loop.Kind) string {
	switch k {
	case loop.F64:
		return "double"
	case loop.I64:
		return "int64_t"
	case loop.Bool:
		return "int"
	case loop.F64s:
		return "double *"
	}
	return "int64_t *"
}

// declaration is a type and a name.
func declaration(k loop.Kind, name string) string {
	if k.IsBuffer() {
		return ctype(k) + name
	}
	return ctype(k) + " " + name
}

// size is the name of a buffer's number of elements.
func size(buf string) string { return buf + "_n" }

// result is the name of the i-th result of a function.
func (g *printer) result(f *source.Function, i int) string {
	if names := g.results[f.Name]; names != nil {
		return names[i]
	}
	return "result" + strconv.Itoa(i)
}

// signature is a function's head, with a spelling of restrict.
func (g *printer) signature(f *source.Function, restrict string) string {
	var parts []string
	if f.Math == nil {
		parts = append(parts, "fx_arena *arena")
	}
	for i, p := range f.Params {
		switch {
		case i >= len(f.Params)-f.Adds: // two of them may be the same buffer
			parts = append(parts, declaration(p.Kind, p.Name), "int64_t "+size(p.Name))
		case p.Kind.IsBuffer():
			parts = append(parts, "const "+ctype(p.Kind)+restrict+" "+p.Name,
				"int64_t "+size(p.Name))
		default:
			parts = append(parts, declaration(p.Kind, p.Name))
		}
	}
	if f.Math != nil {
		return fmt.Sprintf("%s(%s)", declaration(f.Results[0], f.Name), strings.Join(parts, ", "))
	}
	for i, k := range f.Results {
		parts = append(parts, declaration(k, "*"+g.result(f, i)))
		if k.IsBuffer() {
			parts = append(parts, "int64_t *"+size(g.result(f, i)))
		}
	}
	return fmt.Sprintf("int %s(%s)", f.Name, strings.Join(parts, ", "))
}

func (g *printer) Func(f *source.Function) {
	head := g.signature(f, "restrict")
	switch {
	case f.Math != nil:
		g.open("static inline %s {", head)
	case g.static[f.Name]:
		g.open("static %s {", head)
	default:
		g.open("%s {", head)
		g.checkSizes(f)
	}
	g.begun = g.b.Len()
}

// checkSizes checks the numbers of elements that a caller gives. The loop form cannot: in it no
// length is negative.
func (g *printer) checkSizes(f *source.Function) {
	for _, p := range f.Params {
		if p.Kind.IsBuffer() {
			g.line("if (%s < 0) return FX_CHECK;", size(p.Name))
		}
	}
}

func (g *printer) Let(name string, k loop.Kind, expr string) {
	g.line("const %s = %s;", declaration(k, name), expr)
}

func (g *printer) Declare(name string, k loop.Kind, init string) {
	switch {
	case k.IsBuffer() && init != "":
		g.line("%s = (%s)%s;", declaration(k, name), ctype(k), init)
		g.line("int64_t %s = %s;", size(name), size(init))
	case k.IsBuffer():
		g.line("%s = NULL;", declaration(k, name))
		g.line("int64_t %s = 0;", size(name))
	case init != "":
		g.line("%s = %s;", declaration(k, name), init)
	default:
		g.line("%s = 0;", declaration(k, name))
	}
}

func (g *printer) Set(name string, k loop.Kind, expr string) {
	if k.IsBuffer() {
		g.line("%s = (%s)%s;", name, ctype(k), expr)
		g.line("%s = %s;", size(name), size(expr))
		return
	}
	g.line("%s = %s;", name, expr)
}

func (g *printer) Drop(name string) { g.line("(void)%s;", name) }

func (g *printer) Const(c *loop.Const) string {
	switch {
	case c.Kind == loop.Bool:
		return strconv.FormatInt(c.I, 10)
	case c.Kind == loop.I64 && c.I == math.MinInt64:
		return "INT64_MIN"
	case c.Kind == loop.I64 && c.I == int64(int32(c.I)):
		return parenthesise(strconv.FormatInt(c.I, 10))
	case c.Kind == loop.I64:
		return fmt.Sprintf("INT64_C(%d)", c.I)
	case math.IsNaN(c.F):
		return "NAN"
	case math.IsInf(c.F, 0):
		return parenthesise(strings.TrimPrefix(strconv.FormatFloat(c.F, 'g', -1, 64)[:1]+"INFINITY",
			"+"))
	}
	text := strconv.FormatFloat(c.F, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return parenthesise(text)
}

func parenthesise(text string) string {
	if text[0] == '-' {
		return "(" + text + ")"
	}
	return text
}

// ops has an expression for each operation that vmath does not define; $0 … are the arguments.
var ops = map[*loop.Op]string{
	loop.AddF: "$0 + $1", loop.SubF: "$0 - $1", loop.MulF: "$0 * $1", loop.DivF: "$0 / $1",
	loop.NegF: "-$0",
	loop.AbsF: "fabs($0)", loop.Sqrt: "sqrt($0)", loop.Fma: "fma($0, $1, $2)",
	loop.FloorF: "floor($0)", loop.CeilF: "ceil($0)", loop.TruncF: "trunc($0)",
	loop.RoundF: "rint($0)",
	loop.AddI:   "(int64_t)((uint64_t)$0 + (uint64_t)$1)",
	loop.SubI:   "(int64_t)((uint64_t)$0 - (uint64_t)$1)",
	loop.MulI:   "(int64_t)((uint64_t)$0 * (uint64_t)$1)", loop.NegI: "(int64_t)(0 - (uint64_t)$0)",
	loop.MaxI: "$0 > $1 ? $0 : $1", loop.MinI: "$0 < $1 ? $0 : $1",
	loop.DivI: "fx_floordiv($0, $1)", loop.ModI: "fx_floormod($0, $1)",
	loop.AndI: "$0 & $1", loop.OrI: "$0 | $1", loop.XorI: "$0 ^ $1",
	loop.ShlI: "(int64_t)((uint64_t)$0 << ($1 & 63))", loop.ShrI: "$0 >> ($1 & 63)",
	loop.ShrU:    "(int64_t)((uint64_t)$0 >> ($1 & 63))",
	loop.AddOver: "fx_over_add($0, $1)", loop.SubOver: "fx_over_sub($0, $1)",
	loop.MulOver: "fx_over_mul($0, $1)",
	loop.EqF:     "$0 == $1", loop.NeF: "$0 != $1", loop.LtF: "$0 < $1", loop.LeF: "$0 <= $1",
	loop.EqI: "$0 == $1", loop.NeI: "$0 != $1", loop.LtI: "$0 < $1", loop.LeI: "$0 <= $1",
	loop.And: "$0 & $1", loop.Or: "$0 | $1", loop.Not: "!$0",
	loop.SelF: "$0 ? $1 : $2", loop.SelI: "$0 ? $1 : $2", loop.SelB: "$0 ? $1 : $2",
	loop.ToReal: "(double)$0", loop.ToInt: "fx_int($0)", loop.Bits: "fx_bits($0)",
	loop.FromBits: "fx_double($0)",
	loop.ToWord:   "(int64_t)$0",
}

func (g *printer) Op(op *loop.Op, args []string) string {
	text, ok := ops[op]
	if !ok {
		panic("c: no expression for " + op.Name)
	}
	for i, a := range args {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), a)
	}
	return text
}

func (g *printer) Math(name string, args []string) string {
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (g *printer) Alloc(name string, k loop.Kind, n string, zero bool) {
	g.line("const int64_t %s = %s;", size(name), n)
	g.line("if (%s < 0) return FX_CHECK;", size(name))
	g.line("%srestrict %s = fx_alloc(arena, %s);", ctype(k), name, size(name))
	g.line("if (%s == NULL) return FX_MEMORY;", name)
	if zero {
		g.line("memset(%s, 0, 8 * (size_t)%s);", name, size(name))
	}
}

func (g *printer) Copy(name string, k loop.Kind, buf string) {
	g.Alloc(name, k, size(buf), false)
	g.line("fx_copy(%s, %s, %s);", name, buf, size(name))
}

func (g *printer) Length(buf string) string      { return size(buf) }
func (g *printer) Element(buf, at string) string { return buf + "[" + at + "]" }
func (g *printer) Assign(element, value string)  { g.line("%s = %s;", element, value) }
func (g *printer) Add(element, value string)     { g.line("%s += %s;", element, value) }
func (g *printer) Forever()                      { g.open("for (;;) {") }
func (g *printer) BreakIf(cond string)           { g.line("if (%s) break;", cond) }
func (g *printer) If(cond string)                { g.open("if (%s) {", cond) }
func (g *printer) Mark(name string)              { g.line("const size_t %s = arena->top;", name) }

func (g *printer) Else() {
	g.depth--
	g.open("} else {")
}

func (g *printer) End() {
	g.depth--
	g.line("}")
	if g.depth == 0 {
		g.b.WriteByte('\n')
	}
}

// reductions are the operators of OpenMP.
var reductions = map[*loop.Op]string{loop.AddF: "+", loop.AddI: "+", loop.MulF: "*", loop.MulI: "*",
	loop.MaxI: "max",
	loop.MinI: "min", loop.And: "&", loop.Or: "|"}

func (g *printer) For(index, count string, _, simd bool, totals []source.Total) {
	clauses := ""
	for _, t := range totals {
		op, ok := reductions[t.Op]
		simd = simd && ok
		clauses += fmt.Sprintf(" reduction(%s:%s)", op, t.Name)
	}
	if simd {
		g.line("FX_LANES(%s)", strings.TrimPrefix(clauses, " "))
	}
	g.open("for (int64_t %s = 0; %s < %s; %s++) {", index, index, count, index)
}

func (g *printer) Release(mark string, keep []source.Named) {
	if len(keep) == 0 {
		g.line("arena->top = %s;", mark)
		return
	}
	var items []string
	for _, k := range keep {
		items = append(items, fmt.Sprintf("{%s, %s}", k.Name, size(k.Name)))
	}
	g.fresh++
	g.line("fx_kept kept%d[] = {%s};", g.fresh, strings.Join(items, ", "))
	g.line("if (!fx_release(arena, %s, kept%d, %d)) return FX_MEMORY;", mark, g.fresh, len(keep))
	for i, k := range keep {
		g.line("%s = kept%d[%d].p;", k.Name, g.fresh, i)
	}
}

func (g *printer) FailIf(f *source.Function, cond string) {
	if f.Math != nil { // an angle that is too large: vmath's Note [Large angles]
		g.line("if (%s) return %s(%s);", cond, f.Math.Name, f.Params[0].Name)
		return
	}
	g.line("if (%s) return FX_CHECK;", cond)
}

func (g *printer) Call(f *source.Function, args, results []source.Named) {
	parts := []string{"arena"}
	for _, a := range args {
		parts = append(parts, a.Name)
		if a.Kind.IsBuffer() {
			parts = append(parts, size(a.Name))
		}
	}
	for _, r := range results {
		parts = append(parts, "&"+r.Name)
		if r.Kind.IsBuffer() {
			parts = append(parts, "&"+size(r.Name))
		}
	}
	g.fresh++
	g.line("if (arena->depth >= FX_MAX_DEPTH) return FX_DEPTH;")
	g.line("arena->depth++;")
	g.line("const int status%d = %s(%s);", g.fresh, f.Name, strings.Join(parts, ", "))
	g.line("arena->depth--;")
	g.line("if (status%d != FX_OK) return status%d;", g.fresh, g.fresh)
}

func (g *printer) Return(f *source.Function, results []source.Named) {
	if f.Math != nil {
		g.line("return %s;", results[0].Name)
		return
	}
	for i, r := range results {
		if to := g.result(f, i); r.Kind.IsBuffer() {
			g.line("*%s = (%s)%s;", to, ctype(r.Kind), r.Name)
			g.line("*%s = %s;", size(to), size(r.Name))
		} else {
			g.line("*%s = %s;", to, r.Name)
		}
	}
	if !strings.Contains(g.b.String()[g.begun:], "arena") {
		g.Drop("arena")
	}
	g.line("return FX_OK;")
}
