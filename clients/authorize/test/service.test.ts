import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ask } from '../src/service.ts'

/** Asks a service that gives this answer. */
async function asked(answer: Response) {
  const { fetch } = globalThis
  globalThis.fetch = async () => answer
  try {
    return await ask('/authorize/finish', {})
  } finally {
    globalThis.fetch = fetch
  }
}

test('answer that ends too early is none', async () => {
  const cut = new ReadableStream({
    start(stream) {
      stream.enqueue(new TextEncoder().encode('{"code":'))
      stream.error(new TypeError('network error'))
    },
  })
  assert.equal((await asked(new Response(cut, { status: 403 }))).status, 0)
})

test('answer without JSON has its status', async () => {
  const answer = new Response('<h1>Bad gateway</h1>', { status: 502 })
  assert.deepEqual(await asked(answer), { status: 502, code: '', location: '' })
})
