package bind

import (
	"context"
	"reflect"
	"sync"
	"unsafe"
)

// Note [Calls without allocation]
//
// If the type of a Go function is known when this package is compiled, the function is a closure,
// and calling it does not allocate. A function of any other type is made by reflection, which
// allocates for each argument. There are infinitely many function types. So one closure serves
// all types that differ from its own only in names (of types and of fields) and in the element
// types of slices and pointers. Such arguments and results are passed alike, and the closure only
// moves them. For example,
//
//	func(dst *Params, p *Params, rows []Row) (float64, error)
//
// uses the closure for func(ptr, ptr, nums) (num, error), and Params with three fields that are
// doubles is passed like any struct of three doubles. There are closures for up to four
// parameters.

// As returns the function as a value of the Go type that it was bound to.
func (f *Function) As(t reflect.Type) any {
	usual := usualFunc(t)
	maker := makers()[usual]
	if maker == nil {
		return reflect.MakeFunc(t,
			func(args []reflect.Value) []reflect.Value { return f.reflected(t, args) }).Interface()
	}
	made := reflect.New(usual)
	made.Elem().Set(reflect.ValueOf(maker(f)))
	return reflect.NewAt(t, made.UnsafePointer()).Elem().Interface()
}

// usualFunc returns the type of the closures that may serve a function type: see Note [Calls
// without allocation].
func usualFunc(t reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := range t.NumIn() {
		in = append(in, usual(t.In(i)))
	}
	for i := range t.NumOut() {
		out = append(out, usual(t.Out(i)))
	}
	return reflect.FuncOf(in, out, false)
}

// usual returns the type that represents all types that are passed like t.
func usual(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Float64:
		return reflect.TypeFor[num]()
	case reflect.Int:
		return reflect.TypeFor[int]()
	case reflect.Slice:
		return reflect.TypeFor[nums]()
	case reflect.Pointer:
		return reflect.TypeFor[ptr]()
	case reflect.Struct:
		n := t.NumField()
		for i := range n {
			if f := t.Field(i); f.Type.Kind() != reflect.Float64 || f.Name == "_" {
				return t
			}
		}
		if n < len(structs) {
			return structs[n]
		}
	}
	return t
}

//lint:file-ignore U1000 the fields of x1 to x6 are laid out as in users' structs, and read in place

// The representative types.
type (
	num  = float64
	nums = []float64
	ptr  = *float64

	x1 struct{ a num }
	x2 struct{ a, b num }
	x3 struct{ a, b, c num }
	x4 struct{ a, b, c, d num }
	x5 struct{ a, b, c, d, e num }
	x6 struct{ a, b, c, d, e, f num }
)

// structs lists the structs of up to six doubles, by their number of fields.
var structs = [...]reflect.Type{reflect.TypeFor[none](), reflect.TypeFor[x1](),
	reflect.TypeFor[x2](), reflect.TypeFor[x3](), reflect.TypeFor[x4](), reflect.TypeFor[x5](),
	reflect.TypeFor[x6]()}

// reflected performs a call by reflection.
func (f *Function) reflected(t reflect.Type, args []reflect.Value) []reflect.Value {
	ctx := context.Background()
	if f.context {
		ctx, _ = args[0].Interface().(context.Context)
		args = args[1:]
	}
	c := f.start()
	for i, a := range args {
		c.keep[i].Elem().Set(a)
	}
	err := c.run(ctx)
	out := make([]reflect.Value, 0, len(f.results)+1)
	for i := range f.results {
		v := reflect.New(f.results[i]).Elem()
		if err == nil {
			v.Set(c.keep[len(f.params)+i].Elem())
		}
		out = append(out, v)
	}
	f.end(c)
	if !f.fails {
		must(err)
		return out
	}
	if err == nil {
		return append(out, noError)
	}
	v := reflect.New(typeError).Elem()
	v.Set(reflect.ValueOf(err))
	return append(out, v)
}

// noError is the error result of a call that succeeded.
var noError = reflect.Zero(typeError)

// must panics if there is an error, because the Go type has no error result.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// maker makes a Go function of one type.
type maker func(f *Function) any

