//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/property"
)

// slow is a command that takes longer than its time, most of it in one stage.
type slow struct {
	stage string
	files map[string]func() string // what they contain, by their names
	args  []string
	// prints says that most of the time may go to work that does not poll: Note [Work that does not
	// poll]. Only the end of the process ends it.
	prints bool
}

// printing returns a slow command whose process is to end in time.
func (s slow) printing() slow {
	s.prints = true
	return s
}

// program returns a slow command that is given one file, in.flx.
func program(stage, text string, args ...string) slow {
	return slow{stage, map[string]func() string{"in.flx": func() string { return text }}, args, false}
}

// many are texts with the numbers 0, 1, …
func many(n int, f func(b *strings.Builder, i int)) string {
	var b strings.Builder
	for i := range n {
		f(&b, i)
	}
	return b.String()
}

func definitions(n int) string {
	return many(n, func(b *strings.Builder, i int) { fmt.Fprintf(b, "let d%d (x : Real) : Real = x * %d + sin x\n", i, i) })
}

func chain(n int, link string) string {
	return many(n, func(b *strings.Builder, i int) {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(link, "#", fmt.Sprint(i)), "@", fmt.Sprint(i+1)))
	})
}

func nested(n int) string {
	return "let f (x : Real) : Real =\n  let v0 = x in\n" + chain(n, "  let v@ = sin (v# * x + #) in\n") + fmt.Sprintf("  v%d\n", n)
}

func array(n int) string {
	return "[" + many(n, func(b *strings.Builder, i int) { fmt.Fprintf(b, "%d.5, ", i) }) + "0]"
}

// hardInBox is a function whose minimum in a box of nine dimensions takes minutes.
const hardInBox = "let f (x : []Real) : Real = sum [sum [(x[i] * x[j] - 0.3)^2 + sin (x[i] * real j) for i < length x] for j < length x]\n"

