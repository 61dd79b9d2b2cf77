package kernel

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/picture"
	"github.com/fluxion-lang/fluxion/internal/service"
)

// bundle maps MIME types to presentations of the same thing. A frontend shows the richest.
type bundle map[string]string

// minPicture is the least side of a matrix that is shown as a picture.
const minPicture = 16

// present returns the presentations of a part of a result: text, and what suits it best.
func present(p service.Part) (bundle, error) {
	data := bundle{"text/plain": p.Text}
	var b bytes.Buffer
	switch {
	case p.Figure != nil:
		if _, err := p.Figure.Write(&b, ".svg"); err != nil {
			return nil, err
		}
		data["image/svg+xml"] = b.String()
	case len(p.Picture) >= minPicture && len(p.Picture[0]) >= minPicture:
		if _, _, err := picture.Write(&b, []picture.Matrix{p.Picture}); err != nil {
			return nil, err
		}
		data["image/png"] = base64.StdEncoding.EncodeToString(b.Bytes())
	case p.Math != "":
		data["text/latex"] = "$\\displaystyle " + p.Math + "$"
	case p.Table != nil:
		data["text/html"] = table(p.Table)
	}
	return data, nil
}

// table returns rows as HTML.
func table(t *service.Table) string {
	var b strings.Builder
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for _, c := range cells {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(c), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table>\n<thead>")
	row("th", t.Heads)
	b.WriteString("</thead>\n<tbody>\n")
	for _, r := range t.Rows {
		row("td", r)
	}
	b.WriteString("</tbody>\n</table>")
	if more := t.Total - len(t.Rows); more > 0 {
		fmt.Fprintf(&b, "\n<p>… and %d more rows</p>", more)
	}
	return b.String()
}
