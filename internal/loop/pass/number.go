package pass

import (
	"math"
	"slices"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Value numbers]
//
// Two variables with the same number have the same value, where both are in scope.
// An operation's number is made of its own name and its arguments' numbers. A
// buffer has the number of what has been written to it, which a write
// changes; since buffers are read only when they are complete, all reads
// of a buffer see the same number.
//
// The index of a loop is numbered by the loop's depth, and so are states. Thus the bodies of two
// loops at one depth give the same numbers to what they compute alike, and
// the results of two loops have the same number if the counts, the starts and
// what is yielded have. That a number can be used outside of the loop it was made in is for the
// user of the numbers to see to. The whole takes time linear in the program.

// numbering gives value numbers to variables.
type numbering struct {
	of   map[*loop.Var]int
	lens map[*loop.Var]int // of the lengths of buffers
	ids  map[string]int
	funs map[*loop.Func]int
	next int
	key  []byte
}

func numbers(f *loop.Func) *numbering {
	n := &numbering{of: map[*loop.Var]int{}, lens: map[*loop.Var]int{}, ids: map[string]int{}, funs: map[*loop.Func]int{}}
	for _, p := range f.Params {
		n.bind(p, n.fresh())
	}
	n.block(f.Body, 0)
	return n
}

func (n *numbering) fresh() int {
	n.next++
	return n.next
}

// id is the number of what is made in some way of parts.
func (n *numbering) id(how string, parts ...int) int {
	n.key = append(n.key[:0], how...)
	for _, p := range parts {
		n.key = append(n.key, ' ')
		n.key = strconv.AppendInt(n.key, int64(p), 36)
	}
	if id, ok := n.ids[string(n.key)]; ok {
		return id
	}
	id := n.fresh()
	n.ids[string(n.key)] = id
	return id
}

func (n *numbering) bind(v *loop.Var, id int) {
	n.of[v] = id
	if v.Kind.IsBuffer() {
		if _, ok := n.lens[v]; !ok {
			n.lens[v] = n.id("length", id)
		}
	}
}

func (n *numbering) atom(a loop.Atom) int {
	switch a := a.(type) {
	case *loop.Var:
		return n.of[a]
	case *loop.Const:
		if a.Kind == loop.F64 {
			bits := math.Float64bits(a.F)
			return n.id("f", int(bits>>32), int(uint32(bits)))
		}
		return n.id("i"+a.Kind.String(), int(a.I))
	}
	return n.fresh()
}

func (n *numbering) atoms(as []loop.Atom) []int {
	out := make([]int, len(as))
	for i, a := range as {
		out[i] = n.atom(a)
	}
	return out
}

func (n *numbering) block(b *loop.Block, depth int) {
	for _, s := range b.Stmts {
		n.stmt(s, depth)
	}
}

func (n *numbering) stmt(s loop.Stmt, depth int) {
	switch s := s.(type) {
	case *loop.Let:
		args := n.atoms(s.Args)
		if commutes[s.Op] {
			slices.Sort(args)
		}
		n.bind(s.Var, n.id(s.Op.Name, args...))
	case *loop.Alloc:
		n.lens[s.Var] = n.atom(s.Len)
		zero := 0
		if s.Zero {
			zero = 1
		}
		n.bind(s.Var, n.id("alloc "+s.Var.Kind.String(), n.atom(s.Len), zero))
	case *loop.Length:
		n.bind(s.Var, n.lens[s.Buf])
	case *loop.Load:
		n.bind(s.Var, n.id("load", n.of[s.Buf], n.atom(s.At)))
	case *loop.Store:
		n.of[s.Buf] = n.id("store", n.of[s.Buf], n.atom(s.At), n.atom(s.Value))
	case *loop.Accum:
		n.of[s.Buf] = n.id("accum", n.of[s.Buf], n.atom(s.At), n.atom(s.Value))
	case *loop.Update:
		n.lens[s.Var] = n.lens[s.Buf]
		n.bind(s.Var, n.id("update", n.of[s.Buf], n.atom(s.At), n.atom(s.Value)))
	case *loop.Copy:
		n.lens[s.Var] = n.lens[s.Buf]
		n.bind(s.Var, n.of[s.Buf])
	case *loop.For:
		n.loop(s, depth)
	case *loop.While:
		n.while(s, depth)
	case *loop.If:
		n.branch(s, depth)
	case *loop.Call:
		fun, ok := n.funs[s.Func]
		if !ok {
			fun = n.fresh()
			n.funs[s.Func] = fun
		}
		call := n.id("call", append([]int{fun}, n.atoms(s.Args)...)...)
		for i, v := range s.Results {
			n.bind(v, n.id("result", call, i))
		}
		for _, v := range s.AddedTo() {
			n.of[v] = n.fresh()
		}
	}
}

func (n *numbering) loop(s *loop.For, depth int) {
	count := n.atom(s.Count)
	n.of[s.Index] = n.id("index", depth)
	sig := []int{count}
	for i, st := range s.States {
		sig = append(sig, n.atom(st.Init))
		n.bind(st.Var, n.id("state", depth, i, n.atom(st.Init)))
	}
	bufs := outer(s)
	n.block(s.Body, depth+1)
	yield := n.atoms(s.Body.Yield)
	whole := n.id("turns", append(sig, yield[:len(s.States)]...)...)
	for i, st := range s.States {
		n.bind(st.Result, n.id("last", whole, i))
	}
	for i, r := range s.Reds {
		n.bind(r.Result, n.id("total "+r.Op.Name, whole, n.atom(r.Init), yield[len(s.States)+i]))
	}
	for _, v := range bufs {
		n.of[v] = n.id("written", whole, n.of[v])
	}
}

func (n *numbering) while(s *loop.While, depth int) {
	var sig []int
	for i, st := range s.States {
		sig = append(sig, n.atom(st.Init))
		n.bind(st.Var, n.id("while state", depth, i, n.atom(st.Init)))
	}
	bufs := outer(s)
	n.block(s.Cond, depth+1)
	n.block(s.Body, depth+1)
	whole := n.id("while", slices.Concat(sig, n.atoms(s.Cond.Yield), n.atoms(s.Body.Yield))...)
	for i, st := range s.States {
		n.bind(st.Result, n.id("last", whole, i))
	}
	for _, v := range bufs {
		n.of[v] = n.id("written", whole, n.of[v])
	}
}

// outer gives the buffers from outside that a statement writes to, each once.
func outer(s loop.Stmt) []*loop.Var {
	inside := map[*loop.Var]bool{}
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(s loop.Stmt) {
			if s, ok := s.(*loop.Alloc); ok {
				inside[s.Var] = true
			}
		})
	})
	var out []*loop.Var
	written(s, func(v *loop.Var) {
		if !inside[v] {
			inside[v] = true
			out = append(out, v)
		}
	})
	return out
}

func (n *numbering) branch(s *loop.If, depth int) {
	cond, bufs := n.atom(s.Cond), outer(s)
	before, then := make([]int, len(bufs)), make([]int, len(bufs))
	for i, v := range bufs {
		before[i] = n.of[v]
	}
	n.block(s.Then, depth)
	for i, v := range bufs {
		then[i] = n.of[v]
		n.of[v] = before[i]
	}
	n.block(s.Else, depth)
	for i, v := range bufs {
		n.of[v] = n.id("written if", cond, then[i], n.of[v])
	}
	for i, v := range s.Results {
		n.bind(v, n.id("if", cond, n.atom(s.Then.Yield[i]), n.atom(s.Else.Yield[i])))
	}
}
