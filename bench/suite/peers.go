package suite

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Peers lists the other systems that the suite can be measured in.
var Peers = []string{"jax", "torch", Printed}

//go:embed peers/*.py
var peerSources embed.FS

// peers runs the programs in Python.
type peers struct {
	python string
	folder string // of the programs
}

// newPeers finds an interpreter that has the modules of some systems.
func newPeers(ctx context.Context, python string, systems []string) (*peers, error) {
	for _, s := range systems {
		if s == Printed {
			if _, err := exec.LookPath(compiler()); err != nil {
				return nil, err
			}
			continue
		}
		if message, err := exec.CommandContext(ctx, python, "-c",
			"import numpy, "+s).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("`%s` cannot import %s and numpy (%w); say with --python "+
				"which one can\n%s", python, s, err, message)
		}
	}
	folder, err := os.MkdirTemp("", "fluxion-peers-")
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(peerSources, "peers")
	if err == nil {
		err = os.CopyFS(folder, files)
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return &peers{python, folder}, nil
}

func (p *peers) close() {
	if p != nil {
		os.RemoveAll(p.folder)
	}
}

// run measures a program in one of the systems.
func (p *peers) run(ctx context.Context, system, program string, input []byte,
	total time.Duration) (*measured, error) {
	in, out := filepath.Join(p.folder, "in.json"), filepath.Join(p.folder, "out.json")
	if err := os.WriteFile(in, input, 0o600); err != nil {
		return nil, err
	}
	seconds := strconv.FormatFloat(total.Seconds(), 'g', -1, 64)
	command := exec.CommandContext(ctx, p.python, filepath.Join(p.folder, "peer.py"), system,
		program, in, out, seconds)
	if message, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w\n%s", program, system, err, message)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Primal   float64   `json:"primal_ms"`
		Grad     float64   `json:"grad_ms"`
		Gradient []float64 `json:"gradient"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	return &measured{primalTime: answer.Primal, gradTime: answer.Grad, gradient: answer.Gradient},
		nil
}
