package machine

import (
	"fmt"
	"math"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// maxContext is how many calls around an error are named.
const maxContext = 3

// place says where a diagnostic arose: at the instruction before pc, and
// through which calls the run came there.
func (m *Machine) place(d *diag.Diagnostic, fn *Function, pc int) *diag.Diagnostic {
	if m.looksInto(fn, pc) {
		d = FirstCause(m.setback.cause, d)
		m.setback.cause = nil // it is told once
	}
	d.Span = fn.span(pc)
	// The frame of a call that failed on the way in is there already.
	top := m.frames.count()
	for ; top > 0; top-- {
		if f := m.frames.at(top - 1); f.fn != fn || f.pc < pc-1 || f.pc > pc {
			break
		}
	}
	named := fn.Name
	var last diag.Span // a recursion's calls of itself are named once
	for n := 0; top > 0 && n < maxContext; top-- {
		caller := m.frames.at(top - 1)
		if caller.fn.Name == "" || caller.pc == 0 {
			continue
		}
		at, called := caller.fn.span(caller.pc), named
		named = caller.fn.Name
		if !d.Span.Known() { // an instruction that no program has
			d.Span, last = at, at
			continue
		}
		if at == last {
			continue
		}
		context := ""
		if in := caller.fn.Code[caller.pc-1]; in.Op == OpOperate {
			context = caller.fn.Lib.operations[in.K].Within()
		}
		if context == "" {
			context = fmt.Sprintf("in a call of `%s`", written(called))
		}
		d.WithRelated(at, "%s", context)
		last = at
		n++
	}
	return d
}

// span is the place of the instruction before pc, unknown if there is none.
func (fn *Function) span(pc int) diag.Span {
	if pc < 1 || pc > len(fn.Spans) {
		return diag.Span{}
	}
	return fn.Spans[pc-1]
}

// written is the name of a function as its definition has it, without its
// module and the types that it is specialised to.
func written(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// overflowAt is the failure of the integer instruction before pc, whose
// operands are still in their registers.
func (m *Machine) overflowAt(fn *Function, pc int, i *windowI) *diag.Diagnostic {
	in := &fn.Code[pc-1]
	x, y, row := i[in.B], i[in.C], prim.Add
	switch in.Op {
	case OpSubI:
		row = prim.Sub
	case OpMulI:
		row = prim.Mul
	case OpAddKI:
		y = in.K
		if y < 0 && y > math.MinInt64 { // a difference, more likely
			row, y = prim.Sub, -y
		}
	case OpRSubKI:
		x, y, row = in.K, i[in.B], prim.Sub
	case OpMulKI:
		y, row = in.K, prim.Mul
	}
	return m.place(overflow(row, x, y), fn, pc)
}

// outOfRangeAt is the failure of an index at the instruction before pc.
func (m *Machine) outOfRangeAt(fn *Function, pc int, at int64, n int) *diag.Diagnostic {
	return m.place(outOfRange(at, n), fn, pc)
}

func outOfRange(at int64, n int) *diag.Diagnostic {
	d := diag.Errorf(diag.IndexOutOfRange, diag.Span{}, "index %d is outside an array of length %d", at, n)
	if n > 0 {
		d.WithHint("indices run from 0 to %d, which is `length xs - 1`", n-1)
	}
	return d
}

// overflow is the failure of an integer operation.
func overflow(row prim.ID, args ...int64) *diag.Diagnostic {
	return row.Row().Failure(diag.Span{}, diag.IntOverflow, args...)
}

func noInt(code diag.Code, x float64) *diag.Diagnostic {
	what := fmt.Sprint(x)
	switch {
	case math.IsNaN(x):
		what = "nan"
	case math.IsInf(x, 1):
		what = "inf"
	case math.IsInf(x, -1):
		what = "-inf"
	}
	return diag.Errorf(code, diag.Span{}, "no Int holds the real %s", what)
}

func sizesDiffer(a, b int) *diag.Diagnostic {
	return diag.Errorf(diag.SizesDiffer, diag.Span{}, "arrays of lengths %d and %d are combined element by element", a, b)
}

func negativeSize(n int64) *diag.Diagnostic {
	return diag.Errorf(diag.NegativeSize, diag.Span{}, "an array cannot have the size %d", n)
}

func badSlice(lo, hi int64, n int) *diag.Diagnostic {
	return diag.Errorf(diag.BadSlice, diag.Span{}, "the slice [%d:%d] is not within an array of length %d", lo, hi, n)
}

// ---- limits

func (m *Machine) outOfMemory(n int64) *diag.Diagnostic {
	return diag.Errorf(diag.MemoryLimit, diag.Span{}, "the run needs more memory than the limit of %s", stop.ByteSize(m.memory)).
		WithLabel("%s more are needed here", stop.ByteSize(n)).
		WithHint(stop.RaiseMemory)
}

func (m *Machine) tooDeep() *diag.Diagnostic {
	return diag.Errorf(diag.DepthLimit, diag.Span{}, "more than %d calls are active at once", m.depth).
		WithHint("raise the limit with --depth, or make the recursive call the last thing that the function does")
}
