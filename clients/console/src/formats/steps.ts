/** Splits the text of a provider's steps at its numbers: `1. …`, with lines that go on. */
export function splitSteps(text: string): string[] {
  return text.split(/^(?=\d+\. )/m).map((step) => step.replace(/^\d+\. /, '').trim()).filter((step) => step !== '')
}

/** True if providers on the internet cannot reach the URL. */
export function isLocal(url: string): boolean {
  return url.startsWith('http://')
}
