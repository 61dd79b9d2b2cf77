package service

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// LibraryCopy writes a module of the library, which is embedded in the binary, to a file that
// editors can open. It returns the path. The name of the folder depends on the text, so that each
// version of the library has its own.
func LibraryCopy(f *diag.File) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := fnv.New64a() // a cryptographic hash would bring all of crypto's self-tests into the page
	sum.Write([]byte(f.Text))
	folder := filepath.Join(cache, "fluxion", fmt.Sprintf("lib-%016x", sum.Sum64()))
	path := filepath.Join(folder, filepath.Base(f.Name))
	if there, err := os.ReadFile(path); err == nil && string(there) == f.Text {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(folder, "part-")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(f.Text)
	if e := part.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(part.Name(), 0o444) // the file is for reading
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	return path, err
}
