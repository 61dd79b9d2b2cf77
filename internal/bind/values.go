package bind

import (
	"fmt"
	"math/big"
	"reflect"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// maxNesting bounds how deeply data from Go may nest. Go values can contain themselves.
const maxNesting = 100_000

// read makes a value from Go memory. The value shares slices of float64 with that memory.
func (c *codec) read(p unsafe.Pointer) (value.Value, error) { return c.readAt(p, 0) }

func (c *codec) readAt(p unsafe.Pointer, depth int) (value.Value, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("a value is nested more than %d deep", maxNesting)
	}
	switch c.form {
	case realForm:
		return value.Real(*(*float64)(p)), nil
	case rationForm:
		return ratio(*(**big.Rat)(p))
	case intForm:
		return value.Int(c.word(p)), nil
	case boolForm:
		return value.Bool(*(*bool)(p)), nil
	case stringForm:
		return value.String(*(*string)(p)), nil
	case productForm:
		return c.readProduct(p, depth)
	case sliceForm, fixedForm:
		return c.readArray(p, depth)
	case denseForm, symForm, vecForm:
		return c.readMatrix(p)
	case pointerForm:
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			return nil, errNil
		}
		return c.elem.readAt(to, depth+1)
	case optionForm:
		inner := *(*unsafe.Pointer)(p)
		if inner == nil {
			return value.Con{Name: "None"}, nil
		}
		v, err := c.elem.readAt(inner, depth+1)
		return value.Con{Name: "Some", Args: []value.Value{v}}, err
	}
	return c.readUnion(p, depth)
}

// ratio returns a rational as an exact value.
func ratio(q *big.Rat) (value.Value, error) {
	if q == nil {
		return nil, fmt.Errorf("an argument is nil")
	}
	near, _ := q.Float64()
	return value.Numeral{Near: near, Text: q.RatString()}, nil
}

