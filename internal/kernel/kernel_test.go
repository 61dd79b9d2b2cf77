package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task/tasktest"
)

// frontend is a scripted one.
type frontend struct {
	t *testing.T
	codec
	shell, control, stdin, iopub, heartbeat zmq4.Socket
	outputs                                 chan *message
	stop                                    func()
	ended                                   chan error
}

// start runs a kernel and connects a frontend with it. They meet in a folder of their own, not at
// free ports, which another process could take before the kernel does.
func start(t *testing.T) *frontend {
	t.Helper()
	dir, err := os.MkdirTemp("", "kernel") // t.TempDir can be longer than a socket's name may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := connection{Transport: "ipc", IP: filepath.Join(dir, "s"), Key: "secret", Scheme: "hmac-sha256",
		Shell: 1, Control: 2, IOPub: 3, Stdin: 4, Heartbeat: 5}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "connection.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &frontend{t: t, codec: codec{key: []byte(c.Key), session: "test"}, stop: stop, outputs: make(chan *message, 1000), ended: make(chan error, 1)}
	go func() {
		err := Run(ctx, path, Options{Version: "test", Settings: driver.Settings{Limits: interp.DefaultLimits()}, Log: io.Discard})
		if err != nil {
			stop() // the frontend does not wait for a kernel that could not begin
		}
		f.ended <- err
	}()
	t.Cleanup(stop)
	id := zmq4.WithID(zmq4.SocketIdentity("frontend"))
	wait, often := zmq4.WithDialerMaxRetries(-1), zmq4.WithDialerRetry(10*time.Millisecond)
	f.shell, f.control = zmq4.NewDealer(ctx, id, wait, often), zmq4.NewDealer(ctx, id, wait, often)
	f.stdin = zmq4.NewDealer(ctx, id, wait, often)
	f.iopub, f.heartbeat = zmq4.NewSub(ctx, wait, often), zmq4.NewReq(ctx, wait, often)
	for socket, port := range map[zmq4.Socket]int{f.shell: c.Shell, f.control: c.Control, f.stdin: c.Stdin, f.iopub: c.IOPub, f.heartbeat: c.Heartbeat} {
		if err := socket.Dial(c.address(port)); err != nil {
			t.Fatal(err, <-f.ended)
		}
	}
	if err := f.iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			raw, err := f.iopub.Recv()
			if err != nil {
				return
			}
			if m, err := f.decode(raw.Frames); err == nil {
				f.outputs <- m
			}
		}
	}()
	// A subscription takes a moment: a frontend asks until it hears that the kernel is idle.
	for {
		f.ask(f.shell, "kernel_info_request", map[string]any{})
		select {
		case m := <-f.outputs:
			if strings.Contains(string(m.content), "idle") {
				return f
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tell sends a request.
func (f *frontend) tell(socket zmq4.Socket, kind string, content any) {
	f.t.Helper()
	m, err := f.encode(kind, content, nil, nil)
	if err == nil {
		err = socket.SendMulti(m)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// hear receives a reply.
func (f *frontend) hear(socket zmq4.Socket) map[string]any {
	f.t.Helper()
	raw, err := socket.Recv()
	if err != nil {
		f.t.Fatal(err)
	}
	m, err := f.decode(raw.Frames)
	if err != nil {
		f.t.Fatal(err)
	}
	reply := map[string]any{}
	if err := json.Unmarshal(m.content, &reply); err != nil {
		f.t.Fatal(err)
	}
	return reply
}

func (f *frontend) ask(socket zmq4.Socket, kind string, content any) map[string]any {
	f.t.Helper()
	f.tell(socket, kind, content)
	return f.hear(socket)
}

// published collects what was published until the kernel is idle again.
func (f *frontend) published() string {
	f.t.Helper()
	var all strings.Builder
	for {
		select {
		case m := <-f.outputs:
			if m.header.Type == "status" {
				if strings.Contains(string(m.content), "idle") && all.Len() > 0 {
					return all.String()
				}
				continue
			}
			var content any
			json.Unmarshal(m.content, &content)
			fmt.Fprintf(&all, "%s %v\n", m.header.Type, content)
		case <-time.After(20 * time.Second):
			f.t.Fatalf("the kernel is not idle again; it said %s", all.String())
		}
	}
}

// run runs a cell and gives its status and outputs.
func (f *frontend) run(code string) (status, outputs string) {
	f.t.Helper()
	reply := f.ask(f.shell, "execute_request", map[string]any{"code": code, "allow_stdin": true})
	return fmt.Sprint(reply["status"]), f.published()
}

func TestCells(t *testing.T) {
	f := start(t)
	for _, c := range []struct{ code, status, output string }{
		{"let f x = x^2 + 0.5", "ok", "f : Real -> Real"},
		{"f 2", "ok", "text/plain:4.5"},
		{"let g x = f x", "ok", "g : "},
		{"let f x = x + 100\n(f 2, g 2)", "ok", "text/plain:(102, 4.5)"},
		{"%exact 30\npi", "ok", `3.1415926535897932384626433832\ldots`},
		{"pi / 2", "ok", "1.570796326794896619231321691"},
		{"%float\npi", "ok", "text/plain:3.14159265"},
		{"%%exact 20\nsqrt 2", "ok", "1.4142135623730950488"},
		{"sqrt 2", "ok", "text/plain:1.41421356"},
		{"%time f 3", "ok", "took "},
		{"%explain delta f 3", "ok", "strategy"},
		{"%explain delta f", "ok", "strategy"},
		{"%tex f", "ok", "text/latex:$\\displaystyle f(x) = x + 100$"},
		{"%plot sin 0 6", "ok", "image/svg+xml:<?xml"},
		{"[{a = 1, b = \"<x>\"}, {a = 2, b = \"y\"}]", "ok", "<td>&#34;&lt;x&gt;&#34;</td>"},
		{"[[real (i * j) for j < 20] for i < 20]", "ok", "image/png:iVBOR"},
		{"[[1, 2], [3, 4]]", "ok", "pmatrix"},
		{"%type f", "ok", "a -> a"},
		{"%doc sqrt", "ok", "sqrt : "},
		{"%help", "ok", "%exact [DIGITS]"},
		{"let broken = 1 +", "error", "E0"},
		{"nothing", "error", "E0201"},
		{"div 1 0", "error", "E0503"},
		{"%nothing", "error", "there is no `%nothing`"},
		{"%exact many", "error", "not a number of digits"},
		{"%explain", "error", "needs an argument"},
		{"%tex nothing", "error", "defines no"},
	} {
		status, out := f.run(c.code)
		if status != c.status || !strings.Contains(out, c.output) {
			t.Errorf("%s is %s and gives %s, want %s and %s", c.code, status, out, c.status, c.output)
		}
	}
}

func TestQuestions(t *testing.T) {
	f := start(t)
	f.run("let point = {east = 1, north = 2}\n--| Twice.\nlet twice (é : Real) = 2 * é")
	reply := f.ask(f.shell, "complete_request", map[string]any{"code": "\"é\" ++ point.no", "cursor_pos": 15})
	if fmt.Sprint(reply["matches"]) != "[north]" || reply["cursor_start"] != 13.0 || reply["cursor_end"] != 15.0 {
		t.Errorf("completion: %v", reply)
	}
	reply = f.ask(f.shell, "complete_request", map[string]any{"code": "%exp", "cursor_pos": 4})
	if fmt.Sprint(reply["matches"]) != "[%explain]" || reply["cursor_start"] != 0.0 {
		t.Errorf("completion of a magic: %v", reply)
	}
	reply = f.ask(f.shell, "inspect_request", map[string]any{"code": "%time\ntwice 3", "cursor_pos": 8})
	if s := fmt.Sprint(reply["data"]); !strings.Contains(s, "twice : Real -> Real") || !strings.Contains(s, "Twice.") {
		t.Errorf("inspection: %v", reply)
	}
	if reply = f.ask(f.shell, "inspect_request", map[string]any{"code": "  ", "cursor_pos": 1}); reply["found"] != false {
		t.Errorf("inspection of nothing: %v", reply)
	}
	for code, want := range map[string]string{"let f x =": "incomplete", "1 + 2": "complete", ")": "invalid", "%exact 30\n": "complete"} {
		if reply = f.ask(f.shell, "is_complete_request", map[string]any{"code": code}); reply["status"] != want {
			t.Errorf("%q is %v, want %s", code, reply["status"], want)
		}
	}
	for _, kind := range []string{"history_request", "comm_info_request", "kernel_info_request"} {
		if reply = f.ask(f.shell, kind, map[string]any{}); reply["status"] != "ok" {
			t.Errorf("%s: %v", kind, reply)
		}
	}
}

// TestInterrupt: a cell without end is ended, the cells that wait behind it are not run, and those
// that come later are.
func TestInterrupt(t *testing.T) {
	f := start(t)
	f.tell(f.shell, "execute_request", map[string]any{"code": "loop x = 0 while x < 1 do x * 1"})
	f.tell(f.shell, "execute_request", map[string]any{"code": "1 + 1"})
	for m := range f.outputs {
		if m.header.Type == "execute_input" {
			break
		}
	}
	time.Sleep(100 * time.Millisecond)
	if reply := f.ask(f.control, "interrupt_request", map[string]any{}); reply["status"] != "ok" {
		t.Error(reply)
	}
	if reply := f.hear(f.shell); reply["status"] != "error" {
		t.Errorf("the cell without end: %v", reply)
	}
	if reply := f.hear(f.shell); reply["status"] != "aborted" {
		t.Errorf("the cell behind it: %v", reply)
	}
	if reply := f.ask(f.shell, "execute_request", map[string]any{"code": "1 + 1"}); reply["status"] != "ok" {
		t.Errorf("a cell after it: %v", reply)
	}
}

// TestRunEnds: when a kernel ends, by a request or with its context, and a cell without end runs, no
// goroutine outlives it.
func TestRunEnds(t *testing.T) {
	for _, asked := range []bool{true, false} {
		before := len(tasktest.Goroutines())
		t.Run(fmt.Sprint("asked ", asked), func(t *testing.T) {
			f := start(t)
			f.tell(f.shell, "execute_request", map[string]any{"code": "loop x = 0 while x < 1 do x * 1"})
			for m := range f.outputs {
				if m.header.Type == "execute_input" {
					break
				}
			}
			if asked {
				f.tell(f.control, "shutdown_request", map[string]any{})
			} else {
				f.stop()
			}
			if err := <-f.ended; err != nil {
				t.Error(err)
			}
		})
		tasktest.Ended(t, before)
	}
}

// TestHints: the hint of a limit says what a user of a notebook can do, and others stay.
func TestHints(t *testing.T) {
	d := stop.Late().WithHint("another one")
	if got := inNotebook(d).Hints; !strings.Contains(got[0], "`fluxion kernel install --timeout") ||
		got[1] != "another one" || d.Hints[0] != stop.RaiseTime {
		t.Errorf("the hints are %q, of %q", got, d.Hints)
	}
}

// TestConsole: a cell can read data that is typed.
func TestConsole(t *testing.T) {
	f := start(t)
	f.tell(f.shell, "execute_request", map[string]any{"code": "let xs : []Real = file \"-\"\nsum xs", "allow_stdin": true})
	for _, line := range []string{"[1, 2,", "3.5]", ""} {
		if asked := f.hear(f.stdin); !strings.Contains(fmt.Sprint(asked["prompt"]), "data") {
			t.Errorf("asked %v", asked)
		}
		f.tell(f.stdin, "input_reply", map[string]any{"value": line})
	}
	if out := f.published(); !strings.Contains(out, "text/plain:6.5") {
		t.Errorf("the sum is %s", out)
	}
	f.hear(f.shell)
	f.tell(f.shell, "execute_request", map[string]any{"code": "let xs : []Real = file \"-\"\nsum xs", "allow_stdin": false})
	if out := f.published(); !strings.Contains(out, "cannot ask") {
		t.Errorf("without a console: %s", out)
	}
}

// TestHostile: what is not signed, not a message or not known does not end the kernel.
func TestHostile(t *testing.T) {
	f := start(t)
	for _, frames := range [][][]byte{
		{[]byte("x")}, {delimiter}, {delimiter, nil, []byte("{}"), nil, nil, nil},
		{delimiter, []byte("00"), []byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")},
	} {
		if err := f.shell.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
			t.Fatal(err)
		}
	}
	f.tell(f.shell, "unknown_request", map[string]any{})
	f.tell(f.shell, "comm_open", 7)
	if reply := f.ask(f.shell, "execute_request", "nonsense"); reply["status"] != "error" {
		t.Error(reply)
	}
	if reply := f.ask(f.shell, "complete_request", map[string]any{"code": "é", "cursor_pos": 1000}); reply["status"] != "ok" {
		t.Error(reply)
	}
	if err := f.heartbeat.Send(zmq4.NewMsgString("alive?")); err != nil {
		t.Fatal(err)
	}
	if m, err := f.heartbeat.Recv(); err != nil || string(m.Bytes()) != "alive?" {
		t.Errorf("heartbeat: %q %v", m.Bytes(), err)
	}
	if reply := f.ask(f.control, "shutdown_request", map[string]any{"restart": true}); reply["restart"] != true {
		t.Error(reply)
	}
	select {
	case err := <-f.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the kernel goes on after its shutdown")
	}
}

func TestInstall(t *testing.T) {
	prefix := t.TempDir()
	folder, err := Install(prefix, []string{"/bin/fluxion", "kernel", "run"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "kernel.json"))
	if err != nil || folder != filepath.Join(prefix, "share", "jupyter", "kernels", "fluxion") {
		t.Fatalf("%s: %v", folder, err)
	}
	var spec struct {
		Argv []string `json:"argv"`
	}
	if err := json.Unmarshal(text, &spec); err != nil || strings.Join(spec.Argv, " ") != "/bin/fluxion kernel run {connection_file}" {
		t.Errorf("%s: %v", text, err)
	}
}

// TestProgress: what a cell says of its progress is one output that changes, and a signal ends the
// cell.
func TestProgress(t *testing.T) {
	f := start(t)
	f.tell(f.shell, "execute_request", map[string]any{"code": "loop x = 0 while x >= 0 do progress \"at {x}\" (x + 1)"})
	shown := ""
	for m := range f.outputs {
		var content struct {
			Data      map[string]string `json:"data"`
			Transient map[string]string `json:"transient"`
		}
		json.Unmarshal(m.content, &content)
		if m.header.Type == "display_data" && strings.HasPrefix(content.Data["text/plain"], "at ") {
			shown = content.Transient["display_id"]
		}
		if m.header.Type == "update_display_data" {
			if shown == "" || content.Transient["display_id"] != shown {
				t.Errorf("the output %q changes, and %q was shown", content.Transient["display_id"], shown)
			}
			break
		}
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil { // there are no such signals on Windows
		f.ask(f.control, "interrupt_request", map[string]any{})
	}
	if reply := f.hear(f.shell); reply["status"] != "error" {
		t.Errorf("the cell ends with %v", reply)
	}
}
