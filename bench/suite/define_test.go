package suite

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// The command has no profile of its memory. That of a test takes a few percent of the time
// that compiling takes, unless -memprofilerate asks for it.
func init() { runtime.MemProfileRate = 0 }

// BenchmarkDefine measures the time from the text of a program to machine code, as that of package
// gradbench does:
//
//	GOGC=1600 go test ./bench/suite -run xxx -bench Define -benchtime 20x
func BenchmarkDefine(b *testing.B) {
	done := map[string]bool{}
	for _, i := range small() {
		if done[i.program] {
			continue
		}
		done[i.program] = true
		b.Run(i.program, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, list := bench.Load(b.Context(), "suite/"+i.program+".flx", driver.Settings{Engine: "jit"}); list != nil {
					b.Fatal(list)
				}
			}
		})
	}
}

// BenchmarkFirst measures the time from the text of a program to the first result of its gradient.
// What the call reaches is compiled when it does, so that nothing is compiled while the input is
// read, which is not counted. In a process of its own, as a user meets it,
//
//	GOGC=1600 go test ./bench/suite -run xxx -bench First/hand -benchtime 1x
//
// the library is loaded too, and the code of the compiler is not in the caches yet.
func BenchmarkFirst(b *testing.B) {
	ctx := context.Background()
	for _, i := range small() {
		b.Run(i.name, func(b *testing.B) {
			problem, err := i.make("")
			if err != nil {
				b.Fatal(err)
			}
			input, err := json.Marshal(problem.input)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				module, list := bench.Load(b.Context(), "suite/"+i.program+".flx", driver.Settings{Engine: "jit", WhenReached: true}, gradient)
				if list != nil {
					b.Fatal(list)
				}
				b.StopTimer()
				argument, d := module.Argument(ctx, gradient, input)
				if d != nil {
					b.Fatal(d)
				}
				b.StartTimer()
				if _, _, d := module.Run(ctx, gradient, interp.Operand{}, argument); d != nil {
					b.Fatal(d)
				}
			}
		})
	}
}
