package opt_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

func parse(t *testing.T, text string) *core.Program {
	t.Helper()
	p, d := core.Parse("test", text)
	if d != nil {
		t.Fatal(d)
	}
	if err := core.Verify(p, core.Poly); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInstancesWithoutEnd: a function that calls itself at a larger type has no end of instances.
func TestInstancesWithoutEnd(t *testing.T) {
	for name, larger := range map[string]string{"growing": "(a, Int)", "doubling": "(a, a)"} {
		t.Run(name, func(t *testing.T) {
			other := strings.TrimSuffix(larger[len("(a, "):], ")")
			y := "3"
			if other == "a" {
				y = "x"
			}
			p := parse(t, fmt.Sprintf(`
def deep [a] : Int -> a -> Int =
  let f : Int -> a -> Int = fun (n : Int) (x : a) ->
    let p : %[1]s = (x, %[2]s)
    let r : Int = call @deep[%[1]s] n p
    ret r
  ret f

main : Int =
  let r : Int = call @deep[Int] 1 2
  ret r
`, larger, y))
			start := time.Now()
			_, d := opt.Mono(p, opt.Options{})
			if d == nil || d.Code != diag.ProgramTooLarge || !strings.Contains(d.Message, "deep") {
				t.Errorf("got %v", d)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// TestFirstInstancesAreFree: as many polymorphic definitions as the program has, each used at one
// type, are no growth; further types of one are.
func TestFirstInstancesAreFree(t *testing.T) {
	const defs = `
def f [a] : a -> a =
  let f : a -> a = fun (x : a) ->
    ret x
  ret f
def g [a] : a -> a =
  let g : a -> a = fun (x : a) ->
    let y : a = call @f[a] x
    ret y
  ret g

main : Int =
`
	limit := opt.Options{MaxDefs: 1}
	if _, d := opt.Mono(parse(t, defs+"  let r : Int = call @g[Int] 2\n  ret r\n"), limit); d != nil {
		t.Error(d)
	}
	more := "  let a : Bool = call @f[Bool] true\n  let b : Real = call @f[Real] 1.0\n  let r : Int = call @f[Int] 2\n  ret r\n"
	if _, d := opt.Mono(parse(t, defs+more), limit); d == nil || d.Code != diag.ProgramTooLarge {
		t.Errorf("got %v", d)
	}
}

func TestZeroOfUnknownShape(t *testing.T) {
	p := parse(t, "main : []Real =\n  let z : []Real = %zero[[]Real]\n  ret z\n")
	if _, d := opt.Mono(p, opt.Options{}); d == nil || d.Code != diag.Ambiguous {
		t.Errorf("got %v", d)
	}
}

// chain returns a program of n definitions, each of which calls the one before as
// often as given.
func chain(n, calls int) string {
	var b strings.Builder
	b.WriteString("def f0 : Real -> Real =\n  let f : Real -> Real = fun (x : Real) ->\n    ret x\n  ret f\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "def f%d : Real -> Real =\n  let f : Real -> Real = fun (x : Real) ->\n    let y : Real = %%sin x\n", i)
		for range calls {
			fmt.Fprintf(&b, "    let y : Real = call @f%d y\n", i-1)
		}
		b.WriteString("    ret y\n  ret f\n")
	}
	fmt.Fprintf(&b, "main : Real =\n  let r : Real = call @f%d 0.5\n  ret r\n", n)
	return b.String()
}

// nested returns a program of n lambdas, each the argument of a call around it.
func nested(n int) string {
	var b strings.Builder
	b.WriteString("def twice : (Real -> Real) -> Real -> Real =\n  let f : (Real -> Real) -> Real -> Real = fun (g : Real -> Real) (x : Real) ->\n" +
		"    let y : Real = call g x\n    let z : Real = call g y\n    ret z\n  ret f\nmain : Real =\n")
	for i := range n {
		fmt.Fprintf(&b, "let f%d : Real -> Real = fun (x%d : Real) ->\n", i, i)
	}
	fmt.Fprintf(&b, "let y : Real = %%sin x%d\nret y\n", n-1)
	for i := n - 1; i >= 0; i-- {
		x := "0.5"
		if i > 0 {
			x = fmt.Sprintf("x%d", i-1)
		}
		fmt.Fprintf(&b, "let r%d : Real = call @twice f%d %s\nret r%d\n", i, i, x, i)
	}
	return b.String()
}

// TestStop: Prepare ends wherever its time is over, or else with a program.
func TestStop(t *testing.T) {
	p := parse(t, chain(300, 1))
	for after := time.Duration(0); after < 5*time.Millisecond; after += 250 * time.Microsecond {
		ctx, done := stop.Within(context.Background(), after+1)
		q, d := opt.Prepare(p, opt.Options{Verify: true, Watch: stop.Of(ctx)})
		done()
		if d != nil && d.Code != diag.TimeLimit || (q == nil) != (d != nil) || after == 0 && d == nil {
			t.Errorf("stopped after %v, Prepare gives %v and a program: %v", after, d, q != nil)
		}
	}
}

// TestNoExplosion: work and growth stay linear where naive inlining is exponential or quadratic.
func TestNoExplosion(t *testing.T) {
	for name, text := range map[string]string{
		"once": chain(3000, 1), "twice": chain(1000, 2), "thrice": chain(300, 3), "nested": nested(200),
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, text)
			start := time.Now()
			q, d := opt.Prepare(p, opt.Options{})
			if d != nil {
				t.Fatal(d)
			}
			if q.Size() > 5*p.Size()+2000 {
				t.Errorf("%d operations became %d", p.Size(), q.Size())
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %s", took)
			}
			if err := core.Verify(q, core.Mono); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTemplates: sorting and equality at structured types, on arrays long enough to matter.
func TestTemplates(t *testing.T) {
	p := parse(t, `
main : ([]Int, Bool, Bool) =
  let xs : [](Int, Int) = build (i : Int) < 200 ->
    let a : Int = %*[Int] i 37
    let b : Int = %mod a 11
    let c : Int = %mod a 3
    let p : (Int, Int) = (b, c)
    ret p
  let order : []Int = %sortIndices[(Int, Int)] xs
  let sorted : [](Int, Int) = map (i : Int) in order ->
    let x : (Int, Int) = index xs i
    ret x
  let bad : Int = loop (n : Int) from 0 for (i : Int) < 199 do
    let j : Int = %+[Int] i 1
    let x : (Int, Int) = index sorted i
    let y : (Int, Int) = index sorted j
    let k : Int = index order i
    let l : Int = index order j
    let kx : ((Int, Int), Int) = (x, k)
    let ly : ((Int, Int), Int) = (y, l)
    let less : Bool = %<[((Int, Int), Int)] kx ly
    let m : Int = if less then
      ret n
    else
      let o : Int = %+[Int] n 1
      ret o
    ret m
  let good : Bool = %==[Int] bad 0
  let same : Bool = %==[[](Int, Int)] xs xs
  let r : ([]Int, Bool, Bool) = (order, good, same)
  ret r
`)
	q, d := opt.Prepare(p, opt.Options{Verify: true})
	if d != nil {
		t.Fatal(d)
	}
	got := coretest.Outcome(coretest.Eval(q))
	if !strings.HasSuffix(got, "], true, true)") {
		t.Errorf("got %s", got)
	}
}

// TestRootsAlone: of a program without Main, what the roots do not reach any more is dropped; all
// of it is kept if there are no roots.
func TestRootsAlone(t *testing.T) {
	const text = `
def once : Real -> Real =
  let f : Real -> Real = fun (x : Real) ->
    let y : Real = %sin x
    ret y
  ret f
def fails : Int =
  let n : Int = %div 1 0
  ret n
def root : Real -> Real =
  let f : Real -> Real = fun (x : Real) ->
    let y : Real = call @once x
    let z : Int = %+[Int] @fails 1
    let k : Real = %real z
    let r : Real = %*[Real] y k
    ret r
  ret f
`
	p := parse(t, text)
	names := func(opts opt.Options) (names []string) {
		opts.Verify = true
		for _, d := range opt.Simplify(p, opts).Defs {
			names = append(names, d.Name)
		}
		return names
	}
	if got := names(opt.Options{Roots: []string{"root"}}); !slices.Equal(got, []string{"fails", "root"}) {
		t.Errorf("root reaches %v", got)
	}
	if got := names(opt.Options{}); len(got) != 3 {
		t.Errorf("of all, %v are left", got)
	}
}
