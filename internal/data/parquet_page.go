//go:build page

package data

import (
	"errors"
	"io"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The page that runs in a browser is built with the tag page. It omits Parquet, which would
// double what a visitor has to download.

var errParquet = errors.New("Parquet files are not read and written in the browser; " +
	"`fluxion serve` and the command do")

func (b *builders) parquet(types.Type) (value.Value, *diag.Diagnostic) {
	return nil, b.errorf(diag.BadData, "%v", errParquet)
}

func (b *builders) inferParquet(*types.DataDecl) (types.Type, *diag.Diagnostic) {
	return nil, b.errorf(diag.BadData, "%v", errParquet)
}

func writeParquet(io.Writer, types.Type, value.Value) error { return errParquet }
