import { fill } from './languages.ts'

/**
 * Writes a text with the time left; minutes and seconds replace `{time}`. Only the time changes: anything more
 * would disturb the user's selection and extensions that watch the page.
 */
export function drawTime(target: Element, text: string, left: number): void {
  const seconds = Math.ceil(Math.max(0, left) / 1_000)
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  const [before = '', after = ''] = fill(text, 'time', '\n').split('\n')
  const nodes = target.childNodes
  if (nodes.length !== 3) target.replaceChildren(before, time, after)
  for (const [index, part] of [before, time, after].entries()) {
    const node = nodes[index] as Text
    if (node.data !== part) node.data = part
  }
}
