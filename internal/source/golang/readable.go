package golang

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/source"
)

// readable prints functions for people: variables are called as in the program, constants have no
// type where another operand decides it, scalars that are used once are written where they are
// used, and functions have the parameters and results of their faces. Math functions come last.
type readable struct {
	*printer
	pkg         *Package
	declared    map[string]bool    // the names of functions and types of the package
	faces       map[string]*opened // by the names of functions
	text, maths functions          // of the program, and math functions
	// cells has the elements of parameters that are read where they are, in rows.
	cells map[*loop.Func]map[*loop.Load]pass.Cell
	// natural are the variables that are not negative.
	natural map[string]bool
	// rowsOf has the numbers of elements of such parameters, in the function that is printed.
	rowsOf map[string]string
}

// functions is the text of functions, one after the other.
type functions struct {
	strings.Builder
	starts []int // where each of them begins
}

// parts is the text of each function.
func (f *functions) parts() (all []string) {
	text, end := f.String(), f.Len()
	for _, start := range slices.Backward(f.starts) {
		all = append(all, text[start:end])
		end = start
	}
	slices.Reverse(all)
	return all
}

// predeclared holds the names that Go declares in every file.
var predeclared = names(`any bool byte comparable complex64 complex128 error float32 float64
	int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr
	true false iota nil append cap clear close complex copy delete imag len make max min
	new panic print println real recover`)

// names returns the set of the names in a list.
func names(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

// Reserved tells whether a name means something else in Go, or in the file: calls have errors err1,
// err2 …
func (g *readable) Reserved(_, name string) bool {
	number, isError := strings.CutPrefix(name, "err")
	return token.IsKeyword(name) || predeclared[name] ||
		name == "math" || name == "errors" || name == "depth" || strings.HasPrefix(name, "fx") ||
		isError && number != "" && strings.Trim(number, "0123456789") == "" || g.declared[name]
}

// widest is how long an expression may be that is written where it is used.
const widest = 64

// Nests tells whether an expression is short.
func (g *readable) Nests(expr string) bool { return len(expr) <= widest }

// Func begins a function.
func (g *readable) Func(f *source.Function) {
	to := &g.text
	if f.Math != nil {
		to = &g.maths
	}
	to.starts = append(to.starts, to.Len())
	g.b = &to.Builder
	g.rowsOf, g.natural = nil, map[string]bool{}
	if face := g.faces[f.Name]; face != nil {
		g.comment(f.Name)
		g.failed, g.deeper, g.rowsOf = face.failed, "0", face.rowsOf
		g.open("func %s {", face.signature(f.Name))
		g.b.WriteString(face.text)
		return
	}
	g.printer.Func(f)
}

// Return gives the results, in the types of the function's face.
func (g *readable) Return(f *source.Function, results []source.Named) {
	if face := g.faces[f.Name]; face != nil {
		g.line("%s", face.results(results))
	} else {
		g.printer.Return(f, results)
	}
}

// Op leaves out the types of constants, and puts parentheses where the precedence of operators asks
// for them.
func (g *readable) Op(op *loop.Op, args []string) string {
	decided := false
	for i, a := range args {
		decided = decided || op.Args[i] != loop.Bool && a == untyped(a)
	}
	args = slices.Clone(args)
	for i, a := range args {
		if decided {
			args[i] = untyped(a)
		}
	}
	text, ok := ops[op]
	if !ok {
		panic("golang: no expression for " + op.Name)
	}
	return substitute(plainer(op, text, args), args)
}

// plainer is the expression of an operation as people write it: n - 1 for n + -1, n > 3 for 3 < n,
// and so on. It may change the arguments.
func plainer(op *loop.Op, text string, args []string) string {
	switch op {
	case loop.AddI:
		if rest, ok := strings.CutPrefix(args[1], "-"); ok && isConstant(rest) {
			args[1] = rest
			return ops[loop.SubI]
		}
	case loop.LtI, loop.LtF:
		if size, ok := parse(args[0]).(*ast.CallExpr); ok && args[1] == "math.Inf(1)" &&
			strings.HasPrefix(args[0], "math.Abs(") {
			args[0] = show(size.Args[0])
			return "fxFinite($0)"
		}
		if isConstant(args[0]) {
			return "$1 > $0"
		}
	case loop.LeI, loop.LeF:
		if isConstant(args[0]) {
			return "$1 >= $0"
		}
	case loop.Not:
		if not, ok := parse(args[0]).(*ast.UnaryExpr); ok && not.Op == token.NOT {
			args[0] = show(not.X)
			return "$0"
		}
	}
	return text
}

// isConstant tells whether an expression is a number.
func isConstant(expr string) bool {
	_, err := strconv.ParseFloat(expr, 64)
	return err == nil
}

// substitute puts arguments into the places $0 … of an expression.
func substitute(text string, args []string) string {
	parsed := make([]ast.Expr, len(args))
	for i, a := range args {
		parsed[i] = parse(a)
	}
	expr := parse(strings.ReplaceAll(text, "$", "arg_"))
	var put func(e ast.Expr) ast.Expr
	put = func(e ast.Expr) ast.Expr {
		switch e := e.(type) {
		case *ast.Ident:
			if n, ok := strings.CutPrefix(e.Name, "arg_"); ok {
				i, _ := strconv.Atoi(n)
				return parsed[i]
			}
		case *ast.BinaryExpr:
			e.X, e.Y = put(e.X), put(e.Y)
		case *ast.UnaryExpr:
			e.X = put(e.X)
		case *ast.ParenExpr:
			e.X = put(e.X)
		case *ast.CallExpr:
			for i := range e.Args {
				e.Args[i] = put(e.Args[i])
			}
		}
		return e
	}
	return show(put(expr))
}

// show is the text of an expression, with parentheses where operators need them.
func show(e ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		panic(fmt.Sprintf("golang: %v", err))
	}
	return b.String()
}

