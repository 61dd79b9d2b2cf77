package fit

import (
	"encoding"
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Note [Saved values]. The contents of a checkpoint must be read back bit for bit, or a continued
// run takes other steps than the interrupted run would have. Package json promises less. It drops
// what a type does not export, such as the state of a generator of random numbers, and it fails
// at infinities. So values are turned into trees that json writes faithfully, by these rules:
//
//   - a double becomes a text with every bit but the payload of a NaN;
//   - a value with MarshalBinary becomes the result of that method;
//   - a struct keeps all its fields but those tagged `saved:"no"`, which can be computed again;
//     an unexported field must have the tag;
//   - a nil slice or pointer becomes null, which differs from an empty one.
//
// Any other type is an error, and so is a tree that does not fit the type exactly.

// saved returns a value as a tree for package json.
func saved(v reflect.Value) (any, error) {
	if m, ok := addressed(v).(encoding.BinaryMarshaler); ok {
		state, err := m.MarshalBinary()
		return base64.StdEncoding.EncodeToString(state), err
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return saved(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return nil, nil
		}
		list := make([]any, v.Len())
		for k := range list {
			var err error
			if list[k], err = saved(v.Index(k)); err != nil {
				return nil, err
			}
		}
		return list, nil
	case reflect.Struct:
		tree := map[string]any{}
		fields, err := savedFields(v.Type())
		for _, k := range fields {
			if err == nil {
				tree[v.Type().Field(k).Name], err = saved(v.Field(k))
			}
		}
		return tree, err
	}
	return nil, fmt.Errorf("a %s cannot be saved", v.Type())
}

// addressed returns a pointer to a value, or nil if the value is not addressable.
func addressed(v reflect.Value) any {
	if v.CanAddr() && v.Addr().CanInterface() {
		return v.Addr().Interface()
	}
	return nil
}

// savedFields returns the indices of the fields that are saved.
func savedFields(t reflect.Type) ([]int, error) {
	var list []int
	for k := range t.NumField() {
		switch f := t.Field(k); {
		case f.Tag.Get("saved") == "no":
		case !f.IsExported():
			return nil, fmt.Errorf("%s.%s is neither exported nor tagged as not to be saved",
				t, f.Name)
		default:
			list = append(list, k)
		}
	}
	return list, nil
}

// restore sets a value from a tree.
func restore(v reflect.Value, tree any) error {
	wrong := fmt.Errorf("there is no %s in it", v.Type())
	text, isText := tree.(string)
	if m, ok := addressed(v).(encoding.BinaryUnmarshaler); ok {
		state, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !isText {
			return wrong
		}
		return m.UnmarshalBinary(state)
	}
	switch v.Kind() {
	case reflect.Bool:
		b, ok := tree.(bool)
		if !ok {
			return wrong
		}
		v.SetBool(b)
	case reflect.String:
		if !isText {
			return wrong
		}
		v.SetString(text)
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return wrong
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return wrong
		}
		v.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return wrong
		}
		if math.IsNaN(x) {
			x = math.NaN()
		}
		v.SetFloat(x)
	case reflect.Pointer:
		v.SetZero()
		if tree == nil {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return restore(v.Elem(), tree)
	case reflect.Slice:
		v.SetZero()
		list, ok := tree.([]any)
		if tree == nil {
			return nil
		} else if !ok {
			return wrong
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for k, part := range list {
			if err := restore(v.Index(k), part); err != nil {
				return err
			}
		}
	case reflect.Struct:
		parts, ok := tree.(map[string]any)
		fields, err := savedFields(v.Type())
		if !ok || err != nil || len(fields) != len(parts) {
			return wrong
		}
		for _, k := range fields {
			part, ok := parts[v.Type().Field(k).Name]
			if !ok {
				return wrong
			}
			if err := restore(v.Field(k), part); err != nil {
				return err
			}
		}
	default:
		return wrong
	}
	return nil
}
