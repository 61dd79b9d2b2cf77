package lower_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

const nodes = `
import list

data Tree = Leaf Real | Node Tree Tree
data Expr = Num Real | Var | Add Expr Expr | Mul Expr Expr | Pow Expr Int | Call Bool (Option Expr)
data Chain = Link Real (Option Chain)

let rec total (t : Tree) : Real =
  match t with
  | Leaf x -> x^2
  | Node l r -> total l + 2 * total r

let rec eval (x : Real) (e : Expr) : Real =
  match e with
  | Num c -> c
  | Var -> x
  | Add a b -> eval x a + eval x b
  | Mul a b -> eval x a * eval x b
  | Pow a n -> eval x a ^ n
  | Call true (Some a) -> sin (eval x a)
  | Call false (Some a) -> eval x a
  | Call _ None -> 0

let rec follow (c : Chain) : Real =
  match c with
  | Link x None -> x
  | Link x (Some rest) -> x * follow rest

let rec depth (t : Tree) : Int =
  match t with
  | Leaf _ -> 0
  | Node l r -> 1 + max (depth l) (depth r)

let rec full (n : Int) : Tree = if n == 0 then Leaf 3 else let t = full (n - 1) in Node t t

let tree = Node (Node (Leaf 1) (Leaf 2)) (Leaf 3)
let shared = full 12
let xs : List Real = list.fromArray [1, 2, 3, 4]
let vectors : List ([]Real) = list.fromArray [[1, 2], [3, 4], [5, 6]]
let nested : List (List Real) = Cons xs (Cons Nil (Cons (list.fromArray [7, 8]) Nil))
let expr = Add (Mul Var (Num 2)) (Add (Pow Var 3) (Call true (Some (Mul Var Var))))
let chain = Link 2 (Some (Link 3 (Some (Link 5 None))))

let polynomial (p : Real) : Real = list.fold (fun acc x => acc * p + x) 0 xs
let rightwards (p : Real) : Real = list.foldRight (fun x acc => sin (p * x + acc)) p xs
let ofVectors (p : Real) : Real = sum (list.fold (fun h v => map tanh (p .* h + v)) [0.1, 0.2] vectors)
let ofLists (p : Real) : Real =
  list.fold (fun acc ys => acc * p + list.fold (fun s y => s + y * p) 0 ys) 1 nested
let trees (p : Real) : Real = sum [total t * p^i for (i, t) in zip (iota 3) [tree, shared, Leaf 1]]
let known (p : Real) : Real = eval p expr + real (list.length xs)
let chained (p : Real) : Real = loop s = p for _ < 3 do sin (s + follow chain)
let searched (p : Real) : Real =
  real (loop n = 0 for i < 6 do if list.any (fun x => x > p * real i) xs then n + 1 else n)
let dropped (p : Real) : Real =
  loop s = p for i < 5 do
    match list.drop i xs with
    | Nil -> s * 2
    | Cons x _ -> s * x
let failing (p : Real) : Real =
  let rec check (n : Int) (ys : List Real) : Real =
    match ys with
    | Nil -> p
    | Cons y rest -> if y > 3 then fail "too large" else check (n + 1) rest
  loop s = 0 for i < 3 do s + check i (list.drop i xs)
let depths (p : Real) : Real = p * real (loop n = 0 for _ < 3 do n + depth shared)
let rec newton (n : Int) (p x : Real) : Real =
  let y = x - (x^2 - p) / (2 * x)
  if n == 0 || (y - x)^2 < 1e-24 then y else newton (n - 1) p y
let roots (p : Real) : Real = sum [newton 50 (p + real i) 1 for i < 4]
let captured (p : Real) : Real =
  let scale = fun x => p * x
  let rec go (ys : List Real) : Real =
    match ys with
    | Nil -> 0
    | Cons y rest -> scale y + 2 * go rest
  loop s = 0 for _ < 3 do s + go xs
`

// TestRecursiveData: recursive data that functions are given is compiled, and so are functions that
// call themselves, in tail position and elsewhere, with functions among their arguments. They give
// the same by every engine, with their derivatives.
func TestRecursiveData(t *testing.T) {
	for _, f := range []string{"polynomial", "rightwards", "ofVectors", "ofLists", "trees", "known", "chained", "searched",
		"dropped", "failing", "depths", "roots", "captured"} {
		used := &regions{}
		with := everyEngine(t, used)
		text := nodes + "(" + f + " 0.3, " + f + " 2.5, deriv " + f + " 0.3, deriv (deriv " + f + ") 0.3)\n"
		compare(t, f, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
		if used.ran+used.left == 0 {
			t.Errorf("%s: no region was compiled", f)
		}
	}
}
