package core

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [The text of core]
//
// The text is meant for reading, and Parse reads it back:
//
//	data List a = Nil | Cons a (List a)
//
//	def twice [a] : (a -> a) -> a -> a =
//	  let f : (a -> a) -> a -> a = fun (g : a -> a) (x : a) ->
//	    let y : a = call g x
//	    let z : a = call g y
//	    ret z
//	  ret f
//
//	main : Real =
//	  let root : Real -> Real = fun (x : Real) ->
//	    let r : Real = %sqrt x
//	    ret r
//	  let y : Real = call @twice[Real] root 0.5
//	  ret y
//
// A block is a sequence of let and let rec that ends in ret, so it needs no brackets, and layout
// means nothing. @ marks a definition, % a primitive. A name that is not an identifier is quoted.
// A use of a definition of another module shows its type, and a data type of another module is
// declared as extern. A recursive group lists all its variables first: let rec f : A, g : B = fun
// … and fun …. Every binder shows its type. An operation takes its own types (of a record, an
// array, a constructor) from the let that binds it. Spans are not printed.

// Print returns the text of a program.
func Print(p *Program) string {
	pr := newPrinter(p)
	for _, d := range p.Datas {
		pr.dataDecl(d)
	}
	pr.externDatas(p)
	p.EachDef(func(d *Def) {
		if pr.out.Len() > 0 {
			pr.out.WriteByte('\n')
		}
		pr.def(d, d == p.Main)
	})
	return pr.out.String()
}

// PrintOp returns an operation on one line, for messages, with … for its nested blocks.
func PrintOp(op Op) string {
	pr := newPrinter(&Program{})
	pr.brief = true
	pr.op(op, 0)
	return pr.out.String()
}

type printer struct {
	out   strings.Builder
	defs  map[string]bool            // definitions whose uses need no type
	datas map[*types.DataDecl]string // printed names
	taken map[string]bool            // names of data types in use
	typs  map[*types.Param]string    // names of the type parameters in scope
	vars  namer
	brief bool // whether nested blocks are left out
}

func newPrinter(p *Program) *printer {
	pr := &printer{defs: map[string]bool{}, datas: map[*types.DataDecl]string{},
		taken: map[string]bool{},
		typs:  map[*types.Param]string{}}
	for _, d := range p.Defs {
		pr.defs[d.Name] = true
	}
	for _, d := range p.Datas {
		pr.dataName(d)
	}
	return pr
}

// dataName returns the printed name of a data type: its qualified name, with a prime for each
// other type of that name.
func (pr *printer) dataName(d *types.DataDecl) string {
	name, ok := pr.datas[d]
	if !ok {
		for name = d.QName(); pr.taken[name] || basicType(name) != nil; {
			name += "'"
		}
		pr.datas[d], pr.taken[name] = name, true
	}
	return name
}

func (pr *printer) dataDecl(d *types.DataDecl) {
	pr.out.WriteString("data " + pr.dataName(d))
	names := paramNames(d.Params)
	for i, p := range d.Params {
		pr.typs[p] = names[i]
		pr.out.WriteString(" " + names[i])
	}
	sep := " = "
	for _, c := range d.Cons {
		pr.out.WriteString(sep + c.Name)
		for _, f := range c.Fields {
			pr.out.WriteByte(' ')
			pr.ty(f, atomType)
		}
		sep = " | "
	}
	pr.out.WriteByte('\n')
}

// externDatas declares the data types of imported modules that the program mentions.
func (pr *printer) externDatas(p *Program) {
	known := map[*types.DataDecl]bool{}
	for _, d := range p.Datas {
		known[d] = true
	}
	var foreign []*types.DataDecl
	note := func(d *types.DataDecl) {
		if !known[d] {
			known[d] = true
			foreign = append(foreign, d)
		}
	}
	for _, d := range p.Datas {
		eachConField(d, func(t types.Type) { eachData(t, note) })
	}
	p.EachDef(func(d *Def) { eachTypeOfDef(d, func(t types.Type) { eachData(t, note) }) })
	for i := 0; i < len(foreign); i++ { // foreign grows during the loop
		eachConField(foreign[i], func(t types.Type) { eachData(t, note) })
	}
	for _, d := range foreign {
		pr.dataName(d)
	}
	for _, d := range foreign {
		pr.out.WriteString("extern ")
		pr.dataDecl(d)
	}
}

