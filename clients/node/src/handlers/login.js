import { LoginVerificationError } from '../errors.js'
import { header } from '../headers.js'
import { assertCallback, assertOptions, assertOrigin } from '../options.js'
import { LOGIN_TTL_SECONDS, acceptOnce, rememberOnce } from '../store.js'
import { Refusal, answer, answering, consoleLog } from './answer.js'
import { assertClient } from './mount.js'
import { assertPost, rawBody } from './request.js'

/** @typedef {import('../logins.js').Login} Login */

/**
 * @typedef {object} LoginOptions
 * @property {string} origin The page's origin, such as `https://shop.example`. Requests of other pages are refused.
 * @property {import('../proof.js').FindKey} findKey
 * @property {import('./answer.js').Log} [log] Where failures and refusals are reported; the console if absent.
 */

/**
 * Returns a handler for what a page posts after its event `confirmed`. `onLogin` sets the session: it runs once for
 * each login, and only if the proof is valid.
 *
 * @param {import('../countersign.js').Countersign<any>} countersign
 * @param {LoginOptions} options
 * @returns {(request: import('./request.js').HandlerRequest, onLogin: (login: Login) => unknown) =>
 *   Promise<import('./answer.js').Answer>}
 */
export function loginHandler(countersign, options) {
  assertClient(countersign)
  assertOptions('login', options, ['origin', 'findKey', 'log'])
  const { origin, findKey, log = consoleLog } = options
  assertOrigin(origin)
  assertCallback('findKey', findKey)
  assertCallback('log', log)
  countersign.logins.requireAppKey()
  return (request, onLogin) => answering(log, async () => {
    assertPost(request)
    // Otherwise, another site could log its visitors in here.
    if (header(request.headers, 'origin') !== origin) throw refused('the request comes from another page')
    const detail = parseDetail(await rawBody(request))
    const login = await verified(countersign, detail, { origin, findKey })
    // Last, so that a refused proof does not use up the login.
    await rememberOnce(countersign.store, detail.sessionId, LOGIN_TTL_SECONDS)
    const outcome = await acceptOnce(countersign.store, detail.sessionId, () => onLogin(login))
    if (outcome !== 'accepted') throw refused('the login was used before')
    return answer(200, 'logged in')
  })
}

/** @param {string} reason */
const refused = (reason) => new Refusal(403, 'not logged in', reason)

/**
 * @param {Buffer} body
 * @returns {import('../proof.js').LoginDetail}
 */
function parseDetail(body) {
  let detail
  try {
    detail = JSON.parse(body.toString('utf8'))
  } catch {
    // Refused below.
  }
  const { sessionId, payload, salt, proof } = detail ?? {}
  if (![sessionId, payload, salt, proof].every((member) => typeof member === 'string')) {
    throw new Refusal(400, 'not a login')
  }
  return { sessionId, payload, salt, proof }
}

/**
 * @param {import('../countersign.js').Countersign<any>} countersign
 * @param {import('../proof.js').LoginDetail} detail
 * @param {LoginOptions} expected
 */
async function verified(countersign, detail, expected) {
  try {
    return await countersign.logins.verify(detail, expected)
  } catch (error) {
    if (error instanceof LoginVerificationError) throw refused(error.reason)
    throw error
  }
}
