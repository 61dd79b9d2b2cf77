package lower_test

import (
	_ "embed"
	"fmt"
	"regexp"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

//go:embed testdata/programs.flx
var programs string

// TestProgramsAgree: functions as people write them, methods of several steps, filters, tables and eliminations among them, give the same
// by every engine, with their derivatives of orders 1 and 2.
func TestProgramsAgree(t *testing.T) {
	with := everyEngine(t, &regions{})
	for _, m := range regexp.MustCompile(`(?m)^let (\w+) \(s : Real\) : Real`).FindAllStringSubmatch(programs, -1) {
		text := programs + fmt.Sprintf("\n(%[1]s 0.7, grad %[1]s 0.7, deriv %[1]s 0.7, deriv (grad %[1]s) 0.7)\n", m[1])
		compare(t, m[1], with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
	}
}