func slowCommands() []func() slow {
	defs, one := definitions(60_000), nested(4500)
	run := []string{"run", "in.flx"}
	check := []string{"check", "in.flx"}
	return []func() slow{
		func() slow { return program("parse definitions", defs, check...) },
		func() slow { return program("run definitions", defs+"d1 2\n", run...) },
		func() slow { return program("a long comment", "{-"+strings.Repeat("x ", 20<<20)+"-}\n1", check...) },
		func() slow { return program("blank lines", strings.Repeat("   \n", 10<<20)+"\n1", check...) },
		func() slow {
			return program("a long text", "import string\nstring.length \""+strings.Repeat("x", 40<<20)+"\"\n", check...)
		},
		func() slow { return program("a long number", strings.Repeat("7", 1<<20)+".5\n", run...) },
		func() slow {
			return program("parentheses", strings.Repeat("("+strings.Repeat("(", 3000)+"1"+strings.Repeat(")", 3000)+") + ", 100)+"1\n", check...)
		},
		func() slow { return program("nested lets", one, check...) },
		func() slow { return program("run nested lets", one+"f 1\n", run...) },
		func() slow {
			return program("many nested lets", many(60, func(b *strings.Builder, i int) {
				b.WriteString(strings.ReplaceAll(one, "let f ", fmt.Sprintf("let f%d ", i)))
			})+"f1 1\n", run...)
		},
		func() slow { return program("a literal", "sum "+array(300_000)+"\n", run...) },
		func() slow { return program("literal exact", "sum "+array(300_000)+"\n", "run", "--exact", "in.flx") },
		func() slow {
			return program("a literal matrix", "sum [sum r for r in ["+strings.Repeat(array(100)+",", 3000)+array(100)+"]]\n", run...)
		},
		func() slow {
			return program("a sum of terms", "let f (x : Real) = "+many(400, func(b *strings.Builder, i int) {
				b.WriteString("(" + strings.Repeat("sin (x * 3) + ", 300) + "1) * ")
			})+"1\nf 2\n", run...)
		},
		func() slow {
			return program("types that double", "let t0 = 1.0\n"+chain(40, "let t@ = (t#, t#)\n")+"t40\n", run...)
		},
		func() slow {
			return program("types of functions that double", "let p0 x = (x, x)\n"+chain(7, "let p@ x = p# (p# x)\n")+"p7 1\n", run...)
		},
		func() slow {
			return program("ml exponential", "let f x =\n  let y0 = fun k => k x in\n"+chain(40, "  let y@ = fun k => k (y#) (y#) in\n")+"  1\n", check...)
		},
		func() slow {
			return program("ml exponential lets", "let y0 x = x\n"+chain(30, "let y@ = fun z => (y# z, y# z)\n")+"1\n", check...)
		},
		func() slow {
			return program("records", "let r = {"+many(20000, func(b *strings.Builder, i int) { fmt.Fprintf(b, "f%d = %d.5, ", i, i) })+"z = 1}\n"+many(300, func(b *strings.Builder, i int) { fmt.Fprintf(b, "let r%d = r.f%d\n", i, i) })+"r.z\n", run...)
		},
		func() slow {
			return program("record functions", "let f r = "+many(3000, func(b *strings.Builder, i int) { fmt.Fprintf(b, "r.f%d + ", i) })+"1\n", check...)
		},
		func() slow {
			return program("exhaustiveness", "data T = A | B | C | D | E\nlet f (x : ("+strings.Repeat("T, ", 29)+"T)) : Int = match x with\n"+
				many(30, func(b *strings.Builder, i int) {
					parts := strings.Split(strings.Repeat("_ ", 30), " ")[:30]
					parts[i], parts[(i*7+3)%30] = "A", "B"
					b.WriteString("| (" + strings.Join(parts, ", ") + ") -> 1\n")
				})+"| _ -> 2\n", check...)
		},
		func() slow {
			return program("constructors", "data T = C0"+many(8000, func(b *strings.Builder, i int) { fmt.Fprintf(b, " | D%d Real", i) })+"\nlet f x = match x with | C0 -> 0\n"+many(8000, func(b *strings.Builder, i int) { fmt.Fprintf(b, "  | D%d y -> y + %d\n", i, i) })+"f (D7 1)\n", run...)
		},
		func() slow {
			return program("mutual recursion", "let rec g0 (x : Real) : Real = g1 x\n"+many(20000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "and g%d (x : Real) : Real = if x > 1 then x else g%d (x + 1) + g%d x\n", i+1, (i*7919)%20000, (i*104729+5)%20000)
			})+"g0 2\n", run...)
		},
		func() slow {
			return program("mistakes", many(40000, func(b *strings.Builder, i int) { fmt.Fprintf(b, "let definition%d = definitoin%d + 1\n", i, i) }), check...)
		},
		func() slow {
			return program("mistakes of types", many(30000, func(b *strings.Builder, i int) { fmt.Fprintf(b, "let a%d = 1 + true\n", i) }), check...)
		},
		func() slow {
			return program("sizes", "let f (a : [n]Real) =\n"+many(1500, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "  let b%d = [x * y for x in a, y in a] in\n", i)
			})+"  a\n", check...)
		},
		func() slow {
			return program("unused names", "let f x =\n"+chain(4500, "  let v# = x + # in\n")+"  x\n", check...)
		},
		func() slow {
			return program("copies", "let f0 x = x\n"+chain(30, "let f@ x = (f# x, f# (x, x))\n")+"f10 1\n", run...)
		},
		func() slow {
			return program("inlining", "let f0 (x : Real) = sin x\n"+chain(30, "let f@ (x : Real) = f# (f# x)\n")+"f30 1\n", run...)
		},
		func() slow {
			return program("inlining higher", "let t f x = f (f x)\n("+strings.Repeat("t (", 25)+"fun x => x + 1.5"+strings.Repeat(")", 25)+") 1\n", run...)
		},
		func() slow {
			return program("branches", "let f (x : Real) =\n"+chain(3000, "  let x = if x > # then x * 2 else x - # in\n")+"  x\nf 1\n", run...)
		},
		func() slow {
			return program("derivatives in derivatives", strings.Repeat("deriv (", 40)+"fun x => sin x"+strings.Repeat(")", 40)+" 1\n", run...)
		},
		func() slow {
			return program("derivatives in derivatives jit", strings.Repeat("deriv (", 40)+"fun x => sin x"+strings.Repeat(")", 40)+" 1\n", "run", "--engine=jit", "in.flx")
		},
		func() slow {
			return program("exact derivatives", strings.Repeat("deriv (", 40)+"fun x => sin x"+strings.Repeat(")", 40)+" 1\n", "run", "--exact", "in.flx")
		},
		func() slow {
			return program("jit", one+"sum [f (real i) for i < 100000]\n", "run", "--engine=jit", "in.flx")
		},
		func() slow {
			return program("jit gradient", one+"sum [deriv f (real i) for i < 100000]\n", "run", "--engine=jit", "in.flx")
		},
		func() slow {
			return program("jit branches", "let f (x : Real) =\n"+chain(3000, "  let x = if x > # then x * 2 else x - # in\n")+"  x\nsum [f (real i) for i < 100000]\n", "run", "--engine=jit", "in.flx")
		},
		func() slow {
			return program("portable", one+"sum [f (real i) for i < 100000]\n", "run", "--engine=portable", "in.flx")
		},
		func() slow {
			return program("portable gradient", one+"sum [deriv f (real i) for i < 100000]\n", "run", "--engine=portable", "in.flx")
		},
		func() slow {
			return program("go", one, "build", "in.flx", "--fn=f", "--target=go", "-o=out").printing()
		},
		func() slow {
			return program("go hessian", one, "build", "in.flx", "--fn=f", "--hessian", "--grad", "--target=go", "-o=out").printing()
		},
		func() slow {
			return program("c", one, "build", "in.flx", "--fn=f", "--grad", "--target=c", "-o=out").printing()
		},
		func() slow {
			return program("wasm", one, "build", "in.flx", "--fn=f", "--grad", "--target=wasm", "-o=out").printing()
		},
		func() slow {
			return program("go of many", many(2000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "let f%d (x : Real) (v : []Real) : Real = sum [sin (x * y + %d) for y in v]\n", i, i)
			}), "build", "in.flx", "--fn=f0"+many(1999, func(b *strings.Builder, i int) { fmt.Fprintf(b, ",f%d", i+1) }), "--grad", "--target=go", "-o=out").printing()
		},
		func() slow {
			return program("c of many", many(2000, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "let f%d (x : Real) (v : []Real) : Real = sum [sin (x * y + %d) for y in v]\n", i, i)
			}), "build", "in.flx", "--fn=f0"+many(1999, func(b *strings.Builder, i int) { fmt.Fprintf(b, ",f%d", i+1) }), "--target=c", "-o=out").printing()
		},
		func() slow { return program("printing", "[real i * 0.1 for i < 5000000]\n", run...).printing() },
		func() slow {
			return program("printing json", "[real i * 0.1 for i < 5000000]\n", "run", "--json", "in.flx").printing()
		},
		func() slow {
			return program("printing csv", "[real i * 0.1 for i < 5000000]\n", "run", "--out=o.csv", "in.flx").printing()
		},
		func() slow {
			return program("printing parquet", "[real i * 0.1 for i < 5000000]\n", "run", "--out=o.parquet", "in.flx").printing()
		},
		func() slow {
			return program("picture", "[[real (i * j) * 1e-7 for i < 3000] for j < 3000]\n", "run", "--png=o.png", "in.flx").printing()
		},
		func() slow {
			return program("show", "import string\nstring.length (show [real i * 0.1 for i < 5000000])\n", run...)
		},
		func() slow {
			return program("sort", "import array\narray.sort [sin (real i) for i < 5000000]\n", "run", "in.flx")
		},
		func() slow {
			return program("solve", "import linalg\nsum (linalg.solve [[sin (real (i * j)) for i < 3000] for j < 3000] [1 for _ < 3000])\n", run...)
		},
		func() slow {
			return program("product", "import linalg\nlet m = [[sin (real (i * j)) for i < 3000] for j < 3000]\nsum [sum r for r in linalg.matMul m m]\n", run...)
		},
		func() slow {
			return program("eigenvalues", "import linalg\nsum (linalg.eigSym [[sin (real (i * j)) for i < 1500] for j < 1500]).values\n", run...)
		},
		func() slow {
			return program("bessel", "integral 0 1000 (fun x => besselJ 0 x * besselJ 1 x * besselJ 2 x)\n", "run", "--exact", "in.flx")
		},
		func() slow {
			return program("system", "length (roots [0 for _ < 500] [1 for _ < 500] (fun x => [y^2 - 0.5 for y in x]))\n", run...)
		},
		func() slow {
			return program("a box", hardInBox, "solve", "in.flx", "--fn=f", "--min", "--box=x=replicate 9 (-5)..replicate 9 5")
		},
		func() slow {
			return program("unknowns", "let f (x : [1000]Real) = [x[i] - 0.5 + 0.01 * x[mod (i + 1) 1000] for i < 1000]\n", "solve", "in.flx", "--fn=f", "--box=x=-1..1", "--json").printing()
		},
		func() slow {
			return program("exact sum", "sum [sin (real i) for i < 1000000]\n", "run", "--exact", "in.flx")
		},
		func() slow { return program("exact digits", "sin 1\n", "run", "--digits=100000", "in.flx") },
		func() slow {
			return program("certify", "sum [sin (real i) for i < 1000000]\n", "run", "--certify", "in.flx")
		},
		func() slow {
			return slow{"csv", map[string]func() string{"d.csv": func() string { return "x,y\n" + strings.Repeat("1.25,2.5\n", 5_000_000) }}, []string{"data", "d.csv"}, false}
		},
		func() slow {
			return slow{"csv of texts", map[string]func() string{"d.csv": func() string { return "x,y\n" + strings.Repeat("abc,\"d e\"\n", 5_000_000) }}, []string{"data", "d.csv"}, false}
		},
		func() slow {
			return slow{"a csv cell", map[string]func() string{"d.csv": func() string { return "x\n\"" + strings.Repeat("a", 100<<20) + "\"\n" }}, []string{"data", "d.csv"}, false}
		},
		func() slow {
			return slow{"csv columns", map[string]func() string{"d.csv": func() string { s := strings.Repeat("1,", 300_000) + "1\n"; return s + s + s }}, []string{"data", "d.csv"}, false}
		},
		func() slow {
			return slow{"json", map[string]func() string{"d.json": func() string { return "[" + strings.Repeat("{\"x\":1.5,\"y\":2},", 3_000_000) + "{\"x\":1.5,\"y\":2}]" }}, []string{"data", "d.json"}, false}
		},
		func() slow {
			return slow{"json nested", map[string]func() string{"d.json": func() string { return "[" + strings.Repeat("[[[[1],[2]]]],", 3_000_000) + "[[[[1]]]]]" }}, []string{"data", "d.json"}, false}
		},
		func() slow {
			return slow{"csv in a program", map[string]func() string{"in.flx": func() string { return "let r : []{x : Real, y : Real} = file \"d.csv\"\nsum [q.x for q in r]\n" },
				"d.csv": func() string { return "x,y\n" + strings.Repeat("1.25,2.5\n", 5_000_000) }}, run, false}
		},
		func() slow {
			return slow{"fit", map[string]func() string{"in.flx": func() string { return "let model (a, b) x = a * exp (b * x)\n" },
				"d.csv": func() string { return "x,y\n" + strings.Repeat("1.25,2.5\n2.25,2.9\n3.25,4.5\n", 1_000_000) }},
				[]string{"fit", "in.flx", "--fn=model", "--data=d.csv", "--y=y", "--start=1,1"}, false}
		},
		func() slow {
			return program("plot", "let f (x : Real) : Real = sum [sin (real i * x) for i < 1000000]\n", "plot", "-f", "in.flx", "f")
		},
		func() slow {
			return program("strategies", "let f (v : []Real) : Real = sum [sum [sin (x * real i) for i < 1000] for x in v]\n", "diff", "in.flx", "--fn=f", "--at=[1,2,3]", "--strategy=all")
		},
		func() slow {
			return program("bench", "let f (x : Real) : Real = sum [sin (real i * x) for i < 100000]\n", "bench", "in.flx", "--fn=f", "--at=1", "--grad")
		},
		func() slow {
			return program("core", many(20, func(b *strings.Builder, i int) {
				b.WriteString(strings.ReplaceAll(one, "let f ", fmt.Sprintf("let f%d ", i)))
			}), "dev", "core", "in.flx").printing()
		},
		func() slow { return program("bench suite", "", "bench", "suite").printing() },
		func() slow {
			return program("plot as a file", "let f (x : Real) : Real = sum [sin (real i * x) for i < 1000000]\n", "plot", "-f", "in.flx", "--out=o.png", "f")
		},
		func() slow {
			return program("check rules", "let f = withDerivative (fun x => sum [sin (real i * x) for i < 100000]) (fun x dx => dx * sum [real i * cos (real i * x) for i < 100000])\nf 1\n", "check", "--rules", "in.flx")
		},
		func() slow {
			return program("strategies json", "let f (v : []Real) : Real = sum [sum [sin (x * real i) for i < 1000] for x in v]\n", "diff", "--json", "in.flx", "--fn=f", "--at=[1,2,3]")
		},
		func() slow {
			return program("eval", "", "eval", "loop x = 0.5 while x < 2 do x * 1 + 0")
		},
		func() slow { return program("a loop", "loop x = 0.5 while x < 2 do x * 1 + 0\n", run...) },
	}
}

