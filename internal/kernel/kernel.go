// Package kernel is the face of a session in a notebook. It speaks Jupyter's messaging protocol
// over ZeroMQ. Cells share definitions; package service decides what a cell means.
//
// Requests come on two sockets. Requests on the shell socket are answered one after the other.
// Requests on the control socket (interruption, shutdown) are answered at once, even while a cell
// runs. A third socket publishes what happens meanwhile (status, output), a fourth asks for data,
// and a fifth says that the kernel is alive.
package kernel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/service"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Options holds the options of the command line.
type Options struct {
	Version  string
	Settings driver.Settings
	Folders  []string  // the folders that cells may read data from, besides the kernel's own
	Log      io.Writer // receives reports of messages that a frontend should not have sent
}

// connection is the content of the file by which a frontend says where it listens.
type connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Key       string `json:"key"`
	Scheme    string `json:"signature_scheme"`
	Shell     int    `json:"shell_port"`
	Control   int    `json:"control_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Heartbeat int    `json:"hb_port"`
}

func readConnection(path string) (*connection, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &connection{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s is not a connection file: %w", path, err)
	}
	if c.Key != "" && c.Scheme != "hmac-sha256" {
		return nil, fmt.Errorf("%s asks for the signatures %q; this kernel has hmac-sha256",
			path, c.Scheme)
	}
	return c, nil
}

func (c *connection) address(port int) string {
	separator := ":"
	if c.Transport == "ipc" {
		separator = "-"
	}
	return fmt.Sprintf("%s://%s%s%d", c.Transport, c.IP, separator, port)
}

// kernel is a running kernel.
type kernel struct {
	codec
	opts    Options
	session *service.Session
	log     *log.Logger
	quit    context.CancelFunc // ends the kernel

	shell, control, iopub, stdin, heartbeat zmq4.Socket

	sending sync.Mutex    // held while a message is sent
	replies chan *message // input_reply messages

	mu        sync.Mutex
	interrupt context.CancelFunc // ends the running cell; nil if there is none
	failed    time.Time          // when a cell failed; cells requested before that time are not run
	count     int                // how many cells were run
}

// Run serves the frontend that wrote a connection file, until the frontend asks for the end or
// ctx is cancelled.
func Run(ctx context.Context, path string, opts Options) error {
	c, err := readConnection(path)
	if err != nil {
		return err
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	k := &kernel{
		codec: codec{key: []byte(c.Key), session: rand.Text()}, opts: opts, quit: quit,
		session: service.NewSession(), log: log.New(opts.Log, "fluxion kernel: ", 0),
		shell: zmq4.NewRouter(ctx), control: zmq4.NewRouter(ctx), stdin: zmq4.NewRouter(ctx),
		iopub: zmq4.NewPub(ctx), heartbeat: zmq4.NewRep(ctx),
		replies: make(chan *message, 1),
	}
	k.session.Settings = opts.Settings
	k.session.Data().Folders = opts.Folders
	var beside task.Group
	defer beside.Wait()
	defer quit()
	for socket, port := range map[zmq4.Socket]int{
		k.shell: c.Shell, k.control: c.Control, k.iopub: c.IOPub, k.stdin: c.Stdin,
		k.heartbeat: c.Heartbeat,
	} {
		if err := socket.Listen(c.address(port)); err != nil {
			return err
		}
		defer socket.Close()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	beside.Go(func() { k.onSignal(ctx, signals) })
	beside.Go(k.beat)
	beside.Go(func() { k.receive(ctx, k.stdin, k.keepReply) })
	beside.Go(func() {
		k.receive(ctx, k.control, func(m *message) { k.answer(ctx, k.control, m) })
	})
	// buffered, so that each message is dated when it arrives instead of waiting in the socket
	queue := make(chan *message, 4096)
	beside.Go(func() {
		k.receive(ctx, k.shell, func(m *message) {
			select {
			case queue <- m:
			case <-ctx.Done():
			}
		})
	})
	k.publish("status", map[string]string{"execution_state": "starting"}, nil)
	for {
		select {
		case m := <-queue:
			k.answer(ctx, k.shell, m)
		case <-ctx.Done():
			return nil
		}
	}
}

// onSignal makes an interrupt signal end the running cell instead of the kernel.
func (k *kernel) onSignal(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-signals:
			k.stopCell()
		case <-ctx.Done():
			return
		}
	}
}

// stopCell ends the running cell.
func (k *kernel) stopCell() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.interrupt != nil {
		k.interrupt()
	}
}

func (k *kernel) beat() {
	for {
		m, err := k.heartbeat.Recv()
		if err != nil {
			return
		}
		if k.heartbeat.Send(m) != nil {
			return
		}
	}
}

// receive passes on the messages of a socket until it is closed. It logs and drops frames that
// are not a message or not signed.
func (k *kernel) receive(ctx context.Context, socket zmq4.Socket, do func(*message)) {
	for ctx.Err() == nil {
		raw, err := socket.Recv()
		if err != nil {
			if ctx.Err() == nil {
				k.log.Print(err)
				time.Sleep(10 * time.Millisecond)
			}
			continue
		}
		m, err := k.decode(raw.Frames)
		if err != nil {
			k.log.Print(err)
			continue
		}
		do(m)
	}
}

// handler answers a request with the content of its reply.
type handler func(k *kernel, ctx context.Context, m *message) (reply any, err error)

// handlers maps the type of a request to its handler.
var handlers = map[string]handler{
	"kernel_info_request": (*kernel).info,
	"execute_request":     on((*kernel).execute),
	"complete_request":    on((*kernel).complete),
	"inspect_request":     on((*kernel).inspect),
	"is_complete_request": on((*kernel).isComplete),
	"history_request":     fixed(map[string]any{"history": []any{}}),
	"comm_info_request":   fixed(map[string]any{"comms": map[string]any{}}),
	"interrupt_request":   (*kernel).interruptCell,
	"shutdown_request":    on((*kernel).shutdown),
}

// on returns a handler that decodes the content of a request.
func on[C any](f func(k *kernel, ctx context.Context, m *message, content *C) (
	any, error)) handler {
	return func(k *kernel, ctx context.Context, m *message) (any, error) {
		content := new(C)
		if err := json.Unmarshal(m.content, content); err != nil {
			return nil, err
		}
		return f(k, ctx, m, content)
	}
}

func fixed(reply map[string]any) handler {
	reply["status"] = "ok"
	return func(*kernel, context.Context, *message) (any, error) { return reply, nil }
}

// answer answers a request. It publishes that the kernel is busy before, and idle afterwards. A
// panic in a handler becomes an error reply.
func (k *kernel) answer(ctx context.Context, socket zmq4.Socket, m *message) {
	f := handlers[m.header.Type]
	if f == nil {
		if !strings.HasPrefix(m.header.Type, "comm_") {
			k.log.Printf("there is no answer to %q", m.header.Type)
		}
		return
	}
	k.publish("status", map[string]string{"execution_state": "busy"}, m)
	defer k.publish("status", map[string]string{"execution_state": "idle"}, m)
	reply, err := k.try(ctx, f, m)
	if err != nil {
		reply = failure("Error", err.Error(), err.Error())
	}
	k.send(socket, strings.TrimSuffix(m.header.Type, "_request")+"_reply", reply, m, m.peers)
	if m.header.Type == "shutdown_request" {
		k.quit()
	}
}

func (k *kernel) try(ctx context.Context, f handler, m *message) (reply any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a bug in Fluxion, in %s: %v", m.header.Type, r)
			k.log.Print(err)
		}
	}()
	return f(k, ctx, m)
}

// publish sends every frontend a message about a request.
func (k *kernel) publish(kind string, content any, about *message) {
	k.send(k.iopub, kind, content, about, [][]byte{[]byte(kind)})
}

func (k *kernel) send(socket zmq4.Socket, kind string, content any, about *message,
	route [][]byte) {
	out, err := k.encode(kind, content, about, route)
	if err == nil {
		k.sending.Lock()
		err = socket.SendMulti(out)
		k.sending.Unlock()
	}
	if err != nil {
		k.log.Print(err)
	}
}

func (k *kernel) info(context.Context, *message) (any, error) {
	return map[string]any{
		"status": "ok", "protocol_version": protocolVersion,
		"implementation": "fluxion", "implementation_version": k.opts.Version,
		"banner": "Fluxion: a language in which every program has derivatives. %help lists what " +
			"cells can do.",
		"language_info": map[string]any{
			"name": "fluxion", "version": k.opts.Version,
			"mimetype": "text/x-fluxion", "file_extension": ".flx",
			"pygments_lexer": "haskell", "codemirror_mode": "haskell",
		},
	}, nil
}

func (k *kernel) interruptCell(context.Context, *message) (any, error) {
	k.stopCell()
	return map[string]string{"status": "ok"}, nil
}

func (k *kernel) shutdown(_ context.Context, _ *message, c *struct {
	Restart bool `json:"restart"`
}) (any, error) {
	k.stopCell()
	return map[string]any{"status": "ok", "restart": c.Restart}, nil
}
