package messages

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/fluxion-lang/fluxion/docs"
	"github.com/fluxion-lang/fluxion/examples"
	"github.com/fluxion-lang/fluxion/internal/tour"
)

// example is a program to start from.
type example struct {
	Name  string `json:"name"`
	About string `json:"about"` // the first sentence of its comment
	Text  string `json:"text"`
}

func (s *Session) examples(context.Context, *request, func(any)) (any, error) {
	names, err := fs.Glob(examples.FS, "*.flx")
	if err != nil {
		return nil, err
	}
	list := []example{}
	for _, name := range names {
		text, err := fs.ReadFile(examples.FS, name)
		if err != nil {
			return nil, err
		}
		list = append(list, example{name, about(string(text)), string(text)})
	}
	return list, nil
}

// about returns the first sentence of the comment that a program starts with.
func about(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(line, "--")
		if !ok {
			break
		}
		words = append(words, strings.Fields(strings.TrimPrefix(comment, "|"))...)
	}
	sentence, _, _ := strings.Cut(strings.Join(words, " ")+" ", ". ")
	return strings.TrimSuffix(strings.TrimSpace(sentence), ".")
}

// page returns a document in Markdown: a chapter of the documentation, or the tour of the papers.
func (s *Session) page(_ context.Context, r *request, _ func(any)) (any, error) {
	if text := docs.Page(r.Name); text != "" {
		return text, nil
	}
	if r.Name == "papers" {
		return papersPage(), nil
	}
	return nil, fmt.Errorf("there is no page `%s`", r.Name)
}

// papersPage returns the tour of the papers. Each stop has what the paper says, and blocks to
// run. The words after ```flx are for the page: digits=N asks for an exact run, and diff=FUN for
// the laboratory, at the point that follows.
func papersPage() string {
	var b strings.Builder
	b.WriteString("# The papers, run\n\nEvery example and claim of the papers that this language " +
		"builds on. " +
		"Run a block to compare what comes out with what the paper says.\n")
	for _, p := range tour.Papers() {
		fmt.Fprintf(&b, "\n## %s\n\n*%s*\n", p.Name, p.Title)
		for _, stop := range p.Stops {
			fmt.Fprintf(&b, "\n### %s\n\n%s (%s)\n", stop.Title, stop.Says, stop.Where)
			if stop.Wrong != "" {
				fmt.Fprintf(&b, "\n**The paper is wrong here**: %s.\n", stop.Wrong)
			}
			source := strings.Trim(stop.Source, "\n")
			for _, ask := range stop.Asks {
				exact := ""
				if digits, ok := strings.CutPrefix(ask.Eps, "1e-"); ok {
					exact = " digits=" + digits
				}
				fmt.Fprintf(&b, "\n```flx%s\n%s\n%s -- %s\n```\n", exact, source,
					ask.Expr, ask.Want)
			}
			if d := stop.Diff; d != nil && d.Cotangent == "" {
				fmt.Fprintf(&b, "\n```flx diff=%s %s\n%s\n```\n", d.Fun, d.At, source)
			}
			if g := stop.Grow; g != nil && len(stop.Asks) == 0 && stop.Diff == nil {
				b.WriteString(
					"\nThis stop measures programs that grow: `fluxion tour` shows its table.\n")
			}
		}
	}
	return b.String()
}
