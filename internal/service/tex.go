package service

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// This file writes mathematics in LaTeX: values that are easiest to read in that form, and
// definitions as formulas.

// maxMatrix is the greatest side of a matrix that is written out.
const maxMatrix = 10

// mathOf returns an enclosure, a short array of numbers or a small matrix in LaTeX, and "" for
// other values.
func mathOf(v value.Value) string {
	if e, ok := v.(exact.Enclosure); ok {
		lo, hi := e.Decimals()
		return enclosureTeX(Enclosure{Lo: lo, Hi: hi})
	}
	n, ok := value.Len(v)
	if !ok || n < 1 || n > maxMatrix {
		return ""
	}
	var rows []string
	for i := range n {
		row := value.At(v, i)
		width, nested := value.Len(row)
		if !nested {
			cell := numberTeX(row)
			if cell == "" {
				return ""
			}
			rows = append(rows, cell)
			continue
		}
		var cells []string
		for j := range min(width, maxMatrix+1) {
			cells = append(cells, numberTeX(value.At(row, j)))
		}
		if width > maxMatrix || width == 0 || slices.Contains(cells, "") {
			return ""
		}
		rows = append(rows, strings.Join(cells, " & "))
	}
	return `\begin{pmatrix} ` + strings.Join(rows, ` \\ `) + ` \end{pmatrix}`
}

func numberTeX(v value.Value) string {
	switch v := v.(type) {
	case value.Real, value.Int:
		return literalTeX(value.Show(v))
	case exact.Enclosure:
		return mathOf(v)
	}
	return ""
}

// enclosureTeX writes the digits that are certain, or the interval if there are none.
func enclosureTeX(e Enclosure) string {
	if digits := e.Certain(); digits == e.Lo && e.Lo == e.Hi {
		return literalTeX(digits)
	} else if len(digits) > 3 {
		return literalTeX(digits) + `\ldots`
	}
	return `\left[` + literalTeX(e.Lo) + `,\, ` + literalTeX(e.Hi) + `\right]`
}

// literalTeX writes a number: 2.5e-10 is 2.5 · 10⁻¹⁰.
func literalTeX(text string) string {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	switch {
	case strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0b"):
		return `\mathtt{` + text + `}`
	case text == "inf" || text == "-inf":
		return strings.Replace(text, "inf", `\infty`, 1)
	case text == "nan":
		return `\mathrm{nan}`
	case scaled:
		return mantissa + ` \cdot 10^{` + strings.TrimPrefix(exponent, "+") + `}`
	}
	return strings.ReplaceAll(text, "_", `\,`)
}

// Formula writes the last definition of a name in the session as a formula in LaTeX.
func (s *Session) Formula(name string) (string, error) {
	for _, u := range slices.Backward(s.open) {
		for _, d := range slices.Backward(u.AST.Decls) {
			let, ok := d.(*syntax.LetDecl)
			if !ok {
				continue
			}
			for _, b := range let.Bindings {
				if b.Name() == name {
					return bindingTeX(b), nil
				}
			}
		}
	}
	return "", fmt.Errorf("this session defines no `%s`", name)
}

// bindingTeX writes `f x y = e` as f(x, y) = e.
func bindingTeX(b *syntax.Binding) string {
	head := nameTeX(b.Pat.Span().Text())
	body := b.Body
	params := b.Params
	if f, ok := body.(*syntax.Fun); ok && len(params) == 0 {
		params, body = f.Params, f.Body
	}
	if len(params) > 0 {
		head += "(" + patternsTeX(params) + ")"
	}
	return head + " = " + tex(body, 0)
}

func patternsTeX(params []syntax.Pattern) string {
	var names []string
	for _, p := range params {
		names = append(names, patternTeX(p))
	}
	return strings.Join(names, ", ")
}

