// Package wasm writes programs of the loop form as modules of WebAssembly (version 2: with
// vectors, bulk memory, saturating conversions and several results of a function). Math functions
// are those of package vmath for targets without fma. A deterministic module has those of every
// other target, with fma computed from sums and products (fma.go), and no totals in vectors, so
// that it gives the same digits.
//
// A function takes a double as f64, an integer as i64, a Boolean as i32 and a buffer as its address
// and its number of elements; its last parameter is the address of 8 bytes for each result, where a
// buffer is its address and its number of elements, 4 bytes each. It returns a status. The module
// exports its memory and the global top, below which memory is in use.
//
// Print makes modules for JavaScript programs, Hosted those that package engine/wasm runs
// (hosted.go).
package wasm

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// What functions return.
const (
	OK      = 0
	Failed  = 1 // a Check
	Memory  = 2
	Stopped = 3 // by the host
)

// Types of values and blocks.
const (
	i32, i64, f64, v128 = 0x7f, 0x7e, 0x7c, 0x7b
	empty               = 0x40
)

// imports are the functions for large angles: vmath's Note [Large angles].
var imports = []string{"sin", "cos", "tan"}

// Heap is where the memory that functions use begins; arguments may be anywhere from there on.
const Heap = 16

// Print gives a module with the functions of a program, which are exported under names, and those
// that they call. Beyond what the program's Watch allows, Print panics as Poll of the Watch does.
func Print(p *loop.Program, names map[*loop.Func]string, deterministic bool) []byte {
	m := newModule("math", imports, deterministic)
	m.watch = p.Watch
	for _, f := range p.Funcs {
		m.export(names[f], m.index(f))
	}
	return m.bytes()
}

// module collects functions.
type module struct {
	watch     *stop.Watch
	types     map[string]int
	typeList  []string
	functions []function
	from      string             // where the imports come from
	imports   []string           // the names of the first functions, which are imported
	indices   map[*loop.Func]int // of the functions of the program
	math      map[*loop.Op]int
	vectors   map[*loop.Op]int // the same on vectors
	exports   []byte
	exported  int
	hosted    bool // it runs in memory of its host, which bounds it: hosted.go

	deterministic bool

	alloc    int
	floorDiv int
	overMul  int
}

type function struct {
	typ    int
	locals []byte // their types, without the parameters
	code   []byte
}

// newModule is a module without functions of a program. It imports functions of a double.
func newModule(from string, imports []string, deterministic bool) *module {
	m := &module{
		types: map[string]int{}, indices: map[*loop.Func]int{}, math: map[*loop.Op]int{},
		vectors: map[*loop.Op]int{},
		from:    from, imports: imports, hosted: from == "host", deterministic: deterministic,
	}
	for range imports {
		m.functions = append(m.functions, function{typ: m.typeOf([]byte{f64}, []byte{f64})})
	}
	m.helpers()
	return m
}

// index is the index of a function of the program, which is compiled when it is first asked for.
func (m *module) index(f *loop.Func) int {
	i, ok := m.indices[f]
	if !ok {
		i = m.add(nil, nil, nil, nil) // its place, for functions that call it while it is compiled
		m.indices[f] = i
		m.watch.Look()
		body := m.joined(f)
		pass.Relayout(body)
		m.functions[i] = m.compile(body, nil)
	}
	return i
}

// joined is a copy of a function. Math functions are functions of the module, unless it has slopes
// of sigmoid or tanh: those are made of the same parts as the values, which are computed once if
// both are written out.
func (m *module) joined(f *loop.Func) *loop.Func {
	slopes := false
	loop.Walk(f.Body, func(s loop.Stmt) {
		let, ok := s.(*loop.Let)
		slopes = slopes || ok && (let.Op == loop.Logistic || let.Op == loop.Sech2)
	})
	out := vmath.InlineBy(f, func(op *loop.Op) *loop.Func {
		if slopes && slices.Contains(decays, op) {
			return m.definition(op)
		}
		return nil
	})
	if slopes {
		pass.CSE(out)
	}
	return out
}

// decays are the operations of vmath's Note [Decay], and what they are made of.
var decays = []*loop.Op{loop.Logistic, loop.Sech2, loop.Lookup("sigmoid"), loop.Lookup("tanh"),
	loop.Ldexp}

func (m *module) export(name string, function int) {
	m.exports = append(m.exports, text(name)...)
	m.exports = append(append(m.exports, 0), leb(int64(function))...)
	m.exported++
}

