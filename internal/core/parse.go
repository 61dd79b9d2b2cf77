package core

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// maxDepth bounds the nesting of blocks and types in core text.
const maxDepth = 5000

// maxExponent bounds the exponent of a real: 1e999999999 would fill the memory.
const maxExponent = 100_000

// Parse parses core text in the form that Print writes: see Note [The text of core]. It resolves
// names and checks nothing else; Verify does that. The code of its error is diag.BadCore.
func Parse(name, text string) (*Program, *diag.Diagnostic) {
	if len(text) >= 1<<31-1 {
		return nil, diag.Errorf(diag.BadCore, diag.Span{}, "the core text is larger than 2 GiB")
	}
	file := diag.NewFile(name, text)
	p := &parser{file: file, tokens: lex(file), datas: map[string]*types.DataDecl{},
		defs: map[string]*Def{}, program: &Program{}}
	p.declare()
	p.topLevel()
	if p.err != nil {
		return nil, p.err
	}
	return p.program, nil
}

// parser is a recursive-descent parser. After the first error it moves to the end, where every
// loop stops.
type parser struct {
	file    *diag.File
	tokens  []token
	pos     int
	depth   int
	err     *diag.Diagnostic
	program *Program

	datas map[string]*types.DataDecl
	defs  map[string]*Def
	typs  map[string]*types.Param // type parameters in scope
	sizes map[string]*types.Size  // size parameters of the definition
	vars  map[string]*Var
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) take() token {
	t := p.tokens[p.pos]
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *parser) span(t token) diag.Span {
	return diag.Span{File: p.file, Start: t.start, End: t.end}
}

// fail reports the first error and ends the parse.
func (p *parser) fail(at token, format string, args ...any) {
	if p.err == nil {
		p.err = diag.Errorf(diag.BadCore, p.span(at), format, args...)
	}
	p.pos = len(p.tokens) - 1
}

func (p *parser) at(word string) bool {
	t := p.peek()
	return (t.kind == punctToken || t.kind == nameToken) && t.text == word
}

func (p *parser) accept(word string) bool {
	if p.at(word) {
		p.take()
		return true
	}
	return false
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		p.fail(p.peek(), "expected %s, found %s", word, describe(p.peek()))
	}
}

func describe(t token) string {
	if t.kind == endToken {
		return "the end of the text"
	}
	return strconv.Quote(t.text)
}

// enter starts one more level of nesting, which leave ends.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.peek(), "core text nested more than %d levels deep", maxDepth)
		return false
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// name parses a name, quoted or not.
func (p *parser) name(what string) string {
	t := p.take()
	if t.kind == nameToken && !keywords[t.text] {
		return t.text
	}
	if t.kind == stringToken {
		return p.unquote(t)
	}
	p.fail(t, "expected %s, found %s", what, describe(t))
	return ""
}

func (p *parser) unquote(t token) string {
	s, err := strconv.Unquote(t.text)
	if err != nil {
		p.fail(t, "malformed string %s", t.text)
	}
	return s
}

// ---- declarations

// declare makes the data types, and the definitions with their types, so that bodies may refer to
// later ones. The keywords that start declarations occur nowhere else.
func (p *parser) declare() {
	for p.err == nil && p.peek().kind != endToken {
		if p.accept("data") {
			p.dataHead()
		} else {
			p.take()
		}
	}
	if p.err != nil {
		return
	}
	p.pos = 0
	for p.err == nil && p.peek().kind != endToken {
		if p.accept("def") {
			p.defHead(p.name("the name of a definition"))
		} else {
			p.take()
		}
	}
	if p.err == nil {
		p.pos = 0
	}
}

