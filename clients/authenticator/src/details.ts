// The Session object of the service: who asks, from where, and at what risk.

/** Risk of a login. With `deny`, the service refuses a confirmation, so screens must not offer it. */
export type RiskStatus = 'clear' | 'warn' | 'deny'

export interface Place {
  city: string | undefined
  /** Two letters (ISO 3166-1). */
  countryCode: string | undefined
}

/** The risk of a login. */
export interface RiskAnalytics {
  riskStatus: RiskStatus
  /** Cause of the risk, for users; present if the status is warn or deny. */
  riskFlagString: string | undefined
  geoData: { mobile: Place, browser: Place }
}

/** A fact about a login, for users. Services may send new codes. */
export interface Flag {
  code: string
  severity: 'info' | 'warn' | 'deny'
  text: string
}

/** The texts of the confirmation screen, in the user's language. */
export interface MobileTemplateResponse {
  title: string
  message: string
  /** The browser's place, and why the user should look closely at it. */
  widget: { location: string, issue: string | undefined }
  /** The phone's place. */
  mobile: { location: string, issue: string | undefined }
  /** The names of the browser and its operating system. */
  userAgent: { name: string, issue: string | undefined }
  /** The most serious first. */
  flags: Flag[]
  /** The sources that a screen must credit where it shows the places, as their licenses require. */
  attributions: { text: string, url: string }[]
}

/** What the service says about a login. */
export interface Details {
  ipAddressMobile: string | undefined
  ipAddressWidget: string | undefined
  riskAnalytics: RiskAnalytics | undefined
  mobileTemplateResponse: MobileTemplateResponse
}

/** Thrown for a value of another type than the service sends. */
export class WrongType extends Error {}

type Members = Record<string, unknown>

export function object(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WrongType()
  return value as Members
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new WrongType()
  return value
}

export const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined => (
  value === undefined || value === null ? undefined : read(value)
)

/** Reads a member that may be absent, but not null. */
const absent = <T>(value: unknown, read: (value: unknown) => T, fallback: T): T => value === undefined ? fallback : read(value)

function list<T>(value: unknown, read: (value: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new WrongType()
  return value.map(read)
}

function oneOf<T extends string>(value: unknown, words: readonly T[]): T {
  const word = words.find((one) => one === value)
  if (word === undefined) throw new WrongType()
  return word
}

const NOWHERE: Place = { city: undefined, countryCode: undefined }

function place(value: unknown): Place {
  const { city, countryCode } = object(value)
  return { city: optional(city, text), countryCode: optional(countryCode, text) }
}

function geoData(value: unknown): RiskAnalytics['geoData'] {
  const { mobile, browser } = object(value)
  return { mobile: absent(mobile, place, NOWHERE), browser: absent(browser, place, NOWHERE) }
}

function risk(value: unknown): RiskAnalytics {
  const members = object(value)
  return {
    riskStatus: oneOf(members['riskStatus'], ['clear', 'warn', 'deny']),
    riskFlagString: optional(members['riskFlagString'], text),
    geoData: absent(members['geoData'], geoData, { mobile: NOWHERE, browser: NOWHERE }),
  }
}

function screenPlace(value: unknown): MobileTemplateResponse['widget'] {
  const { location, issue } = object(value)
  return { location: text(location), issue: optional(issue, text) }
}

function flag(value: unknown): Flag {
  const { code, severity, text: sentence } = object(value)
  return { code: text(code), severity: oneOf(severity, ['info', 'warn', 'deny']), text: text(sentence) }
}

function screen(value: unknown): MobileTemplateResponse {
  const members = object(value)
  const agent = object(members['userAgent'])
  const credit = (one: unknown) => {
    const { text: name, url } = object(one)
    return { text: text(name), url: text(url) }
  }
  return {
    title: text(members['title']),
    message: text(members['message']),
    widget: screenPlace(members['widget']),
    mobile: screenPlace(members['mobile']),
    userAgent: { name: text(agent['name']), issue: optional(agent['issue'], text) },
    flags: absent(members['flags'], (flags) => list(flags, flag), []),
    attributions: absent(members['attributions'], (sources) => list(sources, credit), []),
  }
}

/** Reads the Session object. Unknown members are ignored, because services may send more. */
export function readDetails(value: unknown): Details {
  const members = object(value)
  return {
    ipAddressMobile: optional(members['iPAddressMobile'], text),
    ipAddressWidget: optional(members['iPAddressWidget'], text),
    riskAnalytics: optional(members['riskAnalytics'], risk),
    mobileTemplateResponse: screen(members['mobileTemplateResponse']),
  }
}
