package golang

import (
	"fmt"
	"go/types"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// TestAgainstEval builds random functions and compares their results, bit for bit, with those of
// the executable semantics.
func TestAgainstEval(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not installed")
	}
	const count = 8
	p, names := &Package{Name: "main"}, map[*loop.Func]string{}
	var calls strings.Builder
	var want []string
	for i := range count + 1 {
		f, args := looptest.Random(rand.New(rand.NewPCG(uint64(i), 7)),
			looptest.Options{Updates: true, Whiles: true, Copies: i%2 == 0})
		if i == count {
			f, args = reusing(t)
		}
		names[f] = fmt.Sprintf("random%d", i)
		p.Functions = append(p.Functions, &Function{Name: names[f], Loop: f})
		out, err := loop.Eval(vmath.Inline(f), args...)
		var show strings.Builder
		fmt.Fprint(&show, names[f], err != nil)
		if err == nil {
			for i, a := range f.Body.Yield {
				for _, w := range append(out[i].Buf, scalar(a, out[i])...) {
					fmt.Fprint(&show, " ", bits(a.AtomKind(), w))
				}
			}
		}
		want = append(want, show.String())
		calls.WriteString(callOf(f, names[f], args))
	}
	text, err := Print(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"random.go": string(text),
		"go.mod":  "module random\n\ngo 1.24\n",
		"main.go": "package main\n\n" + mainHelpers + "func main() {\n" + calls.String() + "}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != want[i] {
			t.Errorf("%s\nnot\n%s\n%s", line, want[i], p.Functions[i].Loop)
		}
	}
}

// reusing is a function whose turns have buffers of different lengths, one of them of zeros that
// are added to. A turn must not see what another has left in them, and what a turn yields must
// stay.
func reusing(t *testing.T) (*loop.Func, []loop.Value) {
	p, err := loop.Parse(`func f(n : i64, xs : f64s) {
  all = alloc f64s n
  first = alloc f64s 2 zero
  for i < n, last : f64s = first {
    k = mod.i i 3
    m = add.i k 2
    z = alloc f64s m zero
    y = alloc f64s m
    kept = alloc f64s m
    for j < m parallel {
      x = xs[j]
      z[k] += x
      y[j] = x
    }
    for j2 < m parallel {
      a = z[j2]
      b = y[j2]
      c = add.f a b
      kept[j2] = c
    }
    for j3 < m parallel, add.f from 0.0 {
      a2 = z[j3]
      b2 = last[0]
      c2 = mul.f a2 b2
      d2 = add.f a2 c2
      yield d2
    } gives s : f64
    all[i] = s
    yield kept
  } gives end : f64s
  yield all end
}
`)
	if err != nil {
		t.Fatal(err)
	}
	return p.Funcs[0], []loop.Value{loop.IntValue(8), loop.RealsValue([]float64{1, 2, 4, 8})}
}

func scalar(a loop.Atom, v loop.Value) []uint64 {
	if a.AtomKind().IsBuffer() {
		return nil
	}
	return []uint64{v.Word}
}

func bits(k loop.Kind, w uint64) string {
	if x := math.Float64frombits(w); (k == loop.F64 || k == loop.F64s) && x != x {
		return "NaN"
	}
	return fmt.Sprintf("%x", w)
}

const mainHelpers = `import (
	"fmt"
	"math"
)

func show(x any) {
	switch x := x.(type) {
	case float64:
		if x != x {
			fmt.Print(" NaN")
			return
		}
		fmt.Printf(" %x", math.Float64bits(x))
	case int64:
		fmt.Printf(" %x", uint64(x))
	case bool:
		if x {
			fmt.Print(" 1")
		} else {
			fmt.Print(" 0")
		}
	case []float64:
		for _, y := range x {
			show(y)
		}
	case []int64:
		for _, y := range x {
			show(y)
		}
	}
}

`

// callOf calls a function with the arguments and prints what it gives.
func callOf(f *loop.Func, name string, args []loop.Value) string {
	var from, to []string
	for i, p := range f.Params {
		switch p.Kind {
		case loop.F64:
			from = append(from, fmt.Sprintf("%x", args[i].Real()))
		case loop.F64s:
			from = append(from, fmt.Sprintf("%#v", args[i].Reals()))
		case loop.I64s:
			text := "[]int64{"
			for _, w := range args[i].Buf {
				text += fmt.Sprintf("%d, ", int64(w))
			}
			from = append(from, text+"}")
		default:
			from = append(from, fmt.Sprint(int64(args[i].Word)))
		}
	}
	for i := range f.Body.Yield {
		to = append(to, fmt.Sprintf("r%d", i))
	}
	text := fmt.Sprintf("{\n%s, err := %s(%s)\nfmt.Print(%q, err != nil)\n", strings.Join(to, ", "),
		name, strings.Join(from, ", "), name)
	for _, r := range to {
		text += fmt.Sprintf("if err == nil {\nshow(%s)\n}\n", r)
	}
	return text + "fmt.Println()\n}\n"
}

// TestGolden shows what is printed.
func TestGolden(t *testing.T) {
	p, err := loop.Parse(`func f(func_ : f64s, x : f64) {
  n = length func_
  c = lt.i 0 n
  check c
  for i < n parallel, add.f from 0.0 {
    a = func_[i]
    b = mul.f a x
    yield b
  } gives s : f64
  yield s
}
`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Print(&Package{Name: "model",
		Functions: []*Function{{Name: "F", Doc: "F is f.", Loop: p.Funcs[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `// F is f.
func F(func2 []float64, x float64) (float64, error) {
	n := int64(len(func2))
	if n <= 0 {
		return 0, ErrRange
	}
	s := float64(0)
	for i := range n {
		s += float64(func2[i] * x)
	}
	return s, nil
}
`
	if !strings.HasSuffix(string(got), want) {
		t.Errorf("printed as\n%s", got)
	}
}

// TestPredeclared: the names that are avoided are those that Go declares.
func TestPredeclared(t *testing.T) {
	for _, name := range types.Universe.Names() {
		if !predeclared[name] {
			t.Errorf("%s is not avoided", name)
		}
	}
	for name := range predeclared {
		if types.Universe.Lookup(name) == nil {
			t.Errorf("Go does not declare %s", name)
		}
	}
}
