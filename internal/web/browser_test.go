package web_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/web"
	"github.com/fluxion-lang/fluxion/internal/web/messages"
)

// required names a variable that asks for every test of the page. The CI script sets it, and
// installs a browser. Without it, tests skip what is missing, and the page that runs Fluxion in the
// browser: compiling that takes two minutes of a processor.
const required = "FLUXION_BROWSER_TESTS"

// maxSent is how many bytes the first visit to the page may fetch.
const maxSent = 6_000_000

// noContext is what the browser answers if the page in which it was to evaluate something is gone.
const noContext = -32000

// shots, if it is set, is a folder for pictures of the page, for people to look at.
var shots = os.Getenv("FLUXION_SHOTS")

// chromium starts Chromium, or skips the test where there is none.
func chromium(t *testing.T) context.Context {
	t.Helper()
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	if found == "" {
		if os.Getenv(required) != "" {
			t.Fatal("there is no browser, and " + required + " asks for one")
		}
		t.Skip("there is no browser (chromium) to test the page in")
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(found),
		chromedp.NoSandbox,
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-dev-shm-usage", true),
	)
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page has thrown: %s", thrown.ExceptionDetails.Error())
		}
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// visitor drives the page as a person would: by keys, clicks and what it reads.
type visitor struct {
	t   *testing.T
	ctx context.Context
}

func (v visitor) do(actions ...chromedp.Action) {
	v.t.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.shot("failed")
		v.t.Fatal(err)
	}
}

// sees waits until an expression of JavaScript is true.
func (v visitor) sees(what, expression string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, time.Minute)
	defer cancel()
	poll := func() error {
		interval, forever := chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0)
		return chromedp.Run(ctx, chromedp.Poll(expression, nil, interval, forever))
	}
	err := poll()
	for lost := new(cdproto.Error); errors.As(err, &lost) && lost.Code == noContext; err = poll() {
		time.Sleep(50 * time.Millisecond) // the page that was asked gives way to another one
	}
	if err != nil {
		var page string
		chromedp.Run(v.ctx, chromedp.Evaluate(`document.body.innerText.slice(0, 3000)`, &page))
		v.shot("failed")
		v.t.Fatalf("the visitor does not see %s: %v\n%s", what, err, page)
	}
}

// output returns what the page shows as a result.
func (v visitor) output(part string) {
	v.t.Helper()
	v.sees(
		"the result "+part,
		fmt.Sprintf(`document.querySelector("#output").innerText.includes(%q)`, part),
	)
}

// write replaces the program.
func (v visitor) write(program string) {
	v.t.Helper()
	v.do(
		chromedp.Focus("#editor .cm-content"),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(2)),
		chromedp.KeyEvent(kb.Delete),
		input.InsertText(program),
	)
}

func (v visitor) run() {
	v.t.Helper()
	v.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2)))
}

func (v visitor) shot(name string) {
	if shots == "" {
		return
	}
	var png []byte
	if err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot(&png)); err != nil {
		v.t.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(shots, strings.ReplaceAll(v.t.Name(), "/", "-")+"-"+name+".png"), png, 0o644); err != nil {
		v.t.Log(err)
	}
}

// native serves the page in this process.
func native(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limits := interp.DefaultLimits()
	go web.Serve(
		t.Context(),
		listener,
		web.Options{
			Options: messages.Options{
				Settings: driver.Settings{Limits: limits, Timeout: 20 * time.Second, Engine: driver.BestEngine()},
			},
		},
	)
	return "http://" + listener.Addr().String() + "/"
}

// static exports the page and serves its files, as any server does; stop ends that.
func static(t *testing.T) (address string, stop func()) {
	folder := t.TempDir()
	sent, err := web.Export(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("a visitor fetches %d bytes", sent); sent > maxSent {
		t.Errorf("a visitor fetches %d bytes, more than %d: see export.go", sent, maxSent)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder))}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String() + "/", func() { server.Close() }
}

