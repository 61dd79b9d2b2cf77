package papers

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

// Unruled is the strategy for programs with rules of their own, which it does not use: it
// differentiates the functions themselves, in the program as simplified without the rules.
func (s Strategy) Unruled() Strategy {
	run := s.Run
	s.Run = func(ctx context.Context, p *Problem) (*Answer, *diag.Diagnostic) { return run(ctx, p.unruled()) }
	return s
}

func (p *Problem) unruled() *Problem {
	found := false
	for _, d := range p.Program.Defs {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				op, ok := let.Op.(*core.Prim)
				found = found || ok && core.IsRule(op)
			}
		})
	}
	if !found {
		return p
	}
	program := &core.Program{}
	for _, d := range p.Program.Defs {
		def := *d
		def.Body = core.NewCopier(nil).Block(d.Body)
		core.Walk(def.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				let.Op = core.Unruled(let.Op)
			}
		})
		program.Defs = append(program.Defs, &def)
	}
	q := *p
	q.Program = opt.Simplify(program, opt.Options{Roots: []string{p.Fun.Name}})
	for _, d := range q.Program.Defs {
		if d.Name == p.Fun.Name {
			q.Fun = d
		}
	}
	return &q
}
