package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// maxSource bounds how much of one file is read: more than any program needs, and little enough
// to be harmless. The lexer reports longer texts.
const maxSource = 64 << 20

// Paths that do not name a regular file.
var (
	errFolder     = errors.New("it is a folder")
	errNotRegular = errors.New("it is not a regular file")
)

// ReadSource reads a regular file, or standard input for "-". It reads one byte more than the
// limit, so that the lexer notices a text that is too long.
func ReadSource(path string) (string, error) {
	var text strings.Builder
	if path == "-" {
		_, err := io.Copy(&text, io.LimitReader(os.Stdin, maxSource+1))
		return text.String(), err
	}
	// The check precedes opening the file, because opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errFolder
	case !info.Mode().IsRegular():
		return "", errNotRegular
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text.Grow(int(min(info.Size(), maxSource+1)))
	_, err = io.Copy(&text, io.LimitReader(file, maxSource+1))
	return text.String(), err
}

// CannotRead returns the diagnostic for a file that cannot be read.
func CannotRead(at diag.Span, path string, err error) *diag.Diagnostic {
	reason := err.Error()
	var pathErr *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		reason = "permission was denied"
	case errors.As(err, &pathErr):
		reason = pathErr.Err.Error()
	}
	d := diag.Errorf(diag.CannotRead, at, "cannot read %s: %s", fmt.Sprintf("`%s`", path), reason)
	return d
}