// TestDeadlines: wherever a command spends its time, it ends soon after that is over. The suite
// takes some of the commands and one limit; RAPID_CHECKS=1000 takes all, and limits that end
// other stages.
func TestDeadlines(t *testing.T) {
	limits, all := []time.Duration{60}, slowCommands()
	every := max(1, 10/property.Rounds(1))
	if every == 1 {
		limits = []time.Duration{20, 60, 100, 200, 400, 800, 1600}
	}
	for k := 0; k < len(all); k += every {
		c := all[k]()
		t.Run(c.stage, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, limit := range limits {
				limit *= time.Millisecond
				run := overrun
				if c.prints {
					run = processOverrun
				}
				args := append([]string{c.args[0], "--timeout=" + limit.String()}, c.args[1:]...)
				over, took, out := run(t, limit, args)
				for again := 0; over > patience && again < 2; again++ { // other tests leave garbage
					runtime.GC()
					over, took, out = run(t, limit, args)
				}
				t.Logf("%v: %v over, took %v: %.100s", limit, over, took, out)
				if mistaken.MatchString(out) && !strings.HasPrefix(c.stage, "mistakes") {
					t.Fatalf("the command does not do what it should: %.300s", out)
				}
				if over > patience {
					t.Errorf("with a limit of %v, it took %v more: %.200s", limit, over, out)
				}
				if took < limit {
					break
				}
			}
		})
	}
}

