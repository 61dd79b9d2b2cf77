package value

import (
	"strings"
	"testing"
)

func TestLayout(t *testing.T) {
	long := make(Ints, 1000)
	matrix := make(Array, 30)
	for i := range long {
		long[i] = int64(i)
	}
	for i := range matrix {
		matrix[i] = Reals{float64(i), 0.5}
	}
	for _, c := range []struct {
		name   string
		v      Value
		want   string
		elided bool
	}{
		{"a number", Real(2.5), "2.5", false},
		{"unit", Tuple{}, "()", false},
		{"an empty array", Array{}, "[]", false},
		{"empty rows", Array{Reals{}, Reals{}}, "[[],\n []]", false},
		{"one line", Tuple{Real(1), Reals{1, 2}, Record{{"x", Int(1)}}}, "(1, [1, 2], {x = 1})", false},
		{"a matrix", Array{Reals{1, -20.5}, Reals{300, 4}}, "[[  1, -20.5],\n [300,     4]]", false},
		{"one row", Array{Reals{1, 2}}, "[[1, 2]]", false},
		{"ragged", Array{Ints{1}, Ints{22, 3}}, "[[ 1],\n [22, 3]]", false},
		{"texts", Array{Array{String("a")}, Array{String("bc")}}, "[[ \"a\"],\n [\"bc\"]]", false},
		{"a matrix in a record", Record{{"a b", Array{Ints{1, 2}, Ints{3, 4}}}, {"n", Int(1)}},
			"{\"a b\" = [[1, 2],\n          [3, 4]],\n n = 1}", false},
		{"matrices", Array{Array{Ints{1}, Ints{2}}, Array{Ints{3}, Ints{4}}}, "[[[1],\n  [2]],\n [[3],\n  [4]]]", false},
		{"a long array", long, "[0, 1, 2, …, 997, 998, 999]", true},
		{"a long matrix", matrix,
			"[[ 0, 0.5],\n [ 1, 0.5],\n [ 2, 0.5],\n …,\n [27, 0.5],\n [28, 0.5],\n [29, 0.5]]", true},
		{"several lines", Array{String("abcdefghijklmn"), String("opqrstuvw"), String("xyz")},
			"[\"abcdefghijklmn\", \"opqrstuvw\",\n \"xyz\"]", false},
		{"a wide tuple", Tuple{String("abcdefghijklmn"), String("opqrstuvw"), String("xyz")},
			"(\"abcdefghijklmn\",\n \"opqrstuvw\",\n \"xyz\")", false},
		{"data", Con{"Some", []Value{long}}, "Some [0, 1, 2, 3, 4, 5, …]", true},
	} {
		l := Layout{Width: 32, MaxElems: 6}
		if got := l.Show(c.v); got != c.want || l.Elided != c.elided {
			t.Errorf("%s: got\n%s\n(elided: %v), want\n%s", c.name, got, l.Elided, c.want)
		}
		whole := Layout{Width: 32}
		joined := strings.NewReplacer("\n", "", " ", "").Replace(whole.Show(c.v))
		if want := strings.ReplaceAll(Show(c.v), " ", ""); joined != want || whole.Elided {
			t.Errorf("%s: without limits\n%s\nis not\n%s", c.name, joined, want)
		}
	}
}
