package export

import (
	"context"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const matrices = `
let total (m : [][]Real) : Real = sum [sum r for r in m]
let trace (m : [][]Real) : Real = sum [m[i][i] for i < length m]
let second (m : [][]Real) : Real = sum [x * x for x in m[1]]
let steps (m : [][]Real) : Real = sum [sum [r[j] * r[j + 1] for j < length r - 1] for r in m]
let backwards (m : [][]Real) (v : []Real) : Real =
  sum [sum [m[i][length v - 1 - j] * v[j] for j < length v] for i < length m]
let beyond (m : [][]Real) (k : Int) : Real = sum [(flatten m)[i * length m[0] + k] for i < length m - 1]
let columns (m : [][]Real) : [][]Real = [[m[i][j] for i < length m] for j < length m[0]]
let same (m : [][]Real) : ([][]Real, Int) = (m, length m)
let walk (m : [][]Real) (n : Int) : Real = loop x = 1 for i < n do x * m[i][0] + m[i][length m[i] - 1]
let counted (m : [][]Int) (v : []Real) : Real = sum [if r[0] > 0 then v[r[0]] else 0 for r in m]
let nested (p : {m : [][]Real, c : Real}) : Real = sum [exp (p.c * inner r r) for r in p.m]
`

// TestGoRows: slices of slices are read where they are if their elements are known to be in their
// rows, and copied if not. Matrices without rows or columns, and rows of different lengths, are as
// in the program, or errors.
func TestGoRows(t *testing.T) {
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("matrices", matrices, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	values := Functions(context.Background(), w, unit, Options{Functions: []string{"columns", "same"}, Typed: true}, &list)
	m := Functions(context.Background(), w, unit, Options{Functions: []string{"total", "trace", "second", "steps", "backwards", "beyond", "walk", "counted", "nested"},
		Grad: true, Typed: true}, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	m.functions = append(m.functions, values.functions...)
	files, err := m.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(files[0].Text)
	for function, copied := range map[string]bool{"Total": false, "TraceGrad": false, "Steps": false, "StepsGrad": false, "BackwardsGrad": false,
		"WalkGrad": false, "Counted": false, "NestedGrad": false, "Columns": false, "Beyond": false, "Same": true} {
		_, body, _ := strings.Cut(text, "\nfunc "+function+"(")
		if body, _, _ = strings.Cut(body, "\n}"); strings.Contains(body, "fxRows(") != copied {
			t.Errorf("%s\n}", body)
		}
	}
	files[0].Text = []byte(strings.Replace(text, "package matrices\n", "package main\n", 1))
	files = append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")}, File{"main.go", []byte(`package main

import "fmt"

func main() {
	for _, m := range [][][]float64{{{1, 2, 3}, {4, 5, 6}}, {{1, 2}, {3, 4}, {5, 6}}, {}, {{}, {}}, {{1, 2}, {3}}, {{7}}} {
		fmt.Println(m)
		fmt.Print(" ")
		fmt.Print(Total(m))
		fmt.Print(" ")
		fmt.Print(Trace(m))
		fmt.Print(" ")
		fmt.Print(TraceGrad(m))
		fmt.Print(" ")
		fmt.Print(Second(m))
		fmt.Print(" ")
		fmt.Println(SecondGrad(m))
		fmt.Print(" ")
		fmt.Print(Steps(m))
		fmt.Print(" ")
		fmt.Println(StepsGrad(m))
		for _, v := range [][]float64{{}, {10, 1}, {1, 1, 1}} {
			fmt.Print(" ")
			fmt.Print(Backwards(m, v))
			fmt.Print(" ")
			fmt.Println(BackwardsGrad(m, v))
		}
		fmt.Print(" ")
		fmt.Print(Beyond(m, 0))
		fmt.Print(" ")
		fmt.Print(Beyond(m, 2))
		fmt.Print(" ")
		fmt.Println(Beyond(m, 6))
		fmt.Print(" ")
		fmt.Print(Columns(m))
		fmt.Print(" ")
		fmt.Println(Same(m))
		fmt.Print(" ")
		fmt.Print(Walk(m, 1))
		fmt.Print(" ")
		fmt.Print(Walk(m, -1))
		fmt.Print(" ")
		fmt.Println(WalkGrad(m, 2))
		fmt.Print(" ")
		fmt.Print(Nested(NestedP{M: m}))
		fmt.Print(" ")
		fmt.Println(NestedGrad(NestedP{M: m, C: 100}))
	}
	fmt.Println(Counted([][]int64{{1, 5}, {-1, 5}, {2, 5}}, []float64{1, 2, 3}))
	fmt.Println(Counted([][]int64{{1, 5}, {3, 5}}, []float64{1, 2, 3}))
}
`)})
	got := write(t, files, []string{"go", "vet", "."}, []string{"go", "run", "."})
	got = strings.ReplaceAll(got, "out of range, or without a derivative", "!")
	if got != wantRows {
		t.Errorf("printed\n%s", got)
	}
}

const wantRows = `[[1 2 3] [4 5 6]]
 21 <nil> 6 <nil> [[1 0 0] [0 1 0]] <nil> 77 <nil> [[0 0 0] [8 10 12]] <nil>
 58 <nil> [[2 4 2] [5 10 5]] <nil>
 0 <nil> [[0 0 0] [0 0 0]] [] <nil>
 75 <nil> [[1 10 0] [1 10 0]] [7 5] <nil>
 21 <nil> [[1 1 1] [1 1 1]] [9 7 5] <nil>
 1 <nil> 3 <nil> 0 !
 [[1 4] [2 5] [3 6]] <nil> [[1 2 3] [4 5 6]] 2 <nil>
 4 <nil> 1 <nil> [[4 0 4] [4 0 1]] 2 <nil>
 2 <nil> {0 []} !
[[1 2] [3 4] [5 6]]
 21 <nil> 0 ! [] ! 25 <nil> [[0 0] [6 8] [0 0]] <nil>
 44 <nil> [[2 1] [4 3] [6 5]] <nil>
 0 <nil> [[0 0] [0 0] [0 0]] [] <nil>
 129 <nil> [[1 10] [1 10] [1 10]] [12 9] <nil>
 0 ! [] [] !
 4 <nil> 8 <nil> 0 !
 [[1 3 5] [2 4 6]] <nil> [[1 2] [3 4] [5 6]] 3 <nil>
 3 <nil> 1 <nil> [[3 3] [3 1] [0 0]] 2 <nil>
 3 <nil> {0 []} !
[]
 0 <nil> 0 <nil> [] <nil> 0 ! [] !
 0 <nil> [] <nil>
 0 <nil> [] [] <nil>
 0 <nil> [] [0 0] <nil>
 0 <nil> [] [0 0 0] <nil>
 0 ! 0 ! 0 !
 [] ! [] 0 <nil>
 0 ! 1 <nil> [] 0 !
 0 <nil> {0 []} <nil>
[[] []]
 0 <nil> 0 ! [] ! 0 <nil> [[] []] <nil>
 0 ! [] !
 0 <nil> [[] []] [] <nil>
 0 ! [] [] !
 0 ! [] [] !
 0 ! 0 ! 0 !
 [] <nil> [[] []] 2 <nil>
 0 ! 1 <nil> [] 0 !
 2 <nil> {0 [[] []]} <nil>
[[1 2] [3]]
 0 ! 0 ! [] ! 0 ! [] !
 0 ! [] !
 0 ! [] [] !
 0 ! [] [] !
 0 ! [] [] !
 0 ! 0 ! 0 !
 [] ! [] 0 !
 0 ! 0 ! [] 0 !
 0 ! {0 []} !
[[7]]
 7 <nil> 7 <nil> [[1]] <nil> 0 ! [] !
 0 <nil> [[0]] <nil>
 0 <nil> [[0]] [] <nil>
 0 ! [] [] !
 0 ! [] [] !
 0 <nil> 0 <nil> 0 <nil>
 [[7]] <nil> [[7]] 1 <nil>
 14 <nil> 1 <nil> [] 0 !
 1 <nil> {0 []} !
5 <nil>
0 !`
