package opt

import (
	_ "embed"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
)

//go:embed templates.core
var templateText string

// templates are the polymorphic definitions by which Mono expresses
// primitives at structured types. Their names start with "opt.", which is no
// module's name.
var templates = sync.OnceValue(func() *core.Program {
	p, err := core.Parse("templates.core", templateText)
	if err != nil {
		panic("opt: " + err.Error())
	}
	return p
})
