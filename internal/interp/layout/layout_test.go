package layout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// constructor is one of a data type, with its fields.
func constructor(tag int, fields ...types.Type) *types.Con {
	return &types.Con{Name: fmt.Sprintf("C%d", tag), Tag: tag, Fields: fields}
}

// define gives a data type its constructors.
func define(ty *types.Data, cons ...*types.Con) *types.Data {
	for _, c := range cons {
		c.Data = ty.Decl
	}
	ty.Decl.Cons = cons
	return ty
}

func data(name string, cons ...*types.Con) *types.Data {
	return define(&types.Data{Decl: &types.DataDecl{Name: name}}, cons...)
}

// TestLayouts: tuples and flat data are their parts, enumerations are integers, everything else
// that is not a number is a reference; slots have the same kinds as layouts.
func TestLayouts(t *testing.T) {
	reals := &types.Array{Elem: types.Real, Size: types.AnySize}
	pair := &types.Tuple{Elems: []types.Type{types.Real, types.Int}}
	list := data("List")
	define(list, constructor(0), constructor(1, types.Real, list))
	tree := data("Tree")
	define(tree, constructor(0), constructor(1, tree, tree))
	for _, c := range []struct {
		ty       types.Type
		want     Layout
		form     Form
		hasReals bool
	}{
		{types.Real, Layout{F}, 0, true},
		{types.Bool, Layout{I}, 0, false},
		{types.String, Layout{P}, 0, false},
		{reals, Layout{P}, 0, true},
		{&types.Tuple{Elems: []types.Type{pair, reals, pair}}, Layout{F, I, P, F, I}, 0, true},
		{data("Point", constructor(0, types.Real, pair)), Layout{F, F, I}, Flat, true},
		{data("Colour", constructor(0), constructor(1)), Layout{I}, Enum, false},
		{data("Maybe", constructor(0), constructor(1, types.Int)), Layout{P}, Cell, false},
		{data("Either", constructor(0, pair), constructor(1)), Layout{P}, Node, true},
		{list, Layout{P}, Cell, true},
		{tree, Layout{P}, Node, false},
	} {
		ls := New()
		got := ls.Of(c.ty)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s has the layout %v, want %v", types.Show(c.ty), got, c.want)
		}
		var kinds Layout
		for _, s := range ls.SlotTypes(c.ty) {
			kinds = append(kinds, s.Kind)
		}
		if !slices.Equal(kinds, c.want) {
			t.Errorf("%s has the slots %v, want %v", types.Show(c.ty), kinds, c.want)
		}
		if d, ok := c.ty.(*types.Data); ok && ls.Form(d) != c.form {
			t.Errorf("%s has the form %d, want %d", types.Show(c.ty), ls.Form(d), c.form)
		}
		if ls.HasReals(c.ty) != c.hasReals {
			t.Errorf("%s: HasReals is %v", types.Show(c.ty), !c.hasReals)
		}
	}
}

// TestTooManySlots: a type of very many slots has no layout.
func TestTooManySlots(t *testing.T) {
	defer func() {
		if _, ok := recover().(TooManySlots); !ok {
			t.Error("there is a layout of too many slots")
		}
	}()
	ty := types.Type(types.Real)
	for range 13 {
		ty = &types.Tuple{Elems: []types.Type{ty, ty}}
	}
	New().Of(ty)
}
