package check

import (
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Data files]
//
// `file "people.csv"` is an application of a primitive of type String -> a, whose result type
// says how the file is read. It must be applied to a literal directly, and its type must be known
// when the module has been checked. Then the file is read, once, and the application denotes the
// value that was read. In core it is a definition of its own, so that derivatives and strategies
// treat it like any constant:
//
//	people.$file1 : []{height : Real, weight : Real} = file "people.csv"
//
// The literal carries the value (core.Lit.Data).

// checkFiles collects the files that the module reads.
func (c *checker) checkFiles() {
	if len(c.files) == 0 {
		return
	}
	applied := map[syntax.Node]*syntax.Apply{}
	syntax.InspectModule(c.info.Module, func(n syntax.Node) bool {
		if apply, ok := n.(*syntax.Apply); ok {
			applied[unparen(apply.Fun)] = apply
		}
		return true
	})
	for _, use := range c.files {
		apply := applied[use]
		if apply == nil {
			c.pathNotWritten(use.Span())
			continue
		}
		path, ok := unparen(apply.Args[0]).(*syntax.String)
		if !ok {
			c.pathNotWritten(apply.Args[0].Span())
			continue
		}
		t := types.Zonk(c.info.Types[apply.ID])
		if len(apply.Args) > 1 || isBad(t) {
			continue // already reported
		}
		if !closed(t) {
			d := diag.Errorf(diag.DataType, apply.At, "nothing says what type `%s` has", path.Value)
			if shown := c.info.Printer().Type(t); shown != "a" {
				d = diag.Errorf(diag.DataType, apply.At,
					"nothing says what type `%s` has: only %s is known", path.Value, shown)
			}
			c.report(d.WithHint("annotate it: `let rows : []{x : Real, y : Real} = file %q`",
				path.Value).
				WithHint("`fluxion data %s` prints the type of a file", path.Value))
			continue
		}
		c.info.Files = append(c.info.Files, &DataFile{Path: path.Value, Type: t, PathAt: path.At,
			apply: apply})
	}
}

func (c *checker) pathNotWritten(at diag.Span) {
	c.report(diag.Errorf(diag.DataPath, at, "`file` is applied to a path that is written out").
		WithHint("files are read when the program is loaded: `file \"people.csv\"`").
		WithHint("to choose a file when the program is run, make it a parameter of `main` and " +
			"give --data"))
}

// closed reports whether a type has no variables.
func closed(t types.Type) bool {
	open := false
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		t = types.Resolve(t)
		switch t.(type) {
		case *types.Meta, *types.Param:
			open = true
			return t
		}
		return types.Map(t, walk)
	}
	walk(t)
	return !open
}

// file elaborates an application of `file`.
func (e *elaborator) file(apply *syntax.Apply) core.Atom {
	for n, f := range e.info.Files {
		if f.apply != apply {
			continue
		}
		ty := e.ty(f.Type)
		path := core.StringLit(f.Path)
		path.Data = &f.Value
		var b core.Builder
		v := b.Let("x", ty, &core.Prim{Prim: prim.File.Row(), Inst: []types.Type{ty},
			Args: []core.Atom{path}}, apply.At)
		def := &core.Def{Name: e.info.Name + ".$file" + strconv.Itoa(n+1), Type: ty,
			Body: b.Block(v), At: apply.At}
		if !e.filed[f] {
			e.filed[f] = true
			e.program.Defs = append(e.program.Defs, def)
		}
		return def.Use()
	}
	bug(apply.At, "a file that was not noted")
	return nil
}
