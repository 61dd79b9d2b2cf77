package wasm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/source"
)

// Export is a function that JavaScript calls.
type Export struct {
	Name, Doc string
	Params    []string
	Types     []*source.Value // of the parameters
	Result    *source.Value
}

// Wrapper gives a JavaScript module that loads a module of WebAssembly from a file beside it, and
// its types.
func Wrapper(exports []Export, file string) (js, types string) {
	var table, decls strings.Builder
	for _, e := range exports {
		var params, args []string
		taken := map[string]bool{}
		for i, v := range e.Types {
			name := argument(e.Params[i], taken)
			params = append(params, fmt.Sprintf("[%s, %s]", quote(name), description(v)))
			args = append(args, name+": "+input(v))
		}
		fmt.Fprintf(&table, "  %s: [[%s], %s],\n", quote(e.Name), strings.Join(params, ", "),
			description(e.Result))
		if e.Doc != "" {
			fmt.Fprintf(&decls, "  /** %s */\n", e.Doc)
		}
		fmt.Fprintf(&decls, "  %s(%s): %s;\n", quote(e.Name), strings.Join(args, ", "),
			output(e.Result))
	}
	js = strings.NewReplacer("FILE", quote(file), "TABLE", table.String(), "HEAP",
		fmt.Sprint(Heap)).Replace(wrapper)
	return js, "/** The functions of the module. */\nexport interface Functions {\n" +
		decls.String() + "}\n" + loader
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string has no error
	return string(text)
}

