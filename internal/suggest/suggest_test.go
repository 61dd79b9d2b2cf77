package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"map", "length", "sqrt", "reduce", "gather", "x", "valueAndGrad"}
	for word, want := range map[string]string{
		"lenght": "length", "sqr": "sqrt", "Map": "map", "redcue": "reduce",
		"gathers": "gather", "zzz": "", "mop": "map", "sip": "", "y": "", "": "", "map": "",
		"value_and_grad": "valueAndGrad",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
