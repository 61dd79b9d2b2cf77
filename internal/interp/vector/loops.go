package vector

import "math"

// gather loads elements by their indices; false if one is out of range.
func gather[T any](z, xs []T, at []int64) bool {
	at = at[:len(z)]
	for j := range z {
		k := at[j]
		if uint64(k) >= uint64(len(xs)) {
			return false
		}
		z[j] = xs[k]
	}
	return true
}

// The commonest loops, four elements a turn. The lengths are equal; saying so
// removes the checks of bounds.

func addF(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for len(z) >= 4 && len(x) >= 4 && len(y) >= 4 {
		z[0], z[1], z[2], z[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		z, x, y = z[4:], x[4:], y[4:]
	}
	for j := range z {
		z[j] = x[j] + y[j]
	}
}

func subF(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for len(z) >= 4 && len(x) >= 4 && len(y) >= 4 {
		z[0], z[1], z[2], z[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		z, x, y = z[4:], x[4:], y[4:]
	}
	for j := range z {
		z[j] = x[j] - y[j]
	}
}

func mulF(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for len(z) >= 4 && len(x) >= 4 && len(y) >= 4 {
		z[0], z[1], z[2], z[3] = x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
		z, x, y = z[4:], x[4:], y[4:]
	}
	for j := range z {
		z[j] = x[j] * y[j]
	}
}

func divF(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for j := range z {
		z[j] = x[j] / y[j]
	}
}

func mulAddF(z, x, y, w []float64) {
	x, y, w = x[:len(z)], y[:len(z)], w[:len(z)]
	for len(z) >= 4 && len(x) >= 4 && len(y) >= 4 && len(w) >= 4 {
		z[0], z[1] = float64(x[0]*y[0])+w[0], float64(x[1]*y[1])+w[1]
		z[2], z[3] = float64(x[2]*y[2])+w[2], float64(x[3]*y[3])+w[3]
		z, x, y, w = z[4:], x[4:], y[4:], w[4:]
	}
	for j := range z {
		z[j] = float64(x[j]*y[j]) + w[j]
	}
}

func mulSubF(z, x, y, w []float64) {
	x, y, w = x[:len(z)], y[:len(z)], w[:len(z)]
	for j := range z {
		z[j] = float64(x[j]*y[j]) - w[j]
	}
}

func subMulF(z, x, y, w []float64) {
	x, y, w = x[:len(z)], y[:len(z)], w[:len(z)]
	for j := range z {
		z[j] = w[j] - float64(x[j]*y[j])
	}
}

// selectF selects by bits: a branch would be mispredicted as often as not.
func selectF(z, x, y []float64, mask []int64) {
	x, y, mask = x[:len(z)], y[:len(z)], mask[:len(z)]
	for j := range z {
		a, b := math.Float64bits(x[j]), math.Float64bits(y[j])
		z[j] = math.Float64frombits(b ^ (a^b)&uint64(-mask[j]))
	}
}
