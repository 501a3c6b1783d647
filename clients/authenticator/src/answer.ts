// The service's answer to a phone that opens a login.

import { WrongType, object, optional, readDetails, text, type Details } from './details.ts'
import { malformedAnswer } from './errors.ts'
import { checkIdentity, type CheckedFacts } from './identity.ts'
import { isReturnLink } from './origin.ts'

/** An opened login; its app, page, context and key match the id. Times are in milliseconds since the Unix epoch. */
export interface OpenedLogin extends CheckedFacts {
  details: Details
  appName: string
  checkCode: string | undefined
  returnUrl: string | undefined
  expiresAt: number
  /** The service's time when it answered. The phone's own clock may be wrong. */
  serverTime: number
}

/** Reads the answer, and verifies it against the id. `appKey` is the phone's own. Unknown members are ignored. */
export async function readOpened(answer: unknown, id: string, appKey: string): Promise<OpenedLogin> {
  const said = typed(() => {
    const members = object(answer)
    if (members['session'] === undefined) throw new WrongType()
    return {
      session: members['session'],
      appName: text(object(members['app'])['name']),
      origin: text(members['origin']),
      context: optional(members['context'], text),
      browserPublicKey: optional(members['browserPublicKey'], text),
      checkCode: optional(members['checkCode'], text),
      returnUrl: optional(members['returnUrl'], text),
      expiresAt: text(members['expiresAt']),
      serverTime: text(members['serverTime']),
    }
  })
  const facts = await checkIdentity(id, appKey, said)
  return typed(() => {
    const { appName, checkCode, returnUrl } = said
    if (checkCode !== undefined && !/^[0-9]{2}$/.test(checkCode)) throw new WrongType()
    // A service that cheats could send any page.
    if (returnUrl !== undefined && !isReturnLink(returnUrl, facts.origin)) throw new WrongType()
    const details = readDetails(said.session)
    return { ...facts, details, appName, checkCode, returnUrl, expiresAt: time(said.expiresAt), serverTime: time(said.serverTime) }
  })
}

function typed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof WrongType ? malformedAnswer('not_a_login') : error
  }
}

/** Parses a time such as `2026-01-02T03:04:05.678Z`. */
function time(value: string): number {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(value) ?? []
  const millis = Date.parse(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  // Some engines read the 30th of February as a day in March.
  const isExact = millis >= 0 && new Date(millis).toISOString().slice(0, 19) === seconds
  if (!isExact) throw new WrongType()
  return millis
}
