import { CodeForm } from './code-form.ts'
import { attribute, element, say } from './dom.ts'
import { textOf, type Wording } from './languages.ts'
import type { Sight } from './login.ts'
import type { Phase } from './machine.ts'
import { drawCode } from './qr.ts'
import styles from './styles.css'
import type { Texts } from './texts.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** Icon outlines, 24 by 24. */
const CIRCLE = 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18z'
const ICONS = {
  turning: 'M12 3a9 9 0 1 1-9 9',
  phone: 'M8 2.5h8q1.5 0 1.5 1.5v16q0 1.5-1.5 1.5h-8q-1.5 0-1.5-1.5v-16q0-1.5 1.5-1.5zM11 18.5h2',
  done: `${CIRCLE}M8 12.5l2.7 2.7l5.3-6`,
  no: `${CIRCLE}M9 9l6 6M15 9l-6 6`,
  clock: `${CIRCLE}M12 7v5l3.2 2`,
} as const

type Icon = keyof typeof ICONS

/** Icon, text and button of each phase that shows no code. */
const PHASES: Readonly<Record<Phase, readonly [Icon, keyof Texts, ('again' | 'anew')?]>> = {
  waiting: ['phone', 'onThisPhone'],
  idle: ['turning', 'opening'],
  opening: ['turning', 'opening'],
  scanned: ['phone', 'scanned', 'anew'],
  typing: ['phone', 'checkCode', 'anew'],
  redeeming: ['turning', 'finishing'],
  checking: ['turning', 'finishing'],
  rejected: ['no', 'failed', 'anew'],
  confirmed: ['done', 'confirmed'],
  denied: ['no', 'denied', 'again'],
  blocked: ['no', 'blocked', 'again'],
  wrongCodes: ['no', 'wrongCodes', 'again'],
  expired: ['clock', 'expired', 'anew'],
  late: ['clock', 'late', 'anew'],
  cancelled: ['no', 'cancelled', 'again'],
  failed: ['no', 'failed', 'again'],
}

let sheet: CSSStyleSheet | undefined

/** Draws the visible state into a shadow root, and reports requests for a fresh code and typed digits. */
export class View {
  readonly #root: ShadowRoot
  readonly #panel = element('div', 'panel')
  readonly #body = element('div', 'body')
  readonly #message = element('p', 'message')
  readonly #stage = element('div', 'stage')
  readonly #form: CodeForm
  readonly #trouble = element('p', 'trouble')
  readonly #link = element('a', 'link')
  readonly #toggle = element('button', 'toggle')
  readonly #renew = element('button', 'renew')
  readonly #phone: boolean
  #showsCode: boolean
  /** Key of the drawing on the stage, which is redrawn only when the key changes. */
  #staged = ''
  #sight: Sight = { phase: 'idle', url: null, trouble: null, triesLeft: null, reason: '' }
  #wording: Wording

