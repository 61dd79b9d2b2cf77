// Package bench holds what the benchmarks of this folder share: their programs, which are
// embedded in the command, functions of them that are ready to be called, and the measurement of
// calls. Package gradbench is the public benchmark's tool, and package suite the table of
// `fluxion bench suite`.
package bench

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/fluxion-lang/fluxion/internal/data"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Programs are the programs of the benchmarks.
//
//go:embed gradbench/*.flx suite/*.flx
var Programs embed.FS

// Module is a program whose functions are ready to be called.
//
// Each function takes one argument, which an input is decoded to by its type. If the program
// defines `prepare`, that is applied to the input first. If it defines `reportF` for a function
// `f`, that is applied to the result. Neither is timed.
type Module struct {
	functions *driver.Functions
	unit      *driver.Unit
}

// The definitions around the functions of a program.
const (
	prepare = "prepare"
	report  = "report"
)

// Load loads a program of Programs, checks it and compiles the named functions, or all if no
// names are given.
func Load(ctx context.Context, name string, settings driver.Settings, only ...string) (
	*Module, *diag.List) {
	var list diag.List
	world := driver.NewWorld(func(path string) (string, error) {
		text, err := Programs.ReadFile(filepath.ToSlash(path))
		return string(text), err
	})
	unit := world.Until(ctx).LoadFile(path.Clean(name), &list)
	if unit == nil || list.Failed() {
		return nil, &list
	}
	names := callable(unit)
	if len(only) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool {
			return name != prepare && !slices.Contains(only, name)
		})
	}
	functions, d := unit.Functions(ctx, settings, names...)
	if d != nil {
		list.Add(d)
		return nil, &list
	}
	return &Module{functions, unit}, nil
}

// callable lists the definitions that take and give data.
func callable(u *driver.Unit) []string {
	var names []string
	for _, name := range u.Info.Interface.Order {
		definition := u.Info.Interface.Value(name)
		if definition == nil { // a type
			continue
		}
		f, ok := types.Resolve(definition.Scheme.Type).(*types.Fun)
		if ok && len(definition.Scheme.Params) == 0 && types.Member(f.Param, types.Diff) == nil &&
			types.Member(f.Result, types.Diff) == nil {
			names = append(names, name)
		}
	}
	return names
}

// Argument decodes an input of a function.
func (m *Module) Argument(ctx context.Context, function string, input json.RawMessage) (
	interp.Operand, *diag.Diagnostic) {
	if d := m.functions.Lacks(function); d != nil {
		return interp.Operand{}, d
	}
	first := function
	if m.unit.Defines(prepare) {
		first = prepare
	}
	source := data.Input{Name: "input.json", Reader: bytes.NewReader(input),
		Size: int64(len(input))}
	argument, d := m.functions.Read(first, source, data.Options{})
	if d == nil && first == prepare {
		argument, d = m.functions.Apply(ctx, prepare, argument)
	}
	return argument, d
}

// Run calls a function, and returns the result and the time of the call. It reuses the memory of
// an earlier result, which may be the zero Operand, as programs do that allocate before they
// measure.
func (m *Module) Run(ctx context.Context, function string, old, argument interp.Operand) (
	interp.Operand, time.Duration, *diag.Diagnostic) {
	start := time.Now()
	result, d := m.functions.ApplyAgain(ctx, old, function, argument)
	return result, time.Since(start), d
}

// Report returns the value that a function's result is shown as.
func (m *Module) Report(ctx context.Context, function string, result interp.Operand) (value.Value,
	*diag.Diagnostic) {
	name := report + strings.Map(unicode.ToUpper, function[:1]) + function[1:]
	if m.unit.Defines(name) {
		var d *diag.Diagnostic
		if result, d = m.functions.Apply(ctx, name, result); d != nil {
			return nil, d
		}
	}
	return m.functions.Value(result)
}