func eachConField(d *types.DataDecl, f func(types.Type)) {
	for _, c := range d.Cons {
		for _, t := range c.Fields {
			f(t)
		}
	}
}

func eachTypeOfDef(d *Def, f func(types.Type)) {
	f(d.Type)
	Binders(d.Body, func(v *Var) { f(v.Ty) })
	Walk(d.Body, func(s Stmt) {
		if let, ok := s.(*Let); ok {
			if op, ok := let.Op.(*Prim); ok {
				for _, t := range op.Inst {
					f(t)
				}
			}
		}
	})
	Atoms(d.Body, func(a Atom) {
		if g, ok := a.(*Global); ok {
			f(g.Ty)
			for _, t := range g.Inst {
				f(t)
			}
		}
	})
}

func eachData(t types.Type, f func(*types.DataDecl)) {
	t = types.Resolve(t)
	if d, ok := t.(*types.Data); ok {
		f(d.Decl)
	}
	types.Map(t, func(part types.Type) types.Type {
		eachData(part, f)
		return part
	})
}

func (pr *printer) def(d *Def, main bool) {
	pr.vars = newNamer()
	if main {
		pr.out.WriteString("main")
	} else {
		pr.out.WriteString("def " + quoteName(d.Name))
	}
	names := paramNames(d.Params)
	for i, p := range d.Params {
		pr.typs[p] = names[i]
		pr.out.WriteString([]string{" [", ", "}[min(i, 1)] + names[i])
		if p.Classes != 0 {
			pr.out.WriteString(" : " + strings.Join(p.Classes.Names(), " "))
		}
	}
	if len(d.Params) > 0 {
		pr.out.WriteByte(']')
	}
	pr.out.WriteString(" : ")
	pr.ty(d.Type, looseType)
	pr.out.WriteString(" =")
	pr.block(d.Body, 1)
	pr.out.WriteByte('\n')
	for _, p := range d.Params {
		delete(pr.typs, p)
	}
}

// paramNames returns unique lower-case names for type parameters.
func paramNames(params []*types.Param) []string {
	n := newNamer()
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = n.fresh(p.Name)
	}
	return names
}

func (pr *printer) newline(indent int) {
	pr.out.WriteByte('\n')
	for range indent {
		pr.out.WriteString("  ")
	}
}

// block prints a block on lines of its own.
func (pr *printer) block(b *Block, indent int) {
	if pr.brief {
		pr.out.WriteString(" …")
		return
	}
	for _, s := range b.Stmts {
		pr.newline(indent)
		switch s := s.(type) {
		case *Let:
			pr.out.WriteString("let " + pr.vars.bind(s.Var) + " : ")
			pr.ty(s.Var.Ty, looseType)
			pr.out.WriteString(" = ")
			pr.op(s.Op, indent)
		case *LetRec:
			for i, v := range s.Vars {
				pr.out.WriteString([]string{"let rec ", ", "}[min(i, 1)] + pr.vars.bind(v) + " : ")
				pr.ty(v.Ty, looseType)
			}
			pr.out.WriteString(" = ")
			for i, fun := range s.Funs {
				if i > 0 {
					pr.newline(indent)
					pr.out.WriteString("and ")
				}
				pr.op(fun, indent)
			}
		}
	}
	pr.newline(indent)
	pr.out.WriteString("ret ")
	pr.atom(b.Result)
}

func (pr *printer) binder(v *Var) {
	pr.out.WriteString("(" + pr.vars.bind(v) + " : ")
	pr.ty(v.Ty, looseType)
	pr.out.WriteByte(')')
}

// apply prints a head with atoms after it.
func (pr *printer) apply(head string, atoms ...Atom) {
	pr.out.WriteString(head)
	for _, a := range atoms {
		pr.out.WriteByte(' ')
		pr.atom(a)
	}
}

func (pr *printer) list(open string, atoms []Atom, closing string) {
	pr.out.WriteString(open)
	for i, a := range atoms {
		if i > 0 {
			pr.out.WriteString(", ")
		}
		pr.atom(a)
	}
	pr.out.WriteString(closing)
}

