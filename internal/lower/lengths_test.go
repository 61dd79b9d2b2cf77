package lower_test

import (
	"fmt"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const lengths = `
import array

let path (x : Real) : Real =
  let (_, ys) = loop (y, ys) = (x, []) for i < 20 do (sin (y + real i), array.concat ys [y * y])
  sum ys
let rows (x : Real) : Real =
  let (_, ys) = loop (y, ys) = ([x, 2 * x], []) for i < 5 do (map sin y, array.concat ys [y])
  sum (map sum ys) * real (length ys)
let some (x : Real) : Real = sum (
  loop xs = [] for i < 9 do if mod i 2 == 0 then array.concat xs [x * real i] else xs)
let never (x : Real) : Real = x * real (length (
  loop xs = [1] for i < 9 do if x > 100 then array.concat xs [2] else xs))
let nested (x : Real) : Real = inner [real i for i < 13] (
  loop xs = [x] for i < 4 do loop ys = xs for j < 3 do array.concat ys [x * ys[i * j]])
let recent (x : Real) : Real = sum (
  loop xs = [] for i < 20 do
    let kept = if length xs < 5 then xs else xs[1:]
    array.concat kept [x * real i])
let halved (x : Real) : Real = sum (loop xs = [x * real i for i < 32] for i < 4 do xs[div (length xs) 2:])
let pairs (x : Real) : Real =
  let ps = loop ps = [(7, [x, x])] for i < 4 do array.concat ps [(i, [x, real i]), (i * i, [x * x, 1])]
  sum [real k * inner v v for (k, v) in ps]
let twice (x : Real) : Real = sum (
  loop xs = [x] for i < 4 do array.concat (array.concat xs [2 * xs[i]]) [xs[0] * xs[0]])
let shared (x : Real) : Real = 
  let last = loop (xs, ys) = ([x], [1]) for i < 4 do (array.concat xs [x * xs[i]], array.concat xs [ys[0]])
  sum (fst last) + 3 * sum (snd last)
let front (x : Real) : Real = sum (loop xs = [x] for i < 6 do array.concat [x * xs[0]] xs)
let many (x : Real) : Real = sum (loop xs = [x] for i < 5 do array.concat xs (map sin xs))
let upto (x : Real) : Real =
  let last = loop s = {y = x, ys = []} while s.y < 100 do {y = s.y * 1.5 + 1, ys = array.concat s.ys [s.y]}
  sum [y * y for y in last.ys]
let table (x : Real) : Real =
  let last = loop s = {y = x, ys = []} while s.y < 100 do
    {y = s.y * 1.5 + 1, ys = if s.y < 2 then s.ys else array.concat s.ys [[s.y, x]]}
  sum [y[0] * y[1] for y in last.ys]
let cleared (x : Real) : Real =
  let rows = loop rows = [] for i < 9 do
    if mod i 4 == 3 then [] else array.concat (if length rows < 2 then rows else rows[1:]) [[x, x * real i]]
  sum [inner row row for row in rows]
let outside (x : Real) : Real = sum (
  loop xs = [x] for i < 9 do if i == 6 then array.concat xs [xs[i + 1]] else array.concat xs [xs[i]])
let texts (x : Real) : Real =
  let (total, _) = loop (total, text) = (0, "sum") for i < 30 do
    if x * real i > 150 then fail text else (total + sin (x * real i), join text (show i))
  total
let none (x : Real) : Real = sum (loop xs = [] for i < round x - 100 do array.concat xs [x])
`

// TestLengths: loops whose arrays change their lengths are compiled, and give the same by every
// engine, with their derivatives.
func TestLengths(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	for _, f := range []string{"path", "rows", "some", "never", "nested", "recent", "halved", "pairs", "twice", "shared", "front",
		"many", "upto", "table", "cleared", "outside", "texts", "none"} {
		text := lengths + fmt.Sprintf(
			"let d x = deriv %[1]s x\n(%[1]s 0.3, %[1]s 7, d 0.3, deriv d 0.3, grad (fun v => %[1]s v[0] * %[1]s v[1]) [0.3, 0.4])\n", f)
		before := used.ran
		compare(t, f, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
		if f != "outside" && used.ran == before {
			t.Errorf("%s: no region ran as compiled code", f)
		}
	}
}