func (m *module) typeOf(params, results []byte) int {
	t := string([]byte{0x60}) + string(vector(params)) + string(vector(results))
	if i, ok := m.types[t]; ok {
		return i
	}
	m.types[t] = len(m.typeList)
	m.typeList = append(m.typeList, t)
	return m.types[t]
}

// add adds a function of raw code.
func (m *module) add(params, results, locals, code []byte) int {
	m.functions = append(m.functions, function{m.typeOf(params, results), locals, code})
	return len(m.functions) - 1
}

// bytes is the module.
func (m *module) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, body []byte) {
		out = append(out, id)
		out = append(out, vector(body)...)
	}
	var types, imported, funcs, code []byte
	types = leb(int64(len(m.typeList)))
	for _, t := range m.typeList {
		types = append(types, t...)
	}
	section(1, types)
	count := len(m.imports)
	for i, name := range m.imports {
		imported = append(append(imported, text(m.from)...), text(name)...)
		imported = append(append(imported, 0), leb(int64(m.functions[i].typ))...)
	}
	if m.hosted {
		count++
		imported = append(append(imported, text(m.from)...), text("memory")...)
		imported = append(imported, 2, 0, 1) // at least a page
	}
	section(2, append(leb(int64(count)), imported...))
	own := m.functions[len(m.imports):]
	funcs, code = leb(int64(len(own))), leb(int64(len(own)))
	for _, f := range own {
		funcs = append(funcs, leb(int64(f.typ))...)
		body := leb(int64(len(f.locals)))
		for _, t := range f.locals {
			body = append(body, 1, t)
		}
		body = append(append(body, f.code...), 0x0b)
		code = append(code, vector(body)...)
	}
	section(3, funcs)
	if !m.hosted {
		section(5, []byte{1, 0, 1}) // a memory of at least a page
		m.exports = append(append(m.exports, text("memory")...), 2, 0)
		m.exports = append(append(m.exports, text("top")...), 3, 0)
		m.exported += 2
	}
	globals := []byte{1, i32, 1, 0x41, Heap, 0x0b} // top
	if m.hosted {
		globals = hostedGlobals(globals)
	}
	section(6, globals)
	section(7, append(leb(int64(m.exported)), m.exports...))
	section(10, code)
	return out
}

// leb is an index or a length in LEB128; sleb is an integer with a sign.
func leb(n int64) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func sleb(n int64) (out []byte) {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func vector(body []byte) []byte { return append(leb(int64(len(body))), body...) }
func text(s string) []byte      { return vector([]byte(s)) }

// local is where a variable is: a local, and for a buffer the next one, its number of elements.
type local int

// writer writes the code of a function.
type writer struct {
	m      *module
	code   []byte
	at     map[*loop.Var]local
	params int
	locals []byte
	math   *loop.Op // the operation that the function defines, or nil
	beside []byte   // the types of what the function returns beside its status
	depth  int      // of loops around what is written
	lane   *lanes   // the loop around that runs in vectors, or nil
}

// compile compiles a function, of a program or, if math is not nil, the definition of an operation.
func (m *module) compile(f *loop.Func, mathOp *loop.Op) function {
	m.defineMath(f.Body)
	w := &writer{m: m, at: map[*loop.Var]local{}, math: mathOp}
	var params []byte
	for _, p := range f.Params {
		w.at[p] = local(len(params))
		params = append(params, typesOf(p.Kind)...)
	}
	results := []byte{i32}
	if mathOp != nil {
		results = []byte{f64}
	} else {
		params = append(params, i32)
	}
	w.params = len(params)
	for _, s := range f.Body.Stmts {
		w.stmt(s)
	}
	if mathOp != nil {
		w.atom(f.Body.Yield[0])
	} else {
		w.results(f.Body.Yield)
	}
	return function{m.typeOf(params, results), w.locals, w.code}
}

// defineMath compiles the definitions that a block uses.
func (m *module) defineMath(b *loop.Block) {
	define := func(op *loop.Op) {
		if def := m.definition(op); def != nil {
			if _, ok := m.math[op]; !ok {
				m.math[op] = m.define(def, op)
				m.vectors[op] = m.defineVector(def, op)
			}
		}
	}
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Let:
			define(s.Op)
		case *loop.For:
			for _, r := range s.Reds {
				define(r.Op)
			}
		}
	})
}

// define adds the definition of an operation.
func (m *module) define(def *loop.Func, op *loop.Op) int {
	f := m.compile(def, op)
	m.functions = append(m.functions, f)
	return len(m.functions) - 1
}

func typesOf(k loop.Kind) []byte {
	switch k {
	case loop.F64:
		return []byte{f64}
	case loop.I64:
		return []byte{i64}
	case loop.Bool:
		return []byte{i32}
	}
	return []byte{i32, i64}
}

