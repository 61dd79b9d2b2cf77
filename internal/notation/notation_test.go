package notation

import "testing"

// TestQuote: what stands for itself, what does not, and how long it is.
func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                   `""`,
		"plain":              `"plain"`,
		"λ → 世界":             `"λ → 世界"`,
		"a\tb\n\"c\" \\":     `"a\tb\n\"c\" \\"`,
		"\x00\x7f":           `"\u{0}\u{7f}"`,
		"\u0085\u200b\u2028": `"\u{85}\u{200b}\u{2028}"`,
		"\xff\ufffd\xc3":     "\"\xff\ufffd\xc3\"",
	} {
		if got := Quote(s); got != want || QuotedLength(s) != len(want) {
			t.Errorf("%q is %s of length %d, want %s", s, got, QuotedLength(s), want)
		}
	}
}
