package suite

import (
	"testing"

	"github.com/fluxion-lang/fluxion/bench"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// BenchmarkDefine measures the time from the text of a program to machine code, as that of package gradbench does:
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
				if _, list := bench.Load("suite/"+i.program+".flx", driver.Settings{Engine: "jit"}); list != nil {
					b.Fatal(list)
				}
			}
		})
	}
}
