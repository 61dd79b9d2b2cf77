//go:build ignore

// Command pack makes the .vsix of this extension, which is a zip with a manifest, without a
// network:
//
//	go run editors/vscode/pack.go -o fluxion.vsix
package main

import (
	"archive/zip"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// contents are the files of the extension, and what they are called in it.
var contents = map[string]string{
	"package.json": "package.json", "README.md": "readme.md", "../../LICENSE": "LICENSE.txt",
	"dist/extension.js": "dist/extension.js", "dist/LICENSES.txt": "dist/LICENSES.txt",
	"language-configuration.json": "language-configuration.json", "snippets.json": "snippets.json",
	"syntaxes/fluxion.tmLanguage.json": "syntaxes/fluxion.tmLanguage.json",
}

const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".md" ContentType="text/markdown"/><Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
`

// manifest is what the editor reads of a package before it is installed.
func manifest(text []byte) (string, error) {
	var p struct {
		Name, DisplayName, Description, Version, Publisher string
		Engines                                            struct{ VSCode string }
		Categories                                         []string
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return "", err
	}
	escape := func(s string) string {
		var b strings.Builder
		xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id=%q Version=%q Publisher=%q/>
<DisplayName>%s</DisplayName><Description xml:space="preserve">%s</Description>
<Categories>%s</Categories><License>extension/LICENSE.txt</License>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value=%q/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/></Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
</Assets>
</PackageManifest>
`, p.Name, p.Version, p.Publisher, escape(p.DisplayName), escape(p.Description), escape(strings.Join(p.Categories, ",")), p.Engines.VSCode), nil
}

func run(folder, out string) error {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return err
	}
	about, err := manifest(text)
	if err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	w := zip.NewWriter(file)
	add := func(name string, content []byte) error {
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate,
			Modified: time.Unix(0, 0)})
		if err == nil {
			_, err = part.Write(content)
		}
		return err
	}
	if err := add("[Content_Types].xml", []byte(types)); err != nil {
		return err
	}
	if err := add("extension.vsixmanifest", []byte(about)); err != nil {
		return err
	}
	for from, name := range contents {
		content, err := os.ReadFile(filepath.Join(folder, from))
		if err != nil {
			return err
		}
		if err := add("extension/"+name, content); err != nil {
			return err
		}
	}
	return w.Close()
}

func main() {
	out := flag.String("o", "fluxion.vsix", "the file to write")
	flag.Parse()
	if err := run(filepath.Join("editors", "vscode"), *out); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}
