import { Authenticator, IndexedDbStorage, PasskeyStore } from '../../authenticator/src/index.ts'
import { Confirm, type ConfirmFacts, type ConfirmScene } from './confirm.ts'
import { copyLinks, fill, fillDigits, found, sentence, showScene } from './document.ts'
import { Gate } from './gate.ts'
import { canConfirm, drawQuestion, fitAddress, sayStatus } from './question.ts'
import { readFragment } from './registration.ts'
import { ask } from './service.ts'
import { Setup, type SetupFacts, type SetupScene } from './setup.ts'
import { isInApp } from './window.ts'

const main = found('main')
const appKey = main.dataset['appKey'] ?? ''
/** Everything that this page keeps: passkeys belong to the host, and the host to one app. */
const database = `countersign-${appKey}`
const storage = new IndexedDbStorage({ database })
const keys = new PasskeyStore({ scope: { rpId: location.hostname, origin: location.origin }, database })
const inApp = isInApp(navigator.userAgent)
const loadedAt = { page: performance.now(), wall: Date.now() }
/** The first clock stops in some browsers while the phone sleeps, and the user may set the second. */
const serverTime = () => Number(main.dataset['time']) + Math.max(performance.now() - loadedAt.page, Date.now() - loadedAt.wall)

function after(delay: number, then: () => void): () => void {
  const timer = setTimeout(then, delay)
  return () => clearTimeout(timer)
}

function onTap(actions: Readonly<Record<string, () => unknown>>): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-action]')) {
    button.addEventListener('click', () => actions[button.dataset['action'] ?? '']?.())
  }
}

function setUp(): void {
  const link = readFragment(location.hash)
  // Another link was opened in this tab.
  addEventListener('hashchange', () => { if (location.hash) location.reload() })
  if (!link) return showScene('link_over')
  const setup = new Setup(link, { appKey, ask, keys, storage, inApp, after, show })

  function show(scene: SetupScene, { account, digits, kind, trouble }: SetupFacts): void {
    fill('account', account ?? '')
    fillDigits('digits', digits ?? '')
    for (const part of document.querySelectorAll<HTMLElement>('[data-kind]')) part.classList.toggle('off', part.dataset['kind'] !== kind)
    fill('trouble', trouble ? sentence(trouble) : '')
    showScene(scene)
    // The link is of no more use, and the address stays in the browser's history.
    if (scene === 'done' || scene === 'not_set_up') history.replaceState(null, '', location.pathname)
  }

  onTap({
    begin: () => setup.begin(), make: () => setup.make(), try: () => setup.tryOnce(), cancel: () => setup.cancel(), retry: () => setup.retry(),
  })
  document.addEventListener('visibilitychange', () => { if (!document.hidden) void setup.look() })
  addEventListener('online', () => void setup.retry())
  void setup.resume()
}

function confirm(): void {
  const phone = new Authenticator({
    service: location.origin,
    appKey,
    linkHosts: [location.host],
    storage,
    keys,
    showsContexts: true,
    returnsToPages: true,
    languages: [document.documentElement.lang],
  })
  const question = found('[data-scene=ask] .scroll')
  const button = found<HTMLButtonElement>('[data-action=confirm]')
  let gate: Gate | null = null
  let shown: ConfirmFacts['session'] | null = null
  const flow = new Confirm(idOf(phone), {
    appKey, ask, keys, storage, phone, inApp, serverTime, after, show, leave: (url) => location.replace(url),
  })

  function show(scene: ConfirmScene, facts: ConfirmFacts): void {
    const { account, accounts, canIdentify, message, session } = facts
    if (accounts) drawAccounts(accounts)
    fill('account', account ?? '')
    if (session && session !== shown) {
      drawQuestion(session)
      question.scrollTop = 0
      gate?.end()
      gate = new Gate(after, drawButtons)
      shown = session
    }
    fillDigits('check_code', session?.checkCode ?? '')
    fill('reason', message ? sentence(message) : '')
    for (const button of document.querySelectorAll<HTMLElement>('[data-action=identify]')) button.hidden = canIdentify !== true
    const link = document.querySelector<HTMLAnchorElement>('[data-scene=returning] a')
    if (scene === 'returning' && link && session?.returnUrl) link.href = session.returnUrl
    // The question stays where it is while the answer is sent.
    main.toggleAttribute('data-sending', scene === 'sending')
    showScene(scene === 'sending' ? 'ask' : scene)
    if (scene === 'ask') look()
    drawButtons(message)
  }

  /** Enables the buttons, and says why the user cannot confirm yet. */
  function drawButtons(message?: string): void {
    const isSending = main.hasAttribute('data-sending')
    const obstacle = gate?.obstacle ?? null
    const mayConfirm = shown ? canConfirm(shown) : false
    button.disabled = isSending || obstacle !== null
    found<HTMLButtonElement>('[data-action=deny]').disabled = isSending
    sayStatus(isSending ? 'sending' : message ?? (mayConfirm ? obstacle ?? '' : ''))
  }

  /** Notices that the end of the question is visible. */
  function look(): void {
    const { clientHeight, scrollHeight, scrollTop } = question
    if (flow.scene === 'ask' && scrollTop + clientHeight >= scrollHeight - 2) gate?.read()
  }

  function drawAccounts(accounts: NonNullable<ConfirmFacts['accounts']>): void {
    found('[data-part=others]').hidden = accounts.length === 0
    for (const list of document.querySelectorAll('[data-list=accounts]')) {
      list.replaceChildren(...accounts.map(({ user, name }) => {
        const choice = document.createElement('button')
        choice.type = 'button'
        choice.dir = 'auto'
        choice.textContent = name
        choice.addEventListener('click', () => void flow.choose(user))
        return choice
      }))
    }
  }

  const again = () => {
    gate?.restart()
    look()
    flow.look()
  }
  question.addEventListener('scroll', look, { passive: true })
  addEventListener('resize', () => {
    fitAddress(found('[data-field=origin]'))
    again()
  })
  document.addEventListener('visibilitychange', () => { if (!document.hidden) again() })
  // A window that covered this one was closed, perhaps under the user's finger.
  addEventListener('focus', again)
  addEventListener('pageshow', ({ persisted }) => { if (persisted) again() })
  addEventListener('online', () => void flow.retry())
  addEventListener('offline', () => { if (flow.scene === 'ask') sayStatus('offline') })
  onTap({
    confirm: () => flow.confirm(), deny: () => flow.deny(), cancel: () => flow.cancel(), retry: () => flow.retry(), identify: () => flow.identify(),
  })
  void flow.start()
}

/** Returns the id in the page's address; `null` if there is none. */
function idOf(phone: Authenticator): string | null {
  try {
    return phone.sessionId(location.href)
  } catch {
    return null
  }
}

copyLinks()
if (main.dataset['page'] === 'setup') setUp()
else confirm()
