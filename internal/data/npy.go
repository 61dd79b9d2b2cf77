package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// npyMagic starts the files of NumPy arrays. It is followed by the version, the length of the
// header and the header: a Python dictionary with the type of the elements, their order and the
// shape.
const npyMagic = "\x93NUMPY"

// npyHeader is the content of the header.
type npyHeader struct {
	kind    byte // f, i, u, b, U or S
	width   int  // bytes of an element
	order   binary.ByteOrder
	fortran bool
	shape   []int64
}

// npyFields match the fields of a header.
var npyFields = sync.OnceValue(func() (f struct{ descr, fortran, shape, anyType *regexp.Regexp }) {
	f.descr = regexp.MustCompile(`'descr'\s*:\s*'([<>|=])([fiubUS?])(\d*)'`)
	f.fortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	f.shape = regexp.MustCompile(`'shape'\s*:\s*\(([\d\s,L]*)\)`)
	f.anyType = regexp.MustCompile(`'descr'\s*:\s*('[^']*'|\[)`)
	return f
})

func (b *builders) npy(t types.Type) (value.Value, *diag.Diagnostic) {
	v, d := b.npyArray(b.source.reader(), t)
	if d != nil {
		return nil, d
	}
	return v, nil
}

// reader returns the rest of a source as a stream.
func (s *source) reader() io.Reader {
	return io.MultiReader(strings.NewReader(string(s.buf[s.pos:s.end])), s.r)
}

// npyArray reads one array.
func (b *builders) npyArray(r io.Reader, t types.Type) (value.Value, *diag.Diagnostic) {
	h, d := b.npyHeader(r)
	if d != nil {
		return nil, d
	}
	sizes, elem := dimensions(t, len(h.shape))
	if len(sizes) != len(h.shape) || !isScalar(elem) {
		return nil, b.errorf(
			diag.WrongData,
			"the array has %s, and is not read as %s",
			count(len(h.shape), "dimension"),
			types.Show(t),
		).
			WithHint(
				"its type is %s",
				h.typ(),
			)
	}
	if !h.fits(elem) {
		return nil, b.errorf(
			diag.WrongData,
			"the array is of %s, and is not read as %s",
			h.element(),
			types.Show(t),
		).
			WithHint(
				"its type is %s",
				h.typ(),
			)
	}
	total := int64(1)
	for k, n := range h.shape {
		if wrong := b.checkSize(sizes[k], n); wrong != "" {
			return nil, b.errorf(diag.WrongData, "dimension %d: %s", k, wrong)
		}
		if n > 0 && total > math.MaxInt64/64/n {
			return nil, b.tooLarge()
		}
		total *= n
	}
	flat, d := b.npyElements(r, h, elem, total)
	if d != nil {
		return nil, d
	}
	if len(h.shape) == 0 {
		return value.At(flat, 0), nil
	}
	if h.fortran {
		flat = transposed(flat, h.shape)
	}
	if !b.spend(24 * rowsOf(h.shape)) {
		return nil, b.tooLarge()
	}
	return nested(flat, h.shape), nil
}

// rowsOf returns the number of innermost arrays in an array of arrays.
func rowsOf(shape []int64) int64 {
	n := int64(1)
	for _, size := range shape[:len(shape)-1] {
		n *= size
	}
	return n
}

// nested splits a flat array into arrays of arrays.
func nested(flat value.Value, shape []int64) value.Value {
	if len(shape) == 1 {
		return flat
	}
	n, _ := value.Len(flat)
	rows := make(value.Array, shape[0])
	for k := range rows {
		size := n / len(rows)
		rows[k] = nested(part(flat, k*size, (k+1)*size), shape[1:])
	}
	return rows
}

// transposed reorders a flat array from Fortran's order to C's.
func transposed(flat value.Value, shape []int64) value.Value {
	n, _ := value.Len(flat)
	from := make([]int, n)
	for to := range from {
		rest, at, stride := to, 0, 1
		for k := len(shape) - 1; k >= 0; k-- { // the index in each dimension, the last one first
			size := int(shape[k])
			i := rest % size
			rest /= size
			at += i * n / (stride * size)
			stride *= size
		}
		from[to] = at
	}
	return permuted(flat, from)
}

