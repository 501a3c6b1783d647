// The page: starts a check, shows it, and waits for its end. The server says what there is to see.

import { drawCode } from './qr.js'

const POLL_MS = 2000
/** Some proxies hold events back. After this time without one, the page polls. */
const SILENCE_MS = 4000

const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]))

/** Returns which link opens the text message on this device, or `null` if it is no phone. */
function ownLink() {
  const { userAgent, maxTouchPoints } = navigator
  if (/Android/.test(userAgent)) return 'sms'
  // An iPad calls itself a Macintosh, but no Macintosh has a touch screen.
  const tablet = /Macintosh/.test(userAgent) && maxTouchPoints > 1
  return tablet || /iPhone|iPad|iPod/.test(userAgent) ? 'ios' : null
}

let endsAt = 0
let shownMessage = null
let stopWatching = () => {}

function show({ state, phoneNumber, message, sendTo, uri, secondsLeft }) {
  part.open.hidden = state !== 'open'
  part.start.hidden = state === 'open' || state === 'verified'
  part.back.hidden = !part.start.hidden
  part.back.textContent = state === 'verified' ? 'That is not my number' : 'Start again'
  if (state === 'open') {
    endsAt = Date.now() + secondsLeft * 1000
    countDown()
    say('')
    if (message !== shownMessage) showMessage(message, sendTo, uri)
  } else {
    stopWatching()
    if (state === 'verified') say(`${phoneNumber} is verified.`)
    if (state === 'expired') say('The time is up, and no text arrived. You can try again.')
  }
}

function showMessage(message, sendTo, uri) {
  shownMessage = message
  const own = ownLink()
  part.onPhone.hidden = !own
  if (own) part.link.href = uri[own]
  const code = own ? null : drawCode(uri.qr, `QR code: text ${message} to ${sendTo}`)
  part.onDesktop.hidden = !code
  part.noCode.hidden = Boolean(own || code)
  if (code) part.code.replaceChildren(code)
  part.onWhatsApp.hidden = !uri.whatsapp
  if (uri.whatsapp) part.whatsapp.href = uri.whatsapp
  part.message.textContent = message
  part.sendTo.textContent = sendTo
}

function say(text) {
  if (part.status.textContent !== text) part.status.textContent = text
}

function countDown() {
  const seconds = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000))
  part.left.textContent = seconds ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : 'a moment'
}
setInterval(countDown, 500)

/** Shows the start form. */
function reset() {
  stopWatching()
  history.replaceState(null, '', location.pathname)
  show({ state: 'none' })
  say('')
}

/** Shows a check until it ends. Events are quick; polling works everywhere. */
function watch(id) {
  stopWatching()
  let stopped = false
  let polling = false
  let timer
  const source = new EventSource(`checks/${id}/events`)
  const poll = async () => {
    try {
      const response = await fetch(`checks/${id}`)
      if (stopped) return
      if (response.status === 404) reset()
      if (response.ok) show(await response.json())
    } catch {
      if (!stopped) say('There is no connection. Trying again…')
    }
    if (!stopped) timer = setTimeout(poll, POLL_MS)
  }
  const fallBack = () => {
    source.close()
    if (!polling && !stopped) poll()
    polling = true
  }
  timer = setTimeout(fallBack, SILENCE_MS)
  source.onmessage = ({ data }) => {
    clearTimeout(timer)
    show(JSON.parse(data))
  }
  source.onerror = fallBack
  stopWatching = () => {
    stopped = true
    source.close()
    clearTimeout(timer)
    stopWatching = () => {}
  }
}

const currentId = () => location.hash.slice(1)

part.start.addEventListener('submit', async (event) => {
  event.preventDefault()
  part.go.disabled = true
  try {
    const phoneNumber = part.number.value.trim() || undefined
    const response = await fetch('checks', { method: 'POST', body: JSON.stringify({ phoneNumber }) })
    if (!response.ok) throw new Error(await response.text())
    const view = await response.json()
    history.replaceState(null, '', `#${view.id}`)
    show(view)
    if (view.state === 'open') watch(view.id)
  } catch (error) {
    say(error instanceof TypeError ? 'There is no connection. Try again.' : error.message)
  } finally {
    part.go.disabled = false
  }
})
part.back.addEventListener('click', reset)
// While the messages app is open, phones suspend the page or discard it.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && currentId()) watch(currentId())
})
if (currentId()) watch(currentId())
