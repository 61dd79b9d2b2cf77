package types

// Jacobian is a constraint of a scheme: Result is the type of the derivative of a function from
// Source to Target. Unification cannot find the type of a derivative from the others; see Note
// [Jacobians].
type Jacobian struct{ Source, Target, Result Type }

// JacobianDemand is a constraint that By (a node, for package check) needs.
type JacobianDemand struct {
	Jacobian
	By any
}

// Note [Jacobians]
//
// The types s and t determine the type of the derivative of f : s -> t as a value:
//
//   - If s is a tuple or a record, the derivative has the same components, each the derivative by
//     that component: a record of columns.
//   - The derivative by a real is a tangent of the result, a t.
//   - The derivative by anything else (an array, say) is t with the gradient of each real in its
//     place, which is an s.
//
// So the derivative of a [n]Real -> [m]Real is the matrix [m][n]Real. That of a {w : [n]Real, b :
// Real} -> [m]Real is {w : [m][n]Real, b : [m]Real}. That of an s -> Real is a gradient, whatever
// s is. A declared type has no places for gradients, so it cannot be the t if s is an array.
//
// Unknowns in s and t leave a part of the derivative open. That part becomes a constraint
// Jacobian s t j, which a scheme may have (package check, jacobian.go).

// NoJacobian says that a derivative has no type: because of Part, a part of its target, or, if
// Part is nil, because the type is too large.
type NoJacobian struct{ Source, Part Type }

// DerivativeType returns the type of the derivative of a function from s to t. It calls open for
// the type at a variable `on` inside s or t.
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
	left int // how many more nodes the result may have
	fail *NoJacobian
}

// by returns the type of the derivative of a t by an s.
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

// of returns t with s in the place of each real.
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
