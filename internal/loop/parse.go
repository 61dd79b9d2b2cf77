package loop

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads what Print writes, and verifies it. Errors begin with the line and the column.
func Parse(text string) (p *Program, err error) {
	r := &parser{funcs: map[string]*Func{}}
	defer func() {
		if e := recover(); e != nil {
			syntax, ok := e.(*syntaxError)
			if !ok {
				panic(e)
			}
			p, err = nil, syntax
		}
	}()
	r.scan(text)
	p = &Program{}
	for r.skipLines(); r.peek().text != ""; r.skipLines() {
		p.Funcs = append(p.Funcs, r.function())
	}
	for _, c := range r.calls {
		if c.fn.Body == nil {
			fail(c.at, "there is no function %s", c.fn.Name)
		}
	}
	return p, Verify(p)
}

// maxNesting bounds the blocks within blocks of a text.
const maxNesting = 1000

// syntaxError is an error in a text of the loop form.
type syntaxError struct {
	line, column int
	message      string
}

// Error returns the place and the message.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.line, e.column, e.message)
}

// token is a word or a mark; the end of a line is "\n" and that of the text "".
type token struct {
	text         string
	line, column int
}

// parser reads tokens. Errors are panics with a *syntaxError, which Parse catches.
type parser struct {
	tokens []token
	funcs  map[string]*Func
	calls  []called
	scope  map[string]*Var
	depth  int
}

// called is a function that is called, and where.
type called struct {
	fn *Func
	at token
}

func fail(at token, format string, args ...any) {
	panic(&syntaxError{at.line, at.column, fmt.Sprintf(format, args...)})
}

// scan splits the text into tokens. A mark is a character of punctuation, or +=.
func (r *parser) scan(text string) {
	line := 0
	for rest := range strings.SplitSeq(text, "\n") {
		line++
		column := 1
		for rest != "" {
			n := 0
			switch {
			case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
				rest, column = rest[1:], column+1
				continue
			case strings.HasPrefix(rest, "+="):
				n = 2
			case strings.IndexByte(punctuation, rest[0]) >= 0:
				n = 1
			default:
				n = strings.IndexAny(rest, punctuation+" \t\r")
				if n < 0 {
					n = len(rest)
				}
			}
			r.tokens = append(r.tokens, token{rest[:n], line, column})
			column += utf8.RuneCountInString(rest[:n])
			rest = rest[n:]
		}
		r.tokens = append(r.tokens, token{"\n", line, column})
	}
	r.tokens = append(r.tokens, token{"", line, 1})
}

func (r *parser) peek() token { return r.tokens[0] }

// next takes a token. It never takes the last one.
func (r *parser) next() token {
	t := r.tokens[0]
	if t.text != "" {
		r.tokens = r.tokens[1:]
	}
	return t
}

// accept takes a token if it is the given one.
func (r *parser) accept(text string) bool {
	if r.peek().text != text {
		return false
	}
	r.next()
	return true
}

func (r *parser) expect(text string) {
	if t := r.next(); t.text != text {
		fail(t, "%s instead of %s", t.name(), token{text: text}.name())
	}
}

// name returns the token's name for errors.
func (t token) name() string {
	switch t.text {
	case "":
		return "the end of the text"
	case "\n":
		return "the end of the line"
	}
	return strconv.Quote(t.text)
}

func (r *parser) skipLines() {
	for r.accept("\n") {
	}
}

// word takes a name.
func (r *parser) word() token {
	t := r.next()
	if t.text == "" || t.text == "\n" || t.text == "+=" ||
		strings.Contains(punctuation, t.text[:1]) {
		fail(t, "%s instead of a name", t.name())
	}
	return t
}

// funcNamed returns the function with a name, and makes it at the first use.
func (r *parser) funcNamed(name string) *Func {
	if r.funcs[name] == nil {
		r.funcs[name] = &Func{Name: name}
	}
	return r.funcs[name]
}

func (r *parser) function() *Func {
	r.expect("func")
	at := r.word()
	f := r.funcNamed(at.text)
	if f.Body != nil {
		fail(at, "a second function %s", f.Name)
	}
	r.scope = map[string]*Var{}
	r.expect("(")
	for !r.accept(")") {
		if len(f.Params) > 0 {
			r.expect(",")
		}
		f.Params = append(f.Params, r.typed())
		if at := r.peek(); r.accept("added") {
			f.Adds++
		} else if f.Adds > 0 {
			fail(at, "the parameters that are added to are the last ones")
		}
	}
	f.Body = r.block()
	r.expect("\n")
	return f
}

// bind makes a variable. A name may be bound only once in a function.
func (r *parser) bind(at token, k Kind) *Var {
	if r.scope[at.text] != nil {
		fail(at, "%s is bound twice", at.text)
	}
	if reserved[at.text] {
		fail(at, "%s is not a name of a variable", at.text)
	}
	v := NewVar(at.text, k)
	r.scope[at.text] = v
	return v
}

// typed parses NAME : KIND.
func (r *parser) typed() *Var {
	at := r.word()
	r.expect(":")
	return r.bind(at, r.kind())
}

func (r *parser) kind() Kind {
	t := r.word()
	for k, name := range kindNames {
		if name == t.text {
			return Kind(k)
		}
	}
	fail(t, "%s is not a kind", t.text)
	return 0
}

// gives parses the list of what a statement binds, which may be missing.
func (r *parser) gives() (vs []*Var) {
	if !r.accept("gives") {
		return nil
	}
	for {
		vs = append(vs, r.typed())
		if !r.accept(",") {
			return vs
		}
	}
}

func (r *parser) variable(t token) *Var {
	v := r.scope[t.text]
	if v == nil {
		fail(t, "%s is not bound", t.name())
	}
	return v
}

