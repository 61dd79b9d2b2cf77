//go:build !page

package data

import (
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decompressor reads a stream that is compressed as an extension says.
func decompressor(extension string, r io.Reader) (io.ReadCloser, error) {
	if extension == ".gz" {
		return gzip.NewReader(r)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// compressor writes such a stream.
func compressor(extension string, w io.Writer) (io.WriteCloser, error) {
	if extension == ".gz" {
		return gzip.NewWriter(w), nil
	}
	return zstd.NewWriter(w)
}
