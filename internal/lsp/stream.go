package lsp

import (
	"context"
	"errors"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// stream reads messages and passes over what is not one: headers that are not headers, bodies that
// are not JSON or not requests. The connection, which would end there, does not see them.
type stream struct {
	jsonrpc2.Stream
	frames interface { // the same, below the messages
		ReadFrame(ctx context.Context) ([]byte, int64, error)
	}
	passed func(error) // told what was passed over
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

// Read returns the next message that is one.
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
