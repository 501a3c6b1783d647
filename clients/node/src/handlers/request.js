import { CountersignError } from '../errors.js'
import { Refusal } from './answer.js'

const MAX_BODY_BYTES = 64 * 1024

/**
 * @typedef {object} HandlerRequest
 * @property {string | undefined} method
 * @property {import('../headers.js').HeadersLike} headers
 * @property {Body | (() => Promise<Body>)} body The raw body, or a function that reads it.
 */

/** @typedef {Uint8Array | string} Body */

/** @param {HandlerRequest} request */
export function assertPost({ method }) {
  if (method !== 'POST') throw new Refusal(405, 'POST only')
}

/**
 * @internal
 * @param {HandlerRequest} request
 */
export async function rawBody({ body }) {
  const read = Buffer.from(typeof body === 'function' ? await body() : body)
  if (read.length > MAX_BODY_BYTES) throw tooLarge()
  return read
}

const tooLarge = () => new Refusal(413, 'body too large')

/**
 * Reads a stream, and refuses a body that is too large once it was received.
 *
 * @internal
 * @param {AsyncIterable<Uint8Array>} stream
 */
export async function readStream(stream) {
  const chunks = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  if (size > MAX_BODY_BYTES) throw tooLarge()
  return Buffer.concat(chunks)
}

/**
 * Reads the body of a Web request.
 *
 * @internal
 * @param {Request} request
 */
export function readWebBody(request) {
  if (request.bodyUsed) throw bodyRead('read the body nowhere before this handler, not even in middleware')
  return readStream(/** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (request.body ?? emptyStream())))
}

async function* emptyStream() {}

/**
 * The signature is of the raw bytes, so that a body which was parsed before cannot be verified.
 *
 * @param {string} remedy
 */
export const bodyRead = (remedy) => new CountersignError(`the body was read before the handler: ${remedy}`)
