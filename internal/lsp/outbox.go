package lsp

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxUnsent bounds the bytes that wait for a client that does not read.
const maxUnsent = 64 << 20

var errUnread = errors.New("the client reads no answers")

// outbox makes writes to a client return at once. Without it, a server that reads only after its
// write has finished would wait for ever for a client that does the same.
type outbox struct {
	io.ReadWriteCloser
	mu     sync.Mutex
	filled sync.Cond
	unsent []byte
	err    error // the error of the last write, or of a closed stream
}

func newOutbox(conn io.ReadWriteCloser) *outbox {
	o := &outbox{ReadWriteCloser: conn}
	o.filled.L = &o.mu
	go o.send()
	return o
}

func (o *outbox) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(o.unsent)+len(p) > maxUnsent {
		o.err = errUnread
	}
	if o.err != nil {
		return 0, o.err
	}
	o.unsent = append(o.unsent, p...)
	o.filled.Signal()
	return len(p), nil
}

// send writes until the stream is closed or fails.
func (o *outbox) send() {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			o.err = fmt.Errorf("a bug in Fluxion, while it sent answers: %v", r)
		}
	}()
	for {
		for len(o.unsent) == 0 && o.err == nil {
			o.filled.Wait()
		}
		if len(o.unsent) == 0 {
			return
		}
		sending := o.unsent
		o.unsent = nil
		if err := o.write(sending); err != nil {
			o.err = err
			return
		}
	}
}

// write writes to the stream, unlocked.
func (o *outbox) write(p []byte) error {
	o.mu.Unlock()
	defer o.mu.Lock()
	_, err := o.ReadWriteCloser.Write(p)
	return err
}

// Close closes the stream and drops the unsent bytes.
func (o *outbox) Close() error {
	o.mu.Lock()
	if o.err == nil {
		o.err = io.ErrClosedPipe
	}
	o.filled.Signal()
	o.mu.Unlock()
	return o.ReadWriteCloser.Close()
}
