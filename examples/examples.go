// Package examples embeds the example programs and their data, for the page.
package examples

import "embed"

// FS has the programs, and their data below data.
//
//go:embed *.flx data
var FS embed.FS
