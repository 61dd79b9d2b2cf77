package ball

import (
	"math/big"
	"sync"
)

// maxBaby is the largest number of baby steps of a series.
const maxBaby = 64

// A scratch is working storage of one call, recycled so that the big.Ints inside keep their
// memory. A function that holds one may call functions that get another.
type scratch struct {
	a, b, c, d, e big.Int
	acc, tmp      big.Int // of series
	coef          big.Int
	pow           [maxBaby + 1]big.Int
	root          rooter
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

func getScratch() *scratch { return scratchPool.Get().(*scratch) }

func (s *scratch) put() { scratchPool.Put(s) }