// parse parses an expression, which was made here.
func parse(text string) ast.Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(fmt.Sprintf("golang: %s: %v", text, err))
	}
	return e
}

// untyped is a constant without its type, or any other text.
func untyped(arg string) string {
	for _, kind := range []string{"float64(", "int64("} {
		if text, ok := strings.CutPrefix(arg, kind); ok {
			if text = strings.TrimSuffix(text, ")"); isConstant(text) {
				return text
			}
		}
	}
	return arg
}

// FailIf leaves out the condition that always holds. Conditions that follow one another become one
// statement.
func (g *readable) FailIf(f *source.Function, cond string) {
	switch {
	case g.gone > 0:
	case f.Math != nil:
		g.printer.FailIf(f, cond)
	case cond == "!false":
		g.line("return %s", g.failed)
		g.gone = g.depth
	default:
		// it holds for the rest of the function
		if n, ok := strings.CutSuffix(cond, " < 0"); ok && g.depth == 1 {
			g.natural[n] = true
		}
		if sum, ok := parse(cond).(*ast.BinaryExpr); ok && sum.Op == token.LAND {
			cond = "(" + cond + ")"
		}
		g.fails = append(g.fails, cond)
	}
}

// Set adds to a variable where it can. One that stays true as long as conditions hold is set when
// one does not: a test that is always the same costs less than what depends on all turns before.
func (g *readable) Set(name string, k loop.Kind, expr string) {
	operation, ok := parse(expr).(*ast.BinaryExpr)
	if ok {
		inner := operation.Y
		if parens, ok := inner.(*ast.ParenExpr); ok {
			inner = parens.X
		}
		switch to, ok := operation.X.(*ast.Ident); {
		case !ok || to.Name != name:
		case operation.Op == token.ADD:
			g.line("%s += %s", name, show(inner))
			return
		case operation.Op == token.LAND:
			g.line("if %s {\n%s = false\n}", g.Op(loop.Not, []string{show(inner)}), name)
			return
		}
	}
	g.printer.Set(name, k, expr)
}

// Let takes note of numbers that are not negative.
func (g *readable) Let(name string, k loop.Kind, expr string) {
	g.natural[name] = strings.HasPrefix(expr, "int64(len(")
	g.printer.Let(name, k, expr)
}

// checkLength compares a length with 0, unless it is a constant or known not to be negative.
func (g *readable) checkLength(n string) {
	if !isConstant(n) && !g.natural[n] {
		g.line("if %s < 0 {\nreturn %s\n}", n, g.failed)
	}
}

// Alloc makes a buffer.
func (g *readable) Alloc(name string, k loop.Kind, n string, _ bool) {
	n = untyped(n)
	g.checkLength(n)
	g.line("%s := make(%s, %s)", name, kinds[k], n)
}

// Reuse makes a buffer in the memory that it had before.
func (g *readable) Reuse(name string, _ loop.Kind, n string, zero bool) {
	g.checkLength(n)
	if g.line("%s = fxReuse(%s, %s)", name, name, n); zero {
		g.line("clear(%s)", name)
	}
}

// Part binds a part of a buffer.
func (g *readable) Part(name, buf, from, count string) {
	if from, count = untyped(from), untyped(count); from == "0" {
		g.line("%s := %s[:%s]", name, buf, count)
	} else {
		g.line("%s := %s[%s : %s+%s]", name, buf, from, from, count)
	}
}

// Rows tells where elements are read of the parameters that are slices of slices.
func (g *readable) Rows(f *loop.Func) map[*loop.Load]pass.Cell { return g.cells[f] }

// Row is a row of such a parameter.
func (g *readable) Row(buf, row string) string { return buf + "[" + untyped(row) + "]" }

// Length is that of all rows together.
func (g *readable) Length(buf string) string {
	if n := g.rowsOf[buf]; n != "" {
		return n
	}
	return g.printer.Length(buf)
}

// Element leaves out the type of an index.
func (g *readable) Element(buf, at string) string { return g.printer.Element(buf, untyped(at)) }
