//go:build !page

package data

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

func (b *builders) inferParquet(option *types.DataDecl) (t types.Type, d *diag.Diagnostic) {
	defer b.damaged(&d)
	file, d := b.parquetFile()
	if d != nil {
		return nil, d
	}
	root := barePart(file.Root)
	if d := b.findNulls(file, root, nil); d != nil {
		return nil, d
	}
	if b.opts.Unread != nil {
		root.unread(b.opts.Unread)
	}
	if t = root.typ(option); t == nil {
		return nil, b.errorf(diag.WrongData, "the file has no column that can be read")
	}
	return arrayOf(t), nil
}
