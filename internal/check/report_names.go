package check

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// renamed maps words of other languages to the name that they have here, or to one of several
// names. The name is applied in the same way.
var renamed = map[string]string{
	"infinity": "inf", "Inf": "inf", "π": "pi", "ln": "log", "len": "length", "size": "length",
	"foldl":  "fold",
	"arctan": "atan", "arcsin": "asin", "arccos": "acos", "float": "real", "fromInt": "real",
	"toReal":  "real",
	"ceiling": "ceil", "truncate": "trunc", "gradient": "grad", "stop": "fail", "error": "fail",
	"sorted": "array.sort", "eye": "linalg.identity", "matmul": "linalg.matMul", "range": "iota",
	"arange": "iota",
	"int":    "floor round trunc", "toInt": "floor round trunc",
}

// applied maps words of other languages to the text for the word and its argument.
var applied = map[string]string{"zeros": "(replicate %s 0)", "ones": "(replicate %s 1)"}

// oneArgument matches an argument in parentheses, as other languages write calls.
var oneArgument = regexp.MustCompile(`^\((\w+)\)`)

// elsewhere maps names that programmers of other languages may look for to advice. Words that are
// not names there are in syntax.ForeignWord.
var elsewhere = map[string]string{
	"print":    noPrinting,
	"println":  noPrinting,
	"printf":   noPrinting,
	"infinity": "it is called `inf`",
	"Inf":      "it is called `inf`",
	"c":        arrayLiteral,
	"array":    arrayLiteral,
	"zeros":    "write `replicate n 0`, and `[[0 for j < m] for i < n]` for a matrix",
	"ones":     "write `replicate n 1`, and `[[1 for j < m] for i < n]` for a matrix",
	"arange":   "write `iota n` for [0, …, n-1], or a comprehension `[e for i < n]`",
	"seq":      "write `iota n` for [0, …, n-1], or a comprehension `[e for i < n]`",
	"build":    perIndex,
	"tabulate": perIndex,
	"generate": perIndex,
	"einsum": "sums over indices are comprehensions: `[sum [a[i][k] * b[k][j] for k < n] " +
		"for i < m, j < p]`",
	"matmul": "it is called `linalg.matMul`",
	"vmap":   "write `map f xs`, or `[f x for x in xs]`",
	"str":    "`show x` is a value as text, and `\"x = {x}\"` a text with a value in it",
	"paste":  "texts are joined by `join s t`, and `\"x = {x}\"` is a text with a value in it",
	"sorted": "`import array`, and write `array.sort xs`",
	"assert": "write `if c then … else fail \"why\"`",
	"stop":   "write `fail \"why\"`",
	"error":  "write `fail \"why\"`",
	"sapply": "write `map f xs`, or `[f x for x in xs]`",
	"lapply": "write `map f xs`, or `[f x for x in xs]`",
	"rnorm":  randomNumbers,
	"runif":  randomNumbers,
	"rand":   randomNumbers,
	"randn":  randomNumbers,
	"nan": "there is no such number: an operation without a value is an error, and a " +
		"value that may be missing is an `Option`",
	"π":        "it is called `pi`",
	"ln":       "the natural logarithm is called `log`",
	"len":      "the length of an array is `length xs`",
	"size":     "the length of an array is `length xs`",
	"foldl":    "it is called `fold`: `fold f z xs`",
	"foldr":    "there is `fold f z xs`, which starts from the left",
	"filter":   "arrays are filtered with `array.filter`, lists with `list.filter`",
	"range":    "write `iota n` for [0, …, n-1], or a comprehension `[e for i < n]`",
	"power":    "write `x ^ n` for an Int exponent and `x ** y` for a Real one",
	"pow":      "write `x ^ n` for an Int exponent and `x ** y` for a Real one",
	"arctan":   "it is called `atan`",
	"arcsin":   "it is called `asin`",
	"arccos":   "it is called `acos`",
	"float":    "write `real n`",
	"fromInt":  "write `real n`",
	"toReal":   "write `real n`",
	"int":      "write `floor x`, `round x` or `trunc x`",
	"toInt":    "write `floor x`, `round x` or `trunc x`",
	"ceiling":  "it is called `ceil`",
	"truncate": "it is called `trunc`",
	"null":     "there is no null: use `None` and `Some x`",
	"nil":      "the empty list is `Nil`, the empty array `[]`",
	"gradient": "it is called `grad`",
	"derivative": "it is called `deriv` for a function of one real, and `jvp` or `grad` for " +
		"others",
	"diff":        "derivatives are `deriv`, `grad`, `jvp`, `vjp`, `jacobian` and `hessian`",
	"integrate":   "it is called `integral`: `integral a b f`",
	"open":        dataFile,
	"read":        dataFile,
	"read_csv":    dataFile,
	"csv":         dataFile,
	"loadtxt":     dataFile,
	"random":      randomNumbers,
	"ifelse":      eachChoice,
	"vcat":        joinArrays,
	"vstack":      joinArrays,
	"concatenate": joinArrays,
	"append":      addToArray,
	"push":        addToArray,
	"cons": "`array.concat [x] xs` is an array with `x` in front of `xs`, and `Cons x xs` " +
		"a list",
	"hcat":     columnsOfArrays,
	"hstack":   columnsOfArrays,
	"head":     "the first element of an array is `xs[0]`, and its last one `xs[length xs - 1]`",
	"first":    "the first element of an array is `xs[0]`, and its last one `xs[length xs - 1]`",
	"last":     "the first element of an array is `xs[0]`, and its last one `xs[length xs - 1]`",
	"tail":     "the elements of an array after the first one are `xs[1:]`",
	"contains": "`array.any (fun x => x == 3) xs` says whether 3 is in an array",
	"elem":     "`array.any (fun x => x == 3) xs` says whether 3 is in an array",
	"indexOf":  "the positions of 3 in an array are `[i for (i, x) in enumerate xs if x == 3]`",
	"dot": "the product of two vectors is `inner xs ys`, that of matrices `linalg.matMul a " +
		"b`",
	"copy":      "values never change, so that nothing needs to be copied",
	"repeat":    "`replicate n x` has `n` copies of `x`",
	"fill":      "`replicate n x` has `n` copies of `x`",
	"full":      "`replicate n x` has `n` copies of `x`",
	"max":       "the largest element of an array is `maximum xs`",
	"min":       "the smallest element of an array is `minimum xs`",
	"logpdf":    distribution,
	"pdf":       distribution,
	"cdf":       distribution,
	"rvs":       distribution,
	"eye":       "it is `linalg.identity n`",
	"T":         "a transposed matrix is `linalg.transpose m`",
	"eigh":      "eigenvalues of a symmetric matrix are `linalg.eigSym m`",
	"eigvals":   "eigenvalues of a symmetric matrix are `linalg.eigSym m`",
	"gaussian":  "it is called `dist.normal`",
	"rfft":      "the transform of reals is `fft.reals xs`",
	"ifft":      "the inverse transform is `fft.inverse zs`",
	"irfft":     "the inverse transform is `fft.inverseReals zs`",
	"polyfit":   "it is `poly.fit`, and `stats.line` for a line",
	"polyval":   "it is `poly.eval`",
	"odeint":    solveODE,
	"solve_ivp": solveODE,
	"ode45":     solveODE,
	"quad":      "it is called `integral`: `integral a b f`",
	"fsolve":    "where a function is zero is `root a b f`",
	"bisect":    "where a function is zero is `root a b f`",
	"argsort":   "it is called `array.order`",
	"curve_fit": "`optim.leastSquares` fits a model to data; so does the command `fluxion fit`",
	"nls":       "`optim.leastSquares` fits a model to data; so does the command `fluxion fit`",
	"lm":        "`stats.regression` fits a linear model; `fluxion fit` fits any",
	"hist":      "it is `plot.histogram` for a picture, and `stats.histogram` for counts",
	"solve": "linear equations are solved by `linalg.solve a b`; where a function is zero is " +
		"`root a b f`",
}