func permuted(v value.Value, from []int) value.Value {
	switch v := v.(type) {
	case value.Reals:
		return value.Reals(pick(v, from))
	case value.Ints:
		return value.Ints(pick(v, from))
	case value.Bools:
		return value.Bools(pick(v, from))
	case value.Strings:
		return value.Strings(pick(v, from))
	case value.Optional:
		return value.Optional{Missing: pick(v.Missing, from), Of: permuted(v.Of, from)}
	}
	panic("data: an array that NumPy does not have")
}

func pick[T any](xs []T, from []int) []T {
	ys := make([]T, len(from))
	for k, at := range from {
		ys[k] = xs[at]
	}
	return ys
}

// dimensions splits up to n array types off a type.
func dimensions(t types.Type, n int) (sizes []*types.Size, elem types.Type) {
	elem = types.Resolve(t)
	for len(sizes) < n {
		array, ok := elem.(*types.Array)
		if !ok {
			break
		}
		sizes, elem = append(sizes, array.Size), types.Resolve(array.Elem)
	}
	return sizes, elem
}

func isScalar(t types.Type) bool {
	if of := optionOf(t); of != nil {
		t = of
	}
	_, ok := t.(*types.Basic)
	return ok
}

func (b *builders) npyHeader(r io.Reader) (*npyHeader, *diag.Diagnostic) {
	bad := func(format string, args ...any) (*npyHeader, *diag.Diagnostic) {
		return nil, b.errorf(
			diag.BadData,
			"this is not a NumPy array: %s",
			fmt.Sprintf(format, args...),
		)
	}
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil {
		return bad("it has no header")
	}
	length := int(binary.LittleEndian.Uint16(head[8:]))
	switch {
	case string(head[:6]) != npyMagic:
		return bad("it does not begin like one")
	case head[6] == 0 || head[6] > 3:
		return bad("its version is %d", head[6])
	case head[6] > 1:
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return bad("it has no header")
		}
		length = int(binary.LittleEndian.Uint32(head[8:]))
	}
	if length > maxToken {
		return bad("its header has %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return bad("its header breaks off")
	}
	fields := npyFields()
	descr, fortran, shape := fields.descr.FindSubmatch(text), fields.fortran.FindSubmatch(text),
		fields.shape.FindSubmatch(text)
	if fortran == nil || shape == nil {
		return bad("its header has no shape")
	}
	if descr == nil {
		if other := fields.anyType.FindSubmatch(text); other != nil {
			what := "records"
			if string(other[1]) != "[" {
				what = string(other[1])
			}
			return nil, b.errorf(diag.WrongData, "arrays of the NumPy type %s are not read", what).
				WithHint("convert it in Python: a.astype(float)")
		}
		return bad("its header has no type")
	}
	h := &npyHeader{
		kind:    descr[2][0],
		order:   binary.LittleEndian,
		fortran: string(fortran[1]) == "True",
	}
	if descr[1][0] == '>' {
		h.order = binary.BigEndian
	}
	h.width, _ = strconv.Atoi(string(descr[3]))
	switch {
	case h.kind == 'f' && (h.width == 4 || h.width == 8):
	case (h.kind == 'i' || h.kind == 'u') && (h.width == 1 || h.width == 2 || h.width == 4 ||
		h.width == 8):
	case h.kind == 'b' && h.width == 1:
	case h.kind == 'U' && h.width <= maxToken/4:
		h.width *= 4
	case h.kind == 'S' && h.width <= maxToken:
	default:
		return nil, b.errorf(diag.WrongData, "arrays of the NumPy type %s are not read", descr[0]).
			WithHint("convert it in Python: a.astype(float)")
	}
	for _, field := range strings.Split(string(shape[1]), ",") {
		field = strings.TrimSuffix(strings.TrimSpace(field), "L")
		if field == "" {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil || n < 0 || len(h.shape) >= 32 {
			return bad("its shape is (%s)", shape[1])
		}
		h.shape = append(h.shape, n)
	}
	return h, nil
}

// fits reports whether the elements can be read as a type.
func (h *npyHeader) fits(t types.Type) bool {
	if of := optionOf(t); of != nil {
		t = of
	}
	switch h.kind {
	case 'f':
		return t == types.Real
	case 'i', 'u':
		return t == types.Int || t == types.Real
	case 'b':
		return t == types.Bool
	}
	return t == types.String
}

// element returns the name of the type of the elements.
func (h *npyHeader) element() string {
	switch h.kind {
	case 'f':
		return "Real"
	case 'i', 'u':
		return "Int"
	case 'b':
		return "Bool"
	}
	return "String"
}

// typ returns the type to read the array as.
func (h *npyHeader) typ() string { return strings.Repeat("[]", len(h.shape)) + h.element() }

// npyElements reads the elements one after the other.
func (b *builders) npyElements(
	r io.Reader,
	h *npyHeader,
	t types.Type,
	total int64,
) (value.Value, *diag.Diagnostic) {
	of := b.column(t)
	option, _ := of.(*optionColumn)
	if option != nil {
		of = option.of
	}
	if real, ok := of.(*realColumn); ok {
		real.binary = true
	}
	per := max(chunk/max(h.width, 1), 1)
	buf := make([]byte, per*h.width)
	for done := int64(0); done < total; {
		n := int(min(int64(per), total-done))
		if _, err := io.ReadFull(r, buf[:n*h.width]); err != nil {
			return nil, b.errorf(
				diag.BadData,
				"the array breaks off: %d elements are there, of %d",
				done,
				total,
			)
		}
		for k := range n {
			missing, p := h.add(of, buf[k*h.width:(k+1)*h.width])
			if missing && option == nil {
				p = of.(*realColumn).add(number{near: math.NaN()}, nil)
			} else if option != nil && p == nil {
				if missing {
					b.pad(of)
				}
				option.missing = append(option.missing, missing)
			}
			if p != nil {
				d := b.errorf(p.code, "element %d %s", done+int64(k), p.message)
				if p.hint != "" {
					d.WithHint("%s", p.hint)
				}
				return nil, d
			}
		}
		done += int64(n)
	}
	if option != nil {
		return option.array(), nil
	}
	return of.array(), nil
}

// add adds one element. If missing, the element is a NaN, and nothing was added.
func (h *npyHeader) add(to column, raw []byte) (missing bool, p *complaint) {
	switch h.kind {
	case 'f':
		x := 0.0
		if h.width == 4 {
			x = float64(math.Float32frombits(h.order.Uint32(raw)))
		} else {
			x = math.Float64frombits(h.order.Uint64(raw))
		}
		if math.IsNaN(x) {
			return true, nil
		}
		return false, to.(*realColumn).add(number{near: x}, nil)
	case 'i', 'u':
		n := h.integer(raw)
		if h.kind == 'u' && h.width == 8 && n < 0 {
			return false, &complaint{diag.WrongData, "is beyond the range of Int", ""}
		}
		if real, ok := to.(*realColumn); ok {
			if int64(float64(n)) != n {
				return false, &complaint{
					diag.WrongData,
					"has more digits than a Real holds",
					"read it as Int",
				}
			}
			return false, real.add(number{near: float64(n)}, nil)
		}
		return false, to.(*intColumn).add(n)
	case 'b':
		return false, to.(*boolColumn).add(raw[0] != 0)
	case 'U':
		var text []byte
		for k := 0; k+4 <= len(raw); k += 4 {
			if r := rune(h.order.Uint32(raw[k:])); r != 0 {
				text = utf8.AppendRune(text, r)
			}
		}
		return false, to.(*stringColumn).add(text)
	}
	return false, to.(*stringColumn).add([]byte(strings.TrimRight(string(raw), "\x00")))
}

func (h *npyHeader) integer(raw []byte) int64 {
	signed := h.kind == 'i'
	switch h.width {
	case 1:
		if signed {
			return int64(int8(raw[0]))
		}
		return int64(raw[0])
	case 2:
		if signed {
			return int64(int16(h.order.Uint16(raw)))
		}
		return int64(h.order.Uint16(raw))
	case 4:
		if signed {
			return int64(int32(h.order.Uint32(raw)))
		}
		return int64(h.order.Uint32(raw))
	}
	return int64(h.order.Uint64(raw))
}