// mistaken matches what a command prints that does not do what it should.
var mistaken = regexp.MustCompile(`usage: fluxion|E0201|E0301|E0303`)

// patience is how much later than at its deadline a command may end on a busy machine. On one that
// is not, it is below 50 ms.
const patience = 200 * time.Millisecond

// TestDeadlinesOfAll: the list has every command with a time, except those that answer requests,
// each of which has its own.
func TestDeadlinesOfAll(t *testing.T) {
	listed := map[string]bool{"serve": true, "lsp": true, "kernel": true, "gradbench": true,
		"repl": true}
	for _, c := range slowCommands() {
		listed[c().args[0]] = true
	}
	for _, cmd := range commands() {
		c := &call{command: cmd}
		if c.flagSet().Lookup("timeout") != nil && !listed[cmd.name] {
			t.Errorf("no slow case of `fluxion %s`", cmd.name)
		}
	}
}

// overrun runs a command and tells by how much it has exceeded its time, in processor time or on
// the clock, whichever is less.
func overrun(_ *testing.T, limit time.Duration, args []string) (over, took time.Duration, out string) {
	var mu sync.Mutex
	var late time.Duration
	var passed bool
	timer := time.AfterFunc(limit, func() {
		mu.Lock()
		defer mu.Unlock()
		late, passed = processorTime(), true
	})
	defer timer.Stop()
	var text bytes.Buffer
	start := time.Now()
	dispatch(context.Background(), args, terminal{in: strings.NewReader(""), out: &text, err: &text})
	took = time.Since(start)
	mu.Lock()
	defer mu.Unlock()
	if passed {
		over = min(took-limit, processorTime()-late)
	}
	return over, took, text.String()
}

// processOverrun is overrun of a process of its own. Its time until it looks at its arguments does
// not count.
func processOverrun(t *testing.T, limit time.Duration, args []string) (over, took time.Duration, out string) {
	run := func(args ...string) (took, cpu time.Duration, out string) {
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		cmd.Args = append([]string{"fluxion"}, args...)
		start := time.Now()
		text, err := cmd.CombinedOutput()
		if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
			t.Fatal(err)
		}
		took, cpu = time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
		return took, cpu, string(text)
	}
	before, _, _ := run("version")
	took, cpu, out := run(args...)
	return min(took-before-limit, cpu-limit), took, out
}
