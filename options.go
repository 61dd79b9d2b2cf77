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

// Option changes how a program is loaded, bound or run. Options of a program hold for all that is
// bound from it, unless they are given again. An option that makes no sense, such as a negative
// number of threads, is an error of whatever it is given to.
type Option func(*settings)

// settings are what options set.
type settings struct {
	run        driver.Settings
	threads    int
	by         []string
	variants   map[string]reflect.Type
	primitives []Primitive
	wrong      *diag.Diagnostic // the first option that makes no sense
}

// usual returns the settings without options.
func usual() settings {
	return settings{run: driver.Settings{Limits: interp.DefaultLimits(),
		Engine: driver.FastestEngine()}}
}

// with returns the settings with more options.
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

// bound returns the settings of a program with the options of something that is bound from it.
func (s settings) bound(options []Option) (settings, error) {
	loaded := len(s.primitives)
	s, err := s.with(options)
	if err == nil && len(s.primitives) > loaded {
		s.refuse("primitives are given when a program is loaded, to Parse, LoadFile or LoadFS")
		err = failure(context.Background(), s.wrong)
	}
	return s, err
}

// refuse says that an option makes no sense.
func (s *settings) refuse(format string, args ...any) {
	if s.wrong == nil {
		s.wrong = diag.Errorf(diag.CannotBind, diag.Span{}, format, args...)
	}
}

func (s settings) types() bind.Types {
	return bind.Types{Variants: s.variants, Interval: reflect.TypeFor[Interval]()}
}

// Timeout bounds the time of each call, and of loading a program and binding its functions. A
// context may end a call earlier. 0 stands for no bound.
func Timeout(limit time.Duration) Option {
	return func(s *settings) {
		if limit < 0 {
			s.refuse("a timeout of %v is negative", limit)
		}
		s.run.Timeout = limit
	}
}

// Memory bounds the bytes that each call uses, 2 GiB if nothing is said. 0 stands for no bound.
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

// Depth bounds the recursion of each call. 0 stands for no bound.
func Depth(calls int) Option {
	return func(s *settings) {
		if calls < 0 {
			s.refuse("a recursion depth of %d is negative", calls)
		}
		s.run.Limits.Depth = calls
	}
}

// Threads returns the number of goroutines that a parallel loop of a call may use, at most 1,024. 0
// stands for one, which is the usual number. Results do not depend on it.
func Threads(n int) Option {
	return func(s *settings) {
		if n < 0 || n > maxThreads {
			s.refuse("%d threads are asked for, and a call has at most %d", n, maxThreads)
		}
		s.threads, s.run.Compile.Threads = n, n
	}
}

const maxThreads = 1024

// Wrt names the parameters that a derivative is by ("with respect to"), in the order of its parts.
func Wrt(parameters ...string) Option { return func(s *settings) { s.by = parameters } }

// Variants registers structs for the constructors of data types: each stands for the constructor
// that has the name of its type. Its fields are those of the constructor, in order.
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
				s.refuse("Variants is given a value of type %T, which is not a struct with a name", v)
				continue
			}
			if other := s.variants[t.Name()]; other != nil && other != t {
				s.refuse("the structs %s and %s of Variants have the same name", other, t)
			}
			s.variants[t.Name()] = t
		}
	}
}
