//go:build !page

package data

import (
	"encoding/binary"
	"io"

	"github.com/fluxion-lang/fluxion/internal/data/parquet"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [Sizes in Parquet files]. What decodes a footer or a page trusts the sizes that a file
// states. It allocates a footer of 4 GB, a list of 2³¹ elements or a page of 2 GB before it looks
// at their content. So a file of a few bytes could take all memory. Therefore the sizes are checked
// before: those of the footer when the file is opened, and those of the pages of a column when it
// is read. Package parquet checks that a page does not grow beyond the size it states, when it
// decompresses the page.

// itemBytes is the memory that the library allocates for an element of a list in the footer.
const itemBytes = 400

// checkFooter checks the sizes in the footer.
func (b *builders) checkFooter(at io.ReaderAt, size int64) *diag.Diagnostic {
	bad := b.errorf(diag.BadData, "this is not a Parquet file: its footer is damaged")
	var end [8]byte
	if size < 12 {
		return b.errorf(diag.BadData, "this is not a Parquet file: it is too short")
	}
	if _, err := at.ReadAt(end[:], size-8); err != nil {
		return b.broken(err)
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return b.errorf(diag.BadData, "this Parquet file is encrypted")
	default:
		return b.errorf(diag.BadData, "this is not a Parquet file: it does not end as one")
	}
	if n > size-12 {
		return bad
	}
	if !b.spend(n) {
		return b.tooLarge()
	}
	footer := make([]byte, n)
	if _, err := at.ReadAt(footer, size-8-n); err != nil {
		return b.broken(err)
	}
	scan := &thriftScan{text: footer}
	if !scan.object(nil) {
		return bad
	}
	if !b.spend(scan.items * itemBytes) {
		return b.tooLarge()
	}
	return nil
}

// maxPageHeader bounds the bytes of the header of a page.
const maxPageHeader = 1 << 20

// checkPages checks the sizes of the pages of a leaf.
func (b *builders) checkPages(file *parquet.File, leaf *parquet.Column) *diag.Diagnostic {
	head := make([]byte, 256)
	for _, group := range file.Meta.RowGroups {
		if leaf.Index >= len(group.Columns) {
			continue // the reader reports this
		}
		meta := &group.Columns[leaf.Index].MetaData
		from := meta.DataPageOffset
		if meta.DictionaryPageOffset != 0 {
			from = meta.DictionaryPageOffset
		}
		if from < 0 || meta.TotalCompressedSize < 0 || meta.TotalCompressedSize > file.Size {
			return b.errorf(diag.BadData, "the column %s is not within the file", columnName(leaf))
		}
		section := io.NewSectionReader(file, from, meta.TotalCompressedSize)
		for pos := int64(0); pos < meta.TotalCompressedSize; {
			page, n, ok := pageAt(section, pos, &head)
			if !ok || page.packed < 0 || page.packed > meta.TotalCompressedSize {
				break // the reader reports what is wrong there
			}
			if limit := b.opts.Memory; limit > 0 && max(page.size, 8*page.values) > limit {
				return b.tooLarge()
			}
			pos += n + page.packed
			if !b.spend(0) {
				return b.tooLarge()
			}
		}
	}
	return nil
}

// pageSizes holds the sizes in the header of a page.
type pageSizes struct {
	size   int64 // uncompressed, in bytes
	packed int64 // in the file
	values int64 // how many, including nulls
}

// pageAt reads the header of a page, and returns its length. head is a buffer.
func pageAt(section io.ReaderAt, at int64, head *[]byte) (p pageSizes, n int64, ok bool) {
	for {
		got, err := section.ReadAt(*head, at)
		scan := &thriftScan{text: (*head)[:got]}
		p = pageSizes{}
		ok = scan.object(func(path []int64, x int64) {
			switch {
			case len(path) == 1 && path[0] == 2:
				p.size = x
			case len(path) == 1 && path[0] == 3:
				p.packed = x
			case len(path) == 2 && path[1] == 1:
				p.values = max(p.values, x)
			}
		})
		if ok || err != nil || len(*head) >= maxPageHeader {
			return p, int64(scan.at), ok
		}
		*head = make([]byte, 4*len(*head))
	}
}

// thriftScan walks a structure in Thrift's compact protocol without building anything.
type thriftScan struct {
	text  []byte
	at    int
	items int64 // elements of lists seen so far
	path  []int64
}

// object walks a structure, and reports whether it is complete. visit, if not nil, is called with
// each integer in it and the path of field numbers that leads there.
func (t *thriftScan) object(visit func(path []int64, x int64)) bool {
	if len(t.path) > 100 {
		return false
	}
	id := int64(0)
	for {
		kind, ok := t.byte()
		if !ok || kind == 0 {
			return ok
		}
		if id += int64(kind >> 4); kind>>4 == 0 {
			x, ok := t.varint()
			if !ok {
				return false
			}
			id = unzigzag(x)
		}
		t.path = append(t.path, id)
		ok = t.value(kind&15, false, visit)
		t.path = t.path[:len(t.path)-1]
		if !ok {
			return false
		}
	}
}

// value walks a value of a kind, in a list or a field.
func (t *thriftScan) value(kind byte, inList bool, visit func([]int64, int64)) bool {
	switch kind {
	case 1, 2: // a truth value; in a field, the kind itself holds it
		return !inList || t.skip(1)
	case 3:
		return t.skip(1)
	case 4, 5, 6:
		x, ok := t.varint()
		if ok && visit != nil {
			visit(t.path, unzigzag(x))
		}
		return ok
	case 7:
		return t.skip(8)
	case 8:
		n, ok := t.varint()
		return ok && t.skip(n)
	case 9, 10:
		head, ok := t.byte()
		n := uint64(head >> 4)
		if ok && n == 15 {
			n, ok = t.varint()
		}
		return ok && t.list(n, []byte{head & 15}, visit)
	case 11:
		n, ok := t.varint()
		if !ok || n == 0 {
			return ok
		}
		head, ok := t.byte()
		return ok && t.list(n, []byte{head >> 4, head & 15}, visit)
	case 12:
		return t.object(visit)
	}
	return false
}

// list walks n elements. Each takes at least one byte.
func (t *thriftScan) list(n uint64, kinds []byte, visit func([]int64, int64)) bool {
	if n > uint64(len(t.text)-t.at) || len(t.path) > 100 {
		return false
	}
	t.items += int64(n)
	t.path = append(t.path, -1)
	defer func() { t.path = t.path[:len(t.path)-1] }()
	for range n {
		for _, kind := range kinds {
			if !t.value(kind, true, visit) {
				return false
			}
		}
	}
	return true
}

func (t *thriftScan) byte() (byte, bool) {
	if t.at >= len(t.text) {
		return 0, false
	}
	t.at++
	return t.text[t.at-1], true
}

func (t *thriftScan) skip(n uint64) bool {
	if n > uint64(len(t.text)-t.at) {
		return false
	}
	t.at += int(n)
	return true
}

func (t *thriftScan) varint() (uint64, bool) {
	x, n := binary.Uvarint(t.text[t.at:])
	if n <= 0 {
		return 0, false
	}
	t.at += n
	return x, true
}

func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
