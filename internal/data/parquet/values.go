package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// Value is a value of a leaf with its levels.
type Value struct {
	kind               format.Type
	Null               bool
	Repetition, Define uint8
	number             uint64
	bytes              []byte
}

// Kind returns how the value is stored.
func (v Value) Kind() format.Type { return v.kind }

// Bool returns a Boolean.
func (v Value) Bool() bool { return v.number != 0 }

// Int returns an integer of 32 or 64 bits.
func (v Value) Int() int64 { return int64(v.number) }

// Float returns a number of 32 or 64 bits.
func (v Value) Float() float64 { return math.Float64frombits(v.number) }

// Bytes returns an array of bytes, which lasts as long as its page.
func (v Value) Bytes() []byte { return v.bytes }

// Real returns a value that is a number.
func Real(x float64) Value { return Value{kind: format.Double, number: math.Float64bits(x)} }

// Integer returns a value that is an integer.
func Integer(n int64) Value { return Value{kind: format.Int64, number: uint64(n)} }

// Boolean returns a value that is a truth value.
func Boolean(b bool) Value {
	v := Value{kind: format.Boolean}
	if b {
		v.number = 1
	}
	return v
}

// Text returns a value that is a text.
func Text(s string) Value { return Value{kind: format.ByteArray, bytes: []byte(s)} }

// At returns a value with its levels.
func (v Value) At(repetition, definition int) Value {
	v.Repetition, v.Define = uint8(repetition), uint8(definition)
	return v
}

// batch is the values of a page, or of a dictionary.
type batch struct {
	kind    format.Type
	length  int // of arrays of bytes of one length
	ints    []int32
	longs   []int64
	floats  []float32
	doubles []float64
	bytes   []byte // also truth values, eight in each
	offsets []uint32
	// indices are those of the values in a dictionary, if the page refers to one.
	indices []int32
	of      *batch
}

// at returns a value.
func (b *batch) at(i int) (Value, error) {
	if b.of != nil {
		if i >= len(b.indices) {
			return Value{}, damaged("a page has %d values", len(b.indices))
		}
		return b.of.at(int(b.indices[i]))
	}
	v, n := Value{kind: b.kind}, b.len()
	if i < 0 || i >= n {
		return v, damaged("value %d of %d is missing", i, n)
	}
	switch b.kind {
	case format.Boolean:
		v.number = uint64(b.bytes[i/8] >> (i % 8) & 1)
	case format.Int32:
		v.number = uint64(int64(b.ints[i]))
	case format.Int64:
		v.number = uint64(b.longs[i])
	case format.Float:
		v.number = math.Float64bits(float64(b.floats[i]))
	case format.Double:
		v.number = math.Float64bits(b.doubles[i])
	case format.ByteArray:
		v.bytes = b.bytes[b.offsets[i]:b.offsets[i+1]]
	default:
		v.bytes = b.bytes[i*b.length : (i+1)*b.length]
	}
	return v, nil
}

// len returns how many values there are.
func (b *batch) len() int {
	switch b.kind {
	case format.Boolean:
		return 8 * len(b.bytes)
	case format.Int32:
		return len(b.ints)
	case format.Int64:
		return len(b.longs)
	case format.Float:
		return len(b.floats)
	case format.Double:
		return len(b.doubles)
	case format.ByteArray:
		return max(0, len(b.offsets)-1)
	}
	return len(b.bytes) / max(b.length, 1)
}

// encodings are those of values, apart from indices of a dictionary.
var encodings = map[format.Encoding]encoding.Encoding{
	format.Plain:                &plain.Encoding{},
	format.RLE:                  &rle.Encoding{},
	format.DeltaBinaryPacked:    &delta.BinaryPackedEncoding{},
	format.DeltaLengthByteArray: &delta.LengthByteArrayEncoding{},
	format.DeltaByteArray:       &delta.ByteArrayEncoding{},
	format.ByteStreamSplit:      &bytestreamsplit.Encoding{},
}

// oldDictionary is what older files call indices of a dictionary, and its values.
const oldDictionary format.Encoding = 2

// decode decodes n values of a leaf.
func (c *Column) decode(
	how format.Encoding, data []byte, n int, dictionary *batch,
) (*batch, error) {
	b := &batch{kind: c.Kind(), length: c.length()}
	if b.kind == format.Int96 { // which is not used any more, and stays bytes
		b.kind, b.length = format.FixedLenByteArray, 12
	}
	if how == format.RLEDictionary || how == oldDictionary {
		if dictionary == nil {
			return nil, damaged("a page refers to a dictionary that is not there")
		}
		b.of = dictionary
		if len(data) == 0 {
			return b, nil
		}
		if data[0] > 32 {
			return nil, damaged("indices have %d bits", data[0])
		}
		if data[0] == 0 { // all are the first
			b.indices = make([]int32, n)
			return b, nil
		}
		err := checkRuns(data[1:], int(data[0]), n)
		if err != nil {
			return nil, err
		}
		b.indices, err = (&rle.Encoding{BitWidth: int(data[0])}).DecodeInt32(nil, data[1:])
		return b, err
	}
	e := encodings[how]
	if e == nil {
		return nil, unread("the encoding %s is not read", how)
	}
	var err error
	switch b.kind {
	case format.Boolean:
		if how == format.RLE && len(data) >= 4 {
			if err := checkRuns(data[4:], 1, n); err != nil {
				return nil, err
			}
		}
		b.bytes, err = e.DecodeBoolean(nil, data)
	case format.Int32:
		b.ints, err = e.DecodeInt32(nil, data)
	case format.Int64:
		b.longs, err = e.DecodeInt64(nil, data)
	case format.Float:
		b.floats, err = e.DecodeFloat(nil, data)
	case format.Double:
		b.doubles, err = e.DecodeDouble(nil, data)
	case format.ByteArray:
		b.bytes, b.offsets, err = e.DecodeByteArray(nil, data, nil)
	case format.FixedLenByteArray:
		if b.length <= 0 {
			return nil, damaged("values have %d bytes", b.length)
		}
		b.bytes, err = e.DecodeFixedLenByteArray(nil, data, b.length)
	default:
		return nil, unread("values of the type %s are not read", b.kind)
	}
	return b, err
}
