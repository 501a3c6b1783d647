// Approvals with the real server and its simulated phone.

import assert from 'node:assert/strict'

import { Countersign } from '../src/index.js'
import { serviceTest, startWithReceiver as start } from './support/server.mjs'

const ZOE = 'zoe@example.com'
const CONTEXT = 'Pay 20 EUR to Zoë'

/** Creates a key on the simulated phone, registers it, and returns its id. */
async function registerKey({ server, countersign }) {
  const { publicKey, signature } = await server.phone('keys', 'create', '--public-user-id', ZOE, '--app-key', server.demo.appKey)
  return (await countersign.associationKeys.register({ publicUserId: ZOE, publicKey, signature })).keyId
}

serviceTest('approval is watched by its page, and reported once', async (t) => {
  const { server, countersign } = await start(t)
  const keyId = await registerKey({ server, countersign })
  const origin = server.demo.url
  // The text is normalized before it is sent.
  const { id, session } = await countersign.approvals.start({ origin, context: CONTEXT.normalize('NFD'), userId: ZOE })
  const { status, expiresIn } = await countersign.approvals.result(id)
  assert.equal(status, 'pending')
  assert.ok(expiresIn > 50)
  await server.phone('open', session.url, '--confirm', '--public-user-id', ZOE)
  const authorization = `Bearer ${session.token}`
  const watched = await fetch(`${origin}/qr-sessions/${id}`, { headers: { authorization } })
  assert.equal((await watched.json()).state, 'confirmed')
  const redeem = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{"receipt":"AAAAAAAAAAAAAAAAAAAAAA"}' }
  assert.equal((await fetch(`${origin}/qr-sessions/${id}/redeem`, redeem)).status, 404)

  const decision = { id, status: 'approved', userId: ZOE, keyId, context: CONTEXT, origin }
  assert.deepEqual(await countersign.approvals.result(id), decision)
  assert.deepEqual(await countersign.approvals.result(id), { id, status: 'already_reported' })
})

serviceTest('approval of a closed page arrives as a webhook, and a denial', async (t) => {
  const { server, countersign, seen, callbackUrl, nextAnswer } = await start(t)
  await registerKey({ server, countersign })
  await server.command('app', 'update', 'demo', '--login-callback', callbackUrl)
  for (const [decide, outcome] of [['--confirm', { status: 'approved' }], ['--deny', { status: 'denied', reason: 'denied' }]]) {
    const { id, session } = await countersign.approvals.start({ origin: server.demo.url, context: CONTEXT, userId: ZOE })
    await server.phone('open', session.url, decide, '--public-user-id', ZOE)
    assert.equal(await nextAnswer(), '200 accepted')
    const decision = seen.approvals.pop()
    assert.deepEqual({ ...decision, ...outcome }, decision)
    assert.equal((await countersign.approvals.result(id)).status, 'already_reported')
  }
  assert.deepEqual(seen.logins, [])
})

serviceTest('approval is for one user, and ends when it is cancelled', async (t) => {
  const { server, countersign } = await start(t)
  await registerKey({ server, countersign })
  const { id, session } = await countersign.approvals.start({ origin: server.demo.url, context: CONTEXT, userId: 'yan' })
  const open = server.phone('open', session.url, '--confirm', '--public-user-id', ZOE)
  await assert.rejects(open, /user_mismatch/)
  assert.equal((await countersign.approvals.result(id)).status, 'pending')
  await countersign.logins.cancel(id)
  assert.deepEqual(await countersign.approvals.result(id), { id, status: 'expired', reason: 'cancelled' })
})

serviceTest('approval that another server started is unknown', async (t) => {
  const { server, countersign } = await start(t)
  const { apiKey, appKey, url } = server.demo
  const { id, session } = await countersign.approvals.start({ origin: url, context: CONTEXT, userId: ZOE })
  await server.phone('open', session.url, '--deny', '--public-user-id', ZOE)
  const other = new Countersign({ url, apiKey, appKey })
  await assert.rejects(other.approvals.result(id), { name: 'UnknownApprovalError' })
  assert.deepEqual(await countersign.approvals.result(id), { id, status: 'denied', reason: 'denied' })
})
