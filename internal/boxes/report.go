package boxes

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/exact"
)

// mostRows bounds the rows of a table, and the places that are listed.
const mostRows = 200

// Write writes the report.
func (r *Result) Write(w io.Writer) {
	switch {
	case r.Question.Optimum():
		r.writeOptimum(w)
	default:
		r.writeRoots(w)
	}
	if !r.Proved {
		r.writeLeft(w)
	}
	fmt.Fprintf(w, "\n%s looked at\n", plural(r.known.Looked, "box was", "boxes were"))
}

// writeRoots writes what roots there are.
func (r *Result) writeRoots(w io.Writer) {
	n := len(r.known.Found)
	switch {
	case n == 0 && r.Proved:
		fmt.Fprintf(w, "`%s` has no root in the box: that is proved\n", r.Function)
		return
	case n == 0:
		fmt.Fprintf(w, "no root of `%s` is proved yet\n", r.Function)
		return
	case r.Proved && n == 1:
		fmt.Fprintf(w, "1 root of `%s`, proved to be the only one in the box\n", r.Function)
	case r.Proved:
		fmt.Fprintf(w, "%d roots of `%s`, proved to be all in the box\n", n, r.Function)
	default:
		are := "roots of `%s` are"
		if n == 1 {
			are = "root of `%s` is"
		}
		fmt.Fprintf(w, "%d "+are+" proved; there may be others\n", n, r.Function)
	}
	fmt.Fprintln(w)
	r.writePlaces(w, r.known.Found)
}

