// `countersign mcp` as a process: what it writes, and how it ends.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

import { startServer } from '../browser/support/server.mjs'
import { countersign } from '../browser/support/tools.mjs'
import { connect } from './support/clients.mjs'

const HANG = { timeout: 60_000 }

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
}

/** Starts the command with pipes. */
function start(...words) {
  const child = spawn(countersign(), words, { stdio: 'pipe' })
  const said = { out: '', err: '' }
  const next = (stream) => once(stream, 'data')
  child.stdout.on('data', (text) => { said.out += text })
  child.stderr.on('data', (text) => { said.err += text })
  return {
    child,
    said,
    heard: () => next(child.stdout),
    send: (...messages) => child.stdin.write(messages.map((it) => `${JSON.stringify(it)}\n`).join('')),
    ended: once(child, 'close'),
  }
}

/** Runs a test on the data of a server. */
function onServer(name, run) {
  test(name, HANG, async () => {
    const server = await startServer()
    try {
      await run(server)
    } finally {
      await server.stop()
    }
  })
}

onServer('it writes answers only, and ends well at the end of its input', async ({ data }) => {
  const { child, said, send, ended } = start('--data', data, 'mcp')
  send(HELLO, { jsonrpc: '2.0', method: 'notifications/initialized' })
  child.stdin.write('this is not JSON\n')
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_apps', arguments: {} } })
  // The answer is on its way when the input ends.
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
  const lines = said.out.trimEnd().split('\n').map((line) => JSON.parse(line))
  for (const line of lines) assert.equal(line.jsonrpc, '2.0')
  const answer = lines.find(({ id }) => id === 2)
  assert.equal(answer.result.structuredContent.answer.items[0].app, 'demo')
  assert.equal(said.err, '')
})

onServer('it ends well without a conversation, and at a signal in one', async ({ data }) => {
  const silent = start('--data', data, 'mcp')
  silent.child.stdin.end()
  assert.deepEqual(await silent.ended, [0, null])
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const { child, heard, send, ended } = start('--data', data, 'mcp')
    const answered = heard()
    send(HELLO)
    await answered
    child.kill(signal)
    assert.deepEqual(await ended, [0, null], signal)
  }
})

onServer('a stopped server is read, as far as its data say', async (server) => {
  const { ask, call, close } = await connect('sdk 1.x', server.data)
  assert.equal((await ask('show_server')).answer.local, true)
  await server.halt()
  assert.equal((await ask('list_apps')).answer.items[0].app, 'demo')
  const { isError, content } = await call('show_server')
  assert.equal(isError, true)
  assert.match(content[0].text, /^Not available now: <foreign-[0-9a-f]{16}>no server is running/)
  await close()
})

test('a directory without data is refused before the conversation', HANG, async () => {
  const { said, ended } = start('--data', '/nonexistent', 'mcp')
  assert.deepEqual(await ended, [1, null])
  assert.equal(said.out, '')
  assert.match(said.err, /nonexistent/)
})
