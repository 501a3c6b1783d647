// Phone numbers by text: starts confirmations, watches them, and shows what each side sees.

import { showAttempts } from './attempts.js'
import { Countdown } from './countdown.js'
import { curlCommand } from './curl.js'
import { copies, element, parts, say, timeOfDay } from './dom.js'
import { call, watch } from './http.js'
import { whatCameClose } from './last-miss.js'
import { Phone } from './phone.js'
import { qrImage } from './qr.js'
import { showSteps } from './steps.js'
import { Webhooks } from './webhooks.js'

/** Prefix of the URL fragment that names the confirmation, so that a reload finds it again. */
const FRAGMENT = '#phone-number/'

const SAID = {
  open: 'The confirmation is open and waits for the text.',
  expired: 'The confirmation has expired. No webhook is sent.',
  cancelled: 'The confirmation is cancelled. No webhook is sent.',
}

const STAMPS = { verified: 'Verified', expired: 'Expired', cancelled: 'Cancelled' }

/** Sets up the section. */
export function phoneNumber(section) {
  const part = parts(section)
  const countdown = new Countdown(part.timeLabel, part.timeLeft, part.timeBar)
  const phone = new Phone(part.phone, part.thread, part.confirmationProblem)
  const webhooks = new Webhooks(part.webhooks, (webhook, { verified }) => {
    const how = verified ? 'its signature is verified' : 'its signature is not verified'
    announce(`Webhook ${webhook.number} arrived, and ${how}.`)
  })
  let current = null
  let status = null
  let stopWatching = () => {}

  // A log keeps earlier announcements when others follow quickly.
  const announce = (text) => {
    part.live.append(element('p', {}, text))
    if (part.live.children.length > 8) part.live.firstChild.remove()
  }

  // Starting.

  const flow = () => part.start.elements.flow.value
  const showFlow = () => { part.numberField.hidden = flow() !== 'confirmation' }
  part.start.addEventListener('change', showFlow)
  showFlow()

  part.start.addEventListener('submit', async (event) => {
    event.preventDefault()
    say(part.startProblem, null)
    part.startButton.disabled = true
    try {
      const wanted = { flow: flow() }
      const number = part.start.elements.phoneNumber.value.trim()
      if (wanted.flow === 'confirmation' && number) wanted.phoneNumber = number
      const metadata = part.start.elements.metadata.value.trim()
      if (metadata) wanted.metadata = readMetadata(metadata)
      begin(await call('POST', '/playground/confirmations', wanted))
      part.confirmationTitle.focus({ preventScroll: true })
      part.confirmation.scrollIntoView({ block: 'start' })
    } catch (refusal) {
      say(part.startProblem, refusal.message)
    } finally {
      part.startButton.disabled = false
    }
  })

  function begin(started) {
    stopWatching()
    current = started
    status = null
    history.replaceState(null, '', FRAGMENT + started.token)
    const { confirmation, request } = started
    part.confirmationId.textContent = confirmation.confirmationId
    part.message.textContent = confirmation.confirmationMessage
    part.sendTo.textContent = confirmation.sendTo
    part.qr.replaceChildren(drawQr(started))
    part.links.replaceChildren(...links(confirmation.confirmationUri))
    part.call.textContent = curlCommand(request)
    countdown.start(confirmation.expiresAt, Date.parse(started.startedAt))
    phone.draft(started.token, confirmation, request.body.phoneNumber)
    webhooks.clear()
    for (const notice of [part.confirmationProblem, part.connection, part.miss]) say(notice, null)
    part.confirmation.hidden = false
    part.outline.hidden = true
    part.startButton.textContent = 'Start another'
    show({ confirmation: { status: 'open' }, webhooks: [] })
    stopWatching = watch(`/playground/confirmations/${started.token}`, {
      onState: show,
      onSilence: () => say(part.connection, 'The server does not answer. Trying again…'),
      onGone: (refusal) => {
        stopWatching()
        countdown.stop('State', 'unknown')
        part.cancel.disabled = true
        say(part.connection, refusal.message)
      },
    })
  }

  // Watching.

  function show({ confirmation, problem, webhooks: arrived }) {
    say(part.connection, problem ? problem.detail ?? 'The confirmation cannot be read.' : null)
    webhooks.show(arrived)
    if (!confirmation) return
    showSteps(part.steps, { openedAt: current.startedAt, confirmation, webhook: arrived.at(0) })
    showAttempts(part.attempts, confirmation.delivery)
    showWhetherAny(confirmation, arrived)
    showMiss(whatCameClose(confirmation))
    part.redeliver.hidden = confirmation.status !== 'verified'
    phone.know(confirmation.status)
    if (confirmation.status === status) return
    status = confirmation.status
    showStatus(confirmation)
  }

  function showMiss(sentence) {
    if (sentence && part.miss.hidden) announce(sentence)
    say(part.miss, sentence)
  }

  function showStatus(confirmation) {
    const open = status === 'open'
    part.cancel.disabled = !open
    part.code.className = `code ${status}`
    say(part.stamp, STAMPS[status])
    if (!open) countdown.stop(STAMPS[status] ?? status, timeOfDay(endOf(confirmation)))
    const number = confirmation.result?.phoneNumber
    announce(SAID[status] ?? `Verified: ${number}.`)
  }

  function showWhetherAny({ status: now }, arrived) {
    const nothing = arrived.length === 0
    const why = {
      open: 'Nothing yet. The webhook is sent as soon as the text arrives.',
      verified: 'On its way…',
    }
    say(part.noWebhook, nothing ? why[now] ?? 'None: a confirmation that ends without its text sends no webhook.' : null)
  }

  // Buttons.

  const does = (button, method, path, said) => button.addEventListener('click', async () => {
    say(part.confirmationProblem, null)
    button.disabled = true
    try {
      await call(method, `/playground/confirmations/${current.token}${path}`)
      if (said) announce(said)
    } catch (refusal) {
      say(part.confirmationProblem, refusal.message)
    } finally {
      button.disabled = button === part.cancel && status !== 'open'
    }
  })
  does(part.cancel, 'DELETE', '')
  does(part.redeliver, 'POST', '/redeliver', 'The webhook is being sent again.')
  copies(part.copyCall, () => part.call.textContent)

  // After a reload.

  const token = location.hash.startsWith(FRAGMENT) ? location.hash.slice(FRAGMENT.length) : ''
  if (token) {
    call('GET', `/playground/confirmations/${encodeURIComponent(token)}`).then(begin, (refusal) => {
      history.replaceState(null, '', location.pathname)
      say(part.startProblem, refusal.message)
    })
  }
}