func (c *codec) readProduct(p unsafe.Pointer, depth int) (value.Value, error) {
	parts := make([]value.Value, len(c.fields))
	for i, f := range c.fields {
		v, err := f.codec.readAt(at(p, f.offset), depth+1)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return c.product(parts), nil
}

// product returns the value with these components.
func (c *codec) product(parts []value.Value) value.Value {
	if con := c.only(); con != "" {
		return value.Con{Name: con, Args: parts}
	}
	if len(c.fields) > 0 && c.fields[0].name != "" {
		record := make(value.Record, len(parts))
		for i, v := range parts {
			record[i] = value.Field{Name: c.fields[i].name, Value: v}
		}
		return record
	}
	return value.Tuple(parts)
}

func (c *codec) readArray(p unsafe.Pointer, depth int) (value.Value, error) {
	first, n := c.elements(p)
	switch {
	case c.elem.form == realForm:
		return value.Reals(unsafe.Slice((*float64)(first), n)), nil
	case c.elem.form == intForm:
		ns := make(value.Ints, n)
		for i := range ns {
			ns[i] = c.elem.word(at(first, uintptr(i)*c.in.Elem().Size()))
		}
		return ns, nil
	}
	array := make(value.Array, n)
	for i := range array {
		v, err := c.elem.readAt(at(first, uintptr(i)*c.in.Elem().Size()), depth+1)
		if err != nil {
			return nil, err
		}
		array[i] = v
	}
	return array, nil
}

// readMatrix reads the types of package mat by way of the loop form's arguments.
func (c *codec) readMatrix(p unsafe.Pointer) (value.Value, error) {
	var l loader
	if err := l.value(c, p); err != nil {
		return nil, err
	}
	if c.form == vecForm {
		return value.Reals(l.args[1].F), nil
	}
	n, m := int(l.args[0].Word), int(l.args[1].Word)
	rows := make(value.Array, n)
	for i := range rows {
		rows[i] = value.Reals(l.args[2].F[i*m : (i+1)*m])
	}
	return rows, nil
}

func (c *codec) readUnion(p unsafe.Pointer, depth int) (value.Value, error) {
	v := reflect.NewAt(c.in, p).Elem()
	if v.IsNil() {
		return nil, fmt.Errorf("an argument of type %s is nil", c.in)
	}
	v = v.Elem()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	for _, con := range c.cons {
		if con.codec.in != v.Type() {
			continue
		}
		copied := reflect.New(v.Type())
		copied.Elem().Set(v)
		parts, err := con.codec.readProduct(copied.UnsafePointer(), depth+1)
		if err != nil {
			return nil, err
		}
		if tuple, ok := parts.(value.Tuple); ok {
			return value.Con{Name: con.name, Args: tuple}, nil
		}
		return parts, nil // the product is the only constructor of its type
	}
	return nil, fmt.Errorf("the Go type %s stands for no constructor of the type", v.Type())
}

// write stores a value in Go memory. If fixed, slices must keep their lengths.
func (c *codec) write(p unsafe.Pointer, v value.Value, fixed bool) error {
	switch c.form {
	case realForm:
		x, ok := v.(value.Real)
		if !ok {
			return c.strange(v)
		}
		*(*float64)(p) = float64(x)
	case setForm:
		e, ok := v.(exact.Enclosure)
		if !ok {
			return c.strange(v)
		}
		*(*[2]*big.Float)(p) = [2]*big.Float{e.Lo, e.Hi}
	case intForm:
		n, ok := v.(value.Int)
		if !ok {
			return c.strange(v)
		}
		c.setWord(p, int64(n))
	case boolForm:
		b, ok := v.(value.Bool)
		if !ok {
			return c.strange(v)
		}
		*(*bool)(p) = bool(b)
	case stringForm:
		s, ok := v.(value.String)
		if !ok {
			return c.strange(v)
		}
		*(*string)(p) = string(s)
	case productForm:
		return c.writeProduct(p, v, fixed)
	case sliceForm, fixedForm:
		return c.writeArray(p, v, fixed)
	case denseForm, symForm, vecForm:
		return c.writeMatrix(p, v, fixed)
	case pointerForm:
		return c.elem.write(c.pointed(p), v, fixed)
	case optionForm:
		con, _ := v.(value.Con)
		inner := reflect.NewAt(c.in, p).Elem()
		if len(con.Args) == 0 {
			inner.SetZero()
			return nil
		}
		fresh := reflect.New(c.in.Elem())
		inner.Set(fresh)
		return c.elem.write(fresh.UnsafePointer(), con.Args[0], false)
	case unionForm:
		con, _ := v.(value.Con)
		for _, known := range c.cons {
			if known.name == con.Name {
				fresh := reflect.New(known.codec.in)
				if err := known.codec.writeProduct(fresh.UnsafePointer(), value.Tuple(con.Args),
					false); err != nil {
					return err
				}
				reflect.NewAt(c.in, p).Elem().Set(fresh.Elem())
				return nil
			}
		}
		return c.strange(v)
	}
	return nil
}

// strange returns the error for a value that does not have its type, for example a part of an
// exact value that is not known.
func (c *codec) strange(v value.Value) error {
	return fmt.Errorf("the result has %s where %s is expected", value.ShowAtMost(v, 10), c.in)
}

func (c *codec) writeProduct(p unsafe.Pointer, v value.Value, fixed bool) error {
	var parts []value.Value
	switch v := v.(type) {
	case value.Tuple:
		parts = v
	case value.Con:
		parts = v.Args
	case value.Record:
		for _, f := range v {
			parts = append(parts, f.Value)
		}
	}
	if len(parts) != len(c.fields) {
		return c.strange(v)
	}
	for i, f := range c.fields {
		if err := f.codec.write(at(p, f.offset), parts[i], fixed); err != nil {
			return err
		}
	}
	return nil
}

func (c *codec) writeArray(p unsafe.Pointer, v value.Value, fixed bool) error {
	n, ok := value.Len(v)
	if !ok {
		return c.strange(v)
	}
	first, err := room(c, p, n, fixed)
	if err != nil {
		return err
	}
	if xs, ok := v.(value.Reals); ok && c.elem.form == realForm {
		copy(unsafe.Slice((*float64)(first), n), xs)
		return nil
	}
	for i := range n {
		if err := c.elem.write(at(first, uintptr(i)*c.in.Elem().Size()), value.At(v, i),
			fixed); err != nil {
			return err
		}
	}
	return nil
}

func (c *codec) writeMatrix(p unsafe.Pointer, v value.Value, fixed bool) error {
	if c.form == vecForm {
		xs, ok := v.(value.Reals)
		if !ok {
			return c.strange(v)
		}
		return setVec((**mat.VecDense)(p), xs, fixed)
	}
	n, _ := value.Len(v)
	var data []float64
	m := 0
	for i := range n {
		row, ok := value.At(v, i).(value.Reals)
		if !ok {
			return c.strange(v)
		}
		if i > 0 && len(row) != m {
			return fmt.Errorf("rows of the result have the lengths %d and %d", m, len(row))
		}
		m = len(row)
		data = append(data, row...)
	}
	if c.form == symForm {
		return setSym((**mat.SymDense)(p), n, m, data, fixed)
	}
	return setDense((**mat.Dense)(p), n, m, data, fixed)
}
