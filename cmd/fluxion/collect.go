package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastGarbage is the least number of bytes that are allocated between two garbage collections.
const leastGarbage = 64 << 20

// collectLate delays garbage collections until leastGarbage bytes are allocated. By default Go
// collects a small heap every 4 MiB. Compiling a program and certified searches fill that many
// times, and little of it survives. When more than leastGarbage is live, the default pace
// applies.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(leastGarbage / (4 << 20) * 100)
	afterCollection(func() {
		debug.SetGCPercent(max(usual, int(100*leastGarbage/max(live(), 1<<20))))
	})
}

// afterCollection calls f after each garbage collection.
func afterCollection(f func()) {
	// with a pointer, so that it does not share an allocation with other small objects
	witness := new(*int)
	runtime.AddCleanup(witness, func(f func()) { f(); afterCollection(f) }, f)
}

// live returns the number of bytes that survived the last garbage collection.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
