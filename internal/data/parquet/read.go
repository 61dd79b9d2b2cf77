package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// Reader reads the values of a leaf, through all row groups.
type Reader struct {
	c       *Column
	group   int // the row group that comes next
	codec   format.CompressionCodec
	in      *bufio.Reader // the pages of a row group; nil before the first and between two
	headers *thrift.Decoder

	dictionary *batch
	page       *batch
	// The levels of the values of the page, or nil where all are 0, and how many values there are.
	repetition, definition []byte
	count                  int
	at, full               int // how many values were read, and how many of them are not null
}

// Values returns a reader of the values of a leaf.
func (c *Column) Values() *Reader { return &Reader{c: c} }

// Read reads the values that come next, of one page. At the end it returns io.EOF.
func (r *Reader) Read(into []Value) (n int, err error) {
	for r.at == r.count {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	for ; n < len(into) && r.at < r.count; n++ {
		v := Value{Null: true}
		define := byte(r.c.Definition)
		if r.definition != nil {
			define = r.definition[r.at]
		}
		if int(define) >= r.c.Definition {
			if v, err = r.page.at(r.full); err != nil {
				return n, err
			}
			r.full++
		}
		if v.Define = define; r.repetition != nil {
			v.Repetition = r.repetition[r.at]
		}
		into[n] = v
		r.at++
	}
	return n, nil
}

// next reads the next page with values.
func (r *Reader) next() error {
	if r.in == nil {
		groups := r.c.file.Meta.RowGroups
		if r.group == len(groups) {
			return io.EOF
		}
		meta := &groups[r.group].Columns[r.c.Index].MetaData
		from := meta.DataPageOffset
		if meta.DictionaryPageOffset != 0 {
			from = meta.DictionaryPageOffset
		}
		r.group++
		r.codec, r.dictionary = meta.Codec, nil
		r.in = bufio.NewReader(io.NewSectionReader(r.c.file, from, meta.TotalCompressedSize))
		r.headers = thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r.in))
	}
	if _, err := r.in.Peek(1); err == io.EOF {
		r.in = nil
		return nil
	}
	var head format.PageHeader
	if err := r.headers.Decode(&head); err != nil {
		return err
	}
	packed := int64(head.CompressedPageSize)
	if packed < 0 || packed > r.c.file.Size || head.UncompressedPageSize < 0 {
		return damaged("a page has %d bytes", packed)
	}
	raw := make([]byte, packed)
	if _, err := io.ReadFull(r.in, raw); err != nil {
		return err
	}
	size := int(head.UncompressedPageSize)
	switch {
	case head.Type == format.DictionaryPage && head.DictionaryPageHeader.Valid:
		data, err := unpack(r.codec, raw, size)
		if err == nil {
			how := head.DictionaryPageHeader.V.Encoding
			if how == oldDictionary {
				how = format.Plain
			}
			r.dictionary, err = r.c.decode(how, data, int(head.DictionaryPageHeader.V.NumValues),
				nil)
		}
		return err
	case head.Type == format.DataPage && head.DataPageHeader.Valid:
		return r.first(&head.DataPageHeader.V, raw, size)
	case head.Type == format.DataPageV2 && head.DataPageHeaderV2.Valid:
		return r.second(&head.DataPageHeaderV2.V, raw, size)
	case head.Type == format.IndexPage:
		return nil
	}
	return damaged("there is a page of the type %s", head.Type)
}

// first takes a page of the first version, whose levels are compressed with its values.
func (r *Reader) first(head *format.DataPageHeader, raw []byte, size int) error {
	data, err := unpack(r.codec, raw, size)
	if err != nil {
		return err
	}
	levels := func(largest int, how format.Encoding) (list []byte, err error) {
		if largest == 0 {
			return nil, nil
		}
		if how != format.RLE {
			return nil, unread("levels with the encoding %s are not read", how)
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, damaged("a page breaks off")
		}
		end := 4 + int(binary.LittleEndian.Uint32(data))
		list, err = decodeLevels(data[4:end], largest, int(head.NumValues))
		data = data[end:]
		return list, err
	}
	repetition, err := levels(r.c.Repetition, head.RepetitionLevelEncoding)
	if err != nil {
		return err
	}
	definition, err := levels(r.c.Definition, head.DefinitionLevelEncoding)
	if err != nil {
		return err
	}
	return r.begin(int(head.NumValues), repetition, definition, head.Encoding, data)
}

