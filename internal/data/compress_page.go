//go:build page

package data

import (
	"compress/gzip"
	"errors"
	"io"
)

// In a browser, gzip comes from the standard library, and there is no zstd: see parquet_page.go.

var errZstd = errors.New("files that end in .zst are not read and written in the browser; " +
	"`fluxion serve` and the command do")

func decompressor(extension string, r io.Reader) (io.ReadCloser, error) {
	if extension == ".gz" {
		return gzip.NewReader(r)
	}
	return nil, errZstd
}

func compressor(extension string, w io.Writer) (io.WriteCloser, error) {
	if extension == ".gz" {
		return gzip.NewWriter(w), nil
	}
	return nil, errZstd
}
