package exact_test

import "testing"

// TestSingularWork: singular integrands cost few calls. What lies beside the range is looked at
// only where they oscillate, and once.
func TestSingularWork(t *testing.T) {
	for _, c := range []struct {
		text, eps, truth string
		most             int64
	}{
		{"integral 0 1 (fun t => sqrt (-(log t)))", "1e-10", "0.88622692545275801365", 3_000},
		{"integral 0 (pi / 2) (fun t => sqrt (tan t))", "1e-8", "2.22144146907918312351", 10_000},
		{"integral 0 1.5707963267948966 (fun t => sqrt (tan t))", "1e-6", "2.22144146030847695088", 6_000},
		{"integral 0 3 (fun x => atan (tan x))", "1e-10", "0.01002423977529959403", 500},
		{"integral 1e-5 1 (fun x => sin (1 / x))", "1e-10", "0.50406706200686438118", 2_000},
		{"integral 0 1 (fun x => integral 0 1 (fun y => log (abs (x - y))))", "1e-2", "-1.5", 13_000},
	} {
		if !encloses(t, c.text, c.eps, c.truth) {
			t.Errorf("%s is not answered", c.text)
		}
		if n := calls(t, c.text, c.eps); n > c.most {
			t.Errorf("%s: %d calls", c.text, n)
		}
	}
}
