package value

import (
	"encoding/json"
	"math"
	"strconv"
)

// JSON encodes a value:
//
//	Real, Int, Bool, String   number, boolean, string; nan, inf and -inf are strings
//	tuple, array              array; unit is []
//	record                    object
//	data                      {"con": NAME, "args": […]}
//	function                  {"function": TYPE}
//	enclosure [lo, hi]        ["lo", "hi"]: strings of decimal digits, "inf" or "-inf"
//	unknown                   null
//
// A value that would be nested deeper than readers of JSON bear is a string,
// as it prints.
//
// An Int beyond 2^53 is written in full; readers that use doubles round it.
func JSON(v Value) json.RawMessage {
	if nested(v, maxNesting) {
		return json.RawMessage(quoteJSON(Show(v)))
	}
	var out []byte
	todo := []item{{v: v}}
	for len(todo) > 0 {
		it := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if it.v == nil {
			out = append(out, it.text...)
			continue
		}
		out, todo = encode(out, it.v, todo)
	}
	return out
}

// maxNesting bounds the nesting of a text. encoding/json has a limit, and the command puts values
// into objects of its own.
const maxNesting = 10_000 - 10

// nested reports whether the JSON of a value has more than the given number of levels.
func nested(v Value, levels int) bool {
	type inner struct {
		parts []Value
		level int
	}
	todo := []inner{{[]Value{v}, 0}}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if last.level > levels {
			return true
		}
		for _, part := range last.parts {
			switch part := part.(type) {
			case Tuple:
				todo = append(todo, inner{part, last.level + 1})
			case Array:
				todo = append(todo, inner{part, last.level + 1})
			case Con: // an object that contains an array
				todo = append(todo, inner{part.Args, last.level + 2})
			case Record:
				fields := make([]Value, len(part))
				for n, f := range part {
					fields[n] = f.Value
				}
				todo = append(todo, inner{fields, last.level + 1})
			}
		}
	}
	return false
}

// encode does for JSON what expand does for Fluxion text.
func encode(out []byte, v Value, todo []item) ([]byte, []item) {
	switch v := v.(type) {
	case Real:
		out = jsonReal(out, float64(v))
	case Int:
		out = strconv.AppendInt(out, int64(v), 10)
	case Bool:
		out = strconv.AppendBool(out, bool(v))
	case String:
		out = append(out, quoteJSON(string(v))...)
	case Func:
		out = append(out, `{"function":`+quoteJSON(v.Type)+`}`...)
	case Reals:
		out = append(out, '[')
		for n, x := range v {
			if n > 0 {
				out = append(out, ',')
			}
			out = jsonReal(out, x)
		}
		out = append(out, ']')
	case Ints:
		out = append(out, '[')
		for n, x := range v {
			if n > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendInt(out, x, 10)
		}
		out = append(out, ']')
	case Tuple:
		todo = jsonSequence(todo, v, "]", "[")
	case Array:
		todo = jsonSequence(todo, v, "]", "[")
	case Con:
		todo = jsonSequence(todo, v.Args, "]}", `{"con":`+quoteJSON(v.Name)+`,"args":[`)
	case Record:
		todo = append(todo, item{text: "}"})
		for n := len(v) - 1; n >= 0; n-- {
			name := quoteJSON(v[n].Name) + ":"
			if n > 0 {
				name = "," + name
			}
			todo = append(todo, item{v: v[n].Value}, item{text: name})
		}
		out = append(out, '{')
	case Number:
		out = append(out, v.JSON()...)
	case Unknown:
		out = append(out, "null"...)
	default:
		panic("value: cannot encode a value")
	}
	return out, todo
}

func jsonSequence(todo []item, elems []Value, end, open string) []item {
	todo = append(todo, item{text: end})
	for n := len(elems) - 1; n >= 0; n-- {
		todo = append(todo, item{v: elems[n]})
		if n > 0 {
			todo = append(todo, item{text: ","})
		}
	}
	return append(todo, item{text: open})
}

func jsonReal(out []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(out, `"`+Decimal(x)+`"`...)
	}
	return append(out, Decimal(x)...)
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("value: a string that JSON does not take: " + err.Error())
	}
	return string(b)
}
