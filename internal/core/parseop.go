package core

import (
	"slices"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// scoped runs f and then removes the names that it bound.
func (p *parser) scoped(f func(bind func(name string, v *Var))) {
	type hidden struct {
		name string
		v    *Var
	}
	var undo []hidden
	f(func(name string, v *Var) {
		undo = append(undo, hidden{name, p.vars[name]})
		p.vars[name] = v
	})
	for i := len(undo) - 1; i >= 0; i-- {
		if undo[i].v == nil {
			delete(p.vars, undo[i].name)
		} else {
			p.vars[undo[i].name] = undo[i].v
		}
	}
}

// variable parses a name that is being bound. It drops the number that distinguishes variables of
// the same name, because the printer makes new ones.
func (p *parser) variable() (name string, v *Var) {
	t := p.take()
	if t.kind != nameToken || keywords[t.text] || isConstructor(t) {
		p.fail(t, "expected a variable, found %s", describe(t))
		return "_", NewVar("_", types.Unit)
	}
	return t.text, NewVar(stripNumber(t.text), types.Unit)
}

// block reads statements up to and including ret.
func (p *parser) block() *Block {
	block := &Block{Result: UnitLit()}
	if !p.enter() {
		return block
	}
	defer p.leave()
	p.scoped(func(bind func(string, *Var)) {
		for p.accept("let") {
			if p.accept("rec") {
				block.Stmts = append(block.Stmts, p.letRec(bind))
				continue
			}
			start := p.peek()
			name, v := p.variable()
			p.expect(":")
			v.Ty = p.typ()
			p.expect("=")
			op := p.op(v.Ty)
			if p.err != nil {
				return
			}
			block.Stmts = append(block.Stmts, &Let{Var: v, Op: op, At: p.from(start)})
			bind(name, v)
		}
		p.expect("ret")
		block.Result = p.atom()
	})
	return block
}

// from returns the span of the tokens since start.
func (p *parser) from(start token) diag.Span {
	last := p.tokens[max(p.pos-1, 0)]
	return diag.Span{File: p.file, Start: start.start, End: max(last.end, start.end)}
}

// letRec parses a recursive group: first all variables with their types, which are in scope in
// all functions, and then the functions in the same order.
func (p *parser) letRec(bind func(string, *Var)) Stmt {
	rec := &LetRec{}
	start := p.peek()
	for p.err == nil {
		name, v := p.variable()
		p.expect(":")
		v.Ty = p.typ()
		rec.Vars = append(rec.Vars, v)
		bind(name, v)
		if !p.accept(",") {
			break
		}
	}
	p.expect("=")
	for i := range rec.Vars {
		if i > 0 {
			p.expect("and")
		}
		p.expect("fun")
		rec.Funs = append(rec.Funs, p.lambda())
	}
	rec.At = p.from(start)
	return rec
}

// binder reads (x : T).
func (p *parser) binder() (name string, v *Var) {
	p.expect("(")
	name, v = p.variable()
	p.expect(":")
	v.Ty = p.typ()
	p.expect(")")
	return name, v
}

// binders reads binders while there are any.
func (p *parser) binders(bind func(string, *Var)) []*Var {
	var vs []*Var
	for p.at("(") {
		name, v := p.binder()
		bind(name, v)
		vs = append(vs, v)
	}
	return vs
}

// op reads an operation of the given type.
func (p *parser) op(ty types.Type) Op {
	t := p.take()
	switch {
	case t.kind == primToken:
		return p.prim(t)
	case isConstructor(t):
		return p.construct(t, ty)
	case t.kind == punctToken && t.text == "(":
		op := &Tuple{Elems: p.list(")")}
		return op
	case t.kind == punctToken && t.text == "[":
		op := &Array{Elem: types.Unit, Elems: p.list("]")}
		if array, ok := ty.(*types.Array); ok {
			op.Elem = array.Elem
		} else {
			p.fail(t, "an array where the type is none")
		}
		return op
	case t.kind == punctToken && t.text == "{":
		return p.record(t, ty)
	case t.kind == nameToken:
		if op := p.keywordOp(t.text); op != nil {
			return op
		}
	}
	p.fail(t, "expected an operation, found %s", describe(t))
	return nil
}

// keywordOp parses an operation after its keyword. It returns nil for a word that starts none.
func (p *parser) keywordOp(word string) Op {
	switch word {
	case "fun":
		return p.lambda()
	case "call":
		return &Apply{Fun: p.atom(), Args: p.atoms()}
	case "proj":
		i := p.position()
		return &Proj{Of: p.atom(), Index: i}
	case "field":
		return p.field()
	case "case":
		return p.caseOf()
	case "if":
		return p.ifThenElse()
	case "build":
		return p.build()
	case "map":
		return p.mapOver()
	case "index":
		of := p.atom()
		return &Index{Of: of, At: p.atom()}
	case "slice":
		of, lo := p.atom(), p.atom()
		return &Slice{Of: of, Lo: lo, Hi: p.atom()}
	case "reduce":
		acc, elem, init, array, body := p.fold()
		return &Reduce{Acc: acc, Elem: elem, Init: init, Array: array, Body: body}
	case "scan":
		acc, elem, init, array, body := p.fold()
		return &Scan{Acc: acc, Elem: elem, Init: init, Array: array, Body: body}
	case "loop":
		return p.loop()
	case "checksize", "checksum", "checksolution":
		of := slices.Index(sizeChecks[:], word)
		name := p.name("the name of a size")
		got := p.atom()
		return &CheckSize{Name: name, Of: SizeCheck(of), Got: got, Want: p.atom()}
	}
	return nil
}

func (p *parser) field() Op {
	at, name := p.peek(), p.name("a field")
	of := p.atom()
	if record, ok := of.Type().(*types.Record); ok {
		for i, f := range record.Fields { // in the text the order is arbitrary; Verify checks it
			if f.Name == name {
				return &Field{Of: of, Index: i}
			}
		}
	}
	p.fail(at, "the record has no field %s", name)
	return &Field{Of: of}
}

func (p *parser) prim(t token) Op {
	name := t.text[1:]
	if name[0] == '"' {
		name = p.unquote(token{stringToken, name, t.start, t.end})
	}
	row := prim.Lookup(name)
	if row == nil {
		p.fail(t, "no primitive is called %s", name)
		return nil
	}
	inst := p.inst()
	return &Prim{Prim: row, Inst: inst, Args: p.atoms()}
}

func (p *parser) construct(t token, ty types.Type) Op {
	data, ok := ty.(*types.Data)
	if !ok {
		p.fail(t, "the constructor %s where the type is no data type", t.text)
		return nil
	}
	con := p.findCon(t, data)
	return &Construct{Con: con, Ty: data, Args: p.atoms()}
}

func (p *parser) findCon(t token, data *types.Data) *types.Con {
	for _, c := range data.Decl.Cons {
		if c.Name == t.text {
			return c
		}
	}
	p.fail(t, "%s has no constructor %s", data.Decl.QName(), t.text)
	return nil
}

// list reads atoms with commas between them, up to the closing mark.
func (p *parser) list(closing string) []Atom {
	var as []Atom
	for p.err == nil && !p.at(closing) {
		if len(as) > 0 {
			p.expect(",")
		}
		as = append(as, p.atom())
	}
	p.expect(closing)
	return as
}

func (p *parser) record(t token, ty types.Type) Op {
	record, ok := ty.(*types.Record)
	if !ok {
		p.fail(t, "a record where the type is none")
		return nil
	}
	op := &Record{Ty: record}
	for p.err == nil && !p.at("}") {
		if len(op.Elems) > 0 {
			p.expect(",")
		}
		at, name := p.peek(), p.name("a field")
		if i := len(op.Elems); i >= len(record.Fields) || record.Fields[i].Name != name {
			p.fail(at, "field %s is not the next of the type", name)
		}
		p.expect("=")
		op.Elems = append(op.Elems, p.atom())
	}
	p.expect("}")
	return op
}

func (p *parser) position() int {
	t := p.take()
	n, err := strconv.Atoi(t.text)
	if t.kind != numberToken || err != nil {
		p.fail(t, "expected the number of a component, found %s", describe(t))
	}
	return n
}

func (p *parser) lambda() *Lambda {
	fun := &Lambda{}
	p.scoped(func(bind func(string, *Var)) {
		fun.Params = p.binders(bind)
		p.expect("->")
		fun.Body = p.block()
	})
	return fun
}

func (p *parser) caseOf() Op {
	at := p.peek()
	op := &Case{Of: p.atom()}
	data, ok := op.Of.Type().(*types.Data)
	if !ok {
		p.fail(at, "case of what is no data type")
		return op
	}
	p.expect("of")
	for p.accept("|") {
		if p.accept("_") {
			p.expect("->")
			op.Default = p.block()
			break
		}
		p.scoped(func(bind func(string, *Var)) {
			t := p.take()
			arm := Arm{Con: p.findCon(t, data), Vars: p.binders(bind)}
			p.expect("->")
			arm.Body = p.block()
			op.Arms = append(op.Arms, arm)
		})
	}
	return op
}

func (p *parser) ifThenElse() Op {
	op := &If{Cond: p.atom()}
	p.expect("then")
	op.Then = p.block()
	p.expect("else")
	op.Else = p.block()
	return op
}

func (p *parser) build() Op {
	op := &Build{}
	name, v := p.binder()
	op.Index = v
	p.expect("<")
	op.Size = p.atom()
	p.expect("->")
	p.scoped(func(bind func(string, *Var)) {
		bind(name, v)
		op.Body = p.block()
	})
	return op
}

func (p *parser) mapOver() Op {
	op := &Map{}
	var names []string
	for p.at("(") {
		name, v := p.binder()
		names, op.Params = append(names, name), append(op.Params, v)
	}
	at := p.peek()
	p.expect("in")
	op.Arrays = p.atoms()
	if len(op.Arrays) != len(op.Params) || len(op.Params) == 0 {
		p.fail(at, "map of %d variables over %d arrays", len(op.Params), len(op.Arrays))
	}
	p.expect("->")
	p.scoped(func(bind func(string, *Var)) {
		for i, v := range op.Params {
			bind(names[i], v)
		}
		op.Body = p.block()
	})
	return op
}

func (p *parser) fold() (acc, elem *Var, init, array Atom, body *Block) {
	accName, acc := p.binder()
	elemName, elem := p.binder()
	p.expect("from")
	init = p.atom()
	p.expect("in")
	array = p.atom()
	p.expect("->")
	p.scoped(func(bind func(string, *Var)) {
		bind(accName, acc)
		bind(elemName, elem)
		body = p.block()
	})
	return acc, elem, init, array, body
}

func (p *parser) loop() Op {
	op := &Loop{}
	stateName, state := p.binder()
	op.State = state
	p.expect("from")
	op.Init = p.atom()
	p.scoped(func(bind func(string, *Var)) {
		if p.accept("while") {
			bind(stateName, state)
			op.Head = &While{Cond: p.block()}
		} else {
			p.expect("for")
			name, v := p.binder()
			if p.accept("<") {
				op.Head = &Range{Index: v, Bound: p.atom()}
			} else {
				p.expect("in")
				op.Head = &Each{Elem: v, Array: p.atom()}
			}
			bind(stateName, state)
			bind(name, v)
		}
		p.expect("do")
		op.Body = p.block()
	})
	return op
}
