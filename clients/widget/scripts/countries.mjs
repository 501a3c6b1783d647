// Writes the countries that have phone numbers, from the numbering plans of the service. With --check, it fails if they
// are outdated.

import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const PLANS = join(ROOT, '../../shared/domain/src/primitives/phone/plans.txt')
const FILE = join(ROOT, 'src/calling-codes.ts')

const codes = new Map()
for (const line of (await readFile(PLANS, 'utf8')).split('\n')) {
  const [, code, country] = /^(\d+)\t([A-Z]{2})\t/.exec(line) ?? []
  if (country) codes.set(code, (codes.get(code) ?? '') + country)
}
const text = `/**
 * The countries that have phone numbers, by calling code, the main one first, from the service's numbering plans.
 * \`npm run countries\` writes this file.
 */
export const CALLING_CODES = '${[...codes].map((one) => one.join('')).join(' ')}'
`
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text)
} else if (await readFile(FILE, 'utf8') !== text) {
  console.error('The countries do not match the numbering plans. Run npm run countries.')
  process.exit(1)
}
