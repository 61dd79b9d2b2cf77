package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Complete returns completions of the word before pos. head and tail are the text before and
// after that word, which stays.
func (s *Session) Complete(line string, pos int) (head string, words []string, tail string) {
	before, tail := line[:pos], line[pos:]
	trimmed := strings.TrimLeft(before, " ")
	if command, ok := strings.CutPrefix(trimmed, ":"); ok {
		name, argument, hasArgument := strings.Cut(command, " ")
		if !hasArgument {
			for _, m := range metaCommands() {
				words = append(words, ":"+m.name)
			}
			return "", withPrefix(words, trimmed), tail
		}
		if strings.HasPrefix("load", name) && name != "" {
			return strings.TrimSuffix(before, argument), files(argument), tail
		}
	}
	c := s.Session.Complete(line, pos)
	for _, item := range c.Items {
		words = append(words, item.Label)
	}
	start := int(c.Replace.Start)
	return before[:start], withPrefix(words, before[start:]), tail
}

// withPrefix returns the words that start with prefix, sorted, each once.
func withPrefix(words []string, prefix string) []string {
	var kept []string
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			kept = append(kept, w)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// files lists the Fluxion files and folders whose paths start with a path.
func files(path string) []string {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Join(".", folder))
	if filepath.IsAbs(folder) {
		entries, err = os.ReadDir(folder)
	}
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		switch {
		case !strings.HasPrefix(e.Name(), base):
		case e.IsDir():
			found = append(found, folder+e.Name()+"/")
		case strings.HasSuffix(e.Name(), ".flx"):
			found = append(found, folder+e.Name())
		}
	}
	return found
}
