package lsp

import (
	"context"
	"errors"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// stream reads messages and skips what is not a message: malformed headers, and bodies that are
// not JSON or not requests. Otherwise the connection would end there.
type stream struct {
	jsonrpc2.Stream
	frames interface { // the same, below the messages
		ReadFrame(ctx context.Context) ([]byte, int64, error)
	}
	passed func(error) // called with what was skipped
}

func newStream(conn io.ReadWriteCloser, passed func(error)) jsonrpc2.Stream {
	s := jsonrpc2.NewHeaderStream(conn)
	frames, ok := s.(interface {
		ReadFrame(ctx context.Context) ([]byte, int64, error)
	})
	if !ok {
		return s
	}
	return &stream{s, frames, passed}
}

// Read returns the next valid message.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, n, err := s.frames.ReadFrame(ctx)
		if err == nil {
			var m jsonrpc2.Message
			if m, err = jsonrpc2.DecodeMessage(body); err == nil {
				return m, n, nil
			}
		} else if !errors.Is(err, jsonrpc2.ErrInvalidHeader) {
			return nil, 0, err
		}
		s.passed(err)
	}
}
