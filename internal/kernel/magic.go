package kernel

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/service"
)

// A magic is a line of a cell that starts with a percent sign.
type magic struct {
	name, argument, help string
	run                  func(c *cell, argument string)
}

// magics returns the list of magics. It is a function rather than a variable because %help reads
// it.
func magics() []magic {
	return []magic{
		{"exact", "[DIGITS]",
			"evaluate exactly from here on, with so many digits after the point; " +
				"`%%exact` in this cell alone", (*cell).exactly},
		{"float", "", "evaluate in doubles again", func(c *cell, _ string) { c.session.Eps = nil }},
		{"time", "[EXPR]",
			"evaluate an expression, or the rest of the cell, and say how long it took", nil},
		{"explain", "HOW NAME [VALUE]",
			"what a strategy of `fluxion diff` makes of a function at a point, " +
				"or `all` of them side by side", (*cell).explain},
		{"tex", "NAME", "a definition as a formula", (*cell).tex},
		{"plot", "FUNCTION FROM TO", "draw a function of a real", (*cell).plot},
		{"type", "EXPR", "the type of an expression", (*cell).typeOf},
		{"doc", "NAME", "documentation of a name, a module or an error code", (*cell).doc},
		{"load", "FILE", "see the definitions of a file", (*cell).load},
		{"help", "", "this list", (*cell).help},
	}
}

// isMagic reports whether a line of a cell is a magic. In a program no line starts with a percent
// sign.
func isMagic(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "%") }

// plain returns a cell with its magics replaced by blanks, so that places stay the same.
func plain(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		if isMagic(line) {
			lines[i] = strings.Repeat(" ", len(line))
		}
	}
	return strings.Join(lines, "\n")
}

// run evaluates a cell: its magics, and the program between them.
func (c *cell) run(code string) {
	lines := strings.Split(code, "\n")
	for len(lines) > 0 && c.failed == nil {
		if isMagic(lines[0]) {
			line := lines[0]
			lines = lines[1:]
			if c.line(strings.TrimSpace(line), &lines) {
				return
			}
			continue
		}
		end := 0
		for end < len(lines) && !isMagic(lines[end]) {
			end++
		}
		c.submit(strings.Join(lines[:end], "\n"))
		lines = lines[end:]
	}
}

func (c *cell) submit(text string) {
	if strings.TrimSpace(text) != "" {
		c.show(c.session.Submit(c.ctx, text))
	}
}

// line runs a magic. It reports whether the magic has also run the rest of the cell.
func (c *cell) line(line string, rest *[]string) (whole bool) {
	name, argument, _ := strings.Cut(strings.TrimLeft(line, "%"), " ")
	argument = strings.TrimSpace(argument)
	for _, m := range magics() {
		if m.name != name {
			continue
		}
		if argument == "" && m.argument != "" && m.argument[0] != '[' {
			c.report(&diag.List{}, fmt.Errorf("`%%%s` needs an argument: %%%s %s", name, name,
				m.argument))
			return true
		}
		switch {
		case name == "time":
			return c.time(argument, *rest)
		case strings.HasPrefix(line, "%%") && name == "exact":
			eps := c.session.Eps
			defer func() { c.session.Eps = eps }()
			if m.run(c, argument); c.failed == nil {
				c.run(strings.Join(*rest, "\n"))
			}
			return true
		}
		m.run(c, argument)
		return false
	}
	c.report(&diag.List{}, fmt.Errorf("there is no `%%%s`; `%%help` lists what there is", name))
	return true
}

// time times the evaluation of an expression, or of the rest of the cell if there is none.
func (c *cell) time(expr string, rest []string) (whole bool) {
	start := time.Now()
	if expr != "" {
		c.submit(expr)
	} else {
		c.run(strings.Join(rest, "\n"))
	}
	if c.failed == nil {
		c.print("stdout", fmt.Sprintf("took %v\n", time.Since(start).Round(10*time.Microsecond)))
	}
	return expr == ""
}

func (c *cell) exactly(digits string) {
	if digits == "" {
		digits = "10"
	}
	eps, err := driver.ParseDigits(digits)
	if err != nil {
		c.report(&diag.List{}, err)
		return
	}
	c.session.Eps = eps
}

func (c *cell) explain(argument string) {
	how, rest, _ := strings.Cut(argument, " ")
	fun, at, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if fun == "" {
		err := fmt.Errorf("give a function, as in `%%explain %s f` or `%%explain %[1]s f 2`", how)
		c.report(&diag.List{}, err)
		return
	}
	var found diag.List
	text, err := c.session.Explain(c.ctx, how, fun, strings.TrimSpace(at), &found)
	c.print("stdout", text)
	c.report(&found, err)
}

func (c *cell) tex(name string) {
	formula, err := c.session.Formula(name)
	if err != nil {
		c.report(&diag.List{}, err)
		return
	}
	shown := bundle{"text/latex": "$\\displaystyle " + formula + "$", "text/plain": formula}
	c.output("display_data", shown, nil)
}

func (c *cell) plot(arguments string) {
	var found diag.List
	figure, err := c.session.Plot(c.ctx, arguments, &found)
	if figure != nil {
		var data bundle
		if data, err = presentFigure(figure); err == nil {
			c.output("display_data", data, nil)
		}
	}
	c.report(&found, err)
}

func presentFigure(figure *plot.Figure) (bundle, error) {
	var text bytes.Buffer
	if err := figure.Text(&text); err != nil {
		return nil, err
	}
	return present(service.Part{Figure: figure, Text: text.String()})
}

func (c *cell) typeOf(expr string) {
	var found diag.List
	ty, defined := c.session.TypeOf(c.ctx, expr, &found)
	for _, entry := range defined {
		c.print("stdout", entry.Summary()+"\n")
	}
	if ty != "" {
		c.print("stdout", ty+"\n")
	}
	c.report(&found, nil)
}

func (c *cell) doc(name string) {
	text, ok := c.session.Describe(name)
	if !ok {
		c.fail("Error", strings.TrimSpace(text), text)
		return
	}
	c.print("stdout", text)
}

func (c *cell) load(path string) {
	var found diag.List
	for _, entry := range c.session.LoadFile(c.ctx, strings.Trim(path, `"`), &found) {
		c.print("stdout", entry.Summary()+"\n")
	}
	c.report(&found, nil)
}

func (c *cell) help(string) {
	var b strings.Builder
	for _, m := range magics() {
		fmt.Fprintf(&b, "%%%-24s %s\n", m.name+" "+m.argument, m.help)
	}
	b.WriteString("Anything else is definitions to keep and an expression to evaluate.\n")
	c.print("stdout", b.String())
}
