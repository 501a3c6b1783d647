import type { Tone } from '../components/badge.tsx'

const STATES: Record<string, Tone> = {
  open: 'calm', created: 'calm', scanned: 'calm', opened: 'calm', signed: 'calm', completed: 'good', failed: 'bad', verified: 'good', confirmed: 'good', consumed: 'good', expired: 'plain', cancelled: 'plain', denied: 'bad', blocked: 'bad',
}

const DELIVERIES: Record<string, Tone> = { delivered: 'good', failed: 'bad', pending: 'warn' }

export function toneOfState(state: string): Tone {
  return STATES[state] ?? 'plain'
}

export function toneOfDelivery(delivery: string): Tone {
  return DELIVERIES[delivery] ?? 'plain'
}

export function toneOfResult(result: string): Tone {
  return ({ accepted: 'good', done: 'good', refused: 'bad', failed: 'bad', unknown: 'warn' } as Record<string, Tone>)[result] ?? 'plain'
}
