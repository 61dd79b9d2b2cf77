package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"map", "length", "sqrt", "reduce", "gather", "x"}
	for word, want := range map[string]string{
		"lenght": "length", "sqr": "sqrt", "Map": "map", "redcue": "reduce",
		"gathers": "gather", "zzz": "", "mop": "map", "sip": "", "y": "", "": "", "map": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
