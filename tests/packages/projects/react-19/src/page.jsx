// A page that shows one component with the props that a test gives, and says what its handlers got.

import { CountersignLogin, CountersignPhone, CountersignSetup } from '@countersign/widget/react'
import { createElement, createRef, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

const COMPONENTS = {
  login: CountersignLogin, phone: CountersignPhone, setup: CountersignSetup, 'plain-login': 'countersign-login', 'plain-phone': 'countersign-phone',
}

let root
globalThis.app = {
  ref: createRef(),
  /** Events by name, in order. */
  heard: [],
  /** Shows a component, or shows it with other props. */
  show(kind, props, { hydrate = false, strict = true } = {}) {
    const tree = kind === null ? null : createElement(COMPONENTS[kind], { ref: app.ref, ...props })
    const wrapped = strict ? createElement(StrictMode, null, tree) : tree
    const container = document.getElementById('root')
    if (root) return root.render(wrapped)
    if (hydrate) root = hydrateRoot(container, wrapped)
    else (root = createRoot(container)).render(wrapped)
  },
  /** Loads the elements, as pages do that use no component. */
  load: () => import('@countersign/widget'),
  /** Makes a handler. */
  hear: (name) => (event) => { app.heard.push([name, event.type, event.detail]) },
}
document.documentElement.dataset.ready = ''
