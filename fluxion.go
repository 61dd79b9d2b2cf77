// Package fluxion runs programs of the Fluxion language from Go. It turns functions of a program,
// and their derivatives of every order, into plain Go functions.
//
//	program, err := fluxion.Parse("model.flx", `
//	let model (theta : []Real) (x : Real) : Real = theta[0] * exp (-theta[1] * x)
//	`)
//	model, err := fluxion.Bind[func(theta []float64, x float64) float64](program, "model")
//	grad, err := fluxion.Grad[func(dst, theta []float64, x float64)](program, "model")
//
// # Types
//
// Bind and its relatives check once that a Go type fits a definition of the program:
//
//	Real                float64
//	Int, Bool, String   int or int64, bool, string
//	[n]a, []a           a slice, or an array of Go
//	[][]Real, []Real    *mat.Dense, *mat.SymDense or *mat.VecDense of gonum too
//	{x : a, y : b}      a struct, by the names of its fields in any case, or a tag `flx:"x"`
//	(a, b)              a struct, by the order of its fields; several results; an array of Go
//	records and tuples  a pointer to the struct too, which is not nil
//	Option a            a pointer, which is nil for None
//	data types          an interface whose structs are registered by Variants
//
// Slices of float64 and dense matrices are used in place, without a copy. Nothing keeps a
// reference to them after the call.
//
// # Functions
//
// A Go function type may start with a context.Context, which cancels the call, and end with an
// error. A function without an error result panics with an *Error if the call fails. Destinations
// may stand before the arguments:
//
//	func(ctx context.Context, dst…, arguments…) (results…, error)
//
// The parts of an answer fill the Go results first, and then the destinations, which are slices of
// the right length, pointers, or matrices. So Grad[func(grad, x []float64)] and
// ValueAndGrad[func(grad, x []float64) float64] write the gradient to grad.
//
// A function of up to four numbers, slices, matrices and pointers does not allocate when it is
// called again. Neither do the value and the gradient of a function of a struct of up to six
// numbers. Functions of other types are called by reflection, which allocates for each argument. A
// result that needs memory of its own allocates too.
//
// Programs and functions are safe for concurrent use. A call waits for the goroutines that it
// starts, with one exception. Some operations cannot be interrupted: the eigenvalues of a large
// matrix, the derivative of an incomplete gamma function at a huge argument, a product of numbers
// with very many digits. A call that must end during one leaves it to finish in a goroutine, which
// changes nothing. A process has at most four such goroutines: while there are four, a call that
// comes to such an operation waits for one of them, and fails if its own time ends first.
package fluxion

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"

	"github.com/fluxion-lang/fluxion/internal/bind"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Program is a program that has been loaded and checked. It is safe for concurrent use. The zero
// Program is empty: every use of it returns an error.
type Program struct {
	world       *driver.World
	unit        *driver.Unit
	settings    settings
	evaluations driver.Evaluations // keyed by the text and by what it was compiled with
}

// check returns an error for a program that was not loaded.
func (p *Program) check() error {
	if p != nil && p.unit != nil {
		return nil
	}
	return failure(context.Background(), diag.Errorf(diag.CannotBind, diag.Span{},
		"there is no program").
		WithHint("was there an error of Parse, LoadFile or LoadFS?"))
}

// Parse loads a program from its text. Errors call the program by the given name, and imports of
// files are relative to it.
func Parse(name, text string, options ...Option) (*Program, error) {
	world := driver.NewWorld(nil)
	world.Overlay = map[string]string{filepath.Clean(name): text}
	return load(world, name, options)
}

// LoadFile loads a program from a file, and the files that it imports.
func LoadFile(name string, options ...Option) (*Program, error) {
	return load(driver.NewWorld(nil), name, options)
}

// LoadFS loads a program from a file system, such as an embed.FS, with the files that it imports
// and the data that it reads.
func LoadFS(fsys fs.FS, name string, options ...Option) (*Program, error) {
	world := driver.NewWorld(func(name string) (string, error) {
		text, err := fs.ReadFile(fsys, path.Clean(filepath.ToSlash(name)))
		return string(text), err
	})
	return load(world, name, options)
}

