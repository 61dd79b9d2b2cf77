package core

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// keywords lists the words of core text that cannot name variables.
var keywords = map[string]bool{
	"data": true, "extern": true, "def": true, "main": true, "let": true, "rec": true, "and": true,
	"ret": true,
	"fun": true, "call": true, "proj": true, "field": true, "case": true, "of": true, "if": true,
	"then": true,
	"else": true, "build": true, "map": true, "in": true, "index": true, "slice": true,
	"reduce": true,
	"scan":   true, "from": true, "loop": true, "for": true, "while": true, "do": true,
	"checksize": true, "checksum": true, "checksolution": true,
	"true": true, "false": true,
}

// namer gives each variable of a definition a unique name: x, x.1, x.2.
type namer struct {
	names map[*Var]string
	next  map[string]int
}

func newNamer() namer { return namer{names: map[*Var]string{}, next: map[string]int{}} }

// bind returns the name of a variable, which it chooses at the first mention.
func (n *namer) bind(v *Var) string {
	if n.names == nil {
		*n = newNamer()
	}
	name, ok := n.names[v]
	if !ok {
		name = n.fresh(v.Name)
		n.names[v] = name
	}
	return name
}

func (n *namer) fresh(name string) string {
	base := baseName(name)
	k := n.next[base]
	n.next[base] = k + 1
	if k == 0 && !keywords[base] {
		return base
	}
	return base + "." + strconv.Itoa(k)
}

// baseName makes an identifier of any name. It starts with a letter that is not a capital,
// because capitals start constructors, and it has no number after a dot, because such numbers
// distinguish names.
func baseName(name string) string {
	name = stripNumber(name)
	valid := name != "" && !isCapital(name)
	for i, r := range name {
		if !isNameRune(r) || i == 0 && !isVarStart(r) {
			valid = false
		}
	}
	if valid && name != "_" {
		return name
	}
	var b strings.Builder
	if isCapital(name) {
		b.WriteByte('v')
	}
	b.WriteByte('_')
	for _, r := range name {
		if isNameRune(r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	if b.Len() == 1 {
		return "__"
	}
	return b.String()
}

// stripNumber removes the number that distinguishes names: x.1 becomes x.
func stripNumber(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && isNumber(name[dot+1:]) {
		return name[:dot]
	}
	return name
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isVarStart reports whether a letter can start a variable. Source text spells fun as λ, so
// programs do not use it in names; core allows it.
func isVarStart(r rune) bool { return r == '_' || unicode.IsLetter(r) && !unicode.IsUpper(r) }

func isNameRune(r rune) bool {
	return r == '_' || r == '\'' || r != utf8.RuneError &&
		(unicode.IsLetter(r) || unicode.IsDigit(r))
}

// quoteName writes a name other than a variable's. It is quoted unless it is made of identifiers
// and dots and is not a keyword.
func quoteName(name string) string {
	if isPath(name) && !keywords[name] {
		return name
	}
	return strconv.Quote(name)
}

// primName writes the name of a primitive, which may be an operator.
func primName(name string) string {
	if isOperator(name) {
		return name
	}
	return quoteName(name)
}

func isPath(name string) bool {
	for i, part := range strings.Split(name, ".") {
		if part == "" {
			return false
		}
		for j, r := range part {
			if !isNameRune(r) || i == 0 && j == 0 && !isNameStart(r) {
				return false
			}
		}
	}
	return true
}

func isNameStart(r rune) bool { return r == '_' || r != utf8.RuneError && unicode.IsLetter(r) }

const operatorChars = "+-*/^<>=!&|.~?#"

func isOperator(name string) bool {
	return name != "" && strings.Trim(name, operatorChars) == ""
}

// The precedences of the grammar of types.
const (
	looseType = iota // a -> b
	argType          // left of an arrow
	atomType         // argument of a type constructor
)

// ty prints a type as types.Printer does, but with qualified names, which distinguish the types
// of different modules.
func (pr *printer) ty(t types.Type, strength int) {
	switch t := types.Resolve(t).(type) {
	case nil:
		pr.out.WriteString("?")
	case *types.Basic:
		pr.out.WriteString(t.Name)
	case *types.Param:
		name, ok := pr.typs[t]
		if !ok {
			name = "?" + t.Name // out of scope: the text cannot be parsed back
		}
		pr.out.WriteString(name)
	case *types.Meta:
		pr.out.WriteString("?" + strconv.Itoa(int(t.ID)))
	case *types.Fun:
		closing := pr.open(strength > looseType)
		pr.ty(t.Param, argType)
		pr.out.WriteString(" -> ")
		pr.ty(t.Result, looseType)
		pr.out.WriteString(closing)
	case *types.Tuple:
		pr.out.WriteByte('(')
		for i, e := range t.Elems {
			if i > 0 {
				pr.out.WriteString(", ")
			}
			pr.ty(e, looseType)
		}
		pr.out.WriteByte(')')
	case *types.Record:
		pr.out.WriteByte('{')
		for i, f := range t.Fields {
			if i > 0 {
				pr.out.WriteString(", ")
			}
			pr.out.WriteString(quoteName(f.Name) + " : ")
			pr.ty(f.Type, looseType)
		}
		pr.out.WriteByte('}')
	case *types.Array:
		size := t.Size.String()
		if t.Size.Find().Kind == types.SizeParam {
			size = quoteName(size)
		}
		pr.out.WriteString("[" + size + "]")
		pr.ty(t.Elem, atomType)
	case *types.Data:
		closing := pr.open(len(t.Args) > 0 && strength >= atomType)
		pr.out.WriteString(pr.dataName(t.Decl))
		for _, a := range t.Args {
			pr.out.WriteByte(' ')
			pr.ty(a, atomType)
		}
		pr.out.WriteString(closing)
	default:
		panic("core: unknown type")
	}
}

func (pr *printer) open(parens bool) (closing string) {
	if !parens {
		return ""
	}
	pr.out.WriteByte('(')
	return ")"
}
