//go:build page

package plot

import (
	"errors"
	"io"
)

// Write always returns an error. The page that runs in a browser is built with the tag page, and
// draws figures itself.
func (f *Figure) Write(io.Writer, string) (string, error) {
	return "", errors.New("in the browser, the page draws pictures")
}