func (pr *printer) op(op Op, indent int) {
	switch op := op.(type) {
	case *Prim:
		pr.out.WriteString("%" + primName(op.Prim.Name))
		pr.inst(op.Inst)
		pr.apply("", op.Args...)
	case *Lambda:
		pr.out.WriteString("fun")
		for _, v := range op.Params {
			pr.out.WriteByte(' ')
			pr.binder(v)
		}
		pr.out.WriteString(" ->")
		pr.block(op.Body, indent+1)
	case *Apply:
		pr.apply("call", append([]Atom{op.Fun}, op.Args...)...)
	case *Tuple:
		pr.list("(", op.Elems, ")")
	case *Proj:
		pr.apply("proj "+strconv.Itoa(op.Index), op.Of)
	case *Record:
		pr.out.WriteByte('{')
		for i, a := range op.Elems {
			if i > 0 {
				pr.out.WriteString(", ")
			}
			name := "?" // more values than fields: only in messages
			if i < len(op.Ty.Fields) {
				name = quoteName(op.Ty.Fields[i].Name)
			}
			pr.apply(name+" =", a)
		}
		pr.out.WriteByte('}')
	case *Field:
		name := strconv.Itoa(op.Index) // the type is not a record: only in messages
		if t, ok := types.Resolve(op.Of.Type()).(*types.Record); ok && 0 <= op.Index &&
			op.Index < len(t.Fields) {
			name = quoteName(t.Fields[op.Index].Name)
		}
		pr.apply("field "+name, op.Of)
	case *Construct:
		pr.apply(op.Con.Name, op.Args...)
	case *Case:
		pr.caseOf(op, indent)
	case *If:
		pr.apply("if", op.Cond)
		pr.out.WriteString(" then")
		pr.block(op.Then, indent+1)
		if !pr.brief {
			pr.newline(indent)
		} else {
			pr.out.WriteByte(' ')
		}
		pr.out.WriteString("else")
		pr.block(op.Else, indent+1)
	case *Array:
		pr.list("[", op.Elems, "]")
	case *Build:
		pr.out.WriteString("build ")
		pr.binder(op.Index)
		pr.apply(" <", op.Size)
		pr.out.WriteString(" ->")
		pr.block(op.Body, indent+1)
	case *Map:
		pr.out.WriteString("map")
		for _, v := range op.Params {
			pr.out.WriteByte(' ')
			pr.binder(v)
		}
		pr.apply(" in", op.Arrays...)
		pr.out.WriteString(" ->")
		pr.block(op.Body, indent+1)
	case *Index:
		pr.apply("index", op.Of, op.At)
	case *Slice:
		pr.apply("slice", op.Of, op.Lo, op.Hi)
	case *Reduce:
		pr.fold("reduce", op.Acc, op.Elem, op.Init, op.Array, op.Body, indent)
	case *Scan:
		pr.fold("scan", op.Acc, op.Elem, op.Init, op.Array, op.Body, indent)
	case *Loop:
		pr.loop(op, indent)
	case *CheckSize:
		pr.apply(sizeChecks[op.Of]+" "+strconv.Quote(op.Name), op.Got, op.Want)
	default:
		panic("core: unknown operation")
	}
}

func (pr *printer) fold(head string, acc, elem *Var, init, array Atom, body *Block, indent int) {
	pr.out.WriteString(head + " ")
	pr.binder(acc)
	pr.out.WriteByte(' ')
	pr.binder(elem)
	pr.apply(" from", init)
	pr.apply(" in", array)
	pr.out.WriteString(" ->")
	pr.block(body, indent+1)
}

func (pr *printer) caseOf(op *Case, indent int) {
	pr.apply("case", op.Of)
	pr.out.WriteString(" of")
	if pr.brief {
		pr.out.WriteString(" …")
		return
	}
	for _, arm := range op.Arms {
		pr.newline(indent)
		pr.out.WriteString("| " + arm.Con.Name)
		for _, v := range arm.Vars {
			pr.out.WriteByte(' ')
			pr.binder(v)
		}
		pr.out.WriteString(" ->")
		pr.block(arm.Body, indent+1)
	}
	if op.Default != nil {
		pr.newline(indent)
		pr.out.WriteString("| _ ->")
		pr.block(op.Default, indent+1)
	}
}

