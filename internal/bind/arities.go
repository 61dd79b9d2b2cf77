package bind

import "context"

// For each number of parameters there are functions that return nothing, one result, or two
// results. Each comes in three forms: without a context and without an error, with an error, and
// with both. The functions differ only in their types.

func call1[A, R, Q any](ctx context.Context, f *Function, a A) (R, Q, error) {
	k := f.start()
	put(k, 0, a)
	return finish[R, Q](ctx, k)
}

func none1[A any](t table) {
	set(t, func(f *Function) func(A) {
		return func(a A) {
			_, _, err := call1[A, none, none](todo, f, a)
			must(err)
		}
	})
	set(t, func(f *Function) func(A) error {
		return func(a A) error {
			_, _, err := call1[A, none, none](todo, f, a)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A) error {
		return func(ctx context.Context, a A) error {
			_, _, err := call1[A, none, none](ctx, f, a)
			return err
		}
	})
}

func returning1[A, R any](t table) {
	set(t, func(f *Function) func(A) R {
		return func(a A) R {
			r, _, err := call1[A, R, none](todo, f, a)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A) (R, error) {
		return func(a A) (R, error) {
			r, _, err := call1[A, R, none](todo, f, a)
			return r, err
		}
	})
	set(t, func(f *Function) func(context.Context, A) (R, error) {
		return func(ctx context.Context, a A) (R, error) {
			r, _, err := call1[A, R, none](ctx, f, a)
			return r, err
		}
	})
}

func pair1[A, R, Q any](t table) {
	set(t, func(f *Function) func(A) (R, Q) {
		return func(a A) (R, Q) {
			r, q, err := call1[A, R, Q](todo, f, a)
			must(err)
			return r, q
		}
	})
	set(t, func(f *Function) func(A) (R, Q, error) {
		return func(a A) (R, Q, error) {
			return call1[A, R, Q](todo, f, a)
		}
	})
	set(t, func(f *Function) func(context.Context, A) (R, Q, error) {
		return func(ctx context.Context, a A) (R, Q, error) {
			return call1[A, R, Q](ctx, f, a)
		}
	})
}

func call2[A, B, R, Q any](ctx context.Context, f *Function, a A, b B) (R, Q, error) {
	k := f.start()
	put(k, 0, a)
	put(k, 1, b)
	return finish[R, Q](ctx, k)
}

func none2[A, B any](t table) {
	set(t, func(f *Function) func(A, B) {
		return func(a A, b B) {
			_, _, err := call2[A, B, none, none](todo, f, a, b)
			must(err)
		}
	})
	set(t, func(f *Function) func(A, B) error {
		return func(a A, b B) error {
			_, _, err := call2[A, B, none, none](todo, f, a, b)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B) error {
		return func(ctx context.Context, a A, b B) error {
			_, _, err := call2[A, B, none, none](ctx, f, a, b)
			return err
		}
	})
}

func returning2[A, B, R any](t table) {
	set(t, func(f *Function) func(A, B) R {
		return func(a A, b B) R {
			r, _, err := call2[A, B, R, none](todo, f, a, b)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A, B) (R, error) {
		return func(a A, b B) (R, error) {
			r, _, err := call2[A, B, R, none](todo, f, a, b)
			return r, err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B) (R, error) {
		return func(ctx context.Context, a A, b B) (R, error) {
			r, _, err := call2[A, B, R, none](ctx, f, a, b)
			return r, err
		}
	})
}

func pair2[A, B, R, Q any](t table) {
	set(t, func(f *Function) func(A, B) (R, Q) {
		return func(a A, b B) (R, Q) {
			r, q, err := call2[A, B, R, Q](todo, f, a, b)
			must(err)
			return r, q
		}
	})
	set(t, func(f *Function) func(A, B) (R, Q, error) {
		return func(a A, b B) (R, Q, error) {
			return call2[A, B, R, Q](todo, f, a, b)
		}
	})
	set(t, func(f *Function) func(context.Context, A, B) (R, Q, error) {
		return func(ctx context.Context, a A, b B) (R, Q, error) {
			return call2[A, B, R, Q](ctx, f, a, b)
		}
	})
}

func call3[A, B, C, R, Q any](ctx context.Context, f *Function, a A, b B, c C) (R, Q, error) {
	k := f.start()
	put(k, 0, a)
	put(k, 1, b)
	put(k, 2, c)
	return finish[R, Q](ctx, k)
}

func none3[A, B, C any](t table) {
	set(t, func(f *Function) func(A, B, C) {
		return func(a A, b B, c C) {
			_, _, err := call3[A, B, C, none, none](todo, f, a, b, c)
			must(err)
		}
	})
	set(t, func(f *Function) func(A, B, C) error {
		return func(a A, b B, c C) error {
			_, _, err := call3[A, B, C, none, none](todo, f, a, b, c)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C) error {
		return func(ctx context.Context, a A, b B, c C) error {
			_, _, err := call3[A, B, C, none, none](ctx, f, a, b, c)
			return err
		}
	})
}

func returning3[A, B, C, R any](t table) {
	set(t, func(f *Function) func(A, B, C) R {
		return func(a A, b B, c C) R {
			r, _, err := call3[A, B, C, R, none](todo, f, a, b, c)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A, B, C) (R, error) {
		return func(a A, b B, c C) (R, error) {
			r, _, err := call3[A, B, C, R, none](todo, f, a, b, c)
			return r, err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C) (R, error) {
		return func(ctx context.Context, a A, b B, c C) (R, error) {
			r, _, err := call3[A, B, C, R, none](ctx, f, a, b, c)
			return r, err
		}
	})
}

func pair3[A, B, C, R, Q any](t table) {
	set(t, func(f *Function) func(A, B, C) (R, Q) {
		return func(a A, b B, c C) (R, Q) {
			r, q, err := call3[A, B, C, R, Q](todo, f, a, b, c)
			must(err)
			return r, q
		}
	})
	set(t, func(f *Function) func(A, B, C) (R, Q, error) {
		return func(a A, b B, c C) (R, Q, error) {
			return call3[A, B, C, R, Q](todo, f, a, b, c)
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C) (R, Q, error) {
		return func(ctx context.Context, a A, b B, c C) (R, Q, error) {
			return call3[A, B, C, R, Q](ctx, f, a, b, c)
		}
	})
}

func call4[A, B, C, D, R, Q any](ctx context.Context, f *Function, a A, b B, c C, d D) (
	R, Q, error) {
	k := f.start()
	put(k, 0, a)
	put(k, 1, b)
	put(k, 2, c)
	put(k, 3, d)
	return finish[R, Q](ctx, k)
}

func none4[A, B, C, D any](t table) {
	set(t, func(f *Function) func(A, B, C, D) {
		return func(a A, b B, c C, d D) {
			_, _, err := call4[A, B, C, D, none, none](todo, f, a, b, c, d)
			must(err)
		}
	})
	set(t, func(f *Function) func(A, B, C, D) error {
		return func(a A, b B, c C, d D) error {
			_, _, err := call4[A, B, C, D, none, none](todo, f, a, b, c, d)
			return err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C, D) error {
		return func(ctx context.Context, a A, b B, c C, d D) error {
			_, _, err := call4[A, B, C, D, none, none](ctx, f, a, b, c, d)
			return err
		}
	})
}

func returning4[A, B, C, D, R any](t table) {
	set(t, func(f *Function) func(A, B, C, D) R {
		return func(a A, b B, c C, d D) R {
			r, _, err := call4[A, B, C, D, R, none](todo, f, a, b, c, d)
			must(err)
			return r
		}
	})
	set(t, func(f *Function) func(A, B, C, D) (R, error) {
		return func(a A, b B, c C, d D) (R, error) {
			r, _, err := call4[A, B, C, D, R, none](todo, f, a, b, c, d)
			return r, err
		}
	})
	set(t, func(f *Function) func(context.Context, A, B, C, D) (R, error) {
		return func(ctx context.Context, a A, b B, c C, d D) (R, error) {
			r, _, err := call4[A, B, C, D, R, none](ctx, f, a, b, c, d)
			return r, err
		}
	})
}