const (
	noPrinting = "there is no printing: a program's value is that of its last expression, and a " +
		"tuple `(a, b)` shows several; " +
		"`debug \"x\" x` shows a value on the way"
	randomNumbers = "random numbers are functions of a key: `import random`, and " +
		"`random.normals 10 (random.key 1)`"
	perIndex     = "an array with an element for each index is `[f i for i < n]`"
	arrayLiteral = "an array is written `[1, 2, 3]`"
	distribution = "a distribution is a record of functions: `(dist.normal 0 1).logpdf x`, " +
		"`.cdf x`, `.sample key`"
	solveODE = "a differential equation is solved by `ode.solve f a b start`, where `f t " +
		"s` is the change of `s`"
	joinArrays = "`array.concat xs ys` joins two arrays, and `array.flatten` the arrays of " +
		"an array"
	addToArray = "an array keeps its elements; `array.concat xs [x]` is a new one with `x` " +
		"at its end (of lists: `list.append`)"
	columnsOfArrays = "`array.stack [xs, ys]` has two arrays as columns"
	dataFile        = "data comes in by its type: `let rows : []{x : Real} = file \"rows.csv\"`, " +
		"and `fluxion data rows.csv` prints the type of a file"
	eachChoice = "write `[if x > 0 then a else b for x in xs]`"
)

