import { isAnyArrayBuffer } from 'node:util/types'

import { CountersignError } from '../errors.js'
import { header } from '../headers.js'
import { Refusal } from './answer.js'

const MAX_BODY_BYTES = 64 * 1024

/**
 * @typedef {object} HandlerRequest
 * @property {string | undefined} method
 * @property {import('../headers.js').HeadersLike} headers
 * @property {Body | (() => Body | Promise<Body>)} body The raw body, or a function that reads it.
 */

/** @typedef {ArrayBufferView | ArrayBuffer | string | null | undefined} Body The bytes as they arrived, or their text. */

/** @param {HandlerRequest} request */
export function assertPost({ method }) {
  if (method !== 'POST') throw new Refusal(405, 'POST only')
}

/**
 * @internal
 * @param {HandlerRequest} request
 */
export async function rawBody({ body, headers }) {
  const read = bytesOf(typeof body === 'function' ? await body() : body)
  if (read.length > MAX_BODY_BYTES) throw tooLarge()
  if (read.length === 0 && !['0', undefined].includes(header(headers, 'content-length'))) {
    throw bodyRead('something has read it before the handler')
  }
  return read
}

/**
 * Returns the bytes of a body, whichever realm they come from.
 *
 * @internal
 * @param {unknown} body
 * @returns {Buffer}
 */
export function bytesOf(body) {
  if (body === undefined || body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (isAnyArrayBuffer(body)) return Buffer.from(body)
  throw bodyRead('a parsed one cannot be verified')
}

const tooLarge = () => new Refusal(413, 'body too large')

/**
 * Reads a stream, and refuses a body that is too large after receiving it.
 *
 * @internal
 * @param {AsyncIterable<Uint8Array | string>} stream
 */
export async function readStream(stream) {
  const chunks = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = bytesOf(chunk)
    size += bytes.length
    if (size <= MAX_BODY_BYTES) chunks.push(bytes)
  }
  if (size > MAX_BODY_BYTES) throw tooLarge()
  return Buffer.concat(chunks)
}

/**
 * Reads the body of a web-standard request.
 *
 * @internal
 * @param {Request} request
 */
export function readWebBody(request) {
  if (request.bodyUsed) throw bodyRead('read it nowhere before this handler, not even in middleware')
  return readStream(/** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (request.body ?? emptyStream())))
}

async function* emptyStream() {}

/**
 * The signature is over the raw bytes, so a body that has already been parsed cannot be verified.
 *
 * @param {string} remedy
 */
export const bodyRead = (remedy) => new CountersignError(`the raw body is gone: pass the raw body: ${remedy}`)
