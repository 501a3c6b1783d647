import assert from 'node:assert/strict'
import { test } from 'node:test'

import { forget, keep, methodOf, requestFor } from '../src/kept.ts'

const HERE = 'https://login.example/authorize?state=1'
const ELSEWHERE = 'https://login.example/authorize?state=2'

function storage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  } as unknown as Storage
}

test('reload goes on with the request and the method of before', () => {
  const tab = storage()
  const first = requestFor(HERE, 'first', 1_000, tab)
  assert.deepEqual(first, { sealed: 'first', until: 301_000, kept: false })
  keep(HERE, first, 'code', tab)
  assert.deepEqual(requestFor(HERE, 'second', 300_999, tab), { sealed: 'first', until: 301_000, kept: true })
  assert.equal(methodOf(HERE, tab), 'code')
})

test('another request, a late reload and a new start have a new request', () => {
  const tab = storage()
  keep(HERE, requestFor(HERE, 'first', 0, tab), 'code', tab)
  assert.equal(requestFor(ELSEWHERE, 'second', 1, tab).sealed, 'second')
  assert.equal(methodOf(ELSEWHERE, tab), '')
  assert.equal(requestFor(HERE, 'second', 300_000, tab).sealed, 'second')
  forget(tab)
  assert.equal(requestFor(HERE, 'second', 1, tab).sealed, 'second')
})

test('tab without storage, or with what another release kept, starts again', () => {
  assert.equal(requestFor(HERE, 'first', 0, null).sealed, 'first')
  for (const text of ['', 'null', '{}', '[]', '{"address":1}', 'no JSON']) {
    const tab = storage()
    tab.setItem('countersign-authorize', text)
    assert.deepEqual(requestFor(HERE, 'first', 0, tab), { sealed: 'first', until: 300_000, kept: false }, text)
  }
})
