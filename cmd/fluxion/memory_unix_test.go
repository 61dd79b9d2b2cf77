//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// peakMemory returns the most memory that a finished process held, in bytes.
func peakMemory(p *os.ProcessState) (bytes int64, ok bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	peak := int64(usage.Maxrss) // in KiB but for macOS; an int32 on 32-bit systems
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	return peak, true
}

// processorTime returns the time that this process has used of the processors so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
