package vector

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// polynomial is x² + 3x, summed, for x a table's elements backwards: with more values than strips.
func polynomial() (*Code, [2]int, [2]map[int]bool) {
	c := &Code{Iota: [2]int{-1, 0}, Folds: []Fold{{Op: AddF, Kind: F, Reg: 4, Another: 4}}}
	c.Instrs = []Instr{
		{Op: SubI, A: 2, B: 1, C: 0}, // the last index less this one
		{Op: AtF, A: 1, B: 2},
		{Op: MulF, A: 2, B: 1, C: 1},
		{Op: MulF, A: 3, B: 1, C: 0},
		{Op: AddF, A: 4, B: 2, C: 3},
	}
	return c, [2]int{5, 3}, [2]map[int]bool{{0: true}, {0: true, 1: true}}
}

// TestRun runs code strip by strip, the last one narrow, and compares the sum with a loop.
func TestRun(t *testing.T) {
	const n, width = 1000, 300
	table := make([]float64, n)
	want := 0.0
	for i := range table {
		table[i] = math.Sin(float64(i))
	}
	for i := n - 1; i >= 0; i-- {
		want += table[i]*table[i] + table[i]*3
	}
	c, values, fixed := polynomial()
	place := c.Assign(values, fixed)
	if c.Regs[F] >= values[F] {
		t.Errorf("%d strips for %d values", c.Regs[F], values[F])
	}
	var s Strips
	s.Reserve(c, width)
	s.TableF, s.Sums = append(s.TableF, table), append(s.Sums, Sum{})
	for j := range width {
		s.F[place[F][0]][j], s.I[place[I][1]][j] = 3, n-1
	}
	for at := 0; at < n; at += width {
		if n-at < width {
			s.Narrow(c, n-at)
		}
		s.Count(c, at)
		if !s.Run(c, true) || !s.Fold(c) {
			t.Fatal("failed")
		}
	}
	if got := s.Sums[0].F; got != want {
		t.Errorf("the sum is %v, want %v", got, want)
	}
	s.TableF[0] = table[:n/2]
	if s.Count(c, 0); s.Run(c, false) {
		t.Error("an index out of range went unnoticed")
	}
}

// TestTies: code stops at a tie where that is asked for, and only there.
func TestTies(t *testing.T) {
	for _, test := range []struct {
		in   Instr
		x, y float64
		tied bool
	}{
		{Instr{Op: MaxF}, 1, 1, true},
		{Instr{Op: MaxF}, 1, 2, false},
		{Instr{Op: AbsF}, 0, 1, true},
		{Instr{Op: AbsF}, 1, 0, false},
		{Instr{Op: LtF}, 2, 2, true},
		{Instr{Op: Round, Row: prim.Round.Row()}, 2.5, 0, true},
		{Instr{Op: Round, Row: prim.Round.Row()}, 2, 0, false},
		{Instr{Op: Round, Row: prim.Floor.Row()}, 2, 0, true},
		{Instr{Op: Round, Row: prim.Trunc.Row()}, 0, 0, false},
		{Instr{Op: Real1, Row: prim.Sign.Row()}, 0, 0, true},
		{Instr{Op: Real1, Row: prim.Exp.Row()}, 0, 0, false},
		{Instr{Op: Real2, Row: prim.Hypot.Row()}, 0, 0, true},
		{Instr{Op: Real2, Row: prim.Hypot.Row()}, 0, 1, false},
	} {
		in := test.in
		in.B, in.C, in.A = 0, 1, 2
		if in.Row != nil {
			in.Fun = in.Row.Float
		}
		c := &Code{Instrs: []Instr{in}, Regs: [2]int{3, 3}}
		for _, ties := range []bool{false, true} {
			var s Strips
			s.Reserve(c, 2)
			s.F[0], s.F[1] = []float64{7.25, test.x}, []float64{8, test.y}
			if got := s.Run(c, ties); got == (ties && test.tied) {
				t.Errorf("%d at %v, %v: ran %v, ties are failures: %v", in.Op, test.x, test.y, got, ties)
			}
		}
	}
	c := &Code{Folds: []Fold{{Op: MaxF, Kind: F}}, Regs: [2]int{1, 0}}
	for at, want := range []bool{false, true} {
		s := Strips{F: [][]float64{{4}}, Sums: []Sum{{F: 4}}}
		if got := s.FoldTies(c, at); got != want {
			t.Errorf("a maximum that meets itself at %d: %v", at, got)
		}
	}
}

// TestOverflow: a fold that fails leaves all accumulators as they are.
func TestOverflow(t *testing.T) {
	c := &Code{Regs: [2]int{1, 1}, Folds: []Fold{{Op: AddF, Kind: F}, {Op: AddI, Kind: I}}}
	s := Strips{F: [][]float64{{1}}, I: [][]int64{{1}}, Sums: []Sum{{F: 2}, {I: math.MaxInt64}}}
	if s.Fold(c) || s.Sums[0].F != 2 {
		t.Errorf("%+v", s.Sums)
	}
}
