package bind

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// errShape says that memory does not have the shape that the loop form needs. The interpreter
// then runs the call, and reports the error if there is one.
var errShape = errors.New("rows of different lengths")

// errNil says that a pointer to a struct is nil.
var errNil = errors.New("a pointer to a struct is nil")

// loader makes arguments of the loop form from Go memory. It uses slices of float64 in place.
type loader struct {
	args  []loop.Arg
	reals []float64        // copies of columns, one after the other
	ints  []int64          // copies of columns, one after the other
	at    []unsafe.Pointer // elements of arrays
}

func (l *loader) reset() {
	l.args, l.reals, l.ints, l.at = l.args[:0], l.reals[:0], l.ints[:0], l.at[:0]
}

// take returns n more elements of a scratch list. Elements returned earlier do not move.
func take[T any](list *[]T, n int) []T {
	k := len(*list)
	if k+n > cap(*list) {
		*list, k = make([]T, 0, 2*(k+n)), 0
	}
	*list = (*list)[:k+n]
	return (*list)[k : k+n : k+n]
}

func at(p unsafe.Pointer, offset uintptr) unsafe.Pointer { return unsafe.Add(p, offset) }

// word returns an Int or Bool in memory as a word.
func (c *codec) word(p unsafe.Pointer) int64 {
	switch {
	case c.form == boolForm:
		if *(*bool)(p) {
			return 1
		}
		return 0
	case c.in.Kind() == reflect.Int:
		return int64(*(*int)(p))
	}
	return *(*int64)(p)
}

func (c *codec) setWord(p unsafe.Pointer, n int64) {
	switch {
	case c.form == boolForm:
		*(*bool)(p) = n != 0
	case c.in.Kind() == reflect.Int:
		*(*int)(p) = int(n)
	default:
		*(*int64)(p) = n
	}
}

// elements returns the memory of an array: a pointer to its first element, and its length.
func (c *codec) elements(p unsafe.Pointer) (unsafe.Pointer, int) {
	if c.form == fixedForm {
		return p, c.in.Len()
	}
	s := *(*[]byte)(p) // the header of a slice is the same for every element type
	return unsafe.Pointer(unsafe.SliceData(s)), len(s)
}

// value appends the parts of a value, in the order of lower.Shape.
func (l *loader) value(c *codec, p unsafe.Pointer) error {
	switch c.form {
	case realForm:
		l.args = append(l.args, loop.ScalarArg(*(*float64)(p)))
	case intForm, boolForm:
		l.args = append(l.args, loop.Arg{Word: uint64(c.word(p))})
	case productForm:
		for _, f := range c.fields {
			if err := l.value(f.codec, at(p, f.offset)); err != nil {
				return err
			}
		}
	case sliceForm, fixedForm:
		if c.elem.form == realForm {
			first, n := c.elements(p)
			l.args = append(l.args, loop.Arg{Word: uint64(n)},
				loop.Arg{F: unsafe.Slice((*float64)(first), n)})
			return nil
		}
		k := len(l.at)
		l.at = append(l.at, p)
		return l.arrays(c, l.at[k:k+1:k+1], 0)
	case denseForm:
		return l.dense(*(**mat.Dense)(p))
	case symForm:
		return l.sym(*(**mat.SymDense)(p))
	case vecForm:
		return l.vec(*(**mat.VecDense)(p))
	case pointerForm:
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			return errNil
		}
		return l.value(c.elem, to)
	default:
		return errShape
	}
	return nil
}

// arrays appends arrays of the same length, concatenated. Each array is at the given offset from
// one of the places.
func (l *loader) arrays(c *codec, places []unsafe.Pointer, offset uintptr) error {
	n := 0
	for i, p := range places {
		_, m := c.elements(at(p, offset))
		if i > 0 && m != n {
			return errShape
		}
		n = m
	}
	l.args = append(l.args, loop.Arg{Word: uint64(n)})
	if c.elem.form == realForm {
		column := take(&l.reals, len(places)*n)
		for i, p := range places {
			first, _ := c.elements(at(p, offset))
			copy(column[i*n:], unsafe.Slice((*float64)(first), n))
		}
		l.args = append(l.args, loop.Arg{F: column})
		return nil
	}
	inner := take(&l.at, len(places)*n)
	size := c.in.Elem().Size()
	for i, p := range places {
		first, _ := c.elements(at(p, offset))
		for j := range n {
			inner[i*n+j] = at(first, uintptr(j)*size)
		}
	}
	return l.columns(c.elem, inner, 0)
}

