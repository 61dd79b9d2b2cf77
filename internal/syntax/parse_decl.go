package syntax

import (
	"path"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/notation"
)

// module reads the whole file.
func (p *parser) module() {
	for p.tok.kind != kEOF {
		p.itemStart = p.tok.start
		p.declCol = p.tok.col
		before, errors := p.mod.Final, p.sink.Errors()
		p.leave(context{col: p.tok.col, start: p.tok.start, open: p.tok.start, what: kEnd})
		switch p.kind {
		case kImport:
			p.importDecl()
		case kLet:
			p.letDecl()
		case kType:
			p.typeDecl()
		case kData:
			p.dataDecl()
		default:
			p.setFinal(p.expr())
		}
		p.endItem()
		if p.mod.Final != before {
			p.finalWrong = p.sink.Errors() > errors || p.lex.complainedSince(p.itemStart)
		}
		// this token, and what follows it, could not be parsed
		if p.tok.start == p.itemStart && p.tok.kind != kEOF {
			p.advance()
			p.panicking = true
			p.recoverLine(p.declCol)
			p.calm()
		}
	}
	p.mod.Comments = p.lex.comments
	p.mod.Nodes = p.ids
	p.mod.Doc = p.moduleDoc()
}

// endItem checks that an item ends where its line does, and continues with the next item.
func (p *parser) endItem() {
	if p.kind != kEnd {
		p.fail(p.complainUnexpected())
	}
	p.brackets = p.brackets[:0]
	p.matches = p.matches[:0]
	p.suspended = false
	p.thens = 0
	p.recoverLine(p.declCol)
	p.ctx = context{}
	p.calm()
}

// addDecl adds a declaration.
func (p *parser) addDecl(d Decl) { p.mod.Decls = append(p.mod.Decls, d) }

// beforeDecl complains about an expression before the declaration that starts here.
func (p *parser) beforeDecl() {
	if p.mod.Final != nil {
		p.misplaced(p.mod.Final)
	}
}

// setFinal sets the final expression of the module, which must be the last thing in it.
func (p *parser) setFinal(e Expr) {
	if p.mod.Final != nil {
		p.misplaced(p.mod.Final)
	}
	p.mod.Final = e
}

func (p *parser) letDecl() {
	t := p.tok
	doc := p.docBefore(t)
	p.ctx.what = kLet
	p.advance()
	rec, list := p.bindings()
	if p.kind == kIn { // it is the final expression and not a declaration
		p.leave(context{})
		p.advance()
		body := p.block("the body of this `let`")
		p.setFinal(&Let{Loc: p.loc(t.start), Rec: rec, Bindings: list, Body: body})
		return
	}
	p.beforeDecl()
	p.addDecl(&LetDecl{Loc: p.unnumbered(t.start), Doc: doc, Rec: rec, Bindings: list})
}

func (p *parser) typeDecl() {
	t := p.tok
	p.beforeDecl()
	doc := p.docBefore(t)
	p.advance()
	d := &TypeDecl{Doc: doc}
	d.Name, d.Params = p.typeHead("type Surface a = a -> Real")
	p.equals("an abbreviation is written `type Surface a = a -> Real`")
	d.Type = p.typ()
	if p.kind == kBar {
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
			"`type` gives a name to one type, and alternatives are declared by `data`").
			WithHint("write `data %s`", oneLine(p.from(d.Name.At.Start).Text()+" | …")).WithFix(
			p.tokSpan(t), "data"))
	}
	d.Loc = p.unnumbered(t.start)
	p.addDecl(d)
}

