package fit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [The fitted program]. A model and its data are turned into the text of a program. For
//
//	fluxion fit misra.flx --fn model --data misra.csv --y y --start '{b1 = 500, b2 = 0.0001}'
//
// the text, without the derivatives at its end, is
//
//	let start' = {b1 = 500, b2 = 0.0001}
//	let rows' : []{x : Real, y : Real} = file "misra.csv"
//	let rho' (z : Real) : Real = z
//	let errors' p r = [r.y - model p r.x]
//	let term' p r = sum [rho' (e^2) / 2 for e in errors' p r]
//	let prior' p = 0
//	let objective' (q : []Real) : Real =
//	  let p = unflatten start' q
//	  sum [term' p r for r in rows'] - prior' p
//
// The parameters may have any structure. The methods see the vector q of its reals. Names end in
// a prime, so that they do not hide names that the program is likely to define. Diagnostics about
// the text are reported in terms of the model, the data and the flags.

// column is a column of the data that the model needs.
type column struct {
	name string
	ty   string // the type as a program writes it
	why  string // why the column is needed, for messages
}

// source builds the text.
type source struct {
	o       Options
	unit    *driver.Unit
	prelude *driver.Unit
	b       strings.Builder
	pieces  []piece
	// the range where the model is applied to the start, so that their types are compared first
	probe  [2]int32
	params []driver.Parameter // the parameters of the model

	columns []column
	args    []string // the arguments of the model after the first, in terms of p and of the row r
	whole   bool     // whether the model takes all rows at once
	scalar  bool     // whether it predicts one real per row
	// the only column that the model uses, if it takes one real of it per row, or ""
	over   string
	noise  bool // whether the standard deviation of the response is a parameter
	unused int  // rows of weight 0, which do not count for the standard deviation
	at     diag.Span
}

// piece is a part of the text that the user wrote.
type piece struct {
	start, end int32
	file       *diag.File
}

const textName = "<fit>"

// newSource builds the text.
func newSource(w *driver.World, u *driver.Unit, o Options, noise bool, unused int) (
	*source, *diag.Diagnostic) {
	var sink diag.List
	s := &source{o: o, unit: u, noise: noise, unused: unused, prelude: w.Library("prelude", &sink)}
	global := u.Info.Interface.Value(o.Function)
	if global == nil {
		return nil, u.Undefined(o.Function)
	}
	s.at = global.At
	ts, result := types.Splay(global.Scheme.Type, math.MaxInt)
	s.params = u.Parameters(o.Function)
	if len(ts) == 0 {
		return nil, diag.Errorf(diag.NotAFunction, global.At, "`%s` is not a function", o.Function).
			WithHint("a model takes its parameters first, and then what it needs of the data")
	}
	if len(s.params) < len(ts) {
		return nil, refuse(global.At,
			"the parameters of `%s` have no names, by which columns could be found", o.Function).
			WithHint("write `let %s p x = …`", o.Function)
	}
	if d := s.match(s.params[1:]); d != nil {
		return nil, d
	}
	if d := s.shape(result); d != nil {
		return nil, d
	}
	s.write()
	return s, nil
}

// match finds the arguments of the model.
func (s *source) match(params []driver.Parameter) *diag.Diagnostic {
	for _, p := range params {
		if p.Name == "" {
			return refuse(p.At, "this parameter of `%s` needs a name, which is that of a column",
				s.o.Function)
		}
		if s.set(p.Name) != "" {
			continue
		}
		_, array := types.Resolve(p.Type).(*types.Array)
		s.whole = s.whole || array && !s.o.PerRow
	}
	for _, g := range s.o.Set {
		if !slices.ContainsFunc(params, func(p driver.Parameter) bool { return p.Name == g.Name }) {
			return refuse(option("--set", g.Name+"="+g.Text), "`%s` has no parameter `%s`",
				s.o.Function, g.Name)
		}
	}
	for _, p := range params {
		if name := s.set(p.Name); name != "" {
			s.args = append(s.args, name)
			continue
		}
		t := types.Resolve(p.Type)
		if s.whole {
			array, ok := t.(*types.Array)
			if !ok {
				return refuse(p.At,
					"`%s` is not an array, but other parameters of `%s` are given all rows at once",
					p.Name, s.o.Function).
					WithHint("give it a value that is the same for all rows: --set %s=VALUE",
						p.Name).
					WithHint("if the arrays are cells of a row, say so: --per-row")
			}
			t = types.Resolve(array.Elem)
		}
		arg, d := s.argument(p, t)
		if d != nil {
			return d
		}
		if s.whole {
			arg = "[" + arg + " for r in rows']"
		}
		s.args = append(s.args, arg)
	}
	if len(s.o.Data) == 0 && len(s.columns) > 0 {
		return refuse(s.at, "`%s` takes `%s` from data, and there is none", s.o.Function,
			s.columns[0].name).
			WithHint("name a file: --data FILE")
	}
	for _, y := range s.o.Response {
		for _, name := range s.mentioned(y) {
			s.need(name, "Real", responseWhy)
		}
	}
	if s.o.Weight != "" {
		s.need(s.o.Weight, "Real", "it has the weights (--weight)")
	}
	if isColumn(s.o.Sigma) {
		s.need(s.o.Sigma, "Real", "it has the standard deviations (--sigma)")
	}
	return nil
}

