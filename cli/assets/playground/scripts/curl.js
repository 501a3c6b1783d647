/** A text as one word of a shell's. */
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/** The shell command that makes the same call. The key stays out of it. */
export function curlCommand({ path, body }) {
  return [
    `curl ${location.origin}${path} \\`,
    '  -H "x-api-key: $API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n')
}
