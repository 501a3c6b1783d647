/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Answer */

/**
 * @param {number} status
 * @param {string} text
 * @returns {Answer}
 */
export function answer(status, text) {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'POST' } : {}),
  }
  return { status, headers, body: text }
}

/** An answer that ends the handling of a request. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} text
   * @param {string} [reason] Only for the log.
   * @param {unknown} [cause] Only for the log.
   */
  constructor(status, text, reason = text, cause = undefined) {
    super(reason, cause === undefined ? undefined : { cause })
    this.status = status
    this.text = text
  }
}

/**
 * Logs the reasons that the caller is not told.
 *
 * @typedef {(message: string, error?: unknown) => void} Log
 */

/** @type {Log} */
export const consoleLog = (message, ...error) => console.error(`countersign: ${message}`, ...error)

/**
 * Runs a handler, and converts what it throws to an answer.
 *
 * @param {Log} log
 * @param {() => Promise<Answer>} handle
 * @returns {Promise<Answer>}
 */
export async function answering(log, handle) {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof Refusal)) {
      log('a request cannot be answered', error)
      return answer(500, 'internal error')
    }
    log(`refused: ${error.message}`, ...(error.cause === undefined ? [] : [error.cause]))
    return answer(error.status, error.text)
  }
}
