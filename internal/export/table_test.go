package export

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// TestTable: every row of the table that is a function of reals, and its derivative, is compiled,
// printed in every target and run by every engine: none of them can be forgotten when a row is
// added.
func TestTable(t *testing.T) {
	var text strings.Builder
	var names []string
	word := regexp.MustCompile(`^[a-z]\w*$`)
	for _, row := range prim.All() {
		params, args := "(x : Real)", "x"
		switch row.Float.(type) {
		case prim.Real1:
		case prim.Real2:
			params, args = "(x : Real) (y : Real)", "x y"
		default:
			continue
		}
		if row.Hidden || len(row.Partials) == 0 || !word.MatchString(row.Name) {
			continue
		}
		name := "of" + strings.ToUpper(row.Name[:1]) + row.Name[1:]
		fmt.Fprintf(&text, "let %s %s : Real = %s %s\n", name, params, row.Name, args)
		names = append(names, name)
	}
	if len(names) < 25 {
		t.Fatalf("there are only %d rows", len(names))
	}
	for _, target := range Targets() {
		var list diag.List
		w := driver.NewWorld(nil)
		unit := w.LoadText("table", text.String(), nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted())
		}
		m := Functions(context.Background(), w, unit, Options{Functions: names, Grad: true, Typed: Typed(target)}, &list)
		if list.Failed() {
			t.Fatalf("%s: %v", target, list.Sorted())
		}
		files, err := m.Print(target)
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %v", target, err)
		}
		for _, f := range m.functions {
			portable.Compile(f.loop)
			for _, o := range engineOptions() {
				if _, err := jit.Compile(loop.Reached(f.loop), o); err != nil {
					t.Errorf("%s with %+v: %v", f.name, o, err)
				}
			}
		}
	}
}

// engineOptions are the ways to compile for every set of instructions, here or elsewhere.
func engineOptions() (all []jit.Options) {
	for _, set := range jit.Sets() {
		all = append(all, jit.Options{CPU: set})
	}
	return slices.Concat(all, []jit.Options{{Arch: "amd64"}, {Arch: "arm64"}})
}
