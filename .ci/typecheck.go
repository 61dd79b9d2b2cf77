// Command typecheck checks the types of all packages and their tests for other systems, as they are
// named: windows/amd64. It compiles nothing, so that it takes a fraction of the time of go vet.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	failed := false
	for _, target := range os.Args[1:] {
		goos, goarch, _ := strings.Cut(target, "/")
		if n := check(goos, goarch); n > 0 {
			log.Printf("%s: %d errors", target, n)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check prints the errors in the packages of this module, and counts them.
func check(goos, goarch string) (errors int) {
	here, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes |
			packages.NeedModule,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, here) {
				dropBodies(file)
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			if text := e.Error(); !seen[text] {
				seen[text] = true
				fmt.Println(text)
			}
		}
	}
	return len(seen)
}

// dropBodies leaves the declarations of a file of another module, which is taken to be right.
func dropBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Type.TypeParams == nil && f.Recv == nil &&
			f.Name.Name != "init" && f.Name.Name != "main" {
			f.Body = nil
		}
	}
}
