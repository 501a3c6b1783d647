import { assertCallback } from '../options.js'
import { loginHandler } from './login.js'

/**
 * Mounts a login handler in a framework. `onLogin` receives the framework's objects, such as its request, after
 * the login. It answers with the handler's answer, and with what `onLogin` returned if the login was accepted.
 *
 * @template {any[]} W
 * @template R
 * @param {import('../countersign.js').Countersign<any>} countersign
 * @param {import('./login.js').LoginOptions & { onLogin: (login: import('./login.js').Login, ...words: W) => R }} options
 */
export function mountLogin(countersign, options) {
  if (typeof options !== 'object' || options === null) throw new TypeError('login needs an object of options')
  const { onLogin, ...others } = options
  assertCallback('onLogin', onLogin)
  const handle = loginHandler(countersign, others)
  return async (/** @type {import('./request.js').HandlerRequest} */ request, /** @type {W} */ ...words) => {
    /** @type {Awaited<R> | undefined} */
    let returned
    const answer = await handle(request, async (login) => { returned = await onLogin(login, ...words) })
    return { answer, own: answer.status === 200 ? returned : undefined }
  }
}
