// A shop whose users have phones without an app, with the library for Node.js. phone_shop.py and
// clients/go/internal/integration/phoneshop are the same shop in Python and Go; shops.mjs starts them.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

import { login, webhook } from '../../../clients/node/src/express.js'
import { Countersign, LoginVerificationError } from '../../../clients/node/src/index.js'

const env = (name) => process.env[`COUNTERSIGN_${name}`]
const countersign = new Countersign({
  url: env('URL'), apiKey: env('API_KEY'), appKey: env('APP_KEY'), webhookSecret: env('WEBHOOK_SECRET'),
})
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** Users by the id of their phone's key, as the webhook names them. */
const owners = new Map()

async function findKey(keyId) {
  const userId = owners.get(keyId)
  if (!userId) return null
  const keys = await countersign.associationKeys.list({ publicUserId: userId })
  const key = keys.find((one) => one.keyId === keyId)
  return key ? { ...key, userId } : null
}

async function verify({ sessionId, proof, origin, context, keys }) {
  const find = keys ? (keyId) => keys.find((key) => key.keyId === keyId) : findKey
  try {
    return await countersign.logins.verify({ sessionId, proof }, { origin, context, findKey: find, openedByServer: true })
  } catch (error) {
    if (error instanceof LoginVerificationError) return { refused: error.reason }
    throw error
  }
}

const calls = {
  '/register': (request) => countersign.phoneRegistrations.create(request),
  '/registration': ({ id }) => countersign.phoneRegistrations.get(id),
  '/start': (request) => countersign.approvals.start(request),
  '/result': ({ id }) => countersign.approvals.result(id, { findKey }),
  '/verify': verify,
}
const handlers = {
  '/login': login(countersign, {
    origin: env('SHOP_ORIGIN'), findKey, onLogin: ({ userId, keyId }, _, response) => send(response, { userId, keyId }),
  }),
  '/webhook': webhook(countersign, {
    onPhoneRegistered(phone) {
      owners.set(phone.keyId, phone.publicUserId)
      const { registrationId: id, publicUserId: user, keyId, kind } = phone
      say({ event: 'phone', id, user, keyId, kind })
    },
    onApproval: (result) => say({ event: 'approval', ...result }),
    findKey,
  }),
}

function send(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const server = createServer(async (request, response) => {
  const handle = handlers[request.url]
  if (handle) return handle(request, response)
  send(response, await calls[request.url](JSON.parse(await text(request))))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
say({ event: 'ready', url: `http://127.0.0.1:${server.address().port}` })
