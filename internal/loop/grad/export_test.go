package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// Flattened is flattened, for tests.
var Flattened = flattened

// Changes tells whether a state of a function's loops may change its length.
func Changes(f *loop.Func) bool {
	changes, found := changing(f), false
	loop.Walk(f.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.For); ok {
			for _, st := range s.States {
				found = found || st.Var.Kind.IsBuffer() && changes(st.Var)
			}
		}
	})
	return found
}
