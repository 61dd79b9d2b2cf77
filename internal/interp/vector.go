package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

type kernel struct{}
type strips struct{}

func (c *funCompiler) vectorBuild(op *core.Build, array slot, loop *counting)               {}
func (c *funCompiler) vectorMap(op *core.Map, arrays []slot, array slot, loop *counting)    {}
func (c *funCompiler) vectorReduce(op *core.Reduce, acc []slot, array slot, loop *counting) {}
func (m *Machine) vector(k *kernel, f *windowF, i *windowI, p []ref) *diag.Diagnostic       { return nil }
