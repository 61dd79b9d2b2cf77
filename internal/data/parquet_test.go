//go:build !page

package data

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/data/parquet"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestGrowingPage: a page that grows beyond its size is a limit that is exceeded, not damage.
func TestGrowingPage(t *testing.T) {
	b := &builders{source: &source{}}
	c := &parquet.Column{Path: []string{"a", "b"}}
	d := b.brokenColumn(&stream{column: c, err: fmt.Errorf("here: %w", parquet.ErrGrows)})
	if d == nil || d.Code != diag.DataLimit ||
		d.Message != "a page of the column a.b grows beyond its size" {
		t.Errorf("%v", d)
	}
	if d := b.brokenColumn(&stream{column: c, err: parquet.ErrDamaged}); d.Code != diag.BadData {
		t.Errorf("%v", d)
	}
}
