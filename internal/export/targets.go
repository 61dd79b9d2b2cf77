package export

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/cgen"
	"github.com/fluxion-lang/fluxion/internal/loop/gogen"
)

// Targets are the languages, in the order in which help names them.
var Targets = []string{"go", "c"}

// Print writes the module in a language: one of Targets.
func (m *Module) Print(target string) ([]File, error) {
	if target == "go" {
		return m.printGo()
	}
	return m.printC(), nil
}

func (m *Module) printGo() ([]File, error) {
	p, names := m.named(goName)
	docs := map[string]string{}
	for _, f := range m.functions {
		docs[names[f.loop]] = comment(names[f.loop] + " is " + f.doc + ".")
	}
	text, err := gogen.Print(p, goPackage(m.Name), names, docs)
	return []File{{ascii(m.Name) + ".go", text}}, err
}

func (m *Module) printC() []File {
	base := ascii(m.Name)
	p, names := m.named(func(name string) string { return base + "_" + ascii(name) })
	exported, docs := map[*loop.Func]bool{}, map[*loop.Func]string{}
	for _, f := range m.functions {
		exported[f.loop] = true
		docs[f.loop] = comment(names[f.loop] + " is " + f.doc + ".")
	}
	c, h := cgen.Print(p, names, exported, docs, base+".h")
	return []File{{base + ".c", []byte(c)}, {base + ".h", []byte(h)}}
}
