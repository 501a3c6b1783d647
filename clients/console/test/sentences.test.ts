import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import type { Attention, Moment } from '../src/api/types.ts'
import { wordsOf } from '../src/formats/moments.ts'
import { fill, refusalOf, sentenceOf, troubleOf } from '../src/formats/sentences.ts'
import { de } from '../src/i18n/de/index.ts'
import type { Template } from '../src/i18n/en/server.ts'
import { language } from '../src/i18n/index.ts'
import { placeOf } from '../src/screens/overview.tsx'

/** The command's source, which has the English sentences. */
const ADMIN = `${process.cwd()}/../../cli/src/admin`

function sources(): string[] {
  const names = readdirSync(ADMIN, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rs') && name !== 'sentence.rs')
  return names.map((name) => readFileSync(`${ADMIN}/${name}`, 'utf8'))
}

/** Returns the codes in calls of these functions, each with the places of its values. */
function codesOf(call: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const pattern = new RegExp(`${call}\\(\\s*"([a-z_]+)",(?:(?!${call})[^[])*\\[((?:[^\\]])*)\\]`, 'g')
  for (const source of sources()) {
    for (const [, code = '', places = ''] of source.matchAll(pattern)) {
      found.set(code, [...places.matchAll(/\("(\w+)",/g)].map(([, place = '']) => place))
    }
  }
  return found
}

/** Asserts that a template has the values' places, and no others. */
function fits(template: Template | undefined, places: string[], code: string): void {
  if (typeof template !== 'string') return assert.ok(template, code)
  for (const [, place = ''] of template.matchAll(/\{(\w+)\}/g)) assert.ok(places.includes(place), `${code}: {${place}}`)
}

function inGerman(run: () => void): void {
  language.set('de')
  try {
    run()
  } finally {
    language.set('en')
  }
}

test('German has a sentence for each code of the command, with its values', () => {
  const sentences = codesOf('Sentence::(?:new|said)')
  const refusals = codesOf('RefusalCode::new')
  assert.ok(sentences.size > 30 && refusals.size > 25, `${sentences.size} ${refusals.size}`)
  for (const [code, places] of sentences) fits(de.sentences[code], places, code)
  for (const [code, places] of refusals) fits(de.refusals[code], places, code)
  const dynamic = ['trial_not_authentic', 'trial_other_host', 'trial_off', 'trial_refused']
  for (const code of dynamic) fits(de.sentences[code], ['url', 'status'], code)
  assert.deepEqual(Object.keys(de.sentences).filter((code) => !sentences.has(code) && !dynamic.includes(code)), [])
  assert.deepEqual(Object.keys(de.refusals).filter((code) => !refusals.has(code)), [])
})

test('German has words for each kind of trouble', () => {
  const kinds = sources().flatMap((source) => [...source.matchAll(/Attention::new\(\s*"([a-z_]+)"/g)].map(([, kind = '']) => kind))
  assert.ok(kinds.length > 10, String(kinds.length))
  assert.deepEqual(kinds.filter((kind) => !(kind in de.troubles)), [])
})

test('values are shown as people read them', () => {
  assert.equal(fill('{a} and {b}, {a}', { a: '1', b: '$& {a}' }), '1 and $& {a}, 1')
  assert.equal(fill('until {until}', { until: '2026-03-29T10:20:30.000Z' }), 'until 29 Mar 2026, 10:20 UTC')
  inGerman(() => {
    assert.equal(refusalOf('not_open', { state: 'verified' }), 'Nur eine offene Bestätigung lässt sich abbrechen; diese ist: Bestätigt.')
    assert.equal(refusalOf('unheard_of', {}), null)
    assert.equal(refusalOf(undefined, {}), null)
  })
})

test('a sentence without words in the operator’s language is marked as English', () => {
  const sentence = { code: 'link_addresses', values: { addresses: '203.0.113.7' }, sentence: 'It leads to 203.0.113.7.' }
  const unknown = { code: 'unheard_of', sentence: 'A later server says this.' }
  assert.deepEqual(sentenceOf(sentence), { text: 'It leads to 203.0.113.7.' })
  assert.deepEqual(sentenceOf(unknown), { text: 'A later server says this.' })
  inGerman(() => {
    assert.deepEqual(sentenceOf(sentence), { text: 'Führt zu 203.0.113.7.' })
    assert.deepEqual(sentenceOf(unknown), { text: 'A later server says this.', lang: 'en' })
  })
})

test('trouble is told in the language of the operator, and its commands stay', () => {
  const rotation: Attention = {
    kind: 'secret_rotation', title: 'Two', detail: 'A rotation', step: 'countersign app webhook-secret shop --retire', values: { app: 'shop' },
  }
  const failing: Attention = {
    kind: 'receiver_failing', title: 'It', detail: 'Of', step: 'Repair it.',
    values: { app: 'shop', receiver: 'https://a.example', givenUp: '0', waiting: '2', status: '', failure: 'timed_out' },
  }
  assert.deepEqual(troubleOf(failing).step, { text: 'Repair it.' })
  inGerman(() => {
    assert.deepEqual(troubleOf(rotation).step, { text: rotation.step })
    assert.equal(troubleOf(rotation).title.text, 'Für shop gelten zwei Webhook-Geheimnisse')
    assert.match(troubleOf(failing).detail.text, /Stunden: 2 warten auf den nächsten Versuch\. Zuletzt kam keine Antwort: keine vollständige Antwort/)
    assert.match(troubleOf(failing).step.text, /die Versuche gehen weiter/)
    assert.deepEqual(troubleOf({ ...rotation, kind: 'unheard_of' }).title, { text: 'Two', lang: 'en' })
  })
})

test('trouble leads to its screen', () => {
  const of = (kind: string, values = {}): unknown => placeOf({ kind, title: '', detail: '', step: '', values })
  assert.deepEqual(of('provider_refused', { provider: 'twilio' }), ['providers', '/providers/twilio'])
  assert.deepEqual(of('receiver_failing', { app: 'shop' }), ['confirmations', '/confirmations?app=shop&failed=1'])
  assert.deepEqual(of('secret_rotation', { app: 'shop' }), ['apps', '/apps/shop/webhooks'])
  assert.deepEqual(of('quota_nearly_used', { app: 'shop' }), ['apps', '/apps/shop'])
  assert.deepEqual(of('store_damaged'), ['system', '/system'])
  assert.equal(of('secret_replacement'), undefined)
  assert.equal(of('weather'), undefined)
})

test('what happened is told in the language of the operator', () => {
  const of = (kind: string, title: string, values: Record<string, string> = {}, detail?: string): { title: unknown, detail: unknown } => {
    const moment: Moment = { at: '', kind, title, values, ...(detail === undefined ? {} : { detail }) }
    const words = wordsOf(moment)
    return { title: words.title.text, detail: words.detail?.text ?? null }
  }
  const started = ['started', 'Started, to find out a number', { flow: 'acquisition', test: 'true' }, 'With a test key'] as const
  const missed = ['missed', 'The text came late.', { miss: 'late' }, 'Ask the person'] as const
  assert.deepEqual(of(...started), { title: 'Started, to find out a number', detail: 'With a test key' })
  assert.deepEqual(of(...missed), { title: 'The text came late.', detail: null })
  assert.equal(of('attempt_failed', 'x', { attempt: '3', failure: 'timed_out' }).title, 'Attempt 3: no whole answer in time')
  assert.equal(of('attempt_succeeded', 'x', { attempt: '1', status: '204' }).title, 'Attempt 1: the receiver accepted it with 204')
  assert.equal(of('verified', 'Verified by a text', { channel: 'sms', provider: 'twilio' }, 'sms by twilio').detail, 'SMS, received from twilio')
  inGerman(() => {
    assert.deepEqual(of(...started), { title: 'Begonnen, um eine Nummer zu erfahren', detail: 'Mit einem Testschlüssel' })
    assert.equal(of(...missed).title, 'Die SMS kam erst, als die Bestätigung schon abgelaufen war.')
    assert.equal(of('attempt_failed', 'x', { attempt: '2', status: '500' }).title, 'Versuch 2: der Empfänger hat mit 500 geantwortet')
    assert.equal(of('attempt_pending', 'x', { attempt: '4' }).title, 'Versuch 4: steht noch aus')
    assert.equal(of('attempt_failed', 'x', { attempt: '1', status: '500' }, '12 ms: <b>oops</b>').detail, '12 ms: <b>oops</b>')
    assert.equal(of('scanned', 'x', { flags: 'new_browser, far_apart' }, 'Risk: x').detail, 'Risiko: neuer Browser für diesen Benutzer; Browser und Telefon sind weit voneinander entfernt')
    assert.match(String(of('blocked', 'x', { reason: 'risk' }, 'It was').detail), /Risiko zu hoch/)
    assert.deepEqual(wordsOf({ at: '', kind: 'something_new', title: 'Something new' }), { title: { text: 'Something new', lang: 'en' }, detail: null })
  })
})