// set returns the name of an argument that --set gives, or "".
func (s *source) set(name string) string {
	for k, g := range s.o.Set {
		if g.Name == name {
			return "set" + strconv.Itoa(k) + "'"
		}
	}
	return ""
}

// argument returns an argument of the model, of the given type, in terms of the row r.
func (s *source) argument(p driver.Parameter, t types.Type) (string, *diag.Diagnostic) {
	record, ok := t.(*types.Record)
	if !ok {
		s.need(p.Name, columnType(t), fmt.Sprintf("`%s` takes `%s : %s`", s.o.Function, p.Name,
			types.Show(p.Type)))
		return of(p.Name), nil
	}
	var fields []string
	for _, f := range record.Fields {
		s.need(f.Name, columnType(f.Type), fmt.Sprintf("it is a field of `%s`", p.Name))
		fields = append(fields, notation.Field(f.Name)+" = "+of(f.Name))
	}
	return "{" + strings.Join(fields, ", ") + "}", nil
}

// columnType returns the type of a column. A type that the model leaves open is Real.
func columnType(t types.Type) string {
	if _, open := types.Resolve(t).(*types.Param); open {
		return "Real"
	}
	return (&types.Printer{}).Type(t)
}

func (s *source) need(name, ty, why string) {
	if !slices.ContainsFunc(s.columns, func(c column) bool { return c.name == name }) {
		s.columns = append(s.columns, column{name, ty, why})
	}
}

// responseWhy says why the column of the response is needed.
const responseWhy = "it is the response (--y)"

// isColumn reports whether the argument of --sigma names columns, that is, whether it is not a
// number.
func isColumn(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return text != "" && err != nil
}