// typeHead reads the name and the parameters of a type.
func (p *parser) typeHead(example string) (name Ident, params []Ident) {
	if p.kind != kUpper {
		d := p.complainExpected("the name of a type", "the name of a type starts with a capital: `"+
			example+"`")
		p.fail(d)
		return Ident{At: p.here()}, nil
	}
	name = p.ident(p.tok)
	p.advance()
	names := p.distinct("the parameters of a type have different names")
	for p.kind == kIdent || p.kind == kElif {
		id := p.ident(p.tok)
		names.add(id)
		params = append(params, id)
		p.advance()
	}
	if p.kind == kUpper {
		small := strings.ToLower(p.text(p.tok))
		p.fail(diag.Errorf(diag.UnexpectedToken, p.here(),
			"the parameters of a type start with a small letter").
			WithHint("write `%s`, as in `%s`", clip(small), example).WithFix(p.here(), small))
	}
	return name, params
}

func (p *parser) dataDecl() {
	t := p.tok
	p.beforeDecl()
	doc := p.docBefore(t)
	p.advance()
	d := &DataDecl{Doc: doc}
	const example = "data List a = Nil | Cons a (List a)"
	d.Name, d.Params = p.typeHead(example)
	first := p.tok
	p.equals("a data type is written `" + example + "`")
	p.got(kBar) // a bar is allowed before the first constructor
	for !p.panicking {
		c := p.constructor(first)
		if c == nil {
			break
		}
		d.Constructors = append(d.Constructors, c)
		if p.kind != kBar {
			break
		}
		first = p.tok
		p.advance()
	}
	d.Loc = p.unnumbered(t.start)
	p.addDecl(d)
}

// constructor reads one alternative; first is the `=` or `|` before it.
func (p *parser) constructor(first token) *ConstructorDecl {
	t := p.tok
	if p.kind != kUpper {
		hint := "constructors start with a capital: `data List a = Nil | Cons a (List a)`"
		if p.kind == kLBrace {
			hint = "a record gets a name by `type Point = {x : Real, y : Real}`"
		}
		p.fail(p.complainExpected("a constructor", hint))
		return nil
	}
	doc := p.docBefore(first)
	if inner := p.docBefore(t); inner != "" {
		doc = inner
	}
	p.advance()
	c := &ConstructorDecl{Doc: doc, Name: p.ident(t)}
	if p.kind == kIdent && p.text(p.tok) == "of" {
		p.report(diag.Errorf(diag.UnexpectedToken, p.here(),
			"the types of its fields follow a constructor at once").
			WithHint("leave `of` out: `Cons a (List a)`"))
		p.advance()
	}
	for startsType[p.kind] {
		start := p.tok.start
		c.Fields = append(c.Fields, p.exponents(start, p.atomicType()))
	}
	c.Loc = p.unnumbered(t.start)
	return c
}

func (p *parser) importDecl() {
	t := p.tok
	p.advance()
	d := &Import{}
	name := p.tok
	switch p.kind {
	case kIdent, kUpper, kElif:
		d.Path = p.name(name)
		d.Alias = p.ident(name)
		p.advance()
	case kString:
		d.Quoted = true
		d.Path = p.stringValue(name)
		d.Alias = Ident{strings.TrimSuffix(path.Base(d.Path), ".flx"), p.tokSpan(name)}
		p.advance()
	default:
		p.fail(p.complainExpected("the name of a module",
			"write `import list`, or `import \"./mine.flx\" as M`"))
		return
	}
	if p.got(kAs) {
		if p.kind != kIdent && p.kind != kUpper && p.kind != kElif {
			p.fail(p.complainExpected("a name", "write `import \"./mine.flx\" as M`"))
			return
		}
		d.HasAs = true
		d.Alias = p.ident(p.tok)
		p.advance()
	} else if d.Quoted && !isIdentifier(d.Alias.Name) {
		p.report(diag.Errorf(diag.UnexpectedToken, d.Alias.At,
			"the name of this file is not a name that its contents could be used by").
			WithHint("give one: `import %s as M`", clip(p.text(name))))
	}
	if p.kind == kLParen {
		p.importNames(d)
	}
	d.Loc = p.unnumbered(t.start)
	if len(p.mod.Decls) > 0 || p.mod.Final != nil {
		p.report(diag.Errorf(diag.MisplacedDecl, d.At, "imports come first in a file").
			WithHint("move it above the declarations"))
	}
	p.mod.Imports = append(p.mod.Imports, d)
}

