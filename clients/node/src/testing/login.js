import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** @typedef {import('../openapi.js').components['schemas']} Schemas */

/**
 * Creates a login as a page would, with a key and a token like those of `<countersign-login>`. A test phone opens its
 * `url`, and `confirm` returns what the page would get.
 *
 * @param {import('../countersign.js').Countersign<any>} countersign A client with a test key.
 * @param {{ origin: string }} page
 * @returns {Promise<Schemas['NewSession']>}
 */
export async function startTestLogin(countersign, { origin }) {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return countersign.logins.create({
    browserToken: randomBytes(32).toString('base64url'),
    browserPublicKey: point.toString('base64url'),
    origin,
  })
}
