package loop

import "fmt"

// Verify checks that a program is well formed: each variable is bound once, before its uses and
// in scope; kinds agree; parallel loops have no states and do not read what they write. It cannot
// check what depends on values (indices in range, elements written once); Eval does that.
func Verify(p *Program) error {
	for _, f := range p.Funcs {
		if err := verifyFunc(p, f); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	return nil
}

type verifier struct {
	funcs map[*Func]bool
	bound map[*Var]bool // every variable ever bound
	scope map[*Var]bool // the variables in scope now
	err   error
}

func verifyFunc(p *Program, f *Func) error {
	v := &verifier{funcs: map[*Func]bool{}, bound: map[*Var]bool{}, scope: map[*Var]bool{}}
	for _, g := range p.Funcs {
		v.funcs[g] = true
	}
	for _, p := range f.Params {
		v.bind(p)
	}
	for _, p := range f.Params[len(f.Params)-f.Adds:] {
		if !p.Kind.IsBuffer() {
			v.fail("%s is written to, and not a buffer", p.Name)
		}
	}
	v.block(f.Body, nil)
	return v.err
}

func (v *verifier) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

func (v *verifier) bind(x *Var) {
	if v.bound[x] {
		v.fail("%s is bound twice", x.Name)
	}
	v.bound[x], v.scope[x] = true, true
}

func (v *verifier) use(a Atom) {
	if x, ok := a.(*Var); ok && !v.scope[x] {
		v.fail("%s is used where it is not bound", x.Name)
	}
}

func (v *verifier) kind(a Atom, k Kind, what string) {
	if a.AtomKind() != k {
		v.fail("%s is %s where %s is expected", what, a.AtomKind(), k)
	}
}

func (v *verifier) kinds(as []Atom, want []Kind, what string) {
	if len(as) != len(want) {
		v.fail("%s has %d parts where %d are expected", what, len(as), len(want))
		return
	}
	for i, a := range as {
		v.kind(a, want[i], what)
	}
}

// block verifies a block. What it binds goes out of scope at its end. want lists the kinds that
// it must yield; nil allows any.
func (v *verifier) block(b *Block, want []Kind) {
	var mine []*Var
	for _, s := range b.Stmts {
		v.stmt(s)
		Defs(s, func(x *Var) {
			v.bind(x)
			mine = append(mine, x)
		})
	}
	for _, a := range b.Yield {
		v.use(a)
	}
	if want != nil {
		v.kinds(b.Yield, want, "what a block yields")
	}
	for _, x := range mine {
		delete(v.scope, x)
	}
}

func (v *verifier) within(s Stmt, check func()) {
	var mine []*Var
	Params(s, func(x *Var) {
		v.bind(x)
		mine = append(mine, x)
	})
	check()
	for _, x := range mine {
		delete(v.scope, x)
	}
}

func (v *verifier) stmt(s Stmt) {
	Uses(s, v.use)
	switch s := s.(type) {
	case *Let:
		v.kinds(s.Args, s.Op.Args, "an argument of "+s.Op.Name)
		v.kind(s.Var, s.Op.Result, "the result of "+s.Op.Name)
	case *Alloc:
		v.buffer(s.Var)
		v.kind(s.Len, I64, "a length")
	case *Length:
		v.buffer(s.Buf)
		v.kind(s.Var, I64, "a length")
	case *Load:
		v.access(s.Buf, s.At, s.Var)
	case *Store:
		v.access(s.Buf, s.At, s.Value)
	case *Accum:
		v.access(s.Buf, s.At, s.Value)
		v.kind(s.Value, F64, "what is added to an element")
	case *Update:
		v.access(s.Buf, s.At, s.Value)
		v.kind(s.Var, s.Buf.Kind, "an updated buffer")
	case *Copy:
		v.buffer(s.Buf)
		v.kind(s.Var, s.Buf.Kind, "a copy")
	case *For:
		v.loop(s)
	case *While:
		want := v.states(s.States)
		v.within(s, func() {
			v.block(s.Cond, []Kind{Bool})
			v.block(s.Body, want)
		})
	case *If:
		v.kind(s.Cond, Bool, "a condition")
		want := make([]Kind, len(s.Results))
		for i, r := range s.Results {
			want[i] = r.Kind
		}
		v.block(s.Then, want)
		v.block(s.Else, want)
	case *Check:
		v.kind(s.Cond, Bool, "what is checked")
	case *Call:
		v.call(s)
	default:
		v.fail("an unknown statement")
	}
}

func (v *verifier) buffer(x *Var) {
	if !x.Kind.IsBuffer() {
		v.fail("%s is not a buffer", x.Name)
	}
}

func (v *verifier) access(buf *Var, at Atom, elem Atom) {
	v.buffer(buf)
	v.kind(at, I64, "an index")
	v.kind(elem, buf.Kind.Elem(), "an element of "+buf.Name)
}

func (v *verifier) states(states []State) []Kind {
	kinds := make([]Kind, len(states))
	for i, s := range states {
		kinds[i] = s.Var.Kind
		v.kind(s.Init, s.Var.Kind, "the start of "+s.Var.Name)
		v.kind(s.Result, s.Var.Kind, "the end of "+s.Var.Name)
	}
	return kinds
}

func (v *verifier) loop(s *For) {
	v.kind(s.Index, I64, "an index")
	v.kind(s.Count, I64, "a count")
	want := v.states(s.States)
	for _, r := range s.Reds {
		if len(r.Op.Args) != 2 || r.Op.Args[0] != r.Op.Result || r.Op.Args[1] != r.Op.Result {
			v.fail("a total by %s", r.Op)
			return
		}
		v.kind(r.Init, r.Op.Result, "the start of a total")
		v.kind(r.Result, r.Op.Result, "a total")
		want = append(want, r.Op.Result)
	}
	if s.Lanes && !s.Parallel {
		v.fail("a loop with lanes that is not parallel")
	}
	if s.Thrifty && s.Parallel {
		v.fail("a loop without states that keeps few of them")
	}
	if s.Parallel {
		v.parallel(s)
	}
	if want == nil {
		want = []Kind{}
	}
	v.within(s, func() { v.block(s.Body, want) })
}

// parallel checks that a loop's turns are independent.
func (v *verifier) parallel(s *For) {
	if len(s.States) > 0 {
		v.fail("a parallel loop with states")
	}
	written := map[*Var]bool{}
	Walk(s.Body, func(s Stmt) {
		switch s := s.(type) {
		case *Store:
			written[s.Buf] = true
		case *Accum:
			written[s.Buf] = true
		}
	})
	Walk(s.Body, func(s Stmt) {
		switch s := s.(type) {
		case *Load:
			if written[s.Buf] && v.scope[s.Buf] {
				v.fail("a parallel loop reads %s, which it writes", s.Buf.Name)
			}
		case *Update:
			if v.scope[s.Buf] {
				v.fail("a parallel loop updates %s", s.Buf.Name)
			}
		}
	})
}

func (v *verifier) call(s *Call) {
	if !v.funcs[s.Func] {
		v.fail("a call of %s, which the program does not have", s.Func.Name)
		return
	}
	want := make([]Kind, len(s.Func.Params))
	for i, p := range s.Func.Params {
		want[i] = p.Kind
	}
	v.kinds(s.Args, want, "an argument of "+s.Func.Name)
	if len(s.Results) != len(s.Func.Body.Yield) {
		v.fail("%s has another number of results", s.Func.Name)
		return
	}
	for i, a := range s.Func.Body.Yield {
		v.kind(s.Results[i], a.AtomKind(), "a result of "+s.Func.Name)
	}
}
