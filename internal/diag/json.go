package diag

import "encoding/json"

// jsonPlace is the JSON form of a place, for other programs. Lines and columns are 1-based and
// count characters. The end is the first character after the span.
type jsonPlace struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
}

type jsonRelated struct {
	jsonPlace
	Message string `json:"message"`
}

type jsonDiagnostic struct {
	Code     Code   `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	jsonPlace
	Label   string        `json:"label,omitempty"`
	Related []jsonRelated `json:"related,omitempty"`
	Hints   []string      `json:"hints,omitempty"`
}

func placeOf(s Span) jsonPlace {
	if !s.Known() {
		return jsonPlace{}
	}
	p := jsonPlace{File: s.File.Name}
	p.Line, p.Column = s.File.Position(s.Start)
	p.EndLine, p.EndColumn = s.File.Position(s.End)
	return p
}

// MarshalJSON returns code, severity, message, file, line, column, endLine,
// endColumn, label, related and hints.
func (d *Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Code: d.Code, Severity: d.Severity.String(), Message: d.Message,
		jsonPlace: placeOf(d.Span), Label: d.Label, Hints: d.Hints,
	}
	for _, r := range d.Related {
		j.Related = append(j.Related, jsonRelated{placeOf(r.Span), r.Message})
	}
	return json.Marshal(j)
}
