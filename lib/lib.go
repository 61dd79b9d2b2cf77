// Package lib embeds the standard library, which is written in Fluxion.
package lib

import "embed"

// FS holds one file per module: prelude.flx, list.flx ….
//
//go:embed *.flx
var FS embed.FS
