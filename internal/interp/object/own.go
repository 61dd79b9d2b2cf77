package object

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
//     array that has it. The mark is removed (OpShare) before the reference is
//     copied to where it lives on beside the register: into another variable
//     while this one is still needed, a closure, a data value, an array, a
//     slice or a zip, a constant of the program, an entry of the tape, a
//     function that a primitive calls. Where a register is read for the last
//     time, the reference moves, and the mark with it: from turn to turn of a
//     loop, into a call, and out of it.
//
// So the first update of a loop makes a copy, and those after it none. A
// program without updates has no marks, and no instructions that remove them.

// Own marks an array as owned by the register that it goes to.
func Own(r Ref) {
	switch a := r.(type) {
	case *Reals:
		a.own = true
	case *Ints:
		a.own = true
	case *Refs:
		a.own = true
	case *Table:
		a.own = true
	}
}

// Owned tells whether an array has the mark.
func Owned(r Ref) bool {
	switch a := r.(type) {
	case *Reals:
		return a.own
	case *Ints:
		return a.own
	case *Refs:
		return a.own
	case *Table:
		return a.own
	}
	return false
}

// Share removes the mark. An array of the program's code has none, and is not
// written to: other machines read it.
func Share(r Ref) {
	if !Owned(r) {
		return
	}
	switch a := r.(type) {
	case *Reals:
		a.own = false
	case *Ints:
		a.own = false
	case *Refs:
		a.own = false
	case *Table:
		a.own = false
	}
}

// ShareAll removes the marks of several objects.
func ShareAll(list []Ref) {
	for _, r := range list {
		Share(r)
	}
}

// KeepRows removes the marks of rows: Note [Updates of rows].
func KeepRows(r Ref) {
	switch a := r.(type) {
	case *Refs:
		if a.Mine != nil { // an array of the program's code is not written to
			a.Mine = nil
		}
	case *Table:
		if a.Mine != nil {
			a.Mine = nil
		}
	}
}
