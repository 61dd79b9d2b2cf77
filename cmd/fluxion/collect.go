package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastGarbage is how many bytes are allocated, at least, between two garbage collections.
const leastGarbage = 64 << 20

// collectLate puts garbage collections off until leastGarbage bytes are allocated. By itself Go
// collects a small heap every 4 MiB, which compiling a program and certified searches fill many
// times, with little that lives on. Where more than leastGarbage lives it collects as usual.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(leastGarbage / (4 << 20) * 100)
	afterCollection(func() { debug.SetGCPercent(max(usual, int(100*leastGarbage/max(live(), 1<<20)))) })
}

// afterCollection calls f after each garbage collection.
func afterCollection(f func()) {
	witness := new(*int) // with a pointer, which keeps it apart from what else is small
	runtime.AddCleanup(witness, func(f func()) { f(); afterCollection(f) }, f)
}

// live returns the number of bytes that the last garbage collection left.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
