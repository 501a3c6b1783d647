// Shows the server's counters: for each app, how far people get, and what went wrong.

import { element, parts, say } from './dom.js'
import { watch } from './http.js'

/** The steps of a confirmation and of a login, by the names of their counters. */
const NUMBER_STEPS = {
  created: 'Created',
  verified: 'Verified',
  delivered: 'Delivered',
}
const LOGIN_STEPS = {
  qr_created: 'Created',
  qr_scanned: 'Opened',
  qr_confirmed: 'Confirmed',
  qr_redeemed: 'Redeemed',
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })
const SVG = 'http://www.w3.org/2000/svg'

const part = parts(document)

watch('/playground/funnel', {
  onState: show,
  onSilence: () => say(part.connection, 'The server does not answer. Trying again…'),
  onGone: () => {},
})

/** `reasons` has the counters of what went wrong, each with its words: of texts, of other confirmations, and of logins. */
function show({ since, reasons, series }) {
  say(part.connection, null)
  const began = new Date(since).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  part.since.textContent = `since the server started (${began})`
  const apps = [...new Set(series.map(({ app }) => app))].filter(Boolean).sort()
  const misses = Object.fromEntries(reasons.texts)
  const troubles = {
    numbers: { ...misses, ...Object.fromEntries(reasons.numbers) },
    logins: Object.fromEntries(reasons.logins),
  }
  const cards = apps.map((app) => drawApp(app, series.filter((it) => it.app === app), misses, troubles))
  const others = series.filter(({ app, event }) => !app && event in misses)
  if (others.length > 0) cards.push(drawOthers(others, misses))
  part.empty.hidden = cards.length > 0
  part.footnote.hidden = cards.length === 0
  part.apps.replaceChildren(...cards)
}

function drawApp(app, series, misses, troubles) {
  // Webhooks about logins and about numbers have the same counters, but no text caused the first.
  const isOfLogin = ({ event, provider }) => event.startsWith('qr_') || (event === 'delivery_failed' && !provider)
  const logins = series.filter(isOfLogin)
  const numbers = series.filter((it) => !isOfLogin(it))
  return element(
    'article',
    { className: 'card app', 'aria-label': `App ${app}` },
    element('h2', {}, app),
    drawFlow('Phone numbers', app, numbers, NUMBER_STEPS, troubles.numbers, drawOrigins(numbers, misses)),
    drawFlow('Logins', app, logins, LOGIN_STEPS, troubles.logins),
  )
}

/** Draws the texts that belong to no confirmation, and so to no app. */
function drawOthers(series, misses) {
  return element(
    'article',
    { className: 'card app', 'aria-label': 'Texts without an app' },
    element('h2', {}, 'Texts without an app'),
    element('p', { className: 'hint' }, 'Nothing in them belongs to a confirmation.'),
    element(
      'div',
      { className: 'funnel' },
      drawTroubles(series, misses),
      drawBy('Country', series, ({ country }) => countryName(country), { Texts: Object.keys(misses) }),
    ),
  )
}

function drawFlow(title, app, series, steps, troubles, ...more) {
  if (!Object.keys({ ...steps, ...troubles }).some((event) => sum(series, [event]) > 0)) return null
  return element(
    'section',
    { 'aria-label': `${title} of ${app}` },
    element('h3', {}, title),
    element('div', { className: 'funnel' }, drawSteps(series, steps), drawTroubles(series, troubles)),
    ...more,
  )
}

function drawSteps(series, steps) {
  const counts = Object.entries(steps).map(([event, label]) => [label, sum(series, [event])])
  const most = Math.max(...counts.map(([, count]) => count))
  const first = counts[0][1]
  const rows = counts.map(([label, count], index) => [
    label,
    bar(count, most),
    number(count),
    element('td', { className: 'number share' }, index > 0 ? share(count, first) : ''),
  ])
  return table('steps-of', 'How far they got', ['Step', null, 'Count', 'Of created'], rows)
}

function drawTroubles(series, troubles) {
  const counts = Object.entries(troubles)
    .map(([event, label]) => [label, sum(series, [event])])
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  if (counts.length === 0) {
    return element(
      'div',
      {},
      element('h4', {}, 'What went wrong'),
      element('p', { className: 'hint none' }, 'Nothing so far.'),
    )
  }
  const most = counts[0][1]
  const rows = counts.map(([label, count]) => [label, bar(count, most), number(count)])
  return table('troubles', 'What went wrong', ['Reason', null, 'Count'], rows)
}

function drawOrigins(series, misses) {
  const reached = { Verified: ['verified'], Missed: Object.keys(misses), Delivered: ['delivered'] }
  return element(
    'div',
    { className: 'by' },
    drawBy('Country', series, ({ country }) => countryName(country), { Created: ['created'], ...reached }),
    drawBy('Provider', series.filter(({ provider }) => provider), ({ provider }) => provider, reached),
  )
}

/** Draws the counts of some events by one label, the label with the most first. */
function drawBy(what, series, labelOf, columns) {
  const groups = Map.groupBy(series, labelOf)
  const counted = [...groups]
    .map(([label, group]) => [label, ...Object.values(columns).map((events) => sum(group, events))])
    .filter(([, ...counts]) => counts.some((count) => count > 0))
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
  if (counted.length === 0) return null
  const rows = counted.map(([label, ...counts]) => [label, ...counts.map(number)])
  return table('counts', `By ${what.toLowerCase()}`, [what, ...Object.keys(columns)], rows)
}

/** Draws a table. A heading that is null is that of the bars. Each row begins with its heading. */
function table(className, caption, headings, rows) {
  // Roles, because a narrow window lays rows out in another way, which may hide that this is a table.
  const cell = (made, role) => { made.setAttribute('role', role); return made }
  const head = headings.map((heading, index) => (
    heading === null
      ? element('td', { className: 'bar', 'aria-hidden': 'true' })
      : cell(element('th', { scope: 'col', className: index > 0 ? 'number' : '' }, heading), 'columnheader')
  ))
  const body = rows.map(([label, ...cells]) => element(
    'tr',
    { role: 'row' },
    cell(element('th', { scope: 'row' }, label), 'rowheader'),
    ...cells.map((made) => (made.ariaHidden ? made : cell(made, 'cell'))),
  ))
  return element(
    'table',
    { className, role: 'table' },
    element('caption', {}, caption),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    element('tbody', { role: 'rowgroup' }, ...body),
  )
}

/** Draws a bar. Screen readers read the number beside it. */
function bar(count, most) {
  const rect = (className, width) => {
    const drawn = document.createElementNS(SVG, 'rect')
    const attributes = { class: className, width: `${width}%`, height: '100%', rx: 3 }
    for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, value)
    return drawn
  }
  const plot = document.createElementNS(SVG, 'svg')
  plot.append(rect('track', 100), rect('fill', most > 0 ? (100 * count) / most : 0))
  return element('td', { className: 'bar', ariaHidden: 'true' }, plot)
}

function number(count) {
  return element('td', { className: 'number' }, count.toLocaleString('en'))
}

function share(count, whole) {
  return whole > 0 ? `${Math.round((100 * count) / whole)} %` : ''
}

function countryName(code) {
  return code ? COUNTRIES.of(code) : 'Unknown'
}

function sum(series, events) {
  return series.filter(({ event }) => events.includes(event)).reduce((total, { count }) => total + count, 0)
}