func (p *parser) dataHead() {
	at := p.take()
	name := at.text
	d := &types.DataDecl{Name: name}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		d.Module, d.Name = name[:dot], name[dot+1:]
	}
	if at.kind != nameToken || !isCapital(d.Name) || basicType(name) != nil {
		p.fail(at, "expected the name of a data type, found %s", describe(at))
		return
	}
	if p.datas[name] != nil {
		p.fail(at, "data type %s is declared twice", name)
		return
	}
	for p.peek().kind == nameToken && !keywords[p.peek().text] {
		d.Params = append(d.Params, &types.Param{Name: p.typeParam()})
	}
	p.datas[name] = d
}

func (p *parser) defHead(name string) *Def {
	at := p.tokens[max(p.pos-1, 0)]
	d := &Def{Name: name, At: p.span(at)}
	p.typs, p.sizes, p.vars = map[string]*types.Param{}, map[string]*types.Size{}, map[string]*Var{}
	if p.accept("[") {
		for p.err == nil {
			param := &types.Param{Name: p.typeParam()}
			p.typs[param.Name] = param
			d.Params = append(d.Params, param)
			if p.accept(":") {
				param.Classes = p.classes()
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect("]")
	}
	p.expect(":")
	d.Type = p.typ()
	if p.defs[name] != nil {
		p.fail(at, "%s is defined twice", name)
	}
	p.defs[name] = d
	return d
}

func (p *parser) typeParam() string {
	t := p.take()
	if t.kind != nameToken || keywords[t.text] || isCapital(t.text) {
		p.fail(t, "expected a type parameter, found %s", describe(t))
	}
	return t.text
}

func (p *parser) classes() types.Classes {
	var set types.Classes
	for p.peek().kind == nameToken {
		t := p.take()
		class, ok := types.ClassByName(t.text)
		if !ok {
			p.fail(t, "no class is called %s", t.text)
		}
		set |= class
	}
	return set
}

func (p *parser) topLevel() {
	for p.err == nil && p.peek().kind != endToken {
		t := p.take()
		switch {
		case t.kind == nameToken && t.text == "data":
			p.program.Datas = append(p.program.Datas, p.dataDecl())
		case t.kind == nameToken && t.text == "extern":
			p.expect("data")
			p.dataDecl()
		case t.kind == nameToken && t.text == "def":
			p.program.Defs = append(p.program.Defs, p.def())
		case t.kind == nameToken && t.text == "main":
			if p.program.Main != nil {
				p.fail(t, "a program has one main")
				return
			}
			p.program.Main = p.main(t)
		default:
			p.fail(t, "expected data, def or main, found %s", describe(t))
		}
	}
}

func (p *parser) dataDecl() *types.DataDecl {
	d := p.datas[p.take().text]
	if d == nil {
		return nil // an error was reported
	}
	p.typs, p.sizes = map[string]*types.Param{}, map[string]*types.Size{}
	for _, param := range d.Params {
		p.take()
		p.typs[param.Name] = param
	}
	for sep := "="; p.accept(sep); sep = "|" {
		con := &types.Con{Data: d, Tag: len(d.Cons), Name: p.constructor()}
		for p.atType() {
			con.Fields = append(con.Fields, p.typeAtom())
		}
		d.Cons = append(d.Cons, con)
	}
	return d
}

func (p *parser) constructor() string {
	t := p.take()
	if !isConstructor(t) || strings.Contains(t.text, ".") {
		p.fail(t, "expected a constructor, found %s", describe(t))
	}
	return t.text
}

// isConstructor distinguishes constructors from variables. Constructors start with a capital,
// after any underscores.
func isConstructor(t token) bool { return t.kind == nameToken && isCapital(t.text) }

func isCapital(name string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(name, "_"))
	return unicode.IsUpper(r)
}

// def parses a definition whose head declare has already parsed. Its type parameters are those
// that uses refer to.
func (p *parser) def() *Def {
	name := p.name("the name of a definition")
	d := p.defs[name]
	if d == nil {
		return nil
	}
	delete(p.defs, name)
	again := p.defHead(name)
	p.defs[name] = d
	d.At = again.At
	for i, param := range again.Params {
		p.typs[param.Name] = d.Params[i]
	}
	p.expect("=")
	d.Body = p.block()
	return d
}

func (p *parser) main(at token) *Def {
	d := &Def{Name: "main", At: p.span(at)}
	p.typs, p.sizes, p.vars = map[string]*types.Param{}, map[string]*types.Size{}, map[string]*Var{}
	p.expect(":")
	d.Type = p.typ()
	p.expect("=")
	d.Body = p.block()
	return d
}

// ---- types

// typ parses a type: a -> b, or one that binds tighter.
func (p *parser) typ() types.Type {
	if !p.enter() {
		return types.Unit
	}
	defer p.leave()
	t := p.typeArg()
	if p.accept("->") {
		return &types.Fun{Param: t, Result: p.typ()}
	}
	return t
}

// typeArg reads a data type with its arguments, or an atom.
func (p *parser) typeArg() types.Type {
	t := p.peek()
	d := p.datas[t.text]
	if t.kind != nameToken || d == nil {
		return p.typeAtom()
	}
	p.take()
	args := make([]types.Type, 0, len(d.Params))
	for p.err == nil && p.atType() {
		args = append(args, p.typeAtom())
	}
	return &types.Data{Decl: d, Args: args}
}

// atType reports whether a type atom starts here.
func (p *parser) atType() bool {
	t := p.peek()
	return t.kind == nameToken && !keywords[t.text] || t.kind == punctToken && strings.Contains(
		"([{", t.text)
}

func (p *parser) typeAtom() types.Type {
	if !p.enter() {
		return types.Unit
	}
	defer p.leave()
	t := p.take()
	switch {
	case t.kind == nameToken:
		return p.typeName(t)
	case t.text == "(" && t.kind == punctToken:
		return p.tupleType()
	case t.text == "[" && t.kind == punctToken:
		size := p.size()
		p.expect("]")
		return &types.Array{Size: size, Elem: p.typeAtom()}
	case t.text == "{" && t.kind == punctToken:
		return p.recordType()
	}
	p.fail(t, "expected a type, found %s", describe(t))
	return types.Unit
}

func (p *parser) typeName(t token) types.Type {
	if d := p.datas[t.text]; d != nil {
		return &types.Data{Decl: d}
	}
	if param := p.typs[t.text]; param != nil {
		return param
	}
	if basic := basicType(t.text); basic != nil {
		return basic
	}
	p.fail(t, "no type is called %s", t.text)
	return types.Unit
}

func basicType(name string) types.Type {
	for _, basic := range []*types.Basic{types.Real, types.Int, types.Bool, types.String} {
		if basic.Name == name {
			return basic
		}
	}
	return nil
}

func (p *parser) tupleType() types.Type {
	if p.accept(")") {
		return types.Unit
	}
	elems := []types.Type{p.typ()}
	for p.accept(",") {
		elems = append(elems, p.typ())
	}
	p.expect(")")
	if len(elems) == 1 {
		return elems[0]
	}
	return &types.Tuple{Elems: elems}
}

func (p *parser) recordType() types.Type {
	r := &types.Record{}
	for p.err == nil && !p.at("}") {
		if len(r.Fields) > 0 {
			p.expect(",")
		}
		name := p.name("a field")
		p.expect(":")
		r.Fields = append(r.Fields, types.Field{Name: name, Type: p.typ()})
	}
	p.expect("}")
	return r
}

func (p *parser) size() *types.Size {
	if p.at("]") {
		return types.AnySize
	}
	if t := p.peek(); t.kind == numberToken {
		p.take()
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil || n < 0 {
			p.fail(t, "%s is no size of an array", t.text)
		}
		return types.ConstSize(n)
	}
	name := p.name("a size")
	s := p.sizes[name]
	if s == nil {
		s = &types.Size{Kind: types.SizeParam, Name: name}
		p.sizes[name] = s
	}
	return s
}

// ---- atoms

// atAtom reports whether an atom starts here.
func (p *parser) atAtom() bool {
	t := p.peek()
	switch t.kind {
	case nameToken:
		return t.text == "true" || t.text == "false" || !keywords[t.text] && !isConstructor(t)
	case numberToken, stringToken, globalToken:
		return true
	}
	return t.kind == punctToken && t.text == "("
}

func (p *parser) atoms() []Atom {
	var as []Atom
	for p.err == nil && p.atAtom() {
		as = append(as, p.atom())
	}
	return as
}

func (p *parser) atom() Atom {
	t := p.take()
	switch {
	case t.kind == nameToken && (t.text == "true" || t.text == "false"):
		return BoolLit(t.text == "true")
	case t.kind == nameToken:
		if v := p.vars[t.text]; v != nil {
			return v
		}
		p.fail(t, "%s is not in scope", t.text)
	case t.kind == numberToken:
		return p.number(t)
	case t.kind == stringToken:
		return StringLit(p.unquote(t))
	case t.kind == globalToken:
		return p.global(nil)
	case t.kind == punctToken && t.text == "(":
		if p.accept(")") {
			return UnitLit()
		}
		if p.peek().kind == numberToken {
			return p.overloaded()
		}
		p.expectGlobal()
		g := p.global(types.Unit)
		p.expect(":")
		g.Ty = p.typ()
		p.expect(")")
		return g
	default:
		p.fail(t, "expected an atom, found %s", describe(t))
	}
	return UnitLit()
}

func (p *parser) expectGlobal() {
	if t := p.take(); t.kind != globalToken {
		p.fail(t, "expected ) or a definition, found %s", describe(t))
	}
}

// global parses a use after its @. Its type is that of the definition unless the text states one.
func (p *parser) global(ty types.Type) *Global {
	at := p.peek()
	g := &Global{Name: p.name("the name of a definition"), Inst: p.inst(), Ty: ty}
	if ty != nil || p.err != nil {
		return g
	}
	d := p.defs[g.Name]
	switch {
	case d == nil:
		p.fail(at, "no definition is called %s", g.Name)
		g.Ty = types.Unit
	case len(d.Params) != len(g.Inst):
		p.fail(at, "%s has %d type parameters, not %d", g.Name, len(d.Params), len(g.Inst))
		g.Ty = types.Unit
	default:
		g.Ty = types.Subst(d.Type, d.Params, g.Inst)
	}
	return g
}

func (p *parser) inst() []types.Type {
	if !p.accept("[") {
		return nil
	}
	ts := []types.Type{p.typ()}
	for p.accept(",") {
		ts = append(ts, p.typ())
	}
	p.expect("]")
	return ts
}

// overloaded reads the rest of `(2 : a)`.
func (p *parser) overloaded() Atom {
	t := p.take()
	n, ok := p.number(t).(*Lit)
	p.expect(":")
	ty := p.typ()
	p.expect(")")
	if param, isParam := ty.(*types.Param); !ok || n.Ty != types.Int || !isParam ||
		param.Classes&types.Scalar == 0 {
		p.fail(t, "an overloaded literal is an integer at a parameter of class Num")
		return UnitLit()
	}
	return &Lit{Ty: ty, Int: n.Int, Real: new(big.Rat).SetInt64(n.Int)}
}

func (p *parser) number(t token) Atom {
	if !strings.ContainsAny(t.text, "./e") {
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			p.fail(t, "%s does not fit an Int", t.text)
		}
		return IntLit(n)
	}
	if e := strings.IndexByte(t.text, 'e'); e >= 0 {
		if n, err := strconv.Atoi(t.text[e+1:]); err != nil || n > maxExponent || n < -maxExponent {
			p.fail(t, "the exponent of %s is too large", t.text)
			return UnitLit()
		}
	}
	r, ok := new(big.Rat).SetString(t.text)
	if !ok {
		p.fail(t, "malformed number %s", t.text)
		return UnitLit()
	}
	return RealLit(r)
}
