/** Splits the text of a provider's steps at its numbers: `1. …`, with lines that go on. What follows the last step is a list of notes. */
export function splitSteps(text: string): { steps: string[], notes: string[] } {
  const parts = text.split(/^(?=\S)/m).map((part) => part.trim()).filter((part) => part !== '')
  const isStep = (part: string) => /^\d+\. /.test(part)
  return {
    steps: parts.filter(isStep).map((step) => step.replace(/^\d+\. /, '')),
    notes: parts.filter((part) => !isStep(part)),
  }
}

/** True if providers on the internet cannot reach the URL. */
export function isLocal(url: string): boolean {
  return url.startsWith('http://')
}
