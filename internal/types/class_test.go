package types

import "testing"

func TestClosureAndMinimal(t *testing.T) {
	for n := 0; n <= int(All); n++ {
		c := Classes(n)
		if c.Closure().Closure() != c.Closure() {
			t.Errorf("%s: closing twice adds something", c)
		}
		if c.Minimal().Closure() != c.Closure() {
			t.Errorf("%s: the minimal form %s means something else", c, c.Minimal())
		}
		if only := c.Only(); only != nil && Member(only, c&^Diff) != nil {
			t.Errorf("%s: %s is not a member", c, Show(only))
		}
	}
	for _, name := range All.Names() {
		if c, ok := ClassByName(name); !ok || c.String() != name {
			t.Errorf("%s is not found by its name", name)
		}
	}
}