// mentioned returns the columns that an expression for the response mentions. If the expression
// is the name of a column, that is the only one. Otherwise they are all names that neither the
// program nor the prelude defines: none in a number, as what an implicit model predicts is 0.
func (s *source) mentioned(text string) []string {
	if isColumn(text) && !strings.ContainsAny(text, "()*/+-^ ") {
		return []string{text}
	}
	var names []string
	for _, word := range words().FindAllString(text, -1) {
		if !s.unit.Defines(word) && !s.prelude.Defines(word) && prim.Lookup(word) == nil &&
			!slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names
}

var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL_][\pL\pN_']*`) })

// response returns the response in terms of the row r.
func (s *source) response(text string) string {
	names := s.mentioned(text)
	if slices.Equal(names, []string{text}) {
		return of(text)
	}
	bound := ""
	for _, name := range names {
		bound += fmt.Sprintf("let %s = %s in ", name, of(name))
	}
	return "(" + bound + text + ")"
}

// of returns a column of the row r.
func of(name string) string { return "r." + notation.Field(name) }

// shape checks that the model's result has a type that suits the kind of model.
func (s *source) shape(result types.Type) *diag.Diagnostic {
	f := s.o.Function
	_, array := result.(*types.Array)
	isReal := result == types.Type(types.Real)
	if _, open := result.(*types.Param); open {
		isReal = true
	}
	switch {
	case s.o.Kind != Prediction && !isReal:
		return refuse(s.at, "`%s` gives %s, and a %s is a Real", f, types.Show(result),
			kindName[s.o.Kind])
	case s.o.Kind != Prediction && len(s.o.Response) > 0:
		return refuse(option("--y", s.o.Response[0]),
			"a %s takes the response as an argument; only a prediction has --y", kindName[s.o.Kind])
	case s.o.Kind != Prediction && s.o.Sigma != "":
		return refuse(option("--sigma", s.o.Sigma),
			"a %s takes standard deviations as an argument; only a prediction has --sigma",
			kindName[s.o.Kind])
	case s.o.Kind != Prediction && s.o.Weight != "" && (s.whole || len(s.o.Data) == 0):
		return refuse(option("--weight", s.o.Weight),
			"`%s` is not a sum over rows, so rows have no weights", f)
	case s.o.Kind != Prediction:
	case len(s.o.Data) == 0:
		return refuse(s.at,
			"a prediction is compared with data, and there is none").WithHint(
			"name a file: --data FILE")
	case len(s.o.Response) == 0:
		return refuse(s.at, "which column does `%s` predict?", f).WithHint("name it: --y COLUMN").
			WithHint("or say that the value is a loss to be minimised (--loss), or a logarithm " +
				"of a likelihood to be maximised (--log-likelihood)")
	case s.whole && (!array || len(s.o.Response) > 1):
		return refuse(s.at,
			"`%s` is given all rows at once, and should give an array with a prediction of one "+
				"column for each", f)
	}
	s.scalar = isReal && !s.whole
	for _, c := range s.columns {
		if len(s.o.Response) > 0 && slices.Contains(s.mentioned(s.o.Response[0]), c.name) &&
			c.why != responseWhy {
			return refuse(option("--y", c.name),
				"`%s` takes the column `%s` as an argument, and cannot predict it", f, c.name)
		}
	}
	return nil
}

var kindName = map[Kind]string{Prediction: "prediction", Loss: "loss",
	LogLikelihood: "logarithm of a likelihood"}

// robust lists the robust losses, as functions of a squared residual z in units of the scale. All
// are z to first order.
var robust = map[string]struct {
	text  string
	scale float64 // in standard deviations, chosen for an efficiency of 95 % on normal errors
}{
	"huber":   {"if z <= 1 then z else 2 * sqrt z - 1", 1.345},
	"soft-l1": {"2 * (sqrt (1 + z) - 1)", 1.345},
	"cauchy":  {"log1p z", 2.385},
	"welsch":  {"-(expm1 (-z))", 2.985},
	"tukey":   {"if z <= 1 then (1 - (1 - z)^3) / 3 else 1 / 3 + 0 * z", 4.685},
}

// RobustNames lists the robust losses.
func RobustNames() []string { return []string{"huber", "soft-l1", "cauchy", "welsch", "tukey"} }

func (s *source) linef(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// given writes `let NAME = EXPR` for an expression of the user's.
func (s *source) given(name, flag, prefix, expr string) {
	fmt.Fprintf(&s.b, "let %s = (", name)
	start := int32(s.b.Len())
	s.b.WriteString(expr)
	s.pieces = append(s.pieces, piece{start, int32(s.b.Len()), diag.NewFile(flag, prefix+expr)})
	s.b.WriteString("\n )\n")
}

// write writes the text.
func (s *source) write() {
	o := s.o
	start := o.Start
	if start == "" {
		start = "start"
	}
	s.given("start'", "--start", "", start)
	s.probe[0] = int32(s.b.Len())
	s.linef("let probe' () = %s start'", o.Function)
	s.probe[1] = int32(s.b.Len())
	for k, g := range o.Set {
		s.given("set"+strconv.Itoa(k)+"'", "--set", g.Name+"=", g.Text)
	}
	for k, g := range o.Priors {
		s.given("prior"+strconv.Itoa(k)+"'", "--prior", g.Name+"=", qualified(g.Text))
	}
	s.rows()
	z := "z"
	if o.Robust != "" {
		square := fmt.Sprintf("%v", o.Scale*o.Scale)
		z = fmt.Sprintf("%s * (let z = z / %s in %s)", square, square, robust[o.Robust].text)
	}
	s.linef("let rho' (z : Real) : Real = %s", z)
	s.errors()
	s.prior()
	s.objective()
	s.derivatives()
}

// qualified returns a distribution with the name of its module.
func qualified(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if slices.Contains(distributions, word) {
		return "dist." + strings.TrimSpace(text)
	}
	return text
}

// distributions lists the distributions of the library's module dist that are densities of a
// real.
var distributions = []string{"uniform", "normal", "logNormal", "exponential", "gamma", "chiSquared",
	"beta",
	"student", "cauchy", "laplace", "logistic", "gumbel", "weibull"}

func (s *source) rows() {
	if len(s.o.Data) == 0 {
		s.linef("let rows' : [](Real, Real) = [(0, 0)]")
		return
	}
	var fields []string
	for _, c := range s.columns {
		fields = append(fields, notation.Field(c.name)+" : "+c.ty)
	}
	ty := "[]{" + strings.Join(fields, ", ") + "}"
	for k, path := range s.o.Data {
		s.linef("let file%d' : %s = file %s", k, ty, notation.Quote(path))
	}
	joined := "file0'"
	for k := 1; k < len(s.o.Data); k++ {
		joined = fmt.Sprintf("array.concat (%s) file%d'", joined, k)
	}
	s.linef("let rows' = %s", joined)
}

// call returns an application of the model.
func (s *source) call() string {
	return strings.Join(append([]string{s.o.Function, "p"}, parenthesised(s.args)...), " ")
}

func parenthesised(args []string) []string {
	out := make([]string, len(args))
	for k, a := range args {
		if out[k] = a; strings.ContainsAny(a, " ") && a[0] != '[' && a[0] != '{' {
			out[k] = "(" + a + ")"
		}
	}
	return out
}

// factor returns the factor of the residuals, in terms of the row r, or "".
func (s *source) factor() string {
	text := ""
	if s.o.Weight != "" {
		text = " * sqrt " + of(s.o.Weight)
	}
	switch {
	case isColumn(s.o.Sigma):
		text += " / " + of(s.o.Sigma)
	case s.o.Sigma != "":
		text += " / sigma'"
	}
	return text
}

// each returns an array with the value of --weight or --sigma for each row. If it is a number,
// all rows have the same.
func (s *source) each(text string) string {
	switch {
	case text == "":
		return "[]"
	case isColumn(text):
		return "[" + of(text) + " for r in rows']"
	}
	return "[sigma']"
}

// errors writes the predictions and the weighted residuals.
func (s *source) errors() {
	if s.o.Kind != Prediction {
		return
	}
	if s.o.Sigma != "" && !isColumn(s.o.Sigma) {
		s.given("sigma'", "--sigma", "", s.o.Sigma)
	}
	if s.whole {
		s.linef("let predictions' p = %s", s.call())
		s.linef("let observed' = [%s for r in rows']", s.response(s.o.Response[0]))
		s.linef("let residuals' p =")
		s.linef("  let f = predictions' p")
		s.linef("  [(let r = rows'[i] in (observed'[i] - f[i])%s) for i < length f]", s.factor())
		return
	}
	if s.scalar {
		s.linef("let predictions' p = [%s for r in rows']", s.call())
		s.linef("let observed' = [%s for r in rows']", s.response(s.o.Response[0]))
		s.linef("let error' p r = (%s - %s)%s", s.response(s.o.Response[0]), s.call(), s.factor())
		s.linef("let residuals' p = [error' p r for r in rows']")
		return
	}
	var ys []string
	for _, y := range s.o.Response {
		ys = append(ys, s.response(y))
	}
	s.linef("let predictions' p = flatten [flatten (%s) for r in rows']", s.call())
	s.linef("let observed' = flatten [[%s] for r in rows']", strings.Join(ys, ", "))
	s.linef("let errors' p r = [e%s for e in [%s] - flatten (%s)]", s.factor(),
		strings.Join(ys, ", "), s.call())
	s.linef("let residuals' p = flatten [errors' p r for r in rows']")
}

// prior writes the logarithm of the prior's density.
func (s *source) prior() {
	terms := []string{"0"}
	for k, g := range s.o.Priors {
		path := "p" + s.path(g.Name)
		if s.noise && g.Name == sigmaName {
			continue
		}
		terms = append(terms, fmt.Sprintf("sum [prior%d'.logpdf x for x in flatten (%s)]", k, path))
	}
	s.linef("let prior' p = %s", strings.Join(terms, " + "))
}

// path returns the text that selects a part of the parameters: ".b1" for b1.
func (s *source) path(name string) string {
	switch {
	case name == s.params[0].Name:
		return ""
	case strings.HasPrefix(name, "["):
		return name
	}
	return "." + name
}

// sigmaName is the name of the parameter that is the standard deviation of the response.
const sigmaName = "sigma"

// objective writes the objective.
func (s *source) objective() {
	half := func(residuals string) string {
		return "sum [rho' (e * e) for e in " + residuals +
			"] / 2"
	}
	term, rowwise := "", !s.whole && len(s.o.Data) > 0
	switch s.o.Kind {
	case Loss:
		term = s.call()
	case LogLikelihood:
		term = "-(" + s.call() + ")"
	default:
		switch {
		case s.whole:
			term = half("residuals' p")
		case s.scalar:
			term = "(let e = error' p r in rho' (e * e) / 2)"
		default:
			term = half("errors' p r")
		}
	}
	if s.o.Kind != Prediction && s.o.Weight != "" {
		term = of(s.o.Weight) + " * (" + term + ")"
	}
	// If the standard deviation s of the response is a parameter, each observation adds log s.
	if s.noise {
		count := len(s.o.Response)
		if s.whole {
			term = fmt.Sprintf("(%s) / (s * s) + real (length rows') * log s", term)
		} else {
			term = fmt.Sprintf("(%s) / (s * s) + %d * log s", term, count)
		}
		s.linef("let like' = (start', 1.0)")
	} else {
		s.linef("let like' = (start', ())")
	}
	s.linef("let parameters' (q : []Real) = unflatten like' q")
	if rowwise {
		s.linef("let term' p s r = %s", term)
	} else {
		s.linef("let whole' p s = %s", term)
	}
	prior := "prior' p"
	if s.noise {
		k := slices.IndexFunc(s.o.Priors, func(g Given) bool { return g.Name == sigmaName })
		if k >= 0 {
			prior += fmt.Sprintf(" + prior%d'.logpdf s", k)
		} else {
			prior += " - log s"
		}
		if s.unused > 0 {
			prior += fmt.Sprintf(" + %d * log s", s.unused*max(1, len(s.o.Response)))
		}
	}
	value := "whole' p s"
	if rowwise {
		value = "sum [term' p s r for r in rows']"
	}
	s.linef("let objective' (q : []Real) : Real = let (p, s) = parameters' q in %s - (%s)", value,
		prior)
	if rowwise {
		s.linef("let batch' (at : []Int) (q : []Real) : Real = let (p, s) = parameters' q in "+
			"sum [term' p s rows'[i] for i in at] * (real (length rows') / real (length at)) - "+
			"(%s)", prior)
	}
}

// derivatives writes the functions that the methods call.
func (s *source) derivatives() {
	s.linef("let count' = length rows'")
	s.linef("let weights' : []Real = %s", s.each(s.o.Weight))
	s.linef("let deviations' : []Real = %s", s.each(s.o.Sigma))
	s.linef("let value' (q : []Real) : Real = objective' q")
	s.linef("let gradient' (q : []Real) : (Real, []Real) = valueAndGrad objective' q")
	s.linef("let curvature' (q : []Real) : (Real, []Real, [][]Real) = let (v, g) = valueAndGrad " +
		"objective' q in (v, g, hessian objective' q)")
	if s.o.Kind == Prediction {
		s.abscissa()
		s.linef("let errorsOf' (q : []Real) : []Real = let (p, _) = parameters' q in residuals' p")
		s.linef("let linear' (q : []Real) : (Real, []Real, []Real, [][]Real) =")
		s.linef("  let e = errorsOf' q")
		s.linef("  (sum [rho' (x * x) for x in e] / 2, e, [deriv rho' (x * x) for x in e], " +
			"jacobian errorsOf' q)")
		s.linef("let bend' (q v a : []Real) : []Real = jvp (fun w => jvp errorsOf' w v) q v + " +
			"jvp errorsOf' q a")
		s.linef("let predicted' (q : []Real) : []Real = let (p, _) = parameters' q in " +
			"predictions' p")
		s.linef("let slopes' (q : []Real) : ([]Real, [][]Real) = (predicted' q, jacobian " +
			"predicted' q)")
	}
	if !s.whole && len(s.o.Data) > 0 {
		s.linef("let step' (at : []Int) (q : []Real) : (Real, []Real) = valueAndGrad (fun q => " +
			"batch' at q) q")
	}
}

// abscissa writes the values over which predictions are drawn, if the model takes one column and
// it holds reals. A model that takes one row at a time is also drawn between the rows.
func (s *source) abscissa() {
	if s.over = s.only(); s.over == "" {
		s.linef("let abscissa' : []Real = []")
		return
	}
	s.linef("let abscissa' : []Real = [%s for r in rows']", of(s.over))
	if s.whole {
		s.over = ""
		return
	}
	s.linef("let between' (xs q : []Real) : []Real =")
	s.linef("  let (p, _) = parameters' q")
	s.linef("  flatten [(let r = {%s = x} in flatten (%s)) for x in xs]", notation.Field(s.over),
		s.call())
	s.linef("let curve' (xs q : []Real) : ([]Real, [][]Real) =")
	s.linef("  (between' xs q, jacobian (fun q => between' xs q) q)")
}

// only returns the model's only column, if there is one and it holds reals, or "".
func (s *source) only() string {
	only := ""
	for _, c := range s.columns {
		switch {
		case c.why == responseWhy || c.name == s.o.Weight || c.name == s.o.Sigma:
		case only != "" || c.ty != "Real":
			return ""
		default:
			only = c.name
		}
	}
	return only
}

// explain rewrites a diagnostic about the text in the user's terms.
func (s *source) explain(d *diag.Diagnostic) *diag.Diagnostic {
	moved := *d
	moved.Related, moved.Hints = nil, slices.Clone(d.Hints)
	moved.Span = s.span(d.Span)
	for _, r := range d.Related {
		if r.Span.File == nil || r.Span.File.Name != textName {
			moved.Related = append(moved.Related, r)
		}
	}
	if d.Span.File != nil && d.Span.File.Name == textName && moved.Span.File != nil &&
		moved.Span.File.Name == "--start" {
		if s.o.Start == "" {
			moved = *refuse(s.at, "where is the fit to start?").
				WithHint("say so with --start, or define `start` in the program")
		}
		moved.Hints = append(moved.Hints, fmt.Sprintf("the parameters of `%s` have the type %s",
			s.o.Function, s.unit.Info.Printer().Type(s.params[0].Type)))
	}
	if at := moved.Span.File; d.Code == diag.UnknownName && at != nil && at.Name == "--prior" {
		_, text, _ := strings.Cut(at.Text, "=")
		word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		moved.Hints = nil
		moved = *nearest(&moved, word, distributions)
		moved.Hints = append(moved.Hints, "distributions are "+strings.Join(distributions, ", "))
	}
	if d.Code == diag.NoColumn {
		for _, c := range s.columns {
			if !strings.Contains(d.Message, "`"+c.name+"`") {
				continue
			}
			moved.Hints = append(moved.Hints, c.why)
			if slices.ContainsFunc(s.params,
				func(p driver.Parameter) bool { return p.Name == c.name }) {
				moved.Hints = append(moved.Hints,
					fmt.Sprintf("a value that is the same for all rows is given by --set %s=EXPR",
						c.name))
			}
		}
	}
	return &moved
}

// span maps a place of the text to a place that the user knows.
func (s *source) span(at diag.Span) diag.Span {
	if at.File == nil || at.File.Name != textName {
		return at
	}
	if s.probes(at) {
		whole := s.pieces[0].file
		return diag.Span{File: whole, End: int32(len(whole.Text))}
	}
	for _, p := range s.pieces {
		if p.start <= at.Start && at.Start <= p.end {
			skip := int32(len(p.file.Text)) - (p.end - p.start)
			return diag.Span{File: p.file, Start: skip + at.Start - p.start,
				End: skip + min(at.End, p.end) - p.start}
		}
	}
	return s.at
}

// probes reports whether a place lies where the model is applied to the start.
func (s *source) probes(at diag.Span) bool {
	return at.File != nil && at.File.Name == textName && s.probe[0] <= at.Start &&
		at.Start < s.probe[1]
}

// nearest adds a hint about a misspelt name.
func nearest(d *diag.Diagnostic, name string, names []string) *diag.Diagnostic {
	if near := suggest.Nearest(name, names); near != "" {
		d.WithHint("did you mean `%s`?", near)
	}
	return d
}
