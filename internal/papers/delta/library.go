package delta

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

//go:embed delta.flx
var libraryText string

// library is what translated programs call. No module can have its name.
var library = sync.OnceValue(func() *core.Program {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("delta.flx", libraryText), &sink)
	info := check.Check(module, check.Options{Name: "Δ", Library: true}, &sink)
	if sink.Failed() {
		panic("delta: " + sink.Sorted()[0].Message)
	}
	return check.Elaborate(nil, info, &sink)
})

// sources are the definitions of the library that stand for primitives in the
// programs to translate, or for parts of derivatives in them, and so are
// translated themselves.
var sources = sync.OnceValue(func() []*core.Def {
	p, d := opt.Mono(library(), opt.Options{Roots: []string{"Δ.accumulate", "Δ.onehot",
		"Δ.lookupOrZero", "Δ.backward", "Δ.meaning", "Δ.onward"}})
	if d != nil {
		panic("delta: " + d.Message)
	}
	return p.Defs
})

// lib returns a definition of the library.
func lib(name string) *core.Def {
	defs := library().Defs
	return defs[slices.IndexFunc(defs, func(d *core.Def) bool { return d.Name == "Δ."+name })]
}

// data returns a data type of the library.
func data(name string, args ...types.Type) *types.Data {
	datas := library().Datas
	return &types.Data{Decl: datas[slices.IndexFunc(datas, func(d *types.DataDecl) bool {
		return d.Name == name
	})], Args: args}
}

// construct makes a value of a data type of the library.
func construct(b *core.Builder, ty *types.Data, con string, args ...core.Atom) core.Atom {
	cons := ty.Decl.Cons
	i := slices.IndexFunc(cons, func(c *types.Con) bool { return c.Name == con })
	return b.Let("u", ty, &core.Construct{Con: cons[i], Ty: ty, Args: args}, diag.Span{})
}

// call applies a function to arguments.
func call(b *core.Builder, name string, fun core.Atom, args ...core.Atom) core.Atom {
	return b.Emit(name, &core.Apply{Fun: fun, Args: args}, diag.Span{})
}

// pair emits a pair, and proj emits a component of a tuple.
func pair(b *core.Builder, name string, x, y core.Atom) core.Atom {
	return b.Emit(name, &core.Tuple{Elems: []core.Atom{x, y}}, diag.Span{})
}

func proj(b *core.Builder, name string, of core.Atom, i int) core.Atom {
	return b.Emit(name, &core.Proj{Of: of, Index: i}, diag.Span{})
}

func tuple(elems ...types.Type) *types.Tuple { return &types.Tuple{Elems: elems} }

func array(elem types.Type) *types.Array { return &types.Array{Size: types.AnySize, Elem: elem} }