// writeOptimum writes what is known of the optimum.
func (r *Result) writeOptimum(w io.Writer) {
	noun := r.Question.noun()
	switch {
	case r.Proved:
		fmt.Fprintf(w, "the %s of `%s` in the box is %s, proved to be reached here only\n\n",
			noun, r.Function, r.value.Fluxion())
		r.writePlaces(w, r.known.Found)
		return
	case r.known.Best == nil && r.known.Left == 0:
		fmt.Fprint(w, "no point of the box satisfies the constraints: that is proved\n")
		return
	case r.known.Best == nil:
		fmt.Fprintf(w, "nothing is known of the %s of `%s` yet\n", noun, r.Function)
		return
	case r.value.Width() == nil:
		bound, _ := r.value.Decimals()
		side := "at least"
		if r.Question == Least {
			_, bound = r.value.Decimals()
			side = "at most"
		}
		fmt.Fprintf(w, "the %s of `%s` in the box is %s %s\n", noun, r.Function, side, bound)
	default:
		fmt.Fprintf(w, "the %s of `%s` in the box is in %s\n", noun, r.Function, r.value.Fluxion())
	}
	if r.settled() {
		fmt.Fprint(w, "it is reached in one or more of these places\n\n")
		r.writePlaces(w, slices.Concat(r.known.Found, r.left()))
		return
	}
	fmt.Fprint(w, "the best point found\n\n")
	r.writePlaces(w, [][]exact.Enclosure{r.known.Best})
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// settled tells whether an optimum is known as well as was asked for, but not where it is.
func (r *Result) settled() bool {
	if r.Proved || !r.known.Optimum {
		return false
	}
	w := r.value.Width()
	return w != nil && w.Cmp(r.eps) <= 0
}

// left is where something else may be.
func (r *Result) left() (places [][]exact.Enclosure) {
	if r.known.Left == 0 {
		return nil
	}
	for _, b := range clusters(r.known) {
		places = append(places, r.rounded(enclosures(b)))
	}
	return places
}

// writeLeft writes where something else may be, unless that was written.
func (r *Result) writeLeft(w io.Writer) {
	all := r.left()
	if len(all) == 0 || r.settled() {
		return
	}
	fmt.Fprintf(w, "\nnot decided: %s", plural(r.known.Left, "box", "boxes"))
	if len(all) > 1 {
		fmt.Fprintf(w, ", in %d places", len(all))
	}
	fmt.Fprint(w, "\n\n")
	r.writePlaces(w, all)
}

// enclosures is a box as a place.
func enclosures(b exact.Box) []exact.Enclosure {
	place := make([]exact.Enclosure, len(b))
	for i, e := range b {
		place[i] = exact.Between(e[0], e[1])
	}
	return place
}

// clusters are the hulls of the boxes that are left, of those together that touch one another. If
// they are many, or not known one by one, there is one hull of all.
func clusters(b exact.BoxSearch) (all []exact.Box) {
	if len(b.Open) < b.Left || len(b.Open) > 4*mostRows {
		return []exact.Box{b.Hull}
	}
	touch := func(x, y exact.Box) bool {
		for i := range x {
			if x[i][1] < y[i][0] || y[i][1] < x[i][0] {
				return false
			}
		}
		return true
	}
	for _, x := range b.Open {
		x = slices.Clone(x)
		for again := true; again; {
			again = false
			all = slices.DeleteFunc(all, func(y exact.Box) bool {
				if !touch(x, y) {
					return false
				}
				for i := range x {
					x[i] = [2]float64{min(x[i][0], y[i][0]), max(x[i][1], y[i][1])}
				}
				again = true
				return true
			})
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(x, y exact.Box) int {
		return slices.CompareFunc(x, y, func(a, b [2]float64) int {
			return slices.Compare(a[:], b[:])
		})
	})
	if len(all) > mostRows/10 {
		return []exact.Box{b.Hull}
	}
	return all
}

// wideTable is how many unknowns a table has in columns; more are written below one another.
const wideTable = 4

// writePlaces writes a table of places.
func (r *Result) writePlaces(w io.Writer, places [][]exact.Enclosure) {
	show := func(e exact.Enclosure) string { return e.Fluxion() }
	var rows [][]string
	if n := len(r.Names); n <= wideTable {
		rows = append(rows, r.Names)
		for _, x := range places[:min(len(places), mostRows)] {
			row := make([]string, n)
			for i, e := range x {
				row[i] = show(e)
			}
			rows = append(rows, row)
		}
	} else {
		for k, x := range places[:min(len(places), mostRows)] {
			if k > 0 {
				rows = append(rows, nil)
			}
			for i, e := range x[:min(n, mostRows)] {
				rows = append(rows, []string{r.Names[i], show(e)})
			}
			if n > mostRows {
				rows = append(rows, []string{"…", fmt.Sprintf("%d more", n-mostRows)})
			}
		}
	}
	table(w, rows)
	if k := len(places) - mostRows; k > 0 {
		fmt.Fprintf(w, "… and %d more; --json has all\n", k)
	}
}

// table writes rows with aligned columns.
func table(w io.Writer, rows [][]string) {
	var wide []int
	for _, row := range rows {
		for k, cell := range row {
			if k == len(wide) {
				wide = append(wide, 0)
			}
			wide[k] = max(wide[k], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			line += "  " + cell + strings.Repeat(" ", wide[k]-utf8.RuneCountInString(cell))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// progress is one line about a search that goes on.
func (r *Result) progress() string {
	b := r.known
	text := fmt.Sprintf("%s looked at, %d left", plural(b.Looked, "box", "boxes"), b.Left)
	switch {
	case !b.Optimum:
		text = fmt.Sprintf("%s, %s", plural(len(b.Found), "root", "roots"), text)
	case b.Best != nil && r.value.Width() != nil:
		text = fmt.Sprintf("%s in %s, %s", r.Question.noun(), r.value.Fluxion(), text)
	}
	return text
}

// JSON is the result as JSON.
func (r *Result) JSON() map[string]any {
	named := func(x []exact.Enclosure) map[string]any {
		place := map[string]any{}
		for i, name := range r.Names {
			place[name] = x[i].JSON()
		}
		return place
	}
	list := func(all [][]exact.Enclosure) []map[string]any {
		places := []map[string]any{}
		for _, x := range all {
			places = append(places, named(x))
		}
		return places
	}
	b := r.known
	left := map[string]any{"count": b.Left}
	if b.Left > 0 {
		left["hull"], left["places"] = named(r.rounded(enclosures(b.Hull))), list(r.left())
	}
	answer := map[string]any{"question": r.Question.String(), "function": r.Function,
		"unknowns": r.Names, "box": named(b.Bounds), "eps": r.eps.RatString(),
		"proved": r.Proved, "looked": b.Looked, "left": left}
	switch {
	case !b.Optimum:
		answer["roots"] = list(b.Found)
	default:
		answer["value"] = r.value.JSON()
		if b.Best != nil {
			answer["best"] = named(b.Best)
		}
		answer["places"] = list(b.Found)
	}
	return answer
}
