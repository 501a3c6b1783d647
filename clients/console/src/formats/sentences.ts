// Sentences of the server in the operator's language.

import type { Attention, Sentence } from '../api/types.ts'
import { language, texts } from '../i18n/index.ts'
import type { Template, Values } from '../i18n/en/server.ts'
import { inZone } from './time.ts'

/** A text, with its language if that is not the page's. */
export type Said = { text: string, lang?: string }

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** Returns a value as people read it: times in their zone, and words for the names of states and reasons. */
function shown(place: string, value: string): string {
  const t = texts()
  if (TIME.test(value)) return inZone(value, 'minute')
  switch (place) {
    case 'state': return t.confirmations.states[value] ?? t.logins.states[value] ?? t.phones.states[value] ?? value
    case 'failure': return t.apps.failures[value] ?? value
    case 'quota': return t.quotasInUse[value] ?? value
    default: return value
  }
}

/** Puts values into a template. */
export function fill(template: Template, values: Values): string {
  const words = Object.fromEntries(Object.entries(values).map(([place, value]) => [place, shown(place, value)]))
  if (typeof template === 'function') return template(words)
  return template.replace(/\{(\w+)\}/g, (whole, place: string) => words[place] ?? whole)
}

/** Returns the server's own words, which are English. */
function english(text: string): Said {
  return language.value === 'en' ? { text } : { text, lang: 'en' }
}

/** Returns a sentence of an answer. */
export function sentenceOf({ code, values, sentence }: Sentence): Said {
  const own = texts().sentences[code]
  return own === undefined ? english(sentence) : { text: fill(own, values ?? {}) }
}

/** Returns the sentence of a refusal by its code; `null` if this language has none. */
export function refusalOf(code: string | undefined, values: Values): string | null {
  const own = code === undefined ? undefined : texts().refusals[code]
  return own === undefined ? null : fill(own, values)
}

/** Returns the words for something that needs attention. A command stays as it is. */
export function troubleOf({ kind, title, detail, step, values = {} }: Attention): { title: Said, detail: Said, step: Said, isCommand: boolean } {
  const own = texts().troubles[kind]
  const isCommand = /^countersign [a-z]/.test(step)
  const of = (template: Template | undefined, text: string): Said => (
    template === undefined ? english(text) : { text: fill(template, values) }
  )
  return {
    title: of(own?.title, title),
    detail: of(own?.detail, detail),
    step: isCommand ? { text: step } : of(own?.step, step),
    isCommand,
  }
}
