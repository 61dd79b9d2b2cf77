package rules_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/property"
)

func TestMain(m *testing.M) { property.Main(m) }
