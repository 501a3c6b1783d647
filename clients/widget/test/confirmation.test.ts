import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readConfirmation } from '../src/confirmation.ts'
import { answer } from './support/confirmation.ts'

const withLink = (name: string, link: unknown) => answer({
  confirmationUri: { ...answer()['confirmationUri'] as object, [name]: link },
})

test('answer of the service is a confirmation', () => {
  const { client, country, id, lifetime, links, message, sendTo, test } = readConfirmation(answer())
  assert.deepEqual([country, lifetime, sendTo, test], ['US', 300_000, '+12025550199', false])
  assert.equal(id, 'cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4')
  assert.equal(links.qr, `smsto:${sendTo}:${message}`)
  assert.equal(client?.token, 'token')
})

test('members that not every answer has may be missing', () => {
  const { client, country, links } = readConfirmation(answer({ client: undefined, sendToCountry: undefined }))
  assert.deepEqual([client, country, links.whatsapp], [null, null, null])
  const whatsapp = 'https://wa.me/12025550177?text=CS-7Q2M0XK4V9T1BHNE'
  assert.equal(readConfirmation(withLink('whatsapp', whatsapp)).links.whatsapp, whatsapp)
  assert.equal(readConfirmation(answer({ test: true })).test, true)
})

test('link that does anything but open a text is refused', () => {
  for (const link of ['javascript:alert(1)', ' javascript:alert(1)', 'https://evil.example', 'data:,', '', 3, undefined]) {
    for (const name of ['qr', 'ios', 'sms']) {
      assert.throws(() => readConfirmation(withLink(name, link)), new Error(name), `${name}: ${String(link)}`)
    }
  }
  for (const link of ['javascript:alert(1)', 'https://wa.me.evil.example/', 'http://wa.me/1', '']) {
    assert.throws(() => readConfirmation(withLink('whatsapp', link)), new Error('whatsapp'))
  }
})

test('anything else is refused with the name of what is wrong, and without its value', () => {
  for (const value of [null, undefined, 3, 'text', [], {}]) {
    assert.throws(() => readConfirmation(value), new Error('expiresIn'))
  }
  for (const [name, wrong] of [
    ['confirmationId', ''], ['confirmationMessage', null], ['sendTo', 'javascript:'], ['expiresIn', '300'],
  ] as const) {
    assert.throws(() => readConfirmation(answer({ [name]: wrong })), new Error(name))
  }
  for (const [name, wrong] of [['token', 3], ['statusUrl', 'ftp://a'], ['socketUrl', 'https://a']] as const) {
    const client = { ...answer()['client'] as object, [name]: wrong }
    assert.throws(() => readConfirmation(answer({ client })), new Error(name))
  }
})
