package value

import (
	"encoding/json"
	"math"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func list(xs ...Value) Value {
	var l Value = Con{Name: "Nil"}
	for n := len(xs) - 1; n >= 0; n-- {
		l = Con{Name: "Cons", Args: []Value{xs[n], l}}
	}
	return l
}

type half struct{}

func (half) Fluxion() string       { return "[0.4, 0.6]" }
func (half) JSON() json.RawMessage { return json.RawMessage(`["0.4","0.6"]`) }

func TestShow(t *testing.T) {
	for _, c := range []struct {
		v          Value
		text, json string
	}{
		{Real(1), "1", "1"},
		{Real(0.1), "0.1", "0.1"},
		{Real(1.0 / 3), "0.3333333333333333", "0.3333333333333333"},
		{Real(1e-7), "1e-7", "1e-7"},
		{Real(1.5e300), "1.5e300", "1.5e300"},
		{Real(math.Copysign(0, -1)), "-0", "-0"},
		{Real(math.NaN()), "nan", `"nan"`},
		{Real(math.Inf(-1)), "-inf", `"-inf"`},
		{Int(-3), "-3", "-3"},
		{Bool(true), "true", "true"},
		{String("a\"\\\n\tα\x01"), `"a\"\\\n\tα\u{1}"`, `"a\"\\\n\tα\u0001"`},
		{Tuple{}, "()", "[]"},
		{Tuple{Real(4.84), Reals{1, -2}, Ints{}}, "(4.84, [1, -2], [])", "[4.84,[1,-2],[]]"},
		{Record{{"x", Int(3)}, {"y", Tuple{Int(1), Int(2)}}}, "{x = 3, y = (1, 2)}", `{"x":3,"y":[1,2]}`},
		{list(Real(1), Int(-2)), "Cons 1 (Cons (-2) Nil)", `{"con":"Cons","args":[1,{"con":"Cons","args":[-2,{"con":"Nil","args":[]}]}]}`},
		{Con{"Some", []Value{Tuple{Int(-1), Int(2)}}}, "Some (-1, 2)", `{"con":"Some","args":[[-1,2]]}`},
		{Array{Bool(true), Bool(false)}, "[true, false]", "[true,false]"},
		{Func{"Real -> Real"}, "<function : Real -> Real>", `{"function":"Real -\u003e Real"}`},
		{Array{half{}}, "[[0.4, 0.6]]", `[["0.4","0.6"]]`},
		{Tuple{Int(1), Unknown{}}, "(1, ?)", "[1,null]"},
	} {
		if got := Show(c.v); got != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
		if got, ok := Length(c.v, nil); !ok || got != int64(len(c.text)) {
			t.Errorf("%s has %d bytes, not %d", c.text, len(c.text), got)
		}
		got := string(JSON(c.v))
		if got != c.json {
			t.Errorf("got %s, want %s", got, c.json)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("not JSON: %s", got)
		}
	}
}

// TestShowEnds: printing asks whether to go on, and ends when it may not.
func TestShowEnds(t *testing.T) {
	for _, v := range []Value{make(Reals, 10_000), make(Ints, 10_000),
		Array(slices.Repeat([]Value{Tuple{Int(1), Real(2)}}, 10_000))} {
		n, ok := Length(v, func() bool { return true })
		if want := Show(v); !ok || n != int64(len(want)) {
			t.Fatalf("the length is %d, and not %d", n, len(want))
		}
		asked := 0
		twice := func() bool { asked++; return asked < 2 }
		if got, ok := ShowIn(n, v, twice); ok || asked != 2 || int64(len(got)) > n/2 {
			t.Errorf("asked %d times, it prints %d of %d bytes", asked, len(got), n)
		}
	}
}

func TestElision(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Reals{1, 2, 3}, "[1, 2, …]"},
		{Ints{1, 2}, "[1, 2]"},
		{Array{Ints{1, 2, 3}, Ints{}, Ints{}}, "[[1, 2, …], [], …]"},
		{list(Int(1), Int(2), Int(3)), "Cons 1 (Cons 2 …)"},
		{list(Int(1), Int(2)), "Cons 1 (Cons 2 Nil)"},
	} {
		if got := ShowAtMost(c.v, 2); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestDeep: a list of a million elements prints, and encodes, without recursion.
func TestDeep(t *testing.T) {
	xs := make([]Value, 1_000_000)
	for n := range xs {
		xs[n] = Int(n)
	}
	l := list(xs...)
	text := Show(l)
	if !strings.HasPrefix(text, "Cons 0 (Cons 1 (") || !strings.HasSuffix(text, "Nil"+strings.Repeat(")", len(xs)-1)) {
		t.Error("printed wrongly")
	}
	if got := string(JSON(l)); got != strconv.Quote(text) {
		t.Error("encoded wrongly")
	}
	// As deep as readers bear, and one cell more.
	for n, want := range map[int]byte{maxNesting/2 - 1: '{', maxNesting / 2: '"'} {
		encoded := JSON(list(xs[:n]...))
		if encoded[0] != want || !json.Valid(encoded) {
			t.Errorf("%d cells: %.40s", n, encoded)
		}
	}
}

// TestDecimal: decimals read back to the same double.
func TestDecimal(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 100_000 {
		x := math.Float64frombits(rng.Uint64())
		if math.IsNaN(x) {
			continue
		}
		s := Decimal(x)
		if y, err := strconv.ParseFloat(s, 64); err != nil || y != x {
			t.Fatalf("%v prints as %s", x, s)
		}
		if strings.Contains(s, "e0") || strings.Contains(s, "e+") || strings.Contains(s, "e-0") {
			t.Fatalf("%s is not how programs write it", s)
		}
	}
}
