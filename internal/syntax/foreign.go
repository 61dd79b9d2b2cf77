package syntax

import "github.com/fluxion-lang/fluxion/internal/diag"

// foreignWords maps words of other languages that beginners try to advice on what to write. They
// are ordinary names here, so they matter only if something is wrong.
var foreignWords = map[string]string{
	"def":  "functions are defined by `let f x y = e`",
	"func": "functions are defined by `let f x y = e`",
	"fn":   "functions are defined by `let f x y = e`, or written `fun x => e`",
	"function": "functions are defined by `let f x y = e`, or written `fun x => e`; one that " +
		"looks at its argument: `fun x => match x with | p -> …`",
	"lambda": "functions are written `fun x => e`, or `λx ⇒ e`",
	"return": "a function's result is its body: leave `return` out",
	"where":  "local names are defined before they are used: `let y = …` and then the body",
	"var":    "names are defined by `let x = e`",
	"val":    "names are defined by `let x = e`",
	"const":  "names are defined by `let x = e`",
	"mut":    "names keep their value; carry state through a `loop`",
	"elif":   "write `else if`",
	"elsif":  "write `else if`",
	"elseif": "write `else if`",
	"case":   "a match is written `match e with | p -> … | q -> …`",
	"switch": "a match is written `match e with | p -> … | q -> …`",
	"of": "a match is written `match e with | p -> … | q -> …`; constructors have their " +
		"fields after them: `Cons a (List a)`",
	"when":  "a condition of an arm follows `if`: `| p if c -> e`",
	"begin": "blocks are marked by indentation",
	"end": "blocks are marked by indentation; the last element of an array is `xs[length xs " +
		"- 1]`",
	"is":      "`isSome x` tells whether an `Option` has a value; `match` tells its cases apart",
	"library": "a module is imported by `import stats`, and its names are written `stats.mean`",
	"require": "a module is imported by `import stats`, and its names are written `stats.mean`",
	"using":   "a module is imported by `import linalg`, and its names are written `linalg.solve`",
	"class":   "data types are declared by `data`, and classes are built in",
	"struct":  "records are written `{x = 1, y = 2}`, their types `{x : Real, y : Real}`",
	"or":      "write `||`",
	"try": "nothing is caught: a function that may fail gives an `Option`, and `match` tells " +
		"its cases apart",
	"raise": "a function that may fail gives an `Option`; `fail` ends the run",
	"throw": "a function that may fail gives an `Option`; `fail` ends the run",
	"from":  "names of a module are imported by `import list (map, filter)`",
	"open":  "a module is imported by `import list`, and its names are written `list.map`",
}

// ForeignWord returns a hint about a word that other languages have and Fluxion does not. It
// returns "" for other words.
func ForeignWord(word string) string { return foreignWords[word] }

// OwnWord returns the word that Fluxion writes for a word of other languages, or "" if there is
// no single one.
func OwnWord(word string) string {
	switch word {
	case "elif", "elsif", "elseif":
		return "else if"
	case "or":
		return "||"
	}
	return ""
}

// foreignReach is how many bytes back a foreign word is searched for. A longer search at each of
// many errors would not be linear.
const foreignReach = 2000

// foreign returns the first such word in the item being parsed, up to the current token. A
// parameter of that name does not count, and neither does a word followed by an operator or a
// bracket: the words of other languages stand before other words.
func (p *parser) foreign() (word token, ok bool) {
	start, end := p.itemStart, p.prevEnd
	if !p.offside() || p.tok.kind == kEOF {
		end = p.tok.end
	}
	if end-start > foreignReach {
		start = p.lex.file.LineStart(p.lex.file.LineOf(end - foreignReach))
		start = max(start, end-2*foreignReach)
	}
	lex := newLexer(p.lex.watch, p.lex.file, new(diag.List))
	lex.pos = start
	binding := false
	for t := lex.next(); t.start < end && t.kind != kEOF; {
		next := lex.next()
		switch t.kind {
		case kLet, kFun:
			binding = true
		case kEqual, kFatArrow:
			binding = false
		case kIdent, kElif:
			if !binding && foreignWords[p.text(t)] != "" && !endsOperand[next.kind] {
				return t, true
			}
		}
		t = next
	}
	return token{}, false
}

// endsOperand marks the tokens that follow an operand. A word before one of them is an ordinary
// name.
var endsOperand = func() (t [numKinds]bool) {
	for k := range infix {
		t[k] = infix[k].prec != precNone
	}
	for _, k := range []kind{kEOF, kRParen, kRBrack, kRBrace, kComma, kColon, kDot, kSemi, kEqual,
		kThen, kElse, kIn, kAnd, kDo, kWith} {
		t[k] = true
	}
	return t
}()

// orForeign returns the complaint about a word of another language before the current token, if
// there is one. Then d is only a consequence of it. Otherwise it returns d.
func (p *parser) orForeign(d *diag.Diagnostic) *diag.Diagnostic {
	word, ok := p.foreign()
	if !ok {
		return d
	}
	text := p.text(word)
	d = diag.Errorf(diag.UnexpectedToken, p.tokSpan(word), "%s is not a word of Fluxion",
		quote(text)).
		WithHint("%s", foreignWords[text])
	if own := OwnWord(text); own != "" {
		d.WithFix(d.Span, own)
	}
	return d
}
