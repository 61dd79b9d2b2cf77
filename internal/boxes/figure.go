package boxes

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/driver"
)

// contours are the values of the function on a grid.
type contours struct{}

func (s *source) contours(ctx context.Context, set driver.Settings) *contours { return nil }
