//go:build !page

package data

import (
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decompressor returns a reader that decompresses a stream, by the method of the extension.
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

// compressor returns a writer that compresses a stream, by the method of the extension.
func compressor(extension string, w io.Writer) (io.WriteCloser, error) {
	if extension == ".gz" {
		return gzip.NewWriter(w), nil
	}
	return zstd.NewWriter(w)
}