// TestPage: a visitor types, runs, sees a figure, breaks the program, mends it, stops one that does
// not end, and shares it, with Fluxion behind the page and inside of it.
func TestPage(t *testing.T) {
	ctx := chromium(t)
	for _, transport := range []string{"native", "wasm"} {
		t.Run(transport, func(t *testing.T) {
			stop := func() {}
			var address string
			if transport == "native" {
				address = native(t)
			} else if os.Getenv(required) == "" {
				t.Skip(required + " is not set, and compiling Fluxion for the browser takes long")
			} else {
				address, stop = static(t)
			}
			tab, cancel := chromedp.NewContext(ctx)
			defer cancel()
			tab, cancel = context.WithTimeout(tab, 5*time.Minute)
			defer cancel()
			chromedp.ListenTarget(tab, func(event any) {
				if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
					t.Errorf("the page has thrown: %s", thrown.ExceptionDetails.Error())
				}
			})
			v := visitor{t, tab}
			v.visit(address)
			if transport == "wasm" {
				v.offline(address, stop)
			} else {
				v.presentations()
				v.editing()
				v.files()
				v.examples()
				v.keyboard(address)
				v.phone(address)
			}
		})
	}
}

func (v visitor) visit(address string) {
	v.do(chromedp.Navigate(address))
	v.sees("the first result", `document.body.dataset.ready === "true"`)
	v.sees(
		"a figure with two curves",
		`document.querySelectorAll("#output .plot svg path").length === 2`,
	)
	v.shot("welcome")

	// Values under the pointer.
	v.do(chromedp.Focus("#output .plot svg"), chromedp.KeyEvent(kb.ArrowRight))
	v.sees(
		"the values of both curves",
		`document.querySelector(".readout").innerText.includes("its derivative")`,
	)

	// An error while typing, and its mending.
	v.write("let f (x : Real) : Real = squrt (1 + x^2)\n\nderiv f 2\n")
	v.sees(
		"the error",
		`document.querySelector("#state").innerText === "1 error" && !!document.querySelector(".cm-lintRange-error")`,
	)
	v.run()
	v.output("squrt")
	v.do(chromedp.Click("#output .fix"))
	v.sees("no errors", `document.querySelector("#state").innerText === "no errors"`)
	v.output("0.8944271909999159")

	// Exactly, with digits that grow.
	v.do(chromedp.SetValue("#mode", "30"), chromedp.Click("#run"))
	v.output("29 certain digits")
	v.do(chromedp.SetValue("#mode", "0"))

	// Completion, from the library.
	v.do(
		chromedp.Focus("#editor .cm-content"),
		chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(2)),
		chromedp.KeyEvent("sqr"),
	)
	v.sees("a completion", `!!document.querySelector(".cm-tooltip-autocomplete li")`)
	v.do(chromedp.KeyEvent(kb.Escape))

	// A function with its derivatives, its kink and its range.
	v.write("let g (x : Real) : Real = max (sin x) 0.3\n\ng 1\n")
	v.sees("the function", `document.querySelector("#functions").innerText.includes("g graph")`)
	v.do(chromedp.Click("#functions button"))
	v.sees(
		"its graph with a kink",
		`[...document.querySelectorAll("#graphs .legend li")].some(l => l.innerText === "kink")`,
	)
	v.do(chromedp.Click(".graph input[type=checkbox]"))
	v.sees(
		"the certified range",
		`[...document.querySelectorAll("#graphs .legend li")].some(l => l.innerText === "certified range")`,
	)
	v.shot("graph")

	// What does not end is stopped, by its limits or by the reader, and the page stays alive.
	v.write("let rec forever (n : Int) : Int = forever (mod (n + 1) 7)\n\nforever 0\n")
	v.run()
	v.sees("the stop button", `document.body.classList.contains("busy")`)
	v.do(chromedp.Sleep(300*time.Millisecond), chromedp.Click("#stop"))
	v.output("Stopped.")
	const ended = `!document.body.classList.contains("busy") && !!document.querySelector("#output .finding")`
	v.write("let rec deep (n : Int) : Int = 1 + deep (n + 1)\n\ndeep 0\n")
	v.run()
	v.sees("an end of it", ended)
	v.write("let rec grow (xs : []Real) : []Real = grow (concat xs xs)\n\ngrow [1, 2]\n")
	v.run()
	v.sees("an end of it", ended)

	// The laboratory.
	v.write("let f (x y : Real) : Real = sin (x * y) + x\n\nf 1 2\n")
	v.sees("the function", `document.querySelector("#functions").innerText === "f algorithms"`)
	v.do(chromedp.Click(`[data-view="lab"]`))
	v.sees(
		"every algorithm",
		`document.querySelectorAll("#view-lab tbody tr").length >= 9 && document.querySelectorAll(".panel").length >= 9`,
	)
	v.sees("that they agree", `document.querySelector(".verdict").innerText.startsWith("All ")`)
	v.do(chromedp.Focus(".panels"), chromedp.KeyEvent(kb.ArrowLeft))
	v.sees(
		"a step",
		`document.querySelector(".stepper output").innerText.startsWith("step ") && !!document.querySelector(".line.later, .adjoint.later, .line.now")`,
	)
	v.shot("laboratory")

	// The tour: a block is run, and the page remembers it.
	v.do(chromedp.Click(`[data-view="learn"]`))
	v.sees("the tour", `document.querySelectorAll(".block").length > 30`)
	v.do(chromedp.Click(".block .primary"))
	v.sees(
		"the value of the first block",
		`document.querySelector(".block .out").innerText.includes("0.8333333333333333")`,
	)
	v.sees(
		"the progress",
		`document.querySelector(".chapters small").innerText.startsWith("1 of ")`,
	)
	v.shot("tour")

	// Shared by its address, in another tab.
	v.do(chromedp.Click(`[data-view="program"]`))
	v.write("6 * 7\n")
	v.do(chromedp.Click("#share"))
	v.sees("an address", `location.hash.startsWith("#p=")`)
	var shared string
	v.do(chromedp.Location(&shared))
	v.do(chromedp.Navigate("about:blank"), chromedp.Navigate(shared))
	v.output("42")
}

