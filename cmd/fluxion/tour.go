package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/tour"
)

func tourCommand() *command {
	return &command{
		name:    "tour",
		args:    "[PAPER…]",
		summary: "run the examples and claims of the papers, beside what the papers say",
		help: `Runs every example program and checks every claim of the papers that this language
builds on. It prints each result beside what the paper says: values of expressions, gradients by
every published algorithm with the operations that each executed, and tables of what the
algorithms cost on programs that grow.

PAPER is one of A–P, λS, Curry and Delta. Without PAPER, all of them run. The exit status is 1
if a result differs from the paper and the paper is not known to be wrong there.`,
		run: func(ctx context.Context, c *call) int {
			papers, err := choosePapers(c.args)
			if err != nil {
				return c.usage(err)
			}
			ctx, stop := driver.Interruptible(ctx)
			defer stop()
			g := &guide{call: c, ctx: ctx,
				settings: driver.Settings{Limits: interp.DefaultLimits()}}
			g.settings.Timeout = 10 * time.Second
			if c.json {
				c.printJSON(g.json(papers))
			} else {
				g.show(papers)
			}
			if g.list.Failed() {
				return c.report(&g.list)
			}
			if g.differs > 0 {
				return exitFailed
			}
			return exitOK
		},
	}
}

// guide runs the tour and counts which claims hold.
type guide struct {
	*call
	ctx      context.Context
	settings driver.Settings
	list     diag.List
	source   string // the source of the last stop that was shown

	holds   int // stops that agree with the paper
	wrong   int // stops where the paper is wrong, and the stop shows it
	differs int // stops that are neither
}