func (w *writer) emit(code ...byte) { w.code = append(w.code, code...) }
func (w *writer) get(l local)       { w.emit(append([]byte{0x20}, leb(int64(l))...)...) }
func (w *writer) set(l local)       { w.emit(append([]byte{0x21}, leb(int64(l))...)...) }
func (w *writer) call(f int)        { w.emit(append([]byte{0x10}, leb(int64(f))...)...) }
func (w *writer) int32(n int64)     { w.emit(append([]byte{0x41}, sleb(n)...)...) }
func (w *writer) int64(n int64)     { w.emit(append([]byte{0x42}, sleb(n)...)...) }
func (w *writer) top()              { w.emit(0x23, 0) }
func (w *writer) setTop()           { w.emit(0x24, 0) }
func (w *writer) double(x float64) {
	w.emit(0x44)
	w.code = binary.LittleEndian.AppendUint64(w.code, math.Float64bits(x))
}

// fresh makes a local.
func (w *writer) fresh(types ...byte) local {
	w.locals = append(w.locals, types...)
	return local(w.params + len(w.locals) - len(types))
}

// bind makes the locals of a variable.
func (w *writer) bind(v *loop.Var) local {
	w.at[v] = w.fresh(w.types(v)...)
	return w.at[v]
}

// types are those of the locals of a variable.
func (w *writer) types(v *loop.Var) []byte {
	if v.Kind.IsBuffer() || !w.varying(v) || w.isFirst(v) {
		return typesOf(v.Kind)
	}
	return slices.Repeat([]byte{v128}, w.lane.u)
}

// push pushes all locals of a variable.
func (w *writer) push(v *loop.Var) {
	for i := range w.types(v) {
		w.get(w.at[v] + local(i))
	}
}

// value pushes an atom as a variable has it that it is to be the value of.
func (w *writer) value(a loop.Atom, of *loop.Var) {
	if of.Kind.IsBuffer() || !w.varying(of) {
		w.atom(a)
		return
	}
	for k := range w.lane.u {
		w.vector(a, k)
	}
}

// pop pops the value of a variable into its locals.
func (w *writer) pop(l local, v *loop.Var) {
	for i := len(w.types(v)) - 1; i >= 0; i-- {
		w.set(l + local(i))
	}
}

// atom pushes a value; of a buffer, its address and its number of elements.
func (w *writer) atom(a loop.Atom) {
	switch a := a.(type) {
	case *loop.Var:
		w.get(w.at[a])
		if a.Kind.IsBuffer() {
			w.get(w.at[a] + 1)
		}
	case *loop.Const:
		switch a.Kind {
		case loop.F64:
			w.double(a.F)
		case loop.I64:
			w.int64(a.I)
		default:
			w.int32(a.I)
		}
	}
}

// fail returns a status if the i32 that it pops is not 0.
func (w *writer) fail(status int64) {
	w.emit(0x04, empty)
	w.int32(status)
	w.leave()
}

// pass returns the status that it pops if it is not OK.
func (w *writer) pass() {
	status := w.fresh(i32)
	w.set(status)
	w.get(status)
	w.emit(0x04, empty)
	w.get(status)
	w.leave()
}

// leave returns with the status that is pushed, and ends a branch.
func (w *writer) leave() {
	for _, t := range w.beside {
		switch t {
		case f64:
			w.double(0)
		case i64:
			w.int64(0)
		case v128:
			w.pair(0, 0)
		default:
			w.int32(0)
		}
	}
	w.emit(0x0f, 0x0b)
}

// results writes results to where the last parameter says, and leaves the status.
func (w *writer) results(as []loop.Atom) {
	area := local(w.params - 1)
	for i, a := range as {
		at := leb(int64(8 * i))
		w.get(area)
		switch k := a.AtomKind(); {
		case k == loop.F64:
			w.atom(a)
			w.emit(append([]byte{0x39, 3}, at...)...)
		case k == loop.I64:
			w.atom(a)
			w.emit(append([]byte{0x37, 3}, at...)...)
		case k == loop.Bool:
			w.atom(a)
			w.emit(0xad)
			w.emit(append([]byte{0x37, 3}, at...)...)
		default:
			v := a.(*loop.Var)
			w.get(w.at[v])
			w.emit(append([]byte{0x36, 2}, at...)...)
			w.get(area)
			w.get(w.at[v] + 1)
			w.emit(0xa7)
			w.emit(append([]byte{0x36, 2}, leb(int64(8*i+4))...)...)
		}
	}
	w.int32(OK)
}