/** Returns when a confirmation that is no longer open ended. */
function endOf({ result, cancelledAt, expiresAt }) {
  return result?.timestamp ?? cancelledAt ?? expiresAt
}

function readMetadata(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The metadata is not JSON: ${error.message}.`)
  }
}

function drawQr({ qr, confirmation }) {
  if (!qr) return element('p', {}, 'The message is too long for a QR code.')
  const label = `QR code: text ${confirmation.confirmationMessage} to ${confirmation.sendTo}`
  return qrImage(qr, label)
}

/** Returns the links for a phone's browser, with the one for this browser first, and the one to WhatsApp if any. */
function links({ ios, android, sms, whatsapp }) {
  const agent = navigator.userAgent
  const all = [
    { name: 'iOS', href: ios, fits: /iPhone|iPad|iPod/.test(agent) },
    { name: 'Android', href: android, fits: /Android/.test(agent) },
    { name: 'Others', href: sms, fits: false },
  ]
  all.sort((a, b) => b.fits - a.fits)
  const drawn = all.map(({ name, href, fits }) => element(
    'a',
    { className: fits ? 'button primary' : 'button', href },
    fits ? 'Open the text message' : name,
  ))
  if (whatsapp) {
    const elsewhere = { target: '_blank', rel: 'noreferrer' }
    drawn.push(element('a', { className: 'button', href: whatsapp, ...elsewhere }, 'WhatsApp'))
  }
  return drawn
}
