package check

import (
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// witness prints patterns as a program would write them, to show what a match misses.
type witness struct {
	info *Info
	// qualifiers maps data types of other modules to the name by which the match refers to the
	// module.
	qualifiers map[*types.DataDecl]string
}

// newWitness learns from the patterns of a match how the program refers to constructors.
func newWitness(info *Info, patterns ...syntax.Pattern) *witness {
	w := &witness{info: info, qualifiers: map[*types.DataDecl]string{}}
	for _, p := range patterns {
		w.learn(p)
	}
	return w
}

func (w *witness) learn(p syntax.Pattern) {
	switch p := p.(type) {
	case *syntax.PCon:
		if use := w.info.Uses[p.ID]; use != nil {
			w.qualifiers[use.Object.(*Constructor).Con.Data] = p.Module.Name
		}
		for _, arg := range p.Args {
			w.learn(arg)
		}
	case *syntax.PTuple:
		for _, elem := range p.Elems {
			w.learn(elem)
		}
	case *syntax.PRecord:
		for _, f := range p.Fields {
			w.learn(f.Pat)
		}
	case *syntax.PParen:
		w.learn(p.X)
	case *syntax.PAnnot:
		w.learn(p.X)
	case *syntax.PAs:
		w.learn(p.X)
	case *syntax.POr:
		for _, alt := range p.Alts {
			w.learn(alt)
		}
	case *syntax.PArray:
		for _, elem := range p.Elems {
			w.learn(elem)
		}
	}
}

// show prints a pattern.
func (w *witness) show(p *pat) string {
	var out strings.Builder
	w.print(&out, p, false)
	return out.String()
}

// print writes a pattern. argument says that it stands as an argument of a constructor.
func (w *witness) print(out *strings.Builder, p *pat, argument bool) {
	switch p.head.kind {
	case anything:
		out.WriteByte('_')
	case dataHead:
		if argument && len(p.args) > 0 {
			out.WriteByte('(')
			defer out.WriteByte(')')
		}
		out.WriteString(w.constructor(p.head.con))
		for _, arg := range p.args {
			out.WriteByte(' ')
			w.print(out, arg, true)
		}
	case tupleHead:
		out.WriteByte('(')
		for i, arg := range p.args {
			if i > 0 {
				out.WriteString(", ")
			}
			w.print(out, arg, false)
		}
		out.WriteByte(')')
	case recordHead:
		w.record(out, p)
	case arrayHead:
		w.array(out, p)
	case boolHead:
		out.WriteString(strconv.FormatBool(p.head.n == 1))
	case intHead:
		out.WriteString(strconv.FormatInt(p.head.n, 10))
	case stringHead:
		out.WriteString(strconv.Quote(p.head.s))
	}
}

// array prints the elements that are known to exist, and `..` if there may be more.
func (w *witness) array(out *strings.Builder, p *pat) {
	sep := "["
	for p.head.kind == arrayHead && p.head.n == 1 {
		out.WriteString(sep)
		w.print(out, p.args[0], false)
		p, sep = p.args[1], ", "
	}
	if p.head.kind == anything {
		out.WriteString(sep + "..]")
		return
	}
	out.WriteString(strings.TrimSuffix(sep, ", ") + "]")
}

// record prints only the fields that matter, because record patterns may leave out the others.
func (w *witness) record(out *strings.Builder, p *pat) {
	sep := "{"
	for i, arg := range p.args {
		if arg.head.kind != anything {
			out.WriteString(sep + p.head.record.Fields[i].Name + " = ")
			w.print(out, arg, false)
			sep = ", "
		}
	}
	if sep == "{" {
		out.WriteByte('_')
		return
	}
	out.WriteByte('}')
}

// constructor returns a name for con that the program can use: as its patterns do, or else
// through an import of its module.
func (w *witness) constructor(con *types.Con) string {
	module, known := w.qualifiers[con.Data]
	if !known && con.Data.Module != w.info.Name {
		for _, imported := range w.info.Module.Imports {
			if imported.Path == con.Data.Module {
				module = imported.Alias.Name
			}
		}
	}
	if module == "" {
		return con.Name
	}
	return module + "." + con.Name
}
