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

// Note [Checkpoints]. The state of a fit replaces the checkpoint as a whole, so that the checkpoint
// is always a whole state, whatever happens. It is read back bit for bit: Note [Saved values].
// Steps depend on nothing else than the state, the random numbers included, and a step that is
// interrupted leaves the state as it was before it. So a run that is continued takes the steps
// that the other one would have taken, and counts them alike. The key says what the state belongs
// to: the programs, the data and the options.

// state is all that is to be known to continue a fit.
type state struct {
	Key         string
	Method      string
	Evaluations int // of the model so far, but for those of the chains
	Fit         runState
	Chains      []*chain
}

// stateFormat is the version of the files. Those of version 1 did not have the states of the
// generators of random numbers.
const stateFormat = 2

// stateFile is what is in a file.
type stateFile struct {
	Format int
	State  any // as saved makes it
}

// Checkpoint keeps the state of a fit in a file.
type Checkpoint struct {
	Path   string
	Every  time.Duration
	Resume bool

	last time.Time
}

// load reads the state to continue from, which is nil if there is none; it must be of the fit with
// the key. What killed runs have left beside the file is removed.
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
		return nil, bad("`%s` was written by another version of Fluxion: its format is %d, and this version reads %d",
			c.Path, file.Format, stateFormat).
			WithHint("to begin anew, remove it; or continue with the version that has written it")
	}
	var s state
	switch err := restore(reflect.ValueOf(&s).Elem(), file.State); {
	case err != nil:
		return nil, bad("`%s` is damaged: %v", c.Path, err)
	case s.Key != key:
		return nil, bad("`%s` is of another fit: the program, the data or an option has changed since", c.Path).
			WithHint("to begin anew, remove it")
	}
	return &s, nil
}

// save writes the state, unless that was done a short while ago.
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
				"a fit with a checkpoint cannot read standard input, which --resume could not read again")
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
