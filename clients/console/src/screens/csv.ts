import type { ConfirmationSummary } from '../api/types.ts'
import { csv } from '../formats/csv.ts'

/** Saves a file that the page made. */
function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves confirmations as a table. Numbers stay masked, and times are in UTC. */
export function saveConfirmations(items: ConfirmationSummary[]): void {
  const head = ['id', 'app', 'flow', 'state', 'created', 'expires', 'number', 'webhook', 'attempts', 'test']
  const rows = items.map((item) => [
    item.id, item.app, item.flow, item.state, item.createdAt, item.expiresAt, item.number, item.delivery, item.attempts, item.test,
  ])
  save('confirmations.csv', csv(head, rows))
}