// unknownName reports a variable that is not in scope.
func (c *checker) unknownName(e *syntax.Var) {
	for _, p := range c.defining {
		if p.Name == e.Name {
			c.report(diag.Errorf(diag.ForwardReference, e.At,
				"`%s` is used in its own definition, which is not recursive", e.Name).
				WithRelated(p.At, "defined here").
				WithHint("a recursive function is defined with `let rec %s`", e.Name))
			return
		}
	}
	if at, later := c.forward[e.Name]; later {
		c.report(diag.Errorf(diag.ForwardReference, e.At, "`%s` is used before it is defined",
			e.Name).
			WithRelated(at, "defined here").
			WithHint("move the definition up, or join the two with `let rec … and …` if each " +
				"needs the other"))
		return
	}
	d := diag.Errorf(diag.UnknownName, e.At, "there is no `%s` in scope", e.Name)
	if hint := habit(e); hint != "" {
		c.report(d.WithHint("%s", hint))
		return
	}
	c.report(c.suggestValue(d, e.Name))
}

// habit returns advice about a name whose context, or last character, shows that it comes from
// another language: `x <- 3`, `f"…"`, `a'`.
func habit(e *syntax.Var) string {
	rest := e.At.File.Text[e.At.End:]
	switch plain := strings.TrimRight(e.Name, "'"); {
	case strings.HasPrefix(strings.TrimLeft(rest, " "), "<-"):
		return "there is no assignment: a name is defined by `let " + e.Name + " = …`"
	case e.Name == "f" && strings.HasPrefix(rest, "\""):
		return "texts contain expressions without an `f` before them: `\"x = {x}\"`"
	case plain != e.Name:
		return "a prime is a part of the name; a transposed matrix is `linalg.transpose " +
			plain + "`"
	}
	return ""
}

