package core_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestEmbed checks that embedded values print as the statements that build them. Infinities, NaN
// and the negative zero are not literals.
func TestEmbed(t *testing.T) {
	pair := &types.Tuple{Elems: []types.Type{types.Real, types.Bool}}
	for _, test := range []struct {
		v    value.Value
		ty   types.Type
		want []string
	}{
		{value.Real(0.5), types.Real, []string{"ret 0.5"}},
		{value.Real(math.Copysign(0, -1)), types.Real, []string{"%neg", "0.0"}},
		{value.Real(math.Inf(-1)), types.Real, []string{"%/", "-1.0 0.0"}},
		{value.Real(math.NaN()), types.Real, []string{"%/", "0.0 0.0"}},
		{value.Tuple{value.Real(2), value.Bool(true)}, pair, []string{"2.0", "true"}},
		{value.Reals{3, 4}, &types.Array{Elem: types.Real, Size: types.AnySize}, []string{"[3.0, 4.0]"}},
	} {
		var b core.Builder
		body := b.Block(b.Embed(test.v, test.ty))
		program := &core.Program{Main: &core.Def{Name: "m", Type: test.ty, Body: body}}
		if err := core.Verify(program, core.Mono); err != nil {
			t.Errorf("%s: %v", value.Show(test.v), err)
		}
		text := core.Print(program)
		for _, part := range test.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s embeds as\n%swithout %s", value.Show(test.v), text, part)
			}
		}
	}
}
