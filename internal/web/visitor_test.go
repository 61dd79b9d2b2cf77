package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// presentations: a value is shown as what it is.
func (v visitor) presentations() {
	v.write("[{name = \"Ada\", born = 1815}, {name = \"Emmy\", born = 1882}]\n")
	v.run()
	v.sees("a table", `(t => t?.querySelectorAll("tbody tr").length === 2 &&
		t.querySelector("thead").innerText.includes("born"))(document.querySelector("#output table"))`)
	v.do(chromedp.Click(`//div[@class="ways"]/button[text()="text"]`))
	v.output("Emmy")

	v.write("[[sin (real i / 3) * cos (real j / 5) for j < 30] for i < 20]\n")
	v.run()
	v.sees("a heat map", `document.querySelector("#output img.pixels")?.naturalWidth === 30`)
	v.point(`document.querySelector("#output img.pixels")`)
	v.sees(
		"the number under the pointer",
		`/^\[10, 15\] /.test(document.querySelector("#output .readout").innerText)`,
	)
	v.shot("heat")
}

// point moves the pointer to the middle of an element.
func (v visitor) point(element string) {
	v.t.Helper()
	var at struct{ X, Y float64 }
	v.do(chromedp.Evaluate(fmt.Sprintf(`(e => {
		e.scrollIntoView({ block: "center" });
		const r = e.getBoundingClientRect();
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
	})(%s)`, element), &at))
	v.do(
		input.DispatchMouseEvent(input.MouseMoved, at.X, at.Y-3),
		input.DispatchMouseEvent(input.MouseMoved, at.X, at.Y),
	)
}

// editing: what stands under the pointer, and the layout of the program.
func (v visitor) editing() {
	v.write("let  area r=3.5*r^2\n\narea   2\n")
	v.sees("no errors", `document.querySelector("#state").innerText === "no errors"`)
	v.do(chromedp.Click("#format"))
	v.sees(
		"the layout",
		`document.querySelector("#editor .cm-content").innerText.startsWith("let area r = 3.5 * r^2\n")`,
	)
	v.pointAtText("area")
	v.sees(
		"the type under the pointer",
		`!!document.querySelector(".cm-tooltip-hover")?.innerText.includes("Real -> Real")`,
	)
	v.shot("hover")
}

// pointAtText moves the pointer to the last line that starts with a word.
func (v visitor) pointAtText(word string) {
	v.t.Helper()
	var at struct{ X, Y float64 }
	v.do(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const line = [...document.querySelectorAll("#editor .cm-line")].findLast(l => l.innerText.startsWith(%q));
		const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
		const range = document.createRange();
		range.setStart(text, 0);
		range.setEnd(text, 1);
		const r = range.getBoundingClientRect();
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
	})()`, word), &at))
	v.do(
		input.DispatchMouseEvent(input.MouseMoved, at.X+40, at.Y),
		input.DispatchMouseEvent(input.MouseMoved, at.X, at.Y),
	)
}

// files: a program and its data are opened, and the program is saved.
func (v visitor) files() {
	folder := v.t.TempDir()
	program := "let rows : []{x : Real, y : Real} = file \"pairs.csv\"\n\nsum [r.x * r.y for r in rows]\n"
	given := []string{filepath.Join(folder, "pairs.csv"), filepath.Join(folder, "product.flx")}
	for i, text := range []string{"x,y\n1,2\n3,4\n", program} {
		if err := os.WriteFile(given[i], []byte(text), 0o644); err != nil {
			v.t.Fatal(err)
		}
	}
	v.do(chromedp.SetUploadFiles("#file-input", given))
	v.sees("the program", `document.querySelector("#file").innerText === "product.flx"`)
	v.sees("no errors", `document.querySelector("#state").innerText === "no errors"`)
	v.do(chromedp.Click("#run"))
	v.output("14")

	saved := filepath.Join(v.t.TempDir(), "product.flx")
	downloads := browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow)
	v.do(downloads.WithDownloadPath(filepath.Dir(saved)), chromedp.Click("#save"))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(saved); err == nil && string(text) == program {
			return
		} else if time.Now().After(deadline) {
			v.t.Fatalf("the saved program is %q: %v", text, err)
		}
	}
}

// examples: one is chosen from the menu, and runs.
func (v visitor) examples() {
	v.do(chromedp.Click("#examples-button"))
	v.sees("the examples", `document.querySelectorAll("#examples-list button").length > 20`)
	v.shot("examples")
	v.do(chromedp.Click(`//ul[@id="examples-list"]//button[b[text()="kinks"]]`))
	v.sees("the example", `document.querySelector("#file").innerText === "kinks.flx"`)
	v.sees(
		"its result",
		`!document.body.classList.contains("busy") && !!document.querySelector("#output .part")`,
	)
}

// keyboard reaches everything without a pointer.
func (v visitor) keyboard(address string) {
	v.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	v.sees("the page", `document.body.dataset.ready === "true"`)
	press := func(key string, modifiers ...input.Modifier) {
		v.t.Helper()
		v.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
	}
	press(kb.Tab)
	v.sees("the way to the program", `document.activeElement.className === "skip"`)
	press(kb.Enter)
	press(kb.Tab)
	var reached []string
	for range 40 {
		var id string
		v.do(
			chromedp.Evaluate(
				`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`,
				&id,
			),
		)
		reached = append(reached, id)
		press(kb.Escape) // so that Tab leaves the editor
		press(kb.Tab)
	}
	for _, id := range []string{"cm-content", "run", "mode", "format", "examples-button", "open", "save", "share", "theme"} {
		if !strings.Contains(strings.Join(reached, " "), id) {
			v.t.Errorf("keys do not reach %s, only %q", id, reached)
		}
	}
	for i, view := range []string{"program", "lab", "learn"} {
		press(fmt.Sprint(i+1), input.ModifierAlt)
		v.sees(view, fmt.Sprintf(`!document.querySelector("#view-%s").hidden`, view))
	}
	press("1", input.ModifierAlt)
	v.do(chromedp.Focus("#examples-button"))
	press(kb.Enter)
	v.sees(
		"the examples",
		`document.querySelector("#examples").open && document.querySelectorAll("#examples-list button").length > 20`,
	)
	press(kb.Tab)
	v.sees("one of them", `document.activeElement.closest("#examples") !== null`)
	press(kb.Escape)
	v.sees("the page again", `!document.querySelector("#examples").open`)
}
