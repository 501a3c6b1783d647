// A process of a service behind a load balancer: an HTTP server with Better Auth. The configuration is JSON in the first
// argument; it prints its port.

import { once } from 'node:events'
import { createServer } from 'node:http'

import { betterAuth } from 'better-auth'
import { toNodeHandler } from 'better-auth/node'

import { countersign } from '../../dist/index.js'
import { openDatabase } from './database.mjs'

const { path, plugin, callbackPort } = JSON.parse(process.argv[2])
let handle = (_request, response) => response.writeHead(503).end()
const server = createServer((request, response) => handle(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
const auth = betterAuth({
  baseURL: 'http://localhost:3000',
  secret: 'a secret that is only for tests, and long enough',
  database: openDatabase(path),
  telemetry: { enabled: false },
  plugins: [countersign({ ...plugin, callbackUrl: `http://127.0.0.1:${callbackPort ?? port}/api/auth/countersign/webhook` })],
})
await auth.$context
handle = toNodeHandler(auth)
console.log(port)