// argument is an identifier for an argument, which no other one has.
func argument(name string, taken map[string]bool) string {
	name = source.Identifier(name)
	if name == "" || '0' <= name[0] && name[0] <= '9' || reserved[name] {
		name += "_"
	}
	if '0' <= name[0] && name[0] <= '9' {
		name = "x" + name
	}
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// reserved are the words of JavaScript and TypeScript that no parameter may be called.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`arguments await break case catch class const continue debugger default delete do else enum
		eval export extends false finally for function if implements import in instanceof interface let new null package private
		protected public return static super switch this throw true try typeof var void while with yield`) {
		words[word] = true
	}
	return words
}()

// description is a value as the wrapper reads it.
func description(v *source.Value) string {
	var parts []string
	for k, part := range v.Parts {
		text := description(part)
		if v.Kind == source.Record {
			text = fmt.Sprintf("[%s, %s]", quote(v.Names[k]), text)
		}
		parts = append(parts, text)
	}
	switch list := strings.Join(parts, ", "); v.Kind {
	case source.Integer:
		return `"i"`
	case source.Truth:
		return `"b"`
	case source.Choice:
		names, _ := json.Marshal(v.Names) // strings have no error
		return fmt.Sprintf("{ choice: %s }", names)
	case source.List:
		if v.Counted {
			return fmt.Sprintf("{ list: %s, counted: true }", list)
		}
		return fmt.Sprintf("{ list: %s }", list)
	case source.Tuple:
		return fmt.Sprintf("{ tuple: [%s] }", list)
	case source.Record:
		return fmt.Sprintf("{ record: [%s] }", list)
	case source.Data:
		return fmt.Sprintf("{ data: %s, args: [%s] }", quote(v.Names[0]), list)
	case source.Variant:
		names, _ := json.Marshal(v.Names)
		return fmt.Sprintf("{ variant: %s, cons: [%s] }", names, list)
	}
	return `"f"`
}

// input is the type of an argument, and output that of a result.
func input(v *source.Value) string {
	if v.Kind == source.List {
		return "ArrayLike<" + input(v.Parts[0]) + ">"
	}
	return typeOf(v, "readonly ", input)
}

func output(v *source.Value) string {
	if v.Kind != source.List {
		return typeOf(v, "", output)
	}
	switch v.Parts[0].Kind {
	case source.Real:
		return "Float64Array"
	case source.Integer:
		return "BigInt64Array"
	}
	return "Array<" + output(v.Parts[0]) + ">"
}

// typeOf is the type of what is not a list. tuple is written in front of tuples, part writes the
// types of parts.
func typeOf(v *source.Value, tuple string, part func(*source.Value) string) string {
	var parts []string
	for k, p := range v.Parts {
		text := part(p)
		if v.Kind == source.Record {
			text = quote(v.Names[k]) + ": " + text
		}
		parts = append(parts, text)
	}
	switch v.Kind {
	case source.Integer:
		return "number | bigint"
	case source.Truth:
		return "boolean"
	case source.Choice:
		var names []string
		for _, name := range v.Names {
			names = append(names, quote(name))
		}
		return strings.Join(names, " | ")
	case source.Tuple:
		return tuple + "[" + strings.Join(parts, ", ") + "]"
	case source.Record:
		return "{ " + strings.Join(parts, "; ") + " }"
	case source.Data:
		return fmt.Sprintf("{ con: %s; args: %s[%s] }", quote(v.Names[0]), tuple,
			strings.Join(parts, ", "))
	case source.Variant:
		for k, fields := range parts {
			parts[k] = fmt.Sprintf("{ con: %s; args: %s }", quote(v.Names[k]), fields)
		}
		return strings.Join(parts, " | ")
	}
	return "number"
}

const loader = `
/** What a function throws where the program would stop with an error, or a derivative does not exist. */
export class FluxionError extends Error {}

/**
 * Loads the module: from the file beside this one, or from bytes or an address.
 */
export function load(source?: BufferSource | URL | string): Promise<Functions>;
`

const wrapper = `// Code generated by fluxion build; DO NOT EDIT.

export class FluxionError extends Error {}

// The parameters and the result of each function. "f" is a number, "i" an integer, "b" a Boolean, a choice one of some
// strings. Lists, tuples, records and data have parts; a variant has the number of its constructor, and the fields of
// all constructors. In the order in which they are written, all these are
// parameters and results of WebAssembly: scalars outside of lists; for a list its length, if it is counted, and inside
// of it a buffer for each scalar, with those of all elements one after the other.
const functions = {
TABLE};

async function bytes(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = source === undefined ? new URL(FILE, import.meta.url) : new URL(source, import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  return (await fetch(url)).arrayBuffer();
}

// absent stands for the fields of the constructors that a variant does not have.
const absent = Symbol("absent");

// partsOf lists the parts of what has some: a name for messages, how a value has it, and what it is.
const partsOf = (d) => {
  if (d.variant) {
    const cons = d.variant.map((con, k) => ["(" + con + ")", (x) => (x.con === con ? x.args : absent), d.cons[k]]);
    return [[".con", (x) => x.con, { choice: d.variant }], ...cons];
  }
  if (d.record) return d.record.map(([name, part]) => ["." + name, (x) => x[name], part]);
  if (d.tuple) return d.tuple.map((part, k) => ["[" + k + "]", (x) => x[k], part]);
  return d.args.map((part, k) => [".args[" + k + "]", (x) => x.args[k], part]);
};

// made is what has the given parts.
const made = (d, parts) => {
  if (d.variant) return { con: parts[0], args: parts[1 + d.variant.indexOf(parts[0])] };
  if (d.record) return Object.fromEntries(d.record.map(([name], k) => [name, parts[k]]));
  return d.tuple ? parts : { con: d.data, args: parts };
};

const wrong = (path, what) => {
  throw new FluxionError(path + " is not " + what);
};

const tooLong = (path) => {
  throw new FluxionError(path + ": there is no memory for so many elements");
};

// encoded is a scalar as WebAssembly has it.
const encoded = (d, x, path) => {
  if (x === absent) return d === "f" || d === "b" ? 0 : 0n;
  if (d === "f") return typeof x === "number" ? x : wrong(path, "a number");
  if (d === "i") {
    const n = typeof x === "bigint" || Number.isInteger(x) ? BigInt(x) : wrong(path, "an integer");
    return n === BigInt.asIntN(64, n) ? n : wrong(path, "an integer of 64 bits");
  }
  if (d === "b") return typeof x === "boolean" ? (x ? 1 : 0) : wrong(path, "true or false");
  const n = d.choice.indexOf(x);
  return n >= 0 ? BigInt(n) : wrong(path, "one of " + d.choice.join(", "));
};

const integer = (n) => (n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n);

// decoded is a scalar that WebAssembly gave, as JavaScript has it.
const decoded = (d, x) => {
  if (d === "f") return x;
  if (d === "i") return integer(x);
  return d === "b" ? x !== 0n : d.choice[Number(x)];
};

const isList = (x) => typeof x === "object" && Number.isInteger(x?.length) && x.length >= 0;
const isScalar = (d) => typeof d === "string" || d.choice !== undefined;

function* elements(lists) {
  for (const xs of lists) for (let i = 0; i < xs.length; i++) yield xs[i];
}

export async function load(source) {
  const imports = { math: { sin: Math.sin, cos: Math.cos, tan: Math.tan } };
  const { exports } = (await WebAssembly.instantiate(await bytes(source), imports)).instance;
  const { memory, top } = exports;

  // reserve gives the address of so many bytes, for what path names.
  const reserve = (n, path) => {
    const at = top.value >>> 0;
    const missing = at + n - memory.buffer.byteLength;
    if (at + n >= 2 ** 32) tooLong(path);
    try {
      if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    } catch {
      tooLong(path);
    }
    top.value = at + n;
    return at;
  };

  // passAll adds the parameters for the scalars of some lists, one after the other.
  const passAll = (passed, d, lists, path) => {
    let n = 0;
    for (const xs of lists) n += xs.length;
    const at = reserve(8 * n, path);
    const to = d === "f" ? new Float64Array(memory.buffer, at, n) : new BigInt64Array(memory.buffer, at, n);
    let k = 0;
    for (const xs of lists) {
      if (d === "f" && ArrayBuffer.isView(xs) && typeof xs[0] === "number") to.set(xs, k);
      else if (d === "f") for (let i = 0; i < xs.length; i++) to[k + i] = encoded(d, xs[i], path);
      else for (let i = 0; i < xs.length; i++) to[k + i] = BigInt(encoded(d, xs[i], path));
      k += xs.length;
    }
    passed.push(at, BigInt(n));
  };

  // pass adds the parameters for values: one, or inside of a list those of all elements.
  const pass = (passed, d, xs, path, inList) => {
    if (isScalar(d)) {
      if (!inList) return void passed.push(encoded(d, xs[0], path));
      passAll(passed, d, [xs], path);
    } else if (d.list) {
      const have = Array.from(xs, (x) => (x === absent || isList(x) ? x : wrong(path, "an array")));
      const present = have.filter((x) => x !== absent);
      const n = present.length > 0 ? present[0].length : 0;
      if (present.some((x) => x.length !== n)) throw new FluxionError(path + ": the arrays inside of an array have different lengths");
      if (n * have.length > 2 ** 29) tooLong(path); // memory has up to 2 ** 32 bytes
      const none = present.length < have.length ? new Array(n).fill(absent) : [];
      const lists = have.map((x) => (x === absent ? none : x));
      if (d.counted) passed.push(BigInt(n));
      if (isScalar(d.list)) passAll(passed, d.list, lists, path + "[]");
      else pass(passed, d.list, lists.length === 1 ? lists[0] : elements(lists), path + "[]", true);
    } else {
      const isOne = (x) => {
        if (d.tuple) return isList(x) && x.length === d.tuple.length;
        if (typeof x !== "object" || x === null) return false;
        return d.record !== undefined || isList(x.args) && (d.variant !== undefined || x.con === d.data && x.args.length === d.args.length);
      };
      const shape = d.variant ? "..." : JSON.stringify(d.data);
      const what = d.tuple ? "an array of " + d.tuple.length : d.record ? "an object" : "{ con: " + shape + ", args: [...] }";
      const have = Array.from(xs, (x) => (x === absent || isOne(x) ? x : wrong(path, what)));
      for (const [name, get, part] of partsOf(d)) pass(passed, part, have.map((x) => (x === absent ? x : get(x))), path + name, inList);
    }
  };

  // take makes values of what next gives: count of them, or as many as the first buffer has.
  const take = (d, next, count, inList) => {
    if (isScalar(d)) {
      if (!inList) return [decoded(d, next())];
      return d === "f" || d === "i" ? next() : Array.from(next(), (x) => decoded(d, x));
    }
    if (d.list) {
      const n = d.counted ? Number(next()) : undefined;
      const all = take(d.list, next, n === undefined ? undefined : count * n, true);
      return count === 1 ? [all] : Array.from({ length: count }, (_, k) => all.slice(k * n, (k + 1) * n));
    }
    const parts = partsOf(d).map(([, , part]) => part);
    const columns = parts.map((part) => take(part, next, count, inList));
    const read = (k, i) => (inList && parts[k] === "i" ? integer(columns[k][i]) : columns[k][i]);
    return Array.from({ length: count ?? columns[0].length }, (_, i) => made(d, columns.map((_, k) => read(k, i))));
  };

  // kinds lists what WebAssembly gives for a result: f, i and b for scalars, F and I for buffers.
  const kinds = (d, inList) => {
    if (isScalar(d)) return [inList ? (d === "f" ? "F" : "I") : typeof d === "string" ? d : "i"];
    if (d.list) return [...(d.counted ? ["i"] : []), ...kinds(d.list, true)];
    return partsOf(d).flatMap(([, , part]) => kinds(part, inList));
  };

  const run = (name, passed, area) => {
    try {
      return exports[name](...passed, area);
    } catch (e) {
      throw e instanceof RangeError ? new FluxionError(name + ": too many calls within each other") : e;
    }
  };

  const wrap = (name, [params, result]) => (...args) => {
    if (args.length !== params.length) throw new FluxionError(name + " has " + params.length + " arguments");
    const results = kinds(result, false);
    top.value = HEAP;
    const area = reserve(8 * results.length, name);
    const passed = [];
    params.forEach(([param, d], i) => pass(passed, d, [args[i]], name + ": " + param, false));
    const status = run(name, passed, area);
    if (status === 1) throw new FluxionError(name + ": an index, a size or a whole number is out of range, or a derivative does not exist");
    if (status !== 0) throw new FluxionError(name + ": out of memory");
    const view = new DataView(memory.buffer);
    let place = area;
    const next = () => {
      const kind = results[(place - area) / 8];
      const at = place;
      place += 8;
      if (kind === "f") return view.getFloat64(at, true);
      if (kind === "i" || kind === "b") return view.getBigInt64(at, true);
      const type = kind === "F" ? Float64Array : BigInt64Array;
      return new type(memory.buffer, view.getUint32(at, true), view.getUint32(at + 4, true)).slice();
    };
    return take(result, next, 1, false)[0];
  };
  return Object.fromEntries(Object.entries(functions).map(([name, face]) => [name, wrap(name, face)]));
}
`
