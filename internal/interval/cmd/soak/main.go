// Command soak checks the double tier of interval arithmetic against the
// multi-precision tier at random points, for as long as wanted.
//
//	go run ./internal/interval/cmd/soak -n 1e9
//
// It is given the number of containment checks to make in total, spreads
// its time evenly over all operations, and prints a line an operation: checks, how many
// ends of single points are tightest, the mean and worst excess in doubles,
// results that are not nested, and the largest unrounded error as a fraction
// of its budget. An interrupt ends the run and prints what was found so far.
// It exits with status 1 if a check fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"sync"
	"time"

	"github.com/fluxion-lang/fluxion/internal/interval/soak"
)

func main() {
	total := flag.Float64("n", 1e7, "containment checks in total")
	only := flag.String("op", "", "only operations that match this regular expression")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random points")
	workers := flag.Int("j", runtime.GOMAXPROCS(0), "concurrent workers")
	limit := flag.Duration("t", 0, "stop drawing after this time; 0 means never")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var ops []soak.Op
	for _, op := range soak.Ops() {
		if match.MatchString(op.Name) {
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 {
		fmt.Fprintln(os.Stderr, "no operation matches")
		os.Exit(2)
	}
	run(ops, *total, *seed, *workers, *limit)
}

// batch is the number of points drawn between two looks at the clock.
const batch = 2000

func run(ops []soak.Op, total float64, seed uint64, workers int, limit time.Duration) {
	start := time.Now()
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	stats := make([]soak.Stats, len(ops))
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0.0
	// next hands out the operation that has had the least time so far: slow
	// references do not hold up the quick ones.
	drawn := make([]int, len(ops))
	spent := make([]time.Duration, len(ops))
	next := func() (i int, s uint64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if sum >= total || stop.Err() != nil || (limit > 0 && time.Since(start) > limit) {
			return 0, 0, false
		}
		for j := range drawn {
			if spent[j] < spent[i] || (spent[j] == spent[i] && drawn[j] < drawn[i]) {
				i = j
			}
		}
		drawn[i]++
		spent[i]++ // so that workers spread out before times are known
		return i, seed + uint64(drawn[i])*uint64(len(ops)) + uint64(i), true
	}
	for range workers {
		wg.Go(func() {
			for {
				i, s, ok := next()
				if !ok {
					return
				}
				began := time.Now()
				found := soak.Run(&ops[i], batch, s)
				mu.Lock()
				spent[i] += time.Since(began)
				stats[i].Merge(found)
				sum += float64(found.Checks)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	report(ops, stats, seed, time.Since(start))
}

func report(ops []soak.Op, stats []soak.Stats, seed uint64, took time.Duration) {
	var all soak.Stats
	for i := range ops {
		s := stats[i]
		fmt.Printf("%-11s %11d checks  %8.4f %% tightest  excess %.6f mean %g worst  %d unnested "+
			" error %.3f of budget\n",
			ops[i].Name, s.Checks, 100*float64(s.Tight)/float64(max(s.Ends, 1)),
			s.Excess/float64(max(s.Ends, 1)), s.Worst, s.Unnested, s.Budget)
		for _, f := range s.Failures {
			fmt.Println("  FAIL", f)
		}
		all.Merge(s)
	}
	fmt.Printf("%d checks at %d points, %d failures; seed %d, %v\n", all.Checks, all.Points,
		len(all.Failures), seed, took.Round(time.Second))
	if len(all.Failures) > 0 {
		os.Exit(1)
	}
}
