package check

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// TestTypesAreShared: the type of a function in a function is part of the type of
// that, so that as many types as there are functions take memory in proportion.
func TestTypesAreShared(t *testing.T) {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", "fun x => fun y => (x, y)"), &sink)
	info := Check(module, Options{Name: "in"}, &sink)
	if sink.Failed() {
		t.Fatal(sink.Sorted()[0])
	}
	e := newElaborator(nil, info, &sink)
	outer := module.Final.(*syntax.Fun)
	if e.typeOf(outer).(*types.Fun).Result != e.typeOf(outer.Body) {
		t.Error("the inner function has a type of its own")
	}
}
