package bind

import (
	"context"
	"reflect"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// As is the function as a value of the Go type that it was bound to. Go functions of the types
// below do not allocate; those of other types are made by reflection, which does.
func (f *Function) As(t reflect.Type) any {
	plain := t
	if t.Name() != "" { // a type with a name converts to and from one without
		var in, out []reflect.Type
		for i := range t.NumIn() {
			in = append(in, t.In(i))
		}
		for i := range t.NumOut() {
			out = append(out, t.Out(i))
		}
		plain = reflect.FuncOf(in, out, false)
	}
	if maker := makers()[plain]; maker != nil {
		made := maker(f)
		if plain == t {
			return made
		}
		return reflect.ValueOf(made).Convert(t).Interface()
	}
	return reflect.MakeFunc(t,
		func(args []reflect.Value) []reflect.Value { return f.reflected(t, args) }).Interface()
}

// reflected is a call by reflection.
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
	var out []reflect.Value
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
	v := reflect.New(typeError).Elem()
	if err != nil {
		v.Set(reflect.ValueOf(err))
	}
	return append(out, v)
}

// must panics with an error: the Go type has no place for it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// maker makes a Go function of one type.
type maker func(f *Function) any

var makers = sync.OnceValue(func() map[reflect.Type]maker {
	t := map[reflect.Type]maker{}
	type (
		S = float64
		V = []float64
	)
	add1[S](t)
	add1[V](t)
	add2[S, S](t)
	add2[V, S](t)
	add2[V, V](t)
	add2[*mat.Dense, V](t)
	add2[*mat.SymDense, V](t)
	add2[*mat.VecDense, *mat.VecDense](t)
	add2[*S, S](t)
	add3[S, S, S](t)
	add3[V, S, S](t)
	add3[V, V, S](t)
	add3[V, V, V](t)
	add3[*mat.Dense, V, V](t)
	add3[*mat.SymDense, V, V](t)
	add4[V, V, V, S](t)
	add4[V, V, V, V](t)
	return t
})

func set[T any](t map[reflect.Type]maker, make func(f *Function) T) {
	t[reflect.TypeFor[T]()] = func(f *Function) any { return make(f) }
}

func put[T any](c *call, k int, v T) { *(*T)(c.params[k]) = v }

// finish runs the call, and gives its only result, unless R is none.
func finish[R any](ctx context.Context, f *Function, c *call) (r R, err error) {
	if err = c.run(ctx); err == nil && len(c.results) > 0 {
		r = *(*R)(c.results[0])
	}
	f.end(c)
	return r, err
}

// none stands for the result of a function that has none.
type none = struct{}

// todo is the context of calls that have none.
var todo = context.Background()

// add1 adds the functions of one parameter, that return nothing, a number or numbers, with a
// context and an error or without; add2, add3 and add4 those of more.
func add1[A any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A) {
		return func(a A) { _, err := one1[A, none](todo, f, a); must(err) }
	})
	set(t, func(f *Function) func(A) error {
		return func(a A) error { _, err := one1[A, none](todo, f, a); return err }
	})
	set(t, func(f *Function) func(context.Context, A) error {
		return func(ctx context.Context, a A) error {
			_,
				err := one1[A, none](ctx, f, a)
			return err
		}
	})
	returning1[A, float64](t)
	returning1[A, []float64](t)
}

func one1[A, R any](ctx context.Context, f *Function, a A) (R, error) {
	c := f.start()
	put(c, 0, a)
	return finish[R](ctx, f, c)
}

func returning1[A, R any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A) R {
		return func(a A) R { r, err := one1[A, R](todo, f, a); must(err); return r }
	})
	set(t, func(f *Function) func(A) (R, error) {
		return func(a A) (R, error) { return one1[A, R](todo, f, a) }
	})
	set(t, func(f *Function) func(context.Context, A) (R, error) {
		return func(ctx context.Context, a A) (R, error) { return one1[A, R](ctx, f, a) }
	})
}

