package driver_test

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/engine/jit"
	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// together runs one region by every engine and compares. Most of the time that a program takes
// by engines one after the other goes into lowering and optimising it again for each of them.
type together struct {
	kinds   []loop.Kind
	ordered []loop.Code // deterministic ones, which agree to the last bit
	others  []loop.Code
	differ  *bool
}

// byAll returns an engine that sets differ where engines do not agree.
func byAll(differ *bool) interp.Engine {
	return func(p *loop.Program) (loop.Code, error) {
		c := &together{differ: differ}
		for _, a := range p.Funcs[0].Body.Yield {
			c.kinds = append(c.kinds, a.AtomKind())
		}
		c.ordered = append(c.ordered, portable.CompileOrdered(p.Funcs[0]))
		c.others = append(c.others, portable.Compile(p.Funcs[0]))
		if code, err := jit.Compile(p, jit.Options{Deterministic: true}); err == nil {
			c.ordered = append(c.ordered, code)
		}
		if code, err := jit.Compile(p, jit.Options{}); err == nil {
			c.others = append(c.others, code)
		}
		return c, nil
	}
}

// Run returns the results of the last engine.
func (c *together) Run(args []loop.Arg, opts loop.RunOptions) ([]loop.Arg, error) {
	want, failed := c.ordered[0].Run(args, opts)
	for _, code := range c.ordered[1:] {
		if got, err := code.Run(args, opts); !c.agree(want, failed, got, err, 0) {
			*c.differ = true
		}
	}
	var got []loop.Arg
	var err error
	for _, code := range c.others {
		if got, err = code.Run(args, opts); !c.agree(want, failed, got, err, 1e-8) {
			*c.differ = true
		}
	}
	return got, err
}

// RunInto is Run.
func (c *together) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	results, err := c.Run(args, opts)
	for i := range results {
		into[i].Put(results[i], true)
	}
	return err
}

// agree reports whether two runs fail, or have results that differ by at most a tolerance, relative
// to the largest.
func (c *together) agree(want []loop.Arg, failed error, got []loop.Arg, err error, tolerance float64) bool {
	if failed != nil || err != nil {
		return failed != nil && err != nil
	}
	scale := 1.0
	each := func(f func(x, y float64)) (same bool) {
		for k, kind := range c.kinds {
			a, b := want[k], got[k]
			if len(a.F) != len(b.F) || len(a.I) != len(b.I) {
				return false
			}
			for i := range a.I {
				if a.I[i] != b.I[i] {
					return false
				}
			}
			for i := range a.F {
				f(a.F[i], b.F[i])
			}
			switch {
			case kind == loop.F64:
				f(a.Real(), b.Real())
			case !kind.IsBuffer() && a.Word != b.Word:
				return false
			}
		}
		return true
	}
	same := each(func(x, _ float64) {
		if !math.IsInf(x, 0) {
			scale = max(scale, math.Abs(x))
		}
	})
	return same && each(func(x, y float64) {
		if tolerance == 0 {
			same = same && (math.Float64bits(x) == math.Float64bits(y) || x != x && y != y)
		} else {
			same = same && (math.Abs(x-y) <= tolerance*scale || x == y || x != x && y != y)
		}
	}) && same
}

// agreesTogether reports whether a program gives the same, or fails in the same way, by the
// interpreter and by engines that run together. If not, agreeOn finds out what is wrong, if
// anything is.
func agreesTogether(t *testing.T, opts interp.Options, text string) bool {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	differ := false
	run := func(engine interp.Engine) (value.Value, *diag.Diagnostic) {
		s := driver.Settings{Limits: interp.DefaultLimits(), Compile: opts}
		s.Compile.Eager, s.Compile.Engine = true, engine
		result, d := driver.Run(context.Background(), unit, s)
		return result.Value, d
	}
	want, failed := run(nil)
	got, d := run(byAll(&differ))
	switch {
	case differ:
		return false
	case failed != nil || d != nil:
		return failed != nil && d != nil && failed.Code == d.Code && failed.Message == d.Message && failed.Span == d.Span
	}
	return closeReals(want, got, 1e-8)
}
