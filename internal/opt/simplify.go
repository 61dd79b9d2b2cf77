package opt

import "github.com/fluxion-lang/fluxion/internal/core"

func Simplify(p *core.Program, opts Options) *core.Program { return p }