// atom parses a variable or a literal.
func (r *parser) atom() Atom {
	t := r.word()
	switch t.text {
	case "true", "false":
		return Truth(t.text == "true")
	case "nan", "inf", "-inf":
		x, _ := strconv.ParseFloat(t.text, 64)
		return Real(x)
	}
	if c := t.text[0]; c == '-' || '0' <= c && c <= '9' {
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			return Int(n)
		}
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			fail(t, "%s is not a number", t.name())
		}
		return Real(x)
	}
	return r.variable(t)
}

// atoms parses atoms up to the end of the line, or up to a word.
func (r *parser) atoms(end string) (as []Atom) {
	for r.peek().text != "\n" && r.peek().text != end {
		as = append(as, r.atom())
	}
	return as
}

func (r *parser) op() *Op {
	t := r.word()
	op := Lookup(t.text)
	if op == nil {
		fail(t, "%s is not an operation", t.text)
	}
	return op
}

// block parses { STATEMENTS }.
func (r *parser) block() *Block {
	at := r.peek()
	r.expect("{")
	r.expect("\n")
	if r.depth++; r.depth > maxNesting {
		fail(at, "more than %d blocks within each other", maxNesting)
	}
	b := &Block{}
	for r.skipLines(); !r.accept("}"); r.skipLines() {
		if r.accept("yield") {
			b.Yield = r.atoms("\n")
			r.skipLines()
			r.expect("}")
			break
		}
		b.Stmts = append(b.Stmts, r.statement())
		r.expect("\n")
	}
	r.depth--
	return b
}

func (r *parser) statement() Stmt {
	t := r.word()
	switch t.text {
	case "for":
		return r.loop()
	case "while":
		s := &While{}
		for r.accept(",") {
			s.States = append(s.States, r.state())
		}
		s.Cond = r.block()
		r.expect("do")
		s.Body = r.block()
		r.results(t, s.States, nil)
		return s
	case "if":
		s := &If{Cond: r.atom(), Then: r.block()}
		r.expect("else")
		s.Else = r.block()
		s.Results = r.gives()
		return s
	case "check":
		return &Check{Cond: r.atom()}
	case "call":
		at := r.word()
		s := &Call{Func: r.funcNamed(at.text), Args: r.atoms("gives")}
		r.calls = append(r.calls, called{s.Func, at})
		s.Results = r.gives()
		return s
	}
	if r.peek().text == "[" {
		buf := r.variable(t)
		at := r.index()
		if r.accept("+=") {
			return &Accum{Buf: buf, At: at, Value: r.atom()}
		}
		r.expect("=")
		return &Store{Buf: buf, At: at, Value: r.atom()}
	}
	r.expect("=")
	return r.binding(t)
}

// binding parses what follows NAME =.
func (r *parser) binding(name token) Stmt {
	t := r.word()
	switch t.text {
	case "alloc":
		k := r.kind()
		s := &Alloc{Len: r.atom(), Zero: r.accept("zero")}
		s.Var = r.bind(name, k)
		return s
	case "length":
		buf := r.variable(r.word())
		return &Length{Buf: buf, Var: r.bind(name, I64)}
	case "copy":
		buf := r.variable(r.word())
		return &Copy{Buf: buf, Var: r.bind(name, buf.Kind)}
	}
	switch r.peek().text {
	case "[":
		buf := r.variable(t)
		at := r.index()
		return &Load{Buf: buf, At: at, Var: r.bind(name, buf.Kind.Elem())}
	case "with":
		r.next()
		s := &Update{Buf: r.variable(t), At: r.index()}
		r.expect("=")
		s.Value = r.atom()
		s.Var = r.bind(name, s.Buf.Kind)
		return s
	}
	op := Lookup(t.text)
	if op == nil {
		fail(t, "%s is not an operation", t.name())
	}
	s := &Let{Op: op, Args: r.atoms("\n")}
	if len(s.Args) != len(op.Args) {
		fail(t, "%s has %d arguments, not %d", op, len(op.Args), len(s.Args))
	}
	s.Var = r.bind(name, op.Result)
	return s
}

// index parses [ATOM].
func (r *parser) index() Atom {
	r.expect("[")
	at := r.atom()
	r.expect("]")
	return at
}

// state parses NAME : KIND = ATOM.
func (r *parser) state() State {
	name := r.word()
	r.expect(":")
	k := r.kind()
	r.expect("=")
	init := r.atom()
	return State{Init: init, Var: r.bind(name, k)}
}

// loop parses what follows for. Totals come after the states.
func (r *parser) loop() Stmt {
	at := r.word()
	r.expect("<")
	s := &For{Count: r.atom()}
	s.Parallel, s.Lanes, s.Thrifty = r.accept("parallel"), r.accept("lanes"), r.accept("thrifty")
	for r.accept(",") {
		if r.tokens[min(1, len(r.tokens)-1)].text == ":" {
			s.States = append(s.States, r.state())
			continue
		}
		red := Red{Op: r.op()}
		r.expect("from")
		red.Init = r.atom()
		s.Reds = append(s.Reds, red)
	}
	s.Index = r.bind(at, I64)
	s.Body = r.block()
	r.results(at, s.States, s.Reds)
	return s
}

// results binds the results of a loop.
func (r *parser) results(at token, states []State, reds []Red) {
	vs := r.gives()
	if len(vs) != len(states)+len(reds) {
		fail(at, "a loop with %d states and totals gives %d results",
			len(states)+len(reds), len(vs))
	}
	for i := range states {
		states[i].Result = vs[i]
	}
	for i := range reds {
		reds[i].Result = vs[len(states)+i]
	}
}
