package exact

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// rowMachine compiles a program whose value is the function that a row is at
// Real, given its integer arguments.
func rowMachine(t *testing.T, n jet.Number, row *prim.Prim, ints []int64) (m *machine, apply func(xs ...jet.Jet) jet.Jet) {
	t.Helper()
	reals := make([]types.Type, len(row.Scheme.Params))
	for i := range reals {
		reals[i] = types.Real
	}
	params, result := types.Splay(types.Subst(row.Scheme.Type, row.Scheme.Params, reals), len(row.Params))
	fun := &core.Lambda{}
	op := &core.Prim{Prim: row, Inst: reals}
	for i, p := range params {
		if p == types.Type(types.Int) {
			op.Args = append(op.Args, core.IntLit(ints[0]))
			ints = ints[1:]
			continue
		}
		v := core.NewVar(row.Params[i], p)
		fun.Params = append(fun.Params, v)
		op.Args = append(op.Args, v)
	}
	var b core.Builder
	fun.Body = b.Block(b.Let("r", result, op, diag.Span{}))
	def := core.FunDef("row", nil, fun, diag.Span{})
	m, _ = newMachine(n, newBudget(context.Background(), Limits{}), nil, []*core.Def{def}, false)
	m.turnWith(n, &effort{bits: n.Bits(), calls: 1 << 40})
	function := m.consts.p[0].(*closure)
	shapes := make([]shape, len(fun.Params))
	for i := range shapes {
		shapes[i] = shape{r: 1}
	}
	return m, func(xs ...jet.Jet) jet.Jet {
		t.Helper()
		y := makeSlots(shape{r: 1})
		if err := m.call(function, slots{r: xs}, shapes, y); err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		return y.r[0]
	}
}

// realRows are the rows from reals, and perhaps an integer, to a real, with
// their samples: the reals of each, and its integers.
func realRows(t *testing.T, f func(t *testing.T, row *prim.Prim, xs []float64, ints []int64)) {
	for _, row := range prim.All() {
		switch row.Float.(type) {
		case prim.Real1, prim.Real2, prim.RealInt, prim.IntReal:
		default:
			continue
		}
		for _, sample := range row.Samples {
			xs, ints := sample, []int64(nil)
			switch row.Float.(type) {
			case prim.RealInt:
				xs, ints = sample[:1], []int64{int64(sample[1])}
			case prim.IntReal:
				xs, ints = sample[1:], []int64{int64(sample[0])}
			}
			t.Run(fmt.Sprint(row.Name, sample), func(t *testing.T) { f(t, row, xs, ints) })
		}
	}
}

// TestTaylor checks every row at every order: with coefficients c_k at a point and C_n
// over the segment from there to another, the value at the other lies in
// c_0 + c_1 h + … + c_(n-1) h^(n-1) + C_n h^n. A coefficient that is wrong by more than
// the remainder, which is tiny, fails; so does a remainder that is needlessly wide.
func TestTaylor(t *testing.T) {
	const bits, degree = 1000, 7
	n := jet.NewBalls(bits)
	realRows(t, func(t *testing.T, row *prim.Prim, xs []float64, ints []int64) {
		m, apply := rowMachine(t, n, row, ints)
		// The segment leads from the sample along a direction that is not special.
		h := m.N.Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 100)))
		scale := 1.0
		for _, x := range xs {
			if x != 0 {
				scale = min(scale, math.Abs(x))
			}
		}
		directions := []float64{0.75, -1.25}
		start, end := make([]jet.Jet, len(xs)), make([]jet.Jet, len(xs))
		whole := make([]jet.Jet, len(xs))
		tag := m.open(degree)
		defer m.close(tag)
		for i, x := range xs {
			d := m.Mul(m.Float(directions[i]*scale), m.One())
			a := m.Float(x)
			start[i] = m.Var(tag, degree, a, d)
			end[i] = m.Add(a, m.Scale(d, h))
			whole[i] = m.Var(tag, degree, m.Hull(a, end[i]), d)
		}
		at, over, want := apply(start...), apply(whole...), apply(end...)
		if !want.Known() || !at.Known() {
			t.Fatalf("unknown inside the domain: %v, %v", at.Known(), want.Known())
		}
		for order := 1; order <= degree; order++ {
			sum, power := m.Const(at.Val()), m.One()
			for k := 1; k <= order; k++ {
				power = m.Scale(power, h)
				c := m.Coeff(at, tag, k)
				if k == order {
					c = m.Coeff(over, tag, k)
				}
				if !c.Known() {
					t.Skipf("the derivative is unknown at %v", xs)
				}
				sum = m.Add(sum, m.Mul(c, power))
			}
			if m.N.IsEmpty(m.N.Intersect(want.Val(), sum.Val())) {
				t.Fatalf("order %d: %s is not in %s", order, n.String(want.Val()), n.String(sum.Val()))
			}
			// Over the segment a coefficient varies by little.
			last, rest := m.Coeff(at, tag, order), m.Coeff(over, tag, order)
			size := n.Mag(last.Val()).Add(n.Mag(m.Coeff(at, tag, order-1).Val())).Add(jet.Exp2(-60))
			if excess := n.Width(rest.Val()); size.MulFloat(1e-3).Less(excess) {
				t.Errorf("order %d over the segment is %s wide, at its end %s", order, excess, n.String(last.Val()))
			}
		}
	})
}

