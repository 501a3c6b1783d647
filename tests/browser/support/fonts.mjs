// The fonts in which pages are shown: the suite's own, so that no result depends on the machine's fonts.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const packages = createRequire(import.meta.url)
const folderOf = (name) => dirname(packages.resolve(`${name}/package.json`))

/**
 * Families by name: a wide one, and a narrow one. Letters that are missing in the narrow font come from the wide one.
 */
const FAMILIES = { wide: 'DejaVu Sans', narrow: 'Open Sans' }

/** The files of both fonts. */
const ALIASES = { serif: 'DejaVu Serif', monospace: 'DejaVu Sans Mono' }

/** The folders of the fonts. */
export const FOLDERS = [join(folderOf('dejavu-fonts-ttf'), 'ttf'), folderOf('@expo-google-fonts/open-sans')]

/** The names of the fonts. */
export const FONTS = Object.keys(FAMILIES)

/** Returns the environment of a browser that only has the suite's fonts, one of them as the system font. */
export function fontsOf(font) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-fonts-'))
  const aliases = Object.entries({ ...ALIASES, 'system-ui': FAMILIES[font], 'sans-serif': FAMILIES[font] }).map(([name, family]) => (
    `<match target="pattern"><test name="family"><string>${name}</string></test>`
    + `<edit name="family" mode="assign" binding="strong"><string>${family}</string></edit></match>`
  ))
  const file = join(folder, 'fonts.conf')
  writeFileSync(file, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${
    FOLDERS.map((one) => `<dir>${one}</dir>`).join('')}${aliases.join('')}<cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`)
  return { ...process.env, FONTCONFIG_FILE: file }
}
