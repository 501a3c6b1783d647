import { element } from './dom.js'

const RISKS = {
  clear: 'Nothing unusual',
  warn: 'Look closely',
  deny: 'Too risky to confirm',
}

const READERS = {
  browser: 'What you send is encrypted: only that page can read it.',
  everybody: 'What you send is not encrypted: the service can read it.',
}

/**
 * Builds the screen of a phone app before its user decides, from the Session object. Calls `decide`
 * with `deny` or `confirm`.
 */
export function confirmationScreen({ checkCode, context, origin, readers, session }, decide) {
  const { iPAddressMobile, iPAddressWidget, mobileTemplateResponse, riskAnalytics } = session
  const { title, message, widget, mobile, userAgent } = mobileTemplateResponse
  const button = (decision, text) => element(
    'button',
    { type: 'button', onclick: () => decide(decision) },
    text,
  )
  return [
    element('h3', { tabIndex: -1 }, title),
    element('p', {}, message),
    context ? element('blockquote', { dir: 'auto' }, context) : null,
    element(
      'dl',
      {},
      ...row('Site', origin),
      ...row('Browser', userAgent.name, null, userAgent.issue),
      ...row('Where it is', widget.location, iPAddressWidget, widget.issue),
      ...row('Where you are', mobile.location, iPAddressMobile, mobile.issue),
    ),
    ...(mobileTemplateResponse.attributions ?? []).map(credit),
    ...risk(riskAnalytics, mobileTemplateResponse.flags ?? []),
    element('p', { className: 'hint' }, READERS[readers]),
    ...digits(checkCode),
    element(
      'div',
      { className: 'decide', role: 'group', 'aria-label': 'Decision' },
      button('deny', 'Deny'),
      button('confirm', 'Confirm'),
    ),
  ].filter(Boolean)
}

/** Shows the check code, if the login has one. The person types it once they have confirmed. */
export function digits(checkCode) {
  if (!checkCode) return []
  return [element(
    'p',
    { className: 'digits' },
    element('strong', {}, checkCode),
    ' Once you have confirmed, type these two digits in the browser in front of you. Tell them to nobody.',
  )]
}

function row(name, text, address, issue) {
  return [
    element('dt', {}, name),
    element(
      'dd',
      {},
      text,
      address ? element('small', {}, address) : null,
      issue ? element('span', { className: 'issue' }, issue) : null,
    ),
  ]
}

/** Names a source of places, whose license asks for it. */
function credit({ text, url }) {
  return element('p', { className: 'hint' }, element('a', { href: url, rel: 'noreferrer', target: '_blank' }, text))
}

/** Shows the risk status and its reasons, one sentence each if the template has them. */
function risk(analytics, flags) {
  if (!analytics) return []
  const { riskStatus, riskFlagString } = analytics
  const texts = flags.map(({ text }) => text)
  const reasons = texts.length > 0 ? texts : [riskFlagString].filter(Boolean)
  const list = reasons.length > 0
    ? element('ul', {}, ...reasons.map((reason) => element('li', {}, reason)))
    : null
  return [element(
    'div',
    { className: `risk ${riskStatus}` },
    element('strong', {}, RISKS[riskStatus] ?? riskStatus),
    list,
  )]
}
