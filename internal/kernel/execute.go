package kernel

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// executeRequest asks to run a cell.
type executeRequest struct {
	Code        string `json:"code"`
	Silent      bool   `json:"silent"`
	StopOnError *bool  `json:"stop_on_error"` // absent means true
	AllowStdin  bool   `json:"allow_stdin"`
}

// failure returns the content of a reply, and of an output, that reports an error.
func failure(name, message, text string) map[string]any {
	return map[string]any{
		"status": "error", "ename": name, "evalue": message,
		"traceback": strings.Split(strings.TrimRight(text, "\n"), "\n"),
	}
}

// cell is a cell that is running.
type cell struct {
	*kernel
	ctx    context.Context
	asked  *message
	number int
	silent bool
	failed map[string]any // the content that reports its error, or nil
}

func (k *kernel) execute(ctx context.Context, m *message, r *executeRequest) (any, error) {
	k.mu.Lock()
	aborted := m.arrived.Before(k.failed)
	ctx, stop := context.WithCancel(ctx)
	k.interrupt = stop
	if !aborted && !r.Silent {
		k.count++
	}
	c := &cell{kernel: k, ctx: ctx, asked: m, number: k.count, silent: r.Silent}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.interrupt = nil
		k.mu.Unlock()
		stop()
	}()
	if aborted {
		return map[string]any{"status": "aborted", "execution_count": c.number}, nil
	}
	if !r.Silent {
		k.publish("execute_input", map[string]any{"code": r.Code, "execution_count": c.number}, m)
	}
	c.listen(r.AllowStdin)
	c.run(r.Code)
	if c.failed == nil {
		return map[string]any{
			"status": "ok", "execution_count": c.number, "payload": []any{},
			"user_expressions": map[string]any{},
		}, nil
	}
	if r.StopOnError == nil || *r.StopOnError {
		k.mu.Lock()
		k.failed = time.Now()
		k.mu.Unlock()
	}
	c.failed["execution_count"] = c.number
	return c.failed, nil
}

// listen connects the session with the outputs of the cell: progress, debugging and requests for
// data.
func (c *cell) listen(mayAsk bool) {
	show := c.progress()
	c.session.Settings.Watch = show
	c.session.Refined = func(p exact.Progress) {
		if p.Value != nil {
			show(fmt.Sprintf("%d bits: %s", p.Bits, value.ShowAtMost(p.Value, 3)))
		}
	}
	c.session.Settings.Debug = func(line string) { c.print("stdout", line+"\n") }
	c.session.Data().Console = &console{cell: c, allowed: mayAsk}
}

// progressEvery is the least time between two changes of an output that shows progress.
const progressEvery = 200 * time.Millisecond

// progress returns a function that shows texts one after the other in the same output. The first
// appears after the cell has run for a moment, so that quick cells have no such output.
func (c *cell) progress() func(text string) {
	id, last := "", time.Now()
	return func(text string) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		kind := "update_display_data"
		if id == "" {
			kind, id = "display_data", rand.Text()
		}
		c.output(kind, bundle{"text/plain": text}, map[string]any{"display_id": id})
	}
}

// print writes to an output stream of the cell.
func (c *cell) print(stream, text string) {
	if text != "" && !c.silent {
		c.publish("stream", map[string]string{"name": stream, "text": text}, c.asked)
	}
}

// output publishes something in several presentations.
func (c *cell) output(kind string, data bundle, transient map[string]any) {
	if c.silent {
		return
	}
	content := map[string]any{"data": data, "metadata": map[string]any{}}
	if kind == "execute_result" {
		content["execution_count"] = c.number
	}
	if transient != nil {
		content["transient"] = transient
	}
	c.publish(kind, content, c.asked)
}

// fail reports an error of the cell.
func (c *cell) fail(name, message, text string) {
	c.failed = failure(name, message, text)
	if !c.silent {
		c.publish("error", c.failed, c.asked)
	}
}

// report prints warnings. If the list has errors, it fails with them.
func (c *cell) report(found *diag.List, err error) {
	var first *diag.Diagnostic
	var errs, warnings strings.Builder
	for _, d := range found.Sorted() {
		out := &warnings
		if d.Severity == diag.Error {
			if out = &errs; first == nil {
				first = d
			}
		}
		diag.Render(out, inNotebook(d), diag.Options{Color: d.Severity == diag.Error})
	}
	c.print("stderr", warnings.String())
	switch {
	case first != nil:
		c.fail(string(first.Code), first.Message, errs.String())
	case err != nil:
		c.fail("Error", err.Error(), err.Error())
	}
}

// inNotebook returns a diagnostic whose hints are about notebooks: the flags of the command are
// given when the kernel is installed.
func inNotebook(d *diag.Diagnostic) *diag.Diagnostic {
	own := *d
	own.Hints = slices.Clone(d.Hints)
	const install = "raise it with `fluxion kernel install %s`, and restart the kernel"
	for k, hint := range own.Hints {
		switch hint {
		case stop.RaiseTime:
			own.Hints[k] = fmt.Sprintf(install, "--timeout TIME")
		case stop.RaiseMemory:
			own.Hints[k] = fmt.Sprintf(install, "--memory SIZE")
		}
	}
	return &own
}

// show publishes an answer: the types of definitions, the value and the diagnostics.
func (c *cell) show(a *service.Answer) {
	var types strings.Builder
	for _, entry := range a.Defined {
		fmt.Fprintln(&types, entry.Summary())
	}
	c.print("stdout", types.String())
	if a.Result != nil {
		result, err := service.Present(*a.Result)
		if err != nil {
			c.report(&a.Found, err)
			return
		}
		kind := "execute_result"
		for _, part := range result.Parts {
			data, err := present(part)
			if err != nil {
				c.report(&a.Found, err)
				return
			}
			if part.Name != "" {
				kind = "display_data"
			}
			c.output(kind, data, nil)
			kind = "display_data"
		}
	}
	c.report(&a.Found, nil)
}

// console reads from the person at the frontend, who is asked for one line of data at a time. An
// empty line ends the data.
type console struct {
	*cell
	allowed bool
	rest    string
	ended   bool
}

const errNoConsole consoleError = "this frontend cannot ask for data"

// consoleError is why nothing can be read from the console, in the user's terms.
type consoleError string

func (e consoleError) Error() string { return string(e) }

// Told returns what a message about the data says.
func (e consoleError) Told() string { return string(e) }

// Read returns text that the person typed.
func (c *console) Read(p []byte) (int, error) {
	if !c.allowed {
		return 0, errNoConsole
	}
	for c.rest == "" && !c.ended {
		request := map[string]any{"prompt": "data (an empty line ends it): ", "password": false}
		c.send(c.stdin, "input_request", request, c.asked, c.asked.peers)
		select {
		case m := <-c.replies:
			c.rest, c.ended = line(m)
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		}
	}
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
