package loop

import "math"

// Schedule decides which uses of something are worth a comparison, so that comparisons cost
// little in the long run: the first, the second, the fourth, the eighth use and so on, and each
// use whose arguments differ from those compared so far.
type Schedule struct {
	uses int64
	args []seen // of each argument, at the uses that were compared
}

// seen describes the values of an argument at the uses that were compared.
type seen struct {
	lengths map[int]bool
	longest int
	known   bool
	lo, hi  float64
	least   float64 // the smallest size of a number that is not 0
}

// How many lengths a Schedule distinguishes, and how much smaller than all others a number must
// be to count as different.
const (
	mostLengths = 64
	smaller     = 0x1p-10
)

// Due counts a use with arguments for some parameters, and reports whether to compare it. It is
// due if an argument has a new length, a number outside of twice the range of those compared, or
// a number a thousand times smaller than they are.
func (s *Schedule) Due(params []*Var, args []Arg) bool {
	s.uses++
	due := s.uses&(s.uses-1) == 0
	if s.args == nil {
		s.args = make([]seen, len(params))
	}
	for i, p := range params {
		due = due || s.args[i].news(p, args[i])
	}
	if due {
		for i, p := range params {
			s.args[i].note(p, args[i])
		}
	}
	return due
}

// news reports whether an argument is unlike those noted.
func (s *seen) news(p *Var, arg Arg) bool {
	if p.Kind.IsBuffer() {
		n := max(len(arg.F), len(arg.I))
		if len(s.lengths) < mostLengths && !s.lengths[n] || n > 2*s.longest {
			return true
		}
	}
	margin := max(math.Abs(s.lo), math.Abs(s.hi))
	lo, hi, least := s.lo-margin, s.hi+margin, s.least*smaller
	far := false
	eachNumber(p, arg, func(x float64) {
		far = far || x < lo || x > hi || math.Abs(x) < least && x != 0
	})
	return far || !s.known
}

// note adds an argument to those compared.
func (s *seen) note(p *Var, arg Arg) {
	if p.Kind.IsBuffer() {
		n := max(len(arg.F), len(arg.I))
		if s.lengths == nil {
			s.lengths = map[int]bool{}
		}
		s.lengths[n] = true
		s.longest = max(s.longest, n)
	}
	if !s.known {
		s.known, s.least = true, math.Inf(1)
	}
	eachNumber(p, arg, func(x float64) {
		s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		if x != 0 {
			s.least = min(s.least, math.Abs(x))
		}
	})
}

// eachNumber visits the finite numbers of an argument. Integers are among them: they may be counts.
func eachNumber(p *Var, arg Arg, visit func(x float64)) {
	switch p.Kind {
	case F64:
		if x := math.Float64frombits(arg.Word); x-x == 0 {
			visit(x)
		}
	case I64:
		visit(float64(int64(arg.Word)))
	}
	for _, x := range arg.F {
		if x-x == 0 {
			visit(x)
		}
	}
	for _, x := range arg.I {
		visit(float64(x))
	}
}
