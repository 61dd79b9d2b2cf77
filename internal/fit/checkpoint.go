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
	"path/filepath"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
)

// Note [Checkpoints]. The state of a fit is written to a temporary file beside the checkpoint,
// flushed to the disk and renamed, so that the checkpoint is always a whole state, whatever
// happens. Doubles are written as the shortest decimals that are read back as the same doubles, and
// steps depend on nothing else than the state, so that a run that is continued takes the steps that
// the other one would have taken, bit for bit. The key says what the state belongs to: the
// programs, the data and the options.

// state is all that is to be known to continue a fit.
type state struct {
	Format int
	Key    string
	Method string
	Fit    runState
	Chains []*chain `json:",omitempty"`
}

const stateFormat = 1

// Checkpoint keeps the state of a fit in a file.
type Checkpoint struct {
	Path   string
	Every  time.Duration
	Resume bool

	last time.Time
}

// Load reads the state to continue from, which is nil if there is none; it must be of the fit with
// the key.
func (c *Checkpoint) load(key string) (*state, *diag.Diagnostic) {
	bad := func(format string, args ...any) *diag.Diagnostic {
		return diag.Errorf(diag.BadCheckpoint, option("--checkpoint", c.Path), format, args...)
	}
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
	var s state
	if err := json.Unmarshal(text, &s); err != nil || s.Format == 0 {
		return nil, bad("`%s` is not a checkpoint of a fit", c.Path)
	}
	switch {
	case s.Format != stateFormat:
		return nil, bad("`%s` was written by another version of Fluxion", c.Path)
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
	err := writeWhole(c.Path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
	if err != nil {
		return diag.Errorf(diag.CannotWrite, diag.Span{}, "%s: %v", c.Path, err)
	}
	c.last = time.Now()
	return nil
}

// writeWhole replaces a file whole or not at all, even if the machine stops.
func writeWhole(path string, write func(io.Writer) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".fluxion-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // nothing is there after a success
	err = errors.Join(write(temporary), temporary.Sync(), temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return err
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync() // some systems cannot, and need not
		folder.Close()
	}
	return nil
}

// key is that of a problem.
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

// MarshalJSON writes the state with that of the method.
func (r runState) MarshalJSON() ([]byte, error) {
	type plain runState // without this method
	r.State = nil
	if r.method != nil {
		text, err := json.Marshal(r.method)
		if err != nil {
			return nil, err
		}
		r.State = text
	}
	return json.Marshal(plain(r))
}

// resume reads the method's state back.
func (st *state) resume(o Options) error {
	if st.Fit.State == nil || string(st.Fit.State) == "null" {
		return nil
	}
	st.Fit.method = methods[st.Method].make(o, nil)
	return json.Unmarshal(st.Fit.State, st.Fit.method)
}
