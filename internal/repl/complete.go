package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/notation"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Complete offers what the word before pos may go on to be: head and tail are
// what stays on either side of it.
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
	start := strings.LastIndexFunc(before, func(r rune) bool { return !isNameRune(r) }) + 1
	word := before[start:]
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		return before[:start+i+1], withPrefix(s.members(word[:i]), word[i+1:]), tail
	}
	return before[:start], withPrefix(s.names(), word), tail
}

func isNameRune(r rune) bool {
	return r == '_' || r == '.' || r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// names lists every name that stands alone.
func (s *Session) names() []string {
	all := syntax.Keywords()
	for _, p := range prim.All() {
		if !p.Hidden {
			all = append(all, p.Name)
		}
	}
	for _, unit := range s.visible() {
		all = append(all, exported(unit.Info.Interface)...)
		for _, imp := range unit.AST.Imports {
			all = append(all, imp.Alias.Name)
			for _, id := range imp.Names {
				all = append(all, id.Name)
			}
		}
	}
	return append(all, driver.LibraryNames()...)
}

// members lists what may follow `owner.`, which is a path such as `fit.point`:
// the names of a module, or the fields of a record that is defined.
func (s *Session) members(owner string) []string {
	name, path, inside := strings.Cut(owner, ".")
	for _, unit := range slices.Backward(s.visible()) {
		if v := unit.Info.Interface.Values[name]; v != nil {
			return fields(v.Scheme.Type, path)
		}
	}
	module := s.module(name)
	if module == nil {
		return nil
	}
	if !inside {
		return exported(module.Info.Interface)
	}
	name, path, _ = strings.Cut(path, ".")
	if v := module.Info.Interface.Values[name]; v != nil {
		return fields(v.Scheme.Type, path)
	}
	return nil
}

// module finds a module by the name that the session has for it: a file that was
// loaded, what an input or such a file imports, or a module of the library. It is
// nil if there is none.
func (s *Session) module(name string) *driver.Unit {
	for _, unit := range slices.Backward(s.open) {
		if strings.TrimSuffix(filepath.Base(unit.File.Name), ".flx") == name {
			return unit
		}
		if module := unit.Module(name); module != nil {
			return module
		}
	}
	var sink diag.List
	return s.world.Library(name, &sink)
}

// visible is the prelude and all that the session has opened.
func (s *Session) visible() []*driver.Unit {
	var sink diag.List
	return append([]*driver.Unit{s.world.Library("prelude", &sink)}, s.open...)
}

// fields lists those of the record that a path of fields leads to.
func fields(t types.Type, path string) []string {
	record, ok := types.Resolve(t).(*types.Record)
	if !ok {
		return nil
	}
	if path != "" {
		name, rest, _ := strings.Cut(path, ".")
		i := record.Index(name)
		if i < 0 {
			return nil
		}
		return fields(record.Fields[i].Type, rest)
	}
	var names []string
	for _, f := range record.Fields {
		names = append(names, notation.Field(f.Name))
	}
	return names
}

func exported(iface *check.Interface) []string {
	var names []string
	for _, name := range iface.Order {
		if !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	for name := range iface.Cons {
		names = append(names, name)
	}
	return names
}

// withPrefix keeps the words that go on from prefix, sorted, each once.
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

// files lists the Fluxion files and folders that a path may go on to.
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
