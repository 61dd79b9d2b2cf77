package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/suggest"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Ask says what a bound function computes from a definition.
type Ask uint8

// The kinds of Ask.
const (
	Value Ask = iota
	Gradient
	ValueGradient
	Pullback      // takes a cotangent after the arguments
	Pushforward   // takes tangents after the arguments
	Jacobian      //
	Hessian       //
	HessianVector // takes directions after the arguments
)

// more returns how many parameters follow the arguments, if the derivative is by k parameters.
func (a Ask) more(k int) int {
	switch a {
	case Pullback:
		return 1
	case Pushforward, HessianVector:
		return k
	}
	return 0
}

// parts returns the number of results.
func (a Ask) parts(k int) int {
	switch a {
	case Gradient, Pullback, HessianVector:
		return k
	case ValueGradient:
		return k + 1
	}
	return 1
}

// target is the definition that is bound.
type target struct {
	unit   *driver.Unit
	name   string
	params []types.Type // with type variables, if the definition is polymorphic
	names  []string     // the names of the parameters, "" where the program gives none
	result types.Type
	open   bool
}

func newTarget(unit *driver.Unit, name string) (*target, *diag.Diagnostic) {
	global := unit.Info.Interface.Value(name)
	if global == nil {
		return nil, unit.Undefined(name)
	}
	t := &target{unit: unit, name: name, open: len(global.Scheme.Params) > 0}
	t.params, t.result = types.Splay(global.Scheme.Type, 1<<20)
	t.names = make([]string, len(t.params))
	for i, p := range unit.Parameters(name) {
		t.names[i] = p.Name
	}
	return t, nil
}

// by returns the indices of the parameters with these names.
func (t *target) by(names []string) ([]int, *diag.Diagnostic) {
	var by []int
	for _, name := range names {
		k := slices.Index(t.names, name)
		if k < 0 {
			d := misfit("`%s` has no parameter `%s`", t.name, name)
			if near := suggest.Nearest(name, t.names); near != "" {
				d.WithHint("did you mean `%s`?", near)
			}
			return nil, d.WithHint("its parameters are %s", strings.Join(t.names, ", "))
		}
		if slices.Contains(by, k) {
			return nil, misfit("the parameter `%s` is named twice", name)
		}
		by = append(by, k)
	}
	return by, nil
}

// wrapped returns the text of a definition that computes the answer. The definition is called
// result and differentiates by the parameters with the given indices. annotations has a type for
// each parameter, or "" where the wrapped definition decides.
func (t *target) wrapped(ask Ask, result string, by []int, annotations []string) string {
	args := make([]string, len(t.params))
	var point, along, more []string
	for i := range args {
		args[i] = fmt.Sprintf("a%d", i)
	}
	for n, i := range by {
		point, along = append(point, args[i]), append(along, fmt.Sprintf("d%d", n))
	}
	call := strings.Join(append([]string{t.name}, args...), " ")
	fun, x := fmt.Sprintf("(fun %s => %s)", tuple(point), call), tuple(point)
	body := call
	switch ask {
	case Gradient:
		body = fmt.Sprintf("grad %s %s", fun, x)
	case ValueGradient:
		body = fmt.Sprintf("valueAndGrad %s %s", fun, x)
		if len(by) > 1 {
			body = fmt.Sprintf("let (v, %s) = %s in (v, %s)", tuple(along), body,
				strings.Join(along, ", "))
		}
	case Pullback:
		more = []string{"ct"}
		body = fmt.Sprintf("vjp %s %s ct", fun, x)
	case Pushforward:
		more = along
		body = fmt.Sprintf("jvp %s %s %s", fun, x, tuple(along))
	case Jacobian:
		body = fmt.Sprintf("jacobian %s %s", fun, x)
	case Hessian:
		body = fmt.Sprintf("hessian %s %s", fun, x)
	case HessianVector:
		more = along
		body = fmt.Sprintf("jvp (grad %s) %s %s", fun, x, tuple(along))
	}
	for i, a := range annotations {
		if a != "" {
			args[i] = fmt.Sprintf("(%s : %s)", args[i], a)
		}
	}
	return fmt.Sprintf("let %s = %s\n",
		strings.Join(append(append([]string{result}, args...), more...), " "), body)
}

func tuple(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// suits returns nil if the definition has this kind of derivative, and otherwise why not.
func (t *target) suits(ask Ask) *diag.Diagnostic {
	if ask == Value {
		return nil
	}
	if len(t.params) == 0 {
		return misfit("`%s` is not a function, and only functions have derivatives", t.name)
	}
	_, isParam := types.Resolve(t.result).(*types.Param)
	if ask != Pullback && ask != Pushforward && ask != Jacobian &&
		types.Resolve(t.result) != types.Type(types.Real) && !isParam {
		return misfit("`%s` gives %s, and only a Real has a gradient", t.name,
			types.Show(t.result)).
			WithHint("VJP, JVP and Jacobian differentiate every function")
	}
	return nil
}
