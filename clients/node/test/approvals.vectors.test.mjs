// Approvals and logins without a payload behave as in the other languages' libraries: clients/vectors.json.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { webhookHandler } from '../src/handlers/index.js'
import { approvalId, approvalToken, isLinkTo, pageToken, sessionIdOf } from '../src/login-ids.js'
import { connect, finderOf } from './support/stub.mjs'

const VECTORS = JSON.parse(readFileSync(new URL('../../vectors.json', import.meta.url), 'utf8'))
const { logins, approvals, passkeys, proofsWithoutPayload } = VECTORS
const bytesOf = (text) => Buffer.from(text, 'base64url')
const silent = () => {}

test('ids, tokens and links of logins', () => {
  for (const { name, sessionId, browserPublicKey, ...facts } of logins.sessionIds) {
    assert.equal(sessionIdOf({ ...facts, browserPublicKey: bytesOf(browserPublicKey) }), sessionId, name)
  }
  for (const vector of logins.pageTokens) assert.equal(pageToken(vector.browserToken), vector.pageToken)
  const id = approvals.records[0].sessionId
  for (const { link, ok } of logins.links) assert.equal(isLinkTo(link?.replace('{id}', id), id), ok, link)
})

test('tokens and records of approvals', () => {
  for (const { apiKey, browserPublicKey, ...tokens } of approvals.tokens) {
    const browserToken = approvalToken(apiKey, bytesOf(browserPublicKey))
    assert.deepEqual({ browserToken, pageToken: pageToken(browserToken) }, tokens)
  }
  for (const { sessionId, userId, id } of approvals.records) {
    assert.equal(approvalId(sessionId, userId), id)
    assert.ok(id.length <= 64)
  }
})

const stubbed = ({ headers, ...answer }) => ({ ...answer, headers: Object.fromEntries(headers) })

/** Returns a client whose store contains this approval for this user, if there is one. */
async function remembering(t, session, user, options = {}) {
  const connected = await connect(t, options)
  connected.stub.keysHeaders = { date: VECTORS.date }
  if (user !== null) await connected.countersign.store.remember(approvalId(session, user), 60, () => {})
  return connected
}

const ERRORS = { unknown_approval: 'UnknownApprovalError', connection: 'ConnectionError', problem: 'ProblemError' }

for (const { name, session, remembered, keys, answers, requests, result, error, again } of approvals.results) {
  test(`result: ${name}`, async (t) => {
    const { stub, countersign } = await remembering(t, session, remembered)
    const seen = []
    const how = { ...(keys ? { findKey: finderOf(keys) } : {}), onResult: (decision) => { seen.push(decision) }, log: silent }
    const ask = () => {
      stub.answers.push(...answers.map(stubbed))
      return countersign.approvals.result(session, how)
    }
    if (error) {
      await assert.rejects(ask(), { name: ERRORS[error] })
      assert.deepEqual(seen, [])
    } else {
      assert.deepEqual(await ask(), result)
      assert.equal(stub.requests.length, requests)
      assert.deepEqual(await ask(), again)
      assert.deepEqual(seen, again.status === 'already_reported' ? [result] : [])
    }
  })
}

for (const { name, remembered, keys, headers, body, answers, status, text, decision, again } of approvals.webhooks) {
  test(`webhook: ${name}`, async (t) => {
    const { sessionId } = JSON.parse(body)
    const { stub, countersign } = await remembering(t, sessionId, remembered, { webhookSecret: approvals.webhookSecret })
    const seen = []
    const handle = webhookHandler(countersign, {
      onApproval: (decided) => { seen.push(decided) },
      ...(keys ? { findKey: finderOf(keys) } : {}),
      log: silent,
    })
    for (const expected of [{ status, text }, again]) {
      // The service's time is requested once, before the first webhook.
      stub.answers.push({ status: 200, headers: stub.keysHeaders, body: { keys: [] } })
      if (expected === again) stub.answers.pop()
      stub.answers.push(...answers.map(stubbed))
      const answer = await handle({ method: 'POST', headers, body })
      assert.deepEqual({ status: answer.status, text: answer.body }, expected)
      stub.answers.length = 0
    }
    assert.deepEqual(seen, decision ? [decision] : [])
  })
}

test('proofs without a payload count only for logins that the server opened', async (t) => {
  const { countersign, stub } = await connect(t)
  stub.keysHeaders = { date: VECTORS.date }
  const { origin, keys, cases } = proofsWithoutPayload
  for (const { name, detail, context, openedByServer, userId } of cases) {
    for (const flag of openedByServer ? [{ openedByServer }] : [{}, { openedByServer }]) {
      const verified = countersign.logins.verify(detail, { origin, context, findKey: finderOf(keys), ...flag })
      if (userId) assert.deepEqual(await verified, { userId, keyId: keys[0].keyId }, name)
      else await assert.rejects(verified, { name: 'LoginVerificationError' }, name)
    }
  }
})

test('proofs by passkeys', async (t) => {
  const { countersign, stub } = await connect(t)
  stub.keysHeaders = { date: VECTORS.date }
  const { origin, keys, cases } = passkeys
  for (const { name, detail, context, openedByServer, userId } of cases) {
    const verified = countersign.logins.verify(detail, { origin, context, findKey: finderOf(keys), openedByServer })
    if (userId) assert.equal((await verified).userId, userId, name)
    else await assert.rejects(verified, { name: 'LoginVerificationError' }, name)
  }
  assert.equal(cases.length, 103)
})

test('keys that a server knows wrongly are its own fault', async (t) => {
  const { countersign, stub } = await connect(t)
  stub.keysHeaders = { date: VECTORS.date }
  const { origin, keys: [passkey], cases: [{ detail }] } = passkeys
  for (const wrong of [{ rpId: undefined }, { origin: null }, { kind: 'chip' }, { kind: 'passkey', rpId: 7 }]) {
    const verified = countersign.logins.verify(detail, { origin, findKey: () => ({ ...passkey, ...wrong }) })
    await assert.rejects(verified, { name: 'CountersignError' })
  }
  for (const kind of [undefined, null, 'app', 'browser']) {
    const verified = countersign.logins.verify(detail, { origin, findKey: () => ({ ...passkey, kind }) })
    await assert.rejects(verified, { name: 'LoginVerificationError' })
  }
})
