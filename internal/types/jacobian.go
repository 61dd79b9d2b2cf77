package types

// Jacobian is a constraint of a scheme: Result is the type of the derivative of
// a function from Source to Target. A derivative has no type of its own that
// unification could find from the others; see Note [Jacobians].
type Jacobian struct{ Source, Target, Result Type }

// JacobianDemand is a constraint that By (a node, for package check) needs.
type JacobianDemand struct {
	Jacobian
	By any
}

// Note [Jacobians]
//
// The derivative of f : s -> t as a value has a type that s and t decide:
//
//   - If s is a tuple or a record, the derivative has the same components, each
//     the derivative by that component: a record of columns.
//   - The derivative by a real is a tangent of the result, a t.
//   - The derivative by anything else (an array, say) is t with the gradient of
//     each real in its place, which is an s.
//
// So the derivative of a [n]Real -> [m]Real is the matrix [m][n]Real, that of a
// {w : [n]Real, b : Real} -> [m]Real is {w : [m][n]Real, b : [m]Real}, and that
// of an s -> Real is a gradient, whatever s is. A declared type has no places
// for gradients, so that it cannot be the t of an array.
//
// Unknowns in s and t leave a part of the derivative open. It is a constraint
// Jacobian s t j, which a scheme may have (package check, jacobian.go).

// NoJacobian says that a derivative has no type, because of a part of its
// target, or because there is too much of it if Part is nil.
type NoJacobian struct{ Source, Part Type }

// DerivativeType returns the type of the derivative of a function from s to t. Open
// gives the type for a variable in place of s or t, called on.
func DerivativeType(s, t Type, open func(s, t, on Type) Type) (Type, *NoJacobian) {
	d := derivative{open: open, left: MaxTypeSize}
	result := d.by(s, t)
	if d.fail == nil && d.left < 0 {
		d.fail = &NoJacobian{}
	}
	return result, d.fail
}

type derivative struct {
	open func(s, t, on Type) Type
	left int // nodes that the result may still have
	fail *NoJacobian
}

// by returns the derivative of a t by an s.
func (d *derivative) by(s, t Type) Type {
	if d.left--; d.left < 0 {
		return t
	}
	switch s := Resolve(s).(type) {
	case *Meta, *Param:
		return d.open(s, t, s)
	case *Tuple, *Record:
		return Map(s, func(part Type) Type { return d.by(part, t) })
	case *Basic:
		if s == Real {
			return t
		}
	}
	return d.of(s, t)
}

// of is t with s in the place of each real.
func (d *derivative) of(s, t Type) Type {
	if d.left--; d.left < 0 {
		return t
	}
	switch t := Resolve(t).(type) {
	case *Meta, *Param:
		return d.open(s, t, t)
	case *Basic:
		if t == Real {
			return s
		}
		return t
	case *Tuple, *Record, *Array:
		return Map(t, func(part Type) Type { return d.of(s, part) })
	default:
		if d.fail == nil {
			d.fail = &NoJacobian{s, t}
		}
		return t
	}
}
