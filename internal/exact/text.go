package exact

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// textRow compiles a row on texts. The digits of a real are those of both ends of its enclosure,
// if these agree; otherwise more effort is needed.
func (c *compiler) textRow(s *core.Let, op *core.Prim, into place) place {
	m, row, at := c.m, op.Prim, s.At
	switch row.ID {
	case prim.Infinity:
		c.emit(func(*regs) error {
			return diag.Errorf(diag.Undefined, at, "infinity is not a real number").
				WithHint("exact evaluation has only reals: start from an element, or from a bound that you know")
		})
		return into
	case prim.IsNaN:
		d := into.i[0].n
		c.emit(func(f *regs) error {
			f.i[local][d] = 0 // what is not a number was reported
			return nil
		})
		return into
	}
	args := make([]operand, len(op.Args))
	for k, a := range op.Args {
		switch types.Resolve(a.Type()) {
		case types.Real:
			args[k] = c.real(a)
		case types.Int:
			args[k] = c.int(a)
		default:
			args[k] = c.ref(a)
		}
	}
	if row.Digits != nil {
		d := into.p[0].n
		c.emit(func(f *regs) error {
			x := f.r[args[1].part][args[1].n]
			text, err := m.digits(at, row.Digits, f.i[args[0].part][args[0].n], x, m.settled(args[1], x))
			f.p[local][d] = text
			return err
		})
		return into
	}
	c.emit(func(f *regs) error {
		values := make([]any, len(args))
		for k, a := range args {
			switch types.Resolve(op.Args[k].Type()) {
			case types.Int:
				values[k] = f.i[a.part][a.n]
			case types.String:
				values[k] = f.p[a.part][a.n].(string)
			default:
				values[k] = f.arrayAt(a).i
			}
		}
		result, problem := row.Text(values)
		if problem != "" {
			return diag.Errorf(diag.Failure, at, "%s", problem)
		}
		switch result := result.(type) {
		case string:
			if err := m.room(at, int64(len(result)), shape{i: 1}); err != nil {
				return err
			}
			f.p[local][into.p[0].n] = result
		case int64:
			f.i[local][into.i[0].n] = result
		case []int64:
			if err := m.room(at, int64(len(result)), shape{i: 1}); err != nil {
				return err
			}
			f.p[local][into.p[0].n] = &array{len(result), slots{i: result}}
		case []*big.Rat:
			xs := make([]jet.Jet, len(result))
			for k, q := range result {
				xs[k] = m.Const(m.N.Rat(q))
			}
			f.p[local][into.p[0].n] = &array{len(xs), slots{r: xs}}
		}
		return nil
	})
	return into
}

// unknownDigits ends an evaluation whose enclosures are too wide for the digits of a real.
type unknownDigits struct {
	at diag.Span
	in string // the enclosure
}

func (*unknownDigits) Error() string { return "digits that are not known" }

// digits writes a real that varies with nothing: those of another have no derivative.
func (c *ctx) digits(at diag.Span, write prim.Digits, n int64, x jet.Jet, settled bool) (string, error) {
	if !settled {
		return "", diag.Errorf(diag.NoText, at, "this real varies, so its digits are not fixed").
			WithHint("inside a derivative, an integral or a search exact evaluation writes only constants")
	}
	if !x.Known() {
		return "", &unknownDigits{at, "unknown"}
	}
	lo, hi := Ends(x.Val())
	if lo.IsInf() || hi.IsInf() {
		return "", &unknownDigits{at, c.N.String(x.Val())}
	}
	low, _ := lo.Rat(nil)
	high, _ := hi.Rat(nil)
	first, problem := write(n, low)
	if problem != "" {
		return "", diag.Errorf(diag.Failure, at, "%s", problem)
	}
	if last, _ := write(n, high); first != last {
		return "", &unknownDigits{at, c.N.String(x.Val())}
	}
	return first, nil
}