// columns appends the columns of elements that are at an offset from places.
func (l *loader) columns(c *codec, places []unsafe.Pointer, offset uintptr) error {
	switch c.form {
	case realForm:
		column := take(&l.reals, len(places))
		for i, p := range places {
			column[i] = *(*float64)(at(p, offset))
		}
		l.args = append(l.args, loop.Arg{F: column})
	case intForm, boolForm:
		column := take(&l.ints, len(places))
		for i, p := range places {
			column[i] = c.word(at(p, offset))
		}
		l.args = append(l.args, loop.Arg{I: column})
	case productForm:
		for _, f := range c.fields {
			if err := l.columns(f.codec, places, offset+f.offset); err != nil {
				return err
			}
		}
	case sliceForm, fixedForm:
		return l.arrays(c, places, offset)
	case pointerForm:
		inner := take(&l.at, len(places))
		for i, p := range places {
			if inner[i] = *(*unsafe.Pointer)(at(p, offset)); inner[i] == nil {
				return errNil
			}
		}
		return l.columns(c.elem, inner, 0)
	default:
		return errShape
	}
	return nil
}

func (l *loader) matrix(rows, cols int, data []float64) {
	l.args = append(l.args, loop.Arg{Word: uint64(rows)}, loop.Arg{Word: uint64(cols)},
		loop.Arg{F: data})
}

func (l *loader) dense(d *mat.Dense) error {
	if d == nil || d.IsEmpty() {
		l.matrix(0, 0, nil)
		return nil
	}
	raw := d.RawMatrix()
	if raw.Stride == raw.Cols {
		l.matrix(raw.Rows, raw.Cols, raw.Data[:raw.Rows*raw.Cols])
		return nil
	}
	data := take(&l.reals, raw.Rows*raw.Cols)
	for i := range raw.Rows {
		copy(data[i*raw.Cols:(i+1)*raw.Cols], raw.Data[i*raw.Stride:])
	}
	l.matrix(raw.Rows, raw.Cols, data)
	return nil
}

func (l *loader) sym(d *mat.SymDense) error {
	if d == nil || d.IsEmpty() {
		l.matrix(0, 0, nil)
		return nil
	}
	n := d.SymmetricDim()
	data := take(&l.reals, n*n)
	for i := range n {
		for j := range n {
			data[i*n+j] = d.At(i, j)
		}
	}
	l.matrix(n, n, data)
	return nil
}

func (l *loader) vec(v *mat.VecDense) error {
	var data []float64
	if v != nil && !v.IsEmpty() {
		raw := v.RawVector()
		if data = raw.Data; raw.Inc != 1 {
			data = take(&l.reals, raw.N)
			for i := range data {
				data[i] = raw.Data[i*raw.Inc]
			}
		}
		data = data[:raw.N]
	}
	l.args = append(l.args, loop.Arg{Word: uint64(len(data))}, loop.Arg{F: data})
	return nil
}

// storer copies results of the loop form into Go memory.
type storer struct {
	from []loop.Arg
	next int
	// fixed says that slices belong to the caller and must keep their lengths.
	fixed bool
	// own says that nothing else uses the buffers of the results.
	own bool
	at  []unsafe.Pointer // pointers to elements of arrays
}

func (s *storer) arg() *loop.Arg {
	a := &s.from[s.next]
	s.next++
	return a
}

