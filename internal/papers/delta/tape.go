package delta

import "github.com/fluxion-lang/fluxion/internal/value"

// tape is the DeltaMap of Delta §7.3: a mutable array, indexed by the numbers
// of the variables, in place of the map of Fig. 10. Memory that is written in
// place has no counterpart in core, so this is the one part of the algorithm
// that is not a translated program; R{e} as a whole (Reverse) uses the map.
type tape struct {
	sums  []float64
	found []bool // whether there is an entry: lookup's Just
	ops   int64
	cells int64 // the constructors of the Delta, and the entries of the array
}

// evalDelta computes eval 1 u emptyMap. The Lets are all on the outside, as runDelta leaves them,
// and are walked without recursion: first down to the body and then, once all uses of a variable
// are added up, out again.
func evalDelta(u value.Value) *tape {
	t := &tape{}
	type let struct {
		id  int
		rhs value.Value
	}
	var lets []let
	for {
		con := u.(value.Con)
		if con.Name != "Let" {
			break
		}
		lets = append(lets, let{int(con.Args[0].(value.Int)), con.Args[1]})
		t.cells += constructors(con.Args[1]) + 1
		u = con.Args[2]
	}
	t.cells += constructors(u)
	t.eval(1, u)
	for i := len(lets) - 1; i >= 0; i-- {
		if id := lets[i].id; id < len(t.found) && t.found[id] {
			t.eval(t.sums[id], lets[i].rhs)
		}
	}
	t.cells += int64(len(t.sums))
	return t
}

// constructors counts the constructors of a Delta without Lets.
func constructors(u value.Value) int64 {
	n := int64(1)
	for _, part := range u.(value.Con).Args {
		if _, is := part.(value.Con); is {
			n += constructors(part)
		}
	}
	return n
}

func (t *tape) eval(x float64, u value.Value) {
	switch con := u.(value.Con); con.Name {
	case "Scale":
		t.ops++
		t.eval(x*float64(con.Args[0].(value.Real)), con.Args[1])
	case "Add":
		t.eval(x, con.Args[0])
		t.eval(x, con.Args[1])
	case "Var":
		t.ops++
		t.add(int(con.Args[0].(value.Int)), x)
	}
}

// add implements addDelta.
func (t *tape) add(id int, x float64) {
	if id >= len(t.sums) {
		t.sums = append(t.sums, make([]float64, id+1-len(t.sums))...)
		t.found = append(t.found, make([]bool, id+1-len(t.found))...)
	}
	t.sums[id] += x
	t.found[id] = true
}

// at implements lookupOrZero.
func (t *tape) at(id int) float64 {
	if id < len(t.sums) {
		return t.sums[id]
	}
	return 0
}