var makers = sync.OnceValue(func() map[reflect.Type]maker {
	t := table{}
	first[num](t)
	first[nums](t)
	first[ptr](t)
	pair1[num, num, num](t)
	pair1[nums, num, num](t)
	pair2[num, num, num, num](t)
	pair2[nums, num, num, num](t)
	pair3[num, num, num, num, num](t)
	returning1[num, int](t)
	returning1[nums, int](t)
	returning1[int, int](t)
	returning1[int, num](t)
	returning2[num, int, num](t)
	returning2[int, num, num](t)
	returning2[nums, int, num](t)
	returning2[int, nums, num](t)
	ofStruct[x1](t)
	ofStruct[x2](t)
	ofStruct[x3](t)
	ofStruct[x4](t)
	ofStruct[x5](t)
	ofStruct[x6](t)
	return t
})

// table maps the types of functions to their makers.
type table map[reflect.Type]maker

func set[T any](t table, make func(f *Function) T) {
	t[reflect.TypeFor[T]()] = func(f *Function) any { return make(f) }
}

// first adds the functions of up to four parameters whose first parameter is an A. They return
// nothing, a number or numbers.
func first[A any](t table) {
	results1[A](t)
	second[A, num](t)
	second[A, nums](t)
	second[A, ptr](t)
}

func second[A, B any](t table) {
	results2[A, B](t)
	third[A, B, num](t)
	third[A, B, nums](t)
	third[A, B, ptr](t)
}

func third[A, B, C any](t table) {
	none3[A, B, C](t)
	returning3[A, B, C, num](t)
	returning3[A, B, C, nums](t)
	none4[A, B, C, num](t)
	none4[A, B, C, nums](t)
	returning4[A, B, C, num, num](t)
	returning4[A, B, C, nums, num](t)
}

func results1[A any](t table) {
	none1[A](t)
	returning1[A, num](t)
	returning1[A, nums](t)
}

func results2[A, B any](t table) {
	none2[A, B](t)
	returning2[A, B, num](t)
	returning2[A, B, nums](t)
}

// ofStruct adds the common functions of a struct: its value, its gradient, and both.
func ofStruct[X any](t table) {
	returning1[X, num](t)
	returning1[X, X](t)
	returning2[X, num, num](t)
	returning2[X, num, X](t)
	returning2[X, nums, num](t)
	returning2[X, nums, X](t)
	returning2[X, X, num](t)
	returning2[X, X, X](t)
	returning2[num, X, num](t)
	returning2[num, X, X](t)
	returning2[nums, X, num](t)
	returning2[nums, X, X](t)
	returning2[ptr, X, num](t)
	none2[ptr, X](t)
	pair1[X, num, X](t)
	pair2[X, num, num, X](t)
	pair2[X, nums, num, X](t)
	pair2[num, X, num, X](t)
	pair2[nums, X, num, X](t)
	none3[ptr, X, num](t)
	none3[ptr, X, nums](t)
	none3[ptr, ptr, X](t)
	none4[ptr, ptr, X, num](t)
	none4[ptr, ptr, X, nums](t)
	none2[nums, X](t)
	none3[nums, X, num](t)
	none3[nums, X, nums](t)
	returning3[ptr, X, num, num](t)
	returning3[ptr, X, nums, num](t)
}

// none is the result type of a function without a result.
type none = struct{}

// todo is the context of calls without a context.
var todo = context.Background()

// put hands parameter k to the call.
func put[T any](c *call, k int, v T) { *(*T)(c.params[k]) = v }

// result returns result k of the call, or the zero value if R is none.
func result[R any](c *call, k int) (r R) {
	if k < len(c.results) && unsafe.Sizeof(r) > 0 {
		r = *(*R)(c.results[k])
	}
	return r
}

// finish runs the call and returns its results. They are zero if the call fails.
func finish[R, Q any](ctx context.Context, c *call) (r R, q Q, err error) {
	f := c.f
	if err = c.run(ctx); err == nil {
		r, q = result[R](c, 0), result[Q](c, 1)
	}
	f.end(c)
	return r, q, err
}
