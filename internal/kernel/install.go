package kernel

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Install writes the kernel specification by which Jupyter finds the kernel. It goes below
// prefix, as environments expect it, or, if prefix is "", below the user's own folder. argv
// starts the command; Jupyter adds the connection file. Install returns the folder.
func Install(prefix string, argv []string) (folder string, err error) {
	base := prefix
	if base != "" {
		base = filepath.Join(prefix, "share", "jupyter")
	} else if base, err = userFolder(); err != nil {
		return "", err
	}
	folder = filepath.Join(base, "kernels", "fluxion")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	spec, err := json.MarshalIndent(map[string]any{
		"argv": append(argv, "{connection_file}"), "display_name": "Fluxion", "language": "fluxion",
		"interrupt_mode": "message", "metadata": map[string]any{},
	}, "", "  ")
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"kernel.json": append(spec, '\n'), "logo-svg.svg": []byte(logo)}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// userFolder returns the folder of a user's Jupyter data.
func userFolder() (string, error) {
	if folder := os.Getenv("JUPYTER_DATA_DIR"); folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		if data := os.Getenv("APPDATA"); data != "" {
			return filepath.Join(data, "jupyter"), nil
		}
		return "", errors.New("%APPDATA% is not set")
	}
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// logo shows a slope on a curve.
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="10" fill="#1b2a41"/>
<path d="M8 52 C 24 52, 32 40, 36 30 S 48 12, 56 12" fill="none" stroke="#7fd1ae" stroke-width="5" stroke-linecap="round"/>
<path d="M22 52 L 48 8" stroke="#f4d35e" stroke-width="3" stroke-linecap="round"/>
<circle cx="35" cy="30" r="4.5" fill="#ffffff"/>
</svg>
`
