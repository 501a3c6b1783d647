// The commands with which a README tells readers to install a package. They are run exactly as written there.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT } from './workplace.mjs'

/** Returns the blocks of one language in the section `Install`. */
export async function installation(path, language = 'sh') {
  const text = await readFile(join(ROOT, path), 'utf8')
  const section = /^## Install\n(.*?)^## /ms.exec(text)
  assert.ok(section, `${path} has no section "Install"`)
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')
  return [...section[1].matchAll(fence)].map(([, lines]) => lines)
}
