package prim

import "github.com/fluxion-lang/fluxion/internal/types"

// structural returns the operations on values of any type that programs can name. Engines
// implement them (see Prim.Kind).
func structural() []*Prim {
	a := param("a", 0)
	return []*Prim{
		{
			ID: Length, Name: "length", Kind: Data, Total: true, Params: []string{"xs"},
			Scheme: forAll(types.Funs(types.Int, array(size("n"), a))),
			Doc:    "The number of elements of an array.\nlength [1, 2, 3] -- 3",
		},
		{
			ID: Show, Name: "show", Kind: Data, Total: true, Params: []string{"x"},
			Scheme: forAll(types.Funs(types.String, a)),
			Doc:    "A value as text, in the notation of the language.\nshow (1 + 1) -- \"2\"",
		},
		{
			ID: File, Name: "file", Kind: Input, Params: []string{"path"},
			Scheme: forAll(types.Funs(a, types.String)),
			Doc: "The contents of a data file, by the type that is expected here: a value that " +
				"is read when the program is loaded, and constant from then on. " +
				"The path is written out; it is relative to the folder of the program, and stays " +
				"below it unless --allow-read says more. " +
				"Files end in .csv, .tsv, .json, .jsonl, .npy, .npz or .parquet, each also with " +
				".gz or .zst; `fluxion data FILE` shows the type of one.\n" +
				"length (file \"points.csv\" : []{x : Real, y : Real}) -- 2",
		},
		{
			ID: Debug, Name: "debug", Kind: Expanded, Params: []string{"label", "x"},
			Scheme: forAll(types.Funs(a, types.String, a)),
			Doc: "The value itself. It is also shown on standard error, after the place of " +
				"this call and the label. Inside a derivative it is shown without its tangents; " +
				"in exact evaluation, as the enclosure that was reached at the end.\ndebug \"x\" " +
				"(1 + 1) -- 2",
		},
		{
			ID: Fail, Name: "fail", Kind: Data, Params: []string{"message"},
			Scheme: forAll(types.Funs(a, types.String)),
			Doc: "Stops the program with a message. It may stand where a value of any type is " +
				"expected.\nif 1 < 2 then 3 else fail \"never\" -- 3",
		},
	}
}

