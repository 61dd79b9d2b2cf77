package check

import (
	"iter"
	"maps"

	"github.com/fluxion-lang/fluxion/internal/types"
)

// Interface is what a module shows to modules that import it.
type Interface struct {
	Name  string // the module's name in qualified names of core: "list"
	Doc   string
	Cons  map[string]*types.Con
	Types map[string]*TypeName
	Order []string // names of types, then of values, both in source order, for documentation

	values map[string]*Global
	demand func(name string) *Global // see Promise; nil if all definitions are in values
}

// Promise adds definitions that are checked when they are first looked up. demand returns a
// definition by its name, or nil. It must be safe for concurrent use.
func (i *Interface) Promise(names []string, demand func(name string) *Global) {
	i.Order = append(i.Order, names...)
	i.demand = demand
}

// Value returns a definition by its name, or nil.
func (i *Interface) Value(name string) *Global {
	if i.demand != nil {
		return i.demand(name)
	}
	return i.values[name]
}

// public returns a definition that importing modules may see, or nil.
func (i *Interface) public(name string) *Global {
	if i == nil || isPrivate(name) {
		return nil
	}
	return i.Value(name)
}

// Names returns the names of the definitions, in any order.
func (i *Interface) Names() iter.Seq[string] {
	if i.demand == nil {
		return maps.Keys(i.values)
	}
	return func(yield func(string) bool) {
		for _, name := range i.Order {
			if i.Types[name] == nil && !yield(name) {
				return
			}
		}
	}
}

// All returns the definitions by their names, in any order.
func (i *Interface) All() iter.Seq2[string, *Global] {
	return func(yield func(string, *Global) bool) {
		for name := range i.Names() {
			if !yield(name, i.Value(name)) {
				return
			}
		}
	}
}

// Hide removes a name.
func (i *Interface) Hide(name string) { delete(i.values, name) }
