package jit

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/arm"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/run"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/x86"
)

// architecture is a kind of processor that there is a back end for.
type architecture struct {
	sets      []string                                                 // of instructions, the best first
	processor func() ir.Processor                                      // the one that this process runs on, if it is of this kind
	machine   func(set string, on ir.Processor, calls bool) *ir.Target // with a set of instructions
	emitter   func(e *emit.Emitter, calls bool) emit.BackEnd
}

// architectures are all back ends, by the names that Go has for them.
var architectures = map[string]architecture{
	"amd64": {x86.Sets, x86.Host, x86.NewTarget, x86.NewEmitter},
	"arm64": {arm.Sets, arm.Host, arm.NewTarget, arm.NewEmitter},
}

// baseline is the set of instructions that every processor has: machine code needs more.
const baseline = "baseline"

// Sets are the sets of instructions of this machine that there is machine code for, the best first.
func Sets() []string { return architectures[runtime.GOARCH].on().Sets }

// on is the processor of this process, without instructions if their code cannot be run.
func (a architecture) on() ir.Processor {
	if a.processor == nil || !run.CanRun {
		return ir.Processor{}
	}
	return a.processor()
}

// CheckCPU reports an error if FLUXION_CPU names a set of instructions that this machine does not
// have.
func CheckCPU() error {
	_, err := chosen(Sets())
	return err
}

// chosen is the set of instructions that FLUXION_CPU names, or else the best one.
func chosen(sets []string) (string, error) {
	switch set := os.Getenv("FLUXION_CPU"); {
	case set == baseline:
		return baseline, nil
	case set != "" && !slices.Contains(sets, set):
		return "", fmt.Errorf("FLUXION_CPU is %s, and this machine has %s", set, strings.Join(append(slices.Clip(sets), baseline), ", "))
	case set != "":
		return set, nil
	case len(sets) == 0:
		return baseline, nil
	}
	return sets[0], nil
}

// machineFor is the machine that code is made for.
func machineFor(opts Options, calls bool) (a architecture, m *ir.Target, err error) {
	name := opts.Arch
	if name == "" {
		name = runtime.GOARCH
	}
	a, ok := architectures[name]
	if !ok {
		return a, nil, fmt.Errorf("%w: there is no machine code for %s", ErrUnsupported, name)
	}
	sets, on := a.sets, ir.Processor{}
	if !opts.foreign() {
		on = a.on()
		sets = on.Sets
	}
	set := opts.CPU
	switch {
	case set == "" && opts.foreign():
		set = sets[0]
	case set == "":
		if set, err = chosen(sets); err != nil {
			return a, nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
	}
	if !slices.Contains(sets, set) {
		return a, nil, fmt.Errorf("%w: there is no machine code for %s", ErrUnsupported, set)
	}
	m = a.machine(set, on, calls)
	if n := opts.registers; n > 0 {
		for c := range m.Files {
			m.Files[c] = m.Files[c][:min(max(n, 3), len(m.Files[c]))]
		}
	}
	return a, m, nil
}
