// Package replace writes files whole or not at all. It is given the name of a file and a function
// that writes the contents. A reader, or a process that starts after a crash, finds either the
// old contents or the new ones. The package does not know what the files contain.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Note [Temporary files]. The contents are written to a temporary file beside the target, which
// is then renamed to the target. A killed process leaves its temporary file behind. The name of
// the temporary file contains the target's name and the number of the process, so that a later
// process can remove it. It does so only if no process with that number is running. If the
// process runs on another machine that shares the folder, its file may be removed too early. Then
// the rename fails, and the file is written once more. A process that ends while it writes, because
// its time is up, removes its temporary files itself: Abandon.

// before is the prefix of the names of temporary files.
const before = ".fluxion-"

// temporaryOf returns the name of a temporary file of a process, without its random end.
func temporaryOf(name string, process int) string {
	return fmt.Sprintf("%s%s-%d-", before, filepath.Base(name), process)
}

// File replaces a file whole or not at all, and keeps its permissions. If durable, the new
// contents are on the disk before the old ones are gone, so that the promise holds even if the
// machine stops.
func File(name string, durable bool, write func(io.Writer) error) error {
	err := once(name, durable, write)
	if errors.Is(err, fs.ErrNotExist) { // Note [Temporary files]
		err = once(name, durable, write)
	}
	return err
}

func once(name string, durable bool, write func(io.Writer) error) error {
	folder := filepath.Dir(name)
	temporary, err := create(folder, temporaryOf(name, os.Getpid())+"*")
	if err != nil {
		return err
	}
	defer remove(temporary.Name())
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	err = write(temporary)
	if durable {
		err = errors.Join(err, temporary.Sync())
	}
	if err = errors.Join(err, temporary.Chmod(mode), temporary.Close()); err != nil {
		return err
	}
	if err = os.Rename(temporary.Name(), name); err != nil || !durable {
		return err
	}
	if folder, err := os.Open(folder); err == nil {
		_ = folder.Sync() // some systems cannot do this, and do not need it
		folder.Close()
	}
	return nil
}

// temporaries are the temporary files of this process. Files belong to the process, and so does
// the list: it is needed when the process ends.
var temporaries struct {
	sync.Mutex
	names map[string]bool
	ended bool
}

// create makes a temporary file.
func create(folder, pattern string) (*os.File, error) {
	temporaries.Lock()
	defer temporaries.Unlock()
	if temporaries.ended {
		return nil, errors.New("the process ends")
	}
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	if temporaries.names == nil {
		temporaries.names = map[string]bool{}
	}
	temporaries.names[file.Name()] = true
	return file, nil
}

// remove removes a temporary file. After a success there is nothing to remove.
func remove(name string) {
	temporaries.Lock()
	defer temporaries.Unlock()
	_ = os.Remove(name)
	delete(temporaries.names, name)
}

// Abandon removes the temporary files that are being written. It is for a process that ends before
// they are written: from then on, File fails.
func Abandon() {
	temporaries.Lock()
	defer temporaries.Unlock()
	temporaries.ended = true
	for name := range temporaries.names {
		_ = os.Remove(name)
	}
}

// Clean removes temporary files that killed processes left beside a file.
func Clean(name string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return // there is nothing to remove
	}
	start := before + filepath.Base(name) + "-"
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), start)
		number, random, both := strings.Cut(rest, "-")
		process, err := strconv.Atoi(number)
		if ok && both && err == nil && digits(random) && e.Type().IsRegular() && !runs(process) {
			_ = os.Remove(filepath.Join(filepath.Dir(name), e.Name()))
		}
	}
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// runs reports whether a process may be running.
func runs(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" { // there FindProcess finds only running processes
		_ = p.Release()
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || !errors.Is(err, os.ErrProcessDone)
}