// phone looks at the page on a phone, in dark colours: nothing is wider than the screen.
func (v visitor) phone(address string) {
	dark := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
	v.do(
		emulation.SetEmulatedMedia().WithFeatures(dark),
		chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
		chromedp.Evaluate(
			// The page that is left must not save its program after that.
			`Storage.prototype.setItem = () => {}; localStorage.clear()`,
			nil,
		),
		chromedp.Navigate("about:blank"),
		chromedp.Navigate(address),
	)
	v.sees(
		"the figure",
		`document.body.dataset.ready === "true" && !!document.querySelector("#output .plot svg path")`,
	)
	for _, view := range []string{"lab", "learn", "program"} {
		v.do(chromedp.Click(`[data-view="` + view + `"]`))
		v.sees(
			"something",
			map[string]string{"lab": `!!document.querySelector(".panel")`, "learn": `!!document.querySelector(".block .cm-editor")`, "program": `true`}[view],
		)
		v.sees(
			view+" within the width of the screen",
			`document.documentElement.scrollWidth <= 390`,
		)
		v.shot("phone-" + view)
	}
}

// offline reloads the page without its server and without a network.
func (v visitor) offline(address string, stop func()) {
	v.sees("that the page is kept", `document.body.dataset.offline === "true"`)
	stop()
	v.do(
		network.EmulateNetworkConditions(true, 0, -1, -1),
		chromedp.Navigate("about:blank"),
		chromedp.Navigate(address),
	)
	v.sees(
		"the result without a network",
		`document.body.dataset.ready === "true" && document.querySelector("#output").innerText.includes("42")`,
	)
	var first string
	v.do(chromedp.Evaluate(`document.body.dataset.first`, &first))
	v.t.Logf("a warm load shows its first result after %s ms", first)
}
