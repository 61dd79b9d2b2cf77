package data

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Input is a file to read.
type Input struct {
	Name   string // as messages call it; the extension gives the format
	Reader io.Reader
	Size   int64 // in bytes, or 0 if unknown
	Sniff  bool  // whether the first bytes, rather than Name, give the format
}

// source is a buffered stream that knows its position. The bytes between tok and pos are the
// token being read, and stay in the buffer.
type source struct {
	name   string
	format Format
	binary bool // whether lines and columns are meaningless

	r       io.Reader // the decompressed stream
	raw     io.Reader // the stream as the file has it
	at      io.ReaderAt
	size    int64    // of the file, or 0
	counter *counter // counts the bytes that came from the file
	closers []func()

	buf           []byte
	tok, pos, end int
	dropped       int64 // bytes before the first one in the buffer
	line          int   // the line of pos, from 1
	lineAt        int   // where that line starts; negative if it is no longer in the buffer
	tokLine       int   // the line of tok
	tokBack       int   // how many bytes before tok its line starts
	err           error // why there is no more; io.EOF at the end
}

// counter counts the bytes that it reads, and stops when told to.
type counter struct {
	r    io.Reader
	n    int64
	stop func() *diag.Diagnostic // nil to never stop
}

// errStopped ends a read that was told to stop.
var errStopped = errors.New("stopped")

func (c *counter) Read(p []byte) (int, error) {
	if c.stop != nil && c.stop() != nil {
		return 0, errStopped
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// errBomb ends the reading of compressed data that grows too much.
var errBomb = errors.New("too much")

// bounded reads decompressed data within limits.
type bounded struct {
	r    io.Reader
	from *counter
	n    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	if b.n > freeSize && b.n > maxRatio*b.from.n {
		return 0, errBomb
	}
	return n, err
}

// The initial size of the buffer, which grows with use.
const (
	firstChunk = 4 << 10
	chunk      = 256 << 10
)

// open prepares an input for reading: it determines the format and decompresses.
func open(in Input) (*source, *diag.Diagnostic) {
	s := &source{name: in.Name, size: in.Size, line: 1, raw: in.Reader}
	s.counter = &counter{r: in.Reader}
	s.r = s.counter
	s.begin()
	format, compression := split(in.Name)
	if in.Sniff {
		format, compression = unknownFormat, ""
		switch {
		case bytes.HasPrefix(s.peek(2), []byte{0x1f, 0x8b}):
			compression = ".gz"
		case bytes.HasPrefix(s.peek(4), []byte{0x28, 0xb5, 0x2f, 0xfd}):
			compression = ".zst"
		}
	} else if format == unknownFormat {
		return nil, diag.Errorf(diag.BadData, diag.Span{},
			"the name of `%s` does not say what it contains", in.Name).
			WithHint("data is read from files that end in %s", readable)
	}
	if d := s.decompress(compression); d != nil {
		return nil, d
	}
	if in.Sniff {
		format = sniff(s.peek(512))
	}
	s.format = format
	s.binary = format >= NPY
	if at, ok := in.Reader.(io.ReaderAt); ok && compression == "" && !in.Sniff && in.Size > 0 {
		s.at = at
	}
	if !s.binary && bytes.HasPrefix(s.peek(3), []byte("\uFEFF")) {
		s.pos += 3
		s.lineAt = s.pos
	}
	s.begin()
	return s, nil
}

func (s *source) decompress(by string) *diag.Diagnostic {
	compressed := s.r
	if rest := s.buf[s.pos:s.end]; len(rest) > 0 { // what sniffing has read
		compressed = io.MultiReader(bytes.NewReader(bytes.Clone(rest)), s.r)
	}
	if by == "" {
		return nil
	}
	r, err := decompressor(by, compressed)
	switch {
	case err != nil && reason(err) == damagedFile:
		return s.errorf(diag.BadData, "this is not compressed, as the end `%s` of its name says",
			by).
			WithHint("give the file a name that says what it contains")
	case err != nil:
		return s.broken(err)
	}
	s.closers = append(s.closers, func() { r.Close() })
	s.r = &bounded{r: r, from: s.counter}
	s.buf, s.pos, s.end, s.tok = nil, 0, 0, 0
	return nil
}

func (s *source) close() {
	for _, f := range s.closers {
		f()
	}
}

// sniff guesses a format from the first bytes.
func sniff(head []byte) Format {
	text := bytes.TrimPrefix(head, []byte("\uFEFF"))
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return NPY
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return NPZ
	case bytes.HasPrefix(head, []byte("PAR1")):
		return Parquet
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")),
		bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")):
		return JSON
	case bytes.ContainsRune(line, '\t') && !bytes.ContainsRune(line, ','):
		return TSV
	}
	return CSV
}

// peek returns up to n bytes that come next.
func (s *source) peek(n int) []byte {
	for s.end-s.pos < n && s.more() {
	}
	return s.buf[s.pos:min(s.end, s.pos+n)]
}

// context is how many bytes of the line before a token are kept for messages.
const context = 60

// more reads more input, and reports whether there was any. Indices into the buffer change; those
// in s are updated.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	if drop := s.tok - context; drop > chunk/2 {
		copy(s.buf, s.buf[drop:s.end])
		s.tok, s.pos, s.end, s.lineAt = s.tok-drop, s.pos-drop, s.end-drop, s.lineAt-drop
		s.dropped += int64(drop)
	}
	if room := min(max(len(s.buf), firstChunk), chunk); len(s.buf)-s.end < room/2 {
		s.buf = append(s.buf[:s.end], make([]byte, room)...)
	}
	for range 100 {
		var n int
		n, s.err = s.r.Read(s.buf[s.end:])
		s.end += n
		if n > 0 {
			return true
		}
		if s.err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// begin marks that a token starts at pos.
func (s *source) begin() {
	s.tok, s.tokLine, s.tokBack = s.pos, s.line, s.pos-s.lineAt
}

// newLine records that a line starts at pos.
func (s *source) newLine() {
	s.line++
	s.lineAt = s.pos
}

// failed returns the diagnostic for a stream that broke off, or nil if it ended normally.
func (s *source) failed() *diag.Diagnostic {
	if s.err == nil || s.err == io.EOF {
		return nil
	}
	return s.broken(s.err)
}

// broken returns the diagnostic for a stream that cannot be read.
func (s *source) broken(err error) *diag.Diagnostic {
	if errors.Is(err, errBomb) {
		return s.errorf(
			diag.DataLimit,
			"the compressed data grows to more than %d times its size",
			maxRatio,
		)
	}
	return s.errorf(diag.BadData, "the data breaks off: %s", reason(err)).WithHint(again)
}

// again says what to do about a file that is not as it was written.
const again = "the file is not as it was written: copy or download it again, or write it anew"

// reason says in the user's terms why data cannot be read. The libraries that decompress and decode
// speak of their own insides, so that only what package parquet and the system say is handed on.
func reason(err error) string {
	var told interface{ Told() string }
	var system *fs.PathError
	switch {
	case errors.As(err, &told):
		return told.Told()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends in the middle of the data"
	case errors.As(err, &system):
		return "the system cannot read the file: " + system.Err.Error()
	}
	return damagedFile
}

// damagedFile is the reason of an error that only a library has words for.
const damagedFile = "the file is damaged"

// errorf returns a diagnostic at the token.
func (s *source) errorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(code, s.span(), format, args...)
}

