'use client'

import {
  createElement, forwardRef, useCallback, useEffect, useLayoutEffect, useRef,
  type CSSProperties, type ForwardRefExoticComponent, type HTMLAttributes, type RefAttributes,
} from 'react'

import type { CountersignLogin as LoginElement } from './element.ts'
import type { CountersignEventMap, PhoneEventMap, SetupEventMap } from './events.ts'
import type { CountersignPhone as PhoneElement } from './phone-element.ts'
import type { CountersignSetup as SetupElement } from './setup-element.ts'
import type { Starter, StartOptions } from './start.ts'
import type { PhoneTexts, SetupTexts, Texts } from './texts.ts'

export type { LoginElement as CountersignLoginElement, PhoneElement as CountersignPhoneElement, SetupElement as CountersignSetupElement }
export type {
  ConfirmationDetail, ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, FailedDetail, MissedDetail, OpenedDetail, PhoneEventMap,
  RegistrationDetail, ScannedDetail, SetupEventMap,
} from './events.ts'
export type { PhoneTexts, SetupTexts, Starter, StartOptions, Texts }

/** A handler for each event: `onConfirmed` for `confirmed`. */
type Handlers<Events> = {
  readonly [Name in keyof Events & string as `on${Capitalize<Name>}`]?: ((event: Events[Name]) => unknown) | undefined
}

/** The props of components that start something. */
interface CommonProps<Own> {
  /**
   * A route of the page's own server that starts, or a function that does. A new function does not restart the element.
   */
  readonly start?: string | Starter | undefined
  /** Additions to the request to the route. */
  readonly startOptions?: StartOptions | undefined
  /** Some or all of the element's texts. */
  readonly texts?: Readonly<Partial<Own>> | undefined
  /** The name of the app for the texts. */
  readonly appName?: string | undefined
  readonly className?: string | undefined
  readonly style?: CSSProperties | undefined
}

interface LoginSettings extends CommonProps<Texts> {
  /** Whether to log in without encryption if the browser provides no cryptography. */
  readonly allowUnencrypted?: boolean | undefined
  /** `camera` if users scan the code with the phone's camera, because they may not have the app. */
  readonly scanWith?: 'app' | 'camera' | undefined
}

/** A login that the page opens. */
interface OwnLogin {
  /** The app's public key. */
  readonly appKey: string
  /** Countersign's URL. */
  readonly service: string
  readonly session?: undefined
}

/** A login that the page's server opened, as for an approval. */
interface GivenLogin {
  /**
   * The `session` from the server's library. A different object with the same content does not restart the element.
   */
  readonly session: unknown
  readonly service: string
  readonly appKey?: undefined
}

interface PhoneSettings extends CommonProps<PhoneTexts> {
  /** `confirm` asks the user for the number. */
  readonly mode?: 'confirm' | undefined
  /** The probable country of the number: two letters. */
  readonly country?: string | undefined
  /**
   * Countersign's answer, if the page already has it. A different object with the same content does not restart the
   * element.
   */
  readonly session?: unknown
}

interface SetupSettings {
  /**
   * The registration that the page's server started. A different object with the same content does not restart the element.
   */
  readonly registration: unknown
  /** Countersign's URL. */
  readonly service: string
  /** Some or all of the element's texts. */
  readonly texts?: Readonly<Partial<SetupTexts>> | undefined
  readonly className?: string | undefined
  readonly style?: CSSProperties | undefined
}

/** The element's own props, and the props that every element has. */
type Props<Own, Events> = Own & Handlers<Events> & Omit<HTMLAttributes<HTMLElement>, keyof Own | keyof Handlers<Events>>

export type CountersignLoginProps = Props<LoginSettings, CountersignEventMap> & (OwnLogin | GivenLogin)
export type CountersignPhoneProps = Props<PhoneSettings, PhoneEventMap>
export type CountersignSetupProps = Props<SetupSettings, SetupEventMap>

/**
 * Logs a user in with their phone. The ref is the element, which has its methods once the script is loaded.
 */
export const CountersignLogin = /* @__PURE__ */ component<LoginElement, CountersignLoginProps>(
  'countersign-login',
  ['scanned', 'confirmed', 'denied', 'blocked', 'expired', 'cancelled', 'renew', 'error'] satisfies (keyof CountersignEventMap)[],
)

/**
 * Verifies a phone number with a text that the user sends. The ref is the element, which has its methods once the
 * script is loaded.
 */
