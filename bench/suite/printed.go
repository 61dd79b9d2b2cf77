package suite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/source/c"
)

// Printed is the system that compiles the loop form with a C compiler, for comparison with our
// machine code.
const Printed = "gcc"

// printed is an engine: it prints programs of the loop form as C and has them compiled and
// measured.
type printed struct {
	ctx      context.Context
	compiler string
	folder   string
	total    time.Duration // for each run
	made     atomic.Int64  // programs
	took     float64       // milliseconds: the shortest time of each run, added up
}

// printed measures a program in C that is made from its loop form.
func (r *Runner) printed(ctx context.Context, program string, input []byte) (*measured, error) {
	folder, err := os.MkdirTemp("", "fluxion-printed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	e := &printed{ctx: ctx, compiler: compiler(), folder: folder, total: r.Time / 2}
	settings := r.Settings
	settings.Engine, settings.Compile.Engine = "portable", e.compile
	module, list := bench.Load(ctx, "suite/"+program+".flx", settings)
	if list != nil {
		return nil, list.Sorted()[0]
	}
	argument, d := module.Argument(ctx, primal, input)
	if d != nil {
		return nil, d
	}
	m := &measured{}
	for _, part := range []struct {
		function string
		time     *float64
	}{{primal, &m.primalTime}, {gradient, &m.gradTime}} {
		e.took = 0
		result, _, d := module.Run(ctx, part.function, interp.Operand{}, argument)
		if d != nil {
			return nil, d
		}
		if *part.time = e.took; e.took == 0 {
			return nil, fmt.Errorf("%s is not compiled", part.function)
		}
		if part.function == gradient {
			v, d := module.Report(ctx, gradient, result)
			if d != nil {
				return nil, d
			}
			m.gradient = leaves(nil, v)
		}
	}
	return m, nil
}

// compile compiles a program. It is an engine's function.
func (e *printed) compile(p *loop.Program) (loop.Code, error) {
	stem := filepath.Join(e.folder, "program"+strconv.FormatInt(e.made.Add(1), 10))
	names, exported := map[*loop.Func]string{}, map[*loop.Func]c.Export{p.Funcs[0]: {}}
	for i, f := range p.Funcs {
		names[f] = "f" + strconv.Itoa(i)
	}
	text, header := c.Print(p, names, exported, nil, "printed.h")
	text = strings.Replace(text, `#include "printed.h"`, header, 1) + mainOf(p.Funcs[0])
	if err := os.WriteFile(stem+".c", []byte(text), 0o600); err != nil {
		return nil, err
	}
	arguments := append(append([]string{}, flags...), "-DFX_SIMD", "-w", "-o", stem,
		stem+".c", "-lm")
	if message, err := exec.CommandContext(e.ctx, e.compiler, arguments...).CombinedOutput(); err !=
		nil {
		return nil, fmt.Errorf("%s: %w\n%s", e.compiler, err, message)
	}
	return &printedCode{e, p.Funcs[0], stem}, nil
}

// mainOf returns a main function that reads the arguments of a function, runs it for some time and
// writes the shortest time and the results. All are words of 64 bits, and in front of a buffer
// there is its length.
func mainOf(f *loop.Func) string {
	var read, call, results, write strings.Builder
	for i, p := range f.Params {
		switch {
		case p.Kind.IsBuffer():
			fmt.Fprintf(&read, "  int64_t n%d = *(int64_t *)in++; void *p%d = in; in += n%d;\n", i,
				i, i)
			fmt.Fprintf(&call, ", p%d, n%d", i, i)
		case p.Kind == loop.F64:
			fmt.Fprintf(&read, "  double p%d = *in++;\n", i)
			fmt.Fprintf(&call, ", p%d", i)
		default:
			fmt.Fprintf(&read, "  int64_t p%d = *(int64_t *)in++;\n", i)
			fmt.Fprintf(&call, ", p%d", i)
		}
	}
	for i, a := range f.Body.Yield {
		fmt.Fprintf(&call, ", &r%d", i)
		switch a.AtomKind() {
		case loop.F64:
			fmt.Fprintf(&results, "  double r%d;\n", i)
			fmt.Fprintf(&write, "  fwrite(&r%d, 8, 1, out);\n", i)
		case loop.I64, loop.Bool:
			kind := map[loop.Kind]string{loop.I64: "int64_t", loop.Bool: "int"}[a.AtomKind()]
			fmt.Fprintf(&results, "  %s r%d;\n", kind, i)
			fmt.Fprintf(&write, "  { int64_t w = r%d; fwrite(&w, 8, 1, out); }\n", i)
		default:
			kind := map[loop.Kind]string{loop.F64s: "double", loop.I64s: "int64_t"}[a.AtomKind()]
			fmt.Fprintf(&results, "  %s *r%d; int64_t m%d;\n", kind, i, i)
			fmt.Fprintf(&call, ", &m%d", i)
			fmt.Fprintf(&write, "  fwrite(&m%d, 8, 1, out); fwrite(r%d, 8, m%d, out);\n", i, i, i)
		}
	}
	return `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  fseek(file, 0, SEEK_END);
  long n = ftell(file);
  rewind(file);
  double *in = aligned_alloc(64, (n + 127) / 64 * 64);
  if (fread(in, 1, n, file) != (size_t)n) return 4;
  fx_arena arena = {aligned_alloc(64, (size_t)1 << 30), (size_t)1 << 30, 0, 10000};
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormals are zero */
#endif
` + read.String() + results.String() + `  double best = INFINITY, begin = now();
  int status = 0;
  for (int round = 0; round < 3 || now() - begin < atof(argv[3]); round++) {
    arena.top = 0;
    double start = now();
    status = f0(&arena` + call.String() + `);
    double took = now() - start;
    if (took < best) best = took;
    if (status) return status;
  }
  FILE *out = fopen(argv[2], "wb");
  fwrite(&best, 8, 1, out);
` + write.String() + `  return fclose(out) != 0;
}
`
}

// printedCode is a program that was compiled.
type printedCode struct {
	*printed
	f    *loop.Func
	path string
}

// RunInto implements loop.Code.
func (c *printedCode) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	results, err := c.Run(args, opts)
	for i, r := range results {
		into[i].Put(r, true)
	}
	return err
}