// suggestValue adds which value an unknown name may have been meant to be.
func (c *checker) suggestValue(d *diag.Diagnostic, name string) *diag.Diagnostic {
	if c.sink.Errors() >= diag.MaxReported {
		return d // the diagnostic will not be shown
	}
	if m := c.modules[name]; m != nil {
		return d.WithHint("`%s` is a module: its members are written `%s.name`", name, name)
	}
	for _, imp := range c.info.Module.Imports {
		if m := c.modules[imp.Alias.Name]; m != nil && m.face.public(name) != nil {
			return d.WithHint("module `%s` has it: write `%s.%s`", imp.Path, imp.Alias.Name, name).
				WithFix(d.Span, imp.Alias.Name+"."+name)
		}
	}
	for _, v := range c.vars {
		if v.name == name && v.size != nil {
			return d.WithHint("`%s` is a size in a type, which is not a value: write `length xs` "+
				"of an array that has it", name)
		}
	}
	if hint := cmp.Or(elsewhere[name], syntax.ForeignWord(name)); hint != "" {
		d.WithHint("%s", hint)
		if own, at := applied[name], d.Span; own != "" {
			if call := oneArgument.FindStringSubmatch(at.File.Text[at.End:]); call != nil {
				at.End += int32(len(call[0]))
				d.WithFix(at, strings.Replace(own, "%s", call[1], 1))
			}
		}
		if own := syntax.OwnWord(name); own != "" {
			d.WithFix(d.Span, own)
		}
		for _, own := range strings.Fields(renamed[name]) {
			if module, _, ok := strings.Cut(own, "."); ok {
				d.WithImport(module, d.Span, own)
			} else {
				d.WithFix(d.Span, own)
			}
		}
		return d
	}
	if modules := c.librariesWith(name); len(modules) > 0 {
		return d.WithHint("`%s` is in module `%s`: `import %s` and write `%s.%s`", name, modules[0],
			modules[0], modules[0], name).
			WithImport(modules[0], d.Span, modules[0]+"."+name)
	}
	if near := suggest.Nearest(name, c.visibleNames()); near != "" && strings.EqualFold(
		near, name) {
		return d.WithHint("did you mean `%s`? upper and lower case are different letters",
			near).WithFix(d.Span, near)
	}
	if near := suggest.Nearest(name, c.visibleCons()); near != "" && strings.EqualFold(near, name) {
		return d.WithHint("did you mean the constructor `%s`? upper and lower case are different "+
			"letters", near).WithFix(d.Span, near)
	}
	words := append(c.visibleNames(), "true", "false")
	if near := suggest.Nearest(name, append(words, c.visibleCons()...)); near != "" {
		return d.WithHint("did you mean `%s`?", near).WithFix(d.Span, near)
	}
	return d
}

// libraries returns the modules that could be imported.
func (c *checker) libraries() map[string]*Interface {
	if c.known == nil && c.opts.Libraries != nil {
		c.known = c.opts.Libraries()
	}
	return c.known
}

// librariesWith lists the known modules that have a value and are not imported here.
func (c *checker) librariesWith(name string) []string {
	var found []string
	for module, face := range c.libraries() {
		if face.public(name) != nil {
			found = append(found, module)
		}
	}
	slices.Sort(found)
	return found
}