// TestRowsInDoubles compares the two tiers: what doubles enclose, balls confirm, at
// each order and in two variables at once.
func TestRowsInDoubles(t *testing.T) {
	realRows(t, func(t *testing.T, row *prim.Prim, xs []float64, ints []int64) {
		d, inDoubles := rowMachine(t, jet.Double{}, row, ints)
		b, inBalls := rowMachine(t, jet.NewBalls(300), row, ints)
		dx, bx := make([]jet.Jet, len(xs)), make([]jet.Jet, len(xs))
		for i, x := range xs {
			dx[i], bx[i] = d.Float(x), b.Float(x)
			for tag := jet.Tag(1); tag <= 2; tag++ {
				dx[i] = d.Var(tag, 2, dx[i], d.Float(1+float64(i)))
				bx[i] = b.Var(tag, 2, bx[i], b.Float(1+float64(i)))
			}
		}
		y, z := inDoubles(dx...), inBalls(bx...)
		for i := range 3 {
			for j := range 3 {
				u, v := d.Coeff(d.Coeff(y, 2, i), 1, j), b.Coeff(b.Coeff(z, 2, i), 1, j)
				if !u.Known() || u.IsZero() && v.IsZero() {
					continue
				}
				lo, hi := d.N.Ends(u.Val())
				wantLo, wantHi := b.N.Ends(v.Val())
				if !v.Known() || wantHi < lo || hi < wantLo {
					t.Errorf("coefficient %d, %d: [%v, %v] in doubles, [%v, %v] in balls", i, j, lo, hi, wantLo, wantHi)
				}
			}
		}
	})
}

// TestNestedVariables derives every row in five nested variables of degree one, as nested
// derivatives do, and once in one variable of degree five: the coefficient of all five is 5!
// times the one of the fifth power, and likewise for the first few of them.
func TestNestedVariables(t *testing.T) {
	const order = 5
	n := jet.NewBalls(300)
	realRows(t, func(t *testing.T, row *prim.Prim, xs []float64, ints []int64) {
		m, apply := rowMachine(t, n, row, ints)
		nested, single := make([]jet.Jet, len(xs)), make([]jet.Jet, len(xs))
		for i, x := range xs {
			d := m.Float(1 - 2.5*float64(i))
			single[i] = m.Var(1, order, m.Float(x), d)
			nested[i] = m.Float(x)
			for tag := jet.Tag(1); tag <= order; tag++ {
				nested[i] = m.Var(tag, 1, nested[i], d)
			}
		}
		all, one := apply(nested...), apply(single...)
		factorial := 1
		for k := 1; k <= order; k++ {
			factorial *= k
			got := all
			for tag := jet.Tag(order); tag >= 1; tag-- {
				got = m.Coeff(got, tag, min(1, max(0, k-int(tag)+1)))
			}
			want := m.MulInt(m.Coeff(one, 1, k), factorial)
			if got.Known() != want.Known() || m.N.IsEmpty(m.N.Intersect(got.Val(), want.Val())) {
				t.Errorf("order %d: %s in nested variables, %s in one", k, n.String(got.Val()), n.String(want.Val()))
			}
		}
	})
}

// TestDomains holds every row to its column Outside: there nothing is known.
func TestDomains(t *testing.T) {
	for _, row := range prim.All() {
		switch row.Float.(type) {
		case prim.Real1, prim.Real2, prim.RealInt, prim.IntReal:
		default:
			continue
		}
		for _, sample := range row.Outside {
			xs, ints := sample, []int64(nil)
			switch row.Float.(type) {
			case prim.RealInt:
				xs, ints = sample[:1], []int64{int64(sample[1])}
			case prim.IntReal:
				xs, ints = sample[1:], []int64{int64(sample[0])}
			}
			m, apply := rowMachine(t, jet.Double{}, row, ints)
			args := make([]jet.Jet, len(xs))
			for i, x := range xs {
				args[i] = m.Float(x)
			}
			if y := apply(args...); y.Known() {
				t.Errorf("%s %v is %s", row.Name, sample, m.N.String(y.Val()))
			}
			// So does a set that merely touches the outside.
			for i, x := range xs {
				args[i] = m.Const(m.N.Span(m.N.Float(x), m.N.Float(x+math.Max(1, math.Abs(x)))))
			}
			if y := apply(args...); y.Known() {
				t.Errorf("%s on a set that contains %v is %s", row.Name, sample, m.N.String(y.Val()))
			}
		}
	}
}
