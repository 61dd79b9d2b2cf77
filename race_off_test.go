//go:build !race

package fluxion_test

// raceDetector tells that the race detector is on, under which pools forget at random.
const raceDetector = false
