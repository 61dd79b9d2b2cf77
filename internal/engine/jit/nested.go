package jit

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// errFew says that there is too little work: the function is to run as one.
var errFew = errors.New("jit: too little work for several goroutines")

// turns is a sequential loop whose body has a loop for several goroutines.
type turns struct {
	loop     *loop.For
	body     *threads
	captured []*loop.Var // by the body
}

// callable tells whether the turns of a sequential loop can be calls of a function: those do not
// update their parameters.
func callable(s *loop.For) bool {
	updated := loop.Updated(s.Body)
	for _, v := range loop.Free(s.Body) {
		if updated[v] {
			return false
		}
	}
	return true
}

func newTurns(name string, s *loop.For, opts Options) (*turns, error) {
	t := &turns{loop: s}
	params := []*loop.Var{s.Index}
	own := map[*loop.Var]bool{s.Index: true}
	for _, st := range s.States {
		params = append(params, st.Var)
		own[st.Var] = true
	}
	for _, v := range loop.Free(s.Body) {
		if !own[v] {
			t.captured = append(t.captured, v)
		}
	}
	var err error
	t.body, err = cutFunc(&loop.Func{Name: name, Params: append(params, t.captured...), Body: s.Body}, opts, leastPart)
	return t, err
}

func (t *turns) run(env environment, opts loop.RunOptions, _ *team) error {
	s := t.loop
	args := make([]loop.Arg, 1, 1+len(s.States)+len(t.captured))
	for _, st := range s.States {
		args = append(args, env.atom(st.Init))
	}
	args = append(args, env.all(t.captured)...)
	totals := make([]uint64, len(s.Reds))
	for k, r := range s.Reds {
		totals[k] = env.atom(r.Init).Word
	}
	count := int64(env.atom(s.Count).Word)
	for i := range count {
		if opts.Poll != nil { // a turn may be too short to do so
			if err := opts.Poll(); err != nil {
				return err
			}
		}
		args[0].Word = uint64(i)
		out := make([]loop.Arg, len(s.Body.Yield))
		if err := t.body.run(out, args, opts); err != nil {
			return err
		}
		copy(args[1:], out[:len(s.States)])
		for k, r := range s.Reds {
			totals[k] = r.Op.Eval([]uint64{totals[k], out[len(s.States)+k].Word})
		}
	}
	for k, st := range s.States {
		last := args[1+k]
		if count <= 0 { // those from before stay what they are
			last.F, last.I = slices.Clone(last.F), slices.Clone(last.I)
		}
		env[st.Result] = last
	}
	for k, r := range s.Reds {
		env[r.Result] = loop.Arg{Word: totals[k]}
	}
	return nil
}

// choice is a branch that has a loop for several goroutines in one of its blocks.
type choice struct {
	s      *loop.If
	blocks [2]alternative // if the condition is false, and if it is true
}

// alternative is a block of a branch as a function, cut if it has a loop that is worth it.
type alternative struct {
	params []*loop.Var
	cut    *threads
	whole  *Code
}

func newChoice(name string, s *loop.If, opts Options, least float64) (*choice, error) {
	c := &choice{s: s}
	for i, b := range []*loop.Block{s.Else, s.Then} {
		a := &c.blocks[i]
		a.params = loop.Free(b)
		f := &loop.Func{Name: name, Params: a.params, Body: b}
		var err error
		if a.cut, err = cutFunc(f, opts, least); err == nil && a.cut == nil {
			a.whole, err = compileOne(f, opts)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *choice) run(env environment, opts loop.RunOptions, _ *team) error {
	a := &c.blocks[0]
	if env.atom(c.s.Cond).Word != 0 {
		a = &c.blocks[1]
	}
	run := a.cut.run
	if a.cut == nil {
		run = a.whole.RunInto
	}
	out := make([]loop.Arg, len(c.s.Results))
	err := run(out, env.all(a.params), opts)
	env.bind(c.s.Results, out)
	return err
}
