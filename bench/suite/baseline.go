package suite

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

//go:embed c/*.c c/*.h
var sources embed.FS

// flags holds the flags of the compiler. It may contract products and sums, as ours does.
var flags = []string{"-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math",
	"-fopenmp-simd"}

// baseline compiles and runs the programs in C.
type baseline struct {
	folder string            // of what was compiled
	built  map[string]string // by program; "" where that was not possible
}

// measured is the result of a baseline.
type measured struct {
	primalTime, gradTime float64 // milliseconds
	results, gradient    []float64
}

func (b *baseline) close() {
	if b.folder != "" {
		os.RemoveAll(b.folder)
	}
}

// compiler returns the C compiler: gcc, or what the variable CC names.
func compiler() string {
	if name := os.Getenv("CC"); name != "" {
		return name
	}
	return "gcc"
}

// build compiles a program, or gives "" if there is none in C or no compiler.
func (b *baseline) build(ctx context.Context, program string) (string, error) {
	if path, known := b.built[program]; known {
		return path, nil
	}
	if b.built == nil {
		b.built = map[string]string{}
	}
	b.built[program] = ""
	compiler := compiler()
	found, err := exec.LookPath(compiler)
	if _, none := fs.Stat(sources, "c/"+program+".c"); err != nil || none != nil {
		return "", nil
	}
	if b.folder == "" {
		if b.folder, err = os.MkdirTemp("", "fluxion-bench-"); err != nil {
			return "", err
		}
		files, err := fs.Sub(sources, "c")
		if err == nil {
			err = os.CopyFS(b.folder, files)
		}
		if err != nil {
			return "", err
		}
	}
	target := filepath.Join(b.folder, program)
	arguments := append(append([]string{}, flags...), "-o", target,
		filepath.Join(b.folder, program+".c"), "-lm")
	if message, err := exec.CommandContext(ctx, found, arguments...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s cannot compile the baseline %s: %w\n%s", compiler, program,
			err, message)
	}
	b.built[program] = target
	return target, nil
}

// run measures a program in C on its input, or gives nil if it cannot be compiled here.
func (b *baseline) run(ctx context.Context, program string, numbers []float64,
	total time.Duration) (*measured, error) {
	path, err := b.build(ctx, program)
	if path == "" || err != nil || numbers == nil {
		return nil, err
	}
	in, out := filepath.Join(b.folder, "in"), filepath.Join(b.folder, "out")
	var text bytes.Buffer
	if err := binary.Write(&text, binary.NativeEndian, numbers); err != nil {
		return nil, err
	}
	if err := os.WriteFile(in, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	seconds := strconv.FormatFloat(total.Seconds(), 'g', -1, 64)
	if message, err := exec.CommandContext(ctx, path, in, out, seconds).CombinedOutput(); err !=
		nil {
		return nil, fmt.Errorf("the baseline %s: %w\n%s", program, err, message)
	}
	answer, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	all := make([]float64, len(answer)/8)
	if err := binary.Read(bytes.NewReader(answer), binary.NativeEndian, all); err != nil {
		return nil, err
	}
	m := &measured{}
	if len(all) >= 3 {
		m.primalTime, m.gradTime = 1e3*all[0], 1e3*all[1]
		all = all[2:]
		for _, part := range []*[]float64{&m.results, &m.gradient} {
			if len(all) == 0 || int(all[0]) >= len(all) {
				break
			}
			n := 1 + int(all[0])
			*part, all = all[1:n], all[n:]
		}
	}
	if m.gradient == nil {
		return nil, errors.New("the baseline " + program + " wrote no results")
	}
	return m, nil
}
