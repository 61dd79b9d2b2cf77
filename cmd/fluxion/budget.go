package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// ownBytes is a generous bound on the memory of the command itself.
const ownBytes = 32 << 20

// budgetFlags holds the limits that every run has.
type budgetFlags struct {
	timeout timeLimit
	memory  byteCount
	depth   positive
	verify  bool

	progress bool
	outputs  []output // where the result is written
	access   accessFlags

	ties   string // what a derivative at a tie does: error or ieee
	finite bool   // whether a derivative that is not finite is an error

	unguarded bool // whether integrals, roots and optima on doubles are left uncertified
	// whether rules are used without comparing them with the derivatives of their functions
	trust bool

	engine        string   // which engine runs compiled code; "" for the best
	deterministic bool     // whether all engines must agree to the last bit
	threads       positive // how many threads a large parallel loop may use; 0 means all processors
}

// registerLimits registers only the flags for limits.
func (b *budgetFlags) registerLimits(flags *flag.FlagSet) {
	b.depth = positive(interp.DefaultLimits().Depth)
	b.ties, b.finite = "error", true
	b.registerTimeout(flags)
	b.registerMemory(flags)
	flags.Var(&b.depth, "depth", "stop with an error if more than `N` calls are nested")
}

// registerTimeout registers only the flag for the time. Its default is the time that is set before.
func (b *budgetFlags) registerTimeout(flags *flag.FlagSet) {
	flags.Var(&b.timeout, "timeout", "stop a run after `TIME`, such as 500ms, 2s or 5m")
}

// timeLimit is a flag for a time after which a run is stopped; 0 stands for no limit.
type timeLimit time.Duration

// Set reads a time.
func (l *timeLimit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("`%s` is not a time; write 500ms, 2s or 5m", text)
	}
	*l = timeLimit(d)
	return nil
}

// String says the limit, also if there is none: help prints it as the default.
func (l *timeLimit) String() string {
	if *l == 0 {
		return "no limit"
	}
	text := time.Duration(*l).String()
	if whole, ok := strings.CutSuffix(text, "m0s"); ok {
		return whole + "m"
	}
	return text
}

// registerMemory registers only the flag for the memory.
func (b *budgetFlags) registerMemory(flags *flag.FlagSet) {
	b.memory = byteCount(interp.DefaultLimits().Memory)
	flags.Var(&b.memory, "memory",
		"stop with an error if a run needs more than `SIZE` of memory, such as 512MiB")
}

func (b *budgetFlags) register(flags *flag.FlagSet) {
	b.registerLimits(flags)
	flags.BoolVar(&b.progress, "progress", false,
		"print each line of progress that the program reports, on standard error")
	flags.Func("out", "write the result to `FILE`, in the format that its extension names; "+
		"name=FILE writes the field name of the result; may be repeated", func(text string) error {
		o, err := parseOutput(text)
		b.outputs = append(b.outputs, o)
		return err
	})
	flags.Func("png", "draw the result, a matrix of reals or a tuple of them, as a picture in "+
		"`FILE`, which ends in .png; the same as --out FILE", func(file string) error {
		if !strings.EqualFold(filepath.Ext(file), ".png") {
			return fmt.Errorf("`%s` does not end in .png", file)
		}
		b.outputs = append(b.outputs, output{file: file})
		return nil
	})
	b.access.register(flags)
	b.registerDerivatives(flags)
	b.registerEngine(flags)
	flags.BoolVar(&b.unguarded, "unguarded", false,
		"return what heuristics find for integrals, roots and optima, without certifying it")
	flags.BoolVar(&b.trust, "trust-rules", false,
		"use rules of withDerivative and withPullback without comparing them with the derivatives "+
			"of their functions")
	flags.BoolVar(&b.verify, "verify", false,
		"verify the core after every pass of the compiler (for developers)")
}

// registerDerivatives registers the flags that say when a derivative is an error.
func (b *budgetFlags) registerDerivatives(flags *flag.FlagSet) {
	flags.Func("ties", "differentiate by `RULE` where the two sides of a comparison are equal: "+
		"error reports an error, ieee takes the branch that runs (default "+
		"error)", func(text string) error {
		if text != "error" && text != "ieee" {
			return fmt.Errorf("`%s` is not a rule for ties; write error or ieee", text)
		}
		b.ties = text
		return nil
	})
	flags.BoolVar(&b.finite, "check-finite", true,
		"report an error if a derivative is infinite or NaN")
}

// registerEngine registers the flags that say how compiled code runs.
func (b *budgetFlags) registerEngine(flags *flag.FlagSet) {
	if flags.Lookup("engine") == nil { // `bench` has its own
		flags.Func("engine", "run compiled parts with the engine `NAME`: interp, portable or jit "+
			"(default the fastest on this machine)", func(name string) error {
			b.engine = name
			return driver.CheckEngine(name)
		})
	}
	flags.Var(&b.threads, "threads", "run large parallel loops on `N` threads")
	flags.Lookup("threads").DefValue = "one per processor"
	flags.BoolVar(&b.deterministic, "deterministic", false,
		"compute the same digits with every engine and any number of threads")
}

