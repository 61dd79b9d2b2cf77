package kernel

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-zeromq/zmq4"
)

// protocolVersion is the version of Jupyter's messaging protocol that the kernel speaks.
const protocolVersion = "5.3"

// header identifies a message.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a request of a frontend.
type message struct {
	peers   [][]byte // the route back to the sender
	header  header
	raw     json.RawMessage // the header as it arrived, which answers repeat as their parent
	content json.RawMessage
	arrived time.Time
}

// delimiter ends the route of a message.
var delimiter = []byte("<IDS|MSG>")

// Parts of a message after the delimiter.
const (
	partSignature = iota
	partHeader
	partParent
	partMetadata
	partContent
	parts
)

var (
	errFrames    = errors.New("a message has too few parts")
	errSignature = errors.New("the signature of a message is wrong")
)

// codec encodes and decodes messages signed with a key.
type codec struct {
	key     []byte // empty if messages are not signed
	session string
}

func (c *codec) sign(signed [][]byte) []byte {
	if len(c.key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, c.key)
	for _, part := range signed {
		mac.Write(part)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

// decode decodes a request. It refuses a message that is not signed with the key.
func (c *codec) decode(frames [][]byte) (*message, error) {
	at := 0
	for at < len(frames) && !bytes.Equal(frames[at], delimiter) {
		at++
	}
	body := frames[min(at+1, len(frames)):]
	if len(body) < parts {
		return nil, errFrames
	}
	if !hmac.Equal(body[partSignature], c.sign(body[partHeader:parts])) {
		return nil, errSignature
	}
	m := &message{
		peers: frames[:at], raw: body[partHeader], content: body[partContent], arrived: time.Now(),
	}
	return m, json.Unmarshal(m.raw, &m.header)
}

// encode encodes a message of the given type. It answers the request `to`, or no request if that
// is nil.
func (c *codec) encode(kind string, content any, to *message, route [][]byte) (zmq4.Msg, error) {
	head, err := json.Marshal(header{
		ID: rand.Text(), Session: c.session, Username: "fluxion",
		Date: time.Now().UTC().Format(time.RFC3339Nano), Type: kind, Version: protocolVersion,
	})
	if err != nil {
		return zmq4.Msg{}, err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return zmq4.Msg{}, err
	}
	parent := []byte("{}")
	if to != nil {
		parent = to.raw
	}
	signed := [][]byte{head, parent, []byte("{}"), text}
	frames := append([][]byte{}, route...)
	frames = append(frames, delimiter, c.sign(signed))
	return zmq4.NewMsgFrom(append(frames, signed...)...), nil
}