// importNames reads `(set, gather)`.
func (p *parser) importNames(d *Import) {
	b := p.openBracket()
	names := p.distinct("a name is imported once")
	p.list(kRParen, func() {
		if p.kind != kIdent && p.kind != kUpper && p.kind != kElif {
			p.fail(p.complainExpected("a name of the module", "write `import array (set, gather)`"))
			return
		}
		id := p.ident(p.tok)
		names.add(id)
		d.Names = append(d.Names, id)
		p.advance()
	})
	if len(d.Names) == 0 {
		complaint := diag.Errorf(diag.UnexpectedToken, p.tokSpan(b),
			"these parentheses name nothing to import").
			WithHint("write `import array (set, gather)`, or `import array` and then `array.set`")
		if p.kind == kRParen {
			complaint.WithEdit("Remove them", p.span(b.start, p.tok.end), "")
		}
		p.report(complaint)
	}
	p.closeBracket(b, kRParen)
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if !notation.StartsName(r) && (i == 0 || !notation.ContinuesName(r)) {
			return false
		}
	}
	return s != "" && s != "_" && !IsKeyword(s)
}

// docBefore returns the text of the --| comment that ends on the line above t. Ordinary comment
// lines below its first line belong to it.
func (p *parser) docBefore(t token) string {
	list := p.lex.comments
	for len(list) > 0 && list[len(list)-1].At.Start > t.start {
		list = list[:len(list)-1] // skip the comments before the token after t
	}
	first, below := -1, t.start
	for i := len(list) - 1; i >= 0; i-- {
		c := &list[i]
		if !strings.HasPrefix(c.Text, "--") || !p.linesApart(c.At.End, below, 1) ||
			!p.ownLine(c.At.Start) {
			break
		}
		below = c.At.Start
		if strings.HasPrefix(c.Text, "--|") {
			first = i
		}
	}
	if first < 0 {
		return ""
	}
	return docLines(list[first:])
}

// moduleDoc returns the --| comment at the top of the file, if a blank line follows it.
func (p *parser) moduleDoc() string {
	list := p.lex.comments
	if len(list) == 0 || !strings.HasPrefix(list[0].Text, "--|") ||
		strings.Trim(p.lex.text[:list[0].At.Start], " \r\n\uFEFF") != "" {
		return ""
	}
	n := 1
	for n < len(list) && strings.HasPrefix(list[n].Text, "--") && p.linesApart(list[n-1].At.End,
		list[n].At.Start, 1) {
		n++
	}
	rest := p.lex.text[list[n-1].At.End:]
	blank := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\r\n"))]
	if strings.Count(blank, "\n") < 2 && len(blank) < len(rest) {
		return ""
	}
	return docLines(list[:n])
}

// linesApart reports whether only blanks and exactly n line ends are between two offsets.
func (p *parser) linesApart(from, to int32, n int) bool {
	if to < from || int(to-from) > 10_000 {
		return false
	}
	gap := p.lex.text[from:to]
	return strings.Count(gap, "\n") == n && strings.Trim(gap, " \t\r\n") == ""
}

// ownLine reports whether only blanks stand before an offset on its line.
func (p *parser) ownLine(at int32) bool {
	line := p.lex.text[:at]
	trimmed := strings.TrimRight(line[max(0, len(line)-10_000):], " \t")
	return trimmed == "" || trimmed[len(trimmed)-1] == '\n' || trimmed == "\uFEFF"
}

// docLines returns the text of the comments of a documentation block.
func docLines(list []Comment) string {
	var b strings.Builder
	for i, c := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := strings.TrimPrefix(strings.TrimPrefix(c.Text, "--"), "|")
		b.WriteString(strings.TrimPrefix(text, " "))
	}
	return b.String()
}
