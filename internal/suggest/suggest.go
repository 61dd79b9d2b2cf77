// Package suggest finds which word was probably meant by a misspelt one.
package suggest

import "strings"

// Nearest returns the candidate closest to word, or "" if none is close enough
// to be a plausible slip. Ties go to the earlier candidate.
func Nearest(word string, candidates []string) string {
	if len(word) > maxWord {
		return ""
	}
	best, bestDistance := "", limit(word)+1
	for _, candidate := range candidates {
		if candidate == word {
			continue
		}
		if d := distance(word, candidate, bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// maxWord is the longest word to compare: nobody misspells a longer one.
const maxWord = 64

// limit returns how many slips to allow in a word.
func limit(word string) int {
	switch n := len(word); {
	case n <= 3:
		return 1
	case n <= 6:
		return 2
	default:
		return 3
	}
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a
// into b. Words that differ only in case, or in underscores between their parts, have distance 0.
// A distance of at least enough may be returned as enough.
func distance(a, b string, enough int) int {
	if strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", "")) {
		return 0
	}
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= enough || len(y)-len(x) >= enough || len(y) > maxWord {
		return enough
	}
	before, previous, current := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(x); i++ {
		current[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	// Two words without common letters are not slips of each other.
	if d := previous[len(y)]; d < max(len(x), len(y)) {
		return d
	}
	return enough
}
