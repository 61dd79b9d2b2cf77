package wasm

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Hosted modules]
//
// A hosted module runs the entry of a program for package engine/wasm. It imports its memory, which
// all modules of the host share, and exports the function run, which returns a status. What passes
// between them is the frame, at the start of memory: words of 8 bytes for
//
//   - the first address that is free, the address that memory must stay below, how deep calls
//     may nest, and fuel;
//   - each parameter, where a buffer is its address and its number of elements, 4 bytes each;
//   - each result, in the same way.
//
// A turn of a loop and a call take a unit of fuel. When there is none left, the module calls the
// host's function poll, which gives more fuel, or none if the run is to stop.

// FrameHead is the number of words of the frame before the parameters.
const FrameHead = 4

// Globals of a hosted module; the first is top.
const (
	fuelGlobal  = 1 // i32
	limitGlobal = 2 // i64
	depthGlobal = 3 // i32
)

// hostedGlobals adds the others to top.
func hostedGlobals(top []byte) []byte {
	top[0] = 4
	return append(top, i32, 1, 0x41, 0, 0x0b, i64, 1, 0x42, 0, 0x0b, i32, 1, 0x41, 0, 0x0b)
}

// hostImports are the functions that a host has, each of a double.
var hostImports = append(imports[:len(imports):len(imports)], "poll")

// Hosted gives a module that runs the entry of a program: Note [Hosted modules].
func Hosted(p *loop.Program, deterministic bool) []byte {
	m := newModule("host", hostImports, deterministic)
	w := &writer{m: m}
	word := func(i int, load ...byte) {
		w.int32(0)
		w.emit(append(load, leb(int64(8*i))...)...)
	}
	word(0, 0x28, 2)
	w.setTop()
	word(1, 0x29, 3)
	w.setGlobal(limitGlobal)
	word(2, 0x28, 2)
	w.setGlobal(depthGlobal)
	word(3, 0x28, 2)
	w.setGlobal(fuelGlobal)
	f := p.Funcs[0]
	for i, v := range f.Params {
		switch i += FrameHead; v.Kind {
		case loop.F64:
			word(i, 0x2b, 3)
		case loop.I64:
			word(i, 0x29, 3)
		case loop.Bool:
			word(i, 0x28, 2)
		default:
			word(i, 0x28, 2)
			w.int32(4)
			w.emit(append([]byte{0x35, 2}, leb(int64(8*i))...)...) // i64.load32_u of the next
		}
	}
	w.int32(int64(8 * (FrameHead + len(f.Params))))
	w.call(m.index(f))
	m.export("run", m.add(nil, []byte{i32}, w.locals, w.code))
	return m.bytes()
}

func (w *writer) global(i byte)    { w.emit(0x23, i) }
func (w *writer) setGlobal(i byte) { w.emit(0x24, i) }

// spend takes fuel in a hosted module, as much as is pushed, and returns if the host stops the run.
func (w *writer) spend(push func()) {
	if !w.m.hosted || w.math != nil {
		return
	}
	w.global(fuelGlobal)
	push()
	w.emit(0x6b) // i32.sub
	w.setGlobal(fuelGlobal)
	w.global(fuelGlobal)
	w.int32(0)
	w.emit(0x48, 0x04, empty) // i32.lt_s, if
	w.double(0)
	w.call(len(w.m.imports) - 1)
	w.emit(0xfc, 0x02) // i32.trunc_sat_f64_s
	w.setGlobal(fuelGlobal)
	w.global(fuelGlobal)
	w.emit(0x45)
	w.fail(Stopped)
	w.emit(0x0b)
}