func add2[A, B any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A, B) {
		return func(a A, b B) { _, err := one2[A, B, none](todo, f, a, b); must(err) }
	})
	set(t, func(f *Function) func(A, B) error {
		return func(a A, b B) error { _, err := one2[A, B, none](todo, f, a, b); return err }
	})
	set(t, func(f *Function) func(context.Context, A, B) error {
		return func(ctx context.Context, a A, b B) error {
			_,
				err := one2[A, B, none](ctx, f, a, b)
			return err
		}
	})
	returning2[A, B, float64](t)
	returning2[A, B, []float64](t)
}

func one2[A, B, R any](ctx context.Context, f *Function, a A, b B) (R, error) {
	c := f.start()
	put(c, 0, a)
	put(c, 1, b)
	return finish[R](ctx, f, c)
}

func returning2[A, B, R any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A, B) R {
		return func(a A, b B) R { r, err := one2[A, B, R](todo, f, a, b); must(err); return r }
	})
	set(t, func(f *Function) func(A, B) (R, error) {
		return func(a A, b B) (R, error) { return one2[A, B, R](todo, f, a, b) }
	})
	set(t, func(f *Function) func(context.Context, A, B) (R, error) {
		return func(ctx context.Context, a A, b B) (R, error) { return one2[A, B, R](ctx, f, a, b) }
	})
}

func add3[A, B, C any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A, B, C) {
		return func(a A, b B, c C) { _, err := one3[A, B, C, none](todo, f, a, b, c); must(err) }
	})
	set(t, func(f *Function) func(A, B, C) error {
		return func(a A, b B, c C) error {
			_,
				err := one3[A, B, C, none](todo, f, a, b, c)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C) error {
		return func(ctx context.Context, a A, b B, c C) error {
			_, err := one3[A, B, C, none](ctx, f, a, b, c)
			return err
		}
	})
	returning3[A, B, C, float64](t)
	returning3[A, B, C, []float64](t)
}

func one3[A, B, C, R any](ctx context.Context, f *Function, a A, b B, c C) (R, error) {
	state := f.start()
	put(state, 0, a)
	put(state, 1, b)
	put(state, 2, c)
	return finish[R](ctx, f, state)
}

func returning3[A, B, C, R any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A, B, C) R {
		return func(a A, b B, c C) R {
			r, err := one3[A, B, C, R](todo, f, a, b,
				c)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A, B, C) (R, error) {
		return func(a A, b B, c C) (R, error) { return one3[A, B, C, R](todo, f, a, b, c) }
	})
	set(t, func(f *Function) func(context.Context, A, B, C) (R, error) {
		return func(ctx context.Context, a A, b B, c C) (R,
			error) {
			return one3[A, B, C, R](ctx, f, a, b, c)
		}
	})
}

func add4[A, B, C, D any](t map[reflect.Type]maker) {
	set(t, func(f *Function) func(A, B, C, D) {
		return func(a A, b B, c C, d D) {
			_, err := one4[A, B, C, D, none](todo, f, a, b, c,
				d)
			must(err)
		}
	})
	set(t, func(f *Function) func(A, B, C, D) error {
		return func(a A, b B, c C, d D) error {
			_,
				err := one4[A, B, C, D, none](todo, f, a, b, c, d)
			return err
		}
	})
	set(t, func(f *Function) func(A, B, C, D) float64 {
		return func(a A, b B, c C, d D) float64 {
			r, err := one4[A, B, C, D, float64](todo, f, a, b, c, d)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A, B, C, D) (float64, error) {
		return func(a A, b B, c C, d D) (float64, error) {
			return one4[A, B, C, D, float64](todo, f, a, b, c, d)
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C, D) error {
		return func(ctx context.Context, a A, b B, c C, d D) error {
			_, err := one4[A, B, C, D, none](ctx, f, a, b, c, d)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C, D) (float64, error) {
		return func(ctx context.Context, a A, b B, c C, d D) (float64, error) {
			return one4[A, B, C, D, float64](ctx, f, a, b, c, d)
		}
	})
}

func one4[A, B, C, D, R any](ctx context.Context, f *Function, a A, b B, c C, d D) (R, error) {
	state := f.start()
	put(state, 0, a)
	put(state, 1, b)
	put(state, 2, c)
	put(state, 3, d)
	return finish[R](ctx, f, state)
}
