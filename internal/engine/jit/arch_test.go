package jit

import (
	"errors"
	"strings"
	"testing"
)

// TestChosenCPU: FLUXION_CPU decides which instructions code has, and a set that the machine does
// not have is an error.
func TestChosenCPU(t *testing.T) {
	p := program(mixture(t))
	for _, set := range Sets() {
		t.Setenv("FLUXION_CPU", set)
		if err := CheckCPU(); err != nil {
			t.Error(err)
		}
		code, err := Compile(p, Options{Listing: true})
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(code.Listing(), "\n"); !strings.HasPrefix(first, "; "+set+": a gather takes ") {
			t.Errorf("with %s, the listing begins with %q", set, first)
		}
	}
	t.Setenv("FLUXION_CPU", baseline)
	if _, err := Compile(p, Options{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("there is code without instructions: %v", err)
	}
	t.Setenv("FLUXION_CPU", "none such")
	if _, err := Compile(p, Options{}); !errors.Is(err, ErrUnsupported) || CheckCPU() == nil {
		t.Errorf("none such is taken: %v", err)
	}
}
