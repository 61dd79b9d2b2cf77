package gradbench

import (
	"runtime"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// The command has no profile of its memory. That of a test takes a few percent of the time
// that compiling takes, unless -memprofilerate asks for it.
func init() { runtime.MemProfileRate = 0 }

// BenchmarkDefine measures the time from the text of a program to machine code. Run it as the
// command runs,
//
//	GOGC=1600 go test ./bench/gradbench -run xxx -bench Define -benchtime 20x
//
// The bytes and the allocations of a run do not depend on what else the machine does.
func BenchmarkDefine(b *testing.B) {
	for _, name := range Evals() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, list := define(b.Context(), name, driver.Settings{Engine: "jit"}); list != nil {
					b.Fatal(list)
				}
			}
		})
	}
}
