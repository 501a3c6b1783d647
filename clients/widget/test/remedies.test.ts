import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { remedyFor } from '../src/remedies.ts'

const page = {
  origin: 'https://shop.example',
  address: 'https://shop.example/login',
  asked: 'https://countersign.example/qr-sessions',
  start: '/login/start',
}

test('remedy for an unlisted origin is the command that lists the origin of this page', () => {
  assert.match(remedyFor('origin_not_allowed', page), /countersign app update APP --add-origin https:\/\/shop\.example$/)
})

test('remedy for an unlisted return page is the command that lists this page', () => {
  const command = /countersign app update APP --add-return-page https:\/\/shop\.example\/login$/
  assert.match(remedyFor('return_url_not_allowed', page), command)
})

test('remedy for an app of which only the server opens logins names the attribute and the setting', () => {
  const remedy = remedyFor('login_server_only', page)
  assert.match(remedy, /attribute start, .*countersign app update APP --logins-from pages$/)
})

test('remedy for a route that starts nothing names the route', () => {
  assert.match(remedyFor('start_refused', page), /POST \/login\/start, a route of https:\/\/shop\.example,/)
})

test('remedy for a policy names the service', () => {
  assert.match(remedyFor('blocked_by_policy', page), /https:\/\/countersign\.example .*connect-src/)
})

test('remedy for a service without an answer says if the browser refuses to ask', () => {
  const remedy = (origin: string, asked: string) => remedyFor('unreachable', { ...page, origin, asked })
  const mixed = /an https URL/
  assert.match(remedy('https://shop.example', 'http://countersign.example'), mixed)
  for (const [origin, asked] of [
    ['https://shop.example', 'https://countersign.example'],
    ['https://shop.example', 'http://localhost:8787'],
    ['https://shop.example', 'http://127.0.0.1:8787'],
    ['http://localhost:3000', 'http://countersign.example'],
  ] as const) {
    assert.doesNotMatch(remedy(origin, asked), mixed)
    assert.ok(remedy(origin, asked).includes(asked))
  }
})

test('remedy for any other code says where to look it up', () => {
  for (const code of ['quota_exceeded', 'constructor', 'toString']) {
    assert.match(remedyFor(code, page), new RegExp(`^Look up ${code} `))
  }
})

test('every code with a remedy is documented', () => {
  const documented = readFileSync('README.md', 'utf8') + readFileSync('../../docs/problems.md', 'utf8')
  const source = readFileSync('src/remedies.ts', 'utf8')
  const codes = [...source.matchAll(/^ {2}(\w+): /gm)].map(([, code]) => code!)
  assert.ok(codes.length > 10)
  for (const code of codes) assert.ok(documented.includes(`\`${code}\``), code)
})
