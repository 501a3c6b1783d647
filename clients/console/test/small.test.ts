import assert from 'node:assert/strict'
import { test } from 'node:test'

import { kindOf } from '../src/api/client.ts'
import { codeOf } from '../src/api/session.ts'
import { pauseAfter } from '../src/api/use-ask.ts'
import { cell, csv } from '../src/formats/csv.ts'
import { toneOf } from '../src/formats/moments.ts'
import { bytes } from '../src/formats/numbers.ts'
import { isLocal, splitSteps } from '../src/formats/steps.ts'
import { de } from '../src/i18n/de/index.ts'
import { en } from '../src/i18n/en/index.ts'
import { chosen } from '../src/screens/audit.tsx'
import { actionsOf } from '../src/screens/confirmation-actions.tsx'

test('cells that begin like a formula are text', () => {
  for (const text of ['=HYPERLINK("x")', '+49 170', '-1', '@SUM(1)', '\t=1', '\r=1']) assert.match(cell(text), /^"?'/, JSON.stringify(text))
  assert.equal(cell('plain'), 'plain')
  assert.equal(cell(null), '')
  assert.equal(cell('a,"b"\nc'), '"a,""b""\nc"')
  assert.equal(csv(['id', 'number'], [['1', '+49 170 ••• ••67']]), 'id,number\r\n1,\'+49 170 ••• ••67\r\n')
})

test('the code of a link is found in its fragment only', () => {
  assert.equal(codeOf('#code=abc-_9'), 'abc-_9')
  assert.equal(codeOf('#code='), null)
  assert.equal(codeOf('#other=1'), null)
  assert.equal(codeOf(''), null)
})

test('each status has its meaning', () => {
  assert.deepEqual([400, 401, 403, 404, 409, 503, 500].map(kindOf), ['malformed', 'ended', 'forbidden', 'missing', 'refused', 'stopped', 'failed'])
})

test('pauses grow to ten seconds', () => {
  assert.deepEqual([1, 2, 3, 9].map((failures) => pauseAfter(failures, 0)), [2000, 4000, 8000, 8000])
  assert.equal(pauseAfter(3, 10_000), 10_000)
})

test('buttons follow the state', () => {
  assert.deepEqual(actionsOf({ state: 'open', delivery: null, redactedAt: null }), ['cancel_confirmation'])
  assert.deepEqual(actionsOf({ state: 'verified', delivery: 'failed', redactedAt: null }), ['redeliver_webhook', 'redact_confirmation'])
  assert.deepEqual(actionsOf({ state: 'verified', delivery: 'pending', redactedAt: null }), ['redeliver_webhook'])
  assert.deepEqual(actionsOf({ state: 'expired', delivery: null, redactedAt: null }), ['redact_confirmation'])
  assert.deepEqual(actionsOf({ state: 'verified', delivery: 'delivered', redactedAt: '2026-01-01T00:00:00Z' }), [])
})

test('what happened has a tone', () => {
  for (const [kind, tone] of [
    ['started', 'plain'], ['missed', 'bad'], ['verified', 'good'], ['second_sender', 'warn'], ['attempt_succeeded', 'good'], ['attempt_failed', 'bad'],
    ['attempt_pending', 'plain'], ['delivery_failed', 'bad'], ['redacted', 'warn'], ['consumed', 'good'], ['blocked', 'bad'],
  ] as const) assert.equal(toneOf(kind), tone, kind)
})

test('steps of a provider keep their lines', () => {
  assert.deepEqual(splitSteps('1. One:\n   more 2. here\n2. Two\nSecret: none.\nSigned: all.'), {
    steps: ['One:\n   more 2. here', 'Two'],
    notes: ['Secret: none.', 'Signed: all.'],
  })
  assert.deepEqual(splitSteps('no numbers'), { steps: [], notes: ['no numbers'] })
  assert.ok(isLocal('http://127.0.0.1:8787/inbound-sms/twilio'))
  assert.ok(!isLocal('https://text.example.com'))
})

test('records are chosen by person and action', () => {
  const record = (by: string, action: string) => ({ at: '', by, action, details: {}, result: 'done' })
  const all = [record('anna', 'issue_key'), record('ben', 'issue_key'), record('anna', 'update_app')]
  assert.equal(chosen(all, '', '').length, 3)
  assert.deepEqual(chosen(all, 'anna', 'issue_key'), [all[0]])
})

test('sizes are in the largest unit', () => {
  assert.equal(bytes(0), '0 B')
  assert.equal(bytes(1023), '1,023 B')
  assert.equal(bytes(1536), '1.5 KiB')
})

test('both languages have every text, and none is empty', () => {
  const walk = (one: unknown, other: unknown, path: string): void => {
    assert.equal(typeof other, typeof one, path)
    if (typeof one === 'string') assert.ok(one.trim() !== '' && (other as string).trim() !== '', path)
    if (one === null || typeof one !== 'object') return
    // Words that replace the server's English ones exist in other languages only.
    const replaces = path.startsWith('.moments.') || /^\.(confirmations\.misses|sentences|refusals|troubles|quotasInUse|checkNames)$/.test(path)
    if (!replaces) assert.deepEqual(Object.keys(other as object).sort(), Object.keys(one).sort(), path)
    for (const [name, value] of Object.entries(one)) walk(value, (other as Record<string, unknown>)[name], `${path}.${name}`)
  }
  walk(en, de, '')
})
