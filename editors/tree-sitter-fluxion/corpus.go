//go:build ignore

// Command corpus writes every program of the repository that parses into a folder: those of
// testdata, of the examples and of the library.
//
//	go run editors/tree-sitter-fluxion/corpus.go DIR
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
)

// programs gives those of a file, by their names.
func programs(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch filepath.Ext(path) {
	case ".flx":
		return map[string]string{path: string(text)}, nil
	case ".txtar":
		found := map[string]string{}
		for _, f := range txtar.Parse(text).Files {
			if strings.HasSuffix(f.Name, ".flx") {
				found[path+"."+f.Name] = string(f.Data)
			}
		}
		return found, nil
	}
	return nil, nil
}

func run(out string) error {
	written := 0
	for _, folder := range []string{"testdata", "examples", "lib", "bench"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found, err := programs(path)
			for name, text := range found {
				var sink diag.List
				if syntax.Parse(diag.NewFile(name, text), &sink); sink.Failed() ||
					strings.TrimSpace(text) == "" {
					continue
				}
				written++
				name = strings.NewReplacer("/", "_", "\\", "_").Replace(name)
				if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d programs\n", written)
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}
