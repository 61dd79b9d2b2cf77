//go:build js

// Command worker is all of Fluxion for the page that is served as files. It runs in a worker of
// the browser. It defines the JavaScript function `fluxion`, which takes a request as text and a
// function that it calls with each answer.
package main

import (
	"context"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/web/messages"
)

// Limits of a run. A browser gives a page a few gigabytes at most, and kills it beyond that.
const (
	timeout = 60 * time.Second
	memory  = 512 << 20
)

func main() {
	limits := interp.DefaultLimits()
	limits.Memory = memory
	debug.SetMemoryLimit(3 * memory)
	settings := driver.Settings{Limits: limits, Timeout: timeout, Engine: driver.BestEngine()}
	session := messages.New(messages.Options{Settings: settings})
	js.Global().Set("fluxion", js.FuncOf(func(_ js.Value, args []js.Value) any {
		message, answer := args[0].String(), args[1]
		send := func(b []byte) { answer.Invoke(string(b)) }
		go session.Answer(context.Background(), []byte(message), send)
		return nil
	}))
	js.Global().Call("ready")
	select {}
}
