// Package vector runs straight-line code on strips: each instruction works on so many elements of
// numbers at a time, small enough for the operands to stay in the first-level cache. Code is given
// registers that point at strips of its own, or at columns of arrays, and folds what it computes
// into accumulators. It knows nothing of the machine that has the arrays: see Note [Vector code]
// of package interp.
package vector

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// StripSize is the number of elements that an instruction works on.
const StripSize = 512

// Kind is a kind of numbers.
type Kind uint8

// The kinds: truth values are integers.
const (
	F Kind = iota // doubles
	I             // integers
)

// Code is what is done to each strip.
type Code struct {
	Instrs []Instr
	Regs   [2]int // strips of doubles and of integers
	Folds  []Fold
	Iota   [2]int // the registers that hold the index, as a double and as an integer, or -1
}

// Fold folds a strip into the accumulator of its number; MulAddF adds the products of two strips.
type Fold struct {
	Op      Op
	Kind    Kind
	Reg     int
	Another int // MulAddF; otherwise the same as Reg
}

// Instr is an instruction.
type Instr struct {
	Op         Op
	A, B, C, D int
	Table      int        // gathers: the number of the table
	Row        *prim.Prim // the row of the table of primitives that Fun evaluates
	Fun        any        // its evaluator
}

// Op is an operation on strips. Registers are of the kind that the operation says.
type Op uint8

const (
	AddF    Op = iota // a = b + c
	SubF              // a = b - c
	MulF              // a = b * c
	DivF              // a = b / c
	MaxF              // a = max b c
	MinF              // a = min b c
	NegF              // a = -b
	AbsF              // a = |b|
	SqrtF             // a = sqrt b
	MulAddF           // a = b * c + d
	MulSubF           // a = b * c - d
	SubMulF           // a = d - b * c
	Real1             // a = Fun b
	Real2             // a = Fun b c
	RealInt           // a = Fun b (I c)
	FromInt           // a = real (I b)
	Round             // I a = Fun b
	LtF               // I a = b < c
	LeF               // I a = b <= c
	AddI              // a = b + c
	SubI              // a = b - c
	MulI              // a = b * c
	Not               // a = 1 - b
	Int1              // a = Fun b
	Int2              // a = Fun b c
	LtI               // a = b < c
	LeI               // a = b <= c
	EqI               // a = b == c
	NeI               // a = b != c
	SelF              // a = if I d then b else c
	SelI              // a = if I d then b else c
	AtF               // a = the element at I b of a table
	AtI
	CopyF // a = b
	CopyI
	numOps
)

// opKinds gives the kinds of a, b, c and d.
var opKinds = [numOps]string{
	AddF: "FFF", SubF: "FFF", MulF: "FFF", DivF: "FFF", MaxF: "FFF", MinF: "FFF",
	NegF: "FF", AbsF: "FF", SqrtF: "FF", MulAddF: "FFFF", MulSubF: "FFFF", SubMulF: "FFFF",
	Real1: "FF", Real2: "FFF", RealInt: "FFI", FromInt: "FI", Round: "IF", LtF: "IFF", LeF: "IFF",
	AddI: "III", SubI: "III", MulI: "III", Not: "II", Int1: "II", Int2: "III",
	LtI: "III", LeI: "III", EqI: "III", NeI: "III", SelF: "FFFI", SelI: "IIII",
	AtF: "FI", AtI: "II", CopyF: "FF", CopyI: "II",
}

// KindOf is the kind of what an operation gives.
func KindOf(op Op) Kind { return kindOf(rune(opKinds[op][0])) }

// operand gives the n-th register of an instruction, a being the 0th.
func (in *Instr) operand(n int) *int { return [...]*int{&in.A, &in.B, &in.C, &in.D}[n] }

// Assign maps the values of the code, which are numbered as they are made, to
// as few strips as possible: a strip is free after the last use of the value
// in it, and an instruction may write where it reads. Values in fixed have
// strips, or columns, of their own throughout. It gives the strip of each value.
func (c *Code) Assign(values [2]int, fixed [2]map[int]bool) (place [2]map[int]int) {
	var last [2][]int
	for kd := range last {
		last[kd] = make([]int, values[kd])
	}
	for pc := range c.Instrs {
		in := &c.Instrs[pc]
		for n, kd := range opKinds[in.Op] {
			if n > 0 {
				last[kindOf(kd)][*in.operand(n)] = pc
			}
		}
	}
	for _, f := range c.Folds {
		last[f.Kind][f.Reg] = math.MaxInt
		last[f.Kind][f.Another] = math.MaxInt
	}
	var free [2][]int
	for kd := range place {
		place[kd] = map[int]int{}
		for v := range values[kd] {
			if fixed[kd][v] {
				place[kd][v] = c.Regs[kd]
				c.Regs[kd]++
			}
		}
	}
	for pc := range c.Instrs {
		in := &c.Instrs[pc]
		kinds := opKinds[in.Op]
		for n, kd := range kinds {
			if n == 0 {
				continue
			}
			kd := kindOf(kd)
			v := *in.operand(n)
			*in.operand(n) = place[kd][v]
			if last[kd][v] == pc && !fixed[kd][v] {
				last[kd][v] = -1 // once, if it is used twice
				free[kd] = append(free[kd], place[kd][v])
			}
		}
		kd := kindOf(rune(kinds[0]))
		if _, ok := place[kd][in.A]; !ok {
			if n := len(free[kd]); n > 0 {
				place[kd][in.A] = free[kd][n-1]
				free[kd] = free[kd][:n-1]
			} else {
				place[kd][in.A] = c.Regs[kd]
				c.Regs[kd]++
			}
		}
		in.A = place[kd][in.A]
	}
	for n := range c.Folds {
		f := &c.Folds[n]
		f.Reg, f.Another = place[f.Kind][f.Reg], place[f.Kind][f.Another]
	}
	for kd, v := range c.Iota {
		if v >= 0 {
			c.Iota[kd] = place[kd][v]
		}
	}
	return place
}

// kindOf reads a letter of opKinds.
func kindOf(r rune) Kind {
	if r == 'F' {
		return F
	}
	return I
}
