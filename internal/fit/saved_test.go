package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
)

// filled sets everything in a value to something that is not its zero, each time something else.
func filled(t *testing.T, v reflect.Value, next *int) {
	t.Helper()
	*next++
	if g, ok := addressed(v).(*generator); ok {
		state, err := newGenerator(uint64(*next), 7).MarshalBinary()
		if err == nil {
			err = g.UnmarshalBinary(state)
		}
		if err != nil {
			t.Fatal(err)
		}
		g.Uint64()
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Int:
		v.SetInt(math.MinInt64 + int64(*next))
	case reflect.Uint64:
		v.SetUint(math.MaxUint64 - uint64(*next))
	case reflect.Float64:
		odd := []float64{0.1, math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, math.MaxFloat64}
		v.SetFloat(odd[*next%len(odd)])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(t, v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 7, 7))
		for k := range 7 {
			filled(t, v.Index(k), next)
		}
	case reflect.Struct:
		fields, err := savedFields(v.Type())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range fields {
			filled(t, v.Field(k), next)
		}
	default:
		t.Fatalf("a %s cannot be saved", v.Type())
	}
}

// roundTrip returns a state as it is read from a file to which it was written.
func roundTrip(t *testing.T, s *state) *state {
	t.Helper()
	tree, err := saved(reflect.ValueOf(s).Elem())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	var read state
	if err := restore(reflect.ValueOf(&read).Elem(), again); err != nil {
		t.Fatal(err)
	}
	return &read
}

// TestStateSurvives walks over all types that a checkpoint consists of: each field comes back as it
// was, bit for bit, whether it is set or not, and generators go on with the same numbers.
func TestStateSurvives(t *testing.T) {
	full, next := &state{}, 0
	filled(t, reflect.ValueOf(full).Elem(), &next)
	if next < 100 {
		t.Errorf("the state has %d values", next)
	}
	for _, s := range []*state{full, {}} {
		read := roundTrip(t, s)
		if !reflect.DeepEqual(read, s) {
			t.Errorf("%+v\nis read as\n%+v", s, read)
		}
		for i, c := range read.Chains {
			if a, b := c.Random.Uint64(), s.Chains[i].Random.Uint64(); a != b {
				t.Errorf("chain %d goes on with %d, not with %d", i, a, b)
			}
		}
		// DeepEqual does not tell zeros of different sign apart.
		a, _ := saved(reflect.ValueOf(s).Elem())
		b, _ := saved(reflect.ValueOf(read).Elem())
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v\nis written again as\n%v", a, b)
		}
	}
}

// TestNotSaved: what would be lost is an error when it is written, and so is what does not fit when
// it is read.
func TestNotSaved(t *testing.T) {
	for _, v := range []any{
		&struct{ hidden int }{1}, &struct{ F func() }{}, &struct{ M map[string]int }{}, &struct{ I any }{},
	} {
		if tree, err := saved(reflect.ValueOf(v).Elem()); err == nil {
			t.Errorf("%T is saved as %v", v, tree)
		}
	}
	for _, tree := range []any{
		nil, "1", 1.0, []any{}, map[string]any{}, map[string]any{"A": "1", "B": []any{"1"}, "C": nil},
		map[string]any{"A": "x", "B": nil}, map[string]any{"A": "1", "B": []any{1.0}}, map[string]any{"A": "1", "B": "1"},
	} {
		var to struct {
			A int
			B []float64
		}
		if err := restore(reflect.ValueOf(&to).Elem(), tree); err == nil {
			t.Errorf("%v is read", tree)
		}
	}
}
