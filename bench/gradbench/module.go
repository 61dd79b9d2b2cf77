package gradbench

import (
	"bytes"
	"context"
	"encoding/json"
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

// Module is a program whose functions are ready to be called.
type Module struct {
	functions *driver.Functions
	unit      *driver.Unit
}

// The definitions around the functions of an eval.
const (
	prepare = "prepare"
	report  = "report"
)

// Define loads a program, checks it and compiles it.
func Define(name string, settings driver.Settings) (*Module, *diag.List) {
	var list diag.List
	world := driver.NewWorld(read)
	unit := world.LoadFile(name+".flx", &list)
	if unit == nil || list.Failed() {
		return nil, &list
	}
	functions, d := unit.Functions(settings, callable(unit)...)
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
		definition := u.Info.Interface.Values[name]
		if definition == nil { // a type
			continue
		}
		f, ok := types.Resolve(definition.Scheme.Type).(*types.Fun)
		if ok && len(definition.Scheme.Params) == 0 && types.Member(f.Param, types.Diff) == nil && types.Member(f.Result, types.Diff) == nil {
			names = append(names, name)
		}
	}
	return names
}

// Repeat says how often a function is run: until both are reached.
type Repeat struct {
	Runs int
	Time time.Duration
}

// Evaluate applies a function to an input until it has been repeated enough. It gives the output
// and how long each run took.
func (m *Module) Evaluate(ctx context.Context, function string, input json.RawMessage, repeat Repeat) (value.Value, []time.Duration, *diag.Diagnostic) {
	if d := m.functions.Lacks(function); d != nil {
		return nil, nil, d
	}
	first := function
	if m.unit.Defines(prepare) {
		first = prepare
	}
	source := data.Input{Name: "input.json", Reader: bytes.NewReader(input), Size: int64(len(input))}
	argument, d := m.functions.Read(first, source, data.Options{})
	if d != nil {
		return nil, nil, d
	}
	if first == prepare {
		if argument, d = m.functions.Apply(ctx, prepare, argument); d != nil {
			return nil, nil, d
		}
	}
	var result interp.Operand
	var times []time.Duration
	var total time.Duration
	for len(times) < max(repeat.Runs, 1) || total < repeat.Time {
		start := time.Now()
		result, d = m.functions.Apply(ctx, function, argument)
		times = append(times, time.Since(start))
		if d != nil {
			return nil, nil, d
		}
		total += times[len(times)-1]
		if len(times) == 1 && times[0] > 0 {
			times = slices.Grow(times, min(int(repeat.Time/times[0])+repeat.Runs, maxTimes))
		}
	}
	if name := reporter(function); m.unit.Defines(name) {
		if result, d = m.functions.Apply(ctx, name, result); d != nil {
			return nil, nil, d
		}
	}
	output, d := m.functions.Value(result)
	return output, times, d
}

// maxTimes bounds the room that is made for times before they are measured.
const maxTimes = 1 << 22

// reporter names what is applied to the result of a function: reportObjective for objective.
func reporter(function string) string {
	return report + strings.Map(unicode.ToUpper, function[:1]) + function[1:]
}
