package grad

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// derivatives makes the derivatives of a function and of those that it calls.
type derivatives struct {
	program    *loop.Program
	rules      Rules
	done       map[derivedOf]*loop.Func  // of the functions that are called
	components map[*loop.Func]*component // of functions: Note [Recursion]
	readers    map[*loop.Func]*loop.Func // what reads the results of a function from the tape
	reads      map[*loop.Func]*loop.Func // of which function a reader reads the results
	jumping    map[*loop.Func]bool       // whether a function may jump
	transposes map[*loop.Func]*loop.Func // of rules: Note [Functions with rules]
	resolve    bool                      // Note [Resolving ties]
	kinks      int                       // that were resolved
	watch      bool                      // Note [Watched errors]
	narrow     bool                      // Note [Narrow features]
	watches    map[*loop.Func]bool       // whether errors are watched in a function
}

func newDerivatives(p *loop.Program, rules Rules) *derivatives {
	return &derivatives{program: p, rules: rules, done: map[derivedOf]*loop.Func{}, components: map[*loop.Func]*component{},
		readers: map[*loop.Func]*loop.Func{}, reads: map[*loop.Func]*loop.Func{}, transposes: map[*loop.Func]*loop.Func{}, jumping: map[*loop.Func]bool{}}
}

// derivedOf says what of which function is made. Functions of one name may differ.
type derivedOf struct {
	from *loop.Func
	what string
}

// called finds or makes what is derived of a function that is called. make fills in a
// function that may already be called, by itself.
func (d *derivatives) called(from *loop.Func, what string, make func() *loop.Func) *loop.Func {
	key := derivedOf{from, what}
	if f := d.done[key]; f != nil {
		return f
	}
	f := &loop.Func{}
	d.done[key] = f
	*f = *make()
	f.Name = from.Name + what
	d.program.Funcs = append(d.program.Funcs, f)
	return f
}

// calling is what of a call matters for its derivative.
type calling struct {
	wanted  []bool // the arguments that hold reals which vary and matter
	results []bool // the active results
	decided []bool // results that are relevant without being active: whether the call jumps matters; nil if there are none
}

// notCovered is the panic by which a derivative is given up.
type notCovered string

func caught(f *loop.Func, err *error) {
	if r := recover(); r != nil {
		why, ok := r.(notCovered)
		if !ok {
			panic(r)
		}
		*err = fmt.Errorf("grad: %s: %s", f.Name, string(why))
	}
}

// pattern writes Booleans as a part of a name.
func pattern(bs []bool) string {
	out := make([]byte, len(bs))
	for i, b := range bs {
		out[i] = '0'
		if b {
			out[i] = '1'
		}
	}
	return string(out)
}

func isReal(k loop.Kind) bool { return k == loop.F64 || k == loop.F64s }