export const CountersignPhone = /* @__PURE__ */ component<PhoneElement, CountersignPhoneProps>(
  'countersign-phone',
  ['started', 'missed', 'verified', 'expired', 'cancelled', 'renew', 'error'] satisfies (keyof PhoneEventMap)[],
)

/**
 * Sets a phone up as the web authenticator of the user who is logged in. The ref is the element, which has its methods once
 * the script is loaded.
 */
export const CountersignSetup = /* @__PURE__ */ component<SetupElement, CountersignSetupProps>(
  'countersign-setup',
  ['opened', 'completed', 'failed', 'renew', 'error'] satisfies (keyof SetupEventMap)[],
  () => import('./widget/setup.js'),
)

/** The props that are properties of the element rather than attributes. */
const PROPERTIES = ['texts', 'startOptions', 'session', 'registration'] as const

/** The props of a component, before their types are checked. */
type Values = Readonly<Record<string, unknown>>

// It warns on a server, where there is nothing to lay out.
const useMounted = typeof document === 'undefined' ? useEffect : useLayoutEffect

function component<Made extends HTMLElement, Own>(
  tag: string,
  events: readonly string[],
  load: () => Promise<unknown> = () => import('./widget.js'),
): ForwardRefExoticComponent<Own & RefAttributes<Made>> {
  const handlerOf = (name: string) => `on${name[0]?.toUpperCase()}${name.slice(1)}`
  const handlers = events.map(handlerOf)

  const Component = forwardRef<Made, Own>((props, ref) => {
    const values = props as Values
    const element = useRef<Made | null>(null)
    const latest = useRef(values)
    const hold = useCallback((made: Made | null) => {
      element.current = made
      if (typeof ref === 'function') return ref(made)
      if (ref) ref.current = made
      return undefined
    }, [ref])

    useMounted(() => {
      latest.current = values
    })

    const heard = events.filter((name) => typeof values[handlerOf(name)] === 'function').join()
    useMounted(() => {
      const { current } = element
      const stop = new AbortController()
      let last: Event | undefined
      const hear = (event: Event) => {
        // Children of the element may have events of the same name. The element repeats an error to later listeners.
        if (event.target !== current || event === last) return
        last = event
        const handler = latest.current[handlerOf(event.type)] as ((event: Event) => unknown) | undefined
        handler?.(event)
      }
      const listen = () => {
        if (stop.signal.aborted) return
        for (const name of heard.split(',')) current?.addEventListener(name, hear, { signal: stop.signal })
      }
      listen()
      // Servers may have rendered the element long before. Its script comes last, so that it starts once, with all the
      // page's settings. Only then does the element know its listeners.
      void load().then(listen)
      return () => stop.abort()
    }, [heard])

    const calls = typeof values['start'] === 'function'
    useMounted(() => {
      if (!calls) return undefined
      const { current } = element
      // Most pages create a new function on each render.
      set(current, 'start', (body: Parameters<Starter>[0]) => (latest.current['start'] as Starter)(body))
      return () => set(current, 'start', current?.getAttribute('start') ?? null)
    }, [calls])

    // The same hooks on every render. The content is compared, because most pages create a new object on each
    // render.
    for (const name of PROPERTIES) {
      const content = JSON.stringify(values[name])
      useMounted(() => {
        if (content === undefined) return undefined
        const { current } = element
        set(current, name, latest.current[name])
        return () => set(current, name, name === 'texts' ? {} : null)
      }, [content])
    }

    return createElement(tag, { ...attributesOf(values, handlers), ref: hold })
  })
  Component.displayName = tag.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Component as ForwardRefExoticComponent<Own & RefAttributes<Made>>
}

function set(element: object | null, name: string, value: unknown): void {
  if (element) Reflect.set(element, name, value)
}

/** Names of attributes that differ from the names of the props. */
const NAMES: Readonly<Record<string, string>> = {
  allowUnencrypted: 'allow-unencrypted',
  appKey: 'app-key',
  appName: 'app-name',
  className: 'class',
  scanWith: 'scan-with',
}

/**
 * Returns a value that every version of React writes in the same way: in some, `false` and objects become texts.
 */
function attributesOf(values: Values, handlers: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (handlers.includes(name) || (PROPERTIES as readonly string[]).includes(name)) continue
    if (name === 'start' && typeof value === 'function') continue
    // In these, false is a valid value.
    const isText = /^(aria|data)-|^(children|contentEditable|draggable|spellCheck|dangerouslySetInnerHTML|suppressHydrationWarning)$/.test(name)
    if (isText) found[name] = value
    else if (value !== false && value !== null && value !== undefined) found[NAMES[name] ?? name] = value
  }
  return found
}
