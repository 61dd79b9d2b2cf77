package core

import "github.com/fluxion-lang/fluxion/internal/diag"

// SizeCheck says what the Want of a CheckSize is.
type SizeCheck uint8

// The kinds of CheckSize.
const (
	SizeLength   SizeCheck = iota // a number, or the value of a size variable
	SizeSum                       // the value of a sum of sizes
	SizeSolution                  // the value of a sum, as close to Got as possible
)

// sizeChecks lists their words in core text.
var sizeChecks = [...]string{"checksize", "checksum", "checksolution"}

// Failure returns the error of a check of two sizes, or nil if they agree. The row length of an
// array without rows is negative, and agrees with anything. A negative Want that is the value of
// a sum is an error.
func (c *CheckSize) Failure(at diag.Span, got, want int64) *diag.Diagnostic {
	if got == want || got < 0 || want < 0 && c.Of == SizeLength {
		return nil
	}
	name := c.Name
	if name == "" {
		name = "n"
	}
	switch {
	case c.Of == SizeSum:
		return diag.Errorf(diag.SizesDiffer, at, "this array has length %d where the size %s is %d",
			got, name, want).
			WithRelated(c.WantAt, "the size %s is declared here", name)
	case c.Of == SizeSolution:
		return diag.Errorf(diag.SizesDiffer, at,
			"this array has length %d, which the size %s cannot be", got, name).
			WithRelated(c.WantAt, "the size %s is declared here", name)
	case name[0] >= '0' && name[0] <= '9':
		return diag.Errorf(diag.SizesDiffer, at, "this array has length %d where the length is %s",
			got, name).
			WithRelated(c.WantAt, "the size is %d here", want)
	}
	return diag.Errorf(diag.SizesDiffer, at, "the size %s is %d here and %d elsewhere", name,
		got, want).
		WithRelated(c.WantAt, "the size is %d here", want)
}
