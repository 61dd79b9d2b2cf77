package rules_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// TestRules reads every rule of the table: each is one function, well-typed
// and without definitions of its own.
func TestRules(t *testing.T) {
	for _, row := range prim.All() {
		var texts []*core.Lambda
		found := 0
		for i := range row.Params {
			if p := rules.Partial(row, i); p != nil {
				texts = append(texts, p)
				found++
			}
		}
		if found != len(row.Partials) {
			t.Errorf("%s: %d partial derivatives, want %d", row.Name, found, len(row.Partials))
		}
		for i := range row.Pullback {
			texts = append(texts, rules.RowPushforward(row, i), rules.RowPullback(row, i))
		}
		if left, right := rules.Kink(row); left != nil {
			texts = append(texts, left, right)
		}
		for _, rule := range texts {
			p := &core.Program{Defs: []*core.Def{core.FunDef("rule", nil, core.NewCopier(nil).Lambda(rule), diag.Span{})}}
			if err := core.Verify(p, core.Mono); err != nil {
				t.Errorf("%s: %v\n%s", row.Name, err, core.Print(p))
			}
		}
	}
}
