package interp

// Note [Updates in place]
//
// Values do not change, so `array.set xs i x` is a copy of xs. In
//
//	loop xs = zeros for i < n do array.set xs i (f i)
//
// nothing needs the array that xs was once the next one is there, and the
// update is done in place. Two things must hold for that.
//
//   - The variable is used for the last time: no other variable is in its
//     register then. The compiler knows this.
//   - The array is *owned* by the register: nothing else refers to it. The
//     machine knows this, from a mark on the array. Only an update makes an
//     array that has it. The mark is removed (opShare) before the reference is
//     copied to where it lives on beside the register: into another variable
//     while this one is still needed, a closure, a data value, an array, a
//     slice or a zip, a constant of the program, an entry of the tape, a
//     function that a primitive calls. Where a register is read for the last
//     time, the reference moves, and the mark with it: from turn to turn of a
//     loop, into a call, and out of it.
//
// So the first update of a loop makes a copy, and those after it none. A
// program without updates has no marks, and no instructions that remove them.

// own marks an array as owned by the register that it goes to.
func own(r ref) {
	switch a := r.(type) {
	case *reals:
		a.own = true
	case *ints:
		a.own = true
	case *refs:
		a.own = true
	case *table:
		a.own = true
	}
}

func owned(r ref) bool {
	switch a := r.(type) {
	case *reals:
		return a.own
	case *ints:
		return a.own
	case *refs:
		return a.own
	case *table:
		return a.own
	}
	return false
}

// share removes the mark. An array of the program's code has none, and is not
// written to: other machines read it.
func share(r ref) {
	if !owned(r) {
		return
	}
	switch a := r.(type) {
	case *reals:
		a.own = false
	case *ints:
		a.own = false
	case *refs:
		a.own = false
	case *table:
		a.own = false
	}
}

func shareAll(list []ref) {
	for _, r := range list {
		share(r)
	}
}

// keepRows removes the marks of rows: Note [Updates of rows].
func keepRows(r ref) {
	switch a := r.(type) {
	case *refs:
		if a.mine != nil { // an array of the program's code is not written to
			a.mine = nil
		}
	case *table:
		if a.mine != nil {
			a.mine = nil
		}
	}
}