  constructor(
    root: ShadowRoot,
    wording: Wording,
    phone: boolean,
    renew: () => void,
    typed: (code: string) => void,
  ) {
    this.#root = root
    this.#message.id = 'message'
    this.#form = new CodeForm(this.#message.id, typed)
    this.#wording = wording
    this.#phone = phone
    this.#showsCode = !phone
    sheet ??= newSheet()
    root.adoptedStyleSheets = [sheet]
    for (const live of [this.#message, this.#trouble]) {
      live.setAttribute('role', 'status')
    }
    this.#message.tabIndex = -1
    this.#link.rel = 'noopener noreferrer'
    // Outside a phone there may be no app, so the page stays open.
    if (!phone) this.#link.target = '_blank'
    for (const button of [this.#toggle, this.#renew]) button.type = 'button'
    this.#renew.addEventListener('click', renew)
    this.#toggle.addEventListener('click', () => {
      this.#showsCode = !this.#showsCode
      this.#draw()
    })
    const actions = element('div', 'actions')
    actions.append(this.#link, this.#renew, this.#toggle)
    this.#body.append(this.#message, this.#stage, this.#form.root, this.#trouble, actions)
    this.#panel.append(slot('header'), this.#body, slot('footer'))
    root.append(this.#panel)
    this.#draw()
  }

  set wording(wording: Wording) {
    this.#wording = wording
    this.#draw()
  }

  show(sight: Sight): void {
    this.#sight = sight
    this.#draw()
  }

  #draw(): void {
    const { dir, lang } = this.#wording
    const text = (name: keyof Texts) => textOf(this.#wording, name)
    const { phase, reason, triesLeft, trouble, url } = this.#sight
    const focused = this.#root.activeElement
    const types = phase === 'typing'
    const asks = types && this.#form.root.hidden
    const waits = phase === 'waiting' && url !== null
    const [icon, words, button] = PHASES[phase]
    const code = waits && this.#showsCode

    attribute(this.#panel, 'lang', lang)
    attribute(this.#panel, 'dir', dir)
    say(this.#message, reason || text(code ? 'scan' : words))
    say(this.#trouble, trouble === null ? '' : text(trouble))
    this.#panel.setAttribute('aria-busy', String(icon === 'turning'))
    const label = text('code')
    this.#stageIs(`${code ? url : icon} ${label}`, () => (code ? picture(url, label) : symbol(icon)))
    this.#stage.classList.toggle('full', code)
    this.#body.classList.toggle('small', !code && this.#phone)
    const wrong = triesLeft === null ? '' : text(triesLeft > 1 ? 'checkCodeWrong' : 'checkCodeLast')
    this.#form.draw(types, text('checkCodeSend'), wrong)

    this.#link.hidden = !waits
    if (waits) this.#link.href = url
    else this.#link.removeAttribute('href')
    say(this.#link, text(this.#phone ? 'openApp' : 'openHere'))
    this.#link.className = this.#phone ? 'main' : 'plain'
    this.#toggle.hidden = !waits || !this.#phone
    say(this.#toggle, text(this.#showsCode ? 'hideCode' : 'showCode'))
    this.#renew.hidden = !code && button === undefined
    say(this.#renew, text(button ?? 'renew'))
    this.#renew.className = button === undefined || types || phase === 'scanned' ? '' : 'main'

    // Keep keyboard focus near when the focused button disappears.
    if (focused?.closest('[hidden]')) this.#message.focus({ preventScroll: true })
    if (asks && this.#mayFocus()) this.#form.focus()
  }

  /** Returns whether the user is not busy elsewhere on the page. */
  #mayFocus(): boolean {
    const { activeElement } = document
    return this.#root.activeElement !== null || activeElement === null || activeElement === document.body
  }

  #stageIs(key: string, draw: () => Element): void {
    if (this.#staged === key) return
    this.#staged = key
    this.#stage.replaceChildren(draw())
  }
}

function newSheet(): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(styles)
  return made
}

function slot(name: string): HTMLSlotElement {
  const made = document.createElement('slot')
  made.name = name
  return made
}

function drawing(size: number, attributes: Readonly<Record<string, string>>): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  return svg
}

function outline(d: string, fill?: string): SVGElement {
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', d)
  if (fill) path.setAttribute('fill', fill)
  return path
}

/** Always dark on light, whatever the page's colours: many readers cannot read inverted codes. */
function picture(url: string, label: string): SVGElement {
  const { path, size } = drawCode(url)
  const svg = drawing(size, {
    'class': 'code',
    'part': 'code',
    'role': 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  })
  svg.append(outline(`M0 0h${size}v${size}h-${size}z`, '#fff'), outline(path, '#000'))
  return svg
}

function symbol(icon: Icon): SVGElement {
  const calm = icon === 'turning' || icon === 'no' || icon === 'clock'
  const svg = drawing(24, {
    'class': `icon ${icon}${calm ? ' calm' : ''}`,
    'part': 'icon',
    'aria-hidden': 'true',
  })
  svg.append(outline(ICONS[icon]))
  return svg
}
