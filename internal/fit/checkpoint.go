package fit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/replace"
)

// Note [Checkpoints]. Each save replaces the checkpoint file as a whole, so that the file always
// holds a complete state, whatever happens. The state is read back bit for bit: see Note [Saved
// values]. A step depends on the state alone, which includes the random numbers, and an
// interrupted step leaves the state as it was before it. So a run that is continued takes the
// same steps as a run that was never interrupted, and counts them alike. The key identifies what
// the state belongs to: the programs, the data and the options.

// state is everything needed to continue a fit.
type state struct {
	Key         string
	Method      string
	Evaluations int // of the model so far, without those of the chains
	Fit         runState
	Chains      []*chain
}

// stateFormat is the version of the file format. Version 1 lacked the states of the generators of
// random numbers.
const stateFormat = 2

// stateFile is the content of a checkpoint file.
type stateFile struct {
	Format int
	State  any // in the form that saved returns
}

// Checkpoint keeps the state of a fit in a file.
type Checkpoint struct {
	Path   string
	Every  time.Duration
	Resume bool

	last time.Time
}

// load reads the state to continue from, or nil if there is none. A state with another key is an
// error. load also removes temporary files that killed runs left beside the checkpoint.
func (c *Checkpoint) load(key string) (*state, *diag.Diagnostic) {
	bad := func(format string, args ...any) *diag.Diagnostic {
		return diag.Errorf(diag.BadCheckpoint, option("--checkpoint", c.Path), format, args...)
	}
	replace.Clean(c.Path)
	text, err := os.ReadFile(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, driver.CannotRead(diag.Span{}, c.Path, err)
	case !c.Resume:
		return nil, bad("`%s` exists",
			c.Path).WithHint("--resume continues the fit that it is of; or remove it first")
	}
	var file stateFile
	if err := json.Unmarshal(text, &file); err != nil || file.Format == 0 {
		return nil, bad("`%s` is not a checkpoint of a fit", c.Path)
	}
	if file.Format != stateFormat {
		return nil, bad("`%s` was written by another version of Fluxion: its format is %d, and "+
			"this version reads %d",
			c.Path, file.Format, stateFormat).
			WithHint("to begin anew, remove it; or continue with the version that has written it")
	}
	var s state
	switch err := restore(reflect.ValueOf(&s).Elem(), file.State); {
	case err != nil:
		return nil, bad("`%s` is damaged: %v", c.Path, err)
	case s.Key != key:
		return nil, bad(
			"`%s` is of another fit: the program, the data or an option has changed since", c.Path).
			WithHint("to begin anew, remove it")
	}
	return &s, nil
}

// save writes the state, unless it was written a short while ago. A final save always writes.
func (c *Checkpoint) save(final bool, s *state) *diag.Diagnostic {
	if now := time.Now(); !final && now.Sub(c.last) < c.Every {
		return nil
	}
	tree, err := saved(reflect.ValueOf(s).Elem())
	if err == nil {
		err = replace.File(c.Path, true, func(w io.Writer) error {
			return json.NewEncoder(w).Encode(stateFile{stateFormat, tree})
		})
	}
	if err != nil {
		return diag.Errorf(diag.CannotWrite, diag.Span{}, "%s: %v", c.Path, err)
	}
	c.last = time.Now()
	return nil
}

// key hashes the problem, so that a checkpoint matches only its own.
func (p *Problem) key(method string) (string, *diag.Diagnostic) {
	h := sha256.New()
	options := p.Options
	options.Data = nil
	told, err := json.Marshal(options)
	if err != nil {
		return "", refuse(diag.Span{}, "%v", err)
	}
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", told, method, p.set.Engine, p.text.b.String())
	seen := map[*driver.Unit]bool{}
	var visit func(u *driver.Unit)
	visit = func(u *driver.Unit) {
		if seen[u] || u.File.Library {
			return
		}
		seen[u] = true
		fmt.Fprintf(h, "%d %s\n", len(u.File.Text), u.File.Text)
		for _, i := range u.Imports {
			visit(i)
		}
	}
	visit(p.unit)
	for _, path := range p.Data {
		if path == "-" {
			return "", refuse(option("--data", path),
				"a fit with a checkpoint cannot read standard input, which --resume could not "+
					"read again")
		}
		file, err := os.Open(path)
		if err == nil {
			_, err = io.Copy(h, file)
			file.Close()
		}
		if err != nil {
			return "", driver.CannotRead(diag.Span{}, path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
