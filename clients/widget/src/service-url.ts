/** Returns an absolute URL without a trailing slash; leaves anything else unchanged. */
export function address(text: string): string {
  try {
    return new URL(text, document.baseURI).href.replace(/\/+$/, '')
  } catch {
    return text
  }
}