// builtins returns the operations that only the standard library names, as `builtin.reduce` and
// so on. It wraps each in a documented function.
func builtins() []*Prim {
	a, b := param("a", 0), param("b", 0)
	add, vec, cmp := param("a", types.Add), param("a", types.Vec), param("a", types.Cmp)
	n, m := size("n"), size("m")
	integer := types.Type(types.Int)
	rows := []*Prim{
		{
			ID: Reduce, Name: "reduce", Kind: Operation, Params: []string{"f", "z", "xs"},
			Scheme:  forAll(types.Funs(a, types.Funs(a, a, a), a, array(n, a))),
			Meaning: "loop acc = z for x in xs do f acc x",
			Doc: "Combines the elements by the associative `f`, whose unit is `z`, in an " +
				"order of the implementation's choice.\nbuiltin.reduce (+) 0 [1, 2, 3] -- 6",
		},
		{
			ID: Scan, Name: "scan", Kind: Operation, Params: []string{"f", "z", "xs"},
			Scheme:  forAll(types.Funs(array(n, a), types.Funs(a, a, b), a, array(n, b))),
			Meaning: "[loop acc = z for j < i + 1 do f acc xs[j] for i < length xs]",
			Doc: "The states of a fold from the left, the one after each " +
				"element.\nbuiltin.scan (+) 0 [1, 2, 3] -- [1, 3, 6]",
		},
		{
			ID: Zip, Name: "zip", Kind: Operation, Params: []string{"xs", "ys"},
			Scheme:  forAll(types.Funs(array(n, pair(a, b)), array(n, a), array(n, b))),
			Meaning: "[(xs[i], ys[i]) for i < length xs]",
			Doc: "The pairs of corresponding elements of two arrays of one " +
				"length.\nbuiltin.zip [1, 2] [3, 4] -- [(1, 3), (2, 4)]",
		},
		{
			ID: Append, Name: "append", Kind: Data, Total: true, Params: []string{"xs", "ys"},
			Scheme: forAll(types.Funs(array(types.AddSizes(n, m), a), array(n, a), array(m, a))),
			Meaning: "[if i < length xs then xs[i] else ys[i - length xs] for i < length xs + " +
				"length ys]",
			Doc: "The elements of the first array and then those of the second.\nbuiltin.append " +
				"[1, 2] [3] -- [1, 2, 3]",
		},
		{
			ID: Flatten, Name: "flatten", Kind: Data, Total: true, Params: []string{"rows"},
			Scheme:  forAll(types.Funs(array(types.MulSizes(n, m), a), array(n, array(m, a)))),
			Meaning: "loop all = [] for row in rows do builtin.append all row",
			Doc: "The rows, of whatever lengths, one after the other.\nbuiltin.flatten [[1, " +
				"2], [3]] -- [1, 2, 3]",
		},
		{
			ID: Scatter, Name: "scatter", Kind: Update, Params: []string{"xs", "at", "ys"},
			Scheme: forAll(types.Funs(array(n, a), array(n, a), array(m, integer), array(m, a))),
			Meaning: "[loop x = xs[i] for j < length at do if at[j] == i then ys[j] else x for i " +
				"< length xs]",
			Doc: "The first array with the element at each index replaced; where an index is " +
				"repeated the last one wins.\nbuiltin.scatter [1, 2, 3] [0] [7] -- [7, 2, 3]",
		},
		{
			ID: Accumulate, Name: "accumulate", Kind: Update, Params: []string{"xs", "at", "ys"},
			Scheme: forAll(types.Funs(array(n, add), array(n, add), array(m, integer),
				array(m, add))),
			Meaning: "[loop x = xs[i] for j < length at do if at[j] == i then x + ys[j] else x " +
				"for i < length xs]",
			Doc: "The first array with each value added to the element at its " +
				"index.\nbuiltin.accumulate [1, 2, 3] [0, 0] [7, 8] -- [16, 2, 3]",
		},
		{
			ID: Sum, Name: "sum", Kind: Expanded, Params: []string{"xs"},
			Scheme: forAll(types.Funs(add, array(n, add))),
			Doc: "The sum of the elements, componentwise; of no arrays it is an " +
				"error.\nbuiltin.sum [(1, 2), (3, 4)] -- (4, 6)",
		},
		{
			ID: Over, Name: "over", Kind: Expanded, Leaf: Quo, Params: []string{"v", "c"},
			Scheme: forAll(types.Funs(vec, vec, types.Real)),
			Doc: "Divides every real in a tuple, record or array by a number.\nbuiltin.over " +
				"(2, 3) 2 -- (1, 1.5)",
		},
		{
			ID: SortIndices, Name: "sortIndices", Kind: Data, Total: true, Params: []string{"xs"},
			Scheme: forAll(types.Funs(array(n, integer), array(n, cmp))),
			Meaning: "let before i j = if i < j then xs[i] <= xs[j] else xs[i] < xs[j] in [loop " +
				"k = 0 for i < length xs do if builtin.sum [if before j i then 1 else 0 for j < " +
				"length xs] == r then i else k for r < length xs]",
			Doc: "The indices of the elements in ascending order; equal elements keep " +
				"theirs.\nbuiltin.sortIndices [3, 1, 2] -- [1, 2, 0]",
		},
		{
			ID: RowSize, Name: "rowSize", Kind: Data, Params: []string{"rows"},
			Scheme:  forAll(types.Funs(types.Int, array(n, array(m, a)))),
			Meaning: "if length rows == 0 then -1 else length rows[0]",
			Doc: "The common length of the rows of a matrix, or -1 if it has none. Rows of " +
				"different lengths are an error.\nbuiltin.rowSize [[1, 2], [3, 4]] -- 2",
		},
		{
			ID: StringAppend, Name: "stringAppend", Kind: Data, Total: true,
			Params: []string{"s", "t"},
			Scheme: types.Mono(types.Funs(types.String, types.String, types.String)),
			Doc:    "One text and then the other.\nbuiltin.stringAppend \"ab\" \"c\" -- \"abc\"",
		},
		{
			ID: StringLength, Name: "stringLength", Kind: Data, Total: true, Params: []string{"s"},
			Scheme: types.Mono(types.Funs(types.Int, types.String)),
			Doc:    "The number of characters of a text.\nbuiltin.stringLength \"abc\" -- 3",
		},
		{
			ID: Inspect, Name: "inspect", Kind: Data, Params: []string{"label", "x"},
			Scheme: forAll(types.Funs(types.Unit, types.String, a)),
			Doc: "What `debug` does before it returns its argument.\nbuiltin.inspect \"x\" 2 " +
				"-- ()",
		},
		{
			ID: Note, Name: "note", Kind: Data, Params: []string{"text"},
			Scheme: types.Mono(types.Funs(types.Unit, types.String)),
			Doc: "Tells whoever watches the run how far it is. It changes no value, and only " +
				"the interpreter has watchers.\nbuiltin.note \"half\" -- ()",
		},
	}
	for _, row := range rows {
		row.Hidden = true
	}
	return rows
}