// span returns the place of the token, up to pos.
func (s *source) span() diag.Span { return s.spanTo(s.pos) }

// spanTo returns the place of the token up to an end. It includes only a nearby part of the line.
func (s *source) spanTo(end int) diag.Span {
	if s.binary {
		return diag.Span{File: diag.NewFile(s.name, "")}
	}
	lineAt := s.tok - s.tokBack
	start, column := max(lineAt, s.tok-context, 0), 1
	for start < s.tok && !utf8.RuneStart(s.buf[start]) {
		start++
	}
	if lineAt >= 0 {
		column = utf8.RuneCount(s.buf[lineAt:start]) + 1
	} else {
		column = start - lineAt + 1 // in bytes, because the characters are no longer in the buffer
	}
	stop := min(s.end, end+context)
	if cut := bytes.IndexAny(s.buf[s.tok:stop], "\r\n"); cut >= 0 {
		stop = s.tok + cut
	}
	for stop > end && stop < s.end && !utf8.RuneStart(s.buf[stop]) {
		stop--
	}
	text := strings.ToValidUTF8(string(s.buf[s.tok:stop]), "\uFFFD")
	before := strings.ToValidUTF8(string(s.buf[start:s.tok]), "\uFFFD")
	token := strings.ToValidUTF8(string(s.buf[s.tok:min(max(end, s.tok), stop)]), "\uFFFD")
	return diag.Span{File: diag.NewExcerpt(s.name, before+text, s.tokLine, column),
		Start: int32(len(before)), End: int32(len(before) + len(token))}
}

// rest returns the remaining bytes, at most limit, for formats that need them at once.
func (s *source) rest(limit int64) ([]byte, *diag.Diagnostic) {
	var all bytes.Buffer
	all.Write(s.buf[s.pos:s.end])
	s.pos = s.end
	if s.err != nil {
		return all.Bytes(), s.failed()
	}
	r := s.r
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	if _, err := all.ReadFrom(r); err != nil {
		return nil, s.broken(err)
	}
	if limit > 0 && int64(all.Len()) > limit {
		return nil, s.tooLarge()
	}
	return all.Bytes(), nil
}

func (s *source) tooLarge() *diag.Diagnostic {
	return s.errorf(diag.DataLimit, "the data does not fit into memory").
		WithHint("--memory says how much there is")
}

// progress returns the fraction of the file that has been read, or 0 if that is unknown.
func (s *source) progress() float64 {
	if s.size <= 0 {
		return 0
	}
	left := int64(0)
	if s.r == io.Reader(s.counter) {
		left = int64(s.end - s.tok)
	}
	return float64(s.counter.n-left) / float64(s.size)
}