// oneThread changes the default of --threads to one, for measurements: what they are compared with
// runs on one thread.
func (b *budgetFlags) oneThread(flags *flag.FlagSet) {
	b.threads = 1
	flags.Lookup("threads").DefValue = "1"
}

// engineName returns the engine of a run: the one that the flag names, else the one that the
// environment names, else the fastest.
func (b *budgetFlags) engineName() string {
	if b.engine != "" {
		return b.engine
	}
	if name := os.Getenv("FLUXION_ENGINE"); driver.CheckEngine(name) == nil {
		return name
	}
	return driver.BestEngine()
}

// settings returns the settings of a run in this process. It also tells the Go runtime the memory
// limit, so that near the limit it collects sooner and returns freed memory to the system.
func (b *budgetFlags) settings() driver.Settings {
	if b.memory > 0 {
		debug.SetMemoryLimit(int64(b.memory) + ownBytes)
	}
	threads := int(b.threads)
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return driver.Settings{
		Engine: b.engineName(), Deterministic: b.deterministic, Timeout: time.Duration(b.timeout),

		Limits: interp.Limits{Memory: int64(b.memory), Depth: int(b.depth)},
		Verify: b.verify,
		Compile: interp.Options{IEEETies: b.ties == "ieee", AllowInfinite: !b.finite,
			Unguarded: b.unguarded, TrustRules: b.trust, Threads: threads},
	}
}

// within returns a context for a command that begins now. It ends when the time is up, or at an
// interrupt, and soon after that the process does: Note [Work that does not poll].
func (b *budgetFlags) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, release := driver.Interruptible(ctx)
	limits := interp.Limits{Memory: int64(b.memory)}
	set := driver.Settings{Timeout: time.Duration(b.timeout), Alone: true, Limits: limits}
	ctx, done := set.Within(ctx)
	ctx, end := endBy(ctx)
	return ctx, func() {
		end()
		done()
		release()
	}
}

// world returns a world of modules that has the limits of this run and ends with the context.
// With exact, decimals of data files are kept as they are written.
func (b *budgetFlags) world(ctx context.Context, c *call, exact bool) *driver.World {
	w := world().Until(ctx)
	w.Data.Memory = int64(b.memory)
	w.Data.Exact = exact
	w.Data.Folders = b.access.folders
	w.Data.Stdin = c.in
	return w
}

// positive is a flag whose value is a number above 0.
type positive int

// Set reads the number.
func (n *positive) Set(text string) error {
	value, err := strconv.Atoi(text)
	if err != nil || value <= 0 {
		return fmt.Errorf("`%s` is not a positive number", text)
	}
	*n = positive(value)
	return nil
}

// String writes the number.
func (n *positive) String() string { return strconv.Itoa(int(*n)) }

// byteCount is a flag whose value is a size such as 512MiB, 2GB or plain bytes.
type byteCount int64

var byteUnits = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1},
}

// Set reads a size.
func (b *byteCount) Set(text string) error {
	for _, unit := range byteUnits {
		number, found := strings.CutSuffix(text, unit.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n > 0) || n*unit.bytes > math.MaxInt64/2 {
			break
		}
		*b = byteCount(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("`%s` is not a size; write 512MiB or 2GiB", text)
}

// String writes a size in the unit that suits it.
func (b *byteCount) String() string { return formatBytes(int64(*b)) }

func formatBytes(n int64) string {
	for i := 3; i >= 0; i-- {
		if unit := byteUnits[i]; float64(n) >= unit.bytes {
			return strconv.FormatFloat(float64(n)/unit.bytes, 'g', 3, 64) + unit.suffix
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// debugLine prints a line that the function `debug` of a program shows.
func (c *call) debugLine(line string) { fmt.Fprintln(c.err, plain(line)) }

// progress shows how far a run has come. On a terminal it shows, from the first second on, the
// elapsed time, the memory in use and the last line that the program reported. With lines it
// instead prints every line that the program reports. The run passes these lines to watch, which
// may be nil, and calls stop at its end.
func (c *call) progress(lines bool) (watch func(text string), stop func()) {
	if lines {
		return func(text string) { fmt.Fprintln(c.err, plain(text)) }, func() {}
	}
	if !c.errTTY {
		return nil, func() {}
	}
	var told atomic.Pointer[string]
	done := make(chan struct{})
	var shows task.Group
	shows.Go(func() {
		start := time.Now()
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		shown := false
		for {
			select {
			case <-done:
				if shown {
					fmt.Fprint(c.err, "\r\x1b[K")
				}
				return
			case now := <-ticker.C:
				if elapsed := now.Sub(start); elapsed >= time.Second {
					status := fmt.Sprintf("running: %.1f s, %s (Ctrl-C stops it)",
						elapsed.Seconds(), formatBytes(heapBytes()))
					if text := told.Load(); text != nil {
						status = fmt.Sprintf("%.1f s: %.60s", elapsed.Seconds(), plain(*text))
					}
					fmt.Fprint(c.err, "\r\x1b[K", status)
					shown = true
				}
			}
		}
	})
	return func(text string) { told.Store(&text) }, func() {
		close(done)
		shows.Wait()
	}
}

// plain returns a text with its control characters, which would move the cursor of a terminal,
// replaced by spaces.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// heapBytes returns how much memory live objects take, together with those not yet collected.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
