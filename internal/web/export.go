package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// workerPackage is the command that runs in the browser.
const workerPackage = "github.com/fluxion-lang/fluxion/internal/web/worker"

// Export writes the page to a folder as files that run all of Fluxion in the browser, and says how
// large they are.
func Export(ctx context.Context, folder string) (string, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(site(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(site(), name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	wasm, support, err := build(ctx)
	if err != nil {
		return "", err
	}
	files["fluxion.wasm.gz"], files["wasm_exec.js"] = compressed(wasm), support
	files[index] = []byte(fill(string(files[index]), "wasm", newNonce(), nil))
	files["offline.js"] = offline(files)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	sent := 0
	for name, data := range files {
		if sent += len(data); !strings.HasSuffix(name, ".gz") {
			sent += len(compressed(data)) - len(data)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d files, %.1f MB compressed", len(files), float64(sent)/1e6), nil
}

// build compiles Fluxion for browsers, and finds what Go needs in them.
func build(ctx context.Context) (wasm, support []byte, err error) {
	folder, err := os.MkdirTemp("", "fluxion-page-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil, errors.New("--export builds Fluxion for browsers, and needs the Go toolchain: there is no command `go`")
	} else if err != nil {
		return nil, nil, fmt.Errorf("`go env GOROOT`: %w", err)
	}
	support, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, nil, err
	}
	target := filepath.Join(folder, "fluxion.wasm")
	command := exec.CommandContext(ctx, "go", "build", "-tags", "page", "-trimpath", "-ldflags=-s -w", "-o", target, workerPackage)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := command.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("--export builds Fluxion for browsers, which works in a clone of its repository: %w\n%s", err, out)
	}
	wasm, err = os.ReadFile(target)
	return wasm, support, err
}

// compressed is what is sent of a file.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic("web: " + err.Error())
	}
	w.Write(data) // to memory
	w.Close()
	return out.Bytes()
}

// offline is the service worker with the names of all files, and a version that changes with any of them.
func offline(files map[string][]byte) []byte {
	names := []string{"./"}
	hash := sha256.New()
	for name := range files {
		if name != "offline.js" {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	for _, name := range names[1:] {
		sum := sha256.Sum256(files[name])
		hash.Write(sum[:])
	}
	list, err := json.Marshal(names)
	if err != nil {
		panic("web: " + err.Error())
	}
	return fmt.Appendf(nil, "const version = %q, files = %s;\n%s", hex.EncodeToString(hash.Sum(nil)[:8]), list, files["offline.js"])
}
