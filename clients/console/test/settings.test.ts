import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import type { App } from '../src/api/types.ts'
import { change, fieldText, isSame, noChanges, SETTINGS, valueAt, type Setting } from '../src/formats/settings.ts'

const ROOT = process.cwd()

function setting(path: string): Setting {
  const found = SETTINGS.find((one) => one.path === path)
  assert.ok(found, path)
  return found
}

/** Returns what a change sends beyond what every request has. */
function sent(path: string, text: string, seen: unknown): Record<string, unknown> {
  const made = change(setting(path), text, seen)
  const empty = noChanges()
  const differs = (name: string, one: Record<string, unknown>, other: Record<string, unknown>): boolean => !isSame(one[name], other[name])
  const of = (one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> => (
    Object.fromEntries(Object.keys(one).filter((name) => differs(name, one, other)).map((name) => [name, one[name]]))
  )
  const { login, openid, quotas, ...rest } = made as Record<string, Record<string, unknown>>
  const { login: noLogin, openid: noOpenid, quotas: noQuotas, ...noRest } = empty as Record<string, Record<string, unknown>>
  return {
    ...of(rest, noRest), ...of(login ?? {}, noLogin ?? {}), ...of(openid ?? {}, noOpenid ?? {}), ...of(quotas ?? {}, noQuotas ?? {}),
  }
}

test('one setting is sent at a time', () => {
  assert.deepEqual(sent('callbackUrl', ' https://a.example/x ', null), { callback_url: 'https://a.example/x' })
  assert.deepEqual(sent('callbackUrl', '', 'https://a.example/x'), { no_callback_url: true })
  assert.deepEqual(sent('webhookDetails', 'true', false), { webhook_details: true })
  assert.deepEqual(sent('webhookDetails', 'false', true), { no_webhook_details: true })
  assert.deepEqual(sent('login.checkCode', 'false', true), { check_code: false })
  assert.deepEqual(sent('login.loginsFrom', 'server', 'pages'), { logins_from: 'server' })
  assert.deepEqual(sent('login.webPhone', 'true', false), { web_phone: true })
  assert.deepEqual(sent('login.phoneSetupUrl', '', 'https://a.example/x'), { no_phone_setup_url: true })
  assert.deepEqual(sent('openid.client', 'public', 'confidential'), { openid_client: 'public' })
  assert.deepEqual(sent('openid.methods', 'code\ntext', ['text']), { openid_methods: ['code', 'text'] })
  assert.deepEqual(sent('openid.subjectSilenceDays', '45', 90), { openid_subject_silence_days: '45' })
  assert.deepEqual(sent('quotas.logins.burst', 'default', 200), { max_login_burst: 'default' })
  assert.deepEqual(sent('senders', '+1\n\n DE=+49 \n+1', []), { senders: ['+1', 'DE=+49'] })
  assert.deepEqual(sent('messageTemplates', '', { de: 'x {code}' }), { no_message_templates: true })
})

test('lists of pages are sent as additions and removals', () => {
  const seen = ['https://a.example', 'https://b.example']
  assert.deepEqual(sent('login.origins', 'https://b.example\nhttps://c.example', seen), {
    added_origins: ['https://c.example'], removed_origins: ['https://a.example'],
  })
  assert.deepEqual(sent('login.returnPages', '', ['https://a.example/x']), { removed_return_pages: ['https://a.example/x'] })
  assert.deepEqual(sent('openid.redirectUris', 'https://a.example/x', []), { added_redirect_uris: ['https://a.example/x'] })
})

test('a request has each member that the command demands', () => {
  const sources = ['settings.rs', 'settings/login.rs', 'settings/openid.rs', 'settings/quotas.rs'].map((name) => (
    readFileSync(`${ROOT}/../../cli/src/admin/${name}`, 'utf8')
  ))
  const members = sources.map((source) => (
    [...source.matchAll(/^ {4}(?:pub(?:\([a-z]+\))? )?([a-z_]+): (bool|Vec<.*>|Option<.*>),$/gm)].map(([, name = '', type = '']) => ({ name, type }))
  ))
  const empty = noChanges() as Record<string, Record<string, unknown>>
  const login = Object.keys(empty['login'] ?? {}).sort()
  const openid = Object.keys(empty['openid'] ?? {}).sort()
  const demanded = (index: number): string[] => (
    (members[index] ?? []).filter(({ type }) => !type.startsWith('Option')).map(({ name }) => name).sort()
  )
  assert.deepEqual(Object.keys(empty).filter((name) => !['login', 'openid', 'quotas'].includes(name)).sort(), demanded(0))
  assert.deepEqual(login, demanded(1))
  assert.deepEqual(openid, demanded(2))
  assert.deepEqual(demanded(3), [])
  // And each option of the command has a place on the page.
  const known = new Set([
    ...Object.keys(empty), ...login, ...openid, ...SETTINGS.flatMap(({ option, off, add, remove }) => [option, off, add, remove]),
  ])
  for (const { name } of members.flat()) assert.ok(known.has(name), `${name} is not on the page`)
})

test('values are found, shown and compared', () => {
  const app = { app: 'a', appKey: 'k', createdAt: '', login: { origins: ['x', 'y'] }, messageTemplates: { de: 'd', fr: 'f' } } as App
  assert.deepEqual(valueAt(app, 'login.origins'), ['x', 'y'])
  assert.equal(valueAt(app, 'quotas.logins.burst'), null)
  assert.equal(fieldText(valueAt(app, 'messageTemplates')), 'de=d\nfr=f')
  assert.equal(fieldText(false), 'false')
  assert.ok(isSame({ a: 1, b: 2 }, { b: 2, a: 1 }))
  assert.ok(isSame(undefined, null))
  assert.ok(!isSame(['a', 'b'], ['b', 'a']))
})
