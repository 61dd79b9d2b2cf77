package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// numbered are the items of the papers that have a number.
var numbered = map[string][]string{
	"A–P": items("Fig. 1-8", "Lemma 3.1-2", "Prop. 3.3-6", "Prop. 4.1-4", "Lemma 5.1-3", "Thm 6.1-2", "Cor. 6.3-3",
		"Lemma 6.4-6", "Thm 6.7-7"),
	"λS":    items("Fig. 1-10", "Def. 4.1-1", "Prop. 4.2-5", "Lemma 4.6-6", "Prop. 4.7-10", "Prop. 5.1-4"),
	"Curry": items("Fig. 1-6", "Def. 5.1-2"),
	"Delta": items("Fig. 1-15", "Lemma 1-1", "Prop. 2-2", "Thm 3-5", "Lemma 6-6", "Def. 7-9", "Lemma 10-11"),
}

// items writes ranges out: "Prop. 3.3-6" is Prop. 3.3 to Prop. 3.6.
func items(ranges ...string) []string {
	var all []string
	for _, r := range ranges {
		m := regexp.MustCompile(`^(.*[ .])(\d+)-(\d+)$`).FindStringSubmatch(r)
		var from, to int
		fmt.Sscan(m[2], &from)
		fmt.Sscan(m[3], &to)
		for n := from; n <= to; n++ {
			all = append(all, fmt.Sprint(m[1], n))
		}
	}
	return all
}

// TestPapers: papers.md has each numbered item of each paper once, and each row
// names files that there are, and a test that there is or the reason why not.
func TestPapers(t *testing.T) {
	text, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	paper := ""
	for _, line := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			paper = title
		}
		if !regexp.MustCompile(`^\| (Fig|Def|Prop|Lemma|Thm|Cor|eq|§)`).MatchString(line) {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) != 4 {
			t.Errorf("a row has %d cells: %s", len(cells), line)
			continue
		}
		item := strings.TrimSpace(cells[0])
		if slices.Contains(found[paper], item) {
			t.Errorf("%s %s has two rows", paper, item)
		}
		found[paper] = append(found[paper], item)
		files := find("`([^`]+)`", cells[2])
		for _, file := range files {
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s %s: there is no file %s", paper, item, file)
			}
		}
		_, reason, none := strings.Cut(cells[3], "none: ")
		tests := find("`(Test\\w+)`", cells[3])
		if len(files) == 0 || len(tests) == 0 && (!none || len(reason) < 20) {
			t.Errorf("%s %s has no file, or no test and no reason", paper, item)
		}
	}
	for paper, want := range numbered {
		for _, item := range want {
			if !slices.Contains(found[paper], item) {
				t.Errorf("%s %s has no row", paper, item)
			}
		}
		for _, item := range found[paper] {
			if !slices.Contains(want, item) && !strings.HasPrefix(item, "§") && !strings.HasPrefix(item, "eq. ") {
				t.Errorf("%s has no %s", paper, item)
			}
		}
	}
}