// visibleCons lists the constructors in scope.
func (c *checker) visibleCons() []string {
	var names []string
	for name := range c.info.Interface.Cons {
		names = append(names, name)
	}
	for _, face := range c.opts.Open {
		for name := range face.Cons {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// visibleNames lists the values in scope, innermost modules first.
func (c *checker) visibleNames() []string {
	var names []string
	for name, at := range c.names.slots {
		if len(at.stack) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, face := range c.opts.Open {
		for name := range face.Names() {
			if !isPrivate(name) {
				names = append(names, name)
			}
		}
	}
	own := len(names)
	for _, row := range prim.All() {
		if !row.Hidden && isIdentifier(row.Name) {
			names = append(names, row.Name)
		}
	}
	slices.Sort(names[:own])
	return names
}

// unknownQualifier reports `list.map` where list is neither a value nor an import, if it looks
// like a module.
func (c *checker) unknownQualifier(v *syntax.Var, whole *syntax.Field) bool {
	member := whole.Name.Name
	face := c.libraries()[v.Name]
	if face == nil {
		var aliases []string
		for _, imp := range c.info.Module.Imports {
			aliases = append(aliases, imp.Alias.Name)
		}
		near := suggest.Nearest(v.Name, aliases)
		modules := c.librariesWith(member)
		if near == "" && c.findOutside(member) == nil && len(modules) == 0 &&
			elsewhere[member] == "" {
			return false
		}
		c.info.Types[v.ID] = c.bad()
		d := diag.Errorf(diag.UnknownName, v.At, "there is no `%s` in scope", v.Name)
		if near != "" {
			d.WithHint("did you mean the module `%s`?", near).WithFix(d.Span, near)
		} else if c.findOutside(member) == nil && elsewhere[member] != "" {
			d.WithHint("%s", elsewhere[member])
		} else if c.findOutside(member) == nil {
			d.WithHint("`%s` is in module `%s`: `import %s` and write `%s.%s`", member, modules[0],
				modules[0], modules[0], member).
				WithImport(modules[0], v.At, modules[0])
		} else {
			d.WithHint("`%s` is known everywhere: write `%s` alone", member, member).WithFix(
				whole.At, member)
		}
		c.report(d)
		return true
	}
	c.info.Types[v.ID] = c.bad()
	c.report(diag.Errorf(diag.UnknownName, v.At, "there is no `%s` in scope", v.Name).
		WithHint("`%s` is a module of the library: add `import %s` at the top of the file",
			v.Name, v.Name).
		WithImport(v.Name, v.At, v.Name))
	return true
}

func (c *checker) unknownModule(name syntax.Ident) {
	d := diag.Errorf(diag.UnknownName, name.At, "no import is called `%s`", name.Name)
	var aliases []string
	for _, imp := range c.info.Module.Imports {
		aliases = append(aliases, imp.Alias.Name)
	}
	if near := suggest.Nearest(name.Name, aliases); near != "" {
		d.WithHint("did you mean `%s`?", near).WithFix(name.At, near)
	} else if c.libraries()[name.Name] != nil {
		d.WithHint("`%s` is a module of the library: add `import %s` at the top of the file",
			name.Name, name.Name).
			WithImport(name.Name, name.At, name.Name)
	}
	c.report(d)
}

func (c *checker) unknownMember(m *module, name syntax.Ident) {
	d := diag.Errorf(diag.UnknownMember, name.At, "module `%s` has no `%s`", m.decl.Alias.Name,
		name.Name)
	if m.face != nil {
		var names []string
		for n := range m.face.Names() {
			if !isPrivate(n) {
				names = append(names, n)
			}
		}
		for n := range m.face.Cons {
			names = append(names, n)
		}
		for n := range m.face.Types {
			names = append(names, n)
		}
		slices.Sort(names)
		near := suggest.Nearest(name.Name, names)
		modules := c.librariesWith(name.Name)
		library := c.libraries()[m.face.Name] != nil
		if longer := beginning(names, name.Name); longer != "" {
			near = longer
		}
		switch {
		case near != "" && (len(near) >= len(name.Name) && strings.EqualFold(near[:len(name.Name)],
			name.Name) || !library):
			d.WithHint("did you mean `%s.%s`?", m.decl.Alias.Name, near).WithFix(name.At, near)
		case !library:
		case elsewhere[name.Name] != "":
			d.WithHint("%s", elsewhere[name.Name])
		case c.findOutside(name.Name) != nil:
			d.WithHint("`%s` is known everywhere: write `%s` alone", name.Name, name.Name)
		case near != "":
			d.WithHint("did you mean `%s.%s`?", m.decl.Alias.Name, near).WithFix(name.At, near)
		case len(modules) > 0:
			d.WithHint("module `%s` has it: `import %s`, and write `%s.%s`", modules[0], modules[0],
				modules[0], name.Name)
		}
	}
	c.report(d)
}

// beginning returns the shortest of some names that starts with another one, ignoring case, or
// "".
func beginning(names []string, with string) (found string) {
	for _, n := range names {
		if len(with) >= 3 && len(n) > len(with) && strings.EqualFold(n[:len(with)], with) &&
			(found == "" || len(n) < len(found)) {
			found = n
		}
	}
	return found
}

// unknownCon reports a constructor that is not declared.
func (c *checker) unknownCon(name syntax.Ident, pattern bool) {
	d := diag.Errorf(diag.UnknownConstructor, name.At, "there is no constructor `%s`", name.Name)
	lower := strings.ToLower(name.Name)
	switch near := suggest.Nearest(name.Name, c.visibleCons()); {
	case name.Name == "True" || name.Name == "False":
		d.WithHint("it is written `%s`", lower).WithFix(name.At, lower)
	case c.findType(name.Name) != nil || basicType(name.Name) != nil:
		d.WithHint("`%s` is a type; an expression is built with one of the constructors of a type",
			name.Name)
	case c.modules[name.Name] != nil:
		d.WithHint("`%s` is a module: its members are written `%s.name`", name.Name, name.Name)
	case !pattern && c.find(lower) != nil && !strings.EqualFold(near, lower):
		d.WithHint("did you mean `%s`? names of values start with a lower-case letter",
			lower).WithFix(name.At, lower)
	case near != "":
		d.WithHint("did you mean `%s`?", near).WithFix(name.At, near)
	case c.conInLibrary(name.Name) != "":
		module := c.conInLibrary(name.Name)
		d.WithHint("`%s` is in module `%s`: `import %s` and write `%s.%s`", name.Name, module,
			module, module, name.Name).
			WithImport(module, name.At, module+"."+name.Name)
	case pattern:
		d.WithHint("constructors start with an upper-case letter; a name that the pattern binds " +
			"starts with a lower-case one")
	}
	c.report(d)
}

// conInLibrary returns the name of a module that has a constructor, or "".
func (c *checker) conInLibrary(name string) string {
	if isPrivate(name) {
		return ""
	}
	for _, imp := range c.info.Module.Imports {
		if m := c.modules[imp.Alias.Name]; m != nil && m.face != nil && m.face.Cons[name] != nil {
			return imp.Alias.Name
		}
	}
	var found []string
	for module, face := range c.libraries() {
		if face.Cons[name] != nil {
			found = append(found, module)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.Min(found)
}

// typesElsewhere maps types of other languages to the types here.
var typesElsewhere = map[string]string{
	"Float": "Real", "Double": "Real", "Number": "Real", "Num": "Real", "Integer": "Int",
	"Boolean": "Bool", "Str": "String", "Text": "String", "Unit": "()", "Void": "()",
}

func (c *checker) unknownType(t *syntax.TName) {
	name := t.Name.Name
	d := diag.Errorf(diag.UnknownType, t.Name.At, "there is no type `%s`", name)
	names := []string{"Real", "Int", "Bool", "String"}
	for n := range c.info.Interface.Types {
		names = append(names, n)
	}
	for _, face := range c.opts.Open {
		for n := range face.Types {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	module := ""
	for _, imp := range c.info.Module.Imports {
		if m := c.modules[imp.Alias.Name]; m != nil && m.face != nil && m.face.Types[name] != nil {
			module = imp.Alias.Name
		}
	}
	switch near := suggest.Nearest(name, names); {
	case typesElsewhere[name] != "":
		d.WithHint("it is called `%s`", typesElsewhere[name]).WithFix(d.Span, typesElsewhere[name])
	case module != "":
		d.WithHint("write `%s.%s`", module, name).WithFix(d.Span, module+"."+name)
	case name == "Array" || name == "Vector":
		d.WithHint("arrays are written `[]Real`, `[3]Real` or `[n]Real`")
	case near != "":
		d.WithHint("did you mean `%s`?", near).WithFix(d.Span, near)
	case c.findCon(name) != nil:
		d.WithHint("`%s` is a constructor; its type is `%s`", name, c.findCon(name).Data.Name)
	}
	c.report(d)
}

func (c *checker) unknownClass(name syntax.Ident) {
	all := types.All.Names()
	d := diag.Errorf(diag.BadConstraint, name.At, "there is no class `%s`", name.Name)
	if near := suggest.Nearest(name.Name, all); near != "" {
		d.WithHint("did you mean `%s`?", near).WithFix(name.At, near)
	}
	c.report(d.WithHint("the classes are %s", strings.Join(all, ", ")))
}

// typeArity reports a type with the wrong number of arguments.
func (c *checker) typeArity(t *syntax.TName, name string, params []*types.Param, want int) {
	d := diag.Errorf(diag.TypeArity, t.At, "the type `%s` takes %s, and this gives it %s", name,
		count(want, "argument"), count(len(t.Args), "argument"))
	if len(params) > 0 {
		usage := name
		for _, p := range params {
			usage += " " + p.Name
		}
		d.WithHint("it is declared as `%s`", usage)
	}
	c.report(d)
}
