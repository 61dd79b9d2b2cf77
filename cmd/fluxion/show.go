package main

import (
	"fmt"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/plot"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// show prints the parts of a result that were not written to files. Pictures are drawn as text;
// pictures that are fields of a record come after the other fields.
func (c *call) show(result driver.Result, written []output) error {
	if slices.ContainsFunc(written, func(o output) bool { return o.field == "" }) {
		return nil
	}
	if plot.Is(result.Of) {
		return c.draw(result.Value)
	}
	record, ok := types.Resolve(result.Of).(*types.Record)
	if !ok {
		_, err := fmt.Fprintln(c.out, value.Show(result.Value))
		return err
	}
	var rest, pictures value.Record
	for k, f := range result.Value.(value.Record) {
		switch {
		case slices.ContainsFunc(written, func(o output) bool { return o.field == f.Name }):
		case plot.Is(record.Fields[k].Type):
			pictures = append(pictures, f)
		default:
			rest = append(rest, f)
		}
	}
	if len(rest) > 0 {
		fmt.Fprintln(c.out, value.Show(rest))
	}
	for _, f := range pictures {
		fmt.Fprintf(c.out, "%s:\n", f.Name)
		if err := c.draw(f.Value); err != nil {
			return err
		}
	}
	return nil
}

// draw prints a picture as text.
func (c *call) draw(v value.Value) error {
	figure, err := plot.Of(v)
	if err != nil {
		return err
	}
	return figure.Text(c.out)
}
