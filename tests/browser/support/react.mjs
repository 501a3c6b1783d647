// Pages of the projects with React, for the tests of the components.

import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before } from 'node:test'

import { PROJECTS, installElements, npmProject, run } from '../../packages/support/workplace.mjs'
import { openWindow } from './page.mjs'
import { PhonePage } from './phone-element.mjs'
import { HANG } from './suite.mjs'
import { chromium } from './tools.mjs'

/** Projects by React version, with the files of their page. */
export const projects = {}

/** Builds the pages before the tests of a file. */
export function buildPages() {
  before(async () => {
    if (!chromium()) return
    for (const version of ['18', '19']) projects[version] = await pageOf(version)
  }, HANG)
}

/** Installs the package in a project with this version of React, and builds its page. */
async function pageOf(version) {
  const folder = await npmProject(`react-${version}`)
  await cp(join(PROJECTS, 'react-19/src'), join(folder, 'src'), { recursive: true })
  await installElements(folder)
  const { build } = createRequire(join(folder, 'package.json'))('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/page.jsx'],
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: 'out',
    write: false,
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'warning',
  })
  return { folder, files: new Map(outputFiles.map(({ path, text }) => [path.slice(join(folder, 'out').length), text])) }
}

/** Renders a component with the version's server renderer. */
export const rendered = async (version, kind, props) => (
  (await run(projects[version].folder, process.execPath, 'src/render.mjs', kind, JSON.stringify(props))).trim()
)

/** Opens a page with server-rendered content. `starts` counts the requests to the page's server. */
export async function open({ browser, fake }, version, { html = '', prepare, kind = PhonePage, answer = () => false } = {}) {
  const window = await openWindow(browser, [fake.url, fake.service])
  const phone = new kind(window)
  const { page } = window
  await phone.listen()
  await page.routeWebSocket(/\/socket$/, (socket) => {
    phone.sockets.push(socket)
    socket.onMessage(() => socket.send('{"changed":true}'))
  })
  const files = projects[version].files
  fake.interfere = (call, send, response) => (
    files.has(call.path) ? (send(200, files.get(call.path), 'text/javascript'), true) : answer(call, send, response)
  )
  await prepare?.(page)
  await page.goto(fake.put(`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,"></head>
  <body><div id="root">${html}</div><script type="module" src="/page.js"></script></body>
</html>`))
  await page.locator('html[data-ready]').waitFor()
  const starts = () => fake.seen.filter(({ path }) => path === '/sign-up/phone').length
  return Object.assign(phone, { starts, heard: () => page.evaluate(() => app.heard) })
}