func (pr *printer) loop(op *Loop, indent int) {
	pr.out.WriteString("loop ")
	pr.binder(op.State)
	pr.apply(" from", op.Init)
	switch head := op.Head.(type) {
	case *Range:
		pr.out.WriteString(" for ")
		pr.binder(head.Index)
		pr.apply(" <", head.Bound)
	case *Each:
		pr.out.WriteString(" for ")
		pr.binder(head.Elem)
		pr.apply(" in", head.Array)
	case *While:
		pr.out.WriteString(" while")
		pr.block(head.Cond, indent+1)
		if !pr.brief {
			pr.newline(indent)
			pr.out.WriteString("do")
			pr.block(op.Body, indent+1)
			return
		}
	}
	pr.out.WriteString(" do")
	pr.block(op.Body, indent+1)
}

func (pr *printer) inst(ts []types.Type) {
	for i, t := range ts {
		pr.out.WriteString([]string{"[", ", "}[min(i, 1)])
		pr.ty(t, looseType)
	}
	if len(ts) > 0 {
		pr.out.WriteByte(']')
	}
}

func (pr *printer) atom(a Atom) {
	switch a := a.(type) {
	case *Var:
		pr.out.WriteString(pr.vars.bind(a))
	case *Lit:
		if _, overloaded := a.Ty.(*types.Param); overloaded {
			pr.out.WriteString("(" + strconv.FormatInt(a.Int, 10) + " : ")
			pr.ty(a.Ty, looseType)
			pr.out.WriteByte(')')
			return
		}
		pr.out.WriteString(litText(a))
	case *Global:
		known := pr.defs[a.Name] || pr.brief
		if !known {
			pr.out.WriteByte('(')
		}
		pr.out.WriteString("@" + quoteName(a.Name))
		pr.inst(a.Inst)
		if !known {
			pr.out.WriteString(" : ")
			pr.ty(a.Ty, looseType)
			pr.out.WriteByte(')')
		}
	default:
		panic("core: unknown atom")
	}
}

func litText(l *Lit) string {
	switch types.Resolve(l.Ty) {
	case types.Real:
		return ratText(l.Real)
	case types.Int:
		return strconv.FormatInt(l.Int, 10)
	case types.Bool:
		return strconv.FormatBool(l.Bool)
	case types.String:
		return strconv.Quote(l.Str)
	}
	return "()"
}

// maxPlain is the number of digits after the point up to which a real is written without an
// exponent.
const maxPlain = 24

// ratText writes a rational exactly. If it is a decimal it is written as one (0.1, not 1/10),
// always with a point or an exponent, which distinguishes it from an Int. Otherwise it is a
// fraction.
func ratText(r *big.Rat) string {
	if r == nil {
		return "?" // only in messages
	}
	digits, ok := decimals(r.Denom())
	if !ok {
		return r.RatString()
	}
	if digits > maxPlain {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		mantissa := new(big.Rat).Mul(r, new(big.Rat).SetInt(ten))
		return mantissa.Num().String() + "e-" + strconv.Itoa(digits)
	}
	if text := r.FloatString(max(digits, 1)); len(text) <= 2*maxPlain {
		return text
	}
	text := r.Num().String()
	if digits > 0 {
		return r.FloatString(digits)
	}
	mantissa := strings.TrimRight(text, "0")
	return mantissa + "e+" + strconv.Itoa(len(text)-len(mantissa))
}

// decimals returns how many digits after the point a fraction with this denominator needs. The
// denominator is positive and reduced. ok is false if no number of digits is enough.
func decimals(denom *big.Int) (digits int, ok bool) {
	twos := int(denom.TrailingZeroBits())
	rest := new(big.Int).Rsh(denom, uint(twos))
	fives := 0
	five, quo, rem := big.NewInt(5), new(big.Int), new(big.Int)
	for rest.BitLen() > 1 {
		quo.QuoRem(rest, five, rem)
		if rem.Sign() != 0 {
			return 0, false
		}
		rest, quo = quo, rest
		fives++
	}
	return max(twos, fives), true
}
