// Command pack writes a folder's module to a zip file in the format of module proxies: pack FOLDER VERSION
// FILE.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER VERSION FILE")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack skips nested modules, as Go does.
func pack(folder, version, path string) error {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	parsed := module.Version{Path: modfile.ModulePath(text), Version: version}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(file, parsed, folder); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
