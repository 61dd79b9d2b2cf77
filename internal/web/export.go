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

	"github.com/klauspost/compress/zstd"
)

// internal is the import path of the packages. The command that runs in the browser is web/worker
// below it.
const internal = "github.com/fluxion-lang/fluxion/internal/"

// inlined lists the packages in which programs spend their time. Functions of the other packages
// are compiled without inlining, which makes them a quarter smaller; so are the standard
// library's packages for texts.
var (
	inlined = []string{
		"exact/jet", "interval", "interval/ball", "interval/kernel", "interval/rectangle",
		"interval/tier",
		"linalg", "value",
	}
	texts = []string{
		"bufio", "compress/...", "encoding/...", "fmt", "io/...", "os", "reflect", "regexp/...",
		"strconv",
		"strings", "text/...", "time",
	}
)

// Export writes the page to a folder, as files that run all of Fluxion in the browser. It returns
// the number of bytes that a visitor downloads.
func Export(ctx context.Context, folder string) (sent int, err error) {
	files := map[string][]byte{}
	err = fs.WalkDir(site(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(site(), name)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	wasm, support, err := build(ctx)
	if err != nil {
		return 0, err
	}
	packed, err := packed(wasm)
	if err != nil {
		return 0, err
	}
	module := "fluxion-" + digest(wasm) + ".wasm"
	files[module+".zst"], files["wasm_exec.js"] = packed, support
	files[index] = []byte(fill(string(files[index]), "wasm", module, newNonce(), nil))
	files["offline.js"] = offline(files)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return 0, err
		}
		if !strings.HasSuffix(name, ".zst") {
			data = compressed(data)
		}
		sent += len(data)
	}
	return sent, nil
}

// build compiles Fluxion for browsers, and returns the module and Go's supporting script.
func build(ctx context.Context) (wasm, support []byte, err error) {
	folder, err := os.MkdirTemp("", "fluxion-page-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil, errors.New(
			"--export builds Fluxion for browsers, and needs the Go toolchain: " +
				"there is no command `go`")
	} else if err != nil {
		return nil, nil, fmt.Errorf("`go env GOROOT`: %w", err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	support, err = os.ReadFile(loader)
	if err != nil {
		return nil, nil, err
	}
	target := filepath.Join(folder, "fluxion.wasm")
	args := []string{"build", "-tags", "page", "-trimpath", "-ldflags=-s -w"}
	args = append(args, "-gcflags="+internal+"...=-l")
	for _, name := range texts {
		args = append(args, "-gcflags="+name+"=-l")
	}
	for _, name := range inlined {
		args = append(args, "-gcflags="+internal+name+"=")
	}
	command := exec.CommandContext(ctx, "go", append(args, "-o", target, internal+"web/worker")...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := command.CombinedOutput(); err != nil {
		const where = "--export builds Fluxion for browsers, which works in a clone of its " +
			"repository"
		return nil, nil, fmt.Errorf("%s: %w\n%s", where, err, out)
	}
	wasm, err = os.ReadFile(target)
	return wasm, support, err
}

// packed returns data compressed by zstd, which is good at code that is repeated for several
// types.
func packed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	best := zstd.WithEncoderLevel(zstd.SpeedBestCompression)
	w, err := zstd.NewWriter(&out, best, zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, err
	}
	w.Write(data) // a write to memory does not fail
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// compressed returns a file as a server sends it, compressed if it is not yet.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(data) // a write to memory does not fail
	w.Close()
	return out.Bytes()
}

// digest returns a short hash that names data.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// offline returns the service worker, with the names of all files and a version that changes when
// any of them changes.
func offline(files map[string][]byte) []byte {
	names := []string{"./"}
	var all []byte
	for name := range files {
		if name != "offline.js" {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	for _, name := range names[1:] {
		all = append(append(all, name...), digest(files[name])...)
	}
	list, err := json.Marshal(names)
	if err != nil {
		panic("web: " + err.Error())
	}
	worker := files["offline.js"]
	return fmt.Appendf(nil, "const version = %q, files = %s;\n%s", digest(all), list, worker)
}