func patternTeX(p syntax.Pattern) string {
	switch p := p.(type) {
	case *syntax.PVar:
		return nameTeX(p.Name)
	case *syntax.PParen:
		return patternTeX(p.X)
	case *syntax.PAnnot:
		return patternTeX(p.X)
	case *syntax.PTuple:
		return "(" + patternsTeX(p.Elems) + ")"
	case *syntax.PWild:
		return `\_`
	}
	return sourceTeX(p)
}

// greek lists the names that stand for a Greek letter.
var greek = strings.Fields(
	"alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu " +
		"xi pi rho sigma tau upsilon phi chi psi omega")

// functions maps functions to the LaTeX commands that mathematics has for them.
var functions = map[string]string{
	"sin": `\sin`, "cos": `\cos`, "tan": `\tan`, "asin": `\arcsin`, "acos": `\arccos`,
	"atan": `\arctan`, "sinh": `\sinh`, "cosh": `\cosh`, "tanh": `\tanh`, "log": `\log`,
	"exp": `\exp`,
	"min": `\min`, "max": `\max`, "det": `\det`, "grad": `\nabla`,
}

// nameTeX writes a name. Greek names become letters, digits and what follows an underscore become
// an index, and several letters are set upright.
func nameTeX(name string) string {
	base, index, indexed := strings.Cut(name, "_")
	primes := len(base) - len(strings.TrimRight(base, "'"))
	base = strings.TrimRight(base, "'")
	if letters := strings.TrimRight(base, "0123456789"); !indexed && letters != "" &&
		letters != base {
		base, index, indexed = letters, base[len(letters):], true
	}
	switch {
	case slices.Contains(greek, base):
		base = `\` + base
	case functions[base] != "":
		base = functions[base]
	case utf8.RuneCountInString(base) > 1:
		base = `\mathrm{` + base + `}`
	}
	base += strings.Repeat("'", primes)
	if indexed && index != "" {
		base += "_{" + strings.ReplaceAll(index, "_", `\_`) + "}"
	}
	return base
}

// The precedence of the context of an expression.
const (
	precSum = 1 + iota
	precProduct
	precNegative
	precPower
	precAtom
)

// sourceTeX writes an expression without mathematical notation as source text.
func sourceTeX(n syntax.Node) string {
	text := strings.NewReplacer(`\`, `\backslash `, "{", `\{`, "}", `\}`, "_", `\_`, "#", `\#`,
		"%", `\%`, "&", `\&`, "^", `\hat{}`, "$", `\$`, "\n", " ").Replace(n.Span().Text())
	return `\texttt{` + text + `}`
}

// grouped adds brackets if the expression binds less tightly than its context.
func grouped(text string, own, around int) string {
	if own < around {
		return `\left(` + text + `\right)`
	}
	return text
}

// tex writes an expression in a context of the given precedence.
func tex(e syntax.Expr, around int) string {
	switch e := e.(type) {
	case *syntax.Var:
		return nameTeX(e.Name)
	case *syntax.Number:
		return literalTeX(e.Text)
	case *syntax.Paren:
		return tex(e.X, around)
	case *syntax.Annot:
		return tex(e.X, around)
	case *syntax.Tuple:
		return `\left(` + listTeX(e.Elems) + `\right)`
	case *syntax.Field:
		return tex(e.X, precAtom) + `_{` + nameTeX(e.Name.Name) + `}`
	case *syntax.Index:
		return tex(e.X, precAtom) + "_{" + listTeX(e.Indices) + "}"
	case *syntax.Neg:
		return grouped("-"+tex(e.X, precNegative), precNegative, around)
	case *syntax.Binary:
		return binaryTeX(e, around)
	case *syntax.Apply:
		return applyTeX(e, around)
	case *syntax.Fun:
		return grouped(patternsTeX(e.Params)+` \mapsto `+tex(e.Body, 0), 0, around)
	case *syntax.If:
		return casesTeX(e)
	case *syntax.Let:
		text := tex(e.Body, 0)
		for _, b := range e.Bindings {
			text += ` \quad\text{where}\quad ` + bindingTeX(b)
		}
		return grouped(text, 0, around)
	}
	return sourceTeX(e)
}