// Run implements loop.Code. Status 1 of the program means that a check failed.
func (c *printedCode) Run(args []loop.Arg, _ loop.RunOptions) ([]loop.Arg, error) {
	var in bytes.Buffer
	// a buffer takes everything
	write := func(x any) { _ = binary.Write(&in, binary.NativeEndian, x) }
	for i, p := range c.f.Params {
		switch p.Kind {
		case loop.F64s:
			write(int64(len(args[i].F)))
			write(args[i].F)
		case loop.I64s:
			write(int64(len(args[i].I)))
			write(args[i].I)
		default:
			write(args[i].Word)
		}
	}
	from, to := c.path+".in", c.path+".out"
	if err := os.WriteFile(from, in.Bytes(), 0o600); err != nil {
		return nil, err
	}
	seconds := strconv.FormatFloat(c.total.Seconds(), 'g', -1, 64)
	if err := exec.CommandContext(c.ctx, c.path, from, to, seconds).Run(); err != nil {
		return nil, loop.ErrCheck
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	out := bytes.NewReader(text)
	read := func(x any) {
		if err == nil {
			err = binary.Read(out, binary.NativeEndian, x)
		}
	}
	var best float64
	read(&best)
	c.took += 1e3 * best
	results := make([]loop.Arg, len(c.f.Body.Yield))
	for i, a := range c.f.Body.Yield {
		k := a.AtomKind()
		if !k.IsBuffer() {
			read(&results[i].Word)
			continue
		}
		var n int64
		read(&n)
		if err != nil || n < 0 || n > int64(out.Len()/8) {
			return nil, fmt.Errorf("%s: its results cannot be read", c.path)
		}
		if k == loop.F64s {
			results[i].F = make([]float64, n)
			read(results[i].F)
		} else {
			results[i].I = make([]int64, n)
			read(results[i].I)
		}
	}
	return results, err
}
