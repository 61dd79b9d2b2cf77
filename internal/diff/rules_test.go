package diff_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// TestRules reads every rule of the table: each is one function, well-typed
// and without definitions of its own.
func TestRules(t *testing.T) {
	for _, row := range prim.All() {
		var rules []*core.Lambda
		found := 0
		for i := range row.Params {
			if p := diff.Partial(row, i); p != nil {
				rules = append(rules, p)
				found++
			}
		}
		if found != len(row.Partials) {
			t.Errorf("%s: %d partial derivatives, want %d", row.Name, found, len(row.Partials))
		}
		for i := range row.Pullback {
			rules = append(rules, diff.RowPushforward(row, i), diff.RowPullback(row, i))
		}
		if left, right := diff.Kink(row); left != nil {
			rules = append(rules, left, right)
		}
		for _, rule := range rules {
			p := &core.Program{Defs: []*core.Def{core.FunDef("rule", nil, core.NewCopier(nil).Lambda(rule), diag.Span{})}}
			if err := core.Verify(p, core.Mono); err != nil {
				t.Errorf("%s: %v\n%s", row.Name, err, core.Print(p))
			}
		}
	}
}
