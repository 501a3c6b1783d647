import type { ComponentChildren } from 'preact'

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'plain'

/** A word about a state. Its shape says the tone too, for people who do not see the colours. */
export function Badge({ tone = 'plain', children }: { tone?: Tone, children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}
