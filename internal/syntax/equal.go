package syntax

import (
	"reflect"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Equal reports whether two modules are the same tree, with the same documentation. It ignores
// places, numbers and comments.
func Equal(a, b *Module) bool {
	return a.Doc == b.Doc && same(reflect.ValueOf(a.Imports), reflect.ValueOf(b.Imports)) &&
		same(reflect.ValueOf(a.Decls), reflect.ValueOf(b.Decls)) &&
		same(reflect.ValueOf(&a.Final).Elem(), reflect.ValueOf(&b.Final).Elem())
}

var (
	locType  = reflect.TypeFor[Loc]()
	spanType = reflect.TypeFor[diag.Span]()
)

// same compares by reflection, so that a new field of the tree is compared automatically.
func same(a, b reflect.Value) bool {
	if a.Type() == locType || a.Type() == spanType {
		return true
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		a, b = a.Elem(), b.Elem()
		return a.Type() == b.Type() && same(a, b)
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}
