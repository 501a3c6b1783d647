/** Texts that frameworks write into attributes in place of missing values. */
const NO_TEXT = /^\s*(\[object \w+\]|undefined|null|NaN|(async\s*)?(function\b[^]*|\([^)]*\)\s*=>[^]*))\s*$/

/** Whether the value of an attribute is an intended text. */
export function isText(value: string): boolean {
  return !NO_TEXT.test(value)
}

/**
 * Reads the value of an attribute that is on or off; `null` if it is neither. Frameworks write `false` as a text, which
 * must not turn on what weakens a page.
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

/** Reads an object from JSON; `null` if it is something else. */
export function readObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
