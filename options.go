package fluxion

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/bind"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// Option changes how a program is loaded, bound or run. Options given when a program is loaded
// hold for everything bound from it, unless they are given again. An invalid option, such as a
// negative number of threads, makes the call that it is given to return an error.
type Option func(*settings)

// settings holds what options set.
type settings struct {
	run        driver.Settings
	threads    int
	by         []string
	variants   map[string]reflect.Type
	primitives []Primitive
	wrong      *diag.Diagnostic // the first invalid option, or nil
}

// usual returns the settings that hold without options.
func usual() settings {
	return settings{run: driver.Settings{Limits: interp.DefaultLimits(),
		Engine: driver.BestEngine()}}
}

// with returns the settings changed by more options.
func (s settings) with(options []Option) (settings, error) {
	s.variants = maps.Clone(s.variants)
	s.primitives = slices.Clip(s.primitives)
	for _, o := range options {
		if o == nil {
			s.refuse("an option is nil")
			continue
		}
		o(&s)
	}
	if s.wrong != nil {
		return s, failure(context.Background(), s.wrong)
	}
	return s, nil
}

// bound returns the settings of a program, changed by the options of a function that is bound
// from it.
func (s settings) bound(options []Option) (settings, error) {
	loaded := len(s.primitives)
	s, err := s.with(options)
	if err == nil && len(s.primitives) > loaded {
		s.refuse("primitives are given when a program is loaded, to Parse, LoadFile or LoadFS")
		err = failure(context.Background(), s.wrong)
	}
	return s, err
}

// refuse records that an option is invalid, if it is the first.
func (s *settings) refuse(format string, args ...any) {
	if s.wrong == nil {
		s.wrong = diag.Errorf(diag.CannotBind, diag.Span{}, format, args...)
	}
}

func (s settings) types() bind.Types {
	return bind.Types{Variants: s.variants, Interval: reflect.TypeFor[Interval]()}
}

// Timeout bounds the time of each call, of loading a program and of binding its functions. A
// context may end a call earlier. 0 means no bound.
func Timeout(limit time.Duration) Option {
	return func(s *settings) {
		if limit < 0 {
			s.refuse("a timeout of %v is negative", limit)
		}
		s.run.Timeout = limit
	}
}

// Memory bounds the bytes that each call uses. The default is 2 GiB; 0 means no bound.
func Memory(bytes int64) Option {
	return func(s *settings) {
		if bytes < 0 {
			s.refuse("a memory limit of %d bytes is negative", bytes)
		}
		if bytes == 0 {
			bytes = -1
		}
		s.run.Limits.Memory = bytes
	}
}

// Depth bounds the recursion depth of each call. 0 means no bound.
func Depth(calls int) Option {
	return func(s *settings) {
		if calls < 0 {
			s.refuse("a recursion depth of %d is negative", calls)
		}
		s.run.Limits.Depth = calls
	}
}

// Threads sets how many goroutines a parallel loop of a call may use: at most 1,024. The default,
// and the meaning of 0, is one. Results do not depend on it.
func Threads(n int) Option {
	return func(s *settings) {
		if n < 0 || n > maxThreads {
			s.refuse("%d threads are asked for, and a call has at most %d", n, maxThreads)
		}
		s.threads, s.run.Compile.Threads = n, n
	}
}

const maxThreads = 1024

// Wrt names the parameters to differentiate with respect to, in the order in which the result has
// their derivatives.
func Wrt(parameters ...string) Option { return func(s *settings) { s.by = parameters } }

// Variants registers structs that stand for the constructors of data types. A struct stands for
// the constructor with the name of its Go type. Its fields are the constructor's, in order.
//
//	data Shape = Circle Real | Box Real Real
//
//	type Shape interface{ isShape() }
//	type Circle struct{ Radius float64 }
//	type Box struct{ Width, Height float64 }
//
//	fluxion.Variants(Circle{}, Box{})
func Variants(structs ...any) Option {
	return func(s *settings) {
		if s.variants == nil {
			s.variants = map[string]reflect.Type{}
		}
		for _, v := range structs {
			t := reflect.TypeOf(v)
			if t == nil || t.Kind() != reflect.Struct || t.Name() == "" {
				s.refuse("Variants is given a value of type %T, which is not a struct with a name",
					v)
				continue
			}
			if other := s.variants[t.Name()]; other != nil && other != t {
				s.refuse("the structs %s and %s of Variants have the same name", other, t)
			}
			s.variants[t.Name()] = t
		}
	}
}
