import type { CountersignLogin, CountersignPhone } from '../../widget/dist/widget.d.ts'
import { Flow, type Scene } from './flow.ts'
import { forget, keep, methodOf, requestFor, tabStorage } from './kept.ts'
import { ask, post, read } from './service.ts'

const ELEMENTS = '/widget.js'

const main = found<HTMLElement>('main')
const phone = document.querySelector('countersign-phone') as CountersignPhone | null
const login = document.querySelector('countersign-login') as CountersignLogin | null
const choice = [...document.querySelectorAll<HTMLInputElement>('input[name=method]')]
const storage = tabStorage()
const address = location.href
/** Whether the elements are there. */
let loaded = false
const request = requestFor(address, main.dataset['request'] ?? '', Date.now(), storage)

const flow = new Flow(request, {
  ask,
  after: (delay, then) => {
    const timer = setTimeout(then, delay)
    return () => clearTimeout(timer)
  },
  now: () => Date.now(),
  show,
  leave: (to) => {
    forget(storage)
    found<HTMLAnchorElement>('[data-scene=leaving] a').href = to
    // Takes the page's place, so that the browser's button for back leads to the site.
    location.replace(to)
  },
  restart,
  reject: () => login?.reject(main.dataset['phoneUnknown']),
})

/** Shows one scene, and moves the focus to its title. */
function show(scene: Scene): void {
  main.dataset['shown'] = scene
  for (const section of document.querySelectorAll<HTMLElement>('[data-scene]')) {
    section.classList.toggle('off', section.dataset['scene'] !== scene)
  }
  if (scene === 'open') return
  found<HTMLElement>(`[data-scene=${scene}] h2`).focus()
  // A phone could still scan the code. Nothing can be finished afterwards, other than the step that failed.
  if (scene !== 'failed') login?.cancel()
}

/** Loads the page again, with a new request. */
function restart(): void {
  forget(storage)
  location.reload()
}

/** Shows one of the methods; the other goes on in the background. */
function choose(method: string): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-method]')) {
    part.classList.toggle('off', part.dataset['method'] !== method)
  }
  keep(address, request, method, storage)
}

function found<Kind extends Element>(selector: string): Kind {
  const element = document.querySelector<Kind>(selector)
  if (!element) throw new Error(`the page has no ${selector}`)
  return element
}

const actions: Readonly<Record<string, () => void>> = {
  again: restart,
  cancel: () => flow.cancel(),
  retry: () => loaded ? flow.retry() : restart(),
}
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-action]')) {
  button.addEventListener('click', () => actions[button.dataset['action'] ?? '']?.())
}

const before = methodOf(address, storage)
for (const option of choice) {
  if (option.value === before) option.checked = true
  option.addEventListener('change', () => choose(option.value))
}
choose(choice.find(({ checked }) => checked)?.value ?? main.dataset['methods'] ?? '')

/** Sends a request of an element. */
async function start(route: '/authorize/text' | '/authorize/code', body: object): Promise<Response> {
  const answer = await post(route, { request: request.sealed, ...body })
  flow.answered(await read(answer))
  return answer
}

if (phone) {
  phone.start = () => start('/authorize/text', { language: document.documentElement.lang })
  phone.addEventListener('started', () => flow.began('text'))
  phone.addEventListener('verified', (event) => {
    event.preventDefault()
    flow.finish(null)
  })
  phone.addEventListener('expired', () => flow.expire())
  for (const name of ['cancelled', 'error']) phone.addEventListener(name, () => flow.ended('text'))
}
if (login) {
  // The service opens the login, so that only this page can finish with it. The element then joins it.
  login.start = (chosen) => start('/authorize/code', chosen)
  login.addEventListener('scanned', () => flow.began('code'))
  login.addEventListener('confirmed', (event) => {
    event.preventDefault()
    // The payload is for the app's own pages.
    flow.finish(event.detail.sessionId)
  })
  login.addEventListener('denied', () => flow.cancel())
  for (const name of ['denied', 'blocked', 'expired', 'cancelled', 'error']) {
    login.addEventListener(name, () => flow.ended('code'))
  }
}
// A timer stops while the device sleeps.
document.addEventListener('visibilitychange', () => flow.look())
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  if (flow.scene === 'leaving') restart()
  else flow.look()
})

import(ELEMENTS).then(() => { loaded = true }, () => show('failed'))
