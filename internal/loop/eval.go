package loop

import (
	"errors"
	"slices"
	"strconv"
)

// Value is the content of a variable: a word, or the words of a buffer.
type Value struct {
	Word uint64
	Buf  []uint64

	updates *int // the number of updates of the buffer so far; nil if it was passed to the function
	seen    int  // how many of them the value has seen
}

// Real returns the value of a double.
func (v Value) Real() float64 { return double(v.Word) }

// Reals returns the value of a buffer of doubles.
func (v Value) Reals() []float64 {
	out := make([]float64, len(v.Buf))
	for i, w := range v.Buf {
		out[i] = double(w)
	}
	return out
}

// RealValue returns a double as a value.
func RealValue(x float64) Value { return Value{Word: word(x)} }

// IntValue returns an integer as a value.
func IntValue(n int64) Value { return Value{Word: uint64(n)} }

// RealsValue returns a buffer of doubles as a value.
func RealsValue(xs []float64) Value {
	buf := make([]uint64, len(xs))
	for i, x := range xs {
		buf[i] = word(x)
	}
	return Value{Buf: buf}
}

// IntsValue returns a buffer of integers as a value.
func IntsValue(xs []int64) Value {
	buf := make([]uint64, len(xs))
	for i, x := range xs {
		buf[i] = uint64(x)
	}
	return Value{Buf: buf}
}

// ErrCheck says that a Check failed, or that a buffer cannot be made.
var ErrCheck = errors.New("loop: a check has failed")

// ErrMemory says that a run needs more memory than it may have.
var ErrMemory = errors.New("loop: out of memory")

// Eval is the executable semantics of the form. It runs a function, statement by statement, and
// panics if a program is not well formed: an index out of range, a use of an element that was
// never written, a buffer written after it was read, or used after its update. An element without
// a value may be read if a selection drops it. Eval is slow. Every engine and pass is compared
// with it.
func Eval(f *Func, args ...Value) (results []Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			if r != any(ErrCheck) {
				panic(r)
			}
			err = ErrCheck
		}
	}()
	fr := &frame{}
	results = fr.call(f, args)
	for i, v := range results {
		if v.Word == unwritten {
			panic("loop: result " + strconv.Itoa(i) + " was read where nothing was written")
		}
	}
	return results, nil
}

// Cost says what a run takes.
type Cost struct {
	Work    int // operations on doubles, by the table of operations
	Longest int // the length of the longest buffer that is made
	Made    int // elements of all buffers that are made
}

// Measure returns the cost of a run. It panics if the run fails.
func Measure(f *Func, args ...Value) Cost {
	fr := &frame{}
	fr.call(f, args)
	return fr.cost
}

// maxEval bounds the elements of a buffer in an evaluation.
const maxEval = 1 << 28

// frame holds the variables of a call, and the cost of the run so far.
type frame struct {
	vars  map[*Var]Value
	cost  Cost
	depth int // of calls
}

// deepestEval bounds how deep calls nest in an evaluation.
const deepestEval = 5000

func (fr *frame) call(f *Func, args []Value) []Value {
	if fr.depth++; fr.depth > deepestEval {
		panic(ErrCheck)
	}
	outer := fr.vars
	defer func() { fr.vars, fr.depth = outer, fr.depth-1 }()
	fr.vars = map[*Var]Value{}
	if len(args) != len(f.Params) {
		panic("loop: " + f.Name + " is called with another number of arguments")
	}
	for i, p := range f.Params {
		fr.vars[p] = args[i]
	}
	return fr.block(f.Body)
}

func (fr *frame) get(a Atom) Value {
	if c, ok := a.(*Const); ok {
		return Value{Word: c.Word()}
	}
	v, ok := fr.vars[a.(*Var)]
	if !ok {
		panic("loop: " + a.(*Var).Name + " is not bound")
	}
	return v
}

// use returns the value of an atom that is really used.
func (fr *frame) use(a Atom) Value {
	v := fr.get(a)
	if v.Word == unwritten {
		panic("loop: " + a.(*Var).Name + " was read where nothing was written")
	}
	return v
}

// current returns a buffer, after checking that it was not updated under another name.
func (fr *frame) current(buf *Var) Value {
	v := fr.get(buf)
	if v.updates != nil && *v.updates != v.seen {
		panic("loop: " + buf.Name + " is used after its update")
	}
	return v
}

func (fr *frame) did(op *Op) {
	if op.Result == F64 {
		fr.cost.Work += op.Cost
	}
}

func (fr *frame) int(a Atom) int64 { return int64(fr.use(a).Word) }

func (fr *frame) all(as []Atom) []Value {
	out := make([]Value, len(as))
	for i, a := range as {
		out[i] = fr.get(a)
	}
	return out
}

