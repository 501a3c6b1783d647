/** Quotes a text as one shell word. */
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the shell command for the same call, without the API key. */
export function curlCommand({ path, body }) {
  return [
    `curl ${location.origin}${path} \\`,
    '  -H "x-api-key: $API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n')
}
