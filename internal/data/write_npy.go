package data

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// writeNPY writes a number, or an array of numbers of any dimension.
func writeNPY(w io.Writer, t types.Type, v value.Value) error {
	sizes, elem := dimensions(t, math.MaxInt)
	descr := map[types.Type]string{types.Real: "<f8", types.Int: "<i8", types.Bool: "|b1"}[elem]
	if descr == "" {
		return fmt.Errorf(
			"NumPy arrays are written of Real, Int and Bool, not of %s",
			types.Show(t),
		)
	}
	shape := make([]int, 0, len(sizes))
	for at := v; len(shape) < len(sizes); {
		n, _ := value.Len(at)
		shape = append(shape, n)
		if n == 0 {
			for len(shape) < len(sizes) {
				shape = append(shape, 0)
			}
			break
		}
		at = value.At(at, 0)
	}
	dims := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	// The header ends in a newline, at a multiple of 64 bytes.
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	head := append([]byte(npyMagic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	return writeElements(w, v, shape)
}

func writeElements(w io.Writer, v value.Value, shape []int) error {
	if len(shape) == 0 {
		_, err := w.Write(element(nil, v))
		return err
	}
	n, _ := value.Len(v)
	if n != shape[0] {
		return errors.New("NumPy arrays have rows of one length, and these differ")
	}
	if len(shape) > 1 {
		for k := range n {
			if err := writeElements(w, value.At(v, k), shape[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	var buf []byte
	for k := range n {
		if buf = element(buf, value.At(v, k)); len(buf) > chunk {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	_, err := w.Write(buf)
	return err
}

func element(to []byte, v value.Value) []byte {
	switch v := v.(type) {
	case value.Real:
		return binary.LittleEndian.AppendUint64(to, math.Float64bits(float64(v)))
	case value.Int:
		return binary.LittleEndian.AppendUint64(to, uint64(v))
	}
	if v == value.Value(value.Bool(true)) {
		return append(to, 1)
	}
	return append(to, 0)
}

// writeNPZ writes a record of arrays.
func writeNPZ(w io.Writer, t types.Type, v value.Value) error {
	record, ok := types.Resolve(t).(*types.Record)
	if !ok {
		record = &types.Record{Fields: []types.Field{{Name: "arr_0", Type: t}}}
		v = value.Record{{Name: "arr_0", Value: v}}
	}
	archive := zip.NewWriter(w)
	for k, f := range record.Fields {
		entry, err := archive.Create(f.Name + ".npy")
		if err != nil {
			return err
		}
		if err := writeNPY(entry, f.Type, v.(value.Record)[k].Value); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return archive.Close()
}
