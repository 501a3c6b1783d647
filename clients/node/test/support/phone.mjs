// A phone that confirms logins. Attackers may do more with it than the SDK allows.

import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto'

import { calculateJwkThumbprint } from 'jose'

import { APP_KEY } from './stub.mjs'

export const ORIGIN = 'https://shop.example'
export const ZOE = 'zoe@example.com'
export const SESSION = 'qrs_abababababababababababababababab'
export const SALT = Buffer.alloc(16, 0x5a).toString('base64url')

const PKCS8_HEAD = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'

export const encode = (data) => Buffer.from(data).toString('base64url')
export const hash = (...parts) => (
  parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest('base64url')
)

/** Creates the phone whose private key is this byte, 32 times. Zoe's phone has 7. */
export async function phone(byte, facts = {}) {
  const der = Buffer.concat([Buffer.from(PKCS8_HEAD, 'hex'), Buffer.alloc(32, byte)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const keyId = await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))
  const { app = APP_KEY, origin = ORIGIN, session = SESSION, user = ZOE } = facts
  const { context, payload = 'a token', after = 0 } = facts
  const iat = Math.floor(Date.now() / 1000) + after
  const claims = {
    act: 'confirm',
    app,
    aud: origin,
    ...(context === undefined ? {} : { ctx: hash('countersign/ctx/1\0', context) }),
    exp: iat + 300,
    iat,
    jti: session,
    pay: hash('countersign/pay/1\0', Buffer.from(SALT, 'base64url'), payload),
    ...(user === null ? {} : { sub: user }),
  }
  const header = { alg: 'ES256', kid: keyId, typ: 'countersign-login+jwt' }
  const signBytes = (input) => sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const compact = (head, body) => {
    const input = `${encode(head)}.${encode(body)}`
    return `${input}.${encode(signBytes(input))}`
  }
  return {
    keyId,
    header,
    claims,
    compact,
    sign: signBytes,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    pem: publicKey.export({ format: 'pem', type: 'spki' }),
    proof: () => compact(JSON.stringify(header), JSON.stringify(claims)),
    hmac: (secret, input) => encode(createHmac('sha256', secret).update(input).digest()),
    detail: (proof) => ({ sessionId: session, payload, salt: SALT, proof }),
  }
}

/** Returns a function that finds these users' keys. */
export function finder(users) {
  const keys = new Map(users.map(([{ keyId, publicKey }, userId]) => [keyId, { publicKey, userId }]))
  return (keyId) => keys.get(keyId)
}
