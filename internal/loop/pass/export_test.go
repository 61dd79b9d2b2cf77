package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// SettledCSE is CSE. It tells whether CSE takes it for granted that another run finds nothing.
func SettledCSE(f *loop.Func) bool {
	var k known
	cseWith(f, &k)
	defer k.release()
	return k.settled
}

// Sweeping tells whether a pass ends with DeadCode if it changes something.
func Sweeping(pass string) bool { return sweeping[pass] }
