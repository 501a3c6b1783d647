// Logins: the element as on any page, its events, and a simulated phone.

import { quoted } from './curl.js'
import { copies, element, parts, say } from './dom.js'
import { call } from './http.js'
import { LoginEvents } from './login-events.js'
import { LoginPhone } from './login-phone.js'

/** Interval between updates of the command line, in ms. */
const UPDATE_INTERVAL = 250

/** Sets up the section. Returns a function that takes whether the section is visible. */
export function login(section) {
  const part = parts(section)
  const events = new LoginEvents(part, announce)
  const phone = new LoginPhone(part)
  let facts = null
  let widget = null
  let timer

  function announce(text) {
    part.live.append(element('p', {}, text))
    if (part.live.children.length > 8) part.live.firstChild.remove()
  }

  async function begin() {
    try {
      facts ??= await call('GET', '/playground/facts')
      say(part.factsProblem, null)
    } catch (refusal) {
      say(part.factsProblem, refusal.message)
      return
    }
    if (widget) return
    widget = element('countersign-login', { 'app-key': facts.appKey })
    events.listenTo(widget)
    phone.near(widget)
    part.widget.replaceChildren(widget)
    part.snippet.textContent = snippet(facts)
    part.update.textContent = `${facts.command} app update demo --add-origin https://shop.example`
    showCommand()
  }

  /** Updates the command for the code on the screen. */
  function showCommand() {
    if (!facts) return
    const { link, payload, publicUserId } = phone.draft()
    const words = ['phone open', quoted(link ?? 'LINK'), '--confirm']
    if (link?.includes('=qrp_')) words.push('--allow-unencrypted')
    if (payload) words.push('--payload', quoted(payload))
    if (publicUserId) words.push('--public-user-id', quoted(publicUserId))
    const command = `${facts.command} ${words.join(' ')}`
    if (part.command.textContent !== command) part.command.textContent = command
    const hint = link
      ? 'With --deny it denies; with neither it asks. The link is the one in the code, valid for a minute.'
      : 'No code is on the screen. Replace LINK with a code’s link.'
    if (part.commandHint.textContent !== hint) part.commandHint.textContent = hint
  }

  part.cancel.addEventListener('click', () => widget?.cancel())
  part.again.addEventListener('click', () => (widget ? widget.refresh() : begin()))
  copies(part.copyCommand, () => part.command.textContent)
  copies(part.copySnippet, () => part.snippet.textContent)

  return (visible) => {
    clearInterval(timer)
    if (!visible) return
    timer = setInterval(showCommand, UPDATE_INTERVAL)
    begin()
  }
}

function snippet({ appKey }) {
  return [
    `<script type="module" src="${location.origin}/widget.js"></script>`,
    `<countersign-login app-key="${appKey}"></countersign-login>`,
  ].join('\n')
}