// second takes a page of the second version, whose levels come first and are not compressed.
func (r *Reader) second(head *format.DataPageHeaderV2, raw []byte, size int) error {
	a, b := int(head.RepetitionLevelsByteLength), int(head.DefinitionLevelsByteLength)
	if a < 0 || b < 0 || a > len(raw) || b > len(raw)-a {
		return damaged("a page breaks off")
	}
	levels := func(raw []byte, largest int) ([]byte, error) {
		if largest == 0 {
			return nil, nil
		}
		return decodeLevels(raw, largest, int(head.NumValues))
	}
	repetition, err := levels(raw[:a], r.c.Repetition)
	if err != nil {
		return err
	}
	definition, err := levels(raw[a:a+b], r.c.Definition)
	if err != nil {
		return err
	}
	data := raw[a+b:]
	if !head.IsCompressed.Valid || head.IsCompressed.V {
		if data, err = unpack(r.codec, data, size-a-b); err != nil {
			return err
		}
	}
	return r.begin(int(head.NumValues), repetition, definition, head.Encoding, data)
}

// checkRuns tells whether runs of equal values of a width are not longer than n: a few bytes could
// stand for any number of values.
func checkRuns(data []byte, width, n int) error {
	for len(data) > 0 {
		head, k := binary.Uvarint(data)
		if k <= 0 {
			return damaged("a run breaks off")
		}
		data = data[k:]
		skip := uint64(width+7) / 8
		if count := head >> 1; head&1 == 1 { // eight values each, in as many bytes as bits
			skip = min(count, uint64(len(data))) * uint64(width)
		} else if count > uint64(max(n, 0)) {
			return damaged("%d values are in a page of %d", count, n)
		}
		data = data[min(skip, uint64(len(data))):]
	}
	return nil
}

// decodeLevels decodes the levels of n values.
func decodeLevels(data []byte, largest, n int) ([]byte, error) {
	if err := checkRuns(data, width(largest), n); err != nil {
		return nil, err
	}
	list, err := (&rle.Encoding{BitWidth: width(largest)}).DecodeLevels(nil, data)
	switch {
	case err != nil:
		return nil, err
	case n < 0 || len(list) < n:
		return nil, damaged("a page of %d values has %d levels", n, len(list))
	}
	for _, level := range list[:n] {
		if int(level) > largest {
			return nil, damaged("a level is %d, where the largest is %d", level, largest)
		}
	}
	return list[:n], nil
}

// begin begins to read the values of a page.
func (r *Reader) begin(
	count int, repetition, definition []byte, how format.Encoding, data []byte,
) (err error) {
	if count < 0 {
		return damaged("a page has %d values", count)
	}
	full := count
	if definition != nil {
		full = 0
		for _, level := range definition {
			if int(level) == r.c.Definition {
				full++
			}
		}
	}
	r.at, r.full, r.count, r.page = 0, 0, count, nil
	r.repetition, r.definition = repetition, definition
	if full == 0 { // some writers leave out what stands before the values
		return nil
	}
	if r.page, err = r.c.decode(how, data, full, r.dictionary); err != nil {
		return err
	}
	return nil
}

// ErrGrows is the error of a page that is larger than it says.
var ErrGrows = damaged("a page grows beyond its size")

// unpack decompresses a page that says how large it becomes. Some writers are careless about that,
// and it may be a fourth larger.
func unpack(codec format.CompressionCodec, raw []byte, size int) ([]byte, error) {
	if size < 0 {
		return nil, damaged("a page has %d bytes", size)
	}
	limit := size + size/4 + 1024
	all := func(from io.Reader, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		text := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		_, err = text.ReadFrom(io.LimitReader(from, int64(limit)+1))
		if err == nil && text.Len() > limit {
			err = ErrGrows
		}
		return text.Bytes(), err
	}
	switch codec {
	case format.Uncompressed:
		return raw, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(raw); err != nil {
			return nil, err
		} else if n > limit {
			return nil, ErrGrows
		}
		return snappy.Decode(nil, raw)
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(raw))
		return all(z, err)
	case format.Zstd:
		z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(uint64(max(2*limit, 1<<20))))
		if err == nil {
			defer z.Close()
		}
		return all(z, err)
	case format.Brotli:
		return all(brotli.NewReader(bytes.NewReader(raw)), nil)
	case format.Lz4Raw:
		to := make([]byte, limit)
		n, err := lz4.UncompressBlock(raw, to)
		if err != nil {
			return nil, err
		}
		return to[:n], nil
	}
	return nil, unread("the compression %s is not read", codec)
}