func listTeX(list []syntax.Expr) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, tex(e, 0))
	}
	return strings.Join(parts, ", ")
}

// relations maps the operators that bind less tightly than a sum.
var relations = map[string]string{
	"<": "<", ">": ">", "<=": `\le`, ">=": `\ge`, "==": "=", "!=": `\ne`, "&&": `\land`,
	"||": `\lor`,
}

func binaryTeX(e *syntax.Binary, around int) string {
	switch op := e.Op.String(); op {
	case "/":
		return `\frac{` + tex(e.L, 0) + `}{` + tex(e.R, 0) + `}`
	case "^", "**":
		return grouped(tex(e.L, precAtom)+"^{"+tex(e.R, 0)+"}", precPower, around)
	case "*":
		return grouped(tex(e.L, precProduct)+timesTeX(e.R)+tex(e.R, precNegative),
			precProduct, around)
	case "+", "-":
		return grouped(tex(e.L, precSum)+" "+op+" "+tex(e.R, precProduct), precSum, around)
	default:
		if relation := relations[op]; relation != "" {
			return grouped(tex(e.L, precSum)+" "+relation+" "+tex(e.R, precSum), 0, around)
		}
	}
	return sourceTeX(e)
}

// timesTeX returns the sign of a product: a dot before a number.
func timesTeX(r syntax.Expr) string {
	if _, digits := r.(*syntax.Number); digits {
		return ` \cdot `
	}
	return ` \, `
}

func applyTeX(e *syntax.Apply, around int) string {
	name := ""
	if v, ok := e.Fun.(*syntax.Var); ok {
		name = v.Name
	}
	arg := func(i int) string { return tex(e.Args[i], 0) }
	switch {
	case name == "sqrt" && len(e.Args) == 1:
		return `\sqrt{` + arg(0) + `}`
	case name == "abs" && len(e.Args) == 1:
		return `\left|` + arg(0) + `\right|`
	case name == "exp" && len(e.Args) == 1:
		return grouped(`e^{`+arg(0)+`}`, precPower, around)
	case name == "real" && len(e.Args) == 1:
		return tex(e.Args[0], precAtom)
	case name == "deriv" && len(e.Args) == 2:
		return tex(e.Args[0], precAtom) + "'" + `\left(` + arg(1) + `\right)`
	case name == "sum" && len(e.Args) == 1:
		if c, ok := bare(e.Args[0]).(*syntax.Comp); ok && !c.Flat && len(c.Clauses) == 1 {
			return grouped(sumTeX(c), precSum, around)
		}
	case name == "integral" && len(e.Args) == 3:
		if f, ok := bare(e.Args[2]).(*syntax.Fun); ok && len(f.Params) == 1 {
			text := `\int_{` + arg(0) + `}^{` + arg(1) + `} ` + tex(f.Body, precProduct) +
				` \, d` + patternTeX(f.Params[0])
			return grouped(text, precSum, around)
		}
	}
	return tex(e.Fun, precAtom) + `\left(` + listTeX(e.Args) + `\right)`
}

func sumTeX(c *syntax.Comp) string {
	over := c.Clauses[0]
	below := `0 \le ` + patternTeX(over.Pat) + ` < ` + tex(over.X, precSum)
	if over.In {
		below = patternTeX(over.Pat) + ` \in ` + tex(over.X, precSum)
	}
	return `\sum_{` + below + `} ` + tex(c.Body, precProduct)
}

// bare returns an expression without brackets around it.
func bare(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

// casesTeX writes a chain of conditions.
func casesTeX(e *syntax.If) string {
	var b strings.Builder
	b.WriteString(`\begin{cases} `)
	for {
		b.WriteString(tex(e.Then, 0) + ` & \text{if } ` + tex(e.Cond, 0) + ` \\ `)
		next, ok := bare(e.Else).(*syntax.If)
		if !ok {
			break
		}
		e = next
	}
	return b.String() + tex(e.Else, 0) + ` & \text{else} \end{cases}`
}
