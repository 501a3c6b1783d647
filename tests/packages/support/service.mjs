// A service that answers the consumers' requests, and the webhook that it delivers.

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const CONFIRMATION = `cfm_${'1'.padStart(32, '0')}`
const NUMBER = '+12025550100'

/** The result of projects/node/src/use.ts and its counterparts. */
export const USED = {
  confirmationId: CONFIRMATION,
  numbers: [NUMBER],
  // The webhook, the same webhook again, and one with a modified body.
  statuses: [200, 200, 403],
  problem: 'not_found',
}

/** Starts a service, which is stopped at the end of the test. */
export async function startService(t) {
  const agents = []
  const server = createServer(async (request, response) => {
    agents.push(request.headers['user-agent'])
    request.resume()
    await once(request, 'end')
    const isStart = request.method === 'POST' && request.url === '/acquire-phone-number'
    const started = {
      confirmationId: CONFIRMATION,
      confirmationMessage: 'CS-0123456789ABCDEFGHJKMNPQRS',
      confirmationUri: { sms: 'sms:+12025550199' },
      expiresAt: new Date(Date.now() + 300_000).toISOString(),
      expiresIn: 300,
      sendTo: '+12025550199',
      sendToCountry: 'US',
      serverTime: new Date().toISOString(),
    }
    const problem = { type: '/problems/not_found', title: 'Not found', status: 404, code: 'not_found', requestId: 'req_1' }
    response.writeHead(isStart ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isStart ? started : problem))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => { server.close(resolve) })
  })
  return {
    /** The arguments of a consumer. */
    input: { url: `http://127.0.0.1:${server.address().port}`, ...delivery() },
    /** Asserts that all requests so far came from this library. */
    assertAgent(agent) {
      assert.ok(agents.length > 0)
      assert.deepEqual([...new Set(agents)], [agent])
    },
  }
}

/** Returns a secret and a webhook that it signed. */
function delivery() {
  const key = randomBytes(32)
  const body = JSON.stringify({
    carrier: '',
    confirmationId: CONFIRMATION,
    metadata: {},
    phoneNumber: NUMBER,
    timestamp: new Date().toISOString(),
    validationStatus: 'valid',
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')
  return {
    secret: `whsec_${key.toString('base64')}`,
    delivery: {
      method: 'POST',
      headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
      body,
    },
  }
}
