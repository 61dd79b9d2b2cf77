package driver

import (
	"fmt"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// hostKey is the key of the module with the functions that the host gives to programs.
const hostKey = libraryPrefix + "<host>"

// AddHost adds functions of the host, which are rows made by prim.Host, to programs that are
// loaded later. A program sees each row as a function of reals with the row's name.
func (w *World) AddHost(rows []*prim.Prim) *diag.Diagnostic {
	var text strings.Builder
	text.WriteString("import builtin\n")
	w.rows = map[string]*prim.Prim{}
	for _, row := range rows {
		if w.rows[row.Name] != nil || prim.Lookup(row.Name) != nil {
			return diag.Errorf(diag.DuplicateDefinition, diag.Span{},
				"there is a primitive `%s` already", row.Name)
		}
		w.rows[row.Name] = row
		reals := row.Params[len(row.Params)/2:]
		orders := strings.Repeat(" 0", len(reals))
		for line := range strings.Lines(row.Doc) {
			fmt.Fprintf(&text, "--| %s\n", strings.TrimSpace(line))
		}
		fmt.Fprintf(&text, "let %s (%s : Real) : Real = builtin.%s%s %s\n", row.Name,
			strings.Join(reals, " "), row.Name,
			orders, strings.Join(reals, " "))
	}
	var list diag.List
	defer w.enter()()
	file := diag.NewFile("<host>", text.String())
	unit := w.load(hostKey, "host", file, "", nil, w.openBelow, &list)
	if list.Failed() {
		return list.Sorted()[0]
	}
	w.host = unit
	return nil
}

// rowsFor returns the primitives that a module may name in addition to those of the table.
func (w *World) rowsFor(key string) map[string]*prim.Prim {
	if key == hostKey {
		return w.rows
	}
	return nil
}