func paperNames() string {
	var names []string
	for _, p := range tour.Papers() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// typed returns a name as people type it: "a-p" for "A–P", "lambdas" for "λS".
func typed(name string) string {
	return strings.ToLower(strings.NewReplacer("–", "-", "λ", "lambda", "Λ", "lambda").Replace(
		name))
}

func choosePapers(names []string) ([]tour.Paper, error) {
	if len(names) == 0 {
		return tour.Papers(), nil
	}
	var chosen []tour.Paper
	for _, name := range names {
		found := false
		for _, p := range tour.Papers() {
			if typed(p.Name) == typed(name) {
				chosen, found = append(chosen, p), true
			}
		}
		if !found {
			return nil, errors.New("there is no paper `" + name + "` on the tour; there are " +
				paperNames())
		}
	}
	return chosen, nil
}

func (g *guide) visit(s tour.Stop) tour.Visit {
	v := s.Visit(g.ctx, g.settings, &g.list)
	switch {
	case !v.Holds:
		g.differs++
	case s.Wrong != "":
		g.wrong++
	default:
		g.holds++
	}
	return v
}

func (g *guide) show(papers []tour.Paper) {
	for _, p := range papers {
		fmt.Fprintf(g.out, "━━ %s: %s ━━\n\n", p.Name, p.Title)
		for _, s := range p.Stops {
			if g.ctx.Err() != nil {
				return
			}
			g.showStop(p, s)
		}
	}
	if g.differs > 0 {
		fmt.Fprintf(g.out, "%d of %d stops are NOT as expected\n", g.differs,
			g.holds+g.wrong+g.differs)
		return
	}
	fmt.Fprintf(g.out, "all %d stops are as expected", g.holds+g.wrong)
	if g.wrong > 0 {
		fmt.Fprintf(g.out, "; at %d of them the paper is wrong", g.wrong)
	}
	fmt.Fprintln(g.out)
}

func (g *guide) showStop(p tour.Paper, s tour.Stop) {
	fmt.Fprintf(g.out, "%s (%s %s)\n", s.Title, p.Name, s.Where)
	fmt.Fprintf(g.out, "%s\n", indent(wrap(s.Says, 96)))
	if s.Wrong != "" {
		fmt.Fprintf(g.out, "%s\n", indent(wrap("The paper is wrong here: "+s.Wrong+".", 96)))
	}
	switch {
	case s.Source != "" && s.Source == g.source:
		fmt.Fprintln(g.out, indent("(the program above)"))
	case s.Source != "":
		fmt.Fprintln(g.out, indent(s.Source))
	}
	g.source = s.Source
	v := g.visit(s)
	for i, ask := range s.Asks {
		prompt := ">"
		if ask.Eps != "" {
			prompt = "eps=" + ask.Eps + ">"
		}
		fmt.Fprintf(g.out, "  %s %s\n  %s%s\n", prompt, ask.Expr, v.Answers[i],
			beside(ask, v.Answers[i], v.Agree[i]))
	}
	if len(s.Asks) > 0 {
		fmt.Fprintln(g.out)
	}
	if s.Diff != nil {
		cotangent := ""
		if s.Diff.Cotangent != "" {
			cotangent = " with the cotangent " + s.Diff.Cotangent
		}
		fmt.Fprintf(g.out, "  the gradient of %s at %s%s", s.Diff.Fun, s.Diff.At, cotangent)
		if s.Diff.Want != "" {
			fmt.Fprintf(g.out, " is to be %s", s.Diff.Want)
		}
		fmt.Fprintln(g.out)
		var table strings.Builder
		lab.ShowTable(&table, v.Outcomes)
		fmt.Fprintln(g.out, indent(table.String()))
		for _, part := range s.Diff.Explain {
			fmt.Fprintf(g.out, "  --explain shows\n%s\n", indent(indent(part)))
		}
	}
	if s.Grow != nil {
		g.showGrowth(s.Grow, v.Counts)
	}
	if !v.Holds {
		fmt.Fprint(g.out, "  this is NOT as expected\n\n")
	}
}

// beside returns the note after our answer: what was expected, and whether the answer agrees.
func beside(a tour.Ask, answer string, agree bool) string {
	switch {
	case !agree:
		return "   ✗ expected: " + a.Want
	case answer == a.Want || strings.HasPrefix(answer, a.Want+": "):
		return "   ✓"
	}
	return "   ✓ expected: " + a.Want
}

func (g *guide) showGrowth(growth *tour.Growth, counts [][]int64) {
	what := "operations, forward and backward"
	if growth.Memory {
		what = "cells of memory: constructors of the Delta, and entries of its map"
	}
	fmt.Fprintf(g.out, "  %s:\n", what)
	table := tabwriter.NewWriter(g.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  n\t%s\n", strings.Join(growth.Strategies, "\t"))
	for i, n := range growth.Sizes {
		fmt.Fprintf(table, "  %d", n)
		for _, ops := range counts[i] {
			if ops < 0 {
				fmt.Fprint(table, "\tover a million")
			} else {
				fmt.Fprintf(table, "\t%d", ops)
			}
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintln(g.out)
}

func (g *guide) json(papers []tour.Paper) any {
	var all []any
	for _, p := range papers {
		var stops []any
		for _, s := range p.Stops {
			v := g.visit(s)
			stop := map[string]any{"title": s.Title, "where": s.Where, "says": s.Says,
				"source": s.Source, "holds": v.Holds}
			if s.Wrong != "" {
				stop["wrong"] = s.Wrong
			}
			var answers []any
			for i, ask := range s.Asks {
				answers = append(answers, map[string]any{"expression": ask.Expr, "eps": ask.Eps,
					"answer": v.Answers[i], "expected": ask.Want, "agree": v.Agree[i]})
			}
			if answers != nil {
				stop["answers"] = answers
			}
			if s.Diff != nil {
				stop["gradients"] = outcomesJSON(v.Outcomes)
			}
			if s.Grow != nil {
				rows := map[string][]int64{}
				for i, n := range s.Grow.Sizes {
					rows[strconv.Itoa(n)] = v.Counts[i]
				}
				what := "operations"
				if s.Grow.Memory {
					what = "cells"
				}
				stop["strategies"], stop[what] = s.Grow.Strategies, rows
			}
			stops = append(stops, stop)
		}
		all = append(all, map[string]any{"paper": p.Name, "title": p.Title, "stops": stops})
	}
	return map[string]any{"papers": all, "hold": g.holds, "wrong": g.wrong, "differ": g.differs}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// wrap breaks a text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
