// Logins: the element as any page has it, the events that it dispatches, and a simulated phone.

import { quoted } from './curl.js'
import { copies, element, parts, say } from './dom.js'
import { call } from './http.js'
import { LoginEvents } from './login-events.js'
import { LoginPhone } from './login-phone.js'

/** How often the command line is brought up to the code on the screen, in ms. */
const OFTEN = 250

/** Brings the section to life. Answers a function to be told whether the section can be seen. */
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
    part.update.textContent = `${facts.command} app update demo --origin https://shop.example`
    showCommand()
  }

  /** The command for the code that is on the screen at present. */
  function showCommand() {
    if (!facts) return
    const { link, payload, publicUserId } = phone.draft()
    const words = ['phone open', quoted(link ?? 'LINK'), '--confirm']
    if (payload) words.push('--payload', quoted(payload))
    if (publicUserId) words.push('--public-user-id', quoted(publicUserId))
    const command = `${facts.command} ${words.join(' ')}`
    if (part.command.textContent !== command) part.command.textContent = command
    const hint = link
      ? 'With --deny it denies; with neither it asks. The link is the one that the code holds, and good for a minute.'
      : 'No code is on the screen. LINK is what a code holds.'
    if (part.commandHint.textContent !== hint) part.commandHint.textContent = hint
  }

  part.cancel.addEventListener('click', () => widget?.cancel())
  part.again.addEventListener('click', () => (widget ? widget.refresh() : begin()))
  copies(part.copyCommand, () => part.command.textContent)
  copies(part.copySnippet, () => part.snippet.textContent)

  return (visible) => {
    clearInterval(timer)
    if (!visible) return
    timer = setInterval(showCommand, OFTEN)
    begin()
  }
}

function snippet({ appKey }) {
  return [
    `<script type="module" src="${location.origin}/widget.js"></script>`,
    `<countersign-login app-key="${appKey}"></countersign-login>`,
  ].join('\n')
}
