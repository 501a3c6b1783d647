/** Returns a cell. A spreadsheet must not take a foreign text for a formula, such as `+49…` or `=HYPERLINK(…)`. */
export function cell(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r;]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns rows as CSV of RFC 4180. */
export function csv(head: string[], rows: unknown[][]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
