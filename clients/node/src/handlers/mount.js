import { assertCallback } from '../options.js'

/**
 * Refuses what is not a client, when a handler is mounted.
 *
 * @param {import('../countersign.js').Countersign<any>} countersign
 */
export function assertClient(countersign) {
  if (typeof countersign?.webhooks?.verify !== 'function' || typeof countersign.logins?.verify !== 'function') {
    throw new TypeError('the first argument is not a Countersign')
  }
}

/**
 * Takes the option `onLogin` of an adapter apart from those of the handler.
 *
 * @template {{ onLogin: (...words: any[]) => unknown }} O
 * @param {O} options
 */
export function splitOnLogin(options) {
  if (typeof options !== 'object' || options === null) throw new TypeError('login needs an object of options')
  const { onLogin, ...others } = options
  assertCallback('onLogin', onLogin)
  return { onLogin, others }
}
