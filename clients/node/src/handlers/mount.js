/**
 * Refuses a value that is not a client, when a handler is mounted.
 *
 * @param {import('../countersign.js').Countersign<any>} countersign
 */
export function assertClient(countersign) {
  if (typeof countersign?.webhooks?.verify !== 'function' || typeof countersign.logins?.verify !== 'function') {
    throw new TypeError('the first argument is not a Countersign')
  }
}
