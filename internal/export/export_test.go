package export

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const program = `
let scales = [1, 2, 3]
let loss (w : []Real) (xs : []Real) : Real = sum [(w[i] * xs[i] - scales[2])^2 for i < length w]
let int (x : Real) : Real = exp x / scales[1]
let α (β' : Real) : Real = β' * β' + sin β'
let rows (m : [][]Real) (p : {k : Int, up : Bool}) : []Real = [if p.up then r[p.k] + 1 else r[p.k] for r in m]
let tiny (x : Real) : Real = (if x > 0 then x else 2 * x)
let rec power (n : Int) (x : Real) : Real = if n <= 0 then 1 else x * power (n - 1) x
`

func module(t *testing.T, o Options) *Module {
	t.Helper()
	return moduleOf(t, "int", program, o)
}

// moduleOf has functions of a program.
func moduleOf(t *testing.T, name, text string, o Options) *Module {
	t.Helper()
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText(name, text, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	m := Functions(context.Background(), w, unit, o, &list)
	if m == nil {
		t.Fatal(list.Sorted())
	}
	return m
}

// printed is functions of a program in the language of a target.
func printed(t *testing.T, target, name, text string, o Options) []File {
	t.Helper()
	files, err := moduleOf(t, name, text, o).Print(target)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var everything = Options{Functions: []string{"loss", "int", "α", "power"}, Grad: true, VJP: true, JVP: true}

// write puts files into a folder, and runs commands there. It gives what the last one prints.
func write(t *testing.T, files []File, commands ...[]string) string {
	t.Helper()
	dir, out := t.TempDir(), ""
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commands {
		if _, err := exec.LookPath(c[0]); err != nil && !strings.HasPrefix(c[0], "./") {
			t.Skipf("%s is not installed", c[0])
		}
		cmd := exec.Command(c[0], c[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c, err, text)
		}
		out = string(text)
	}
	return strings.TrimSpace(out)
}

// want is what the programs of the tests below print: values, gradients, products with derivatives,
// the failures of an index out of range and a derivative at a tie, and those of a recursive
// function.
const want = `25.00 0.00 40.00 0.00 20.00 60.00
1.36 1.36
4.91 3.58
3.00 5.00 true true
8.00 12.00 true`

func TestGo(t *testing.T) {
	o := everything
	o.Typed = true
	m := module(t, o)
	m.functions = append(m.functions, module(t,
		Options{Functions: []string{"rows"}, Typed: true}).functions...)
	m.functions = append(m.functions, module(t,
		Options{Functions: []string{"tiny"}, Grad: true, Typed: true}).functions[1:]...)
	files, err := m.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(files[0].Text), "package int\n") {
		t.Errorf("another package:\n%.200s", files[0].Text)
	}
	files = append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")})
	files[0].Text = []byte(strings.Replace(string(files[0].Text), "package int\n", "package main\n",
		1))
	files = append(files, File{"main.go", []byte(`package main

import "fmt"

func main() {
	w, xs := []float64{1, 2}, []float64{3, 4}
	l, _ := Loss(w, xs)
	dw, dx, _ := LossGrad(w, xs)
	j, _ := LossJvp(w, xs, []float64{1, 1}, []float64{1, 1})
	fmt.Printf("%.2f %.2f %.2f %.2f %.2f %.2f\n", l, dw[0], dw[1], dx[0], dx[1], j)
	e, _ := Int(1)
	de, _ := IntGrad(1)
	fmt.Printf("%.2f %.2f\n", e, de)
	a, _ := U03b1(2)
	da, _ := U03b1Vjp(2, 1)
	fmt.Printf("%.2f %.2f\n", a, da)
	r, _ := Rows([][]float64{{1, 2}, {3, 4}}, RowsP{K: 1, Up: true})
	_, err := Rows([][]float64{{1, 2}, {3}}, RowsP{K: 1, Up: true})
	_, tie := TinyGrad(0)
	fmt.Printf("%.2f %.2f %v %v\n", r[0], r[1], err != nil, tie != nil)
	e, _ = Power(3, 2)
	_, de, _ = PowerGrad(3, 2)
	_, err = Power(1e9, 1)
	fmt.Printf("%.2f %.2f %v\n", e, de, err != nil)
}
`)})
	if got := write(t, files, []string{"go", "vet", "."}, []string{"go", "run", "."}); got != want {
		t.Errorf("printed\n%s", got)
	}
}

const structures = `
--| Colours of things.
data Colour = Red | Green | Blue
data Point = Point Real Real
--| A thing with everything.
type Thing = {at : Point, colour : Colour, pair : (Real, Int), tags : []Bool, sides : (Real, Real)}
let paint (things : []Thing) (shades : []Colour) : []{colour : Colour, total : Real, on : []Bool} =
  [{colour = c, on = t.tags, total = (match t.at with | Point x y -> x + 10 * y) + t.pair[0] + t.sides[1]} for (t, c) in zip things shades]
let cube (m : [][][]Real) : ([][][]Real, Int) = ([[[-x for x in r] for r in p] for p in m], length m)
let scaled (p : {k : Int, w : []{a : Real, b : []Real}}) : Real = sum [r.a * sum r.b for r in p.w] * real p.k
data Shape = Disc Real | Box Real Real | Path []Real | Void
let area (s : Shape) (k : Real) : Real =
  k * (match s with | Disc r -> r^2 | Box w h -> w * h | Path xs -> sum xs | Void -> 0)
let half (ss : []Shape) : []Shape =
  [(match s with | Box w h -> Disc (w / 2 + h) | Disc r -> Box r 1 | Path xs -> Disc (sum xs) | Void -> Void) for s in ss]
let root (x : Real) : Option Real = if x < 0 then None else Some (sqrt x)
let kink (s : Shape) : Real =
  match s with | Disc r -> 1 / r | Box w h -> max w h | Path xs -> maximum xs | Void -> 0
let grown (s : Shape) (k : Real) : Shape =
  match s with | Disc r -> Box (k * r) (r^2) | Box w h -> Disc (w * h * k) | Path xs -> Path [x^2 * k for x in xs] | Void -> Void
data Solid = Ball Real | Brick Real Real
let weight (ss : []Solid) (o : Option Real) : Real =
  (match o with | Some x -> log x | None -> 1) * sum [(match s with | Ball r -> r^3 | Brick a b -> max a b) for s in ss]
let next (c : Colour) (m : [][]Colour) : [][]Colour = [[if x == c then Blue else x for x in r] for r in m]
`

// TestGoTypes: records, tuples, data, enumerations and arrays of them in and out.
func TestGoTypes(t *testing.T) {
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("things", structures, nil, &list)
	m := (*Module)(nil)
	if !list.Failed() {
		m = Functions(context.Background(), w, unit, Options{Functions: []string{"paint", "cube", "next", "area", "root"},
			Typed: true}, &list)
	}
	if list.Failed() {
		t.Fatal(list.Sorted(), list.Sorted()[0].Hints)
	}
	gradients := Functions(context.Background(), w, unit, Options{Functions: []string{"scaled", "kink", "weight"}, Grad: true, Typed: true}, &list)
	products := Functions(context.Background(), w, unit, Options{Functions: []string{"grown"}, JVP: true, VJP: true, Typed: true}, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	m.functions = slices.Concat(m.functions, gradients.functions, products.functions)
	files, err := m.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"// A thing with everything.\ntype Thing struct {",
		"// Colours of things.\ntype Colour int64"} {
		if !strings.Contains(string(files[0].Text), part) {
			t.Errorf("no %q in\n%s", part, files[0].Text)
		}
	}
	files[0].Text = []byte(strings.Replace(string(files[0].Text), "package things\n",
		"package main\n", 1))
	files = append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")}, File{"main.go", []byte(`package main

import (
	"fmt"
	"math"
)

func main() {
	thing := Thing{At: Point{1, 2}, Colour: ColourGreen, Pair: ThingPair{0.5, 3}, Tags: []bool{true, false}, Sides: [2]float64{7, 100}}
	fmt.Println(Paint([]Thing{thing, thing}, []Colour{ColourBlue, ColourRed}))
	fmt.Println(Paint(nil, nil))
	fmt.Println(Cube([][][]float64{{{1, 2}}, {{3, 4}}, {{5, 6}}}))
	fmt.Println(Cube([][][]float64{{{1, 2}}, {{3}}}))
	fmt.Println(Cube(nil))
	p := ScaledP{K: 2, W: []ScaledPW{{A: 1, B: []float64{1, 2}}, {A: 3, B: []float64{4, 5}}}}
	fmt.Println(Scaled(p))
	fmt.Println(ScaledGrad(p))
	fmt.Println(Next(ColourRed, [][]Colour{{ColourRed, ColourGreen}, {ColourBlue, ColourRed}}))
	fmt.Println(Area(Shape{Tag: ShapeBox, BoxFirst: 2, BoxSecond: 3}, 10))
	fmt.Println(Area(Shape{Tag: ShapePath, Path: []float64{1, 2, 3}}, 10))
	fmt.Println(Root(9))
	fmt.Println(Root(-1))
	fmt.Println(Area(Shape{Tag: 4}, 10))
	fmt.Println(Next(ColourRed, [][]Colour{{-1}}))
	// Of the fields that a value does not have, nothing is read.
	nan := math.NaN()
	fmt.Println(KinkGrad(Shape{Tag: ShapeDisc, Disc: 2, BoxFirst: nan, Path: []float64{nan}}))
	fmt.Println(KinkGrad(Shape{Tag: ShapeDisc}))
	fmt.Println(KinkGrad(Shape{Tag: ShapeBox, BoxFirst: 2, BoxSecond: 2, Disc: nan}))
	fmt.Println(KinkGrad(Shape{Tag: ShapePath, Path: []float64{1, 3, 3}}))
	fmt.Println(KinkGrad(Shape{Tag: ShapeVoid, Disc: nan}))
	fmt.Println(GrownJvp(Shape{Tag: ShapeDisc, Disc: 2, Path: []float64{nan}}, 3, Shape{Tag: ShapeDisc, Disc: 1, BoxSecond: nan, Path: []float64{1, nan}}, 1))
	fmt.Println(GrownJvp(Shape{Tag: ShapePath, Path: []float64{2, 3}}, 3, Shape{Tag: ShapePath, Path: []float64{1, 0}}, 0))
	fmt.Println(GrownJvp(Shape{Tag: ShapePath, Path: []float64{2, 3}}, 3, Shape{Tag: ShapePath, Path: []float64{1}}, 0))
	fmt.Println(GrownJvp(Shape{Tag: ShapeDisc, Disc: 2}, 3, Shape{Tag: ShapeBox, Disc: 2}, 0))
	fmt.Println(GrownVjp(Shape{Tag: ShapeDisc, Disc: 2}, 3, Shape{Tag: ShapeBox, BoxFirst: 1, BoxSecond: 10, Disc: nan, Path: []float64{nan}}))
	fmt.Println(GrownVjp(Shape{Tag: ShapePath, Path: []float64{2, 3}}, 3, Shape{Tag: ShapePath, Path: []float64{1, 10}}))
	fmt.Println(GrownVjp(Shape{Tag: ShapePath, Path: []float64{2, 3}}, 3, Shape{Tag: ShapePath}))
	fmt.Println(GrownVjp(Shape{Tag: ShapeDisc, Disc: 2}, 3, Shape{Tag: ShapeDisc, Disc: 2}))
	solids := []Solid{{Tag: SolidBrick, BrickFirst: 1, BrickSecond: 2, Ball: nan}, {Tag: SolidBall, Ball: 2}, {Tag: SolidBrick, BrickFirst: 3, BrickSecond: 3}}
	fmt.Println(WeightGrad(solids, Option{Tag: OptionSome, Some: 4}))
	fmt.Println(WeightGrad(solids, Option{Tag: OptionNone, Some: nan}))
}
`)})
	const want = `[{2 [true false] 121.5} {0 [true false] 121.5}] <nil>
[] <nil>
[[[-1 -2]] [[-3 -4]] [[-5 -6]]] 3 <nil>
[] 0 out of range, or without a derivative
[] 0 <nil>
60 <nil>
{2 [{6 [2 2]} {18 [6 6]}]} <nil>
[[2 1] [2 2]] <nil>
60 <nil>
60 <nil>
{1 3} <nil>
{0 0} <nil>
0 out of range, or without a derivative
[] out of range, or without a derivative
{0 -0.25 0 0 [0]} <nil>
{0 0 0 0 []} out of range, or without a derivative
{1 0 0.5 0.5 []} <nil>
{2 0 0 0 [0 0.5 0.5]} <nil>
{3 0 0 0 []} <nil>
{1 0 5 4 []} <nil>
{2 0 0 0 [12 0]} <nil>
{0 0 0 0 []} out of range, or without a derivative
{0 0 0 0 []} out of range, or without a derivative
{0 43 0 0 []} 2 <nil>
{2 0 0 0 [12 180]} 94 <nil>
{0 0 0 0 []} 0 out of range, or without a derivative
{0 0 0 0 []} 0 out of range, or without a derivative
[{1 0 0 1.3862943611198906} {0 16.635532333438686 0 0} {1 0 0.6931471805599453 0.6931471805599453}] {1 3.25} <nil>
[{1 0 0 1} {0 12 0 0} {1 0 0.5 0.5}] {0 0} <nil>`
	if got := write(t, files, []string{"go", "vet", "."}, []string{"go", "run", "."}); got != want {
		t.Errorf("printed\n%s\n%s", got, files[0].Text)
	}
}

func TestWasm(t *testing.T) {
	m := module(t, everything)
	m.functions = append(m.functions, module(t, Options{Functions: []string{"rows"}}).functions...)
	m.functions = append(m.functions, module(t,
		Options{Functions: []string{"tiny"}, Grad: true}).functions[1:]...)
	files, err := m.Print("wasm")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{"main.mjs", []byte(`import { load } from "./int.mjs";
const m = await load();
const line = (...xs) => console.log(xs.map((x) => (typeof x === "number" ? x.toFixed(2) : x)).join(" "));
const fails = (f) => { try { f(); return false; } catch { return true; } };
const [w, xs] = [[1, 2], [3, 4]];
const [dw, dx] = m.loss_grad(w, xs);
line(m.loss(w, xs), ...dw, ...dx, m.loss_jvp(w, xs, [1, 1], [1, 1]));
line(m.int(1), m.int_grad(1));
line(m.u03b1(2), m.u03b1_vjp(2, 1));
const p = { k: 1, up: true };
line(...m.rows([[1, 2], [3, 4]], p), fails(() => m.rows([[1, 2], [3]], p)), fails(() => m.tiny_grad(0)));
line(m.power(3, 2), m.power_grad(3, 2)[1], fails(() => m.power(1e9, 1)));
`)})
	if got := write(t, files, []string{"node", "main.mjs"}); got != want {
		t.Errorf("printed\n%s", got)
	}
	if types := string(files[2].Text); !strings.Contains(types,
		`"int_grad"(x: number): number;`) {
		t.Errorf("the types are\n%s", types)
	}
}

// TestWasmTypes: records, tuples, data, enumerations and arrays of them in and out of JavaScript,
// and what it says of wrong ones.
func TestWasmTypes(t *testing.T) {
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("things", structures, nil, &list)
	m := Functions(context.Background(), w, unit, Options{Functions: []string{"paint", "cube", "next", "area", "half", "root"}}, &list)
	gradients := Functions(context.Background(), w, unit, Options{Functions: []string{"scaled", "kink", "weight"}, Grad: true}, &list)
	products := Functions(context.Background(), w, unit, Options{Functions: []string{"grown"}, JVP: true}, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	m.functions = slices.Concat(m.functions, gradients.functions, products.functions)
	files, err := m.Print("wasm")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{"main.mjs", []byte(`import { load } from "./things.mjs";
import { inspect } from "node:util";
const m = await load();
const show = (f) => {
  try { console.log(inspect(f(), { depth: 9, breakLength: 200, compact: 9 })); } catch (e) { console.log(e.message); }
};
const thing = { at: { con: "Point", args: [1, 2] }, colour: "Green", pair: [0.5, 3], tags: [true, false], sides: [7, 100] };
show(() => m.paint([thing, thing], ["Blue", "Red"]));
show(() => m.paint([], []));
show(() => m.cube([[[1, 2]], [[3, 4]], [[5, 6]]]));
show(() => m.cube([[[1, 2]], [[3]]]));
show(() => m.cube([]));
const p = { k: 2, w: [{ a: 1, b: [1, 2] }, { a: 3, b: new Float64Array([4, 5]) }] };
show(() => m.scaled(p));
show(() => m.scaled_grad(p));
show(() => m.next("Red", [["Red", "Green"], ["Blue", "Red"]]));
const [disc, box, path, void_] = [{ con: "Disc", args: [2] }, { con: "Box", args: [2, 3] }, { con: "Path", args: [[1, 2, 3]] }, { con: "Void", args: [] }];
show(() => [disc, box, path, void_].map((s) => m.area(s, 10)));
show(() => m.half([disc, box, path, void_, path]));
show(() => [m.half([]), m.half([void_]), m.root(9), m.root(-1)]);
show(() => [disc, box, path, void_].map((s) => m.kink_grad(s)));
show(() => m.kink_grad({ con: "Disc", args: [0] }));
show(() => m.weight_grad([{ con: "Brick", args: [3, 3] }, { con: "Ball", args: [1] }], { con: "None", args: [] }));
show(() => [m.grown_jvp(disc, 3, { con: "Disc", args: [1] }, 1), m.grown_jvp(path, 3, path, 0)]);
show(() => m.grown_jvp(disc, 3, path, 1));
show(() => m.area({ con: "Disk", args: [2] }, 10));
show(() => m.area({ con: "Box", args: [2] }, 10));
show(() => m.half([path, { con: "Path", args: [[1]] }]));
show(() => m.next("Pink", []));
show(() => m.scaled({ k: 1.5, w: [] }));
show(() => m.scaled({ k: 2n ** 63n, w: [] }));
show(() => m.scaled({ k: 2 }));
show(() => m.scaled({ k: 2, w: [{ a: "1", b: [] }] }));
show(() => m.scaled(null));
show(() => m.paint([{ ...thing, at: [1, 2] }], ["Red"]));
for (const length of [-1, 2.5, NaN, Infinity, "1", 1n, 1e9, 1e15]) {
  const list = { length, 0: 1 };
  console.log(typeof length, String(length));
  show(() => m.cube(list));
  show(() => m.cube([list]));
  show(() => m.cube([[list], [list]]));
  show(() => m.paint(list, []));
  show(() => m.paint([{ ...thing, tags: list }], ["Red"]));
  show(() => m.paint([{ ...thing, pair: list }], ["Red"]));
  show(() => m.paint([{ ...thing, at: { con: "Point", args: list } }], ["Red"]));
  show(() => m.next("Red", [list]));
  show(() => m.scaled({ k: 1, w: list }));
  show(() => m.scaled({ k: 1, w: [{ a: 1, b: list }] }));
  show(() => m.half([void_, { con: "Path", args: [list] }]));
  show(() => m.half([{ con: "Path", args: list }]));
}
show(() => m.scaled({ k: 1, w: [{ a: 1, b: new BigInt64Array(1) }] }));
show(() => m.scaled({ k: 1, w: { length: 1, 0: { a: 2, b: { length: 2, 0: 3, 1: 4 } } } }));
show(() => m.scaled({ k: 1, w: [{ a: 2, b: new BigInt64Array(0) }] }));
`)})
	const known = `[ { colour: 'Blue', on: [ true, false ], total: 121.5 }, { colour: 'Red', on: [ true, false ], total: 121.5 } ]
[]
[ [ [ Float64Array(2) [ -1, -2 ] ], [ Float64Array(2) [ -3, -4 ] ], [ Float64Array(2) [ -5, -6 ] ] ], 3 ]
cube: m[][]: the arrays inside of an array have different lengths
[ [], 0 ]
60
{ k: 2, w: [ { a: 6, b: Float64Array(2) [ 2, 2 ] }, { a: 18, b: Float64Array(2) [ 6, 6 ] } ] }
[ [ 'Blue', 'Green' ], [ 'Blue', 'Blue' ] ]
[ 40, 60, 60, 0 ]
[ { con: 'Box', args: [ 2, 1 ] }, { con: 'Disc', args: [ 4 ] }, { con: 'Disc', args: [ 6 ] }, { con: 'Void', args: [] }, { con: 'Disc', args: [ 6 ] } ]
[ [], [ { con: 'Void', args: [] } ], { con: 'Some', args: [ 3 ] }, { con: 'None', args: [] } ]
[ { con: 'Disc', args: [ -0.25 ] }, { con: 'Box', args: [ 0, 1 ] }, { con: 'Path', args: [ Float64Array(3) [ 0, 0, 1 ] ] }, { con: 'Void', args: [] } ]
kink_grad: an index, a size or a whole number is out of range, or a derivative does not exist
[ [ { con: 'Brick', args: [ 0.5, 0.5 ] }, { con: 'Ball', args: [ 3 ] } ], { con: 'None', args: [] } ]
[ { con: 'Box', args: [ 5, 4 ] }, { con: 'Path', args: [ Float64Array(3) [ 6, 24, 54 ] ] } ]
grown_jvp: an index, a size or a whole number is out of range, or a derivative does not exist
area: s.con is not one of Disc, Box, Path, Void
area: s(Box) is not an array of 2
half: ss[](Path)[0]: the arrays inside of an array have different lengths
next: c is not one of Red, Green, Blue
scaled: p.k is not an integer
scaled: p.k is not an integer of 64 bits
scaled: p.w is not an array
scaled: p.w[].a is not a number
scaled: p is not an object
paint: things[].at is not { con: "Point", args: [...] }
`
	want := known
	for _, length := range []string{"number -1", "number 2.5", "number NaN", "number Infinity", "string 1", "bigint 1",
		"number 1000000000", "number 1000000000000000"} {
		what, fields := " is not an array", " is not { con: ..., args: [...] }"
		if strings.HasSuffix(length, "000") {
			what, fields = ": there is no memory for so many elements", "(Path) is not an array of 1"
		}
		want += length + `
cube: m` + what + `
cube: m[]` + what + `
cube: m[][]` + what + `
paint: things` + what + `
paint: things[].tags` + what + `
paint: things[].pair is not an array of 2
paint: things[].at is not { con: "Point", args: [...] }
next: m[]` + what + `
scaled: p.w` + what + `
scaled: p.w[].b` + what + `
half: ss[](Path)[0]` + what + `
half: ss[]` + fields + "\n"
	}
	want += "scaled: p.w[].b[] is not a number\n14\n0"
	if got := write(t, files, []string{"node", "main.mjs"}); got != want {
		t.Errorf("printed\n%s", got)
	}
	const face = `"scaled"(p: { "k": number | bigint; "w": ArrayLike<{ "a": number; "b": ArrayLike<number> }> }): number;`
	if types := string(files[2].Text); !strings.Contains(types, face) {
		t.Errorf("the types are\n%s", types)
	}
}

const hostile = `
type ErrRange = {type' : Real, func : Real, x' : Real, x_prime : Real, math : Real, err : Real}
--| */ breaks out? "quotes" \n
--| //go:build ignore
--| +build ignore
type Loss = {α : Real, β' : Real, nil : Real}
data Nil = Only Real Real
data Err = Range | Other
let loss (math : Loss) (errors : ErrRange) (nil : Real) (err : []Real) (err2 : Real) : Real =
  math.α * errors.func + math.β' * errors.x' * errors.x_prime + nil * sum err + err2
let loss_grad (float64 : Real) (len : []Real) (make : Nil) (append : Err) (string : Bool) : Real =
  if string then float64 * sum len
  else match make with | Only a b -> a * b + (if append == Range then 1 else 0)
let fxChoose (fx_exp : Real) (i : Int) (x2 x : Real) (each : []{list : []{at : Real}}) : Real =
  exp (fx_exp * x2) + real i + x + sum [sum [q.at for q in r.list] for r in each]
let main' (init : Real) : Real = exp (init / 3) - 2 - -init - (-(-init))
`

// TestHostileNames: names and comments that mean something in Go make a package that Go accepts.
func TestHostileNames(t *testing.T) {
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("package", hostile, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	o := Options{Functions: []string{"loss", "loss_grad", "fxChoose", "main'"}, Grad: true,
		JVP: true, Typed: true}
	m := Functions(context.Background(), w, unit, o, &list)
	if m == nil {
		t.Fatal(list.Sorted())
	}
	files, err := m.Print("go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{"go.mod", []byte("module example\n\ngo 1.24\n")})
	write(t, files, []string{"go", "vet", "."})
}

// TestNames: no name of a program breaks out of the output.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{"f": "f", "func": "func", "α'": "u03b1_prime",
		"x_1": "x_1", "*/": "u002au002f", "3d": "m3d", "'": "prime", "": "m"} {
		if got := ascii(name); got != want {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
	if got := comment("a */ b\n#include"); got != "a * / b #include" {
		t.Errorf("a comment becomes %q", got)
	}
	for name, want := range map[string]string{"func": "funcflx", "main": "mainflx",
		"model": "model", "My-Model": "my_model"} {
		if got := goPackage(name); got != want {
			t.Errorf("package %q becomes %q, not %q", name, got, want)
		}
	}
}
