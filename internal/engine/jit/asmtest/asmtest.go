// Package asmtest has GNU as assemble texts, for tests to compare with.
package asmtest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// GnuAs is the command that assembles for a machine, "" if there is none.
func GnuAs(arch string) string {
	name := map[string]string{"amd64": "x86_64-linux-gnu-as", "arm64": "aarch64-linux-gnu-as"}[arch]
	if _, err := exec.LookPath(name); err == nil {
		return name
	}
	// The machine's own assembler may be for another processor: this test may run in an emulator.
	version, err := exec.Command("as", "--version").Output()
	target := map[string]string{"amd64": "target of `x86_64-", "arm64": "target of `aarch64-"}[arch]
	if err == nil && strings.Contains(string(version), target) {
		return "as"
	}
	return ""
}

// Assemble gives the bytes of the code of a text.
func Assemble(t *testing.T, arch, text string, options ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(GnuAs(arch),
		append(options, "-o", obj, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%.3000s", GnuAs(arch), err, out)
	}
	f, err := elf.Open(obj)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
