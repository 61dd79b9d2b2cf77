package interp

import "math"

// Note [Vector code]
//
// The body of a Map, Build, Reduce or Loop that is straight-line arithmetic on
// numbers is compiled twice: as a scalar loop, and as a kernel whose
// instructions each work on a strip of elements, small enough for the
// operands to stay in the first-level cache. The kernel runs first and leaves
// the index where it got to; the scalar loop goes on from there. So
//
//   - a strip in which any operation fails (an overflow, an index out of
//     range) is simply not done by the kernel: the scalar loop runs into the
//     failure again, at the right element and operation;
//   - arrays too short to be worth it are left to the scalar loop;
//   - there is one definition of what the operations mean, and tests compare
//     the two.
//
// Reductions are folded from the left, one element after the other, exactly as
// the scalar loop does: the result does not depend on the strip size. A chain
// of additions is as fast in plain Go as the latency of one addition, so that
// splitting it would be the only way to be faster than Go; determinism is
// worth more.
//
// An If becomes a selection, for which both sides are computed: only where
// neither can fail and both are cheap.

// stripSize is the number of elements that a vector instruction works on.
const stripSize = 512

// minVector is the length below which a kernel does not pay.
const minVector = 12

// kernel is the vector code of a body.
type kernel struct {
	code    []vinstr
	regs    [2]int // vector registers of doubles and of integers
	splats  []splat
	columns []column // of arrays that are read at the loop's index
	outs    []column // of the array that is built
	folds   []vfold
	iota    [2]int // the registers that hold the index, as a double and as an integer, or -1
	index   uint16 // of the loop, in the frame
	bound   uint16
	strip   int      // elements a strip
	least   int      // elements that are worth running it
	prims   int64    // primitive operations an element; 0 unless they are counted
	whole   *wholeOp // for the tape: see Note [Wholes]
}

// splat fills a vector register with a scalar.
type splat struct {
	kind  kind
	to    int
	value slot
}

// column is a column of an array bound to a vector register.
type column struct {
	kind  kind
	reg   int
	array uint16 // P register of the frame
	col   int
}

// vfold folds a vector register into an accumulator of the frame; vMulAddF
// adds the products of two registers to it.
type vfold struct {
	op      vop
	kind    kind
	acc     uint16
	reg     int
	another int // vMulAddF; otherwise the same as reg
}

// vinstr is a vector instruction. Registers are of the kind that the operation
// says.
type vinstr struct {
	op         vop
	a, b, c, d int
	k          int64
	array      uint16 // P register of the frame, for gathers
	kinked     bool   // the row has a kink or a jump
}

type vop uint8

const (
	vAddF    vop = iota // a = b + c
	vSubF               // a = b - c
	vMulF               // a = b * c
	vDivF               // a = b / c
	vMaxF               // a = max b c
	vMinF               // a = min b c
	vNegF               // a = -b
	vAbsF               // a = |b|
	vSqrtF              // a = sqrt b
	vMulAddF            // a = b * c + d
	vMulSubF            // a = b * c - d
	vSubMulF            // a = d - b * c
	vReal1              // a = real1[k] b
	vReal2              // a = real2[k] b c
	vRealInt            // a = realInt[k] b (I c)
	vFromInt            // a = real (I b)
	vRound              // I a = round[k] b
	vLtF                // I a = b < c
	vLeF                // I a = b <= c
	vAddI               // a = b + c
	vSubI               // a = b - c
	vMulI               // a = b * c
	vNot                // a = 1 - b
	vInt1               // a = int1[k] b
	vInt2               // a = int2[k] b c
	vLtI                // a = b < c
	vLeI                // a = b <= c
	vEqI                // a = b == c
	vNeI                // a = b != c
	vSelF               // a = if I d then b else c
	vSelI               // a = if I d then b else c
	vAtF                // a = column k of the array at I b
	vAtI
	vCopyF // a = b
	vCopyI
	numVops
)

// vopKinds gives the kinds of a, b, c and d.
var vopKinds = [numVops]string{
	vAddF: "FFF", vSubF: "FFF", vMulF: "FFF", vDivF: "FFF", vMaxF: "FFF", vMinF: "FFF",
	vNegF: "FF", vAbsF: "FF", vSqrtF: "FF", vMulAddF: "FFFF", vMulSubF: "FFFF", vSubMulF: "FFFF",
	vReal1: "FF", vReal2: "FFF", vRealInt: "FFI", vFromInt: "FI", vRound: "IF", vLtF: "IFF", vLeF: "IFF",
	vAddI: "III", vSubI: "III", vMulI: "III", vNot: "II", vInt1: "II", vInt2: "III",
	vLtI: "III", vLeI: "III", vEqI: "III", vNeI: "III", vSelF: "FFFI", vSelI: "IIII",
	vAtF: "FI", vAtI: "II", vCopyF: "FF", vCopyI: "II",
}

// operand gives the n-th register of an instruction, a being the 0th.
func (in *vinstr) operand(n int) *int { return [...]*int{&in.a, &in.b, &in.c, &in.d}[n] }

// assign maps the values of a kernel, which are numbered as they are made, to
// as few strips as possible: a strip is free after the last use of the value
// in it, and an instruction may write where it reads. Values in fixed have
// strips, or columns, of their own throughout.
func (k *kernel) assign(values [2]int, fixed [2]map[int]bool) {
	var last [2][]int
	for kd := range last {
		last[kd] = make([]int, values[kd])
	}
	for pc := range k.code {
		in := &k.code[pc]
		for n, kd := range vopKinds[in.op] {
			if n > 0 {
				last[kindOf(kd)][*in.operand(n)] = pc
			}
		}
	}
	for _, f := range k.folds {
		last[f.kind][f.reg] = math.MaxInt
		last[f.kind][f.another] = math.MaxInt
	}
	var place [2]map[int]int
	var free [2][]int
	for kd := range place {
		place[kd] = map[int]int{}
		for v := range values[kd] {
			if fixed[kd][v] {
				place[kd][v] = k.regs[kd]
				k.regs[kd]++
			}
		}
	}
	for pc := range k.code {
		in := &k.code[pc]
		kinds := vopKinds[in.op]
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
		if _, ok := place[kd][in.a]; !ok {
			if n := len(free[kd]); n > 0 {
				place[kd][in.a] = free[kd][n-1]
				free[kd] = free[kd][:n-1]
			} else {
				place[kd][in.a] = k.regs[kd]
				k.regs[kd]++
			}
		}
		in.a = place[kd][in.a]
	}
	for n := range k.splats {
		k.splats[n].to = place[k.splats[n].kind][k.splats[n].to]
	}
	for _, cols := range [][]column{k.columns, k.outs} {
		for n := range cols {
			cols[n].reg = place[cols[n].kind][cols[n].reg]
		}
	}
	for n := range k.folds {
		f := &k.folds[n]
		f.reg, f.another = place[f.kind][f.reg], place[f.kind][f.another]
	}
	for kd, v := range k.iota {
		if v >= 0 {
			k.iota[kd] = place[kd][v]
		}
	}
}

func kindOf(r rune) kind {
	if r == 'F' {
		return kF
	}
	return kI
}
