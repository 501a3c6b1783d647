import type { Setting } from '../formats/settings.ts'
import { texts } from '../i18n/index.ts'

/** The words of a setting. */
export type Words = { name: string, what: string, breaks: string, choices: Record<string, string> }

/** Returns the words of a setting. Those of quotas are put together from their parts. */
export function wordsOf({ path }: Setting): Words {
  const t = texts()
  const own = t.settings[path]
  if (own !== undefined) return { choices: {}, ...own }
  const [, kind = '', limit = ''] = path.split('.')
  const { quotas } = t
  const names = quotas as unknown as Record<string, string>
  const part = limit === 'maxOpen' ? quotas.maxOpen[kind] : names[limit]
  return { name: `${names[kind] ?? kind} ${part ?? limit}`, what: quotas.what, breaks: quotas.breaks, choices: {} }
}
