package fluxion

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fluxion-lang/fluxion/internal/bind"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// Option changes how a program is loaded, bound or run. Options of a program hold for all that is
// bound from it, unless they are given again.
type Option func(*settings)

// settings are what options set.
type settings struct {
	run        driver.Settings
	threads    int
	by         []string
	variants   map[string]reflect.Type
	primitives []Primitive
}

func settingsOf(options []Option) settings {
	s := settings{run: driver.Settings{Limits: interp.DefaultLimits(),
		Engine: driver.FastestEngine()}}
	return s.with(options)
}

// with are the settings with more options.
func (s settings) with(options []Option) settings {
	s.variants = maps.Clone(s.variants)
	s.primitives = slices.Clip(s.primitives)
	for _, o := range options {
		o(&s)
	}
	return s
}

func (s settings) types() bind.Types {
	return bind.Types{Variants: s.variants, Interval: reflect.TypeFor[Interval]()}
}

// Timeout bounds the time of each call, and of loading a program and binding its functions. A
// context may end a call earlier.
func Timeout(limit time.Duration) Option { return func(s *settings) { s.run.Timeout = limit } }

// Memory bounds the bytes that each call uses, 2 GiB if nothing is said. 0 stands for no bound.
func Memory(bytes int64) Option { return func(s *settings) { s.run.Limits.Memory = bytes } }

// Depth bounds the recursion of each call. 0 stands for no bound.
func Depth(calls int) Option { return func(s *settings) { s.run.Limits.Depth = calls } }

// Threads is the number of goroutines that a parallel loop of a call may use, one if nothing is
// said. Results do not depend on it.
func Threads(n int) Option { return func(s *settings) { s.threads = n } }

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
			if t := reflect.TypeOf(v); t != nil {
				s.variants[t.Name()] = t
			}
		}
	}
}