// place makes the engine write a result directly into the caller's memory, if the memory has the
// layout of the loop form. parts are the loop form's parts of the result.
func place(c *codec, p unsafe.Pointer, parts []loop.Arg, returned bool) {
	switch {
	case c.form == sliceForm && c.elem.form == realForm:
		if returned {
			parts[1].F = nil
			return
		}
		xs := *(*[]float64)(p)
		parts[1].F = xs[:0:len(xs)]
	case c.form == denseForm && !returned:
		if d := *(**mat.Dense)(p); d != nil && !d.IsEmpty() {
			if raw := d.RawMatrix(); raw.Stride == raw.Cols {
				parts[2].F = raw.Data[: 0 : raw.Rows*raw.Cols]
				return
			}
		}
	case c.form == vecForm && !returned:
		if v := *(**mat.VecDense)(p); v != nil && !v.IsEmpty() {
			if raw := v.RawVector(); raw.Inc == 1 {
				parts[1].F = raw.Data[:0:raw.N]
			}
		}
	}
}

// direct reports whether place applies to results of a codec.
func direct(c *codec) bool {
	return c.form == sliceForm && c.elem.form == realForm || c.form == denseForm ||
		c.form == vecForm
}

// value stores the next parts as a value.
func (s *storer) value(c *codec, p unsafe.Pointer) error {
	switch c.form {
	case realForm:
		*(*float64)(p) = s.arg().Real()
	case intForm, boolForm:
		c.setWord(p, int64(s.arg().Word))
	case productForm:
		for _, f := range c.fields {
			if err := s.value(f.codec, at(p, f.offset)); err != nil {
				return err
			}
		}
	case sliceForm, fixedForm:
		if c.elem.form == realForm {
			return s.reals(c, p)
		}
		places := take(&s.at, 1)
		places[0] = p
		return s.arrays(c, places, 0)
	case denseForm:
		n, m, data := int(s.arg().Word), int(s.arg().Word), s.arg().F
		return setDense((**mat.Dense)(p), n, m, data, s.fixed)
	case symForm:
		n, m, data := int(s.arg().Word), int(s.arg().Word), s.arg().F
		return setSym((**mat.SymDense)(p), n, m, data, s.fixed)
	case vecForm:
		s.arg()
		return setVec((**mat.VecDense)(p), s.arg().F, s.fixed)
	case pointerForm:
		return s.value(c.elem, c.pointed(p))
	}
	return nil
}

// reals stores the next part as an array of reals.
func (s *storer) reals(c *codec, p unsafe.Pointer) error {
	s.arg()
	xs := s.arg().F
	if c.form == sliceForm && s.own && !s.fixed {
		*(*[]float64)(p) = xs
		return nil
	}
	first, err := room(c, p, len(xs), s.fixed)
	if err != nil {
		return err
	}
	if to := unsafe.Slice((*float64)(first), len(xs)); len(xs) > 0 && &to[0] != &xs[0] {
		copy(to, xs)
	}
	return nil
}

// room makes an array of n elements, unless there is one already.
func room(c *codec, p unsafe.Pointer, n int, fixed bool) (unsafe.Pointer, error) {
	first, have := c.elements(p)
	switch {
	case have == n && (n > 0 || c.form == fixedForm || first != nil):
	case c.form == fixedForm || fixed:
		return nil, lengthError{have, n}
	default:
		s := reflect.NewAt(c.in, p).Elem()
		s.Set(reflect.MakeSlice(c.in, n, n))
		first, _ = c.elements(p)
	}
	return first, nil
}

// lengthError says that a destination has another length than its result.
type lengthError struct{ have, want int }

func (e lengthError) Error() string {
	return fmt.Sprintf("a destination has %d elements, and its result %d", e.have, e.want)
}

// arrays stores the next parts as arrays of the same length.
func (s *storer) arrays(c *codec, places []unsafe.Pointer, offset uintptr) error {
	n := int(s.arg().Word)
	inner := take(&s.at, len(places)*n)
	size := c.in.Elem().Size()
	for i, p := range places {
		first, err := room(c, at(p, offset), n, s.fixed)
		if err != nil {
			return err
		}
		for j := range n {
			inner[i*n+j] = at(first, uintptr(j)*size)
		}
	}
	return s.columns(c.elem, inner, 0)
}

