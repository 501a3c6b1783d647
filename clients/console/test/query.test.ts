import assert from 'node:assert/strict'
import { test } from 'node:test'

import { changed, confirmationFilter, isWalk, loginFilter, search } from '../src/formats/query.ts'
import { href, parse } from '../src/shell/route.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)

test('a search is for digits or for an id', () => {
  assert.deepEqual(search(''), {})
  assert.deepEqual(search('  4711 '), { digits: '4711' })
  assert.deepEqual(search('+49 (170) 123-45 67'), { digits: '491701234567' })
  assert.deepEqual(search('••67'), { digits: '67' })
  assert.deepEqual(search('１２３４'), { digits: '1234' })
  // One digit finds a tenth of all; sixteen are no number.
  assert.deepEqual(search('7'), { id: '7' })
  assert.deepEqual(search('1234567890123456'), { id: '1234567890123456' })
  assert.deepEqual(search('0f6b2a7c9d3e4f508192a3b4c5d6e7f8'), { id: '0f6b2a7c9d3e4f508192a3b4c5d6e7f8' })
})

test('the address holds every filter', () => {
  const filter = confirmationFilter(query('app=shop&state=open&state=expired&failed=1&noText=1&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&q=4711&after=c'))
  assert.deepEqual(filter, {
    app: 'shop', states: ['open', 'expired'], failed: true, noText: true, from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z',
    digits: '4711', after: 'c', limit: 50,
  })
  assert.deepEqual(loginFilter(query('state=denied&q=abc')), { states: ['denied'], id: 'abc', limit: 50 })
})

test('what an address says wrongly is left out', () => {
  assert.deepEqual(confirmationFilter(query('state=lost&from=soon&app=&failed=yes')), { limit: 50 })
})

test('filters that look at each confirmation are known', () => {
  assert.equal(isWalk({ digits: '67' }), true)
  assert.equal(isWalk({ failed: true }), true)
  assert.equal(isWalk({ noText: true }), true)
  assert.equal(isWalk({ app: 'shop', states: ['open'], id: 'x' }), false)
})

test('another filter starts at the first page', () => {
  assert.equal(changed(query('app=shop&after=c'), { state: ['open', 'expired'] }).toString(), 'app=shop&state=open&state=expired')
  assert.equal(changed(query('app=shop&after=c'), { app: '' }).toString(), '')
  assert.equal(changed(query('app=shop'), { after: 'd' }).toString(), 'app=shop&after=d')
  assert.equal(changed(query('state=open&q=1'), { state: null }).toString(), 'q=1')
})

test('addresses come back as they were', () => {
  const address = href(['apps', 'a b/c', 'keys'], query('x=1&y=%26'))
  const [path = '', search = ''] = address.split('?')
  const route = parse(path, `?${search}`)
  assert.deepEqual(route.path, ['apps', 'a b/c', 'keys'])
  assert.equal(route.query.get('y'), '&')
  // A damaged escape is not an error.
  assert.deepEqual(parse('/apps/%E0%A4%A', '').path, ['apps', '%E0%A4%A'])
})
