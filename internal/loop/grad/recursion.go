package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Recursion]
//
// A function that calls itself may need the results of these calls before it can reverse them:
//
//	f(x, n) { if n ≤ 0 { yield x } else { y = call f x (n - 1); z = sin y; yield z } }
//
// The way of Note [Calls] would call f for y, and then its reverse derivative, which does the same
// one level deeper: the cost is that of f times the depth, and grows exponentially if f calls
// itself twice. So the functions that call each other, a strongly connected *component* of the call
// graph, put the results of all calls that a run makes of them on a tape, and reversals take them from
// there:
//
//	f.count    makes the calls that f makes, and counts how long the tape has to be: Note [What counting needs]
//	f.record   does what f does, and writes the tape
//	f.back     reverses a call of f: it runs the body of f again, but takes the results of calls from the tape, and
//	           calls f.back for each to reverse it
//
// A function outside of the component calls the first two where it calls f, and the third for the
// reversal. So each call is run twice and reversed once.
//
// The tape is a buffer of words and one of doubles. A call has its record at a *cursor*, an
// integer. Records are in the order in which calls begin; each has its place in front of those of
// the calls that it makes, and its width depends on the function alone:
//
//	words      end  start  (an integer, a Boolean, the length of a buffer: a word for each of these results)  records of its calls  integers of buffers
//	doubles    those of its calls  doubles and elements of buffers
//
// The end is where the records of the call's own calls end, and the start where its doubles are;
// elements of buffers of integers are at the end. The cursor goes through the function as an
// integer: branches give it as a result, and loops hand it on as a state, so that they are
// sequences. Nothing on the tape is read while it is written.
//
// To make f.back, the calls in f become calls of functions that read the tape. The result is
// reversed like any function, except that the reversal of such a call is a call of f.back. When
// that is done, they are replaced by their bodies.

// needsResults says that a function cannot be reversed in the way of Note [Calls].
const needsResults = notCovered("a recursion whose derivative needs its results first")

// keepsTape tells whether a call is reversed with a tape: whether it cannot be reversed without.
func (r *reverser) keepsTape(s *loop.Call) bool {
	if s.Func.Rule != nil || r.d.reads[s.Func] != nil {
		return false
	}
	c := r.d.componentOf(s.Func)
	if c == nil || c.trying {
		return false
	}
	if c.writes() { // Note [Functions that write]
		return true
	}
	if !c.taped {
		c.trying = true
		c.taped = !r.d.settles(s.Func, r.act.calling(s))
		c.trying = false
	}
	return c.taped
}

// settles tells whether there is a reverse derivative of a function for calls, without a tape.
func (d *derivatives) settles(f *loop.Func, of calling) (ok bool) {
	done, funcs := maps.Clone(d.done), d.program.Funcs
	defer func() {
		if r := recover(); r != nil {
			if r != any(needsResults) {
				panic(r)
			}
			d.done, d.program.Funcs = done, slices.Clip(funcs)
		}
	}()
	d.reversed(f, of)
	return true
}

// once checks that the reverse derivative of a function that is called calls no function of its
// component.
func (d *derivatives) once(f, derivative *loop.Func) {
	c := d.componentOf(f)
	if c == nil {
		return
	}
	loop.Walk(derivative.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.Call); ok && c.members[s.Func] {
			panic(needsResults)
		}
	})
}

// recordCall runs a call, and writes the tape of the calls that it makes.
func (r *reverser) recordCall(s *loop.Call) {
	own := len(s.Args) - s.Func.Adds
	args := slices.Insert(r.atoms(s.Args), own, loop.Atom(loop.Int(0)), loop.Atom(loop.Int(0)))
	var lengths []loop.Atom
	for _, v := range s.AddedTo() {
		lengths = append(lengths, r.length(v))
	}
	count := &loop.Call{Func: r.d.threaded(s.Func, counting), Args: args}
	for _, v := range given(s.Results, r.d.componentOf(s.Func).needs(s.Func).results) {
		count.Results = append(count.Results, loop.NewVar(v.Name, v.Kind))
	}
	words, doubles := loop.NewVar("words", loop.I64), loop.NewVar("doubles", loop.I64)
	count.Results = append(count.Results, words, doubles)
	r.b.Add(r.d.silenced(count, lengths))
	t := callTape{r.b.Alloc("calls.words", loop.I64s, words, false), r.b.Alloc("calls.doubles", loop.F64s, doubles, false)}
	record := &loop.Call{Func: r.d.threaded(s.Func, recording), Args: slices.Concat(args, []loop.Atom{t.words, t.doubles})}
	for _, v := range s.Results {
		record.Results = append(record.Results, r.env.Bind(v))
	}
	record.Results = append(record.Results, loop.NewVar("words", loop.I64), loop.NewVar("doubles", loop.I64))
	r.b.Add(r.d.silenced(record, append(r.outside(r.b, s), nil, nil)))
	r.recordedCalls[s] = t
}

// back is the function that reverses calls of a function with a tape. It has the parameters of the
// function, the cursor of the records of its calls and the tape, in the order of thread, and then
// what a reverse derivative for calls has. It gives what such a derivative gives after the
// function's own results.
func (d *derivatives) back(f *loop.Func, of calling) *loop.Func {
	return d.called(f, ".back"+of.String(), func() *loop.Func {
		read := d.thread(f, reading)
		of.wanted = slices.Insert(slices.Clone(of.wanted), len(f.Params)-f.Adds, false, false, false) // the cursor and the tape
		out := d.reverse(read, of, true)
		out.Body.Yield = out.Body.Yield[len(read.Body.Yield):]
		loop.Inline(out, func(f *loop.Func) bool { return d.reads[f] != nil })
		return out
	})
}