// columns stores the next parts as columns of elements.
func (s *storer) columns(c *codec, places []unsafe.Pointer, offset uintptr) error {
	switch c.form {
	case realForm:
		for i, x := range s.arg().F {
			*(*float64)(at(places[i], offset)) = x
		}
	case intForm, boolForm:
		for i, n := range s.arg().I {
			c.setWord(at(places[i], offset), n)
		}
	case productForm:
		for _, f := range c.fields {
			if err := s.columns(f.codec, places, offset+f.offset); err != nil {
				return err
			}
		}
	case sliceForm, fixedForm:
		return s.arrays(c, places, offset)
	case pointerForm:
		inner := take(&s.at, len(places))
		for i, p := range places {
			inner[i] = c.pointed(at(p, offset))
		}
		return s.columns(c.elem, inner, 0)
	}
	return nil
}

// pointed returns the struct that a pointer points to. If the pointer is nil, it makes a struct
// first.
func (c *codec) pointed(p unsafe.Pointer) unsafe.Pointer {
	if *(*unsafe.Pointer)(p) == nil {
		reflect.NewAt(c.in, p).Elem().Set(reflect.New(c.in.Elem()))
	}
	return *(*unsafe.Pointer)(p)
}

// setDense copies a matrix into the caller's matrix, or makes a new one.
func setDense(to **mat.Dense, n, m int, data []float64, fixed bool) error {
	d := *to
	switch {
	case d == nil && fixed:
		return fmt.Errorf("a destination is nil")
	case d == nil:
		d = &mat.Dense{}
		*to = d
	}
	if n == 0 || m == 0 {
		d.Reset()
		return nil
	}
	if d.IsEmpty() {
		d.ReuseAs(n, m)
	}
	if rows, cols := d.Dims(); rows != n || cols != m {
		return fmt.Errorf("a destination is %d by %d, and its result %d by %d", rows, cols, n, m)
	}
	raw := d.RawMatrix()
	if raw.Stride == m && &raw.Data[0] == &data[0] {
		return nil
	}
	for i := range n {
		copy(raw.Data[i*raw.Stride:i*raw.Stride+m], data[i*m:])
	}
	return nil
}

// setSym copies the upper half of a matrix into the caller's matrix, or makes a new one.
func setSym(to **mat.SymDense, n, m int, data []float64, fixed bool) error {
	d := *to
	switch {
	case d == nil && fixed:
		return fmt.Errorf("a destination is nil")
	case n != m:
		return fmt.Errorf("the result is %d by %d, and a symmetric matrix is square", n, m)
	case d == nil:
		d = &mat.SymDense{}
		*to = d
	}
	if n == 0 {
		d.Reset()
		return nil
	}
	if d.IsEmpty() {
		d.ReuseAsSym(n)
	}
	if rows := d.SymmetricDim(); rows != n {
		return fmt.Errorf("a destination is %d by %d, and its result %d by %d", rows, rows, n, n)
	}
	raw := d.RawSymmetric()
	for i := range n {
		copy(raw.Data[i*raw.Stride+i:i*raw.Stride+n], data[i*n+i:])
	}
	return nil
}

func setVec(to **mat.VecDense, xs []float64, fixed bool) error {
	v := *to
	switch {
	case v == nil && fixed:
		return fmt.Errorf("a destination is nil")
	case v == nil:
		v = &mat.VecDense{}
		*to = v
	}
	if len(xs) == 0 {
		v.Reset()
		return nil
	}
	if v.IsEmpty() {
		v.ReuseAsVec(len(xs))
	}
	if v.Len() != len(xs) {
		return lengthError{v.Len(), len(xs)}
	}
	raw := v.RawVector()
	if raw.Inc == 1 && &raw.Data[0] == &xs[0] {
		return nil
	}
	for i, x := range xs {
		raw.Data[i*raw.Inc] = x
	}
	return nil
}
