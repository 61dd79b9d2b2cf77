package data

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

func (b *builders) parquet(t types.Type) (value.Value, *diag.Diagnostic) {
	return nil, b.errorf(diag.BadData, "not yet")
}