func load(world *driver.World, name string, options []Option) (*Program, error) {
	s, err := usual().with(options)
	if err != nil {
		return nil, err
	}
	ctx, done := s.run.Within(context.Background())
	defer done()
	world.Data.Memory = s.run.Limits.Bytes()
	if len(s.primitives) > 0 {
		var rows []*prim.Prim
		for _, p := range s.primitives {
			row, d := p.inner().Row()
			if d != nil {
				return nil, failure(context.Background(), d)
			}
			rows = append(rows, row)
		}
		if d := world.AddHost(rows); d != nil {
			return nil, failure(context.Background(), d)
		}
	}
	var list diag.List
	unit := world.Until(ctx).LoadFile(name, &list)
	if unit == nil || list.Failed() {
		return nil, failures(&list)
	}
	return &Program{world: world, unit: unit, settings: s}, nil
}

// Bind makes a Go function of type F from a definition of a program.
func Bind[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Value, options)
}

// Grad makes a Go function that computes the gradient of a definition whose result is a Real.
// Without Wrt the gradient is with respect to the first parameters: as many as F has room for, at
// least one. The option Wrt names other parameters.
func Grad[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Gradient, options)
}

// ValueAndGrad makes a Go function that computes the value and the gradient of a definition. The
// value is the first part of the result; the rest is as for Grad.
func ValueAndGrad[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.ValueGradient, options)
}

// VJP makes a Go function that computes a vector-Jacobian product of a definition, in reverse
// mode. Its last argument is the cotangent. The result has the type of the parameter that the
// definition is differentiated by.
func VJP[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Pullback, options)
}

// JVP makes a Go function that computes a Jacobian-vector product of a definition, in forward
// mode. Its last argument is the tangent; if the derivative is by several parameters, the last
// arguments are their tangents. The result has the same type as the definition's result.
func JVP[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Pushforward, options)
}

// Jacobian makes a Go function that computes the whole derivative of a definition. If the
// definition maps an array to an array, the result is the matrix of partial derivatives, with one
// row for each element of the definition's result.
func Jacobian[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Jacobian, options)
}

// Hessian makes a Go function that computes the second derivative of a definition whose result is
// a Real. For an array parameter it is a matrix. A *mat.SymDense receives its upper half.
func Hessian[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.Hessian, options)
}

// HessianVector makes a Go function that multiplies the Hessian of a definition with a direction,
// without computing the matrix. The direction is its last argument.
func HessianVector[F any](p *Program, name string, options ...Option) (F, error) {
	return bound[F](p, name, bind.HessianVector, options)
}

// BindExact makes a Go function that evaluates a definition over the reals. Where the
// definition's result has a Real, F has an Interval. The Interval contains the true value and is
// at most eps wide. An argument that is a float64 stands for exactly that number; a *big.Rat
// stands for any rational.
func BindExact[F any](p *Program, name string, eps float64, options ...Option) (F, error) {
	var none F
	width, err := tolerance(eps)
	if err != nil {
		return none, err
	}
	r, err := p.request(name, bind.Value, reflect.TypeFor[F](), options)
	if err != nil {
		return none, err
	}
	ctx, done := r.Settings.Within(context.Background())
	defer done()
	r.World = p.world.Until(ctx)
	f, list := bind.NewExact(r, width)
	if list != nil {
		return none, failures(list)
	}
	return f.As(r.Go).(F), nil
}

func bound[F any](p *Program, name string, ask bind.Ask, options []Option) (F, error) {
	var none F
	r, err := p.request(name, ask, reflect.TypeFor[F](), options)
	if err != nil {
		return none, err
	}
	ctx, done := r.Settings.Within(context.Background())
	defer done()
	r.World = p.world.Until(ctx)
	f, list := bind.New(ctx, r)
	if list != nil {
		return none, failures(list)
	}
	return f.As(r.Go).(F), nil
}

// request returns what to bind, with the settings of the program and the given options.
func (p *Program) request(name string, ask bind.Ask, fun reflect.Type,
	options []Option) (bind.Request, error) {
	if err := p.check(); err != nil {
		return bind.Request{}, err
	}
	s := p.settings
	s.by = nil
	s, err := s.bound(options)
	switch {
	case err != nil:
	case ask == bind.Value && s.by != nil:
		s.refuse("Wrt names what a derivative is by, and `%s` is bound to its value", name)
		err = failure(context.Background(), s.wrong)
	case ask != bind.Value && s.by == nil:
		s.by = p.settings.by
	}
	return bind.Request{Unit: p.unit, Name: name, Ask: ask, By: s.by, Go: fun,
		Types:    s.types(),
		Settings: s.run, Threads: s.threads, Wrap: failure}, err
}
