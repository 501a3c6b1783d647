/** Texts that frameworks write into attributes for missing values. */
const NO_TEXT = /^\s*(\[object \w+\]|undefined|null|NaN|(async\s*)?(function\b[^]*|\([^)]*\)\s*=>[^]*))\s*$/

/** Whether the value of an attribute was intended. */
export function isText(value: string): boolean {
  return !NO_TEXT.test(value)
}

/**
 * Parses the value of a boolean attribute; `null` if it is neither on nor off. Frameworks write `false` as a text,
 * which must not turn on a setting that weakens a page.
 */
export function readSwitch(name: string, value: string | null): boolean | null {
  switch (value?.trim().toLowerCase()) {
    case undefined:
    case 'false':
      return false
    case '':
    case 'true':
    case name:
      return true
    default:
      return null
  }
}

/** Parses a JSON object; `null` if it is something else. */
export function readObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
