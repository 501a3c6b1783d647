import type { Flag, RiskAnalytics, Session } from '../../authenticator/src/index.ts'
import { copyOf, fill, found, say, sentence } from './document.ts'

/** Sizes of an address that is too long for its line. */
const SMALLEST = 0.4
const STEP = 0.05

/** Draws everything that the user must see before deciding, in the order of the SDK's screen. */
export function drawQuestion(session: Session): void {
  const { title, message, widget, mobile, userAgent, attributions } = session.mobileTemplateResponse
  fill('title', title)
  fill('message', message)
  fill('app', session.appName)
  fill('phone_place', mobile.location)
  fill('browser_place', widget.location)
  fill('browser', userAgent.name)
  const flags = flagsOf(session)
  // The sentence of a flag is already shown above the facts.
  const issue = (text: string | undefined) => text !== undefined && !flags.some((flag) => flag.text === text) ? text : ''
  fill('phone_issue', issue(mobile.issue))
  fill('browser_place_issue', issue(widget.issue))
  fill('browser_issue', issue(userAgent.issue))
  fill('credits', attributions.map(({ text, url }) => `${text} (${siteOf(url)})`).join('\n'))
  drawAddress(found('[data-field=origin]'), session.origin)
  drawContext(session.context)
  const notices = flags.map((flag) => ({ severity: flag.severity, notice: noticeOf(flag) }))
  const ofKind = (isInfo: boolean) => notices.filter(({ severity }) => (severity === 'info') === isInfo).map(({ notice }) => notice)
  found('[data-list=warnings]').replaceChildren(...ofKind(false))
  found('[data-list=infos]').replaceChildren(...ofKind(true))
  const refused = !canConfirm(session)
  found('[data-part=refused]').hidden = !refused
  found('[data-action=confirm]').hidden = refused
}

/** Whether the user may confirm: a risk of `deny` only allows a denial. */
export function canConfirm(session: Session): boolean {
  return session.riskAnalytics?.riskStatus !== 'deny' && flagsOf(session).every(({ severity }) => severity !== 'deny')
}

/** Returns the flags, the most serious first. A risk without flags is shown as a flag. */
function flagsOf({ mobileTemplateResponse: { flags }, riskAnalytics }: Session): readonly Flag[] {
  if (flags.length === 0) return riskOf(riskAnalytics)
  const order = ['deny', 'warn', 'info']
  return [...flags].sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity))
}

function riskOf(risk: RiskAnalytics | undefined): readonly Flag[] {
  const text = risk?.riskFlagString
  return risk && risk.riskStatus !== 'clear' && text !== undefined ? [{ code: 'risk', severity: risk.riskStatus, text }] : []
}

/** Returns a flag with its severity as a word and a symbol, not only as a color. */
function noticeOf({ severity, text }: Flag): HTMLElement {
  const notice = copyOf(`notice-${severity}`)
  say(found('[data-field=flag]', notice), text)
  return notice
}

/** Draws the text that the user approves. Each line has its own direction. */
function drawContext(context: string | undefined): void {
  found('[data-part=context]').hidden = context === undefined
  const lines = (context ?? '').split('\n').map((line) => {
    const made = document.createElement('p')
    made.dir = 'auto'
    made.textContent = line
    return made
  })
  found('[data-field=context]').replaceChildren(...lines)
}

/**
 * Draws an address that breaks before its dots and its port, but nowhere inside a name: otherwise, a line could show a name
 * other than the site's. A name that is longer than a line gets smaller letters.
 */
export function drawAddress(place: HTMLElement, address: string): void {
  const parts = address.split(/(?<=\/)(?=[^/])|(?=\.)|(?=:\d)/)
  place.replaceChildren(...parts.flatMap((part) => {
    const made = document.createElement('span')
    made.textContent = part
    return [document.createElement('wbr'), made]
  }))
  fitAddress(place)
}

/** Adapts the size of an address to its line. */
export function fitAddress(place: HTMLElement): void {
  for (let size = 1; size >= SMALLEST; size -= STEP) {
    place.style.fontSize = `${size}em`
    if ([...place.children].every((part) => (part as HTMLElement).offsetWidth <= place.clientWidth)) return
  }
}

/** Says why the user cannot confirm yet, or that the last tap had no effect. */
export function sayStatus(name: string): void {
  say(found('[data-scene=ask] [data-field=status]'), name && sentence(name))
}

const siteOf = (url: string) => url.replace(/^[a-z]+:\/\//, '').split('/')[0] ?? ''