func (fr *frame) block(b *Block) []Value {
	for _, s := range b.Stmts {
		fr.stmt(s)
	}
	return fr.all(b.Yield)
}

func (fr *frame) stmt(s Stmt) {
	switch s := s.(type) {
	case *Let:
		var words [3]uint64
		dropped := 0 // by a selection
		if s.Op == SelF || s.Op == SelI || s.Op == SelB {
			if dropped = 1; fr.use(s.Args[0]).Word != 0 {
				dropped = 2
			}
		}
		for i, a := range s.Args {
			if words[i] = fr.get(a).Word; dropped == 0 || i != dropped {
				fr.use(a)
			}
		}
		fr.vars[s.Var] = Value{Word: s.Op.Eval(words[:len(s.Args)])}
		fr.did(s.Op)
	case *Alloc:
		n := fr.int(s.Len)
		if n < 0 || n > maxEval {
			panic(ErrCheck)
		}
		fr.cost.Longest = max(fr.cost.Longest, int(n))
		fr.cost.Made += int(n)
		buf := make([]uint64, n)
		if !s.Zero {
			for i := range buf {
				buf[i] = unwritten
			}
		}
		fr.vars[s.Var] = Value{Buf: buf, updates: new(int)}
	case *Length:
		fr.vars[s.Var] = IntValue(int64(len(fr.get(s.Buf).Buf)))
	case *Load:
		fr.vars[s.Var] = Value{Word: fr.current(s.Buf).Buf[fr.int(s.At)]}
	case *Store:
		fr.get(s.Buf).Buf[fr.int(s.At)] = fr.use(s.Value).Word
	case *Accum:
		at := &fr.get(s.Buf).Buf[fr.int(s.At)]
		if *at == unwritten {
			panic("loop: " + s.Buf.Name + " is added to where nothing was written")
		}
		*at = word(double(*at) + fr.use(s.Value).Real())
		fr.did(AddF)
	case *Update:
		old := fr.current(s.Buf)
		if old.updates == nil {
			panic("loop: " + s.Buf.Name + " is updated, and belongs to the caller")
		}
		old.Buf[fr.int(s.At)] = fr.use(s.Value).Word
		*old.updates++
		fr.vars[s.Var] = Value{Buf: old.Buf, updates: old.updates, seen: *old.updates}
	case *Copy:
		buf := slices.Clone(fr.current(s.Buf).Buf)
		fr.cost.Made += len(buf)
		fr.vars[s.Var] = Value{Buf: buf, updates: new(int)}
	case *For:
		fr.loop(s)
	case *While:
		fr.while(s)
	case *If:
		b := s.Else
		if fr.use(s.Cond).Word != 0 {
			b = s.Then
		}
		for i, v := range fr.block(b) {
			fr.vars[s.Results[i]] = v
		}
	case *Check:
		if fr.use(s.Cond).Word == 0 {
			panic(ErrCheck)
		}
	case *Call:
		for i, v := range fr.call(s.Func, fr.all(s.Args)) {
			fr.vars[s.Results[i]] = v
		}
	}
}

// unwritten marks an element that has no value yet. It is a NaN that no operation produces.
const unwritten = 0x7ff4_dead_dead_dead

func (fr *frame) loop(s *For) {
	n := fr.int(s.Count)
	state, totals := make([]Value, len(s.States)), make([]Value, len(s.Reds))
	for i, st := range s.States {
		state[i] = fr.get(st.Init)
	}
	for i, r := range s.Reds {
		totals[i] = fr.get(r.Init)
	}
	for k := range max(n, 0) {
		fr.vars[s.Index] = IntValue(k)
		for i, st := range s.States {
			fr.vars[st.Var] = state[i]
		}
		out := fr.block(s.Body)
		copy(state, out)
		for i, r := range s.Reds {
			fr.use(s.Body.Yield[len(state)+i])
			totals[i].Word = r.Op.Eval([]uint64{totals[i].Word, out[len(state)+i].Word})
			fr.did(r.Op)
		}
	}
	for i, st := range s.States {
		fr.vars[st.Result] = state[i]
	}
	for i, r := range s.Reds {
		fr.vars[r.Result] = totals[i]
	}
}

func (fr *frame) while(s *While) {
	state := make([]Value, len(s.States))
	for i, st := range s.States {
		state[i] = fr.get(st.Init)
	}
	for {
		for i, st := range s.States {
			fr.vars[st.Var] = state[i]
		}
		if fr.block(s.Cond)[0].Word == 0 {
			break
		}
		state = fr.block(s.Body)
	}
	for i, st := range s.States {
		fr.vars[st.Result] = state[i]
	}
}
